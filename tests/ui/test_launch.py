"""The setup of runs: a folder, settings, and a model of its own where none is to be asked."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.offline.demo.project import git_environment
from maverick_tui.ui.launch import HeldSetup, Launch, open_setup, settings_here


async def test_a_real_stage_is_the_folder_and_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MODEL", "haiku")
    async with open_setup(Launch(Path.cwd())) as setup:
        assert (setup.cwd, setup.config.model, setup.is_demo) == (Path.cwd(), "haiku", False)


async def test_settings_that_are_wrong_are_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_TIMEOUT", "soon")
    with pytest.raises(ConfigError, match="timeout"):
        async with open_setup(Launch(Path.cwd())):
            pass


@pytest.mark.explore  # `test_app.py` has one answer a run
async def test_a_script_answers_in_the_folder_where_one_is(tmp_path: Path, mark: str) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"scenes": [{"answers": ["Hello."]}]}')
    async with open_setup(Launch(Path.cwd(), script=script)) as setup, settings_here(setup) as config:
        assert setup.cwd == Path.cwd()
        assert config.env["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")


@pytest.mark.explore  # so it is in `tests/offline/test_processes.py`
async def test_a_script_that_cannot_be_read_is_said(tmp_path: Path, mark: str) -> None:
    script = tmp_path / "script.json"
    script.write_text("{")
    with pytest.raises(ConfigError, match=r"The offline model did not start: .*script\.json"):
        async with open_setup(Launch(Path.cwd(), script=script)) as setup, settings_here(setup):
            pass


async def test_the_demo_has_a_project_of_its_own_that_goes_with_it(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MODEL", "opus")
    async with open_setup(Launch(Path.cwd(), is_demo=True, is_fast=True)) as setup:
        assert (setup.cwd / ".git").is_dir()
        assert setup.is_demo
        assert setup.config.model is None, "what is set for real runs is not for the script"
        async with settings_here(setup) as config:
            assert git_environment().items() <= config.env.items()
        folder = setup.cwd.parent
    assert not folder.exists()


@pytest.mark.parametrize("times", [1, 2, 3])
def test_left_while_it_is_made_it_leaves_no_folder_behind(
    times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def enter() -> None:
        async with open_setup(Launch(tmp_path, None, is_demo=True)):
            pytest.fail("it was to be cancelled before that")

    async def leave() -> None:
        entering = asyncio.create_task(enter())
        for _ in range(times):
            await asyncio.sleep(0)  # one step
            entering.cancel()
        with suppress(asyncio.CancelledError):
            await entering

    asyncio.run(leave())  # its end waits for the threads
    assert list(tmp_path.glob("maverick-offline-*")) == []


async def test_a_setup_that_failed_says_so_to_all_who_wait_and_can_be_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAVERICK_TIMEOUT", "soon")
    held = HeldSetup(Launch(Path.cwd()))
    waiting = held.ready
    with pytest.raises(ConfigError, match="timeout"):
        async with held.opened():
            pass
    assert held.has_failed
    with pytest.raises(ConfigError, match="timeout"):
        await waiting
    assert held.cwd == Path.cwd(), "agents can be looked at all the same"
    monkeypatch.delenv("MAVERICK_TIMEOUT")
    held.forget_failure()
    async with held.opened() as setup:
        assert await held.ready is setup


async def test_the_folder_of_the_demo_is_not_known_before_it_is_made() -> None:
    assert HeldSetup(Launch(Path.cwd(), is_demo=True)).cwd is None
