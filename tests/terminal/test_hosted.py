"""A run with a process of its own survives whatever becomes of those who look at it."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.host.orders import Order
from maverick_tui.host.places import has_host, hosted_runs
from maverick_tui.host.starting import start_host
from maverick_tui.offline.processes import offline_environment
from tests.host.served_run import RUN
from tests.support.processes import wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.support.sampling import sampled
from tests.support.served import served
from tests.terminal.application import CTRL_Q, ENTER, Application, prompt_of
from tests.terminal.conftest import HERE_ALONE, Maverick

pytestmark = pytest.mark.slow

WORDS = [f"w{number:04}" for number in range(600)]
SCENE = {
    "answers": [
        {"steps": ["It begins. ", {"tool": "Glob", "input": {"pattern": "*"}}]},
        {"steps": [" ".join(WORDS)], "pace": {"tokens_per_second": 300}},
    ]
}
AGAIN = re.compile(r"w\d{4}")
CHROME = 5
"""Rows below the transcript: they tell the time."""
HOME, F5, ALT_X = "\x1b[H", "\x1b[15~", "\x1bx"


Hosted = Callable[[dict[str, Any], str], int]


@pytest.fixture
def hosted(teller: str, home: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosted]:
    """Starts a run of a scene in its own process, with a prompt; its process id."""
    with ExitStack() as stack:

        def start(scene: dict[str, Any], prompt: str) -> int:
            for name, value in offline_environment(stack.enter_context(served([scene])), home).items():
                if name != "MAVERICK_OFFLINE":
                    monkeypatch.setenv(name, value)
            pid = start_host(Order(RUN, teller, str(Path.cwd()), prompt))
            stack.callback(end, pid)
            return pid

        def end(pid: int) -> None:
            if has_host(RUN):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            assert wait_until_gone(mark) == {}

        yield start


@pytest.fixture
def host(hosted: Hosted) -> int:
    """A run that streams for a few seconds, in its own process."""
    return hosted(SCENE, "Count")


@pytest.mark.explore  # as a reader that is killed, below; that a host has a session of its own: `host/test_process.py`
def test_killed_the_application_leaves_its_agent_at_work_and_it_is_found_again(
    maverick: Maverick, teller: str, mark: str
) -> None:
    app = maverick("--agent", teller, "--prompt", "Count", scenes=[SCENE], is_ours=True)
    app.see(WORDS[0])
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    (run_id,) = hosted_runs()
    again = maverick("attach", run_id[:6])
    again.see("✔ done in")
    assert WORDS[-1] in again.glass.text
    again.send(CTRL_Q)
    assert again.wait() == 0, "nobody is asked: it has nothing to do"
    assert wait_until_gone(mark) == {}, "and nobody needs it"


def transcript(app: Application) -> list[str]:
    """What stands above the rows that tell the time, and beside the panel that does, without the scrollbar."""
    return [row.partition("▏")[0][:-2].rstrip() for row in app.look().rows[1:-CHROME]]


@pytest.mark.explore  # `test_fuses.py` kills one that is found again, `host/test_process.py` has several readers
@pytest.mark.parametrize("seed", sampled(range(1, 51), 50))  # the first of them kills it
def test_whatever_ends_a_reader_the_run_goes_on_and_the_next_one_sees_all_of_it(
    maverick: Maverick, host: int, seed: int
) -> None:
    chance = random.Random(seed)
    steady = maverick("attach", RUN)
    app = maverick("attach", RUN)
    app.see("teller")
    time.sleep(chance.uniform(0.0, 1.0))
    os.kill(app.pid, chance.choice([signal.SIGKILL, signal.SIGHUP, signal.SIGTERM]))
    app.wait()
    last = maverick("attach", RUN)
    for app in (steady, last):
        app.see("✔ done in")
    end = time.monotonic() + PATIENCE
    while transcript(last) != transcript(steady) and time.monotonic() < end:
        time.sleep(0.02)
    assert transcript(last) == transcript(steady)
    assert has_host(RUN)
    steady.send(CTRL_Q)
    assert steady.wait() == 0
    assert has_host(RUN)

    # What it is asked next is cut off with its host, which is seen at once; the run can go on.
    last.type_line("Once more")
    last.until(lambda glass: "▌ Once more" in glass.text and AGAIN.search(glass.text.partition("▌ Once more")[2]))
    os.kill(host, signal.SIGKILL)
    last.see("its process was gone")
    last.see("Go on with this run")
    last.send(CTRL_Q)
    assert last.wait() == 0


# Without a terminal `ui/test_attached.py` shows each of these, and `host/test_readers.py` who has answered.
@pytest.mark.explore
def test_plain_maverick_leads_back_to_it_and_every_terminal_sees_who_has_answered(
    maverick: Maverick, hosted: Hosted
) -> None:
    Path(".netrc").write_text("machine here")
    hosted({"answers": [["Look.", {"tool": "Read", "input": {"file_path": ".netrc"}}], ["It is read."]]}, "Read it")
    one = maverick(environment=HERE_ALONE)  # it begins no run: no host has to be ready for one
    one.see("⚑ needs you")
    one.until_pressed(HOME, lambda glass: "WHILE YOU WERE AWAY" in glass.text)
    one.see("1 question waits for you")
    one.send("\r")
    one.see("waiting for you")
    other = maverick("attach", RUN)
    other.see("waiting for you")
    one.allow("Read")
    other.see("answered by ")
    one.see("It is read.")
    assert "answered by" not in one.look().text
    for app in (one, other):
        app.see("✔ done in")
    for app in (one, other):
        app.send(CTRL_Q)
        assert app.wait() == 0


@pytest.mark.explore  # that one that has come to life elsewhere does not go on here, others show without terminals
def test_two_windows_that_bring_a_run_back_at_the_same_moment_share_it(maverick: Maverick, teller: str) -> None:
    scenes = [{"answers": ["Answered."]}]
    run_id = maverick.ended_run(teller, scenes)
    windows = [maverick("runs", "open", run_id, scenes=scenes, is_ours=True) for _ in range(2)]
    for number, window in enumerate(windows):
        window.see("Go on with this run")
        window.send(f"from window {number}")
        window.until(lambda glass, number=number: prompt_of(glass) == f"from window {number}")  # type: ignore[misc]
    for window in windows:
        window.send(ENTER)
    for window in windows:
        window.until(lambda glass: glass.text.count("Answered.") == 3)
        assert "The settings are wrong" not in window.glass.text
    assert [window.quit() for window in windows] == [0, 0]


@pytest.mark.explore  # how it is found: `ui/test_returning.py`
def test_a_run_whose_host_was_killed_goes_on_in_all_terminals_that_show_it(maverick: Maverick, hosted: Hosted) -> None:
    pid = hosted({"answers": [{"steps": ["Here I am."]}]}, "Count")
    here, there = maverick("attach", RUN), maverick("attach", RUN)
    for app in (here, there):
        app.see("✔ done in")
    os.kill(pid, signal.SIGKILL)
    for app in (here, there):
        app.see("what you send reopens it")
    there.send("typed there")
    there.see("typed there")
    here.send("goes on here" + ENTER)
    there.see("goes on here")
    there.until(lambda glass: prompt_of(glass) == "typed there")
    there.send(ENTER)
    for app in (here, there):
        app.until(lambda glass: "▌ typed there" in glass.text and glass.text.count("✔ done in") == 3)
    assert [app.quit() for app in (here, there)] == [0, 0]


@pytest.mark.explore
def test_a_run_that_could_not_begin_has_a_process_of_its_own_once_it_can(maverick: Maverick, mark: str) -> None:
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "pilot.py").write_text(
        'from maverick_tui import MaverickAgent\n\n\nclass Pilot(MaverickAgent):\n    "Flies."\n    engine = "api"\n'
        '    system_prompt = "You fly."\n'
        '    async def execute(self, context): return await self.run(context.extra["prompt"], context)\n'
    )
    scenes = [{"answers": ["Here I am."]}]
    app = maverick("--agent", "pilot", "--prompt", "Where are you?", scenes=scenes, is_ours=True)
    app.answer("Trust and run", "n")
    app.see("pilot is not trusted: nothing was run.")
    assert not list(hosted_runs())
    for words in ("And now?", "Never mind."):  # what is sent tries once more
        app.type_line(words)
        app.answer("Trust and run", "n")
    app.send(ALT_X)
    app.until(lambda glass: "Never mind." not in glass.text)
    app.send(F5)
    app.answer("Trust and run", "y")
    app.until(lambda glass: glass.text.count("Here I am.") == 2)
    assert "not trusted" not in app.look().text
    assert re.findall(r"▌ (\w.*?\?)", app.glass.text) == ["Where are you?", "And now?"]

    os.kill(app.pid, signal.SIGKILL)
    app.wait()
    (run_id,) = hosted_runs()
    again = maverick("attach", run_id[:6])
    again.until(lambda glass: glass.text.count("Here I am.") == 2)
    assert again.quit() == 0
    assert wait_until_gone(mark) == {}
