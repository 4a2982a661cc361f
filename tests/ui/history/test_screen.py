"""The history as somebody uses it: every key, every click, and what comes of runs that are changed."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual.strip import Strip

from maverick_tui.history.filters import Filter
from maverick_tui.history.index import RunIndex
from maverick_tui.history.labels import name_run, tag_run
from maverick_tui.journal.folders import hold, journal_of
from maverick_tui.runs.commands import NameRun
from maverick_tui.runs.status import StatusText
from maverick_tui.ui.dialogs.short_questions import NameScreen
from maverick_tui.ui.history import pane, questions
from maverick_tui.ui.history.pane import NO_MATCH
from maverick_tui.ui.history.questions import Looking
from maverick_tui.ui.history.rows import Row, run_of
from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.lines import LineView
from tests.history.kept import AT, begun, keep, keep_run, lines, turn
from tests.history.sessions.stored import ID, plain
from tests.support.sampling import sampled
from tests.ui.history.host import BROAD, NARROW, Host, keep_some, opened
from tests.ui.waiting import until


@contextmanager
def alive(run_id: str) -> Iterator[None]:
    """A run that has not ended, and that some process holds."""
    keep(run_id, [*begun(run_id, AT - 500), *turn(at=AT - 500, prompt="Alive")])
    descriptor = os.open(journal_of(run_id), os.O_RDWR)
    try:
        hold(descriptor)
        yield
    finally:
        os.close(descriptor)


def is_on_screen(app: Host, words: str) -> bool:
    return words in app.text


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for changes without a pause."""
    monkeypatch.setattr(pane, "TICK", 0.02)
    monkeypatch.setattr(pane, "REFRESH_EVERY", 0.02)
    monkeypatch.setattr(pane, "_AT_LEISURE", 0)


def highlighted(app: Host) -> str:
    run = run_of(app.row_list.row)
    return run.title if run is not None else ""


# -- what is listed ---------------------------------------------------------------------------------------------------


async def test_an_empty_history_says_what_will_be_here() -> None:
    async with opened() as (app, pilot):
        assert "Nothing is here yet." in app.text
        assert "Every run is kept" in app.text
        await pilot.press("enter", "down", "delete", "f2", "ctrl+t", "ctrl+s", "end")
        assert app.asked == []
        await pilot.press("tab", "tab")
        await until(pilot, lambda: "Every run is kept" in app.totals, "the totals say so, too")


async def test_runs_are_listed_by_day_newest_first_and_live_ones_on_top() -> None:
    keep_some()
    keep_run("00000000000a", AT - 3 * 86_400, prompt="Before the weekend")
    with alive("00000000000b"):
        async with opened(BROAD) as (app, pilot):
            assert app.titles == [
                "Alive", "Prompt 2 of tester", "Prompt 1 of explorer", "Prompt 0 of reviewer", "Before the weekend",
            ]  # fmt: skip
            assert [heading.split()[0] for heading in app.headings] == ["LIVE", "TODAY", "FRIDAY"]
            assert highlighted(app) == "Alive"
            await until(pilot, lambda: "TODAY  3 runs  $0.750" in app.text and "5 runs · $1.25" in app.text, "sums")


FILTERS = {
    "explorer": ["Prompt 1 of explorer"],
    "agent:rev": ["Prompt 0 of reviewer", "Went wrong"],
    "state:failed": ["Went wrong"],
    "tag:urgent": ["Prompt 2 of tester"],
    "since:2h prompt": ["Prompt 2 of tester", "Prompt 1 of explorer", "Prompt 0 of reviewer"],
    "nothing like it": [],
}


async def test_typing_filters() -> None:
    ids = keep_some()
    tag_run(ids[2], ["urgent"])
    keep_run("00000000000a", AT - 86_400, prompt="Went wrong", outcome="failed")
    async with opened() as (app, pilot):
        for typed, titles in FILTERS.items():
            await pilot.press(*typed)
            await until(pilot, partial(is_listed, app, titles), f"only what matches {typed} is listed and counted")
            assert ("No run matches." in app.text) == (not titles), typed
            await pilot.press("escape")
            await until(pilot, lambda: len(app.titles) == 4, f"Escape clears the filter {typed}")
        assert app.asked == []


def is_listed(app: Host, titles: list[str]) -> bool:
    return app.titles == titles and f"{len(titles)} of 4" in app.text


