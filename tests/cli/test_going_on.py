"""`maverick run --resume` and `--fork`: who goes on from where, and what is refused."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.cli import headless, launching
from maverick_tui.cli.headless import Wanted
from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.store import GONE
from maverick_tui.ui.launch import Launch
from tests.cli.agent_files import write_agent
from tests.history.kept import begun, ended, keep, turn
from tests.runs.grammar import check_well_formed
from tests.support.command_line import Run
from tests.support.model import as_script, say, turns
from tests.support.served import serving

RUN = "7f3a00c0ffee"
PATIENCE = 120.0


# -- for real ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The standard input of a command that nobody types anything to."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield


def killed(run_id: str) -> None:
    """Take the end of a run's answer away, as if its process had been killed; `test_run_program.py` does kill one."""
    path = journal_of(run_id)
    lines = path.read_bytes().splitlines(keepends=True)
    (cut,) = (number for number, line in enumerate(lines) if b'"turn_ended"' in line)
    path.write_bytes(b"".join(lines[:cut]) + b'{"seq":')


@pytest.mark.usefixtures("serve", "nothing_typed")
def test_a_run_that_was_killed_goes_on_and_is_forked_by_another_agent(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(*arguments: str) -> dict[str, Any]:
        ran = maverick("run", *arguments, "--output", "json")
        assert ran.code == 0, ran.err
        found: dict[str, Any] = json.loads(ran.out)
        return found

    write_agent("cook", "engine: api\ntools: []", folder=".maverick/agents")
    write_agent("guest", "engine: api\ntools: []", folder=".maverick/agents")
    script = turns(say("I begin to"), say("Done now."), say("Tasted."))
    with serving(as_script(script)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        run_id = answered("cook", "Boil an egg")["run_id"]
        killed(run_id)
        resumed = answered("--resume", run_id[:6], "Go on")
        asked = json.dumps(server.app.requests[-1]["messages"])
        forked = answered("guest", "How is it?", "--fork", f"{run_id}@2")
        tasted = server.app.requests[-1]
    assert (resumed["run_id"], resumed["result"], resumed["turns"]) == (run_id, "Done now.", 1)
    assert asked.index("Boil an egg") < asked.index("Go on")
    events = read_journal(journal_of(run_id)).events
    check_well_formed(events)
    assert [event.reason for event in events if isinstance(event, ev.RunEnded)] == [GONE, "closed"]
    assert forked["run_id"] != run_id
    assert forked["result"] == "Tasted."
    assert "Done now." in json.dumps(tasted["messages"])
    assert "You are guest." in json.dumps(tasted["system"])
    began = read_journal(journal_of(forked["run_id"])).events[0]
    assert isinstance(began, ev.RunStarted)
    assert (began.agent, began.forked_from, began.forked_turn) == ("guest", run_id, 2)


# -- what is meant -----------------------------------------------------------------------------------------------------


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    """What would have been run."""
    runs: list[Wanted] = []

    def run(one: Wanted) -> int:
        runs.append(one)
        return 0

    monkeypatch.setattr(headless, "run_headless", run)
    keep(RUN, [*begun(cwd=str(Path.cwd())), *turn(), *turn(2, "Dig", "Deep."), *ended()])
    return runs


@pytest.mark.parametrize(
    ("arguments", "agent", "prompt", "turns"),
    [
        (("--resume", "7f3a", "Go on"), "reviewer", "Go on", 2),
        (("reviewer", "Go on", "--resume", "7f3a"), "reviewer", "Go on", 2),
        (("reviewer", "--resume", "7f3a"), "reviewer", None, 2),
        (("--fork", "7f3a", "Instead"), "reviewer", "Instead", 2),
        (("--fork", "7f3a@1", "Instead"), "reviewer", "Instead", 1),
        (("--fork", "7f3a@0"), "reviewer", None, 0),
        (("explorer", "Instead", "--fork", "7f3a@1"), "explorer", "Instead", 1),
    ],
)
def test_the_run_says_who_goes_on(
    maverick: Run, wanted: list[Wanted], arguments: tuple[str, ...], agent: str, prompt: str | None, turns: int
) -> None:
    ran = maverick("run", *arguments)
    assert ran.code == 0, ran.err
    (one,) = wanted
    assert one.goes_on is not None
    assert (one.agent, one.prompt, one.goes_on.past.turns) == (agent, prompt, turns)
    assert one.cwd == Path.cwd()
    assert (one.goes_on.run_id == RUN) == ("--resume" in arguments)


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("--resume", "7f3a", "--fork", "7f3a", "x"), 2, "not both"),
        (("explorer", "x", "--resume", "7f3a"), 1, "7f3a00c0ffee is a run of 'reviewer', and goes on with it"),
        (("reviewer", "x", "--model", "haiku"), 2, "It goes with --resume or --fork"),
        (("--fork", "7f3a@x", "Instead"), 1, "'x' is not a number"),
        (("--fork", "7f3a@3", "Instead"), 1, "cannot be forked after turn 3: it has 2"),
        (("--resume", "beef", "x"), 1, "No run has an id that begins with 'beef'"),
        ((), 2, "Name the agent"),
    ],
)
def test_what_cannot_be_meant_is_said(
    maverick: Run, wanted: list[Wanted], arguments: tuple[str, ...], code: int, why: str
) -> None:
    ran = maverick("run", *arguments)
    assert (ran.code, wanted) == (code, [])
    assert why in " ".join(ran.err.split())


