"""Commands of the person's own: run where the run works, told to its agent with the next prompt, stopped with it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TypeGuard

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.host.process import _end_at_rest
from maverick_tui.host.serving import RunServer
from maverick_tui.runs.commands import AnswerPermission, CloseRun, Interrupt, RunShell
from maverick_tui.runs.entries import PERSONS_OWN, Entry, ToolEntry
from maverick_tui.runs.fuses import STOP
from maverick_tui.runs.local import NOT_ATTENDED
from maverick_tui.runs.shell import HEAD, TAIL, Said
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Direct
from tests.support.model import last_prompt, say
from tests.support.processes import wait_until_gone


class Plain(Direct):
    name = "plain"


def is_shell(entry: Entry) -> TypeGuard[ToolEntry]:
    return isinstance(entry, ToolEntry) and entry.name == PERSONS_OWN


async def ran(run: Watched, command: str, ident: str) -> ev.ShellEnded:
    run.send(RunShell(ident, command))
    return await run.until(ev.ShellEnded, where=lambda event: event.shell == ident)


async def test_what_the_person_runs_is_shown_and_told_with_the_next_prompt(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    Path("cart.py").write_text("")
    config = MaverickConfig.load(fuses={"run": {"turns": 2}})
    async with serve(say("Fine.")) as model, watch(Plain, config=config) as run:
        await run.until(ev.Connected)
        assert await ran(run, 'ls; read line; echo "[$line]"', "s1") == ev.ShellEnded(
            run.events[-1].at, "s1", "cart.py\n[]\n", 0
        )
        assert (await ran(run, "echo oh >&2; exit 3", "s2")).code == 3
        lists = "for pid in $PPID $$; do tr '\\0' ' ' < /proc/$pid/cmdline; done; # hunter2"
        if Path("/proc/self/cmdline").exists():
            assert "hunter2" not in (await ran(run, lists, "lists")).output, "everybody can read arguments"
        await run.ask("And now?")
        await run.ask("And then?")
        await ran(run, "echo late", "s3")
        run.prompt("Held.")
        asked = await run.until(ev.PermissionAsked)
        run.send(AnswerPermission(asked.request, "once", answers={"": STOP}))
        assert (await run.until(ev.TurnEnded, 3)).outcome == "interrupted"
        await ran(run, "echo later", "s4")
        run.prompt("Go on.")
        asked = await run.until(ev.PermissionAsked, 2)
        run.send(AnswerPermission(asked.request, "once", answers={"": "+2"}))
        await run.until(ev.TurnEnded, 4)
    first, second, third = map(last_prompt, model.requests)
    assert "$ ls; read line" in first
    assert "cart.py\n[]\n[exit code 0]" in first
    assert "oh\n[exit code 3]" in first
    assert first.endswith("And now?")
    assert second == "And then?", "each is told once"
    assert third.partition("$ ")[2] == "echo late\nlate\n[exit code 0]\n\n$ echo later\nlater\n[exit code 0]\n\nGo on."
    assert [event.text for event in run.all(ev.TurnStarted)][:2] == ["And now?", "And then?"], "as the person wrote it"
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert [entry.state for entry in store.entries if is_shell(entry)] == ["done", "failed", "done", "done", "done"]


async def test_it_is_stopped_by_an_interrupt_and_with_the_run(
    serve: ServeModel, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    async with serve(say("Fine.")), watch(Plain) as run:
        await run.until(ev.Connected)
        run.send(RunShell("s1", "echo begun > begun; exec sleep 600"))
        await run.until(ev.ShellStarted)
        assert not run.run.is_idle
        run.send(Interrupt())
        assert (await run.until(ev.ShellEnded)).is_cut
        run.send(RunShell("s2", "sleep 600"))
        run.send(CloseRun())
        assert (await run.until(ev.ShellEnded, 2)).is_cut
    wait_until_gone(mark)


async def test_it_is_not_left_alone_in_a_run_that_nobody_needs_any_more(
    serve: ServeModel, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setattr("maverick_tui.host.process.LOOK_EVERY", 0.02)
    async with serve(say("Fine.")), watch(Plain) as run:
        await run.until(ev.Connected)
        run.send(RunShell("s1", "exec sleep 600"))
        server = RunServer("7f3a00c0ffee", "plain", run.run.events, run.run)
        resting = asyncio.create_task(_end_at_rest(run.run, server, 0.01))
        await run.until(ev.ShellStarted)
        await asyncio.sleep(0.1)
        assert not resting.done(), "somebody may come back to it"
        server._is_released = True  # whoever has sent it did not wait to hear of it
        assert (await run.until(ev.ShellEnded)).is_cut
        await resting
        await run.until(ev.RunEnded)
    wait_until_gone(mark)


async def test_nobody_runs_commands_beside_a_run_without_a_person(serve: ServeModel) -> None:
    async with serve(say("Fine.")), watch(Plain, is_attended=False) as run:
        run.prompt("Go")
        await run.until(ev.TurnStarted)
        run.send(RunShell("s1", "touch never"))
        await run.until(ev.Noticed, where=lambda event: event.text == NOT_ATTENDED)
    assert not Path("never").exists()


def test_a_long_output_keeps_its_beginning_and_its_end() -> None:
    said = Said()
    for _ in range(300):
        said.take(b"x" * 1_000)
    said.take(b"END")
    assert said.text.startswith("xxx")
    assert said.text.endswith("END")
    assert f"{300_003 - HEAD - TAIL:,} bytes left out" in said.text


def test_where_an_output_is_cut_no_half_of_a_secret_is_left() -> None:
    token = b"ghp_" + b"A1b2C3d4" * 5
    said = Said()
    said.take(b"x" * (HEAD - 13) + b" " + token + b" ")
    said.take(b"y " * 100_000)
    said.take(token + b" " + b"z" * (TAIL - len(token) + 3))  # all but the letters that it is known by
    assert "A1b2C3d4" not in said.text
    assert said.text.startswith("xxx")
    assert said.text.endswith("zzz")


def test_what_has_told_no_end_does_not_run_in_a_fork_or_a_run_that_goes_on() -> None:
    for event in (ev.RunForked(2.0), ev.RunReopened(2.0), ev.RunEnded(2.0, "closed")):
        store = RunStore()
        store.apply(ev.ShellStarted(1.0, "s1", "sleep 600"))
        store.apply(event)
        assert not store.shells
        assert [entry.state for entry in store.entries if is_shell(entry)] == ["cut"]