@pytest.mark.explore
async def test_half_a_word_is_no_mistake_yet_and_leaves_the_list_as_it_is() -> None:
    keep_some()
    async with opened() as (app, pilot):
        await pilot.press(*"state:fai")
        await until(pilot, lambda: "'fai' is not a state of runs." in app.notice, "it is told")
        assert len(app.titles) == 3
        await pilot.press("down")
        await until(pilot, lambda: highlighted(app).startswith("Prompt 1"), "one moves on")
        assert app.pane.filter.count == "'fai' is not a state of runs.", "it is not listed by that"
        await pilot.press(*"led")
        await until(pilot, lambda: not app.titles and not app.notice, "nothing has failed")
        await pilot.press("ctrl+u", *"stat:done")
        await until(pilot, lambda: "'stat' is no filter" in app.text, "a filter that there is not is said")


async def test_what_is_on_its_way_when_half_a_word_is_typed_is_shown_where_nothing_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_some()
    go, asked, ask_runs = threading.Event(), threading.Event(), questions.ask_runs

    def slowly(index: RunIndex, wanted: Filter, order_by: str, least: int) -> object:
        if not wanted.words:
            asked.set()
            go.wait(30)
        yield from ask_runs(index, wanted, order_by, least)

    async with opened() as (app, pilot):
        await pilot.press(*"state")
        await until(pilot, lambda: NO_MATCH.split(".")[0] in app.text, "it is a word")
        monkeypatch.setattr(questions, "ask_runs", slowly)
        await pilot.press(":")
        await until(pilot, asked.is_set, "all are asked for, and the index is busy")
        await pilot.press(*"fai")
        await until(pilot, lambda: "'fai' is not a state of runs." in app.notice, "it is told")
        assert not app.titles
        go.set()
        await until(pilot, lambda: len(app.titles) == 3, "better than nothing")
        assert app.pane.filter.count == "'fai' is not a state of runs."


async def test_sorting_goes_through_all_orders() -> None:
    keep_some()
    keep("00000000000a", [*begun("00000000000a", AT - 900), *turn(1, "Dear", at=AT - 900), *turn(2, at=AT - 800)])
    async with opened() as (app, pilot):
        firsts = []
        for word in ("4 runs", "by cost", "by duration", "by agent"):
            await until(pilot, lambda: word in app.pane.filter.count, word)  # noqa: B023
            firsts.append(app.titles[0])
            await pilot.press("ctrl+s")
        assert firsts == ["Prompt 2 of tester", "Dear", "Dear", "Prompt 1 of explorer"]


@pytest.mark.explore
async def test_an_answer_to_an_older_question_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_some()
    go, asked, ask_runs = threading.Event(), threading.Event(), questions.ask_runs

    def slowly(index: RunIndex, wanted: Filter, order_by: str, least: int) -> object:
        if wanted.words == ("explorer",):
            asked.set()
            go.wait(30)
        yield from ask_runs(index, wanted, order_by, least)

    async with opened() as (app, pilot):
        seen: list[list[str]] = []
        show = app.row_list.show

        def watched(rows: Sequence[Row], key: str = "") -> None:
            show(rows, key)
            seen.append(app.titles)

        monkeypatch.setattr(questions, "ask_runs", slowly)
        monkeypatch.setattr(app.row_list, "show", watched)
        await pilot.press(*"explorer")
        await until(pilot, asked.is_set, "the index is busy")
        seen.clear()
        await pilot.press(*" tester", "backspace")
        await until(pilot, lambda: app.pane.filter.text == "explorer teste", "typing does not wait")
        go.set()
        await until(pilot, lambda: "0 of 3" in app.text, "the last question is answered")
        assert ["Prompt 1 of explorer"] not in seen


@pytest.mark.explore
async def test_thousands_of_runs_come_in_parts_and_only_what_is_in_view_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(questions, "FIRST", 10)
    monkeypatch.setattr(questions, "_MORE", 25)
    keep_some(80)
    async with opened() as (app, pilot):
        await until(pilot, lambda: len(app.titles) == 80, "all of them are listed")
        drawn: list[int] = []
        draw = app.row_list.draw_line

        def watched(index: int, width: int) -> Strip:
            drawn.append(index)
            return draw(index, width)

        monkeypatch.setattr(app.row_list, "draw_line", watched)
        await pilot.press("end")
        await until(pilot, lambda: highlighted(app) == "Prompt 0 of reviewer", "the last one is highlighted")
        await until(pilot, lambda: "Prompt 0 of reviewer" in app.text, "it is in view")
        assert len(set(drawn)) <= 2 * app.row_list.page, "the first page and the last"


