"""The picker and everything that opens from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui import paths
from maverick_tui.git import head
from maverick_tui.ui.dialogs.inputs import InputsForm
from maverick_tui.ui.dialogs.trust import TrustScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker import elsewhere
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.xray import XRayPanel
from maverick_tui.ui.preferences import Preferences
from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import Shot
from tests.ui.snapshots.shop import make_shop
from tests.ui.snapshots.story import NARROW, WIDE, StoryApp, settled
from tests.ui.waiting import until

at_both_sizes = pytest.mark.parametrize("size", sampled([(NARROW,), (WIDE,)], 2, ["80x24", "120x40"]))
mostly_wide = pytest.mark.parametrize("size", sampled([(WIDE,), (NARROW,)], 2, ["120x40", "80x24"]))
"""For what a narrow screen has no room for."""


@pytest.fixture
def shop(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop, with three changed files."""
    shipped, real = home / ".local/maverick/agents", paths.shipped("styles")
    monkeypatch.setattr(paths, "shipped", lambda kind: shipped if kind == "agents" else real)
    monkeypatch.setattr(head, "read_checkout", lambda _cwd: head.Checkout("discounts", 3))
    return make_shop(home, shipped)


def picker(shop: Path, theme: str = "maverick-dark") -> StoryApp:
    preferences = Preferences()
    preferences.change(theme=theme)
    return StoryApp(Launch(shop), preferences)


async def rested(pilot: Pilot[Any]) -> None:
    """The agents are read, and the highlighted one is shown."""
    screen = pilot.app.screen_stack[0]
    agents, xray = screen.query_one(AgentList), screen.query_one(XRayPanel)
    await until(pilot, lambda: "reading" not in agents.notice, "the agents are read")
    await until(pilot, lambda: agents.item is None or xray._shown == agents.item.key, "the X-ray is there")
    await settled(pilot)


@mostly_wide
def test_picker(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    assert shot(picker(shop), size, rested)


@at_both_sizes
def test_filter(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"re")
        await rested(pilot)

    assert shot(picker(shop), size, drive)


def test_nothing_matches(shot: Shot, shop: Path) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"kubernetes")
        await rested(pilot)

    assert shot(picker(shop), NARROW, drive)


def test_xray_instead_of_the_list(shot: Shot, shop: Path) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press("tab")

    assert shot(picker(shop), NARROW, drive)


@at_both_sizes
def test_a_file_with_errors(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"schema")
        await rested(pilot)
        await pilot.press("enter")

    assert shot(picker(shop), size, drive)


@at_both_sizes
def test_an_agent_that_is_not_trusted(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"deploy")
        await rested(pilot)

    assert shot(picker(shop), size, drive)


@mostly_wide
def test_runs_come_first(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    app = picker(shop)

    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        app.add_run(tapes.reproduced())
        app.add_run(tapes.asked("release").ask("Bash", {"command": "git push"}))
        app.add_run(tapes.done())
        await pilot.pause()
        app.clear_notifications()
        app._navigation.runs_changed()
        await rested(pilot)

    assert shot(app, size, drive)


@at_both_sizes
def test_live_runs_of_other_processes(
    shot: Shot, shop: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    app = picker(shop)
    monkeypatch.setattr(elsewhere, "read_elsewhere", tapes.left_at_work)

    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        agents = pilot.app.screen.query_one(AgentList)
        await until(pilot, lambda: agents.rows and agents.rows[0].group.title == "RUNS", "they are listed")
        app.add_run(tapes.reproduced())
        app._navigation.runs_changed()
        await pilot.press("home")
        await rested(pilot)

    assert shot(app, size, drive)


@at_both_sizes
def test_inputs_with_an_error(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"api")
        await rested(pilot)
        await pilot.press("enter")
        app = pilot.app
        await until(pilot, lambda: isinstance(app.screen, InputsForm) and app.screen.focused, "the form is there")
        first = app.screen.focused
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.focused is not first, "the next field has the focus")
        await pilot.press(*"many", "enter", "enter")
        await until(pilot, lambda: any(field.has_focus_within for field in app.screen.query(".-wrong")), "it is told")
        await settled(pilot)

    assert shot(picker(shop), size, drive)


@at_both_sizes
def test_trust(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press(*"deploy", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TrustScreen), "the question is there")
        await until(pilot, lambda: pilot.app.screen.is_armed, "a yes counts")  # type: ignore[attr-defined]

    assert shot(picker(shop), size, drive)


@at_both_sizes
def test_help(shot: Shot, shop: Path, size: tuple[int, int]) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await rested(pilot)
        await pilot.press("f1")

    assert shot(picker(shop), size, drive)


@pytest.mark.parametrize("theme", sampled(["maverick-light", "maverick-ansi"], 2))
def test_theme(shot: Shot, shop: Path, theme: str) -> None:
    assert shot(picker(shop, theme), WIDE, rested)
