"""Without a person: only what the agent's rules plainly allow runs, and everything else leaves no trace."""

from __future__ import annotations

import pytest

from tests.attacks.driving import unattended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import chosen
from tests.conftest import ServeModel

RULES = ("Read", "Bash(git log:*)", "Bash(git add:*)", "Bash(ls:*)", "Bash(npm run *)")
BASH = chosen("bash")


@pytest.mark.parametrize("family", BASH)
async def test_only_the_rules_run(family: str, sandbox: Sandbox, serve: ServeModel) -> None:
    report = await unattended(sandbox, serve, calls_of(BASH[family], sandbox), RULES)
    check(report, BASH[family])