async def test_what_cannot_be_read_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch, soon: None) -> None:
    keep_some()
    with monkeypatch.context() as patch:
        patch.setattr("maverick_tui.history.updating.kept_journals", _unreadable)
        app = Host(Looking())
        async with app.run_test() as pilot:
            await until(pilot, lambda: "cannot be read" in app.notice, "it is told")
            assert "✘ The runs in" in app.text
            patch.undo()
            await pilot.press("ctrl+r", "p")
            await until(pilot, lambda: len(app.titles) == 3, "the next question is answered")


def _unreadable() -> Iterator[object]:
    raise PermissionError(13, "no \x1b[2J way")


async def test_runs_that_come_and_end_meanwhile_are_seen(soon: None) -> None:
    keep_some(1)
    async with opened() as (app, pilot):
        with alive("00000000000b"):
            await until(pilot, lambda: "Alive" in app.titles, "a new run is listed")
            await until(pilot, lambda: "LIVE  1 run" in app.text, "as one that lives")
        await until(pilot, lambda: "LIVE" not in app.text, "its process is gone")
        assert highlighted(app) == "Prompt 0 of reviewer", "what is highlighted stays so"


# -- the preview ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_the_preview_tells_what_the_run_was(size: tuple[int, int]) -> None:
    ids = keep_some()
    tag_run(ids[2], ["urgent"])
    async with opened(size) as (app, pilot):
        for words in (
            "Prompt 2 of tester",
            "done",
            "$0.25",
            "tester",
            "sonnet",
            "/shop",
            "main",
            "#urgent",
            "Answer 2",
        ):
            await until(pilot, lambda: words in app.preview, words)  # noqa: B023
        assert f"maverick runs export {ids[2]}" in app.preview
        await pilot.press("down")
        await until(pilot, lambda: "Answer 1" in app.preview, "it follows the highlight")
        await pilot.press("shift+down")
        preview = app.history.query_one("#preview", LineView)
        await until(pilot, lambda: preview.top == (size == NARROW), "where there is more than fits, it is scrolled")


async def test_without_room_there_is_no_preview() -> None:
    keep_some()
    async with opened((60, 16)) as (app, pilot):
        await until(pilot, lambda: "Prompt 2" in app.text and app.preview, "all is known")
        assert "Answer" not in app.text


async def test_nothing_in_it_steers_the_terminal() -> None:
    evil = "\x1b]0;owned\x07[bold]\u202e<b>\nsecond"
    keep_run("00000000000a", AT, prompt=evil, answer=evil, agent=evil, branch=evil, cwd=f"/{evil}")
    async with opened(BROAD) as (app, pilot):
        await until(pilot, lambda: "SAID LAST" in app.preview, "the preview is there")
        for keys, seen in (((), "SAID LAST"), (("tab", *"owned"), "1 run"), (("tab",), "AGENTS")):
            await pilot.press(*keys)
            await until(pilot, partial(is_on_screen, app, seen), f"{seen} is on the screen")
            assert not {"\x1b", "\x07", "\u202e"}.intersection(app.text), seen


# -- searching --------------------------------------------------------------------------------------------------------


async def test_everything_that_was_said_is_searched_and_opened_at_its_place() -> None:
    keep_run("00000000000a", AT, prompt="Look at the cart", answer="The cart rounds a cent away.")
    keep_run("00000000000b", AT + 9, prompt="Hello", answer="Nothing to see.")
    async with opened() as (app, pilot):
        await pilot.press("tab")
        await until(pilot, lambda: "Type what was said or done" in app.text, "it says what can be searched")
        await pilot.press(*"round cen")
        await until(pilot, lambda: "Nothing was found." in app.text, "all words have to be there")
        await pilot.press("escape", *"rounds agent:rev")
        await until(pilot, lambda: app.snippets, "it is found")
        assert app.snippets == ["The cart |rounds| a cent away."]
        await until(pilot, lambda: "1 place in 1 run" in app.text, "they are counted")
        assert "reviewer  Look at the cart" in app.headings[0]
        await until(pilot, lambda: "Look at the cart" in app.preview, "its run is told of")
        await pilot.press("enter")
        await until(pilot, lambda: app.asked, "it is chosen")
        (chosen,) = app.asked
        assert isinstance(chosen, HistoryScreen.RunChosen)
        assert (chosen.run_id, chosen.words) == ("00000000000a", ("rounds",))
        (hit,) = RunIndex().search(Filter(words=("rounds",)))
        assert chosen.number == hit.number
        await pilot.press("shift+tab")
        await until(pilot, lambda: app.row_list.notice.startswith("No run"), "in the list the same text is a filter")


