"""A recording of a terminal: the run's rhythm without its pauses, and a screen like the one that was seen."""

from __future__ import annotations

import itertools
import json

import pyte
import pytest

from maverick_tui.cli.printer import Printer
from maverick_tui.events.kinds import PermissionAsked
from maverick_tui.history.export.cast import COLUMNS, LONGEST_PAUSE, ROWS, as_cast
from maverick_tui.history.export.kept import kept_run
from maverick_tui.runs.own_questions import FUSE
from tests.support.runs import STREAM_BROKE, Tape


def recorded(tape: Tape) -> list[str]:
    run = kept_run("7f3a00c0ffee", tape.events, was_alive=True)
    return list(as_cast(run, lambda stream, width: Printer(stream, width, is_recorded=True)))


def played(lines: list[str]) -> list[str]:
    """What stands on the screen at the end."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    for line in lines[1:]:
        stream.feed(json.loads(line)[2])
    return [row.rstrip() for row in screen.display]


def test_its_head_is_that_of_version_two() -> None:
    head = json.loads(recorded(Tape().connect().prompt("Look at it"))[0])
    assert head == {
        "version": 2,
        "width": 100,
        "height": 30,
        "timestamp": 1_763_200_000,
        "title": "Look at it",
        "env": {"TERM": "xterm-256color"},
    }


def test_time_goes_on_as_in_the_run_but_for_long_pauses_and_a_clock_that_went_back() -> None:
    tape = Tape().connect().prompt("One").wait(3_600).say("two three", chunk=4).wait(-500).say("four").done()
    times = [json.loads(line)[0] for line in recorded(tape)[1:]]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert min(gaps) >= 0
    assert max(gaps) == pytest.approx(LONGEST_PAUSE, abs=0.5)
    assert times[-1] < 10


def test_a_player_shows_the_run() -> None:
    tape = Tape().connect().prompt("Look").think("Hm.").say("Some **bold** words " * 10)
    tape.tool("Bash", {"command": "pytest -q"}, "3 passed").ask("Bash", {"command": "rm x"}).decide("deny", "No.")
    screen = played(recorded(tape.say("Done.").done("failed", failure=STREAM_BROKE)))
    shown = "\n".join(screen)
    for part in ("> Look", "┊ Hm.", "● Bash  pytest -q", "✔ 3 passed", "⚑ asks: Bash rm x", "⚑ denied: No.", "Done."):
        assert part in shown
    assert "✘ The stream broke" in shown
    assert "failed · 9,200 tokens in" in shown
    assert max(map(len, screen)) <= COLUMNS


def test_its_colours_do_not_depend_on_the_terminal_that_it_is_made_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert "\\u001b[1m" in "".join(recorded(Tape().connect().prompt("Look")))


def test_questions_are_told_in_their_words() -> None:
    question = {"question": "The fuse of this run is at $0.60 of $0.50. What now?"}
    tape = Tape().connect().prompt("Go")
    asked = PermissionAsked(tape.at, "q", f"{FUSE}1", "AskUserQuestion", {"kind": "fuse", "questions": [question]})
    shown = "\n".join(played(recorded(tape.put(asked))))
    assert "⚑ asks: Fuse The fuse of this run is at $0.60 of $0.50. What now?" in shown
