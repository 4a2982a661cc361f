"""Between choosing an agent and running it: trust is asked for what is shown, then the inputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App

from maverick_tui import paths
from maverick_tui.agent.catalog.loading import load, load_agent
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.exceptions import ConfigError, NotStartedError
from maverick_tui.ui.dialogs import before_run, trust
from maverick_tui.ui.dialogs.before_run import Refused, find_and_ask, trust_question
from maverick_tui.ui.dialogs.inputs import InputsForm
from maverick_tui.ui.dialogs.trust import TrustScreen
from maverick_tui.ui.lines import LineView
from maverick_tui.ui.picker.reading import read_agents
from maverick_tui.ui.picker.screen import PickerScreen
from tests.support.sampling import sampled
from tests.ui.picker.host import BROAD, NARROW, PYTHON, Host, opened, write, write_agent
from tests.ui.waiting import until

HOOKS = "hooks: {Stop: [{hooks: [{type: command, command: ./x.sh}]}]}"


@pytest.fixture(autouse=True)
def armed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A yes counts at once, as keys come here from nobody's fingers."""
    monkeypatch.setattr(trust.TrustScreen.__init__, "__kwdefaults__", {"armed_after": 0.001})


def chosen(app: Host) -> list[tuple[str, object]]:
    return [(event.listing.name, event.inputs) for event in app.intents(PickerScreen.AgentChosen)]


def takes_an_answer(app: Host) -> bool:
    """Whether a yes would count: it has waited, and what it is about has been painted."""
    screen = app.screen
    return isinstance(screen, TrustScreen) and screen.is_armed and screen.query_one(LineView).first_unread != 0


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_trust_is_asked_for_and_what_was_shown_is_trusted(size: tuple[int, int]) -> None:
    path = write_agent("deployer", HOOKS)
    async with opened(size) as (app, pilot):
        assert "◇ untrusted" in app.text
        await pilot.press("enter")
        await until(pilot, lambda: takes_an_answer(app))
        assert "• hook Stop: command ./x.sh" in app.text
        shown = path.read_bytes()
        path.write_bytes(shown + b"changed while it was read\n")
        await pilot.press("y")
        await until(pilot, lambda: chosen(app))
        assert chosen(app) == [("deployer", {})]
    store = TrustStore()
    assert store.is_trusted(path, shown)
    assert not store.is_trusted(path, path.read_bytes())
    listing = read_agents(Path.cwd()).items[0].listing
    assert listing is not None
    with pytest.raises(NotTrustedError):
        load(listing, store)


@pytest.mark.parametrize(("fields", "tools"), sampled([("", "all tools"), ("tools: Read, Grep", "Read, Grep")], 2))
async def test_who_stands_in_for_the_persons_own_agent_says_so_and_asks_once(fields: str, tools: str) -> None:
    write(str(paths.user_config() / "agents/documenter.md"), write_agent("documenter", fields).read_text())
    async with opened(BROAD) as (app, pilot):
        assert "stands in for your own documenter" in app.text
        await pilot.press(*"docu", "enter")
        await until(pilot, lambda: takes_an_answer(app))
        assert f"• the prompt below: it stands in for your own documenter, with {tools}" in app.text
        await pilot.press("y")
        await until(pilot, lambda: chosen(app))
        await until(pilot, lambda: not isinstance(app.screen, TrustScreen))
        await pilot.press("enter")
        await until(pilot, lambda: len(chosen(app)) == 2)


@pytest.mark.parametrize("key", sampled(["enter", "n", "escape"], 3))
async def test_without_trust_nothing_runs(key: str) -> None:
    path = write(".maverick/agents/pilot.py", PYTHON)
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: takes_an_answer(app))
        await pilot.press(key)
        await until(pilot, lambda: app.notice == "pilot is not trusted: nothing was run.")
        assert chosen(app) == []
    assert not TrustStore().is_known(path)
    assert not Path("ran").exists()


