"""The board as somebody uses it: rows, the filter, peeking, answering, stopping, and runs side by side."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot

from maverick_tui.history.labels import read_labels
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.commands import AnswerPermission, Interrupt, NameRun
from maverick_tui.ui import cut_text
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.board import peeking
from maverick_tui.ui.board.screen import BoardScreen
from maverick_tui.ui.board.side_by_side import SideBySideScreen
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen, NameScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.history.kept import keep_run
from tests.host.served_run import RUN, serving
from tests.support.runs import BEGAN, STREAM_BROKE, Tape
from tests.ui.history.test_screen import alive
from tests.ui.running import FedApp, Kept
from tests.ui.waiting import until


def text(app: MaverickApp) -> str:
    """What is on the screen."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def board_of(app: MaverickApp) -> BoardScreen:
    assert isinstance(app.screen, BoardScreen)
    return app.screen


def listed(app: MaverickApp) -> list[str]:
    """The runs on the board, from top to bottom."""
    return [card.run_id for card in board_of(app).rows.cards]


def add(app: FedApp, run_id: str, tape: Tape) -> RunModel:
    """A run of the application that is not on the screen."""
    run = RunModel(run_id, tape.agent, app.board)
    app.board.add(run)
    run.connect(Kept())
    app.tell(tape, run)
    return run


def sent_to(run: RunModel) -> list[Any]:
    assert isinstance(run.handle, Kept)
    return run.handle.take()


def working(agent: str = "explorer", at: float = BEGAN) -> Tape:
    return Tape(agent, at=at).connect().prompt(f"Look, {agent}").say("Words of it.", is_open=True)


@asynccontextmanager
async def opened(tapes: dict[str, Tape]) -> AsyncIterator[tuple[FedApp, Pilot[Any]]]:
    """The board with these runs, over the picker."""
    app = FedApp(agent=None)
    async with app.run_test(size=(120, 40)) as pilot:
        for run_id, tape in tapes.items():
            add(app, run_id, tape)
        app.now = BEGAN + 2
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.top == "BoardScreen" and set(tapes) <= set(listed(app)), "the runs are listed")
        yield app, pilot


async def test_what_needs_a_person_is_on_top_and_the_highlight_stays_on_its_run() -> None:
    tapes = {
        "done": working("done").done(),
        "works": working(at=BEGAN + 1),
        "failed": working("failing").done("failed", failure=STREAM_BROKE),
        "asks": working("asking").ask("Bash", {"command": "git push"}),
    }
    async with opened(tapes) as (app, pilot):
        board = board_of(app)
        assert listed(app) == ["asks", "failed", "works", "done"]
        for words in ("⚑ 1 needs you", "needs you", "Bash git push", "The stream broke", "writing", "$0.021"):
            assert words in text(app), words
        await pilot.press("down", "down")
        assert board.rows.card is not None
        assert board.rows.card.run_id == "works"
        app.tell(tapes["done"].prompt("Again").ask("Bash", {"command": "ls"}), app.board.runs["done"])
        await until(pilot, lambda: listed(app) == ["asks", "done", "failed", "works"], "who asks goes up")
        assert board.rows.card.run_id == "works", "what is looked at stays"
        assert "Space peek" in text(app)
        await pilot.press(*"look, fail")
        await until(pilot, lambda: listed(app) == ["failed"] and "1 of 4" in text(app), "typing filters, blanks too")
        assert not board.has_class("-peeking")
        await until(pilot, lambda: "→ peek" in text(app) and "Space peek" not in text(app), "another key peeks then")
        await pilot.press("right")
        await until(pilot, lambda: board.has_class("-peeking"))
        await pilot.press("right")
        await pilot.press("escape")
        await until(pilot, lambda: len(listed(app)) == 4, "Esc clears")
        board._filter.text = "nosuch"  # typed in one go with the key behind it
        assert board.check_action("end_run", ()) is False
        assert listed(app) == [], "no key acts on what was highlighted before"
        await pilot.press("escape")
        await until(pilot, lambda: len(listed(app)) == 4, "Esc clears")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen), "and then leaves")


