"""The application with everything real behind it: the CLI, a scripted model, tools, a repository."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui import ownership
from maverick_tui.journal.folders import kept_runs
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.open_questions import ARMED_AFTER
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.conftest import ServeModel
from tests.support.model import say

pytestmark = pytest.mark.slow

AGENT = """---
name: handyman
description: Does as it is told.
tools: Read, Edit, Bash
permissionMode: default
---
You do as you are told.
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with an agent of its own."""
    folder = tmp_path / "shop"
    (folder / ".claude" / "agents").mkdir(parents=True)
    (folder / ".claude" / "agents" / "handyman.md").write_text(AGENT)
    (folder / "cart.py").write_text("total = 1\n")
    identity = ["-c", "user.name=shop", "-c", "user.email=shop@example.org"]
    for command in (["init", "-b", "main"], ["add", "cart.py"], [*identity, "commit", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


@asynccontextmanager
async def started(
    folder: Path, agent: str | None = "handyman", prompt: str | None = "Go", **more: Any
) -> AsyncIterator[tuple[MaverickApp, Pilot[Any]]]:
    app = MaverickApp(Launch(folder, agent, prompt, **more), preferences=Preferences())
    async with app.run_test(size=(100, 40)) as pilot:
        try:
            yield app, pilot
        finally:
            app._leaving.end_now(0)
            await seen(app, pilot, lambda: app._exit)


async def seen(app: MaverickApp, pilot: Pilot[Any], what: Any, seconds: float = 40.0) -> None:
    """Wait until a text stands in the transcript, or something is so."""
    for _ in range(int(seconds / 0.05)):
        if what() if callable(what) else what in transcript(app):
            return
        await pilot.pause(0.05)
    raise AssertionError(f"never seen: {what}\n{transcript(app)}")


def transcript(app: MaverickApp) -> str:
    if not isinstance(app.screen, RunScreen) or not app.screen.is_mounted:
        return ""
    view = app.screen.transcript
    region = view.scrollable_content_region.reset_offset
    return "\n".join(strip.text.rstrip() for strip in view.render_lines(region))


async def test_a_prompt_of_the_command_line_is_answered_and_others_edits_and_failures_are_of_the_same_session(
    shop: Path, mark: str
) -> None:
    slow = {"steps": ["word " * 400, {"pause": 3_600}], "pace": {"tokens_per_second": 40}}
    answers = {"Go": ["The first answer."], "more": ["The second answer."], "on": [slow], **edits_and_breaks(shop)}
    scenes = [{"when": {"prompt": f"{prompt}$"}, "answers": given} for prompt, given in answers.items()]
    script = shop.parent / "script.json"
    script.write_text(json.dumps({"scenes": scenes}))
    async with started(shop, script=script) as (app, pilot):
        await seen(app, pilot, "The first answer.")
        await seen(app, pilot, "✔ done")
        assert "Not a project" not in [notice.title for notice in app._notifications]
        await pilot.press(*"more", "enter")
        await seen(app, pilot, "The second answer.")
        (run,) = app.board.runs.values()
        await seen(app, pilot, lambda: run.store.figures.turns == 2)
        assert run.store.loaded is not None
        assert run.store.loaded.branch == "main"
        await pilot.press(*"on", "enter")
        await seen(app, pilot, "word word")
        assert isinstance(app.screen, RunScreen)
        app.screen.action_escape()
        assert run.store.phase == "interrupting", "it is acknowledged before anything has stopped"
        await seen(app, pilot, "■ interrupted")
        assert "partial, cut here" in transcript(app)
        await see_an_edit(app, pilot, shop)
        await see_a_stream_break(app, pilot)


def edits_and_breaks(shop: Path) -> dict[str, list[Any]]:
    """An edit, and a stream that breaks once: to which prompts."""
    edit = {"file_path": str(shop / "cart.py"), "old_string": "total = 1", "new_string": "total = 2"}
    read = {"tool": "Read", "input": {"file_path": str(shop / "cart.py")}}
    broken = {"steps": ["This is all that came, and then nothing"], "fault": {"kind": "drop", "at": "text", "times": 1}}
    return {"edit": [[read], [{"tool": "Edit", "input": edit}], "Changed."], "break": [broken]}


async def see_an_edit(app: MaverickApp, pilot: Pilot[Any], shop: Path) -> None:
    """It asks by its diff."""
    await pilot.press(*"edit", "enter")
    await seen(app, pilot, "wants permission")
    assert "+ total = 2" in transcript(app)
    assert (shop / "cart.py").read_text() == "total = 1\n"
    (run,) = app.board.runs.values()
    while run.store.needs_person:  # the key does nothing while the question is new
        await pilot.press("ctrl+y")
        await pilot.pause(2 * ARMED_AFTER)
    await seen(app, pilot, "Changed.")
    assert (shop / "cart.py").read_text() == "total = 2\n"
    assert "✔ Edit" in transcript(app)


async def see_a_stream_break(app: MaverickApp, pilot: Pilot[Any]) -> None:
    """It leaves its text, a banner and a way on."""
    (run,) = app.board.runs.values()
    await seen(app, pilot, lambda: not run.is_busy)
    turns = run.store.figures.turns
    await pilot.press(*"break", "enter")
    await seen(app, pilot, "The stream broke")
    assert "partial, cut here" in transcript(app)
    assert run.store.failure is not None
    await pilot.press("f5")
    await seen(app, pilot, lambda: run.store.figures.turns == turns + 2)
    await seen(app, pilot, "This is all that came, and then nothing")
    assert run.store.last_outcome == "done"


async def test_an_agent_that_does_not_exist_is_told_and_the_picker_is_a_key_away(shop: Path, mark: str) -> None:
    async with started(shop, agent="handymann", prompt=None) as (app, pilot):
        await seen(app, pilot, "There is no agent named 'handymann'.")
        assert "handyman" in transcript(app)
        await pilot.press("ctrl+n")
        await seen(app, pilot, lambda: isinstance(app.screen, PickerScreen))


@pytest.mark.explore  # `test_same_cells.py` plays the demo
async def test_the_demo_shows_its_agents_and_one_of_them_runs_to_its_end(mark: str, tmp_path: Path) -> None:
    app = MaverickApp(Launch(tmp_path, is_demo=True, is_fast=True), preferences=Preferences())
    async with app.run_test(size=(100, 40)) as pilot:
        await seen(app, pilot, lambda: any(row.item for row in app.screen.query_one(AgentList).rows))
        await pilot.press(*"explo", "enter")
        await seen(app, pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.is_mounted)
        await seen(app, pilot, lambda: "Show me around" in app.screen.query_one("Prompt").text)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await seen(app, pilot, "✔ done")
        assert "Not checked" in transcript(app)
        app._leaving.end_now(0)
        await seen(app, pilot, lambda: app._exit)


async def test_a_missing_cli_is_said_with_what_to_do(
    shop: Path, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_CLI_PATH", str(tmp_path / "nowhere"))
    async with started(shop) as (app, pilot):
        await seen(app, pilot, "The Claude Code CLI was not found")
        assert "connect again" in transcript(app)
        (run,) = app.board.runs.values()
        assert list(run.store.queue.values()) == ["Go"], "the prompt waits for the CLI"


async def test_a_home_directory_is_warned_of_without_taking_the_focus(home: Path) -> None:
    def titles() -> list[str]:
        return [notice.title for notice in app._notifications]

    async with started(home, agent=None, prompt=None) as (app, pilot):
        before = app.focused
        await seen(app, pilot, lambda: "Not a project" in titles())
        (notice,) = [one for one in app._notifications if one.title == "Not a project"]
        assert notice.severity == "warning"
        assert "reach all your files" in notice.message
        await seen(app, pilot, app._setup.ready.done)
        assert app.focused is before


async def test_a_repository_of_another_user_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(ownership, "_is_anothers", lambda path: path == str(tmp_path / ".git"))
    async with started(tmp_path / "work", agent=None, prompt=None) as (app, pilot):
        await seen(app, pilot, lambda: "Another user's repository" in [one.title for one in app._notifications])
        (notice,) = [one for one in app._notifications if one.title == "Another user's repository"]
        assert notice.message.endswith(f"git config --global --add safe.directory {tmp_path}")


@pytest.mark.explore  # so it does in a terminal, and from the command line
async def test_a_kept_run_goes_on_with_all_that_it_had(shop: Path, serve: ServeModel) -> None:
    async def ask(prompt: str, turns: int, resumes: str = "") -> str:
        app = MaverickApp(Launch(shop, "handyman", prompt, resumes=resumes), preferences=Preferences())
        async with app.run_test(size=(100, 40)) as pilot:
            await seen(app, pilot, prompt)
            (run,) = app.board.runs.values()
            await seen(app, pilot, lambda: run.store.figures.turns == turns)
            shown = transcript(app)
            app._leaving.end_now(0)
            await seen(app, pilot, lambda: app._exit)
        return shown

    async def read_and_ask(run_id: str, prompt: str) -> str:
        """Opened in an application that was started elsewhere, by what is typed there."""
        app = MaverickApp(Launch(shop.parent), preferences=Preferences())
        async with app.run_test(size=(100, 40)) as pilot:
            app.open_kept(run_id)
            await seen(app, pilot, "The second words")
            await pilot.press(*prompt, "enter")
            (run,) = app.board.runs.values()
            await seen(app, pilot, lambda: run.store.figures.turns == 3)
            await seen(app, pilot, prompt)
            assert run.store.loaded is not None
            assert run.store.loaded.cwd == str(shop)
            shown = transcript(app)
            app._leaving.end_now(0)
            await seen(app, pilot, lambda: app._exit)
        return shown

    async with serve(say("The answer.")) as server:
        await ask("The first words", 1)
        (run_id,) = kept_runs()
        shown = await ask("The second words", 2, run_id)
        asked = json.dumps(server.requests[-1]["messages"])
        read = await read_and_ask(run_id, "The third words")
        asked_then = json.dumps(server.requests[-1]["messages"])
    assert shown.count("The answer.") == 2
    assert "The first words" in shown
    assert "The first words" in asked
    assert [*kept_runs()] == [run_id]
    assert read.count("The answer.") == 3
    assert "The second words" in asked_then
