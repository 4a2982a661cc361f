"""Runs with processes of their own, from the command line: started, listed, waited for, read and ended."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.cli.exit_codes import (
    FAILED,
    INTERRUPTED,
    NO_SUCH_AGENT,
    NOBODY_TO_ASK,
    NOT_TRUSTED,
    OVER_LIMIT,
    TIMED_OUT,
)
from maverick_tui.cli.live import _all_runs, _may_stop
from maverick_tui.cli.live_text import print_live
from maverick_tui.events import kinds as ev
from maverick_tui.host import asking
from maverick_tui.host.live import LiveRun
from maverick_tui.host.memory import memory_of
from maverick_tui.host.places import runtime_folder, socket_of
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.journal.writing import Journal
from maverick_tui.masking.redact import MASK
from tests.cli.agent_files import write_agent
from tests.history.kept import begun, keep
from tests.host.served_run import RUN, serving
from tests.runs.grammar import check_well_formed
from tests.support.command_line import Run
from tests.support.cook import SECRET, write_cook
from tests.support.hosts import PATIENCE, end_hosts, hosts, until
from tests.support.runs import STREAM_BROKE, Tape

LIVE = "11fe00c0ffee"
MAVERICK = [sys.executable, "-m", "maverick_tui"]


@pytest.fixture
def cook(home: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An agent to be left alone with its work; no host of it outlives the test, and each has time to answer."""
    write_cook(home)
    monkeypatch.setattr(asking, "ANSWERS_WITHIN", PATIENCE)
    monkeypatch.setattr(asking, "HEARS_WITHIN", PATIENCE)
    yield
    end_hosts(mark, signal.SIGKILL)


