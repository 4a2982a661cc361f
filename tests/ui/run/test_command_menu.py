"""A slash in the prompt shows the commands that it may become; what is no command goes its way as ever."""

from __future__ import annotations

from maverick_tui.runs.commands import ClearConversation, SendPrompt
from maverick_tui.ui.widgets.command_menu import CommandChoice, CommandMenu
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until


def listed(app: FedApp) -> str:
    """What the list says; nothing where it is not to be seen."""
    return "\n".join(one.text for one in app.run_screen.query(CommandMenu) if one.display)


def test_what_may_become_a_command_is_chosen_and_nothing_else() -> None:
    changes: list[None] = []
    choice = CommandChoice({"new": "", "name": "", "quit": ""}, ("name",), lambda: changes.append(None))
    for text, names in (
        ("/", ("new", "name", "quit")),
        ("/n", ("new", "name")),
        ("/NA", ("name",)),
        ("/na x", ()),
        ("/n/etc", ()),
        ("n", ()),
        ("/x", ()),
        ("a /n", ()),
    ):
        choice.look(text)
        assert choice.names == names, text
    choice.look("/n")
    assert choice.completion("/n") == "/new"
    choice.step(1)
    assert choice.completion("/n") == "/name ", "words may follow"
    choice.step(1)
    assert choice.completion("/n") == "/new", "it goes round"
    assert choice.completion("/q") is None, "it has not seen this text"
    choice.look("/new")
    assert choice.completion("/new") is None, "it is whole"
    choice.refuse()
    choice.look("/ne")
    assert not choice.names, "who has closed it is left alone"
    choice.look("")
    choice.look("/ne")
    assert choice.names == ("new",)


async def test_a_slash_lists_commands_and_keys_complete_close_and_obey() -> None:
    async with watching(Tape().connect().prompt("Go").say("Done.").done(), size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press("slash")
        await until(pilot, lambda: "/clear" in listed(app) and "/quit     Leave Maverick" in listed(app))
        await until(pilot, lambda: "Enter or Tab completes it" in str(prompt.border_subtitle))
        await pilot.press("c", "down", "enter")
        assert prompt.text == "/compact ", "completed, and not sent"
        await until(pilot, lambda: not listed(app))
        assert app.kept.take() == []
        prompt.set_text("")
        await pilot.press("slash", "c", "tab")
        assert prompt.text == "/clear"
        assert prompt.has_focus
        await pilot.press("enter")
        await until(pilot, lambda: app.kept.take() == [ClearConversation()], "it was obeyed")
        await pilot.press("up")
        assert prompt.text == "/clear"
        assert not listed(app), "what is brought back has not been typed: the arrow keys go on to earlier prompts"
        prompt.set_text("")
        await pilot.press(*"/q", "escape")
        await until(pilot, lambda: not listed(app))
        await pilot.press("u")
        assert not listed(app)
        assert prompt.text == "/qu"
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "ConfirmScreen", "what is not known asks before it is sent")
        await pilot.press("n")
        prompt.set_text("")
        await pilot.press(*"/c", "ctrl+underscore", "ctrl+underscore")
        await until(pilot, lambda: prompt.text == "" and not listed(app), "it was undone")


async def test_a_click_completes_and_a_path_is_sent_as_it_is() -> None:
    async with watching(Tape().connect().prompt("Go").done(), size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press("slash", "n")
        await until(pilot, lambda: any(one.region.height == 2 for one in app.run_screen.query(CommandMenu)))
        await pilot.click(CommandMenu, offset=(6, 1))
        await until(pilot, lambda: prompt.text == "/name ")
        assert prompt.has_focus
        prompt.set_text("")
        await pilot.press(*"/etc/hosts: who is that?", "enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert sent.text == "/etc/hosts: who is that?"


async def test_words_for_a_question_are_no_commands() -> None:
    tape = Tape().connect().prompt("Go")
    async with watching(tape.ask("Bash", {"command": "ls"}).wait(5)) as (app, pilot):
        await pilot.press("slash")
        await until(pilot, lambda: "/clear" in listed(app))
        await pilot.press("ctrl+r")
        await until(pilot, lambda: not listed(app))
        await pilot.press("slash")
        assert app.run_screen.prompt.text == "/"
        assert not listed(app)


async def test_a_low_window_shows_the_marked_command() -> None:
    async with watching(Tape().connect(), size=(60, 12)) as (app, pilot):
        await pilot.press("slash", "up")
        await until(pilot, lambda: "▸ /quit" in listed(app))
        line = app.run_screen.query_one(CommandMenu)
        await until(pilot, lambda: line.region.height == 4)
        assert "/quit" in "\n".join(strip.text for strip in line.render_lines(line.size.region))


async def test_the_palette_has_a_list_of_its_own_and_leaves_this_one_as_it_is() -> None:
    async with watching(Tape().connect(), size=(80, 24)) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: app.top == "CommandFinder")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        await pilot.press("slash")
        await until(pilot, lambda: "/clear" in listed(app))
        assert app.run_screen.query_one(CommandMenu).visible
