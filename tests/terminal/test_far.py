"""An agent on another machine, in a terminal of this one: started, answered over a line that breaks, and left there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hosts import hosts, until
from tests.support.ssh_server import HAS_SSH, NAME, cut_lines, machine_there
from tests.terminal.application import CTRL_Q, CTRL_X
from tests.terminal.conftest import Maverick

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_SSH, reason="openssh-server and openssh-client are not installed"),
]


@pytest.mark.explore  # `host/far/test_ssh.py` has a real machine, `ui/test_far.py` the application
def test_an_agent_there_is_run_from_here(
    maverick: Maverick, tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine_there(tmp_path / "t", mark, monkeypatch):
        app = maverick("--on", NAME, "--agent", "cook", "--prompt", "ask")
        app.see("make soup")
        app.see(f"on {NAME}")
        cut_lines(mark)
        app.until_pressed(CTRL_X, lambda glass: "denied" in glass.text)
        app.see("done in")
        app.type_line("more soup")
        app.see("You say more soup")
        app.send(CTRL_Q)
        assert app.wait() == 0
        until(lambda: not hosts(mark), "what is done ends there, too, once nobody looks")
