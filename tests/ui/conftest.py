"""What all tests of the interface share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import pytest
from rich import cells
from textual import _wait
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.pilot import Pilot
from textual.screen import Screen

# Where it is loaded, as in a run of all tests, it reads the settings; else each application has a process do that.
import maverick_tui.config  # noqa: F401
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.picker import xray
from maverick_tui.ui.textual_private.timers import let_late_timers_go_off
from tests.ui.waiting import until


@pytest.fixture(autouse=True, scope="session")
def styles_parsed_once() -> Iterator[None]:
    """Hundreds of applications have the same styles. Textual keeps what it has parsed for one of them, this for all."""
    parse = Stylesheet._parse_rules
    known: dict[Any, dict[Any, list[RuleSet]]] = {}
    of_sheets: WeakKeyDictionary[Stylesheet, tuple[dict[str, str], dict[Any, list[RuleSet]]]] = WeakKeyDictionary()

    def look_up(sheet: Stylesheet, css: str, read_from: CSSLocation, *rest: Any, **named: Any) -> list[RuleSet]:
        variables, rules = of_sheets.get(sheet, (None, {}))
        if variables is not sheet._variables:  # a new theme has others; to compare them each time takes longer
            rules = known.setdefault(frozenset(sheet._variables.items()), {})
            of_sheets[sheet] = sheet._variables, rules
        key = (css, read_from, rest, *named.items())
        if key not in rules:
            rules[key] = parse(sheet, css, read_from, *rest, **named)
        return rules[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", look_up)
        yield


_RICHS_OWN = cells.load_cell_table  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def widths_are_richs_own() -> None:
    """An application in a terminal, also one of another test, has Rich count cells in its way from then on."""
    if cells.load_cell_table is not _RICHS_OWN:  # type: ignore[attr-defined]
        cells.load_cell_table = _RICHS_OWN  # type: ignore[attr-defined]
        cells.get_character_cell_size.cache_clear()
        cells.cached_cell_len.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def no_forecasts() -> Iterator[None]:
    """Where runs are kept each picker has a process find out what agents cost; `history/test_forecast.py` has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xray, "read_forecasts", dict)
        yield


@pytest.fixture(autouse=True, scope="session")
def dialogs_take_keys_at_once() -> Iterator[None]:
    """Nobody types for the screen below while a dialog comes up; `dialogs/test_arming.py` does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ArmedDialog, "armed_after", 0.0)
        yield


@pytest.fixture(autouse=True, scope="session")
def late_timers_go_off() -> None:
    """As in the application, in those that tests make for a widget alone."""
    let_late_timers_go_off()


@pytest.fixture(autouse=True, scope="session")
def idle_is_noticed_soon() -> Iterator[None]:
    """After each key Textual looks every 20 ms whether the application has come to rest, which it has if it worked for
    less than one of them: each look, and whatever ticks, takes longer than that, and so each key up to two seconds.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_wait, "SLEEP_GRANULARITY", 0.004)
        patch.setattr(_wait, "SLEEP_IDLE", 0.002)
        yield


@pytest.fixture(autouse=True, scope="session")
def a_new_size_has_come() -> Iterator[None]:
    """Textual's own way to resize a terminal only pauses, and on a busy machine nobody has heard of it by then."""
    resize = Pilot.resize_terminal

    async def resize_and_wait(pilot: Pilot[Any], width: int, height: int) -> None:
        await resize(pilot, width, height)
        await until(pilot, lambda: pilot.app.screen.outer_size == (width, height), "it has its new size")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pilot, "resize_terminal", resize_and_wait)
        yield


LOOK = 0.02
"""Seconds: a pause that is not longer is one of several, until what a test waits for is there."""
ROUNDS = 30
"""Rounds of the event loop after a key: on a busy machine the process may have stood still while Textual took it for
one that has come to rest, and what the key does goes from one to the next."""
LOOKS = 3
"""After so many of them there is a frame even if another one would follow: what is waited for may come with it."""


@pytest.fixture(autouse=True, scope="session")
def frames_are_painted_for_somebody_who_looks() -> Iterator[None]:
    """Without a terminal every frame is thrown away, and they are a third of the work: of those that come between two
    steps of a test the last one is painted, which has all that is due. A short pause is no step but a look whether
    something has come: there a frame waits until no other follows it. `make explore` paints each of them.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") == "explore":
        yield
        return
    paint, pause, press, shut_down = Screen._compositor_refresh, Pilot.pause, Pilot.press, App._shutdown
    due: WeakSet[Screen[Any]] = WeakSet()
    news: WeakSet[Screen[Any]] = WeakSet()
    looks = 0

    def put_off(screen: Screen[Any]) -> None:
        if not screen.app.is_headless:
            paint(screen)
            return
        due.add(screen)
        news.add(screen)
        screen._dirty_widgets.clear()
        screen.app._update_mouse_over(screen)

    def paint_due(app: App[Any]) -> None:
        nonlocal looks
        looks = 0
        for screen in [screen for screen in due if screen.is_attached and screen.app is app]:
            due.discard(screen)
            paint(screen)

    async def pause_and_paint(pilot: Pilot[Any], delay: float | None = None) -> None:
        nonlocal looks
        news.clear()
        await pause(pilot, delay)
        looks += 1
        if delay is None or delay > LOOK or not news or looks >= LOOKS:
            paint_due(pilot.app)

    async def press_and_paint(pilot: Pilot[Any], *keys: str) -> None:
        await press(pilot, *keys)
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
        paint_due(pilot.app)

    async def paint_and_shut_down(app: App[Any]) -> None:
        if app.is_running and app._exception is None:
            paint_due(app)
        await shut_down(app)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Screen, "_compositor_refresh", put_off)
        patch.setattr(Pilot, "pause", pause_and_paint)
        patch.setattr(Pilot, "press", press_and_paint)
        patch.setattr(App, "_shutdown", paint_and_shut_down)
        yield
