"""Runs in processes of their own, on the screen: followed, steered and left at work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui import paths
from maverick_tui.events import kinds as ev
from maverick_tui.host import remote
from maverick_tui.host.orders import Order
from maverick_tui.host.serving import RunServer
from maverick_tui.host.starting import start_host
from maverick_tui.runs.commands import CloseRun, SendPrompt
from maverick_tui.ui import following
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs.leaving import LeavingScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.pending import QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from tests.history.kept import keep
from tests.host.served_run import RUN, Served, serving
from tests.support.cook import write_cook
from tests.support.hosts import end_hosts
from tests.support.runs import BEGAN, Tape
from tests.ui.waiting import until


def shown(app: MaverickApp) -> str:
    """What stands in the transcript's view."""
    assert isinstance(app.screen, RunScreen)
    transcript = app.screen.transcript
    region = transcript.scrollable_content_region.reset_offset
    return "\n".join(strip.text.rstrip() for strip in transcript.render_lines(region))


@asynccontextmanager
async def attached(tape: Tape, *, is_read_only: bool = False) -> AsyncIterator[tuple[Served, MaverickApp, Pilot[Any]]]:
    """The application on a run that lives elsewhere, as far as the tape goes."""
    launch = Launch(Path.cwd(), agent="", attaches=RUN, is_read_only=is_read_only)
    async with serving(tape.events) as run:
        app = MaverickApp(launch, preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: run.server.readers, "it reads")
            yield run, app, pilot
        run.events.close()


def begun() -> Tape:
    return Tape().connect().prompt("Go").say("I am at work.")


async def test_it_shows_what_was_told_before_and_what_is_told_now() -> None:
    tape = begun()
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "I am at work." in shown(app))
        more = len(tape.events)
        tape.say("And now I am done.").done()
        run.tell(tape.events[more:])
        await until(pilot, lambda: "And now I am done." in shown(app))
        assert isinstance(app.screen, RunScreen)
        assert app.screen.run.agent == "reviewer"


async def test_what_is_typed_and_answered_goes_there() -> None:
    tape = begun().ask("Bash", {"command": "ls"})
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "wants permission" in shown(app))
        while not run.commands:  # a new question takes no key for a moment
            await pilot.press("ctrl+x")
        await pilot.press(*"later", "enter")
        await until(pilot, lambda: any(isinstance(command, SendPrompt) for command in run.commands))
    assert not any(isinstance(command, CloseRun) for command in run.commands)


async def test_quitting_asks_and_enter_leaves_it_at_work() -> None:
    async with attached(begun()) as (run, app, pilot):
        await until(pilot, lambda: "I am at work." in shown(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, LeavingScreen), "it asks")
        await pilot.press("enter")
        await until(pilot, lambda: app._exit)
    assert run.commands == []


async def test_closing_its_screen_leaves_it_at_work_and_says_how_to_come_back() -> None:
    async with attached(begun()) as (run, app, pilot):
        await until(pilot, lambda: "I am at work." in shown(app))
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, LeavingScreen), "it asks")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen), "the picker is there")
        assert any(f"maverick attach {RUN}" in notice.message for notice in app._notifications)
        await until(pilot, lambda: not run.server.readers, "nobody reads it any more")
    assert run.commands == []


async def test_who_only_reads_sends_nothing() -> None:
    async with attached(begun(), is_read_only=True) as (run, app, pilot):
        assert isinstance(app.screen, RunScreen)
        screen = app.screen
        assert "read-only" in screen.query_one(RunHeader).render_line(0).text, "from the first frame on"
        await until(pilot, lambda: "I am at work." in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: app._notifications, "it says so")
        await pilot.press(*"Hello", "enter")
        await until(pilot, lambda: any("Read-only" in notice.message for notice in app._notifications), "here, too")
        assert screen.prompt.text == "Hello", "it stays where it was typed"
        assert not screen.run.store.queue, "it does not seem to wait"
    assert run.commands == []


async def test_a_prompt_that_its_host_does_not_take_is_seen_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    is_well = asyncio.Event()
    listen = RunServer._listen_to

    async def hang(*heard: Any) -> None:
        await is_well.wait()
        await listen(*heard)

    monkeypatch.setattr(RunServer, "_listen_to", hang)
    async with attached(begun()) as (run, app, pilot):
        await until(pilot, lambda: "I am at work." in shown(app))
        await pilot.press(*"More", "enter")
        queue = app.screen.query_one(QueueLines)
        await until(pilot, lambda: "queued  More" in queue.render_line(0).text, "it is seen to wait")
        is_well.set()
        await until(pilot, lambda: run.commands, "it arrives")
    assert [command.text for command in run.commands if isinstance(command, SendPrompt)] == ["More"]


async def test_what_is_too_long_for_its_host_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "LONGEST", 300)
    async with attached(begun()) as (run, app, pilot):
        await until(pilot, lambda: "I am at work." in shown(app))
        assert isinstance(app.screen, RunScreen)
        screen = app.screen
        screen.prompt.set_text("much " * 100)
        await pilot.press("enter")
        await until(pilot, lambda: any("too long" in notice.message for notice in app._notifications))
        assert screen.prompt.text.startswith("much much")
    assert run.commands == []


async def test_news_rings_by_what_was_told_before_whatever_the_clock_of_its_machine_says() -> None:
    tape = begun().ask("Bash", {"command": "ls"})  # long ago by our clock
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "wants permission" in shown(app))
        assert app._alerts is None, "that is not new"
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        seen = len(tape.events)
        run.tell(tape.answer(f"call-{tape._call}", "ok").ask("Bash", {"command": "make"}).events[seen:])
        await until(pilot, lambda: any("needs you" in notice.message for notice in app._notifications))


