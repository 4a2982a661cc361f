"""Killed it leaves no process behind. Other ends are where an application runs anyway: asked in `test_start`, told in
`test_mouse`, hung up on in `test_typing`.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.support.processes import wait_until_gone
from tests.terminal.conftest import HERE_ALONE, Maverick
from tests.terminal.working import WORKS, until_working

pytestmark = pytest.mark.slow


@pytest.mark.explore  # `test_keeping` kills it while it is answered
def test_killed_it_leaves_no_process_behind(maverick: Maverick, handyman: str, mark: str) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=[{"answers": WORKS}], environment=HERE_ALONE)
    until_working(app, mark)
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    assert wait_until_gone(mark, 15.0) == {}


def test_a_window_that_is_closed_while_hundreds_of_keys_wait_ends_it(maverick: Maverick, handyman: str) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=[{"answers": ["Done."]}], environment=HERE_ALONE)
    app.see("✔ done")
    app.send("x" * 1_500)
    app.hang_up()
    assert app.wait() in maverick.hung_up
