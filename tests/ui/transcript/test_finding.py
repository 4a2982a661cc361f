"""Finding text: how often it is there, where it stands, and from one place to the next."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from maverick_tui.runs.entries import Entry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.transcript.folding import Folding
from maverick_tui.ui.transcript.texts import Match, Search, folded, places
from tests.support.runs import Tape
from tests.ui.transcript.host import TranscriptApp, opened


def row(text: str, indent: int = 0) -> Row:
    return Row([Segment(text, Style())], cell_len(text), indent=indent)


def search(*texts: str) -> Search:
    return Search(lambda: [(number, text) for number, text in enumerate(texts, 1)])


def test_the_last_match_is_the_first_to_be_visited_and_it_goes_round() -> None:
    found = search("a b a", "c", "A")
    assert found.start("a") == 3
    assert [found.step(step) for step in (0, 1, 1, -1, -1)] == [
        Match(3, 0), Match(1, 0), Match(1, 1), Match(1, 0), Match(3, 0),
    ]  # fmt: skip


def test_any_of_several_words_is_found_and_of_two_that_begin_alike_the_longer_one() -> None:
    found = search("The carts and a cart", "Pear")
    assert found.start("cart carts pear", words=("cart", "carts", "pear")) == 3
    assert [found.step(step) for step in (0, 1, 1)] == [Match(2, 0), Match(1, 0), Match(1, 1)]
    assert list(places(row("The carts, a cart and a PEAR"), "cart", "carts", "pear")) == [(4, 9), (13, 17), (24, 28)]


def test_capitals_find_only_themselves() -> None:
    assert search("a A").start("A") == 1
    assert search("a A").start("a") == 2


def test_nothing_is_found_of_nothing() -> None:
    found = search("a")
    assert (found.start(""), found.step(0), found.step(1), found.total) == (0, None, None, 0)
    assert (found.start("x"), found.step(1), found.step(-1)) == (0, None, None)


def test_what_comes_later_is_found_by_the_next_step() -> None:
    texts = ["needle"]
    found = Search(lambda: list(enumerate(texts, 1)))
    found.start("needle")
    texts.append("another needle")
    assert (found.step(1), found.total) == (Match(2, 0), 2)
    texts.insert(0, "a needle above")
    assert found.step(1) == Match(3, 0), "on from where it was"
    texts.clear()
    assert (found.step(1), found.total, found.at) == (None, 0, 0)
    texts.append("needle")
    assert found.step(1) == Match(1, 0)


@given(st.text(max_size=30), st.text(min_size=1, max_size=3))
def test_what_is_compared_is_as_long_as_the_text(text: str, needle: str) -> None:
    assert len(folded(text, needle)) == len(text)


@pytest.mark.parametrize("text", ["İstanbul", "ǅ and more", "İ Straße"])
def test_letters_that_are_longer_in_small_do_not_shift_the_rest(text: str) -> None:
    last = text[-3:].lower()
    assert folded(text, last).endswith(last)


@pytest.mark.parametrize(
    ("text", "needle", "where"),
    [
        ("one two one", "one", [(0, 3), (8, 11)]),
        ("日本語 and 日本", "日本", [(0, 4), (11, 15)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("none", "x", []),
        ("One", "one", [(0, 3)]),
        ("One", "ONE", []),
        ("any", "", []),
    ],
)
def test_places_are_cells(text: str, needle: str, where: list[tuple[int, int]]) -> None:
    assert list(places(row(text), needle)) == where


def test_decoration_is_not_looked_at() -> None:
    assert list(places(row(" 12:30  12 files", indent=8), "12")) == [(8, 10)]


# -- on the screen ---------------------------------------------------------------------------------------------------


def marked(app: TranscriptApp, style: Style) -> list[tuple[int, str]]:
    """What has this look laid over it, and in which line of the transcript."""
    view = app.transcript
    return [
        (line, part.text)
        for line in range(view.page.blocks.lines)
        for part in view.page.row(line)
        if part.style is not None and part.style.bgcolor == style.bgcolor
    ]


async def test_matches_stand_out_and_the_current_one_most() -> None:
    run = Tape().connect().prompt("Find 日本").say("One 日本語, two 日本語.\n\nThree: 日本.").done()
    async with opened(run) as (app, pilot):
        palette = app.text_palette()
        assert app.transcript.find("日本") == 4
        assert [text for _, text in marked(app, palette.match)] == ["日本"] * 3
        assert marked(app, palette.current_match) == [(4, "日本")]
        await pilot.press("N")
        assert [line for line, _ in marked(app, palette.current_match)] == [2]
        await pilot.press("n", "n")
        assert [line for line, _ in marked(app, palette.current_match)] == [0]
        app.transcript.find("")
        assert marked(app, palette.match) == []


async def test_a_match_in_what_is_folded_opens_it() -> None:
    run = Tape().connect().prompt("Look").think("Hm.\nThe needle is here.")
    run.tool("Bash", {"command": "cat hay"}, "\n".join(["hay"] * 30 + ["needle"] + ["hay"] * 30)).say("Done.").done()
    async with opened(run, size=(80, 12)) as (app, _):
        thought, call = app.store.entries[1:3]
        assert app.transcript.find("needle") == 2
        assert app.transcript.page.folding.is_expanded(call)
        assert not app.transcript.page.folding.is_expanded(thought)
        assert any("needle" in row for row in app.view)
        app.transcript.action_match(-1)
        assert app.transcript.page.folding.is_expanded(thought)
        assert any("┊ The needle is here." in row for row in app.view)


async def test_a_match_that_can_be_seen_opens_nothing() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "cat needle"}, "hay").done()
    async with opened(run) as (app, _):
        assert app.transcript.find("cat") == 1
        assert not app.transcript.page.folding.is_expanded(app.store.entries[1])


async def test_text_that_is_hidden_is_not_found() -> None:
    run = Tape().connect().prompt("Look").think("A needle.").say("Done.").done()
    async with opened(run, verbosity="quiet") as (app, _):
        assert app.transcript.find("needle") == 0


async def test_a_match_far_above_is_brought_into_view() -> None:
    run = Tape().connect().prompt("the needle").say("\n\n".join(f"line {number}" for number in range(200))).done()
    async with opened(run, size=(80, 12)) as (app, _):
        app.transcript.find("needle")
        assert "the needle" in app.view[0]
        app.transcript.find("line 150")
        assert any("line 150" in row for row in app.view[1:10])


async def test_an_entry_is_shown_with_its_words_though_it_is_hidden_and_others_have_them_too() -> None:
    run = Tape().connect().prompt("The needle").think("A needle in the hay.").say("Hay.\n\n" * 40 + "Needle!").done()
    async with opened(run, size=(80, 12), verbosity="quiet") as (app, pilot):
        thought = app.store.entries[1]
        app.transcript.show_entry(thought.number, "needle hay", ("needle", "hay"))
        found = app.transcript.page.search.current
        assert found is not None
        assert found.entry == thought.number
        assert any("A needle in the hay." in row for row in app.view)
        assert [text for _, text in marked(app, app.text_palette().current_match)] == ["needle"]
        app.transcript.focus()
        await pilot.press("n")
        assert [text for _, text in marked(app, app.text_palette().current_match)] == ["hay"]
        app.transcript.show_entry(thought.number, "cow", ("cow",))
        assert any("A needle in the hay." in row for row in app.view), "what is not found moves nothing"


async def test_an_entry_near_the_end_is_shown_though_nothing_around_it_was_ever_drawn() -> None:
    run = Tape().connect()
    for number in range(60):
        run = run.prompt(f"Ask {number}").say(f"Answer {number}\n\nin\n\nmany\n\nlines").done()
    async with opened(run, size=(80, 20)) as (app, _):
        for number in (50, 10, 55):
            prompt = next(entry for entry in app.store.entries if getattr(entry, "text", "") == f"Ask {number}")
            app.transcript.restyle()
            app.transcript.show_entry(prompt.number)
            assert any(f"Ask {number}" in row for row in app.view), number
            assert not app.transcript.viewport.is_following


async def test_a_store_that_becomes_one_with_none_of_its_entries_can_be_read_and_searched_on() -> None:
    many = Tape().connect()
    for number in range(40):
        many = many.prompt(f"Ask {number}").say(f"Answer {number}").done()
    async with opened(many, size=(80, 12)) as (app, pilot):
        app.transcript.focus()
        app.transcript.find("answer")
        await pilot.press("pageup")
        other = RunStore(last_number=1_000)
        for event in Tape().connect().prompt("Else").say("Another answer.").done().events:
            other.apply(event)
        app.store.become(other)
        app.transcript.read_anew()
        assert any("Another answer." in row for row in app.view)
        assert app.transcript.find("answer.") == 1
        await pilot.press("home", "n")
        assert any("Another answer." in row for row in app.view)


async def test_what_a_store_is_to_become_is_got_ready_before_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.ui.transcript.view.BUDGET", 0.0)
    many = Tape().connect()
    for number in range(40):
        many = many.prompt(f"Ask {number}").say(f"Answer {number}").done()
    whole = RunStore(last_number=1_000)
    for event in many.events:
        whole.apply(event)
    async with opened(Tape().connect().prompt("Ask 39").say("Answer 39").done(), size=(80, 12)) as (app, _):
        whole.renumber(app.store.entries[-1].number - whole.entries[-1].number)
        guessed: list[int] = []
        guess = app.transcript.page._guess

        def counted(entry: Entry, folding: Folding | None = None) -> int:
            guessed.append(entry.number)
            return guess(entry, folding)

        monkeypatch.setattr(app.transcript.page, "_guess", counted)
        preparing = asyncio.create_task(app.transcript.prepare(whole))
        await asyncio.sleep(0)
        assert len(guessed) == 1, "others have their turn after each"
        await preparing
        app.store.become(whole)
        app.transcript.read_anew()
        assert len(guessed) == len(whole.entries), "nothing is guessed twice"
        assert any("Answer 39" in row for row in app.view)
        lines = app.transcript.page.blocks.lines
        app.transcript.restyle()
        assert app.transcript.page.blocks.lines == lines