async def test_places_of_one_run_are_together() -> None:
    for number in (1, 2):
        run_id = f"00000000000{number}"
        keep(run_id, [*begun(run_id), *turn(1, "cart one", "cart two"), *turn(2, "cart three", "no")])
    async with opened(looking=Looking("search", "cart")) as (app, pilot):
        await until(pilot, lambda: len(app.snippets) == 6, "all places are found")
        runs = [run.run_id for row in app.row_list.rows if (run := run_of(row)) is not None]
        assert runs in (sorted(runs), sorted(runs, reverse=True))
        assert len(app.headings) == 2


# -- totals -----------------------------------------------------------------------------------------------------------


async def test_the_totals_follow_the_filter_and_the_chosen_figure() -> None:
    keep_some()
    async with opened(looking=Looking("totals")) as (app, pilot):
        await until(pilot, lambda: "$0.75" in app.totals, "they are added up")
        assert "AGENTS" in app.totals
        assert "MODELS" in app.totals
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "by tokens" in app.text, "the next figure")
        await until(pilot, lambda: "all 45" in app.totals, "tokens are added up")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "all 3" in app.totals, "runs are added up")
        await pilot.press("ctrl+s", *"agent:exp")
        await until(pilot, lambda: "all $0.250" in app.totals, "of one agent")
        assert "reviewer" not in app.totals
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: "1 run" in app.totals, "it is laid out anew")


# -- keys, mouse, and the way back ------------------------------------------------------------------------------------


async def test_moving_and_choosing_by_key_and_by_mouse() -> None:
    ids = keep_some(40)
    async with opened() as (app, pilot):
        await pilot.press("down", "down", "up", "pagedown", "home", "down", "enter")
        await until(pilot, lambda: app.asked, "it is chosen")
        assert [event.run_id for event in app.asked] == [ids[-2]]  # type: ignore[attr-defined]
        lines = app.text.splitlines()
        y = next(at for at, line in enumerate(lines) if "Prompt 35" in line)
        await pilot.click(offset=(20, y))
        await until(pilot, lambda: highlighted(app) == "Prompt 35 of tester", "it is highlighted")
        assert len(app.asked) == 1, "one click only highlights"
        await pilot.click(offset=(20, y), times=2)
        await until(pilot, lambda: len(app.asked) == 2, "two clicks open")
        top = app.row_list.top
        await pilot._post_mouse_events([_wheel()], app.row_list)
        await until(pilot, lambda: app.row_list.top > top, "the wheel scrolls")
        await pilot.click(offset=(lines[0].index("Totals"), 0))
        await until(pilot, lambda: app.totals, "a click on a view shows it")


def _wheel() -> type:
    from textual.events import MouseScrollDown

    return MouseScrollDown


async def test_what_was_looked_at_is_there_again() -> None:
    keep_some()
    looking = Looking()
    async with opened(looking=looking) as (app, pilot):
        await pilot.press("ctrl+s", *"prompt")
        await until(pilot, lambda: "3 of 3" in app.text, "it is filtered")
        await pilot.press("down")
        await pilot.press("f3")
        await until(pilot, lambda: app.asked, "it goes back at once")
    async with opened(looking=looking) as (app, pilot):
        await until(pilot, lambda: "3 of 3" in app.text, "the same filter")
        assert "by cost" in app.text
        assert highlighted(app) == "Prompt 1 of explorer"


# -- names, tags, deleting --------------------------------------------------------------------------------------------


async def test_a_run_is_named_and_tagged(soon: None) -> None:
    ids = keep_some()
    async with opened() as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "the question is there")
        await pilot.press(*"The cent", "enter")
        await until(pilot, lambda: "The cent" in app.titles, "it is called so")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "the question is there")
        await pilot.press(*"#urgent, api", "enter")
        await until(pilot, lambda: "#api #urgent" in app.text, "it has these tags")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "the question is there")
        await pilot.press("ctrl+u", *("x" * 41), "enter")
        await until(pilot, lambda: "cannot be a tag" in app.notice, "why it cannot be")
    assert RunIndex().run(ids[2]).tags == ("api", "urgent")


