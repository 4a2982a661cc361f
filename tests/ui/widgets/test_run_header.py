"""RunHeader on a screen."""

from __future__ import annotations

import dataclasses

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.modes import MEANINGS, PERMISSION_MODES
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.widgets.run_header import RunHeader
from tests.runs.story import LOADED, ask, asked, call, end, told
from tests.ui.widgets.host import Host


class Listening(Host):
    def __init__(self, store: RunStore, badge: str = "") -> None:
        super().__init__(lambda: [RunHeader(store, badge=badge)])

    @property
    def header(self) -> RunHeader:
        return self.query_one(RunHeader)


async def shown(store: RunStore, width: int = 120, badge: str = "", waiting: int = 0) -> str:
    app = Listening(store, badge)
    async with app.run_test(size=(width, 3)) as pilot:
        app.header.set_branch("main", 3)
        app.header.refresh_header(place=1, total=3, waiting=waiting)
        await pilot.pause()
        return app.drawn()[0].strip()


async def test_everything_is_there_where_there_is_room() -> None:
    text = await shown(asked(ev.ModelNamed(1, "claude-sonnet-4-5-20250929")), 150, "OFFLINE DEMO", waiting=1)
    left, _, right = text.partition("   ")
    assert left == "reviewer  ● running"
    assert right.split("   ")[-8:] == [
        "1 of 3 runs",
        "⚑ 1 needs you",
        "claude-code",
        "sonnet 4.5",
        "main ±3",
        "acceptEdits",
        "edits pass, the rest asks",
        " OFFLINE DEMO",
    ]


async def test_at_80_columns_what_one_acts_on_stays() -> None:
    text = await shown(asked(), 80, "OFFLINE DEMO", waiting=2)
    for part in ("reviewer", "● running", "⚑ 2 need you", "acceptEdits", "OFFLINE DEMO"):
        assert part in text
    assert "claude-code" not in text
    assert "edits pass" not in text


async def test_what_is_short_is_there_where_what_is_long_does_not_fit() -> None:
    text = await shown(asked(ev.ModelNamed(1, "claude-sonnet-4-5-20250929")), 100)
    assert "claude-code   sonnet 4.5" in text
    assert "edits pass" not in text


@pytest.mark.parametrize("width", [60, 40, 30])
async def test_the_mode_is_always_there(width: int) -> None:
    started = dataclasses.replace(LOADED, agent="an-agent-with-a-very-long-name-indeed")
    text = await shown(told(started, ev.TurnStarted(1, 1, "x")), width, waiting=1)
    assert text.endswith("acceptEdits")
    assert text.startswith("an-")
    assert "●" in text


async def test_the_state_is_a_sign_and_a_word() -> None:
    assert (await shown(asked(call("Bash"), ask()))).startswith("reviewer  ⚑ needs you")
    assert (await shown(asked(end("failed")))).startswith("reviewer  ✘ failed")
    assert (await shown(told())).startswith("○ starting")


async def test_one_run_is_not_counted_and_a_run_offline_says_so() -> None:
    app = Listening(told(dataclasses.replace(LOADED, is_offline=True)))
    async with app.run_test(size=(120, 3)) as pilot:
        app.header.refresh_header()
        await pilot.pause()
        text = app.drawn()[0]
        assert "runs" not in text
        assert " OFFLINE" in text
        assert "main" in text, "the branch of the run's own beginning"
        assert "±" not in text


async def test_foreign_names_are_inert() -> None:
    started = dataclasses.replace(LOADED, agent="evil\x1b[2J", branch="x\ny\x9b", permission_mode="z\x07")
    app = Listening(told(started))
    async with app.run_test(size=(120, 3)) as pilot:
        app.header.refresh_header()
        await pilot.pause()
        assert "evil␛[2J" in app.drawn()[0]
        assert "x y\ufffd" in app.drawn()[0]


async def test_a_click_on_the_mode_asks_for_another() -> None:
    store = asked()
    app = Listening(store)
    async with app.run_test(size=(120, 3)) as pilot:
        app.header.refresh_header()
        await pilot.pause()
        column = app.drawn()[0].index("acceptEdits")
        await pilot.click(RunHeader, offset=(column - 2, 0))
        assert app.acted == []
        await pilot.click(RunHeader, offset=(column, 0))
        await pilot.click(RunHeader, offset=(column + 10, 0))
        assert app.acted == ["cycle_mode"] * 2
        store.apply(ev.ModeChanged(3, "plan"))
        app.header.refresh_header()
        await pilot.pause()
        assert "plan   plans, changes nothing" in app.drawn()[0]


async def test_it_is_drawn_again_only_when_something_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    store = asked()
    app = Listening(store)
    async with app.run_test(size=(120, 3)) as pilot:
        app.header.refresh_header(place=1, total=2)
        await pilot.pause()
        drawn: list[object] = []
        monkeypatch.setattr(app.header, "refresh", lambda *regions, **_: drawn.append(regions))
        app.header.refresh_header(place=1, total=2)
        assert drawn == []
        app.header.refresh_header(place=2, total=2)
        assert len(drawn) == 1


def test_every_mode_has_a_meaning() -> None:
    assert set(PERMISSION_MODES) <= set(MEANINGS)