@pytest.mark.explore
async def test_the_highlight_is_on_top_until_somebody_goes_to_a_run_and_comes_back_to_that() -> None:
    def highlighted(app: FedApp) -> str:
        card = board_of(app).rows.card
        return card.run_id if card is not None else ""

    async def asks(name: str) -> None:
        add(app, name, working(name).ask("Bash", {"command": name}))
        await until(pilot, lambda: name in listed(app), "another one asks")

    async with opened({"old": working("old").done()}) as (app, pilot):
        await asks("first")
        assert listed(app) == ["first", "old"]
        assert highlighted(app) == "first", "nobody has gone to the other one"
        await pilot.press("insert", "up")
        await asks("later")
        assert listed(app)[-1] == "old"
        assert highlighted(app) == "first", "somebody has to do with it"
        await pilot.press("end")
        await asks("last")
        assert highlighted(app) == "old"
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen", "it is opened")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.top == "BoardScreen" and len(listed(app)) == 4, "the board")
        assert highlighted(app) == "old", "one comes back to it"
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen", "the run again")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.focused, "the picker")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.top == "BoardScreen" and len(listed(app)) == 4, "the board")
        assert highlighted(app) == listed(app)[0], "what needs somebody comes first"


async def test_a_peek_is_live_and_a_question_is_answered_in_it() -> None:
    tapes = {"works": working(), "later": working("later", BEGAN + 1)}
    async with opened(tapes) as (app, pilot):
        works, later = app.board.runs["works"], app.board.runs["later"]
        await pilot.press("space")
        await until(pilot, lambda: "Words of it." in text(app), "its transcript is there")
        assert not works.is_hidden
        app.tell(tapes["works"].say("\n\nAnd more of it."), works)
        await until(pilot, lambda: "And more of it." in text(app), "what comes is seen")
        await pilot.press("down")
        await until(pilot, lambda: works.is_hidden and not later.is_hidden, "the highlight is followed")
        app.tell(tapes["later"].ask("Bash", {"command": "make all"}), later)
        pane = board_of(app)._peeking.questions
        await until(pilot, lambda: pane.display and "wants permission" in text(app), "its question is there")
        assert sent_to(later) == []
        app.now += 5
        await pilot.press("ctrl+y")
        await until(pilot, lambda: isinstance(app.board.runs["later"].handle, Kept), "it was asked")
        answers = sent_to(later)
        assert [type(one) for one in answers] == [AnswerPermission]
        assert answers[0].decision == "once"
        app.tell(tapes["later"].decide("once"), later)
        await until(pilot, lambda: not pane.display, "its transcript is back")
        await pilot.press("space")
        await until(pilot, lambda: later.is_hidden, "nobody looks at it any more")


async def test_an_interrupt_is_seen_at_once_and_all_are_interrupted_after_one_question() -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two", "three"))}
    async with opened({"rests": working("rests").done(), **tapes}) as (app, pilot):
        runs = app.board.runs
        await pilot.press("delete")
        assert sent_to(runs["one"]) == [Interrupt()]
        assert "interrupting" in text(app)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it is asked")
        await pilot.press("n")
        assert not any(sent_to(run) for run in runs.values())
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it is asked")
        await pilot.press("y")
        await until(pilot, lambda: "Interrupting 3 runs" in text(app), "it is acknowledged")
        assert [sent_to(runs[name]) for name in ("two", "three", "rests")] == [[Interrupt()], [Interrupt()], []]
        for name, tape in tapes.items():
            app.tell(tape.done("interrupted"), runs[name])
        await until(pilot, lambda: "All of them have stopped" in text(app), "it is confirmed")


