"""Hosts as the doctor finds them: alive, of another version, stuck, orphaned, or gone and not tidied up."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from maverick_tui import keeper
from maverick_tui.doctor.findings import Finding
from maverick_tui.doctor.hosts import check_hosts, check_notifications
from maverick_tui.host import asking
from maverick_tui.host.listening import listening
from maverick_tui.host.notify_command import trouble_file
from maverick_tui.host.places import runtime_folder
from maverick_tui.interpreter import python_environment
from tests.doctor.situations import here
from tests.host.served_run import RUN, leave_behind, serving
from tests.support.orphans import noted, survivor
from tests.support.processes import kill_marked


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there at the first look is there to stay."""
    monkeypatch.setattr(keeper, "LONGEST", 0.0)
    monkeypatch.setattr(asking, "ANSWERS_WITHIN", 60.0)


def found() -> dict[str, Finding]:
    return {one.name: one for one in check_hosts(here())}


def test_without_hosts_all_is_well() -> None:
    assert {name: one.state for name, one in found().items()} == {"Hosts": "fine"}
    assert not runtime_folder().exists(), "nothing is made"


async def test_one_of_an_older_version_goes_on_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as run:
        assert [*await asyncio.to_thread(found)] == ["Hosts"]
        monkeypatch.setattr("maverick_tui.host.serving.__version__", "0.0.1")
        told = await asyncio.to_thread(found)
        run.events.close()
    assert told["Hosts"].fact == "1 alive"
    old = told["Old hosts"]
    assert (old.state, old.details["versions"]) == ("warning", {RUN: "0.0.1"})
    assert f"maverick stop {RUN}; maverick runs resume {RUN}" in old.hint


async def test_one_that_speaks_another_language_is_told() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b'{"refused": "this speaks version 7, and that version 1"}\n')
        writer.close()

    async with listening(RUN, refuse):
        told = await asyncio.to_thread(found)
    assert [*told] == ["Hosts", "Foreign hosts"]
    assert "version 7" in told["Foreign hosts"].fact


def test_what_killed_hosts_have_left_is_found_and_named() -> None:
    leave_behind()
    stale = found()["Stale files"]
    assert stale.state == "warning"
    assert [Path(file).name for file in stale.details["files"]] == ["000000000007.turn", f"{RUN}.lock", f"{RUN}.sock"]
    subprocess.run(stale.hint.partition(": ")[2].split(), check=True)
    assert [*found()] == ["Hosts"]
    assert [*runtime_folder().iterdir()] == []


@pytest.mark.parametrize(
    ("folder", "why"), [("/dev/null/maverick", "cannot be written"), (f"/tmp/{'long' * 30}", "too long for a socket")]
)
def test_a_place_where_no_run_can_have_a_host_is_wrong(folder: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", folder)
    (told,) = found().values()
    assert (told.state, why in told.fact, "MAVERICK_RUNTIME_DIR" in told.hint) == ("wrong", True, True)


@pytest.fixture
def started(mark: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for one in processes:
        one.kill()
        one.communicate()
    kill_marked(mark)


def start(words: Sequence[str], stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *words], stdin=stdin, stderr=subprocess.DEVNULL, env=python_environment())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells about processes")
def test_hosts_that_nobody_reaches_and_orphans_are_found_and_those_of_other_folders_are_not(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("MAVERICK_RUNTIME_DIR", str(tmp_path / "elsewhere"))
        started.append(start(["-P", "-m", "maverick_tui.host"]))
    assert [*found()] == ["Hosts"]
    ours, its = socket.socketpair()  # nothing comes there, and it is not how an order comes
    waiting = start(["-P", "-m", "maverick_tui.host"])
    stuck = start(["-P", "-m", "maverick_tui.host"], stdin=its.fileno())
    gone = subprocess.Popen(["true"])
    gone.wait()
    orphan = start(["-c", "input()", keeper.__file__, str(gone.pid), "0"])
    kept = start(["-c", "input()", keeper.__file__, str(os.getpid()), "0"])
    started += [waiting, stuck, orphan, kept]
    left = survivor(noted())
    told = found()
    assert told["Silent hosts"].details["pids"] == [stuck.pid]
    assert told["Silent hosts"].hint == f"End what is stuck: kill {stuck.pid}"
    assert told["Orphans"].details["pids"] == sorted([orphan.pid, left])
    assert "CONT" not in told["Orphans"].hint
    stop(stuck)
    assert found()["Silent hosts"].hint.endswith(f": kill {stuck.pid}; kill -CONT {stuck.pid}")
    stop(orphan)
    subprocess.run(found()["Orphans"].hint.partition(": ")[2], shell=True, check=True)
    assert orphan.wait() == -signal.SIGTERM
    ours.close()
    its.close()


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)


def test_a_folder_that_is_not_ours_alone_is_wrong() -> None:
    runtime_folder().mkdir()
    runtime_folder().chmod(0o755)
    told = found()
    assert (told["Hosts"].state, "can be read by others" in told["Hosts"].fact) == ("wrong", True)


def test_a_command_for_news_that_cannot_be_run_or_has_failed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*check_notifications(here())] == []
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", '["no-such-program-here"]')
    (missing,) = check_notifications(here())
    assert (missing.state, "No such file" in missing.fact) == ("warning", True)
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", '["sh", "-c", "exit 3"]')
    (fine,) = check_notifications(here())
    assert fine.state == "fine"
    trouble_file().parent.mkdir(parents=True, exist_ok=True)
    trouble_file().write_text('{"at": 1.0, "program": "sh", "why": "it ended with code 3"}')
    (failed,) = check_notifications(here())
    assert (failed.state, failed.fact) == (
        "warning",
        f"{Path(fine.fact).name} has failed the last time: it ended with code 3",
    )
