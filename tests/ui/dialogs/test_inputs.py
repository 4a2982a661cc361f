"""InputsForm: each kind of field, what is wrong shown in place, every way to submit and to give up."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input, Select

from maverick_tui.inert import inert
from maverick_tui.inputs import InputSpec
from maverick_tui.ui.dialogs.inputs import InputField, InputsForm, Toggle
from tests.support.sampling import sampled
from tests.ui.dialogs.host import BROAD, NARROW, PENDING, asked
from tests.ui.waiting import until

SPECS = (
    InputSpec("since", description="The tag to start from.", default="v1", required=False),
    InputSpec("limit", "integer", required=True),
    InputSpec("depth", choices=("quick", "deep"), default="quick", required=False),
    InputSpec("emoji", "boolean", "Whether to decorate.", default=False, required=False),
)


def form() -> InputsForm:
    return InputsForm("notes", SPECS)


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_every_input_is_a_field_with_its_default(size: tuple[int, int]) -> None:
    async with asked(form(), size) as (app, pilot):
        for text in ("notes asks", "since  text", "The tag to start from.", "v1", "limit  whole number"):
            app.find(text)
        await pilot.press("tab", "tab", "tab")
        for text in ("depth  one of these", "quick", "emoji  on or off", "Whether to decorate.", "○ off", "Enter  Run"):
            app.find(text)


async def test_enter_goes_from_field_to_field_and_runs_after_the_last() -> None:
    async with asked(form()) as (app, pilot):
        await pilot.press(*"v2", "enter", "7", "enter", "enter", "space", "enter")
        assert app.answer == {"since": "v2", "limit": 7, "depth": "quick", "emoji": True}


@pytest.mark.parametrize("key", sampled(["ctrl+enter", "ctrl+j", "ctrl+s"], 3))
async def test_a_key_submits_from_any_field(key: str) -> None:
    async with asked(form()) as (app, pilot):
        await pilot.press("tab", "3", key)
        assert app.answer == {"since": "v1", "limit": 3, "depth": "quick", "emoji": False}


async def test_what_is_wrong_is_shown_in_place_until_it_is_corrected() -> None:
    screen = form()
    async with asked(screen) as (app, pilot):
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✘ is needed" in app.text)
        assert app.find("✘ is needed")[1] == app.find("limit  whole number")[1] + 2
        assert app.focused is list(screen.query(InputField))[1].control
        await pilot.press("x")
        await until(pilot, lambda: "✘" not in app.text)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✘ must be a whole number" in app.text)
        assert app.answer is PENDING
        await pilot.press("backspace", "5", "ctrl+s")
        assert app.answer == {"since": "v1", "limit": 5, "depth": "quick", "emoji": False}


async def test_a_default_can_be_taken_away() -> None:
    async with asked(InputsForm("a", SPECS[:1])) as (app, pilot):
        await pilot.press("backspace", "enter")
        assert app.answer == {"since": None}


async def test_a_choice_is_opened_and_chosen() -> None:
    async with asked(InputsForm("a", SPECS[2:3])) as (app, pilot):
        await pilot.press("space")
        await until(pilot, lambda: "deep" in app.text)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.screen.query_one(Select).value == "deep")
        await pilot.press("enter")
        assert app.answer == {"depth": "deep"}


async def test_a_choice_without_a_default_has_to_be_made_and_an_optional_one_not() -> None:
    async with asked(InputsForm("a", [InputSpec("depth", choices=("quick", "deep"))])) as (app, pilot):
        app.find("choose with Space")
        await pilot.press("enter")
        await until(pilot, lambda: "✘ is needed" in app.text)
    async with asked(InputsForm("a", [InputSpec("depth", choices=("quick",), required=False)])) as (app, pilot):
        app.find("may be empty")
        await pilot.press("enter")
        assert app.answer == {"depth": None}


async def test_numbers_can_be_choices() -> None:
    async with asked(InputsForm("a", [InputSpec("n", "number", choices=(1, 2.5), default=2.5)])) as (app, pilot):
        await pilot.press("enter")
        assert app.answer == {"n": 2.5}


async def test_a_switch_says_how_it_stands() -> None:
    async with asked(InputsForm("a", SPECS[3:])) as (app, pilot):
        await pilot.press("space")
        await until(pilot, lambda: "● on" in app.text)
        await pilot.press("right")
        await until(pilot, lambda: "○ off" in app.text)
        await pilot.click(Toggle)
        await until(pilot, lambda: "● on" in app.text)
        await pilot.press("enter")
        assert app.answer == {"emoji": True}


async def test_escape_gives_up() -> None:
    async with asked(form()) as (app, pilot):
        await pilot.press("escape")
        assert app.answer is None


async def test_the_buttons_can_be_clicked_and_reached() -> None:
    async with asked(InputsForm("a", SPECS[:1])) as (app, pilot):
        await pilot.click(offset=app.find("Esc  Cancel"))
        await pilot.pause()
        assert app.answer is None
    async with asked(InputsForm("a", SPECS[:1])) as (app, pilot):
        await pilot.click(offset=app.find("Enter  Run"))
        await pilot.pause()
        assert app.answer == {"since": "v1"}
    async with asked(InputsForm("a", SPECS[:1])) as (app, pilot):
        await pilot.press("tab", "enter")
        assert app.answer == {"since": "v1"}


@pytest.mark.explore
async def test_many_fields_scroll_and_the_buttons_stay_in_view() -> None:
    specs = [InputSpec(f"field_{number}", description="What it is for.", default="x") for number in range(12)]
    async with asked(InputsForm("a", specs)) as (app, pilot):
        app.find("Enter  Run")
        await pilot.press(*["tab"] * 11)
        await until(pilot, lambda: "field_11" in app.text)
        app.find("Enter  Run")


async def test_hostile_declarations_and_pastes_are_inert_and_no_markup() -> None:
    evil = "[bold]x[/bold] \x9b2J\u202e"
    specs = [
        InputSpec("one", description=evil, default=evil, required=False),
        InputSpec("two", choices=(evil, "y"), default=evil, required=False),
    ]
    async with asked(InputsForm(evil, specs), BROAD) as (app, pilot):
        assert app.text == inert(app.text)
        assert app.text.count("[bold]x[/bold] �2J") == 4
        await pilot.press("tab", "space")
        await pilot.pause()
        assert app.text == inert(app.text)
        await pilot.press("escape")
        app.screen.query_one(Input).post_message(events.Paste("a\x1b[2J\tb"))
        await until(pilot, lambda: "a␛[2J b" in app.text)