async def test_an_interrupt_that_is_not_heeded_is_not_called_one_that_is() -> None:
    async with opened({"works": working()}) as (app, pilot):
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it is asked")
        await pilot.press("y")
        await until(pilot, lambda: "Interrupting 1 run" in text(app), "it is acknowledged")
        app.now += 60
        board_of(app).draw()
        await until(pilot, lambda: "1 run did not stop" in text(app), "it is told")


async def test_marked_runs_stand_side_by_side_and_enter_opens_one() -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two", "three"))}
    async with opened(tapes) as (app, pilot):
        await pilot.press("f4")
        assert app.top == "BoardScreen", "none is marked"
        await pilot.press("insert", "insert", "f4")
        await until(pilot, lambda: app.top == "SideBySideScreen" and app.screen.focused, "they are shown")
        assert app.screen.has_class("-columns")
        app.tell(tapes["two"].say("\n\nThis is new."), app.board.runs["two"])
        await until(pilot, lambda: "This is new." in text(app), "both are live")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "BoardScreen", "back to the board")
        assert app.board.runs["two"].is_hidden
        await pilot.press("f4")
        await until(pilot, lambda: app.top == "SideBySideScreen" and app.screen.focused, "they are shown")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.top == "RunScreen", "one of them is opened")
        assert app.run_screen.run.run_id == "two"


async def test_questions_are_answered_side_by_side_by_the_keys_of_the_run() -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two"))}
    async with opened(tapes) as (app, pilot):
        one, two = (app.board.runs[name] for name in ("one", "two"))
        await pilot.press("insert", "insert", "f4")
        await until(pilot, lambda: app.top == "SideBySideScreen" and app.screen.focused, "they are shown")
        await until(pilot, lambda: "▸ one" in text(app) and "▸ two" not in text(app), "keys act on the first")
        for name, run in (("one", one), ("two", two)):
            grants = (f"Bash: make {name}", "every Bash command")
            app.tell(tapes[name].ask("Bash", {"command": f"make {name}"}, grants=grants), run)
        await until(pilot, lambda: "^y once" in text(app) and "•  once" in text(app), "only there, and it is said")
        panes = app.screen.panes  # type: ignore[attr-defined]
        seen = [pane.shown.transcript.questions_seen for pane in panes]
        asked = [next(iter(run.store.questions.values())) for run in (one, two)]
        await until(pilot, lambda: all(s.whole_since(q) is not None for s, q in zip(seen, asked, strict=True)))
        app.now += 5
        await pilot.press("tab", "ctrl+y")
        await until(pilot, lambda: "▸ two" in text(app))
        assert (sent_to(one), sent_to(two)) == ([], []), "a key right behind one that moves is not meant yet"
        app.now += 5
        await pilot.press("alt+a", "ctrl+y")
        assert [getattr(sent, "decision", "") for sent in sent_to(two)] == ["once"], "more than that is wanted twice"
        assert sent_to(one) == [], "the other one's is left alone"
        await pilot.press("shift+tab")
        app.now += 5
        await pilot.press("ctrl+r")
        await until(pilot, lambda: panes[0].prompt.has_focus, "a reason is typed there")
        await pilot.press(*"too slow", "enter")
        (denied,) = sent_to(one)
        assert isinstance(denied, AnswerPermission)
        assert (denied.decision, denied.reason) == ("deny", "too slow")
        await pilot.press("tab")
        assert panes[1].is_current
        await pilot.click(panes[0].shown.transcript, offset=(4, 2))
        assert panes[0].is_current, "who clicks on a run means that one"
        ask = {"question": "Which?", "header": "Way", "options": [{"label": "Left"}, {"label": "Right"}]}
        now = app.now
        app.tell(tapes["one"].decide("deny", "too slow").ask("AskUserQuestion", {"questions": [ask]}), one)
        app.now = now
        await until(pilot, lambda: panes[0].prompt.display and "Left" in text(app), "words are wanted")
        asking = next(iter(one.store.questions.values()))
        await until(pilot, lambda: seen[0].whole_since(asking) is not None)
        app.now += 5
        await pilot.press("2", "enter")
        (answered,) = sent_to(one)
        assert isinstance(answered, AnswerPermission)
        assert answered.answers == {"Which?": "Right"}
        app.tell(tapes["one"].decide("once"), one)
        await until(pilot, lambda: not panes[0].prompt.display and panes[0].is_current)
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "BoardScreen", "back to the board")


