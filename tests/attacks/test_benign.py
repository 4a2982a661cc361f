"""Safety that stands in the way is switched off: reading goes on unasked, and a change is asked about once."""

from __future__ import annotations

from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, ToolPermissionContext

from tests.attacks import benign
from tests.attacks.driving import Call, Report, attended, unattended
from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel


def calls(commands: dict[str, str]) -> list[Call]:
    return [Call(name, "Bash", {"command": command}) for name, command in commands.items()]


@pytest.mark.explore  # `test_attended.py` tries some, and the judge is asked about all of them elsewhere
async def test_reading_goes_on_unasked(sandbox: Sandbox, serve: ServeModel) -> None:
    check_unasked(await attended(sandbox, serve, calls(benign.READ_UNASKED)))


def check_unasked(report: Report) -> None:
    """All of them ran, and nobody was asked."""
    wrong = [name for name, outcome in report.outcomes.items() if outcome.is_asked or not outcome.has_run]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)


@pytest.mark.explore
async def test_a_change_is_asked_about_once(sandbox: Sandbox, serve: ServeModel) -> None:
    async def agree(_tool: str, _arguments: dict[str, Any], _context: ToolPermissionContext) -> PermissionResultAllow:
        return PermissionResultAllow()

    report = await attended(sandbox, serve, calls(benign.ASKED_ONCE), answer=agree)
    wrong = [name for name, outcome in report.outcomes.items() if len(outcome.questions) != 1 or not outcome.has_run]
    assert not wrong, report.explain(wrong)
    for name in ("touch", "mkdir", "redirect", "copy", "and", "pipe"):
        assert (sandbox.project / f"made-{name}").exists()


@pytest.mark.explore  # `test_shell_unattended.py` tries them with its tricks
async def test_without_a_person_the_rules_run_and_nothing_else(sandbox: Sandbox, serve: ServeModel) -> None:
    check_by_rule(await unattended(sandbox, serve, calls({**benign.BY_RULE, **benign.NOT_BY_RULE}), benign.RULES))


def check_by_rule(report: Report) -> None:
    """What a rule allows has run, and nothing else."""
    wrong = [name for name, outcome in report.outcomes.items() if outcome.has_run is not (name in benign.BY_RULE)]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)
