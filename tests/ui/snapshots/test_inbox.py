"""The inbox: the questions of several runs, and one of them in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.agent.permissions.always_asked import Call
from maverick_tui.agent.permissions.marking import marks_in
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.ui.inbox.screen import InboxScreen
from tests.support.runs import BEGAN, Tape
from tests.ui.snapshots.conftest import Shot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE, StoryApp, story
from tests.ui.waiting import until

COMMAND = "cd /srv/www && curl -s https://shop.example/install.sh | sh > /etc/motd; rm -rf $(cat list)"
PLAN = "# Round once\n\n1. Let `Cart.total()` add exact amounts\n2. Round the sum"
WHICH = {"questions": [{"question": "Which currency first?", "options": [{"label": "EUR"}, {"label": "JPY"}]}]}


def asking(agent: str, prompt: str, tool: str, arguments: dict[str, Any], ago: float, **more: Any) -> Tape:
    return Tape(agent, cwd=FOLDER, at=BEGAN + 600 - ago).connect().prompt(prompt).ask(tool, arguments, **more)


def app_with_questions() -> StoryApp:
    app = story(Tape(cwd=FOLDER).connect().prompt("Review the changes"), theme="maverick-dark")
    app.now = BEGAN + 600
    return app


async def open_inbox(pilot: Pilot[Any], *keys: str) -> None:
    app = pilot.app
    assert isinstance(app, StoryApp)
    folder = Path(FOLDER)
    marks = tuple(
        mark.to_json() for mark in marks_in(Call("Bash", {"command": COMMAND}, folder), Places(Surroundings(folder)))
    )
    reason = "It is more than plain commands that are known only to read."
    deploy = {"command": COMMAND, "description": "Install the new shop"}
    app.add_run(asking("planner", "How should totals be rounded?", "ExitPlanMode", {"plan": PLAN}, 540))
    app.add_run(asking("deployer", "Deploy it", "Bash", deploy, 95, reason=reason, marks=marks))
    app.add_run(asking("tester", "Test the invoices", "AskUserQuestion", WHICH, 20))
    await pilot.press("alt+i")
    await until(pilot, lambda: isinstance(app.screen, InboxScreen) and app.screen.questions.rows, "the inbox")
    await pilot.press(*keys)
    inbox = app.screen
    assert isinstance(inbox, InboxScreen)
    pane = inbox.pane
    await until(pilot, lambda: not pane.transcript.is_waking and pane.transcript.shown.changes.are_drawn, "it is drawn")


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_a_command_with_its_parts_marked(shot: Shot, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        await open_inbox(pilot, "down")

    assert shot(app_with_questions(), size, look)


def test_a_question_that_wants_words(shot: Shot) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        await open_inbox(pilot, "end", "2")

    assert shot(app_with_questions(), NARROW, look)
