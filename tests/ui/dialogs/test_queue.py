"""The queue as a list: its keys change, move, drop and send what waits, and it shows what becomes of that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.runs import commands
from maverick_tui.runs.board import Rest
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.dialogs.queue import QueueScreen
from maverick_tui.ui.widgets.prompt import Prompt
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import on_screen, until


def three_wait() -> Tape:
    """An agent at work, and three prompts that wait for it."""
    tape = Tape().connect().prompt("Go").say("Half", is_open=True)
    for name in ("first", "second", "third"):
        tape.put(ev.PromptQueued(tape.at, name, f"The {name} one"))
    return tape


@asynccontextmanager
async def listed(tape: Tape) -> AsyncIterator[tuple[FedApp, Pilot[Any]]]:
    """The list of what waits, on the screen of its run."""
    async with watching(tape, size=(80, 24)) as (app, pilot):
        await pilot.press("alt+k")
        await until(pilot, lambda: app.top == "QueueScreen")
        yield app, pilot


async def test_no_key_is_parted_from_its_word_in_80_columns() -> None:
    async with listed(three_wait()) as (app, _):
        words = app.screen.query_one("#queue-keys")
        assert words.size.height == 2
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "Shift+↑↓ move   Esc back" in text


async def test_what_waits_is_changed_moved_dropped_and_sent_by_keys() -> None:
    tape = three_wait()
    async with listed(tape) as (app, pilot):
        rows = app.screen.query_one(ChoiceList)
        await until(pilot, lambda: rows.text.splitlines()[0] == "queued  The first one")
        await pilot.press("down", "shift+up")
        assert app.kept.take() == [commands.MovePrompt("second", -1)]
        app.tell(tape.put(ev.QueueChanged(tape.at, ("second", "first", "third"), (), ("second",))))
        await until(pilot, lambda: rows.text.splitlines() == [
            "now     The second one", "queued  The first one", "queued  The third one",
        ])  # fmt: skip
        assert rows.at == 0, "the mark stays on the prompt"
        await pilot.press("s")
        assert app.kept.take() == [commands.SteerPrompt("second")]
        app.tell(tape.put(ev.PromptDropped(tape.at, "second")).put(ev.PromptSteered(tape.at, 1, "second", "Heed me")))
        await until(pilot, lambda: len(rows.text.splitlines()) == 2)
        await pilot.press("enter", *", please", "enter")
        await until(pilot, lambda: bool(app.kept.commands))
        assert app.kept.take() == [commands.EditPrompt("first", "The first one, please")]
        await pilot.press("e", "x", "escape", "x")
        assert app.kept.take() == [commands.DropPrompt("first")], "what was being changed is left as it was"
        await pilot.press("down", "i")
        assert app.kept.take() == [commands.Interrupt(), commands.SteerPrompt("third")]
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        await until(pilot, lambda: "Heed me" in app.shown(), "what was said meanwhile stands in the transcript")


async def test_a_key_that_was_meant_for_what_is_sent_meanwhile_acts_on_no_other() -> None:
    tape = three_wait()
    async with listed(tape) as (app, pilot):
        queue, rows = app.screen, app.screen.query_one(ChoiceList)
        assert isinstance(queue, QueueScreen)
        await until(pilot, lambda: queue.is_armed)
        queue.armed_after = 60
        app.tell(tape.put(ev.PromptDropped(tape.at, "first")))
        await until(pilot, lambda: len(rows.text.splitlines()) == 2, "it waits no more")
        await pilot.press("x")
        assert app.kept.take() == []
        queue._arm()
        await pilot.press("x")
        assert app.kept.take() == [commands.DropPrompt("second")]
        app.tell(tape.put(ev.PromptDropped(tape.at, "second")))
        await until(pilot, lambda: len(rows.text.splitlines()) == 1, "it was dropped here")
        await pilot.press("x")
        assert app.kept.take() == [commands.DropPrompt("third")], "whoever drops several need not wait"


async def test_what_is_typed_on_behind_a_prompt_that_was_changed_acts_on_none() -> None:
    async with listed(three_wait()) as (app, pilot):
        queue = app.screen
        assert isinstance(queue, QueueScreen)
        queue.armed_after = 60
        await pilot.press("e", *", please")
        assert queue.is_armed, "it hears nothing of that"
        await pilot.press("enter", *"xylophone is")
        assert app.kept.take() == [commands.EditPrompt("first", "The first one, please")]
        queue._arm()
        await pilot.press("x")
        assert app.kept.take() == [commands.DropPrompt("first")]


@pytest.mark.explore
async def test_what_is_changed_of_a_prompt_that_is_sent_meanwhile_comes_into_the_prompt() -> None:
    for key in ("enter", "escape"):
        tape = three_wait()
        async with listed(tape) as (app, pilot):
            edited = app.screen.query_one(Prompt)
            await pilot.press("e", *", please")
            app.tell(tape.put(ev.PromptDropped(tape.at, "first")))
            await until(pilot, lambda: "waits no more" in on_screen(pilot), "it is said")
            await pilot.press(*" do")
            assert edited.text == "The first one, please do", "nobody is interrupted"
            await pilot.press(key)
            assert app.kept.take() == [], "the next one was not meant"
            await pilot.press("escape")
            await until(pilot, lambda: app.top == "RunScreen")
            assert app.run_screen.prompt.text == "The first one, please do"


@pytest.mark.explore
async def test_what_is_changed_of_a_prompt_of_a_run_at_rest_comes_into_the_prompt() -> None:
    async with listed(three_wait()) as (app, pilot):
        await pilot.press("e", *", please")
        app.run_model.rest = Rest("It has ended")
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.take() == [commands.DropPrompt("first")])
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.run_screen.prompt.text == "The first one, please"


@pytest.mark.explore
async def test_what_is_not_changed_of_a_prompt_that_is_sent_meanwhile_is_not_there_twice() -> None:
    tape = three_wait()
    async with listed(tape) as (app, pilot):
        queue = app.screen
        assert isinstance(queue, QueueScreen)
        queue.armed_after = 60
        await pilot.press("e")
        app.tell(tape.put(ev.PromptDropped(tape.at, "first")))
        await until(pilot, lambda: not queue.query_one(Prompt).display)
        await pilot.press("x")
        assert app.kept.take() == [], "what is typed there was not meant for the next one"
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.run_screen.prompt.text == ""


@pytest.mark.explore
async def test_what_is_changed_of_a_prompt_that_waits_is_kept_as_a_draft_meanwhile() -> None:
    async with watching(three_wait()) as (app, pilot):
        screen, kept = app.run_screen, list[str]()
        screen._prompt_state.keep = lambda draft, _reasons: kept.append(draft)
        await pilot.press("alt+k")
        await until(pilot, lambda: app.top == "QueueScreen")
        await pilot.press("e", *", please")
        await until(pilot, lambda: kept[-1:] == ["The first one, please"])
        assert screen.draft == "The first one, please", "whoever quits is asked"
        await pilot.press("escape")
        await until(pilot, lambda: kept[-1] == "", "it was left as it was")


async def test_keys_act_on_what_is_seen_also_when_it_was_sent_a_moment_ago() -> None:
    async with listed(three_wait()) as (app, _):
        screen = app.screen
        assert isinstance(screen, QueueScreen)
        for act in (screen.action_drop, screen.action_send_now, screen.action_interrupt, screen.action_edit):
            screen._show()
            gone, text = next(iter(app.run_model.store.queue.items()))
            del app.run_model.store.queue[gone]
            act()
            assert app.kept.take() == [], "the next one was not meant"
            app.run_model.store.queue[gone] = text
            screen._show()
        del app.run_model.store.queue[screen._marked]
        screen.action_mark(1)
        assert screen._marked in app.run_model.store.queue
