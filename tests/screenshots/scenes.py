"""The scenes that pictures are taken of: each is played by keys until its moment has come."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.pilot import Pilot

from maverick_tui.runs.entries import TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.changes.screen import ChangesScreen
from maverick_tui.ui.dialogs.leaving import LeavingScreen
from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.xray import XRayPanel
from maverick_tui.ui.run.screen import RunScreen
from tests.ui.snapshots.test_history import PROMPTS, keep_months

WIDE, NARROW = (120, 40), (80, 24)
PATIENCE = 60.0

Play = Callable[[Pilot[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture: what it shows, and how to come to it."""

    name: str
    shows: str
    play: Play
    agent: str | None = None
    size: tuple[int, int] = WIDE
    theme: str = "maverick-dark"
    before: Play | None = None
    """What was done in another window, which is closed: its agents work on."""


async def until(pilot: Pilot[Any], is_so: Callable[[], object]) -> None:
    """Wait for a moment."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError("The moment of the picture never came.")
        await pilot.pause(0.02)


def screen_of(pilot: Pilot[Any]) -> RunScreen:
    """The run that is shown."""
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, RunScreen))


async def opened(pilot: Pilot[Any]) -> RunScreen:
    """The run, when it is connected and has the prompt that the demo suggests."""
    await until(pilot, lambda: pilot.app.screen_stack and isinstance(pilot.app.screen, RunScreen))
    screen = screen_of(pilot)
    await until(pilot, lambda: screen.is_mounted and screen.store.phase == "ready" and screen.prompt.text)
    return screen


async def ask(pilot: Pilot[Any]) -> RunStore:
    """Send the prompt that the demo suggests."""
    screen = await opened(pilot)
    await pilot.press("enter")
    await until(pilot, lambda: screen.store.is_running)
    return screen.store


async def allow_all(pilot: Pilot[Any], store: RunStore, is_so: Callable[[], object]) -> None:
    """Wait for a moment, and allow for this run whatever is asked until then."""

    def look() -> bool:
        return bool(is_so()) or store.needs_person

    while True:
        await until(pilot, look)
        if is_so():
            return
        await pilot.pause(0.5)  # a question takes no answer in its first moment
        await pilot.press("ctrl+t")
        await until(pilot, lambda: not store.needs_person)


def written(store: RunStore) -> int:
    """Characters of the block that is being written."""
    entry = store.streaming
    return len(entry.text) if isinstance(entry, TextEntry) and entry.kind == "text" else 0


def looks_whole(pilot: Pilot[Any]) -> bool:
    """Whether no emphasis is open at the end of what is drawn: in a picture it looks like a mistake."""
    drawn = "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())
    return "**" not in drawn and "`" not in drawn and not re.search(r"•\s*$", drawn, re.MULTILINE)


def has_edited(store: RunStore) -> bool:
    """Whether a file was changed."""
    return any(
        isinstance(entry, ToolEntry) and entry.name == "Edit" and entry.state == "done" for entry in store.entries
    )


async def picker(pilot: Pilot[Any]) -> None:
    """The agents of the demo, the implementer highlighted."""
    agents = await choose(pilot, "implementer")
    xray = pilot.app.screen.query_one(XRayPanel)
    await until(pilot, lambda: agents.item is not None and xray._shown == agents.item.key)
    await pilot.pause(0.3)


async def choose(pilot: Pilot[Any], agent: str) -> AgentList:
    """Highlight an agent in the picker."""
    await until(pilot, lambda: pilot.app.screen.query(AgentList) and pilot.app.screen.query_one(AgentList).item)
    agents = pilot.app.screen.query_one(AgentList)
    while agents.item is not None and (agents.item.run_id or agents.item.name != agent):
        await pilot.press("down")
    return agents


async def live(pilot: Pilot[Any]) -> None:
    """The implementer has edited, and writes its report."""
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: has_edited(store))
    screen_of(pilot).prompt.set_text("Then look at the coupons, too")
    await allow_all(pilot, store, lambda: written(store) > 420)
    await until(pilot, lambda: looks_whole(pilot))


async def changes(pilot: Pilot[Any]) -> None:
    """What the implementer has changed, with a comment that is not sent yet."""
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: has_edited(store) and not store.is_running)
    await until(pilot, lambda: store.snapshot is not None and store.snapshot.when == "end")
    await pilot.press("alt+c")
    await until(pilot, lambda: isinstance(pilot.app.screen, ChangesScreen) and pilot.app.screen.diff.diff is not None)
    await pilot.press(*["down"] * 5, "c", *"And what if the rate is negative?", "enter")
    await pilot.pause(0.5)


def _has_left(store: RunStore, mode: str) -> bool:
    return store.mode != mode


async def approval(pilot: Pilot[Any]) -> None:
    """The implementer wants to edit, and may not without being allowed."""
    screen = await opened(pilot)
    while (mode := screen.store.mode) != "default":
        await pilot.press("shift+tab")
        await until(pilot, partial(_has_left, screen.store, mode))
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: any(one.tool == "Edit" for one in store.questions.values()))
    await pilot.pause(3.2)  # so that one sees it wait


async def broken(pilot: Pilot[Any]) -> None:
    """The documenter's stream has broken; what came is there."""
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: store.current_failure is not None)
    await pilot.pause(0.5)