async def test_python_is_trusted_then_run_to_learn_its_inputs_and_then_asks() -> None:
    write(".maverick/agents/pilot.py", PYTHON)
    async with opened(BROAD) as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: takes_an_answer(app))
        assert 'Path("ran").touch()' in app.text
        assert not Path("ran").exists()
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, InputsForm) and app.screen.focused is not None)
        assert Path("ran").exists()
        await pilot.press("enter")
        await until(pilot, lambda: chosen(app))
        assert chosen(app) == [("pilot", {"where": "Rome"})]
        await until(pilot, lambda: "untrusted" not in app.text)


async def test_what_is_trusted_is_not_asked_about_again() -> None:
    path = write_agent("deployer", HOOKS)
    TrustStore().trust(path, path.read_bytes())
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: chosen(app))


async def test_inputs_are_asked_for_and_can_be_given_up() -> None:
    write_agent("reviewer", "inputs: {base: {default: main}, depth: {type: integer}}", "${base} ${depth}")
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InputsForm) and app.screen.focused is not None)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.picker)
        assert (chosen(app), app.notice) == ([], "")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InputsForm) and app.screen.focused is not None)
        await pilot.press("tab", "2", "ctrl+s")
        await until(pilot, lambda: chosen(app))
        assert chosen(app) == [("reviewer", {"base": "main", "depth": 2})]


async def test_a_trust_that_cannot_be_kept_is_told() -> None:
    write_agent("deployer", HOOKS)
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: takes_an_answer(app))
        folder = TrustStore().path.parent
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("a file in the way")
        await pilot.press("y")
        await until(pilot, lambda: "trusted.json" in app.notice)
        assert chosen(app) == []


async def test_whatever_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(listing: object) -> None:
        raise ZeroDivisionError("by [bold]zero[/]")

    write_agent("reviewer")
    monkeypatch.setattr(before_run, "declared_inputs", fail)
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.notice == "✘ reviewer cannot run: ZeroDivisionError: by [bold]zero[/]")


def test_servers_are_told_with_the_file_that_names_them() -> None:
    write(".mcp.json", '{"mcpServers": {"gh": {"command": "npx", "args": ["-y", "gh-mcp"]}}}')
    write_agent("deployer", "tools: mcp__gh__*\nmcpServers: gh")
    listing = read_agents(Path.cwd()).items[0].listing
    assert listing is not None
    question = trust_question(listing)
    assert question is not None
    assert question.runs == ("MCP server gh: stdio npx -y gh-mcp",)
    assert [file.path.name for file in question.files] == ["deployer.md", ".mcp.json"]
    store = TrustStore()
    for file in question.files:
        store.trust(file.path, file.content)
    assert trust_question(listing) is None
    path = write(".mcp.json", '{"mcpServers": {"gh": {"command": "evil"}}}')
    again = trust_question(listing)
    assert again is not None
    assert [(file.path, file.has_changed) for file in again.files] == [(path.resolve(), True)]


async def test_an_agent_of_ones_own_asks_about_the_commands_that_it_starts_in_the_folder() -> None:
    text = write_agent("helper", "mcpServers: {fetch: {command: npx, args: [-y, some-mcp]}}")
    write(str(paths.user_config() / "agents/helper.md"), text.read_text())
    text.unlink()
    async with opened(BROAD) as (app, pilot):
        assert "◇ untrusted" in app.text
        await pilot.press("enter")
        await until(pilot, lambda: takes_an_answer(app))
        assert "Its commands start in this folder" in app.text
        assert "MCP server fetch: npx -y some-mcp" in app.text
        assert "WOULD RUN" not in app.text, "that is all"
        await pilot.press("y")
        await until(pilot, lambda: chosen(app))
    load_agent("helper")


@pytest.mark.parametrize(("is_error", "kind"), [(False, NotStartedError), (True, ConfigError)])
async def test_who_thinks_better_of_it_has_done_nothing_wrong(
    is_error: bool, kind: type[ConfigError], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object, **__: object) -> Refused:
        return Refused("no", is_error=is_error)

    monkeypatch.setattr(before_run, "ask_before_run", ask)
    write_agent("deployer")
    app: App[None] = App()
    with pytest.raises(ConfigError, match="no") as raised:
        await find_and_ask(app, "deployer", Path.cwd())
    assert type(raised.value) is kind
