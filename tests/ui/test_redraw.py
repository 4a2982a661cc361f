"""A key draws the whole screen anew, whatever is on it and whoever has written over it."""

from __future__ import annotations

from tests.support.runs import Tape
from tests.support.terminal import Glass, GlassDriver
from tests.ui.running import FedApp
from tests.ui.waiting import until

SIZE = (100, 30)


async def test_ctrl_l_puts_everything_right_that_others_have_written_over() -> None:
    app, glass = FedApp(), Glass(*SIZE)
    app.driver_class = GlassDriver
    async with app.run_test(headless=False, size=SIZE) as pilot:

        def sees(text: str) -> bool:
            assert isinstance(app._driver, GlassDriver)
            glass.feed(app._driver.take())
            return text in glass.text

        await until(pilot, lambda: app.board.runs and app.run_model.handle is not None, "the run is there")
        app.tell(Tape().connect().prompt("Go").say("Here you are.").done())
        await until(pilot, lambda: sees("Here you are."))
        await pilot.press("f1")  # above it a dialog, through which it is seen
        await until(pilot, lambda: sees("Between prompt and transcript") and app.top == "HelpScreen")
        before = glass.text
        for line in range(1, SIZE[1] + 1):
            glass.feed(f"\x1b[0m\x1b[{line};1H{'#' * SIZE[0]}")
        await pilot.press("ctrl+l")
        await until(pilot, lambda: sees("Between prompt and transcript") and glass.text == before)
