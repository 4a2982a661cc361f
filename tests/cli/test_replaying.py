"""`maverick runs replay`: the application is opened on a run that plays again, or it is said why not."""

from __future__ import annotations

import pytest

from maverick_tui.cli import launching
from maverick_tui.events import kinds as ev
from maverick_tui.ui.launch import Launch
from tests.history.kept import AT, keep, keep_run
from tests.support.command_line import Run

RUN = "7f3a00c0ffee"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Launch]:
    """What the application was opened with, in a terminal."""
    found: list[Launch] = []

    def open_app(wanted: Launch) -> int:
        found.append(wanted)
        return 0

    monkeypatch.setattr(launching, "is_terminal", lambda: True)
    monkeypatch.setattr(launching, "open_app", open_app)
    return found


def test_a_run_is_read_before_the_application_opens(maverick: Run, opened: list[Launch]) -> None:
    keep_run(RUN, answer="I see.")
    assert maverick("runs", "replay", "7f3a", "--speed", "20").code == 0
    [launch] = opened
    assert launch.replays is not None
    assert (launch.replays.agent, launch.speed) == ("reviewer", 20)


def test_without_a_terminal_it_says_what_to_do_instead(maverick: Run) -> None:
    keep_run(RUN)
    ran = maverick("runs", "replay", "7f3a")
    assert (ran.code, ran.out) == (1, "")
    assert "needs a terminal" in ran.err
    assert f"maverick runs export {RUN}" in ran.err


def test_a_run_that_is_not_there_and_one_of_the_future_are_refused(maverick: Run, opened: list[Launch]) -> None:
    assert "No run has an id that begins with 'beef'" in maverick("runs", "replay", "beef").err
    keep("beef00000000", [ev.RunStarted(AT, "beef00000000", "reviewer", schema=999)])
    ran = maverick("runs", "replay", "beef")
    assert ran.code == 1
    assert "Update Maverick" in ran.err
    assert opened == []


@pytest.mark.parametrize("speed", ["0", "-1", "fast", "1001"])
def test_a_speed_is_a_number_of_times(maverick: Run, speed: str) -> None:
    keep_run(RUN)
    assert maverick("runs", "replay", "7f3a", "--speed", speed).code == 2


def test_the_help_says_what_it_does(maverick: Run) -> None:
    ran = maverick("runs", "replay", "--help")
    assert ran.code == 0
    assert "nothing is sent" in " ".join(ran.out.split())