def test_another_model_may_go_on(maverick: Run, wanted: list[Wanted], monkeypatch: pytest.MonkeyPatch) -> None:
    fork = "--fork", "7f3a@1"
    for arguments in (("--resume", "7f3a", "Go on"), ("Instead", *fork), ("explorer", "Instead", *fork)):
        assert maverick("run", *arguments, "--model", "haiku").code == 0
    assert [one.goes_on.past.model for one in wanted if one.goes_on is not None] == ["haiku"] * 3
    opened: list[Launch] = []

    def open_app(launch: Launch) -> int:
        opened.append(launch)
        return 0

    monkeypatch.setattr(launching, "is_terminal", lambda: True)
    monkeypatch.setattr(launching, "open_app", open_app)
    assert maverick("runs", "fork", "7f3a@1", "--model", "haiku").code == 0
    assert opened[0].forks is not None
    assert opened[0].forks.past.model == "haiku"


def test_what_is_wrong_with_arguments_steers_no_terminal(maverick: Run, wanted: list[Wanted]) -> None:
    steering = "evil\x1b]52;c;eA==\x07\u202e"
    keep(RUN, [*begun(agent=steering, cwd=str(Path.cwd())), *turn(), *ended()])
    for arguments in (("run", "explorer", "x", "--resume", "7f3a"), ("runs", "tag", "7f3a", steering)):
        ran = maverick(*arguments)
        assert ran.code in (1, 2)
        assert wanted == []
        assert "evil" in ran.err
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.err)


def test_a_run_that_is_alive_can_be_forked_and_not_resumed(maverick: Run, wanted: list[Wanted]) -> None:
    path = keep(RUN, [*begun(cwd=str(Path.cwd())), *turn(), ev.TurnStarted(2e9, 2, "Dig")])
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert is_alive(path)
        assert "still going on" in maverick("run", "--resume", "7f3a", "x").err
        assert "that one still goes on" in maverick("run", "--fork", "7f3a@2", "x").err
        assert maverick("run", "--fork", "7f3a", "x").code == 0
    assert wanted[0].goes_on is not None
    assert wanted[0].goes_on.past.turns == 1


def test_where_the_folder_is_gone_another_is_named(maverick: Run, wanted: list[Wanted], tmp_path: Path) -> None:
    keep(RUN, [*begun(cwd="/no/such/folder"), *turn(), *ended()])
    ran = maverick("run", "--resume", "7f3a", "x")
    assert ran.code == 1
    assert "no folder /no/such/folder" in ran.err
    assert "--cwd DIR" in ran.err
    assert maverick("run", "--resume", "7f3a", "x", "--cwd", str(tmp_path)).code == 0
    assert wanted[0].cwd == tmp_path


def test_the_application_opens_forks_in_a_terminal_only(maverick: Run, wanted: list[Wanted]) -> None:
    ran = maverick("runs", "fork", "7f3a@1")
    assert ran.code == 1
    assert "maverick run --fork 7f3a@1 PROMPT" in " ".join(ran.err.split())


def test_where_a_fork_comes_from_is_shown(maverick: Run) -> None:
    fork = ev.RunStarted(1, RUN, "reviewer", forked_from="0123456789ab", forked_turn=1)
    first, second = turn(), turn(2, "Dig", "Deep.")
    keep(RUN, [fork, *first, ev.RunForked(2e9), *begun()[1:], *second, *ended()])
    ran = maverick("runs", "show", "7f3a")
    assert "0123456789ab after turn 1" in ran.out
    assert "Look" not in ran.out, "that turn is the other run's"
    listed = json.loads(maverick("runs", "list", "--json").out)[0]
    assert (listed["forked_from"], listed["forked_turn"], listed["turns"]) == ("0123456789ab", 1, 1)
    assert (listed["first_prompt"], listed["cost_usd"], listed["started_at"]) == ("Dig", 0.25, 2e9)
    assert json.loads(maverick("runs", "search", "see", "--json").out) == []