async def test_runs_are_named_and_tagged() -> None:
    keep_run("00000000000a", BEGAN)
    async with opened({"00000000000a": working()}) as (app, pilot):
        run = app.board.runs["00000000000a"]
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "a name is asked for")
        await pilot.press(*"Mine", "enter")
        await until(pilot, lambda: app.top == "BoardScreen", "it is back")
        assert sent_to(run) == [NameRun("Mine")]
        await pilot.press("ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "tags are asked for")
        await pilot.press(*"urgent", "enter")
        await until(pilot, lambda: app.top == "BoardScreen" and "#urgent" in text(app), "its row has the tag")
        assert read_labels(journal_of("00000000000a").parent).tags == ("urgent",)


async def test_a_run_without_a_process_of_its_own_is_listed_and_out_of_reach() -> None:
    with alive("00000000000b"):
        async with opened({"works": working()}) as (app, pilot):
            await until(pilot, lambda: listed(app) == ["works", "00000000000b"], "it is listed")
            await pilot.press("end")
            await until(
                pilot, lambda: (card := board_of(app).rows.card) and card.run_id == "00000000000b", "it is chosen"
            )
            await pilot.press("space", "delete", "insert")
            await until(pilot, lambda: "has no process of its own" in text(app), "it is said")
            assert not board_of(app)._peeking.is_open


async def test_a_run_of_another_process_is_listed_looked_at_and_interrupted() -> None:
    tape = working("reviewer")
    async with serving(tape.events) as served:
        app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, PickerScreen) and app.screen.focused, "the picker")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, BoardScreen) and listed(app) == [RUN], "it is listed")
            assert not served.server.readers
            await pilot.press("space")
            await until(pilot, lambda: served.server.readers and "Words of it." in text(app), "it is followed")
            assert RUN not in app.board.runs
            await pilot.press("delete")
            await until(pilot, lambda: served.commands == [Interrupt()], "it was sent there")
            await pilot.press("space")
            await until(pilot, lambda: not served.server.readers, "it is left")
            past = len(tape.events)
            served.tell(tape.done("interrupted").events[past:])
            await until(pilot, lambda: "interrupted" in text(app), "its row says what became of it")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and RUN in app.board.runs, "it is opened")
        served.events.close()


async def test_a_key_right_after_the_highlight_has_moved_answers_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two"))}
    async with opened(tapes) as (app, pilot):
        runs = [app.board.runs[name] for name in tapes]
        for run in runs:
            app.tell(tapes[run.run_id].ask("Bash", {"command": f"make {run.run_id}"}), run)
        await pilot.press("space")
        pane = board_of(app)._peeking.questions
        await until(pilot, lambda: pane.question is not None and pane.display, "a question is there")
        shown, question = pane.run, pane.question
        assert question is not None
        await until(pilot, lambda: pane.transcript.questions_seen.whole_since(question) is not None, "it was seen")
        app.now += 5
        monkeypatch.setattr(peeking, "SETTLED", 3600.0)
        highlighted = board_of(app).rows.card
        assert highlighted is not None
        await pilot.press("down" if highlighted.run_id == listed(app)[0] else "up", "ctrl+y")
        assert pane.run is shown, "the one that was left is shown still"
        assert [sent_to(run) for run in runs] == [[], []]
        app.now += 5
        for key in (Key("o", "o"), Key("n", "n"), Key("e", "e"), Key("ctrl+y", None)):  # in one packet
            app.post_message(key)
        await until(pilot, lambda: len(listed(app)) == 1, "they are filtered")
        assert [sent_to(run) for run in runs] == [[], []]