async def test_a_run_of_the_history_that_has_a_host_is_followed() -> None:
    async with serving(begun().events) as run:
        app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            app.open_kept(RUN)
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and "I am at work." in shown(app))
            await pilot.press(*"More", "enter")
            await until(pilot, lambda: run.commands)
        run.events.close()
    assert [type(command).__name__ for command in run.commands] == ["SendPrompt"]


async def test_one_that_has_ended_before_it_was_reached_is_read_from_its_journal() -> None:
    keep(RUN, [*begun().done().events, ev.RunEnded(BEGAN + 60, "closed")])
    app = MaverickApp(Launch(Path.cwd(), agent="", attaches=RUN), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "I am at work." in shown(app))
        assert isinstance(app.screen, RunScreen)
        screen = app.screen
        await until(pilot, lambda: screen.run.rest is not None, "it is only read")


async def test_one_of_which_nothing_is_left_leads_to_the_picker_and_says_so() -> None:
    app = MaverickApp(Launch(Path.cwd(), agent="", attaches=RUN), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: not isinstance(app.screen, RunScreen), "there is nothing to look at")
        await until(pilot, lambda: any("no journal" in notice.message for notice in app._notifications), "it says why")


async def test_whoever_comes_back_is_told_once_what_happened_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "AWAY_AFTER", 0.0)
    tape = begun()
    async with serving(tape.events) as run:
        seen = len(tape.events)
        tape.tool("Write", {"file_path": "/work/shop/a.py"}).done().prompt("More").ask("Bash", {"command": "ls"})
        run.tell(tape.events[seen:])
        app = MaverickApp(Launch(Path.cwd(), agent="", attaches=RUN), preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: app._notifications, "it is told")
            (notice,) = app._notifications
            assert notice.title.startswith("reviewer: while you were away ("), "it says which run"
            assert notice.message == "1 turn, 1 file, $0.021, 1 question waits"
            before = set(run.server._readers)
            for task in before:
                task.cancel()  # the line breaks, which is no absence
            await until(pilot, lambda: run.server._readers - before and run.server.readers, "it reads again")
            await until(pilot, lambda: "wants permission" in shown(app))
            assert len(app._notifications) == 1
        run.events.close()


async def test_what_another_reader_has_answered_is_told_and_ones_own_is_not() -> None:
    tape = begun().ask("Bash", {"command": "ls"})
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "wants permission" in shown(app))
        assert isinstance(app.screen, RunScreen)
        own, since, _ = app.screen.run.store.reader
        assert own, "the host has given it a name"
        for who in (own, "pts/9"):
            seen, tape.at = len(tape.events), since
            tape.put(ev.PermissionSettled(tape.at, f"ask-call-{tape._call}", f"call-{tape._call}", "once", by=who))
            tape.answer(f"call-{tape._call}", f"by {who}").ask("Bash", {"command": "ls"})
            run.tell(tape.events[seen:])
        await until(pilot, lambda: "answered by pts/9" in shown(app))
        assert shown(app).count("answered by") == 1


async def test_plain_maverick_lists_what_was_left_at_work_and_leads_there() -> None:
    tape = begun().ask("Bash", {"command": "ls"})
    async with serving(tape.events) as run:
        app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            agents = app.screen.query_one(AgentList)
            await until(pilot, lambda: any(row.item and row.item.run_id == RUN for row in agents.rows), "it is listed")
            assert not run.server.readers, "to list it is not to read it"
            await pilot.press("home", "enter")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and "wants permission" in shown(app))
            assert app.board.runs[RUN].attached is not None
            await pilot.press("f9")
            await until(pilot, lambda: isinstance(app.screen, LeavingScreen), "it asks")
            await pilot.press("l")
            await until(pilot, lambda: not run.server.readers, "it was left")
            assert not run.events.is_closed
            await until(pilot, lambda: isinstance(app.screen, PickerScreen) and app.screen.is_mounted)
            again = app.screen.query_one(AgentList)
            await until(pilot, lambda: any(row.item and row.item.run_id == RUN for row in again.rows), "it is back")
        run.events.close()
    assert run.commands == []


async def test_what_only_its_process_knows_to_be_secret_is_kept_nowhere_by_the_application(
    mark: str, home: Path, tmp_path: Path
) -> None:
    """As what an MCP server is given: the host alone conceals it, once the session is open."""
    secret, exported = "Zq9-Xx-7", tmp_path / "run.md"
    write_cook(home, conceals=secret)
    await asyncio.to_thread(start_host, Order(RUN, "cook", str(Path.cwd())))
    try:
        app = MaverickApp(Launch(Path.cwd(), agent="", attaches=RUN), preferences=Preferences())
        async with app.run_test(size=(100, 30)) as pilot:
            run = app.board.runs[RUN]
            await until(pilot, lambda: run.store.phase == "ready", "it is connected")
            assert isinstance(app.screen, RunScreen)
            await pilot.press(*f"use {secret}", "enter")
            await until(pilot, lambda: f"You say use {secret}" in shown(app), "the screen shows what is said")
            await pilot.press(*f"or {secret}")
            app.screen.action_export(f"md {exported}")
            await until(pilot, exported.exists)
            await until(pilot, lambda: any((paths.user_state() / "prompts").glob("*.jsonl")), "it is remembered")
            told = "There is a secret in what you type: this draft is not kept"
            await until(pilot, lambda: any(told in one.message for one in app._notifications), told)
            await asyncio.to_thread(end_hosts, mark)
            await until(pilot, lambda: run.rest is not None, "it is only read")
    finally:
        end_hosts(mark)
    kept = [exported, *(file for file in paths.user_state().rglob("*") if file.is_file())]
    assert [file.name for file in kept if secret in file.read_text(errors="replace")] == []
    assert "You say use [secret]" in exported.read_text()
