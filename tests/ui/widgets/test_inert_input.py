"""Lines to type in: what is pasted there is shown, and steers nothing."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

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
