"""A run that is held at its fuse, in a terminal: it survives the application, and goes on when it is extended."""

from __future__ import annotations

import os
import signal

import pytest

from maverick_tui.host.places import hosted_runs
from tests.support.processes import wait_until_gone
from tests.terminal.application import CTRL_Q, ENTER
from tests.terminal.conftest import Maverick

pytestmark = pytest.mark.slow

LOOK = {"tool": "Glob", "input": {"pattern": "*"}}
SCENE = {"answers": [{"steps": ["It begins.", LOOK]}, {"steps": ["And on.", LOOK]}, {"steps": ["It is done."]}]}


@pytest.mark.explore  # fuses are in `runs/test_fuses.py`, and a host that outlives its reader in `host/test_process.py`
def test_held_it_survives_the_application_and_goes_on_when_extended(maverick: Maverick, teller: str, mark: str) -> None:
    app = maverick("--agent", teller, "--prompt", "Look", "--fuse", "turns=1", scenes=[SCENE], is_ours=True)
    app.see("The fuse of this run is at 1 turn of 1 turn.")
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    (run_id,) = hosted_runs()
    again = maverick("attach", run_id[:6])
    again.see("⚑ needs you")
    again.see("2. Extend to 2 turns")
    assert "And on." not in again.glass.text
    again.send("2")
    again.until_pressed(ENTER, lambda glass: "And on." in glass.text)
    again.see("2. Extend to 3 turns")
    again.send("2")
    again.until_pressed(ENTER, lambda glass: "It is done." in glass.text)
    again.see("✔ done in")
    again.send(CTRL_Q)
    assert again.wait() == 0
    assert wait_until_gone(mark) == {}
