"""Acting: what a person does about changes: comments on them, takes them back, commits them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.inert import one_line
from maverick_tui.review.comments import Comment, as_prompt
from maverick_tui.threads import in_thread
from maverick_tui.ui.changes.comments import COMMIT_MESSAGE, Noted, Where, where_of
from maverick_tui.ui.changes.file_list import shown_path
from maverick_tui.ui.changes.looking import mark_of
from maverick_tui.ui.changes.undo_preview import UndoScreen, Way
from maverick_tui.ui.changes.words import scope_words
from maverick_tui.ui.told_work import told_if_it_fails

if TYPE_CHECKING:
    from pathlib import Path

    from maverick_tui.review.commit_preview import Preview
    from maverick_tui.review.committing import Chosen
    from maverick_tui.review.kinds import ChangedFile, ChangedHunk
    from maverick_tui.review.run_review import RunReview
    from maverick_tui.snapshots.planning import Step
    from maverick_tui.snapshots.undoing import Undone
    from maverick_tui.ui.changes.screen import ChangesScreen


class Acting:
    """Acts on what is chosen on a screen of changes; what takes its time is done in threads."""

    def __init__(self, screen: ChangesScreen) -> None:
        self._screen = screen

    @property
    def actions(self) -> dict[str, Callable[[], None]]:
        """What keys do, by the names of their actions."""
        working = {"reject": self.reject, "undo": self.undo, "redo": self.redo, "commit": self.commit}
        plain = {
            "comment": self.comment, "drop_comment": self.drop_comment, "send": self.send, "mark": self.mark,
            "copy": self.copy,
        }  # fmt: skip
        return plain | {name: self._worked(act) for name, act in working.items()}

    def _worked(self, act: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        def begin() -> None:
            if self._screen.looking.committing is not None and act != self.commit:  # a hook may have moved files away
                self._screen.hints.say(f"{self._screen.committing} Only then anything is taken back.", is_error=True)
                return
            told = told_if_it_fails(self._screen.app, act(), "Changes")
            self._screen.run_worker(told, group="ask", exit_on_error=False)

        return begin

    def _may_send(self) -> bool:
        run = self._screen.model
        if run.rest is not None and not run.rest.may_go_on:
            self._screen.hints.say(f"Nothing can be sent to this run. {one_line(run.rest.words)}.", is_error=True)
            return False
        if run.is_only_watched:
            self._screen.hints.say("You only look on at this run: nothing can be sent to it.", is_error=True)
            return False
        return True

    def _is_whole(self, hunk: ChangedHunk) -> bool:
        if hunk.hunk.is_cut:
            self._screen.hints.say("Not all of this hunk is shown: that can only be done with the file.", is_error=True)
        return not hunk.hunk.is_cut

    # -- comments -----------------------------------------------------------------------------------------------------

    def comment(self) -> None:
        """Comment on the line, or on the whole hunk where its heading is chosen; or change the comment that is."""
        from maverick_tui.ui.changes.asking import WordsScreen

        view, comments = self._screen.diff, self._screen.looking.comments
        place = view.comment_at
        noted = comments.items[place] if place is not None else self._on_chosen()
        if noted is None:
            self._screen.hints.say("There is no line here to comment on.", is_error=True)
            return

        def put(words: str | None) -> None:
            comments.writing = None
            comments.unsaid[where] = dialog.words if words is None and place is None else ""
            if words is not None:
                comments.put(noted._replace(comment=noted.comment._replace(text=words)), place)
            self._screen.comments_changed()

        about = noted.comment
        where = where_of(about)
        lines = f"{about.first}" if about.first == about.last else f"{about.first}-{about.last}"
        title = f"Comment on {shown_path(about.path)}:{lines}"
        words = comments.unsaid.get(where) or about.text
        dialog = WordsScreen(title, about.code, words, verb="keep", typed=self._kept_at(where))
        _ = self._screen.app.push_screen(dialog, put)

    def _kept_at(self, where: Where) -> Callable[[str], None]:
        """What hears the words that are being written there, so that they are kept."""
        comments = self._screen.looking.comments
        comments.writing = where

        def typed(words: str) -> None:
            if comments.writing == where:
                comments.unsaid[where] = words if words != where[-1] else ""
                self._screen.comment_typed()

        return typed

    def _written_at(self, where: Where, left: str = "") -> None:
        """They are written, or left as they are for now."""
        comments = self._screen.looking.comments
        if comments.writing == where:  # something else may be written by now
            comments.writing = None
        comments.unsaid[where] = left
        self._screen.comment_typed()

    def _on_chosen(self) -> Noted | None:
        """An empty comment on what is chosen."""
        view = self._screen.diff
        if (diff := view.diff) is None or (hunk := view.hunk) is None or (hunk_at := view.hunk_at) is None:
            return None
        if (line := view.line) is not None and line.sign != "\\":
            number = line.old if line.sign == "-" else line.new
            text = hunk.hunk.lines[line.at].removesuffix("\r")
            code = text if line.sign == "-" else text[1:]
            return Noted(Comment(diff.file.path, number, number, (code,), ""), line.sign, number, line.text)
        return self._on_hunk(hunk, hunk_at)

    def _on_hunk(self, hunk: ChangedHunk, hunk_at: int, words: str = "", *, is_rejected: bool = False) -> Noted | None:
        diff = self._screen.diff.diff
        if diff is None:
            return None
        changed = [line for line in diff.lines if line.hunk == hunk_at and line.sign in "+-"]
        numbers = [line.new for line in changed if line.new] or [line.old for line in changed]
        if not changed:
            return None
        code = tuple(line.removesuffix("\r") for line in hunk.hunk.lines if line[:1] != "\\")
        comment = Comment(diff.file.path, min(numbers), max(numbers), code, words, is_rejected)
        last = changed[-1]
        return Noted(comment, last.sign, last.old if last.sign == "-" else last.new, last.text)

    def drop_comment(self) -> None:
        """Drop the comment that is chosen."""
        if (place := self._screen.diff.comment_at) is not None:
            self._screen.looking.comments.drop(place)
            self._screen.comments_changed()

    def send(self) -> None:
        """Send all comments as one prompt, once they have been looked at."""
        from maverick_tui.ui.changes.sending import SendScreen

        screen, run = self._screen, self._screen.model
        comments = screen.looking.comments
        if not self._may_send():
            return

        def decide(is_wanted: bool | None) -> None:
            if is_wanted and comments.items:
                count = len(comments.items)
                run.ask(as_prompt([noted.comment for noted in comments.items]))
                comments.items.clear()
                queued = " It is queued until the agent is done." if run.store.is_running else ""
                screen.hints.say(f"{count} {'comment' if count == 1 else 'comments'} sent.{queued}")
            screen.comments_changed()

        waits = "The agent is at work: they wait for their turn." if run.store.is_running else ""
        _ = screen.app.push_screen(SendScreen(comments, waits), decide)

    def copy(self) -> None:
        """Copy the hunk."""
        if (hunk := self._screen.diff.hunk) is not None:
            text = "\n".join(line.removesuffix("\r") for line in hunk.hunk.lines)
            self._screen.app.copy_to_clipboard(text)
            self._screen.notify(f"Copied {len(text):,} characters.", timeout=2)

    # -- taking back --------------------------------------------------------------------------------------------------

    async def reject(self) -> None:
        """Take the hunk back, once somebody has agreed; a reason becomes a comment."""
        from maverick_tui.ui.changes.asking import WordsScreen

        screen, view = self._screen, self._screen.diff
        diff, hunk, hunk_at = view.diff, view.hunk, view.hunk_at
        if diff is None or hunk is None or hunk_at is None:
            screen.hints.say(f"There is no hunk here. {screen.key('changes.undo')} takes the file back.", is_error=True)
            return
        if not self._is_whole(hunk):
            return
        path, scope = diff.file.path, screen.looking.wanted.scope
        steps = await screen.looking.reviewing.ask(lambda review: review.plan_rejection(scope, path, [hunk]))
        refused = [step for step in steps if step.why_not]
        if len(refused) == len(steps):
            self._tell(f"Nothing can be taken back.{_left_words(refused)}", is_done=False)
            return
        if screen.app.screen is not screen:  # somebody has left, or has asked for something else meanwhile
            return
        noted = self._on_hunk(hunk, hunk_at, is_rejected=True)
        where = where_of(noted.comment) if noted is not None else (path, 0, 0, "")
        note = "Why, for the agent? It becomes a comment; without words nothing is said."
        dialog = WordsScreen(
            f"Take this hunk of {shown_path(path)} back?",
            hunk.hunk.lines,
            screen.looking.comments.unsaid.get(where, ""),
            verb="take it back",
            note=f"{note}{_left_words(refused)}",
            may_be_empty=True,
            typed=self._kept_at(where),
        )
        reason = await screen.app.push_screen_wait(dialog)
        self._written_at(where, dialog.words if reason is None else reason)
        if reason is None:
            return
        undone = await screen.looking.reviewing.ask(lambda review: review.reject(scope, path, [hunk]))
        if reason and noted is not None:
            # Also if it was refused: the hunk may be another one by now, and would not bring back what was said of it.
            comment = noted.comment._replace(text=reason, is_rejected=bool(undone.done))
            after = undone.after if undone.done else None
            screen.looking.comments.put(noted._replace(comment=comment, rejected_at=after.id if after else ""))
            self._written_at(where)
            screen.comments_changed()
            if not undone.done:
                screen.notify("What you said about it is kept as a comment.", title="Changes", markup=False)
        self._tell_undone(undone, "taken back")

    async def undo(self) -> None:
        """Take back what is looked at, or more, or less, once its plan has been seen."""
        screen = self._screen

        async def plan(way: Way) -> list[Step]:
            return await screen.looking.reviewing.ask(lambda review: review.plan(way.scope, way.paths))

        is_at_work = screen.model.is_served and screen.model.store.is_running
        agreed = await screen.app.push_screen_wait(UndoScreen(self._ways(), plan, is_at_work=is_at_work))
        if agreed is None:
            return
        screen.hints.say("Taking it back …")
        (_, scope, paths), steps = agreed
        undone = await screen.looking.reviewing.ask(lambda review: review.undo(scope, paths, shown=steps))
        self._tell_undone(undone, "taken back")

    def _ways(self) -> list[Way]:
        """The ways back: what is looked at first, then the file alone, then what is around it."""
        from maverick_tui.review.kinds import START, Scope

        screen = self._screen
        scope, turns = screen.looking.wanted.scope, screen.looking.seen.turns if screen.looking.seen else ()

        def way(one: Scope) -> Way:
            words = "all that this run has changed" if one == START else scope_words(one, turns)
            return Way(words if one == START else f"what was changed by {words}" if one.kind in ("turn", "call")
                       else f"all {words}", one)  # fmt: skip

        ways = [way(scope)]
        if (file := screen.files.file) is not None:
            paths = tuple(dict.fromkeys((file.path, file.was or file.path)))
            ways.append(Way(f"{shown_path(file.path)} alone, {scope_words(scope, turns)}", scope, paths))
        if scope.turn:
            ways += [way(Scope("turn", scope.turn)), way(Scope("since", scope.turn))]
        return list({one.words: one for one in (*ways, way(START))}.values())

    async def redo(self) -> None:
        """Give back what was taken back last, once the person has seen which paths that are; if nothing was, say so."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        last = await self._screen.looking.reviewing.ask(lambda review: review.plan_redo())
        if not last.paths:
            self._tell(f"Nothing can be given back.{_left_words(last.steps)}", is_done=False)
            return
        question = ConfirmScreen(
            "Give back what was taken back last?", _named(last.paths), yes="Give back", no="Leave it"
        )
        if not await self._screen.app.push_screen_wait(question):
            return
        undone = await self._screen.looking.reviewing.ask(lambda review: review.redo(last))
        self._tell_undone(undone, "given back", is_redo=True)

    def _tell_undone(self, undone: Undone, word: str, *, is_redo: bool = False) -> None:
        done = len(undone.done)
        told = f"{done} {'path' if done == 1 else 'paths'} {word}." if done else f"Nothing was {word}."
        told += _left_words(undone.refused)
        if done and undone.after is None:
            told += " What is there now could not be kept: until it can, this cannot be undone."
        elif done and not is_redo:
            told += f" {self._screen.key('changes.redo')} gives it back."
        self._tell(told, is_done=bool(done))

    def _tell(self, told: str, *, is_done: bool) -> None:
        """Say what came of it, and show what is there now."""
        screen = self._screen
        screen.hints.say(told, is_error=not is_done)
        screen.notify(told, title="Changes", severity="information" if is_done else "warning", markup=False)
        screen.look_again()

    # -- committing ---------------------------------------------------------------------------------------------------

    def mark(self) -> None:
        """Choose the hunk, or the file where the files have the focus, for a commit; or not after all."""
        screen, marks = self._screen, self._screen.looking.marks
        if screen.focused is screen.files:
            if (file := screen.files.file) is not None:
                if file.path in marks:
                    del marks[file.path]
                else:
                    marks[file.path] = None
                screen.files.move(1)
        elif (diff := screen.diff.diff) is not None and (hunk := screen.diff.hunk) is not None:
            if not self._is_whole(hunk):
                return
            chosen = marks.get(diff.file.path, frozenset())
            # All hunks are not the whole file: there may be changes in it that are not shown here.
            chosen = (
                frozenset(mark_of(one) for one in diff.hunks if not one.hunk.is_cut) if chosen is None else chosen
            ) ^ {mark_of(hunk)}
            marks[diff.file.path] = chosen
            if not chosen:
                del marks[diff.file.path]
        screen.files.refresh()
        screen.diff.refresh()

    async def commit(self) -> None:
        """Commit what is chosen, or all files, with a message; or end the commit that is being made."""
        if (stop := self._screen.looking.committing) is not None:
            await self._ask_to_end(stop)
            return
        try:
            await self._ask_and_commit()
        except MaverickError as error:
            self._tell_refused(error)

    async def _ask_to_end(self, stop: threading.Event) -> None:
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        text = "Git still waits for a hook or another program. It ends, too; what a hook has changed in files stays."
        question = ConfirmScreen("End the commit that is being made?", text, yes="End it", no="Let it go on")
        if await self._screen.app.push_screen_wait(question):
            stop.set()

    def _tell_refused(self, error: MaverickError) -> None:
        from maverick_tui.ui.changes.committing import SaidScreen

        screen, words = self._screen, "Nothing was committed"
        for shown in self._shown():
            shown.hints.say(f"{words}.", is_error=True)
        if screen.app.screen not in self._shown():  # somebody has gone on to something else
            text = one_line(f"{words}. {error.message} {error.hint}")
            screen.app.notify(text, title="Changes", severity="warning", timeout=10, markup=False)
            return
        _ = screen.app.push_screen(SaidScreen(words, f"{error.message}\n\n{error.hint}"))

    async def _ask_and_commit(self) -> None:
        from maverick_tui.review.commit_preview import preview
        from maverick_tui.ui.changes.committing import ASK_AGENT, CommitScreen, files_to_commit

        screen, looking = self._screen, self._screen.looking
        seen, marks = looking.seen.files if looking.seen is not None else [], looking.marks
        files = await looking.reviewing.ask(lambda review: files_to_commit(review, seen, marks))
        if not files:
            why = "All of this is committed already."
            if marks:
                why = "What was chosen has not changed here any more."
            elif any(file.not_kept for file in seen):
                why = "All of this is committed already, but for what is not kept: choose that if you want it."
            screen.hints.say(why, is_error=True)
            marks.clear()
            return
        scope, parts = looking.wanted.scope, [path for path, hunks in marks.items() if hunks is not None]
        coming = await looking.reviewing.ask(lambda review: preview(review, scope, files, parts))
        message = looking.comments.unsaid.get(COMMIT_MESSAGE, "")
        dialog = CommitScreen(files, marks, coming, message, self._kept_at(COMMIT_MESSAGE))
        wanted = await screen.app.push_screen_wait(dialog)
        self._written_at(COMMIT_MESSAGE, wanted.message)
        if wanted.does == "ask" and self._may_send():
            names = ", ".join(shown_path(file.path) for file in files[:20])
            screen.model.ask(ASK_AGENT.format(files=names))
            screen.hints.say("The agent was asked for a message: it stands in the transcript once it has answered.")
        if wanted.does != "commit":
            return
        looking.committing = threading.Event()
        screen.hints.say(screen.committing)
        making = told_if_it_fails(screen.app, self._make_commit(files, coming, wanted.message), "Changes")
        _ = screen.app.run_worker(making, group="commit", exit_on_error=False)  # also when somebody leaves this screen

    async def _make_commit(self, files: list[ChangedFile], coming: Preview, message: str) -> None:
        """Have it made and say what came of it. A hook may run all tests: the review answers others meanwhile."""
        from maverick_tui.review.committing import commit

        screen, looking = self._screen, self._screen.looking
        chosen_before, stop = dict(looking.marks), looking.committing
        try:
            root, chosen = await looking.reviewing.ask(lambda review: self._held(review, files, coming))
            done = await in_thread(commit, root, chosen, message, coming.shown, stop)
        except MaverickError as error:
            self._tell_refused(error)
            return
        finally:
            looking.committing = None
        for path, hunks in chosen_before.items():  # others may have been chosen meanwhile
            if looking.marks.get(path, ()) == hunks:
                del looking.marks[path]
        note = f" {one_line(done.note)}" if done.note else ""
        screen.app.notify(f"Committed {one_line(done.commit)[:12]}.{note}", title="Changes", markup=False)
        looking.comments.unsaid[COMMIT_MESSAGE] = ""
        _ = screen.app.run_worker(looking.comments.keep, group="comments", exit_on_error=False)
        for shown in self._shown():
            shown.hints.say(f"Committed {one_line(done.commit)[:12]}.{note}")
            shown.look_again()

    def _shown(self) -> list[ChangesScreen]:
        """The screen of these changes: somebody may have left it, and may have come back."""
        screen = self._screen
        return [
            one for one in screen.app.screen_stack if isinstance(one, type(screen)) and one.looking is screen.looking
        ]

    def _held(self, review: RunReview, files: list[ChangedFile], coming: Preview) -> tuple[Path, list[Chosen]]:
        """Where to commit what; ConfigError if it is not what was shown."""
        from maverick_tui.review.commit_preview import what_runs

        if (runs := what_runs(review, self._screen.looking.wanted.scope, files)) != coming.runs:
            why = f"Nothing was committed: git would run {', '.join(runs) or 'nothing of the repository'} by now."
            raise ConfigError(why, hint="The question did not say so. Commit again; your message is kept.")
        return review.root, [one for file in files for one in self._chosen(review, file)]

    def _chosen(self, review: RunReview, file: ChangedFile) -> list[Chosen]:
        from maverick_tui.review.committing import Chosen

        marks = self._screen.looking.marks
        chosen = marks.get(file.path)
        if chosen is None:
            return [Chosen(file.path), *([Chosen(file.was)] if file.was else [])]
        scope = self._screen.looking.wanted.scope
        hunks = [one for one in review.hunks(scope, file.path) if mark_of(one) in chosen]
        if {mark_of(one) for one in hunks} != chosen:
            del marks[file.path]
            why = f"Nothing was committed: what you have chosen of {shown_path(file.path)} has changed since."
            raise ConfigError(why, hint="Look at it again, and choose what is there now.")
        return [Chosen(file.path, review.part(scope, file.path, hunks))]


def _named(paths: Sequence[str]) -> str:
    """All of these paths, whole, each on lines of its own: what is agreed to is read."""
    return "\n".join(map(shown_path, paths))


def _left_words(refused: Sequence[Step]) -> str:
    """What is left as it is, and why, to be said after something else."""
    if not refused:
        return ""
    more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f" Left as it is: {shown_path(refused[0].path)}, {one_line(refused[0].why_not)}{more}."