async def test_a_change_is_shown_that_was_found_while_another_look_was_wanted(
    soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = keep_some()
    has_found, may_tell, ticks = threading.Event(), threading.Event(), []
    look = questions.ask_refresh

    def held_up(index: RunIndex) -> Iterator[questions.Refreshed]:
        found = [*look(index)]
        if found[0].changed:
            has_found.set()
            may_tell.wait(60)
        yield from found

    async with opened() as (app, pilot):
        monkeypatch.setattr(questions, "ask_refresh", held_up)
        monkeypatch.setattr(app.row_list, "refresh_live", lambda: ticks.append(1))
        name_run(ids[2], "The cent")
        await until(pilot, has_found.is_set, "it is found")
        app.pane.refresh_soon()
        count = len(ticks)
        await until(pilot, lambda: len(ticks) > count + 1, "there was time to look once more")
        may_tell.set()
        await until(pilot, lambda: "The cent" in app.titles, "it is shown")


async def test_a_run_that_lives_here_is_told_its_name_itself() -> None:
    with alive("00000000000b"):
        async with opened() as (app, pilot):
            app.open_here("00000000000b")
            await pilot.press("f2")
            await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "it is asked")
            await pilot.press(*"The cent", "enter")
            run = app.board.runs["00000000000b"]
            await until(pilot, lambda: run._early == [NameRun("The cent")], "it is told")
    assert not (journal_of("00000000000b").parent / "labels.json").exists()


async def test_a_run_that_is_only_read_here_is_told_its_name_as_well() -> None:
    keep_run("00000000000b")
    async with opened() as (app, pilot):
        app.open_here("00000000000b")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, NameScreen) and app.screen.focused, "it is asked")
        await pilot.press(*"The cent", "enter")
        await until(pilot, lambda: app.board.runs["00000000000b"]._early == [NameRun("The cent")], "it is told")


async def test_what_is_deleted_goes_when_one_leaves_and_not_before() -> None:
    ids = keep_some()
    async with opened() as (app, pilot):
        await pilot.press("delete", "delete")
        await until(pilot, lambda: "2 runs will be deleted when you leave." in app.notice, "it is told")
        assert len(app.titles) == 3, "one sees what is to go"
        assert highlighted(app) == "Prompt 0 of reviewer"
        await pilot.press("ctrl+underscore")
        await until(pilot, lambda: "1 run will be deleted" in app.notice, "one comes back")
        await pilot.press("home", "enter")
        await until(pilot, lambda: "It is deleted when you leave" in app.notice, "it is not opened")
        assert app.asked == []
        assert all(journal_of(run_id).exists() for run_id in ids)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not app.history.is_attached, "it was left")
    assert [journal_of(run_id).exists() for run_id in ids] == [True, True, False]
    assert RunIndex().count() == 2


async def test_where_the_terminal_is_lost_nobody_has_left() -> None:
    (run_id, *_) = keep_some()
    async with opened() as (app, pilot):
        await pilot.press("end", "delete")
        await until(pilot, lambda: "1 run will be deleted" in app.notice, "it is marked")
        app.exit(129)  # type: ignore[arg-type]
    assert journal_of(run_id).exists()


async def test_whoever_quits_has_left_too_and_what_was_taken_back_stays() -> None:
    ids = keep_some()
    async with opened() as (_, pilot):
        await pilot.press("delete", "down", "delete", "end", "delete")
    assert [journal_of(run_id).exists() for run_id in ids] == [True, True, False]


async def test_a_run_that_lives_or_is_open_is_not_deleted() -> None:
    ids = keep_some(2)
    with alive("00000000000b"):
        async with opened() as (app, pilot):
            await pilot.press("delete")
            await until(pilot, lambda: "is at work in another process" in app.notice, "why not")
            app.open_here(ids[1])
            await pilot.press("down", "delete")
            await until(pilot, lambda: "is open here" in app.notice, "why not")
            await pilot.press("down", "delete")
            await until(pilot, lambda: "1 run will be deleted" in app.notice, "this one may go")
            app.open_here(ids[0])  # somebody opens it after all
        assert journal_of("00000000000b").exists()
    assert all(journal_of(run_id).exists() for run_id in ids)


