"""With a person who says no: whatever is tried, nothing happens that was not asked about."""

from __future__ import annotations

import shutil

import pytest

from tests.attacks.driving import attended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import chosen
from tests.conftest import ServeModel

BASH = chosen("bash")


@pytest.mark.parametrize("family", BASH)
@pytest.mark.parametrize("mode", ["acceptEdits", "default"])
async def test_nothing_runs_unasked(family: str, mode: str, sandbox: Sandbox, serve: ServeModel) -> None:
    calls = calls_of(BASH[family], sandbox)
    check(await attended(sandbox, serve, calls, mode), BASH[family])


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
@pytest.mark.parametrize("family", chosen("zsh"))
async def test_nothing_runs_unasked_in_zsh(
    family: str, sandbox: Sandbox, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", str(shutil.which("zsh")))
    calls = calls_of(chosen("zsh")[family], sandbox)
    check(await attended(sandbox, serve, calls), chosen("zsh")[family])
