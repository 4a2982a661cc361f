"""With a person who says no: whatever is tried, nothing happens that was not asked about."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.attacks.driving import Call, attended, unattended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import BASH, KINDS, sessions, some, tricks_for
from tests.conftest import ServeModel


@pytest.mark.explore  # `test_attended.py` tries some
@pytest.mark.parametrize("kinds", sessions(BASH), ids=" ".join)
async def test_nothing_runs_unasked(kinds: tuple[str, ...], sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [trick for kind in kinds for trick in some(kind, 60)]
    check(await attended(sandbox, serve, calls_of(tricks, sandbox)), tricks)


@pytest.mark.explore
async def test_nothing_runs_unasked_in_the_mode_default(sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = [trick for kind in BASH for trick in some(kind, 30)]
    check(await attended(sandbox, serve, calls_of(tricks, sandbox), mode="default"), tricks)


@pytest.mark.explore
async def test_nothing_runs_unasked_with_the_searches_of_the_cli(sandbox: Sandbox, serve: ServeModel) -> None:
    """For an agent without Grep and Glob the CLI makes `grep` and `find` of its shell other programs."""
    tricks = [trick for kind in BASH for trick in some(kind, 30)]
    tools = ("Read", "Edit", "Write", "NotebookEdit", "Bash")
    check(await attended(sandbox, serve, calls_of(tricks, sandbox), allowed_tools=tools), tricks)


@pytest.mark.explore
@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
async def test_nothing_runs_unasked_in_zsh(
    sandbox: Sandbox, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", str(shutil.which("zsh")))
    tricks = tricks_for("zsh")
    check(await attended(sandbox, serve, calls_of(tricks, sandbox)), tricks)


@pytest.mark.explore
async def test_no_secret_is_told_unasked_in_the_home(sandbox: Sandbox, serve: ServeModel) -> None:
    """There they are files of the folder that the agent works in."""
    tricks = [trick for trick in KINDS["programs"] if trick.family == "secrets"]
    report = await attended(sandbox, serve, calls_of(tricks, sandbox), cwd=sandbox.home)
    check(report, tricks)


LOOKS = ("git diff HEAD~1", "git log -p", "git show HEAD", "cd src && git log -p", "git --no-pager diff HEAD~1")


@pytest.mark.explore  # the judge refuses it in `tests/agent/permissions/test_commands.py`
@pytest.mark.parametrize("drive", [attended, unattended])
async def test_git_does_not_run_what_the_repository_names(drive: Any, sandbox: Sandbox, serve: ServeModel) -> None:
    sandbox.name_a_program()
    calls = [Call(f"look-{number}", "Bash", {"command": command}) for number, command in enumerate(LOOKS)]
    report = await drive(
        sandbox, serve, calls, allowed_tools=("Bash(git diff:*)", "Bash(git log:*)", "Bash(git show:*)")
    )
    assert not [name for name, outcome in report.outcomes.items() if outcome.has_run is not False]
    assert not report.changes, report.explain(list(report.outcomes))
