"""Killed it leaves no process behind. Other ends are where an application runs anyway: asked in `test_start`, told in
`test_mouse`, hung up on in `test_typing`.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from maverick_tui import paths
from tests.support.processes import wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.terminal.application import ENTER, prompt_of
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


@pytest.mark.parametrize("is_sent", [False, True], ids=["typed", "sent"])
def test_a_prompt_is_not_lost_with_a_window_that_goes_before_its_run_is_there(
    maverick: Maverick, teller: str, is_sent: bool
) -> None:
    app = maverick("--agent", teller, scenes=[{"answers": ["Done."]}], is_ours=True)
    app.see("What shall it do?")
    app.send("precious words")
    app.until(lambda glass: prompt_of(glass) == "precious words")
    if is_sent:
        app.send(ENTER)
        app.until(lambda glass: prompt_of(glass) != "precious words")
    app.hang_up()
    assert app.wait() in maverick.hung_up
    until = time.monotonic() + PATIENCE
    while not keepers_of("precious words"):  # a draft, or the run has it after all
        assert time.monotonic() < until, [*paths.user_state().rglob("*")]
        time.sleep(0.05)


def keepers_of(words: str) -> list[str]:
    """What has these words in it, but for the list of all that was ever sent."""
    files = [file for kind in ("drafts", "runs") for file in (paths.user_state() / kind).rglob("*") if file.is_file()]
    return [str(file) for file in files if words in file.read_text(errors="replace")]
