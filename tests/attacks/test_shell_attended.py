"""With a person who says no: whatever is tried, nothing happens that was not asked about."""

from __future__ import annotations

import shutil

import pytest

from tests.attacks.driving import attended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import KINDS, families, some
from tests.conftest import ServeModel

BASH, ZSH = families("bash"), families("zsh")


@pytest.mark.parametrize("family", BASH)
async def test_nothing_runs_unasked(family: str, sandbox: Sandbox, serve: ServeModel) -> None:
    report = await attended(sandbox, serve, calls_of(BASH[family], sandbox))
    check(report, BASH[family])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "zsh" and some(kind)])
async def test_nothing_runs_unasked_in_the_mode_default(kind: str, sandbox: Sandbox, serve: ServeModel) -> None:
    tricks = some(kind)
    report = await attended(sandbox, serve, calls_of(tricks, sandbox), mode="default")
    check(report, tricks)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("family", ZSH)
async def test_nothing_runs_unasked_in_zsh(
    family: str, sandbox: Sandbox, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", str(shutil.which("zsh")))
    report = await attended(sandbox, serve, calls_of(ZSH[family], sandbox))
    check(report, ZSH[family])


async def test_no_secret_is_told_unasked_in_the_home(sandbox: Sandbox, serve: ServeModel) -> None:
    """There they are files of the folder that the agent works in."""
    tricks = [trick for trick in KINDS["programs"] if trick.family == "secrets"]
    report = await attended(sandbox, serve, calls_of(tricks, sandbox), cwd=sandbox.home)
    check(report, tricks)
