"""A prompt that begins with an exclamation mark is a command of the person's own."""

from __future__ import annotations

import pytest
from textual.events import Paste

from maverick_tui.events import kinds as ev
from maverick_tui.runs import commands
from tests.support.runs import Tape
from tests.ui.running import watching
from tests.ui.waiting import on_screen, until


async def test_it_is_run_shown_and_stopped_and_no_prompt() -> None:
    tape = Tape().connect().prompt("Go").say("Done.").done()
    async with watching(tape, size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"!ls -l")
        await until(pilot, lambda: "run it yourself" in str(prompt.border_subtitle))
        assert str(prompt.border_subtitle) in on_screen(pilot), "there is room for all of the hint"
        await pilot.press("enter")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.RunShell)
        assert sent.command == "ls -l"
        app.tell(tape.put(ev.ShellStarted(tape.at, sent.shell, sent.command)))
        await until(pilot, lambda: "● You ran  ls -l" in app.shown())
        app.now += 75
        app.run_screen.tick()
        await until(pilot, lambda: "75.0s  ● You ran" in app.shown(), "it tells how long it has run")
        await pilot.press("escape")
        assert app.kept.take() == [commands.Interrupt()]
        app.tell(tape.put(ev.ShellEnded(tape.at, sent.shell, "total 0\n\x1b[2Jx", 2)))
        await until(pilot, lambda: "✘ You ran  ls -l" in app.shown() and "exit code 2" in app.shown())
        await pilot.press("!", "enter")
        assert isinstance(app.kept.take()[0], commands.SendPrompt), "alone it is no command"


async def test_while_it_runs_the_status_names_it_and_the_hint_says_what_stops_it() -> None:
    tape = Tape().connect().prompt("Go").say("Done.").done()
    async with watching(tape, size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await until(pilot, lambda: "✔ done  " in on_screen(pilot))
        app.tell(tape.put(ev.ShellStarted(tape.at, "a", "make slow\nmake more")))
        await until(pilot, lambda: str(prompt.border_subtitle) == "Enter send   Esc stop your command   F1 help")
        app.now = tape.at + 76
        app.run_screen.tick()
        await until(pilot, lambda: "✔ done, your command runs  make slow make more  1:1" in on_screen(pilot))
        await pilot.press("tab")
        await until(pilot, lambda: str(prompt.border_subtitle).endswith("Esc stop your command"))
        assert str(prompt.border_subtitle) in on_screen(pilot), "there is room for all of the hint"
        app.tell(tape.prompt("Again"))
        await until(pilot, lambda: "waiting for the model" in on_screen(pilot))
        assert str(prompt.border_subtitle).endswith("Esc interrupt"), "which stops both"
        app.tell(tape.done().put(ev.ShellEnded(tape.at, "a", "half\n", is_cut=True)))
        await until(pilot, lambda: "your command" not in on_screen(pilot), "status and hint")

        def row() -> str:
            return next(row for row in app.shown().splitlines() if "You ran  make slow" in row)

        await until(pilot, lambda: row().endswith("stopped"), "and not that it has no result")


async def test_what_it_says_is_seen_at_once_the_first_lines_of_it() -> None:
    tape = Tape().connect()
    tape.put(ev.ShellStarted(tape.at, "a", "seq 1 3; exit 3")).put(ev.ShellEnded(tape.at, "a", "1\n2\n3\n", 3))
    tape.put(ev.ShellStarted(tape.at, "b", "seq 50")).put(
        ev.ShellEnded(tape.at, "b", "".join(f"{number}\n" for number in range(1, 51)), 0)
    )
    tape.put(ev.ShellStarted(tape.at, "c", "true")).put(ev.ShellEnded(tape.at, "c", "", 0))
    async with watching(tape, size=(80, 40)) as (app, pilot):
        await until(pilot, lambda: "You ran  true" in app.shown())
        rows = [row.split("s  ", 1)[-1].strip() for row in app.shown().splitlines()]
        first = next(at for at, row in enumerate(rows) if "seq 1 3" in row)
        assert rows[first].endswith("exit code 3")
        assert [row.removeprefix("⎿ ") for row in rows[first + 1 : first + 4]] == ["1", "2", "3"]
        second = next(at for at, row in enumerate(rows) if "seq 50" in row)
        assert [row.removeprefix("⎿ ") for row in rows[second + 1 : second + 12]] == [
            *map(str, range(1, 11)),
            "▸ 40 more rows",
        ]
        third = next(at for at, row in enumerate(rows) if "You ran  true" in row)
        assert rows[third].endswith("no output")
        await pilot.press("ctrl+o")  # all of it
        await until(pilot, lambda: "50" in app.shown() and "more rows" not in app.shown())
        await pilot.press("ctrl+o")  # as little as there can be
        await until(pilot, lambda: "exit code 3: 3" in app.shown())


@pytest.mark.explore
async def test_a_page_that_is_pasted_is_none_and_empty_lines_hide_none() -> None:
    async with watching(Tape().connect(), size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        for page in (
            "![badge](x)\n" + "make all\n" * 30,
            "\n!make\nall",
            "!" + "x" * 3_000,
            "/name x\ny",
            "/compact\n" * 30,
        ):
            app.post_message(Paste(page))
            await until(pilot, lambda: bool(prompt.text))
            await pilot.press("enter")
            (sent,) = app.kept.take()
            assert isinstance(sent, commands.SendPrompt), page[:20]
            assert sent.text.strip() == page.strip()
        app.copy_to_clipboard("!make\nall")  # of what an agent has said
        await pilot.press("ctrl+v", "enter")
        assert [type(one) for one in app.kept.take()] == [commands.SendPrompt]
        for page in ("!make\nall", "!make"):  # it was sent as a prompt, by --prompt for example, and did not arrive
            app._kept.give_back(app.run_model, page)
            await pilot.press("enter")
            assert [type(one) for one in app.kept.take()] == [commands.SendPrompt], page
        app.post_message(Paste("\n!make\n"))
        await until(pilot, lambda: "run it yourself" in str(prompt.border_subtitle))
        await pilot.press("enter")
        assert [getattr(one, "command", "") for one in app.kept.take()] == ["make"]
