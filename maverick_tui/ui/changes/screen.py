"""ChangesScreen: what a run has changed, live. Files, the diff of one of them, whose each hunk is, and the way back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.review.kinds import Scope
from maverick_tui.ui.changes.commit_marks import CommitMarks
from maverick_tui.ui.changes.diff_text import DiffText
from maverick_tui.ui.changes.diff_view import Colours, DiffView, Place
from maverick_tui.ui.changes.file_list import EdgeLine, FileList, counts_of_change, shown_path
from maverick_tui.ui.changes.keys import CHANGES_KEYS
from maverick_tui.ui.changes.looking import Looking, mark_of
from maverick_tui.ui.changes.reading import Seen, read_colours, read_diff
from maverick_tui.ui.changes.words import (
    NO_SNAPSHOTS,
    NOTHING,
    READING,
    scope_words,
    untracked_words,
    why_not,
)
from maverick_tui.ui.keys import key_names
from maverick_tui.ui.lines import ROLE_CLASSES, Line
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.told_work import told_if_it_fails
from maverick_tui.ui.unsent import AFTER_TYPING

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.review.kinds import Author
    from maverick_tui.runs.board import RunModel

WIDE, HIGH, LOW = 110, 18, 9
"""Columns from which there is room beside a diff; rows from which the files have enough room, and any at all."""
TWO_SIDES = 100
"""Columns from which a diff can have two sides."""
OFTEN = 2.0
"""Seconds between two looks while a call is at work."""


class ChangesScreen(Screen[None]):
    """Shows what is read in threads; what has been chosen, written and scrolled to stays while that changes."""

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "changes.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (LOW, "-low"), (HIGH, "-high")]
    COMPONENT_CLASSES = ROLE_CLASSES
    AUTO_FOCUS = "DiffView"
    BINDING_GROUP_TITLE = "Changes"
    BINDINGS: ClassVar[list[BindingType]] = [*CHANGES_KEYS]

    class BackRequested(Message):
        """Whatever was there before is to be shown again."""

    class CallChosen(Message):
        """The place of this call in its transcript is to be shown."""

        def __init__(self, author: Author) -> None:
            super().__init__()
            self.author = author

    def __init__(self, run: RunModel, looking: Looking, colours: Colours) -> None:
        """`looking` is what was looked at the last time."""
        super().__init__()
        self.model = run
        self.looking = looking
        self._about = EdgeLine("about")
        self.files = FileList(self._file_chosen, self.action_read)
        self._title = EdgeLine("title", fill="─")
        self.diff = DiffView(colours, self._went_on, self.action_go_to_call)
        self._count = EdgeLine("count")
        self.hints = KeyHints(id="keys")
        self.diff.is_split = looking.is_split
        self.files.marked = looking.marks
        self.files.comments = looking.comments.on_file
        self._commit_marks = CommitMarks(self)
        self._seen_at = 0.0
        self._was_shown = False
        self._fitted: Size | None = None
        """The size that its classes are for: covered by another screen it is given a size without them."""
        self._keys: dict[str, str] = {}
        self._due: Timer | None = None
        self._typing: Timer | None = None
        self._give_actions_to_parts()

    def _give_actions_to_parts(self) -> None:
        """Textual looks on the screen for what its keys do; these actions are the parts' own."""
        from maverick_tui.ui.changes.acting import Acting
        from maverick_tui.ui.changes.scoping import Scoping

        for name, act in Acting(self).actions.items():
            setattr(self, f"action_{name}", act)
        scoping = Scoping(self)
        self.action_choose_scope, self.action_all, self.action_since = scoping.choose, scoping.all, scoping.since
        self.action_turn, self.action_call = scoping.turn, scoping.call

    def compose(self) -> ComposeResult:
        """What is looked at, the files, the diff of one, and the keys."""
        # Textual would find out after it has applied all styles, and apply them again.
        width, height = self._fitted = self.app.size
        tall = "-tiny" if height < LOW else "-low" if height < HIGH else "-high"
        split = ("-split",) if self.looking.is_split and self.can_split else ()
        self.add_class("-wide" if width >= WIDE else "-narrow", tall, *split)
        yield self._about
        with Container(id="body"):
            yield self.files
            with Vertical(id="reading"):
                yield self._title
                yield self.diff
        with Horizontal(id="foot"):
            yield self._count
            yield self.hints

    def on_mount(self) -> None:
        """Show what was seen the last time, and look again."""
        self._keys = key_names(self)
        if self.looking.committing is not None:
            self.hints.say(self.committing)
        if self.looking.seen is not None:
            self._show(self.looking.seen, place=self.looking.place)
        else:
            self.diff.say(READING)
            self._tell()
        if reason := why_not(self.model):
            self._say_nothing(reason)
            return
        self.look_again()
        self._begin(self._bring_back_comments, "comments")

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Have styles applied again when it comes back; the first time they are those of a moment ago."""
        event.refresh_styles, self._was_shown = event.refresh_styles and self._was_shown, True

    def on_unmount(self) -> None:
        """Know where one was."""
        self.looking.place = self.diff.place

    # -- reading ------------------------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """The run has told something: there may be more to see."""
        if event.type in ("permission_asked", "permission_settled", "turn_ended") and self.is_mounted:
            self._tell()
        if event.type in ("snapshot_taken", "changes_untracked") and self._due is None and self.is_mounted:
            since = time.monotonic() - self._seen_at
            if self.model.store.is_running and since < OFTEN:
                self._due = self.set_timer(OFTEN - since, self.look_again)
            else:
                self.look_again()

    def look_again(self) -> None:
        """Read what there is to see now."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        self._begin(self._look, "look")

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]], group: str) -> None:
        """Do something in place of whatever is done of this group; what goes wrong is told."""

        async def told() -> None:
            await told_if_it_fails(self.app, work(), "Changes")

        _: Worker[None] = self.run_worker(told, group=group, exclusive=True, exit_on_error=False)

    async def _look(self) -> None:
        if (begun := self.looking.begun) is not None:  # what is there already is shown at once
            self.looking.begun = None
            await self._see(begun)
            await self.painted()
        await self._see(self.looking.read(is_fresh=True))

    async def painted(self) -> None:
        """Wait until all is on the screen: whatever works meanwhile takes the interpreter from those who paint."""
        painted = asyncio.Event()
        if self.call_after_refresh(painted.set):
            await painted.wait()

    async def _see(self, reading: Awaitable[Seen]) -> None:
        try:
            seen = await reading
        except MaverickError as error:
            self._say_nothing(one_line(f"{error.message} {error.hint}"))
            return
        self._seen_at = time.monotonic()
        if self.is_mounted and seen.wanted.scope == self.looking.wanted.scope:
            self._show(seen)

    async def _read_file(self) -> None:
        """The diff of the chosen file; the one before stays until it is there."""
        file, scope = self.files.file, self.looking.wanted.scope
        if file is None:
            return
        self._show_diff(await self.looking.reviewing.ask(lambda review: read_diff(review, scope, file)))

    async def _colour(self, diff: DiffText, scope: Scope) -> None:
        await self.painted()
        diff.old_colours, diff.new_colours = await read_colours(self.looking.reviewing, scope, diff)
        if self.diff.diff is diff:
            self.diff.recolour()

    async def _bring_back_comments(self) -> None:
        if not self.model.is_only_watched:  # they are for somebody who can send them
            await self.looking.comments.bring_back()
            self.comments_changed(is_new=False)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _show(self, seen: Seen, place: Place | None = None) -> None:
        self.looking.seen = seen
        if self.looking.comments.set_taken_back(seen.taken_back):
            self.comments_changed()
        self.files.show(seen.files, self.looking.wanted.path)
        self.set_class(not seen.files, "-empty")
        self._tell()
        if seen.diff is None:
            self._say_nothing(self._why_empty(seen))
        elif self.files.file is not None and self.files.file.path != seen.diff.file.path:
            self._begin(self._read_file, "file")  # somebody was faster
        else:
            self._show_diff(seen.diff, place)
        self.refresh_bindings()

    def _why_empty(self, seen: Seen) -> str:
        untracked = untracked_words(seen.untracked or self.model.store.untracked)
        if not seen.has_snapshots:
            return untracked or NO_SNAPSHOTS
        others = "" if seen.wanted.with_others else f" {self.key('changes.others')} shows what others have changed."
        nothing = f"{NOTHING} ({scope_words(seen.wanted.scope, seen.turns)}).{others}"
        return f"{nothing}\n\n{untracked}".strip()

    def _say_nothing(self, words: str) -> None:
        self.set_class(True, "-empty")
        self.diff.say(words)
        self._tell()

    def _show_diff(self, diff: DiffText, place: Place | None = None) -> None:
        before = self.diff.diff
        self.looking.wanted = self.looking.wanted._replace(path=diff.file.path)
        is_same_file = before is not None and before.file.path == diff.file.path
        if before is not None and is_same_file and (before.hunks, before.notes) == (diff.hunks, diff.notes):
            before.file = diff.file
            self.diff.refresh()  # what is chosen for a commit may be other hunks
        else:
            place = self.diff.place if is_same_file else place
            self.diff.marked = self._is_marked
            self.diff.show(diff, self.looking.comments.placed_in(diff), place)
            self._begin(partial(self._colour, diff, self.looking.wanted.scope), "colours")
        self._commit_marks.look()
        self._tell()

    def comments_changed(self, *, is_new: bool = True) -> None:
        """A comment has come, gone or changed."""
        if (diff := self.diff.diff) is not None:
            self.diff.show(diff, self.looking.comments.placed_in(diff), self.diff.place)
        self.files.refresh()
        self._tell()
        if is_new:
            self._keep_comments()

    def comment_typed(self) -> None:
        """Somebody is writing a comment: it is kept in a moment."""
        if self._typing is None:
            self._typing = self.set_timer(AFTER_TYPING, self._keep_comments)

    def _keep_comments(self) -> None:
        self._typing = None
        if not self.model.is_only_watched:  # what is secret there is not known here
            keep = self.looking.comments.keep  # not begun here: the application may end before it could begin
            _: Worker[None] = self.app.run_worker(keep, group="comments", exit_on_error=False)

    async def end_writing(self, *, is_kept: bool) -> None:
        """The application ends: keep what stands in a comment that is being written, or drop it if that was agreed."""
        comments = self.looking.comments
        is_new = comments.writing is not None or self._typing is not None  # or it was left a moment ago
        if is_new and not self.model.is_only_watched:
            if comments.writing is not None and not is_kept:
                comments.unsaid.pop(comments.writing, None)
            await comments.keep()

    def restyle(self) -> None:
        """Draw with the colours of the moment."""
        self.diff.recolour()

    def _tell(self) -> None:
        """Say what is looked at, above the files and above the diff, and how many comments there are."""
        seen = self.looking.seen
        scope = scope_words(self.looking.wanted.scope, seen.turns if seen is not None else ())
        scope = cut(scope, max(self.app.size.width // 2, 16))  # a prompt may be long
        asks = "  ⚑ needs you" if self.model.store.questions else ""
        left: Line = (("Changes", "accent"), (asks, "warning"), (f"  {one_line(self.model.title)}  ", "text"))
        others = " and of others" if self.looking.wanted.with_others else ""
        right: list[tuple[str, str]] = [(f"{scope}{others}", "muted")]
        if seen is not None and seen.files:
            count, added, deleted, in_caches = seen.sum
            right += [(f"  {count} {'file' if count == 1 else 'files'}", "text")]
            right += [(f" +{added:,}", "success"), (f" -{deleted:,}", "error")]
            right += [(f", {in_caches:,} in caches", "muted")] if in_caches else []
        self._about.tell(left, tuple(right))
        if (diff := self.diff.diff) is not None:
            self._title.tell(
                ((shown_path(diff.file.path), "strong"),), (*counts_of_change(diff.file), (self._untracked, "warning"))
            )
        comments = len(self.looking.comments.items)
        self.set_class(bool(comments), "-commented")
        self._count.tell(((f"✎{comments} ", "warning"), (self.key("changes.send"), "accent"), (" send", "muted")))

    @property
    def _untracked(self) -> str:
        seen = self.looking.seen
        return "  not tracked any more" if seen is not None and seen.untracked else ""

    @property
    def committing(self) -> str:
        """What is said while a commit is being made."""
        return f"Committing … {self.key('changes.commit')} ends it."

    def key(self, name: str) -> str:
        """What a key of this screen is called."""
        return self._keys.get(name, "")

    def keys_changed(self) -> None:
        """The keys may be others."""
        self._keys = key_names(self)
        self._tell()

    def _is_marked(self, hunk: int) -> bool | None:
        marks, diff = self.looking.marks, self.diff.diff
        if not marks or diff is None:
            return None
        chosen = marks.get(diff.file.path, frozenset())
        return chosen is None or mark_of(diff.hunks[hunk]) in chosen

    # -- going about --------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys that would do nothing here."""
        seen = self.looking.seen
        if action in ("comment", "reject", "go_to_call", "hunk", "copy"):
            return self.diff.diff is not None
        if action == "drop_comment":
            return self.diff.comment_at is not None
        if action in ("undo", "commit", "mark", "read", "switch_focus", "file"):
            return bool(seen is not None and seen.files)
        if action == "redo":
            return seen is not None and seen.has_snapshots  # what was undone a moment ago is not seen yet
        if action == "send":
            return bool(self.looking.comments.items)
        return True

    def _went_on(self) -> None:
        self.hints.notice = ""
        self.refresh_bindings()

    def _file_chosen(self) -> None:
        if (file := self.files.file) is not None:
            self.hints.notice = ""
            self.looking.wanted = self.looking.wanted._replace(path=file.path)
            self._begin(self._read_file, "file")

    def action_file(self, by: int) -> None:
        """Show the next file, or the one before."""
        self.files.move(by)

    def action_hunk(self, by: int) -> None:
        """Go to the next hunk, in the next file if this one has no more."""
        if not self.diff.next_hunk(by):
            self.files.move(by)

    def action_switch_focus(self) -> None:
        """Between the files and the diff."""
        self.set_focus(self.files if self.focused is self.diff else self.diff)

    def action_read(self) -> None:
        """From the file to its diff."""
        self.set_focus(self.diff)

    def action_leave(self) -> None:
        """Back to where one came from."""
        if self.hints.notice:
            self.hints.notice = ""
        self.post_message(self.BackRequested())

    def action_go_to_call(self) -> None:
        """To the place in the transcript where this hunk was written."""
        hunk, line, diff = self.diff.hunk, self.diff.line, self.diff.diff
        authors = hunk.authors if hunk is not None else diff.file.authors if diff is not None else ()
        if hunk is not None and line is not None and line.at < len(hunk.line_authors):
            authors = (*authors, *hunk.line_authors[line.at])
        author = next((one for one in reversed(authors) if one.kind != "you"), None)
        if author is None:
            self.hints.say("No call of a run has written this.", is_error=True)
        else:
            self.post_message(self.CallChosen(author))

    # -- what is looked at --------------------------------------------------------------------------------------------

    @property
    def can_split(self) -> bool:
        """Whether there is room for two sides."""
        return self.app.size.width >= TWO_SIDES

    def on_resize(self, event: events.Resize) -> None:
        """Two sides need room; where that is gone there is one. And be laid out once for a size."""
        if event.size == self.outer_size == self._fitted:
            event.prevent_default()
        self._fitted = event.size
        is_split = self.looking.is_split and event.size.width >= TWO_SIDES
        if is_split is not self.diff.is_split:
            self.set_class(is_split, "-split")
            self.diff.split(is_split)

    def action_view(self) -> None:
        """Both sides beside each other, or one below the other."""
        if not self.looking.is_split and not self.can_split:
            self.hints.say(f"Side by side needs {TWO_SIDES} columns; there are {self.size.width}.", is_error=True)
            return
        self.looking.is_split = not self.looking.is_split
        self.set_class(self.looking.is_split, "-split")
        self.diff.split(self.looking.is_split)

    def action_reload(self) -> None:
        """Look at the files again."""
        self.look_again()

    def action_others(self) -> None:
        """Also what you and other runs have changed, or only what this run has."""
        wanted = self.looking.wanted
        self.looking.wanted = wanted._replace(with_others=not wanted.with_others)
        self._tell()
        self.look_again()

    def look_at(self, scope: Scope) -> None:
        """Look at another part of the run."""
        if scope != self.looking.wanted.scope:
            self.hints.notice = ""
            self.looking.wanted = self.looking.wanted._replace(scope=scope)
            self._tell()
            self.look_again()