async def test_a_run_that_has_gone_on_since_it_was_marked_stays() -> None:
    ids = keep_some(2)
    async with opened() as (app, pilot):
        await pilot.press("delete", "delete")
        await until(pilot, lambda: "2 runs will be deleted" in app.notice, "both are marked")
        with journal_of(ids[0]).open("ab") as journal:
            journal.write(lines(turn(2, "Words that matter")))
        await pilot.press("f3")
        await until(pilot, lambda: app._notifications, "it is told")
        (notice,) = app._notifications
        assert notice.message == "Prompt 0 of reviewer was kept: it has gone on since it was listed."
    assert [journal_of(run_id).exists() for run_id in ids] == [True, False]


async def test_what_cannot_be_deleted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    (run_id,) = keep_some(1)

    def refuse(_run_id: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("maverick_tui.ui.history.deleting.delete_run", refuse)
    async with opened() as (app, pilot):
        await pilot.press("delete", "f3")
        await until(pilot, lambda: app._notifications, "it is told")
        (notice,) = app._notifications
        assert notice.message == "Prompt 0 of reviewer cannot be deleted: Permission denied."
    assert Path(journal_of(run_id)).exists()


async def test_one_that_turns_out_to_be_a_session_keeps_no_other_from_going() -> None:
    ids = keep_some(2)
    keep_run(ID, AT - 15, prompt="Gone on with")
    plain().write()
    async with opened() as (app, pilot):
        await pilot.press("delete", "delete", "delete")
        await until(pilot, lambda: "3 runs will be deleted" in app.notice, "all are marked")
        shutil.rmtree(journal_of(ID).parent)
        await pilot.press("f3")
        await until(pilot, lambda: app._notifications, "it is told")
        (notice,) = app._notifications
        assert "it is a session of Claude Code" in notice.message
    assert not any(journal_of(run_id).exists() for run_id in ids)


async def test_to_open_another_run_deletes_nothing_yet() -> None:
    ids, looking = keep_some(), Looking()
    async with opened(looking=looking) as (app, pilot):
        await pilot.press("delete", "enter")
        await until(pilot, lambda: app.asked, "another run is opened")
        await app.pop_screen()
        await until(pilot, lambda: app._notifications, "it is told")
        assert [one.message for one in app._notifications] == ["1 run will be deleted when you leave the history."]
    assert all(journal_of(run_id).exists() for run_id in ids)
    async with opened(looking=looking) as (app, pilot):
        await until(pilot, lambda: "1 run will be deleted" in app.notice, "it is told again")
        await pilot.press("f3")
        await until(pilot, lambda: not app.history.is_attached, "it was left")
    assert [journal_of(run_id).exists() for run_id in ids] == [True, True, False]


async def test_keys_of_the_line_clear_it_and_a_key_with_a_modifier_is_no_text() -> None:
    async with opened() as (app, pilot):
        assert app.history.check_action("replay", ()) is False, "there is nothing to play"
        app.pane.filter.post_message(events.Key("alt+p", "p"))
        await pilot.press("x", "y")
        await until(pilot, lambda: app.pane.filter.text == "xy", "only what was typed")
        await until(pilot, lambda: NO_MATCH in app.text, "a filter is set")
        await pilot.press("ctrl+u")
        await until(pilot, lambda: not app.pane.filter.text and "Nothing is here yet" in app.text, "it is clear")
        assert "╰" in app.text.splitlines()[-2], "nothing is left empty below"


async def test_what_a_run_does_here_is_told_alike_in_its_row_and_in_its_preview() -> None:
    with alive("00000000000b"):
        app = Host(Looking(), lambda _: StatusText("✔", "done", "", "good"))
        async with app.run_test(size=NARROW) as pilot:
            await until(pilot, lambda: "✔ done" in app.preview, "the preview says so")
            assert "running" not in app.text
            assert "LIVE  1 run  $0.250" in app.text
            assert "~" not in app.text, "all its turns have a bill"


@pytest.mark.parametrize(("size", "rows"), [((40, 10), 3), ((20, 6), 2)])
async def test_on_a_small_screen_runs_can_still_be_told_apart(size: tuple[int, int], rows: int) -> None:
    keep_some()
    async with opened(size) as (app, _):
        seen = [line for line in app.text.splitlines() if "Prompt" in line]
        assert len(seen) == rows, app.text
        assert len(set(seen)) == rows, app.text
