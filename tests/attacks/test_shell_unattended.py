"""Without a person: only what the agent's rules plainly allow runs, and everything else leaves no trace."""

from __future__ import annotations

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.attacks.benign import BY_RULE, NOT_BY_RULE, RULES
from tests.attacks.driving import Call, unattended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import BASH, KINDS, is_asked_for, sessions, some
from tests.attacks.test_benign import calls, check_by_rule
from tests.conftest import ServeModel

BEGINNINGS = ("git log", "git add", "ls", "npm")
EDITS = ("Read", "Edit", "Write")


@pytest.mark.parametrize("kinds", sessions(BASH), ids=" ".join)
async def test_only_the_rules_run(kinds: tuple[str, ...], sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [trick for kind in kinds for trick in some(kind, 60, BEGINNINGS if kind == "git" else ())]
    tricky, ordinary = calls_of(tricks, sandbox), [] if is_asked_for() else calls({**BY_RULE, **NOT_BY_RULE})
    report = await unattended(sandbox, serve, [*ordinary, *tricky], RULES)
    check_by_rule(report.of(ordinary))
    check(report.of(tricky), tricks)


async def test_all_of_bash_opens_no_place_however_it_is_spelled(sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = some("places", 8)
    check(await unattended(sandbox, serve, calls_of(tricks, sandbox), ["Bash"]), tricks)


BEYOND_GIT = {
    "pattern": "git config core.fsmonitor 'touch PWNED' user.",
    "value": "git config core.pager 'touch PWNED' list",
    "renamed": "git config user.name core.pager --rename-section",
    "template": "git init -q --template=docs",
    "template-short": "git init -q --templ docs",
    "fetch": "git fetch --upload-pack='touch PWNED;false' .",
    "fetch-short": "git fetch --upl='touch PWNED;false' .",
    "fetch-pattern": "git fetch ?-up* .",
    "push-elsewhere": "git push vendor/evil HEAD:refs/heads/new",
    "push": "git push --receive-pack='touch PWNED;false' . HEAD:refs/heads/new",
    "rebase": "git rebase -x 'touch PWNED' HEAD~1",
    "bisect": "git bisect run touch PWNED",
}


GIT_RULES = tuple(f"Bash(git {command}:*)" for command in ("fetch", "push", "rebase", "bisect", "config", "init"))


def test_rules_for_git_end_before_the_judge_where_it_would_run_something_else(sandbox: Sandbox) -> None:
    judge = Judge(GIT_RULES, sandbox.project, person=False)
    decided = {name: decide(judge, "Bash", bash(command)) for name, command in BEYOND_GIT.items()}
    assert decided == dict.fromkeys(BEYOND_GIT, "deny")
    assert decide(judge, "Bash", bash("git fetch origin")) == "allow"


@pytest.mark.explore  # the judge is asked above
async def test_rules_for_git_end_where_it_would_run_something_else(sandbox: Sandbox, serve: ServeModel) -> None:
    calls = [Call(name, "Bash", {"command": command}) for name, command in BEYOND_GIT.items()]
    report = await unattended(sandbox, serve, calls, GIT_RULES)
    wrong = [name for name, outcome in report.outcomes.items() if outcome.has_run is not False]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)


@pytest.mark.explore  # one in `test_paths.py` tries some
async def test_an_agent_that_edits_runs_no_command(sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [trick for kind in KINDS for trick in some(kind, 60)]
    report = await unattended(sandbox, serve, calls_of(tricks, sandbox), EDITS)
    check(report, tricks)
    assert not any(outcome.has_run for outcome in report.outcomes.values())
