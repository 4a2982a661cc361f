"""A prompt is found among those of all runs, and put into the prompt without being sent."""

from __future__ import annotations

import pytest

from maverick_tui.history.index import RunIndex
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from tests.history.kept import begun, ended, keep, turn
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import watching
from tests.ui.waiting import until


def keep_runs() -> str:
    long = f"Compare the tills {'of every shop ' * 400}and say which one is off"
    keep("aaaaaaaaaaa1", [*begun("aaaaaaaaaaa1"), *turn(1, "Round the sums once", "Done."), *ended()])
    keep("aaaaaaaaaaa2", [*begun("aaaaaaaaaaa2"), *turn(1, long, "Done."), *turn(2, "Round the sums once", "")])
    return long


def test_each_text_is_found_once_and_long_ones_are_whole() -> None:
    long = keep_runs()
    with RunIndex() as index:
        assert sorted(one.text[:20] for one in index.prompts()) == ["Compare the tills of", "Round the sums once"]
        (found,) = index.prompts(["TILL", "shop"])
        assert len(found.text) < len(long)
        assert index.whole_prompt(found) == long
        assert index.prompts(["50%"]) == []


async def test_a_key_finds_it_and_enter_puts_it_where_the_cursor_is() -> None:
    keep_runs()
    tape = Tape().connect().prompt("Go").say("Done.").done()
    async with watching(tape, size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"first: ", "ctrl+r")
        await until(pilot, lambda: app.top == "PastPromptsScreen")
        await until(pilot, lambda: len(app.screen.query_one(ChoiceList).text.splitlines()) == 2)
        await pilot.press(*"sums")
        await until(pilot, lambda: app.screen.query_one(ChoiceList).text.startswith("Round the sums once"))
        await until(pilot, lambda: "Compare" not in app.screen.query_one(ChoiceList).text)
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen")
        assert prompt.text == "first: Round the sums once"
        assert app.kept.take() == []


@pytest.mark.parametrize("text", sampled(["!touch made", "/export md made", "\n/Export jsonl made", "/clear"], 2))
async def test_what_was_a_prompt_is_one_again_and_no_command(text: str) -> None:
    keep("aaaaaaaaaaa1", [*begun("aaaaaaaaaaa1"), *turn(1, text, "No."), *ended()])
    async with watching(Tape().connect().prompt("Go").say("Done.").done(), size=(80, 24)) as (app, pilot):
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.top == "PastPromptsScreen")
        await until(pilot, lambda: text.strip() in app.screen.query_one(ChoiceList).text)
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen" and text.strip() in app.run_screen.prompt.text)
        await pilot.press("enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt), "an agent's file may have suggested it"
        assert sent.text.strip() == text.strip()
        assert app.top == "RunScreen", "nothing is asked: it was a prompt before"
