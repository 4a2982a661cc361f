"""Runs on other machines, on the screen: typed to here, and told from a line that is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.git import head
from maverick_tui.host import remote
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.ui import far_listing, following
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.changes.words import why_not
from maverick_tui.ui.dialogs.leaving import LeavingScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.items import Item
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.pending import QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from tests.host.far.fake_ssh import AWAY, GATEWAY, THERE, fake_ssh
from tests.host.served_run import RUN, serving
from tests.support.processes import kill_marked
from tests.support.runs import BEGAN, Tape
from tests.ui.test_attached import shown
from tests.ui.waiting import until


def header(app: MaverickApp) -> str:
    assert isinstance(app.screen, RunScreen)
    widget = app.screen.query_one(RunHeader)
    return widget.render_line(0).text


@pytest.mark.explore
async def test_it_is_typed_to_while_its_line_is_broken_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    fake_ssh(monkeypatch, f"{AWAY}\n{GATEWAY}")
    monkeypatch.setattr(remote, "AGAIN_FAR_AFTER", (0.1,))
    monkeypatch.setattr(following, "AWAY_AFTER", 0.0)
    looked_at: list[Path] = []
    monkeypatch.setattr(head, "read_checkout", looked_at.append)
    tape = Tape().connect().prompt("Go").say("I am at work.")
    launch = Launch(Path.cwd(), agent="", attaches=RUN, machine=THERE)
    async with serving(tape.events) as run:
        seen = len(tape.events)
        run.tell(tape.tool("Write", {"file_path": "/work/shop/a.py"}).events[seen:])
        app = MaverickApp(launch, preferences=Preferences())
        async with app.run_test(size=(120, 30)) as pilot:
            await until(pilot, lambda: "I am at work." in shown(app))
            assert "on there" in header(app)
            await pilot.press(*"/fork", "enter")
            told = "This run lives on there, and nothing that it tells begins a run here"
            await until(pilot, lambda: any(told in notice.message for notice in app._notifications), told)
            (away,) = (one for one in app._notifications if "while you were away" in one.title)
            assert away.message == "1 file"
            assert app.board.runs[RUN].store.reader.name == run.server.about().state["read_by"][0], (
                "what is ours is known"
            )
            Path("away").touch()
            kill_marked(mark, lambda command: "host --stdio" in command)
            await until(pilot, lambda: "line to there is broken, trying again" in header(app))
            await until(pilot, lambda: any("No route to host" in notice.message for notice in app._notifications))
            await pilot.press(*"More", "enter")
            queue = app.screen.query_one(QueueLines)
            await until(pilot, lambda: "queued  More" in queue.render_line(0).text, "it is seen to wait")
            assert run.commands == []
            Path("away").unlink()
            await until(pilot, lambda: run.commands, "it arrives")
            await until(pilot, lambda: "on there" in header(app))
            more = len(tape.events)
            run.tell([*tape.say("And I am done.").done().events[more:], ev.RunEnded(BEGAN + 60, "closed")])
            run.events.close()
            await until(pilot, lambda: "And I am done." in shown(app))
            assert isinstance(app.screen, RunScreen)
            model = app.screen.run
            await until(pilot, lambda: model.rest is not None, "it is only read")
            await pilot.press(*"Even more", "enter")
            await until(pilot, lambda: any("it lives on there" in notice.message for notice in app._notifications))
            assert "its changes are there" in why_not(model), "its end makes no path that it tells of one of ours"
            assert [*app.run_folders, *looked_at] == []
    (prompt,) = run.commands
    assert isinstance(prompt, SendPrompt)
    assert prompt.text == "More"


@pytest.mark.explore
async def test_a_machine_that_does_not_let_us_in_is_told_and_tried_again_when_somebody_wants_it(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setenv("MAVERICK_SSH", "ssh 'x")
    app = MaverickApp(Launch(Path.cwd(), agent="", attaches=RUN, machine=THERE), preferences=Preferences())
    async with serving(Tape().connect().prompt("Go").say("I am at work.").events) as run:
        async with app.run_test(size=(120, 30)) as pilot:

            async def told(why: str) -> None:
                model = app.board.runs[RUN]
                await until(pilot, lambda: any(why in one.message for one in app._notifications), why)
                await until(pilot, lambda: model.rest is not None and model.attached is None, "it says how it stands")

            async def try_again() -> None:
                await pilot.press("ctrl+n")
                await until(pilot, lambda: isinstance(app.screen, PickerScreen) and app.screen.is_mounted)
                app.screen.post_message(PickerScreen.RunChosen(RUN))

            await pilot.press(*"More", "enter")
            await told("is no command")
            screen = app.screen
            assert isinstance(screen, RunScreen)
            await until(pilot, lambda: screen.prompt.text == "More", "it is not lost")
            assert not screen.run.store.queue
            fake_ssh(monkeypatch, "echo tried >> tries; echo 'me@there: Permission denied (publickey).' >&2; exit 255")
            await try_again()
            await told("does not accept your key")
            assert Path("tries").read_text() == "tried\n", "not for ever"
            fake_ssh(monkeypatch, GATEWAY)
            await try_again()
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and "I am at work." in shown(app))
        run.events.close()


async def test_the_picker_lists_the_runs_of_other_machines_and_those_that_are_away(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    fake_ssh(monkeypatch, f'case "$*" in *gone*) echo "Connection timed out" >&2; exit 255;; esac\n{GATEWAY}')
    monkeypatch.setenv("MAVERICK_HOSTS", f"gone,{THERE}")
    monkeypatch.setattr(far_listing, "LOOK_EVERY", 0.2)
    tape = Tape().connect().prompt("Go").say("I am at work.").ask("Bash", {"command": "ls"})
    async with serving(tape.events) as run:
        app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
        async with app.run_test(size=(120, 40)) as pilot:
            assert isinstance(app.screen, PickerScreen)
            picker = app.screen
            rows: dict[str, Item] = {}

            def listed() -> bool:
                rows.update({item.group.place: item for item in picker.runs})
                return len(rows) == 2 and rows["on there"].marks[0][0] == "⚑ needs you"

            await until(pilot, listed, "both are listed")
            assert (rows["on there"].name, rows["on there"].run_id) == ("reviewer", f"{THERE}:{RUN}")
            assert rows["on there"].needs_person, "it stands on top"
            assert "gone cannot be reached" in rows["on gone"].refusal
            assert not picker.check_action("back", ()), "there is nothing to go back to"
            picker.post_message(PickerScreen.RunChosen(f"{THERE}:{RUN}"))
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and "I am at work." in shown(app))
            assert "on there" in header(app)
            await pilot.press("f9")
            await until(pilot, lambda: isinstance(app.screen, LeavingScreen), "it asks")
            await pilot.press("l")
            await until(pilot, lambda: isinstance(app.screen, PickerScreen), "the picker is there")
            assert any(f"maverick attach {THERE}:{RUN}" in notice.message for notice in app._notifications)
        run.events.close()
