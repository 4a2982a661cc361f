"""Without a person: only what the agent's rules plainly allow runs, and everything else leaves no trace."""

from __future__ import annotations

import pytest

from tests.attacks.driving import unattended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, some
from tests.conftest import ServeModel

RULES = ("Read", "Bash(git log:*)", "Bash(git add:*)", "Bash(ls:*)", "Bash(npm run *)")
BEGINNINGS = ("git log", "git add", "ls", "npm")
EDITS = ("Read", "Edit", "Write")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "zsh"])
async def test_only_the_rules_run(kind: str, sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = some(kind, 16, BEGINNINGS)
    report = await unattended(sandbox, serve, calls_of(tricks, sandbox), RULES)
    check(report, tricks)


async def test_an_agent_that_edits_runs_no_command(sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [trick for kind in KINDS for trick in some(kind, 24)]
    report = await unattended(sandbox, serve, calls_of(tricks, sandbox), EDITS)
    check(report, tricks)
    assert not any(outcome.has_run for outcome in report.outcomes.values())
