"""Lines to type in: what is pasted there is shown, and steers nothing."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from maverick_tui.ui.widgets.inert_input import InertInput
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import watching
from tests.ui.waiting import until

HOSTILE = "a\x1b]0;title\x07b\x9b2J\u202ec\td"


@pytest.mark.parametrize("opens", ["ctrl+f", "f1"])
@pytest.mark.parametrize("way", sampled(["terminal", "clipboard"], 2))
async def test_pasted_control_codes_are_inert_in_find_and_help(opens: str, way: str) -> None:
    async with watching(Tape().connect().prompt("Go").say("An answer.")) as (app, pilot):
        await pilot.press(opens)
        await until(pilot, lambda: isinstance(app.focused, Input))
        line = app.focused
        assert isinstance(line, Input)
        if way == "terminal":
            app.post_message(events.Paste(HOSTILE))
        else:
            app.copy_to_clipboard(HOSTILE)
            await pilot.press("ctrl+v")
        await until(pilot, lambda: line.value)
        assert line.value == "a␛]0;title␇b\N{REPLACEMENT CHARACTER}2J\N{REPLACEMENT CHARACTER}c d"


async def test_keys_that_come_at_once_edit_in_their_order_and_enter_comes_behind_down() -> None:
    did: list[str] = []

    class Listing(App[None]):
        BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "go_down")]

        def compose(self) -> ComposeResult:
            yield InertInput()

        def action_go_down(self) -> None:
            did.append("down")

        def on_input_submitted(self, event: Input.Submitted) -> None:
            did.append(event.value)

    app = Listing()
    async with app.run_test() as pilot:
        line = app.query_one(InertInput)
        for key in (*"ab", "backspace", "c", "left", "d", "ctrl+w", "ctrl+y", "end", "e", "down", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: len(did) == 2, "what comes last")
        assert line.value == "adce"
        assert did == ["down", "adce"]
