"""What is to stop is asked for: a tool, a subagent, the turn, the run or all runs; a row says so until it has."""

from __future__ import annotations

from maverick_tui.events import kinds as ev
from maverick_tui.runs import commands
from maverick_tui.runs.board import Attachment, RunModel
from maverick_tui.ui.dialogs.scopes import ScopesScreen
from maverick_tui.ui.run.scopes import scopes_of
from tests.support.runs import Tape
from tests.ui.running import Kept, watching
from tests.ui.waiting import on_screen, until


def at_work() -> tuple[Tape, str, str]:
    """A run with a subagent, one of its calls, and a command."""
    tape = Tape().connect().prompt("Check it")
    agent = tape.call("Agent", {"description": "[b]Look around", "prompt": "Look", "subagent_type": "explorer"})
    tape.progress(agent, "running")
    tape.call("Bash", {"command": "ls"}, parent=agent)
    tape.call("Read", {"file_path": "/work/shop/cart.py"})
    tests = tape.call("Bash", {"command": "pytest -q"}, seconds=2)
    return tape, agent, tests


async def test_each_scope_is_offered_by_its_name_and_stopped_alone() -> None:
    tape, agent, tests = at_work()
    async with watching(tape, size=(80, 24)) as (app, pilot):
        other = RunModel("other", "builder", app.board)
        app.board.add(other)
        other.connect(Kept())
        app.tell(Tape("builder").connect().prompt("Build it"), other)
        told = [(scope.kind, scope.name, scope.note) for scope in scopes_of(app.run_model)]
        assert told == [
            ("tool", "Bash pytest -q", ""),
            ("tool", "Bash ls", "of a subagent"),
            ("subagent", "[b]Look around", ""),
            ("turn", "this turn", "what waits is held"),
            ("run", "this run, reviewer", "it ends, and is kept"),
            ("all runs", "the turns of this and 1 other run at work", ""),
        ]
        expected: list[commands.Command] = [
            commands.Interrupt(tests),
            commands.Interrupt(agent),
            commands.Interrupt(),
            commands.CloseRun(),
        ]
        for key, command in zip("1345", expected, strict=True):
            await pilot.press("alt+s")
            await until(pilot, lambda: isinstance(app.screen, ScopesScreen))
            await pilot.press(key)
            await until(pilot, lambda: app.top == "RunScreen")
            assert app.kept.take() == [command]
        await pilot.press("alt+s", "escape")
        assert app.kept.take() == []
        await pilot.press("alt+s", "end", "enter")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.kept.take() == [commands.Interrupt()]
        assert isinstance(other.handle, Kept)
        assert other.handle.take() == [commands.Interrupt()]

        tape.put(ev.CallStopping(tape.at, tests, "asked"))
        app.tell(tape)
        await until(pilot, lambda: "stopping" in app.shown())
        assert "Bash pytest -q" not in [scope.name for scope in scopes_of(app.run_model)], "it is stopping"
        tape.answer(tests, "Exit code 137", is_error=True).put(ev.CallStopping(tape.at, tests, "stopped"))
        app.tell(tape)
        await until(pilot, lambda: "stopping" not in app.shown())
        assert app.run_model.store.is_running, "the turn goes on"


async def test_a_turn_that_was_not_seen_is_not_stopped() -> None:
    tape = Tape().connect().prompt("Check it")
    async with watching(tape) as (app, pilot):
        app.kept.take()
        await pilot.press("alt+s")
        await until(pilot, lambda: isinstance(app.screen, ScopesScreen))
        app.tell(tape.done().prompt("What waited"))
        assert app.run_model.store.is_running
        await pilot.press("1")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.kept.take() == []
        assert [one.message for one in app._notifications] == ["That turn has ended: nothing was stopped."]


async def test_a_long_command_is_one_row() -> None:
    tape = Tape().connect().prompt("Wait")
    tape.call("Bash", {"command": "for one in 1 2 3; do echo $one; sleep 1; done " * 3}, seconds=2)
    async with watching(tape, size=(80, 24)) as (app, pilot):
        await pilot.press("alt+s")
        await until(pilot, lambda: isinstance(app.screen, ScopesScreen) and "this run" in on_screen(pilot))
        rows = [line.strip(" │") for line in on_screen(pilot).splitlines() if "│" in line]
        first = next(at for at, row in enumerate(rows) if row.startswith("1  tool"))
        assert rows[first].endswith("…")
        assert rows[first + 1].startswith("2  turn")
        await pilot.resize_terminal(50, 24)
        await until(pilot, lambda: "is kept" in on_screen(pilot), "there is no room for what becomes of the run")


async def test_a_host_that_would_stop_the_turn_is_not_asked_to_stop_a_call() -> None:
    async def heard() -> None:
        pass

    tape, _, _ = at_work()
    async with watching(tape) as (app, _):
        app.run_model.attached = Attachment(lambda: None, heard, stops_calls=False)
        assert [scope.kind for scope in scopes_of(app.run_model)] == ["turn", "run"]


async def test_who_only_reads_stops_nothing() -> None:
    tape, _, _ = at_work()
    async with watching(tape) as (app, pilot):
        app.run_model.is_read_only = True
        await pilot.press("alt+s")
        assert (app.top, app.kept.take()) == ("RunScreen", [])