async def review(pilot: Pilot[Any]) -> None:
    """The reviewer is done."""
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: store.phase == "done")
    await pilot.pause(0.5)


async def helped(pilot: Pilot[Any]) -> None:
    """The keys, above a run."""
    await live(pilot)
    await pilot.press("f1")
    await pilot.pause(0.3)


async def history(pilot: Pilot[Any], *keys: str) -> None:
    """Runs of some weeks; the demo itself leaves too few."""
    keep_months(time.time(), PROMPTS[:4])  # not every machine has the letters of the last one
    await until(pilot, lambda: pilot.app.query(AgentList))
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(pilot.app.screen, HistoryScreen))
    screen = pilot.app.screen
    assert isinstance(screen, HistoryScreen)
    await until(pilot, lambda: screen._preview.line_count)
    await pilot.press("down", *keys)
    await until(pilot, lambda: screen._pane.filter.count and screen._looking.key.startswith(screen._previewed))


async def quitting(pilot: Pilot[Any]) -> None:
    """The implementer is at work, and somebody quits."""
    store = await ask(pilot)
    await allow_all(pilot, store, lambda: has_edited(store))
    await quit_now(pilot)
    await pilot.pause(0.3)


async def quit_now(pilot: Pilot[Any]) -> None:
    """Be asked what becomes of those at work."""
    await pilot.press("ctrl+q")
    await until(pilot, lambda: isinstance(pilot.app.screen, LeavingScreen))


async def left(pilot: Pilot[Any]) -> None:
    """Two agents, of which one asks and one works, are left alone."""
    first = await start(pilot, "implementer")
    await until(pilot, lambda: first.needs_person)
    await pilot.press("ctrl+n")
    await start(pilot, "reviewer")
    await quit_now(pilot)
    await pilot.press("enter")


async def start(pilot: Pilot[Any], agent: str) -> RunStore:
    """Pick an agent, and send what the demo suggests."""
    await choose(pilot, agent)
    await pilot.press("enter")
    return await ask(pilot)


async def came_back(pilot: Pilot[Any]) -> None:
    """Agents at work, above those that could be picked; what needs a person is highlighted."""
    await until(pilot, lambda: pilot.app.screen.query(AgentList))
    agents = pilot.app.screen.query_one(AgentList)
    await until(pilot, lambda: any(row.item is not None and row.item.is_elsewhere for row in agents.rows))
    await pilot.press("home")
    await until(pilot, lambda: agents.item is not None and agents.item.is_elsewhere)
    await pilot.pause(0.5)


SCENES = (
    Scene("picker", "every agent, and an X-ray of one", picker),
    Scene("live", "an agent at work", live, "implementer"),
    Scene("live-80x24", "the same in a small terminal", live, "implementer", NARROW),
    Scene("approval", "an edit that wants permission", approval, "implementer"),
    Scene("stream-broke", "a stream that broke, and what came before", broken, "documenter"),
    Scene("review-light", "a review, in the light theme", review, "reviewer", theme="maverick-light"),
    Scene("leaving", "quitting while an agent works", quitting, "implementer", NARROW),
    Scene("coming-back", "agents that worked on, and what they did meanwhile", came_back, before=left),
    Scene("help", "the keys", helped, "implementer"),
    Scene("changes", "what an agent has changed, and a comment on it", changes, "implementer", (100, 26)),
    Scene("history", "all runs that are kept", history, size=(120, 32)),
    Scene("totals", "what they have cost", lambda pilot: history(pilot, "tab", "tab"), size=NARROW),
)
