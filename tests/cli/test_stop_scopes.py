"""`maverick stop --turn`, `--call` and `--all`: less than a run stops, or all of them; it returns when that has."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from tests.host.far.fake_ssh import GATEWAY, THERE, fake_ssh
from tests.support.command_line import Run
from tests.support.cook import write_cook
from tests.support.hosts import end_hosts, hosts, until


@pytest.fixture
def cook(home: Path, mark: str) -> Iterator[None]:
    write_cook(home)
    yield
    end_hosts(mark, signal.SIGKILL)


def started(maverick: Run, *arguments: str) -> str:
    ran = maverick("run", "--detach", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.strip()


@pytest.mark.slow
@pytest.mark.explore  # `tests/runs/test_call_stops.py` has it without the command line
def test_a_call_stops_and_its_turn_goes_on_and_a_turn_stops_and_its_run_stays(
    maverick: Run, cook: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = started(maverick, "cook", "call")
    until(lambda: "tool_began" in journal_of(waits).read_text(), "the call runs")
    stopped = maverick("stop", waits[:8], "--call")
    assert (stopped.code, stopped.err) == (0, "")
    assert stopped.out == f"{waits} goes on without wait_long.\n"
    assert maverick("wait", waits).out == f"{waits} done\n"
    assert "I go on." in maverick("logs", waits).out
    nothing = maverick("stop", waits, "--call")
    assert (nothing.code, nothing.out) == (FAILED, "")
    assert nothing.err == f"maverick: {waits} waits for no call that could be stopped.\n"

    stuck = started(maverick, "cook", "stuck")
    until(lambda: "stuck" in maverick("logs", stuck).out, "it is at work")
    fake_ssh(monkeypatch, GATEWAY)
    assert maverick("stop", f"{THERE}:{stuck}", "--turn").out == (
        f"{THERE}:{stuck} was interrupted, and waits for a prompt.\n"
    )
    nothing = maverick("stop", stuck, "--turn")
    assert (nothing.code, nothing.err) == (FAILED, f"maverick: {stuck} does nothing that could be interrupted.\n")
    assert len(hosts(mark)) == 2, "both runs are still there"

    refused = maverick("stop", "--all")
    assert (refused.code, "2 runs would stop: say --yes." in " ".join(refused.err.split())) == (2, True)
    everything = maverick("stop", "--all", "--yes")
    assert sorted(everything.out.splitlines()) == sorted([f"{waits} has ended.", f"{stuck} has ended."])
    assert hosts(mark) == []
    assert maverick("stop", "--all", "--yes").out == "No run has a process of its own now.\n"
    assert maverick("stop", stuck, "--turn").code == FAILED
    told = [event.type for event in read_journal(journal_of(waits)).events]
    assert told.count("call_stopping") == 2


def test_what_makes_no_sense_is_refused(maverick: Run) -> None:
    for arguments in ((), ("abc", "--all"), ("abc", "--turn", "--call")):
        assert maverick("stop", *arguments).code == 2
