"""The small parts of a transcript: what has been seen, words, what is folded, what an entry says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, cast

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs.entries import Entry
from maverick_tui.ui.preferences import VERBOSITIES, Verbosity
from maverick_tui.ui.transcript.blocks import Block, Blocks
from maverick_tui.ui.transcript.folding import Folding
from maverick_tui.ui.transcript.seen import QuestionsSeen, SeenLines
from maverick_tui.ui.transcript.texts import answer_of_turn, source, word_at
from tests.runs.story import ask, asked, call, end, text, told
from tests.support.cases import each
from tests.support.runs import STREAM_BROKE, Tape

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.row import Row

# -- what has been seen ----------------------------------------------------------------------------------------------


def seen_of(*heights: int) -> tuple[Blocks, SeenLines]:
    blocks = Blocks()
    for number, height in enumerate(heights, 1):
        blocks.append(Block(Entry(number, 0.0, 1), height))
    return blocks, SeenLines(blocks)


def test_at_first_everything_is_new() -> None:
    _, seen = seen_of(3, 4)
    assert (seen.lines, seen.unseen, seen.share) == (0, 7, 1.0)
    seen.look(0)
    assert seen.unseen == 7


def test_what_comes_below_is_new_and_what_comes_above_is_not() -> None:
    blocks, seen = seen_of(3, 4)
    seen.look(7)
    blocks.set_height(1, 6)
    assert seen.unseen == 2, "the last block has grown"
    blocks.set_height(0, 30)
    assert seen.unseen == 2
    blocks.append(Block(Entry(3, 0.0, 1), 5))
    assert seen.unseen == 7
    seen.look(35)
    assert seen.unseen == 6
    seen.look(2)
    assert seen.unseen == 6, "who scrolls back has not forgotten"


def test_the_same_share_of_a_block_stays_seen_however_it_is_drawn() -> None:
    blocks, seen = seen_of(3, 4)
    seen.look(5)
    share = seen.share
    blocks.set_height(1, 8)
    seen.keep_share(share)
    assert (share, seen.unseen) == (0.5, 4)


def test_what_is_seen_stays_seen_when_a_guessed_height_turns_out_otherwise() -> None:
    blocks, seen = seen_of(3, 4)
    seen.look(7)
    share, blocks[1].is_measured = seen.share, False
    blocks.set_height(1, 2)
    seen.keep_share(share)
    assert (seen.unseen, seen.share) == (0, 1.0)
    blocks.set_height(1, 6)
    blocks[1].is_measured = True
    assert seen.unseen == 0
    blocks.set_height(1, 8)
    assert seen.unseen == 2, "what comes after that is new"


# -- words -------------------------------------------------------------------------------------------------------------


@each(
    ("cell", "word"),
    [(0, "see"), (2, "see"), (3, ""), (5, "shop/cart.py:12"), (21, ""), (23, "日本語"), (24, "日本語"), (99, "")],
)
def test_a_word_is_a_path_or_a_name_without_what_stands_around_it(cell: int, word: str) -> None:
    line = "see (shop/cart.py:12) 日本語"
    start, stop = word_at(line, cell)
    assert line[start:stop] == word


# -- folding -----------------------------------------------------------------------------------------------------------


def test_what_each_verbosity_shows() -> None:
    store = asked(
        *text(1, "Hm.", kind="thinking"),
        call("Bash", {"command": "ls"}, id="c1"),
        call("Agent", id="c2"),
        *text(2, "inside", parent="c2"),
        *text(3, " "),
        call("TodoWrite", id="c3"),
    )
    shows = {
        verbosity: [
            ("hidden" if folding.is_hidden(entry) else "open" if folding.is_expanded(entry) else "closed")
            for entry in store.entries[1:]
        ]
        for verbosity in VERBOSITIES
        for folding in [Folding(store, verbosity)]
    }
    assert shows == {
        "quiet": ["hidden", "closed", "closed", "hidden", "hidden", "closed"],
        "normal": ["closed", "closed", "closed", "closed", "hidden", "closed"],
        "full": ["open", "open", "open", "open", "hidden", "open"],
    }


@pytest.mark.parametrize(("lines", "is_shown"), [(3, True), (60, False)])
def test_a_small_change_is_shown_without_being_asked_for(lines: int, is_shown: bool) -> None:
    change = {"file_path": "a", "old_string": "x", "new_string": "\n" * lines}
    store = asked(call("Edit", change), ev.ToolFinished(4, "c1", "ok"))
    assert Folding(store, "normal").is_expanded(store.entries[1]) == is_shown
    assert not Folding(store, "quiet").is_expanded(store.entries[1])


def test_the_person_has_the_last_word_until_the_verbosity_changes() -> None:
    store = asked(call("Agent", id="c1"), *text(1, "inside", parent="c1"))
    folding = Folding(store, "normal")
    agent, inside = store.entries[1:]
    assert folding.toggle(agent)
    assert folding.is_expanded(agent)
    assert not folding.is_hidden(inside)
    assert folding.toggle(agent)
    assert folding.is_hidden(inside)
    folding.set_verbosity("full")
    assert not folding.is_hidden(inside)
    assert not folding.toggle(inside), "text has nothing to fold"


@pytest.mark.parametrize("verbosity", VERBOSITIES)
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_question_inside_a_subagent_is_never_hidden(verbosity: Verbosity, is_closed: bool) -> None:
    store = asked(call("Agent", id="a"), call("Bash", id="b", parent="a"))
    folding = Folding(store, verbosity)
    agent, inside = store.entries[1:]
    if is_closed:
        while folding.toggle(agent) and not folding.is_hidden(inside):
            pass
        assert folding.is_hidden(inside)
    store.apply(ask("b"))
    assert not folding.is_hidden(inside)
    store.apply(ev.PermissionSettled(5, "q1", "b", "once"))
    assert folding.is_hidden(inside) == (is_closed or verbosity == "quiet")


def test_a_circle_of_calls_is_not_followed_for_ever() -> None:
    store = asked(call("Agent", id="a", parent="b"), call("Agent", id="b", parent="a"))
    folding = Folding(store, "normal")
    assert [folding.is_hidden(entry) for entry in store.entries] == [False, False, False]


# -- what an entry says -----------------------------------------------------------------------------------------------


def test_what_is_copied_of_each_kind_of_entry() -> None:
    tape = Tape().connect().prompt("Look").think("Hm.").say("Yes.")
    tape.tool("Bash", {"command": "ls\x1b[2J"}, "a\nb").tool("Read", {"file_path": "x"}, "")
    tape.put(ev.Noticed(tape.at, "compacted", "Compacted.")).done("failed", failure=STREAM_BROKE)
    copied = [source(entry) for entry in told(*tape.events).entries]
    assert copied[:3] == ["Look", "Hm.", "Yes."]
    assert copied[3] == "Bash\nls␛[2J\n\na\nb"
    assert copied[4] == 'Read\n{\n  "file_path": "x"\n}'
    assert copied[5] == "Compacted."
    assert copied[6].startswith("The stream broke after 24 messages")
    assert copied[7] == ""


def test_what_was_said_in_one_turn() -> None:
    store = asked(*text(1, "one"), *text(2, "two"), *text(3, " "), *text(4, "hm", kind="thinking"), end())
    for event in (ev.TurnStarted(10, 2, "Again"), *text(5, "three")):
        store.apply(event)
    assert answer_of_turn(store, 1) == ["one", "two"]
    assert answer_of_turn(store, 2) == ["three"]
    assert answer_of_turn(store, 3) == []


# -- which questions have been on the screen --------------------------------------------------------------------------


def test_rows_of_a_question_that_was_read_anew_count_with_those_of_before() -> None:
    """As of a run that was left, and is followed anew: its question is the same, and another object."""
    question, rows, drawn = (
        ev.PermissionAsked(1, "r", "c", "Bash", {}),
        [object(), object()],
        list[Callable[[], None]](),
    )
    seen = QuestionsSeen(lambda: 5.0, drawn.append)
    seen.look(question, cast("list[Row]", rows), [0], 0)
    seen.look(replace(question), cast("list[Row]", rows), [1], 0)
    assert seen.whole_since(question) == inf, "it is on its way to the terminal"
    for act in drawn:
        act()
    assert seen.whole_since(question) == 5.0