@pytest.mark.explore
@pytest.mark.parametrize("cut", ["ctrl+u", "ctrl+w"])
async def test_what_was_cut_in_the_filter_is_brought_back_there(cut: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cut_text, "BROUGHT_BACK_FOR", 3600.0)
    tape = working("one", BEGAN)
    async with opened({"one": tape}) as (app, pilot):
        run = app.board.runs["one"]
        app.tell(tape.ask("Bash", {"command": "make all"}), run)
        await pilot.press("space")
        pane = board_of(app)._peeking.questions
        await until(pilot, lambda: pane.question is not None and pane.display, "a question is there")
        question = pane.question
        assert question is not None
        await pilot.press(*"one", cut)
        assert board_of(app)._filter.text == ""
        await until(pilot, lambda: pane.transcript.questions_seen.whole_since(question) is not None, "it was seen")
        app.now += 5
        await pilot.press("ctrl+y")
        assert board_of(app)._filter.text == "one"
        assert sent_to(run) == []


@pytest.mark.explore
async def test_a_click_answers_the_run_that_it_hits_by_what_was_pressed_whatever_has_the_focus() -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two"))}
    async with opened(tapes) as (app, pilot):
        one, two = (app.board.runs[name] for name in tapes)
        await pilot.press("insert", "insert", "f4")
        await until(pilot, lambda: isinstance(app.screen, SideBySideScreen) and app.screen.focused, "they are shown")
        grants = ("Bash: make", "every Bash command")
        for name, run in (("one", one), ("two", two)):
            app.tell(tapes[name].ask("Bash", {"command": "make"}, grants=grants), run)
        assert isinstance(app.screen, SideBySideScreen)
        left, right = app.screen.panes
        (question,) = two.store.questions.values()
        seen = right.shown.transcript.questions_seen
        await until(pilot, lambda: left.is_current and seen.whole_since(question) is not None, "it was seen")
        app.now += 5
        called = two.store.calls.get(question.call)
        assert called is not None
        number = called.number
        right.shown.transcript._pressed = f"answer('deny', {number})"
        await right.shown.transcript.action_answer("allow_once", number)
        assert (sent_to(one), sent_to(two)) == ([], []), "that is not what was pressed"
        right.shown.transcript._pressed = f"answer('allow_once', {number})"
        assert left.is_current, "a click may be there before the focus"
        await right.shown.transcript.action_answer("allow_once", number)
        assert sent_to(one) == []
        assert [answer.decision for answer in sent_to(two)] == ["once"]


@pytest.mark.explore
async def test_rows_of_choices_stay_where_they_are_when_a_run_becomes_the_current_one() -> None:
    tapes = {name: working(name, BEGAN + number) for number, name in enumerate(("one", "two"))}
    async with opened(tapes) as (app, pilot):
        await pilot.press("insert", "insert", "f4")
        await until(pilot, lambda: isinstance(app.screen, SideBySideScreen) and app.screen.focused, "they are shown")
        grants = ("Bash: make", "Bash: make *", "every Bash command")
        two = app.board.runs["two"]
        app.tell(tapes["two"].ask("Bash", {"command": "make"}, grants=grants, rules=("Bash(make:*)",)), two)
        await until(pilot, lambda: "by a rule" in text(app), "its question is there")
        ends = [line.rstrip().endswith for line in text(app).splitlines()]
        before = [row for row, end in enumerate(ends) if end(("by a rule", "change it first", "Bash command", "make"))]
        await pilot.press("tab")
        await until(pilot, lambda: "▸ two" in text(app), "it is the current one")
        ends = [line.rstrip().endswith for line in text(app).splitlines()]
        after = [row for row, end in enumerate(ends) if end(("by a rule", "change it first", "Bash command", "make"))]
        assert before == after
