"""With keys alone, in a terminal: a kept run is found in the history, read, gone on with, forked and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from tests.history.kept import AT, begun, ended, keep, keep_run, turn
from tests.runs.grammar import check_well_formed
from tests.support.hosts import until
from tests.terminal.application import CTRL_U, ENTER, ESCAPE, TAB, Application
from tests.terminal.conftest import Maverick
from tests.terminal.working import assert_nothing_is_left

pytestmark = pytest.mark.slow

RUN, OTHER = "7f3a00c0ffee", "8f3a00c0ffee"
F3, ALT_P, END = "\x1bOR", "\x1bp", "\x1b[F"
SCENES = [
    {"when": {"prompt": "And then"}, "answers": ["Then they go home."]},
    {"when": {"prompt": "instead"}, "answers": ["They swim instead."]},
]


@pytest.fixture
def kept(teller: str) -> None:
    """A run of an agent that needs no CLI, and another one, which is not looked for."""
    story = [*turn(1, "Tell me of ducks", "Ducks quack."), *turn(2, "Where do they live", "By the pond.", AT + 5)]
    keep(RUN, [*begun(RUN, agent=teller, cwd=str(Path.cwd()), engine="api"), *story, *ended(AT + 5)])
    keep_run(OTHER, prompt="Fix the cart", answer="It is fixed.")


def leave_for(app: Application, key: str, gone: str) -> None:
    """Leave what is shown, and wait until it is."""
    app.send(key)
    app.until(lambda glass: gone not in glass.text)


@pytest.mark.explore  # by the same keys in `ui/history`, `ui/test_forking.py` and `ui/replay`
def test_a_run_is_found_gone_on_with_forked_and_replayed(
    maverick: Maverick, kept: None, mark: str, temporary: Path
) -> None:
    app = maverick(scenes=SCENES, is_ours=True)
    app.see("teller")
    app.send(F3)
    app.see("Fix the cart")
    app.see("Tell me of ducks")

    app.send(TAB)
    app.send("pond")
    app.until(lambda glass: "By the pond" in glass.text and "Fix the cart" not in glass.text)
    app.send(ENTER)
    app.see("Go on with this run")
    app.until(lambda glass: "Ducks quack." in glass.text and "By the pond." in glass.text)

    app.see("1 of 1")
    app.send(TAB)  # from the words that were found
    app.see("Enter go on")
    app.type_line("And then")
    app.see("Then they go home.")

    app.type_line("/fork 1")
    app.see("Fork after turn 1")
    app.until(lambda glass: any("Where do they live" in row and "▌" not in row for row in glass.rows))
    app.send(CTRL_U)
    app.send("instead")
    app.send(ENTER)
    app.until(lambda glass: "Forked from" in glass.text and "They swim instead." in glass.text)
    assert "By the pond." not in app.glass.text

    app.send(ALT_P)
    app.see("Replay")
    app.send(END)
    app.until(lambda glass: "Replay" in glass.text and "They swim instead." in glass.text)
    leave_for(app, ESCAPE, "Replay")
    app.send(F3)
    app.see("pond")  # it stands where it was left
    leave_for(app, F3, "pond")
    assert app.quit() == 0
    assert_nothing_is_left(app, mark, temporary)

    runs = {run_id: read_journal(journal_of(run_id)).events for run_id in kept_runs()}
    until(lambda: not any(is_alive(journal_of(run_id)) for run_id in runs), "all of them have ended")
    (fork,) = {*runs} - {RUN, OTHER}
    check_well_formed(runs[fork])
    asked = {run: [event.text for event in told if isinstance(event, ev.TurnStarted)] for run, told in runs.items()}
    assert asked[RUN] == ["Tell me of ducks", "Where do they live", "And then"]
    assert asked[fork] == ["Tell me of ducks", "instead"]
    assert isinstance(runs[RUN][-1], ev.RunEnded)
