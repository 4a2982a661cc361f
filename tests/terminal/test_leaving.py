"""Killed it leaves no process behind. Other ends are where an application runs anyway: asked in `test_start`, told in
`test_mouse`, hung up on in `test_typing`.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from maverick_tui import paths
from tests.support.processes import wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.support.sampling import sampled
from tests.terminal.application import ENTER, prompt_of
from tests.terminal.conftest import HERE_ALONE, OURS_ALONE, Maverick
from tests.terminal.working import WORKS, until_working

pytestmark = pytest.mark.slow


@pytest.mark.explore  # `test_keeping` kills it while it is answered
def test_killed_it_leaves_no_process_behind(maverick: Maverick, handyman: str, mark: str) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=[{"answers": WORKS}], environment=HERE_ALONE)
    until_working(app, mark)
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    assert wait_until_gone(mark, 15.0) == {}


@pytest.mark.explore
def test_a_window_that_is_closed_while_hundreds_of_keys_wait_ends_it(maverick: Maverick, teller: str) -> None:
    scenes = [{"answers": ["Done."]}]
    app = maverick("--agent", teller, "--prompt", "go", scenes=scenes, is_ours=True, environment=HERE_ALONE)
    app.see("✔ done")
    app.send("x" * 1_500)
    app.hang_up()
    assert app.wait() in maverick.hung_up


@pytest.mark.explore
@OURS_ALONE
def test_who_is_told_to_end_ends_though_the_terminal_takes_nothing(maverick: Maverick, teller: str) -> None:
    scenes = [{"answers": [{"steps": [" ".join(["word"] * 20_000)], "pace": {"tokens_per_second": 500}}]}]
    app = maverick("--agent", teller, "--prompt", "go", scenes=scenes, is_ours=True)
    app.see("word")
    app.stall()
    app.send("x" * 100)  # each is painted, so that soon it waits for the terminal
    os.kill(app.pid, signal.SIGTERM)
    assert app.wait() == 128 + signal.SIGTERM
    assert app.attributes == app.attributes_before
    until_kept("go")


@pytest.mark.parametrize("number", sampled([signal.SIGQUIT, signal.SIGXCPU], 2, ids=["quit", "over its time"]))
def test_who_is_told_to_end_in_another_way_leaves_the_terminal_as_it_was(
    maverick: Maverick, teller: str, number: signal.Signals
) -> None:
    scenes = [{"answers": ["Done."]}]
    app = maverick("--agent", teller, "--prompt", "go", scenes=scenes, is_ours=True, environment=HERE_ALONE)
    app.see("✔ done")
    assert app.output.modes[1049]
    os.kill(app.pid, number)
    assert app.wait() == 128 + number
    assert app.attributes == app.attributes_before
    assert not app.output.modes[1049], "the shell has its own screen again"


# Without a terminal `ui/test_drafts.py` shows both of each of these.
@pytest.mark.parametrize("is_sent", sampled([True, False], 2, ids=["sent", "typed"]))
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
    until_kept("precious words")


@pytest.mark.explore  # so has that this one
def test_neither_is_one_that_was_to_bring_a_run_back(maverick: Maverick, teller: str) -> None:
    scenes = [{"answers": ["Done."]}]
    app = maverick("runs", "open", maverick.ended_run(teller, scenes), scenes=scenes, is_ours=True)
    app.see("Go on with this run")
    app.type_line("precious words")
    app.until(lambda glass: prompt_of(glass) != "precious words")
    app.hang_up()
    assert app.wait() in maverick.hung_up
    until_kept("precious words")


@pytest.mark.explore  # `tests/ui/test_drafts_on_the_way.py` has it without a terminal
def test_nor_is_what_was_sent_and_typed_while_a_run_was_resumed(maverick: Maverick, teller: str) -> None:
    scenes = [{"answers": ["Done."]}]
    app = maverick("runs", "resume", maverick.ended_run(teller, scenes), scenes=scenes, is_ours=True)
    app.see("What shall it do?")
    app.type_line("precious words")
    app.send("half a thought of more")
    app.until(lambda glass: prompt_of(glass) == "half a thought of more")
    until_kept("half a thought of more")  # no further key has to come, whenever its process does
    app.hang_up()
    assert app.wait() in maverick.hung_up
    until_kept("precious words")


@pytest.mark.parametrize("ends", sampled(["the window", "the application"], 2))
@pytest.mark.explore  # `tests/ui/test_drafts_on_the_way.py` has it without a terminal
def test_what_was_typed_for_an_agent_that_cannot_be_loaded_is_kept(maverick: Maverick, teller: str, ends: str) -> None:
    file = Path(f".maverick/agents/{teller}.md")
    file.write_text(file.read_text().replace("Read, Glob", "Read, EnterWorktree"))
    app = maverick("--agent", teller, scenes=[{"answers": ["Done."]}], is_ours=True)
    app.see("not connected")
    app.send("precious words")
    app.until(lambda glass: prompt_of(glass) == "precious words")
    if ends == "the application":
        until_kept("precious")
        os.kill(app.pid, signal.SIGKILL)
    app.hang_up()
    app.wait()
    until_kept("precious words" if ends == "the window" else "precious")


def until_kept(words: str) -> None:
    """Wait until they are a draft, or a run has them."""
    until = time.monotonic() + PATIENCE
    while not keepers_of(words):
        assert time.monotonic() < until, [*paths.user_state().rglob("*")]
        time.sleep(0.05)


def keepers_of(words: str) -> list[str]:
    """What has these words in it, but for the list of all that was ever sent."""
    files = [file for kind in ("drafts", "runs") for file in (paths.user_state() / kind).rglob("*") if file.is_file()]
    return [str(file) for file in files if words in file.read_text(errors="replace")]
