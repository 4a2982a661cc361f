"""The way to the history and back, in the application itself."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.run.screen import RunScreen
from tests.history.kept import AT, keep_run
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until


def begun(agent: str = "reviewer") -> Tape:
    return Tape(agent).connect().prompt("Go").say("An answer.\n\n" * 60)


async def to_history(app: FedApp, pilot: Pilot[Any]) -> HistoryScreen:
    await pilot.press("f3")
    await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.focused, "the history is there")
    assert isinstance(app.screen, HistoryScreen)
    return app.screen


async def test_from_a_run_and_back_with_the_run_as_it_was() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press(*"half a prompt", "pageup")
        screen, top = app.run_screen, app.shown()
        await to_history(app, pilot)
        await pilot.press("f3")
        await until(pilot, lambda: app.screen is screen, "back at the same screen")
        assert app.shown() == top
        assert app.run_screen.prompt.text == "half a prompt"
        assert app.screen_stack == [screen]


async def test_a_run_below_the_history_is_not_on_the_screen_and_says_when_it_is_done() -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        await to_history(app, pilot)
        app.tell(tape.done())
        await until(pilot, lambda: len(app._notifications), "it says so")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "back at the run")


async def test_from_the_picker_to_a_kept_run_at_the_place_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_run("00000000000a", AT, prompt="Look at the cart", answer="It rounds a cent away.")
    app = FedApp(agent=None)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, PickerScreen) and app.screen.is_mounted, "the picker is there"
        )
        opened: list[tuple[Any, ...]] = []
        open_kept = app.open_kept

        def watched(*given: Any) -> None:
            opened.append(given)
            open_kept(*given)

        monkeypatch.setattr(app, "open_kept", watched)
        history = await to_history(app, pilot)
        await pilot.press("tab", *"rounds")
        await until(pilot, lambda: history._pane.rows.row is not None, "it is found")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "the run is shown")
        assert app.run_screen.run.run_id == "00000000000a"
        assert [given[2] for given in opened] == [("rounds",)]
        assert not history.is_attached
        again = await to_history(app, pilot)
        await until(pilot, lambda: again._pane.rows.row is not None, "what was searched for is there again")
        assert again._pane.filter.text == "rounds"


async def test_a_run_of_the_application_is_gone_back_to() -> None:
    async with watching(begun()) as (app, pilot):
        run_id = app.run_model.run_id
        await to_history(app, pilot)
        app.screen.post_message(HistoryScreen.RunChosen(run_id, None, ()))
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "the run is shown")
        assert app.run_screen.run is app.run_model
        assert len(app.board.runs) == 1
