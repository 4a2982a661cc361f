"""What was written in a form that was left stands there again, and all that was pasted into it."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from maverick_tui.inputs import InputSpec
from maverick_tui.ui.dialogs.fork import ForkScreen
from maverick_tui.ui.dialogs.inputs import InputsForm
from maverick_tui.ui.race.form import RaceForm, RaceWish
from maverick_tui.ui.widgets.prompt import Prompt
from tests.ui.dialogs.host import PENDING, Host, asked
from tests.ui.waiting import until

LINES = "first line\n  second line\nthird line"


async def ask_again(app: Host, pilot: Pilot[None], dialog: ModalScreen[Any]) -> None:
    app.answer = PENDING
    await app.push_screen(dialog, app._keep)
    await pilot.pause()


@pytest.mark.explore
async def test_the_prompt_of_a_race_has_several_lines_and_is_there_again() -> None:
    agents = ["implementer", "reviewer"]
    async with asked(RaceForm(agents)) as (app, pilot):
        await pilot.press(*"implementer, reviewer", "enter", "enter")
        app.post_message(events.Paste(LINES))
        await until(pilot, lambda: "third line" in app.text, "all of it is shown")
        await pilot.press("enter", *"make test", "escape")
        await until(pilot, lambda: app.answer is None, "it was left")
        await ask_again(app, pilot, RaceForm(agents))
        await until(pilot, lambda: "third line" in app.text and "make test" in app.text, "it is there again")
        await pilot.press("tab", "tab", "end", *", please", "enter", "enter")
        wish = RaceWish(("implementer", "reviewer"), (), f"{LINES}, please", ("make", "test"))
        await until(pilot, lambda: app.answer == wish, "they race")


@pytest.mark.explore
async def test_a_long_prompt_of_a_race_hides_nothing_and_arrows_lead_through_all_fields() -> None:
    async with asked(RaceForm(["implementer", "reviewer"])) as (app, pilot):
        await pilot.press(*"implementer, nobody", "down", "down")
        app.post_message(events.Paste("\n".join(f"line {number}" for number in range(12))))
        await until(pilot, lambda: "line 11" in app.text, "the end of it")
        await pilot.press("down", *"make test", "enter")
        await until(pilot, lambda: "There is no agent 'nobody'" in app.text and "make test" in app.text)
        await pilot.press("up")
        assert app.focused is app.screen.query_one(Prompt)
        await pilot.press(*["up"] * 12)
        assert app.focused is app.screen.query_one("#models")


@pytest.mark.explore
async def test_what_was_typed_for_an_agent_or_a_fork_is_there_again() -> None:
    specs = [InputSpec("topic", description="What about"), InputSpec("depth", "integer", default=3)]
    async with asked(InputsForm("notes", specs)) as (app, pilot):
        await pilot.press(*"long words", "escape")
        await until(pilot, lambda: app.answer is None, "it was left")
        await ask_again(app, pilot, InputsForm("notes", [specs[0], InputSpec("depth", "integer", default=5)]))
        assert "long words" in app.text
        await pilot.press("enter", "enter")
        await until(pilot, lambda: app.answer == {"topic": "long words", "depth": 5}, "with what nobody has typed")
        await ask_again(app, pilot, InputsForm("notes", specs))
        assert "long words" not in app.text
        await pilot.press("escape")
        for turn, words in ((2, "Do it another way"), (2, "Do it another way"), (3, "Do it")):
            await ask_again(app, pilot, ForkScreen(turn, "Do it", "reviewer", [], "sonnet", run_id="r1"))
            await until(pilot, lambda: "Do it" in app.text, "its prompt")
            if app.text.count("another way") == 0 and turn == 2:
                await pilot.press("end", *" another way")
            assert words in app.text
            assert ("another" in app.text) == ("another" in words)
            await pilot.press("escape")
            await until(pilot, lambda: app.answer is None, "it was left")


async def test_lines_that_are_pasted_into_one_are_all_there() -> None:
    async with asked(InputsForm("notes", [InputSpec("topic")])) as (app, pilot):
        app.post_message(events.Paste(LINES.replace("\n", "\r\n") + "\n"))
        await until(pilot, lambda: app.screen.query_one(Input).value, "it is pasted")
        assert app.screen.query_one(Input).value == "first line second line third line"
