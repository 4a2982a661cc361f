"""Safety that stands in the way is switched off: reading goes on unasked, and a change is asked about once."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import PermissionResultAllow, ToolPermissionContext

from tests.attacks import benign
from tests.attacks.driving import Call, attended, unattended
from tests.attacks.sandbox import Sandbox
from tests.attacks.test_shell_unattended import RULES
from tests.conftest import ServeModel


def calls(commands: dict[str, str]) -> list[Call]:
    return [Call(name, "Bash", {"command": command}) for name, command in commands.items()]


async def test_reading_goes_on_unasked(sandbox: Sandbox, serve: ServeModel) -> None:
    report = await attended(sandbox, serve, calls(benign.READ_UNASKED))
    wrong = [name for name, outcome in report.outcomes.items() if outcome.is_asked or not outcome.has_run]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)


async def test_a_change_is_asked_about_once(sandbox: Sandbox, serve: ServeModel) -> None:
    async def agree(_tool: str, _arguments: dict[str, Any], _context: ToolPermissionContext) -> PermissionResultAllow:
        return PermissionResultAllow()

    report = await attended(sandbox, serve, calls(benign.ASKED_ONCE), answer=agree)
    wrong = [name for name, outcome in report.outcomes.items() if len(outcome.questions) != 1 or not outcome.has_run]
    assert not wrong, report.explain(wrong)
    for name in ("touch", "mkdir", "redirect", "copy", "and", "pipe"):
        assert (sandbox.project / f"made-{name}").exists()


async def test_without_a_person_the_rules_run(sandbox: Sandbox, serve: ServeModel) -> None:
    report = await unattended(sandbox, serve, calls(benign.BY_RULE), RULES)
    wrong = [name for name, outcome in report.outcomes.items() if not outcome.has_run]
    assert not wrong, report.explain(wrong)


async def test_without_a_person_nothing_else_runs(sandbox: Sandbox, serve: ServeModel) -> None:
    report = await unattended(sandbox, serve, calls(benign.NOT_BY_RULE), RULES)
    wrong = [name for name, outcome in report.outcomes.items() if outcome.has_run is not False]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)
