"""What is to happen once, after a while, happens: also if the machine was busy with something else just then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from textual import _time
from textual.app import App

from tests.ui.waiting import PATIENCE


async def test_a_timer_that_was_held_up_as_it_began_goes_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async with App[None]().run_test() as pilot:
        now, went_off = _time.get_time, asyncio.Event()

        def as_it_begins() -> Iterator[float]:
            yield now()
            yield now() + 60  # held up for a minute
            while True:
                yield now()

        times = as_it_begins()
        monkeypatch.setattr(_time, "get_time", lambda: next(times))
        pilot.app.set_timer(0.01, went_off.set)
        await asyncio.wait_for(went_off.wait(), PATIENCE)