def detached(maverick: Run, *arguments: str) -> str:
    """The id of a run that has a host."""
    ran = maverick("run", "--detach", "cook", *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\n")
    (run_id,) = ran.out.split()
    return run_id


@contextmanager
def followed(run_id: str) -> Iterator[None]:
    """Somebody follows a run that ends meanwhile, and somebody else has left it before."""
    follows = [*MAVERICK, "logs", "-f", run_id]
    with (
        subprocess.Popen(follows, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as to_the_end,
        subprocess.Popen(follows, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as left,
    ):
        assert left.stdout is not None
        while left.stdout.readline() != b"You say stuck\n":
            pass
        left.send_signal(signal.SIGINT)
        assert (left.wait(), left.stderr and left.stderr.read()) == (INTERRUPTED, b"")
        assert is_alive(journal_of(run_id)), "who leaves it leaves it alone"
        yield
        out, err = to_the_end.communicate()
    assert (to_the_end.returncode, err) == (0, b"")
    assert b"interrupted" in out
    assert b"\x1b" not in out


# -- a life ------------------------------------------------------------------------------------------------------------


def test_runs_are_left_alone_followed_and_looked_after_from_the_command_line(
    maverick: Run, cook: None, mark: str
) -> None:
    Path("kitchen").mkdir()
    done, asks = detached(maverick, "go", "--input", "salt=3", "--cwd", "kitchen"), detached(maverick, "ask")
    stuck = detached(maverick, "stuck")
    waited = maverick("wait", done[:6], asks)
    assert (waited.code, waited.err) == (NOBODY_TO_ASK, "")
    assert sorted(waited.out.splitlines()) == sorted([f"{done} done", f"{asks} asks"])
    until(lambda: "stuck" in maverick("logs", stuck).out, "it speaks")
    late = maverick("wait", stuck, "--timeout", "0")
    assert (late.code, late.out) == (TIMED_OUT, "")
    assert f"Not settled after 0 s: {stuck} (working)" in late.err

    listed = maverick("ps").out.splitlines()
    assert [line.split()[1].rstrip(":") for line in listed] == ["asks", "working", "done"]
    assert listed[0].startswith(f"⚑ asks: Bash  {asks[:8]}  cook  ")
    assert all(" MB " in line for line in listed) == sys.platform.startswith("linux")
    told = {run["run_id"]: run for run in json.loads(maverick("ps", "--json").out)}
    assert told[asks]["needs_person"]
    assert told[asks]["asks"] == ["Bash"]
    assert (told[done]["phase"], told[done]["cost_usd"], told[done]["readers"]) == ("done", 0.02, 0)
    assert told[done]["folder"] == str(Path.cwd() / "kitchen")
    assert {run["pid"] for run in told.values()} == set(hosts(mark))

    with followed(stuck):
        stopped = maverick("stop", asks, done, stuck[:7])
    assert (stopped.code, stopped.err) == (0, "")
    assert sorted(stopped.out.splitlines()) == sorted(
        [
            f"{asks} has ended; its question was withdrawn.",
            f"{done} has ended.",
            f"{stuck} has ended; it was interrupted.",
        ]
    )
    assert hosts(mark) == []
    assert list(runtime_folder().iterdir()) == []
    for run_id in (done, asks, stuck):
        check_well_formed(read_journal(journal_of(run_id)).events)
    assert maverick("stop", done).out == f"{done} had ended already.\n"
    assert maverick("ps").out.startswith("No run is alive.")
    assert maverick("wait", done).out == f"{done} done\n"
    assert maverick("wait", done, stuck).code == INTERRUPTED

    again = maverick("run", "--detach", "--resume", done[:6], "more")
    assert (again.code, again.out) == (0, f"{done}\n")
    assert maverick("wait", done).out == f"{done} done\n"
    shown = maverick("logs", done).out
    assert [line for line in shown.splitlines() if line.startswith((">", "You"))] == [
        "> go", "You say go", "> more", "You say more",
    ]  # fmt: skip


@pytest.mark.explore  # one is dear in `batch/test_batch.py`, and what came of it is told below
def test_limits_hold_for_all_that_a_run_is_asked(maverick: Run, cook: None) -> None:
    dear, slow = detached(maverick, "dear", "--max-cost", "1"), detached(maverick, "stuck", "--timeout", "0.1")
    assert (maverick("wait", dear).out, maverick("wait", slow).out) == (f"{dear} limit\n", f"{slow} timeout\n")
    assert [maverick("wait", run_id).code for run_id in (dear, slow)] == [OVER_LIMIT, TIMED_OUT]
    assert "It has cost $5.00, and it was given $1.00." in maverick("logs", dear).out


def test_a_failure_and_a_limit_are_told_apart_and_a_failure_is_logged_without_secrets(
    maverick: Run, cook: None
) -> None:
    kept = {"limit": "aaaa00000001", "timeout": "aaaa00000002"}
    for kind, run_id in kept.items():
        cut = [ev.Noticed(2e9, kind, "It was cut short."), ev.TurnEnded(2e9, 1, "interrupted", ev.Usage())]
        keep(run_id, [*begun(run_id), ev.TurnStarted(2e9, 1, "go"), *cut, ev.RunEnded(2e9)])
        assert maverick("wait", run_id).out == f"{run_id} {kind}\n"
    assert [maverick("wait", run_id).code for run_id in kept.values()] == [OVER_LIMIT, TIMED_OUT]
    broken = detached(maverick, "fail")
    failed = maverick("wait", *kept.values(), broken)
    assert failed.code == FAILED
    assert f"{broken} failed" in failed.out.splitlines()
    assert "The oven is cold." in failed.err
    logged = (journal_of(broken).parent / "host.log").read_text()
    assert "WARNING cook: The key is" in logged
    assert SECRET not in logged
    assert maverick("ps").out.startswith(f"✘ failed  {broken[:8]}  cook")


@pytest.mark.explore
def test_a_run_that_cannot_begin_has_failed_and_gives_its_place_to_the_next(
    maverick: Run, cook: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_MAX_RUNS", "1")
    monkeypatch.setenv("MAVERICK_HOST_IDLE_MINUTES", "0.01")
    Path("no stove").touch()
    broken = detached(maverick, "go")
    waited = maverick("wait", broken)
    assert (waited.code, waited.out) == (FAILED, f"{broken} failed\n")
    assert "There is no stove." in waited.err
    Path("no stove").unlink()
    following = detached(maverick, "go")
    assert maverick("wait", following).out == f"{following} done\n"
    until(lambda: not is_alive(journal_of(broken)), "nobody needs it")


def test_a_host_that_hangs_is_told_from_one_that_was_killed(
    maverick: Run, cook: None, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = detached(maverick, "hang")
    until(lambda: "You say" in maverick("logs", run_id).out, "it speaks")
    (host,) = hosts(mark)
    for patience in ("ANSWERS_WITHIN", "HEARS_WITHIN"):
        monkeypatch.setattr(asking, patience, 0.2)
    Path("hang").touch()
    until(lambda: maverick("ps").out.startswith(f"? does not answer  {run_id[:8]}  cook"), "it hangs")
    (told,) = json.loads(maverick("ps", "--json").out)
    assert (told["answers"], told["has_host"], told["phase"]) == (False, True, "working")
    ran = maverick("stop", run_id)
    assert (ran.code, ran.out) == (FAILED, "")
    assert f"The host of the run {run_id} does not answer." in ran.err
    assert f"kill -9 {host}." in ran.err or not sys.platform.startswith("linux")

    os.kill(host, signal.SIGKILL)
    until(lambda: not is_alive(journal_of(run_id)), "it is gone")
    assert socket_of(run_id).exists(), "it could remove nothing"
    assert maverick("ps").out.startswith("No run is alive.")
    waited = maverick("wait", run_id)
    assert (waited.code, waited.out) == (FAILED, f"{run_id} failed\n")
    assert "Its process was killed before it ended." in waited.err
    assert "Its process was gone before it ended." in maverick("logs", "-f", run_id).out
    assert maverick("stop", run_id).out == f"{run_id} had ended already.\n"


@pytest.mark.explore
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which process is the host")
def test_a_host_that_somebody_has_stopped_is_woken_so_that_it_ends(maverick: Run, cook: None, mark: str) -> None:
    run_id = detached(maverick, "stuck")
    (host,) = hosts(mark)
    until(lambda: "You say" in maverick("logs", run_id).out, "it is at work")
    os.kill(host, signal.SIGSTOP)
    assert maverick("stop", "--turn", run_id).code == 0
    os.kill(host, signal.SIGSTOP)
    ran = maverick("stop", run_id)
    assert (ran.code, ran.out) == (0, f"{run_id} has ended.\n")


@pytest.mark.explore  # it is seen to for every command at once, which `test_program.py` shows with another one
def test_a_reader_that_has_seen_enough_leaves_the_run_alone(maverick: Run, cook: None) -> None:
    run_id = detached(maverick, "stuck")
    command = ["bash", "-c", '"$@" | head -n 1; exit ${PIPESTATUS[0]}', "", *MAVERICK, "logs", "-f", run_id]
    read = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (read.returncode, read.stdout) == (0, b"> stuck\n")
    assert is_alive(journal_of(run_id))


@pytest.mark.explore  # one answers the runs of the application, which have hosts as well, in `tests/terminal`
def test_a_script_answers_a_detached_run(maverick: Run, cook: None) -> None:
    write_agent("looker", "engine: api")
    Path("script.yaml").write_text("scenes: [{answers: [{steps: [Here it is.]}]}]")
    ran = maverick("run", "looker", "Look", "--detach", "--offline", "--script", "script.yaml")
    assert (ran.code, ran.err) == (0, "")
    run_id = ran.out.strip()
    assert maverick("wait", run_id).out == f"{run_id} done\n"
    assert "\nHere it is.\n" in maverick("logs", run_id).out


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["nobody", "go"], NO_SUCH_AGENT, "nobody"),
        (["pilot", "go"], NOT_TRUSTED, "maverick agents trust pilot"),
        (["cook", "go", "--input", "salt=much"], 2, "salt"),
        (["cook", "go", "--allow", "Bash("], 2, "--allow"),
        (["cook", "go", "--output", "json"], 2, "`maverick logs` has the rest"),
        (["cook", "go", "--no-keep"], 2, "read from what is kept"),
        (["cook", "go", "--fork", "abcd"], 2, "cannot be detached"),
        (["cook"], 2, "Say what it is to do"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_left_running(
    maverick: Run, cook: None, pilot: Path, arguments: list[str], code: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    ran = maverick("run", "--detach", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert why in " ".join(ran.err.split())
    assert list(kept_runs()) == []
    assert not runtime_folder().exists()


def test_where_nothing_is_kept_nothing_is_detached(maverick: Run, cook: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "false")
    ran = maverick("run", "--detach", "cook", "go")
    assert (ran.code, ran.out) == (FAILED, "")
    assert "the settings keep no runs" in ran.err


def test_an_id_that_nobody_has_is_an_error(maverick: Run) -> None:
    for command in ("stop", "wait", "logs"):
        ran = maverick(command, "abcd")
        assert (ran.code, ran.out) == (FAILED, "")
        assert "No run has an id that begins with 'abcd'." in ran.err


def test_a_folder_of_sockets_that_is_not_ours_alone_is_refused_but_for_what_is_kept(
    maverick: Run, elsewhere: Journal
) -> None:
    runtime_folder().mkdir(mode=0o755)
    runtime_folder().chmod(0o755)
    for command in (["ps"], ["stop", LIVE]):
        ran = maverick(*command)
        assert (ran.code, ran.out) == (FAILED, "")
        assert "can be read by others" in ran.err
    assert maverick("logs", LIVE).code == 0


def test_what_lies_about_in_the_folder_of_sockets_is_passed_over(maverick: Run) -> None:
    runtime_folder().mkdir(mode=0o700)
    for name in ("abcdabcdabcd.sock", "abcdabcdabcd.lock", "No run.sock", ".sock"):
        (runtime_folder() / name).touch()
    assert maverick("ps").out.startswith("No run is alive.")
    assert json.loads(maverick("ps", "--json").out) == []
    ran = maverick("logs", "abcd")
    assert (ran.code, ran.out) == (FAILED, "")
    assert "The run abcdabcdabcd is not kept" in ran.err


def test_settings_that_cannot_be_read_are_named_beside_the_runs(maverick: Run, home: Path) -> None:
    config = paths.user_config() / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("x = [")
    ran = maverick("ps")
    assert ran.out.startswith("No run is alive.")
    assert "maverick/config.toml (TOML)" in ran.err


async def test_a_run_that_is_not_kept_is_read_from_its_host_without_secrets_and_without_looking_at_it(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "HEARS_WITHIN", PATIENCE)
    key = "sk-ant-api03-abcdefghijklmnop"
    tape = Tape().connect().prompt("Go").say(f"The key is {key}, as said.", chunk=5).done()
    async with serving(tape.events) as run:
        shown = await asyncio.to_thread(maverick, "logs", RUN[:6])
        assert (shown.code, shown.err) == (0, "")
        assert f"The key is {MASK}, as said." in " ".join(shown.out.split())
        waited = await asyncio.to_thread(maverick, "wait", RUN)
        assert (waited.code, waited.out) == (0, f"{RUN} done\n")
        following = asyncio.create_task(asyncio.to_thread(maverick, "logs", "-f", RUN))
        while not run.server._readers:
            await asyncio.sleep(0.01)
        assert run.server.readers == 0
        seen = len(tape.events)
        run.tell([*tape.prompt("More").say("And more.").done().events[seen:], ev.RunEnded(tape.at, "closed")])
        run.events.close()
        assert "And more." in (await following).out
    gone = await asyncio.to_thread(maverick, "wait", RUN)
    assert (gone.code, gone.out) == (FAILED, "")
    assert f"No run has an id that begins with '{RUN}'." in gone.err


async def test_a_run_that_has_begun_with_a_full_disk_is_read_from_its_host(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "HEARS_WITHIN", PATIENCE)
    journal_of(RUN).parent.mkdir(parents=True)
    journal_of(RUN).touch()  # which takes no room
    async with serving(Tape().connect().prompt("Go").say("I went.").done().events):
        shown = await asyncio.to_thread(maverick, "logs", RUN)
        assert "I went." in shown.out
        waited = await asyncio.to_thread(maverick, "wait", RUN, "--timeout", str(PATIENCE))
        assert (waited.code, waited.out) == (0, f"{RUN} done\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
def test_memory_is_that_of_a_process_and_of_all_that_it_has_started() -> None:
    script = "import os, subprocess, sys; subprocess.run([sys.executable, '-c', 'print(0, flush=True); input()'])"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        (child,) = map(int, children)
        memory = memory_of([parent.pid, child, 2**30])
        parent.communicate(b"\n")
    assert set(memory) == {parent.pid, child}
    assert memory[parent.pid] > memory[child] > 1_000_000


# -- runs without a host -----------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere() -> Iterator[Journal]:
    """A run that another process seems to write."""
    now = time.time()
    journal = Journal(journal_of(LIVE), print)
    loaded = ev.AgentLoaded(now, "explorer", str(Path.cwd()))
    journal.write(0, [ev.RunStarted(now, LIVE, "explorer"), loaded, ev.TurnStarted(now, 1, "Go \x1b[31m")])
    yield journal
    journal.close()


def test_a_run_in_another_program_is_listed_and_left_to_it(maverick: Run, elsewhere: Journal) -> None:
    assert maverick("ps").out.startswith(f"● working  {LIVE[:8]}  explorer  ")
    assert "no host  Go ␛[31m\n" in maverick("ps").out
    (told,) = json.loads(maverick("ps", "--json").out)
    assert (told["has_host"], told["pid"], told["memory"], told["first_prompt"]) == (False, None, None, "Go \x1b[31m")
    ran = maverick("stop", LIVE[:4])
    assert (ran.code, ran.out) == (FAILED, "")
    assert "it lives in an application" in ran.err
    assert maverick("logs", LIVE).out == "> Go ␛[31m\n"
    elsewhere.write(3, [ev.PermissionAsked(time.time(), "q", "c", "Bash", {"command": "make"})])
    assert maverick("wait", LIVE).out == f"{LIVE} asks\n"


def told_and_gone(tape: Tape) -> None:
    """A run whose process was killed when it had told this."""
    journal = Journal(journal_of(LIVE), print)
    journal.write(0, tape.events)
    journal.close()


def test_a_run_that_was_done_is_done_whatever_became_of_its_process(maverick: Run) -> None:
    tape = Tape().connect().prompt("Go").say("Here.").done()
    told_and_gone(tape)
    waited = maverick("wait", LIVE)
    assert (waited.code, waited.out, waited.err) == (0, f"{LIVE} done\n", "")
    ran = maverick("attach", LIVE)
    assert ran.code == FAILED
    assert f"Let it go on with `maverick runs resume {LIVE}`" in " ".join(ran.err.split())


def test_a_run_that_was_killed_at_its_work_has_failed(maverick: Run) -> None:
    told_and_gone(Tape(is_offline=True).connect().prompt("Go").say("Half", is_open=True))
    waited = maverick("wait", LIVE)
    assert (waited.code, waited.out) == (FAILED, f"{LIVE} failed\n")
    ran = maverick("attach", LIVE)
    assert f"Read it with `maverick runs open {LIVE}`" in " ".join(ran.err.split()), "a script has played it"


def test_marks_are_letters_where_there_are_no_others(
    maverick: Run, elsewhere: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii", write_through=True))
    maverick("ps")
    assert written.getvalue().startswith(b"* working  11fe00c0")


ENDS: dict[str, tuple[list[ev.Event], int]] = {
    "done": ([ev.TurnEnded(3, 1, "done", ev.Usage())], 0),
    "failed": ([ev.TurnEnded(3, 1, "failed", ev.Usage(), failure=STREAM_BROKE)], FAILED),
    "interrupted": ([ev.TurnEnded(3, 1, "interrupted", ev.Usage())], INTERRUPTED),
    "limit": (
        [ev.TurnEnded(3, 1, "failed", ev.Usage(), failure=ev.Failure("LimitError", "limit", "Too much."))],
        OVER_LIMIT,
    ),
    "timeout": (
        [ev.Noticed(3, "timeout", "It has taken 1 s."), ev.TurnEnded(3, 1, "interrupted", ev.Usage())],
        TIMED_OUT,
    ),
}


def test_what_came_of_runs_that_have_ended_is_told_at_once_and_the_worst_counts(maverick: Run) -> None:
    ids = {}
    for number, (word, (events, _)) in enumerate(ENDS.items()):
        ids[word] = f"{number}23400c0ffee"
        journal = Journal(journal_of(ids[word]), print)
        start = [ev.RunStarted(1, ids[word], "explorer"), ev.TurnStarted(2, 1, "Go")]
        journal.write(0, [*start, *events, ev.RunEnded(4, "closed")])
        journal.close()
    for word, (_, code) in ENDS.items():
        ran = maverick("wait", ids[word])
        assert (ran.code, ran.out) == (code, f"{ids[word]} {word}\n")
    order = ["failed", "interrupted", "limit", "timeout", "done"]
    for first in range(len(order)):
        assert maverick("wait", *(ids[word] for word in order[first:])).code == ENDS[order[first]][1]


def test_the_help_tells_what_waiting_leaves_with(maverick: Run) -> None:
    told = maverick("wait", "--help").out
    for code in (FAILED, TIMED_OUT, OVER_LIMIT, NOBODY_TO_ASK, INTERRUPTED):
        assert f"\n    {code:>3}  " in told


async def test_before_all_runs_are_stopped_it_is_said_which_those_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()
    monkeypatch.setattr("maverick_tui.cli.asking.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.asking.says_yes", asked.append)
    async with serving(Tape().connect().prompt("Mend the\ncart").events) as run:
        about = await _all_runs()
        assert about == {RUN: "reviewer: Mend the cart"}
        assert not _may_stop(about, turn=False, call=False, is_sure=False)
        run.events.close()
    assert not _may_stop(about | {LIVE: ""}, turn=True, call=False, is_sure=False)
    assert asked == [
        f"{RUN[:8]}  reviewer: Mend the cart\nEnd this run?",
        f"{RUN[:8]}  reviewer: Mend the cart\n{LIVE[:8]}\nInterrupt these 2 runs?",
    ]


def test_a_cost_that_is_estimated_has_its_sign(capsys: pytest.CaptureFixture[str]) -> None:
    for sign in ("~", "≥", ""):
        print_live([LiveRun(RUN, {"phase": "working", "cost_usd": 0.137, "cost_sign": sign}, None, has_host=False)])
        assert f" {sign}$0.137 " in capsys.readouterr().out


def test_what_is_less_than_its_prompt_makes_room_for_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {"phase": "working", "agent": "fixer", "cost_usd": 0.137, "first_prompt": "Mend the tests"}
    run = LiveRun(RUN, state | {"project": "/p"}, time.time(), has_host=False, memory=431_000_000)
    for columns, is_told in ((200, True), (60, False)):
        monkeypatch.setenv("COLUMNS", str(columns))
        print_live([run])
        told = capsys.readouterr().out
        assert all(words in told for words in ("Mend the tests", "fixer", "$0.137"))
        assert ("431 MB" in told) is is_told


def test_what_an_agent_has_left_in_the_background_stands_beside_what_came_of_its_turn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    behind = [{"tool": "Bash", "about": "make serve"}, {"tool": "Agent", "about": "Agent  Look"}, "nonsense"]
    cases = ((behind, "done, runs make serve,…"), (behind[:1], "done, runs make serve"), (None, "done"))
    for told, words in cases:
        print_live([LiveRun(RUN, {"phase": "done", "background": told}, None, has_host=False)])
        assert capsys.readouterr().out.startswith(f"✔ {words}  {RUN[:8]}")


def test_the_log_has_the_commands_of_the_person(maverick: Run) -> None:
    journal = Journal(journal_of(RUN), print)
    events = [
        ev.RunStarted(1, RUN, "explorer"),
        ev.ShellStarted(2, "a", "npm test"),
        ev.ShellEnded(3, "a", "2 failed", code=1),
        ev.ShellStarted(4, "b", "sleep 9"),
        ev.ShellStarted(5, "c", "git status"),
        ev.ShellEnded(6, "c", "clean", code=0),
        ev.ShellEnded(7, "b", "", is_cut=True),
        ev.RunEnded(8, "closed"),
    ]
    journal.write(0, events)
    journal.close()
    told = "! npm test\n✘ exit code 1: 2 failed\n! sleep 9\n! git status\n✔ clean\n✘ sleep 9: stopped\n"
    assert maverick("logs", RUN).out == told
