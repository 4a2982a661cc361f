"""The benchmark's own eyes: what it takes for visible, for echoed and for sent."""

from __future__ import annotations

import math
import re

import pytest

from maverick_tui.events.kinds import BlockGrew
from maverick_tui.offline.player import read_prompt
from maverick_tui.offline.script import Answer, Pace, TextStep
from maverick_tui.offline.stream import prepare
from maverick_tui.runs.entries import TextEntry
from maverick_tui.runs.store import RunStore
from tests.bench.terminal import corpus, scenes
from tests.bench.terminal.benchmarks import against
from tests.bench.terminal.preload import DELTAS_PER_TURN, history, stream
from tests.bench.terminal.programs import bare
from tests.bench.terminal.rounds import medians
from tests.bench.terminal.screen import Echoes, Key, Shown, Terminal, replay
from tests.support.cases import each

PROMPT = re.compile(r"^> ?(.*)$")


def rows(*pieces: bytes) -> list[str]:
    terminal = Terminal(20, 4)
    for piece in pieces:
        terminal.feed(piece)
    return terminal.rows


def test_a_sequence_may_come_in_pieces() -> None:
    assert rows(b"\x1b[2;", b"3Hab\xe2", b"\x94\x82\x1b", b"[1;1Hc")[:2] == ["c", "  ab│"]


@each(
    "unseen",
    [
        *(b"\x1b[>1u", b"\x1b[<u", b"\x1b[>4;2m", b"\x1b[4:3m", b"\x1b[2 q", b"\x1b[?6n", b"\x1b[?2026$p"),
        *(b"\x1b_Ga=q;AAAA\x1b\\", b"\x1bP+q544e\x1b\\", b"\x1b]8;;http://x\x1b\\", b"\x1b]0;title\x07"),
    ],
)
def test_what_is_not_text_leaves_no_text(unseen: bytes) -> None:
    assert rows(b"a" + unseen + b"b")[0] == "ab"
    assert rows(b"a" + unseen[:3], unseen[3:] + b"b")[0] == "ab"


def test_regions_scroll_without_the_rest() -> None:
    drawn = b"\x1b[1;1Hone\x1b[2;1Htwo\x1b[3;1Hthree\x1b[4;1Hfour"
    assert rows(drawn, b"\x1b[1;3r\x1b[1S\x1b[r") == ["two", "three", "", "four"]
    assert rows(drawn, b"\x1b[2;4r\x1b[2T\x1b[r") == ["one", "", "", "two"]


def test_what_is_inside_an_update_is_seen_at_its_end() -> None:
    shown = Shown([re.compile("abc")])
    replay([(1.0, b"\x1b[?2026hab"), (2.0, b"c"), (3.0, b"\x1b[?2026l")], shown)
    assert shown.moment == 3.0


def test_keys_are_echoed_one_by_one_or_together() -> None:
    keys = [Key(1.0, "x"), Key(2.0, "xy"), Key(2.1, "xyz"), Key(9.0, "xyzz")]
    echoes = Echoes(PROMPT, keys)
    replay([(0.5, b"\x1b[3;1H> "), (1.25, b"x"), (1.5, b"\x1b[1;1H> x"), (2.5, b"\x1b[3;4Hyz")], echoes)
    assert echoes.delays == pytest.approx([0.25, 0.5, 0.4])
    assert echoes.lost == 1


def test_a_key_is_not_echoed_before_it_was_typed() -> None:
    echoes = Echoes(PROMPT, [Key(5.0, "x")])
    replay([(1.0, b"> x"), (6.0, b"\x1b[2;1Helsewhere")], echoes)
    assert echoes.delays == [1.0]


@pytest.mark.parametrize("count", [100, 2_000, 16_642])
def test_the_model_cuts_the_corpus_as_we_count_it(count: int) -> None:
    text = corpus.answer(count)
    request = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    reply = prepare(Answer(steps=(TextStep(text=text),)), read_prompt(request, {}, 0), "m", Pace())
    assert sum(b"event: content_block_delta" in event.data for event in reply.events()) == count
    assert text == corpus.answer(count)
    assert text.startswith(corpus.BEGIN)
    assert text.endswith(corpus.END)


def test_medians_leave_out_what_was_not_always_seen() -> None:
    assert medians([{"a": 1, "b": 2}, {"a": 3, "b": None}, {"a": 2, "b": 4}]) == {"a": 2}


def test_a_figure_of_ours_has_a_gate_and_the_peers_beside_it() -> None:
    (figure,) = against("x", "ms", {"claude": {"k": 10.0}, "maverick": {"k": 12.0}}, "k", gate=10.0, aim=5.0)
    assert (figure.value, figure.is_met, figure.note, figure.aim) == (12.0, False, "claude 10", 5.0)
    (missing,) = against("x", "ms", {"claude": {"k": 10.0}, "maverick": {}}, "k", gate=10.0)
    assert missing.value == math.inf
    assert not missing.is_met


def test_without_us_the_peers_stand_for_themselves() -> None:
    found = against("x", "ms", {"claude": {"k": 10.0}, "bare": {"k": 3.0}}, "k", gate=1.0)
    assert [(figure.name, figure.value, figure.gate) for figure in found] == [
        ("x, claude", 10.0, None),
        ("x, bare", 3.0, None),
    ]


@pytest.mark.slow
def test_a_program_is_started_typed_to_and_seen() -> None:
    seen = scenes.start(bare(), 0)
    assert 0 < seen["first_frame_ms"] < seen["first_key_ms"]
    assert seen["rss_mb"] > 0


@pytest.mark.explore
@pytest.mark.slow
def test_every_delta_of_the_model_is_taken_by_the_consumer_that_draws_nothing() -> None:
    taken = scenes.drained(100, is_paced=False)
    assert taken["deltas"] == 100
    assert taken["total_s"] >= taken["sent_over_s"]


def test_the_past_of_a_conversation_is_told_in_events() -> None:
    store = RunStore()
    for event in history(5):
        store.apply(event)
    assert [entry.kind for entry in store.entries] == ["prompt", "text", "end"] * 5
    assert store.phase == "done"
    assert sum(len(entry.text) for entry in store.entries if isinstance(entry, TextEntry)) >= 5 * corpus.TURN_CHARACTERS


def test_a_flood_is_made_of_whole_turns() -> None:
    store = RunStore()
    grown = 0
    for event in stream(2 * DELTAS_PER_TURN):
        store.apply(event)
        grown += isinstance(event, BlockGrew)
    assert grown == 2 * DELTAS_PER_TURN
    assert [entry.text[-len(corpus.END) :] for entry in store.entries if isinstance(entry, TextEntry)] == [
        corpus.END
    ] * 2
