"""`maverick agents check` and `maverick agents trust`."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maverick_tui import paths
from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.catalog.trust import TrustStore, fingerprint
from maverick_tui.cli.asking import forget_typed
from tests.cli.agent_files import PYTHON, environment, write, write_agent
from tests.support.command_line import Run


def test_check_leaves_with_one_if_there_are_errors(maverick: Run) -> None:
    write_agent("reviewer", "allowed_tools: Read")
    ran = maverick("agents", "check")
    assert ran.code == 1
    assert ran.out == (
        ".claude/agents/reviewer.md:4: error: There is no field 'allowed_tools'. Did you\n"
        "    mean 'tools'?\n"
        "1 file checked: 1 error, 0 warnings.\n"
    )


def test_warnings_fail_only_if_wanted(maverick: Run) -> None:
    write_agent("reviewer", "author: me")
    assert maverick("agents", "check").code == 0
    assert maverick("agents", "check", "--strict").code == 1


@pytest.mark.parametrize("path", [".", ".claude", ".claude/agents", ".claude/agents/reviewer.md"])
def test_check_takes_a_file_or_a_folder(maverick: Run, path: str) -> None:
    write_agent("reviewer", "author: me")
    ran = maverick("agents", "check", path, "--json")
    data = json.loads(ran.out)
    assert (ran.code, data["checked"]) == (0, 1)
    assert data["problems"][0]["line"] == 4


def test_check_says_when_all_is_well(maverick: Run) -> None:
    write_agent("reviewer")
    assert maverick("agents", "check") == (0, "1 file checked: no problems.\n", "")


def test_without_a_terminal_trust_needs_a_yes(maverick: Run, pilot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: PTH123, SIM115
    ran = maverick("agents", "trust", "pilot")
    sys.stdin.close()
    assert ran.code == 4
    assert fingerprint(pilot.read_bytes()) in ran.out
    assert "trust pilot --yes" in ran.err
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_trust_with_a_yes_and_back(maverick: Run, pilot: Path) -> None:
    ran = maverick("agents", "trust", "pilot", "--yes")
    size = len(PYTHON)
    assert ran == (
        0,
        f".maverick/agents/pilot.py\n  sha256 {fingerprint(PYTHON.encode())}, {size} bytes\npilot is trusted.\n",
        "",
    )
    assert maverick("agents", "trust", "pilot").out == "pilot is trusted already.\n"
    assert "*" not in maverick("agents", "list").out
    assert not Path("ran").exists()
    assert maverick("agents", "trust", "pilot", "--revoke").code == 0
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_what_was_never_trusted_is_said_to_be(maverick: Run, pilot: Path) -> None:
    assert maverick("agents", "trust", "pilot", "--revoke") == (0, "pilot was not trusted.\n", "")


QUESTION = b"Have you read .maverick/agents/pilot.py, and may it run on this machine? [y/N]: "


@contextmanager
def in_terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Python with these arguments, and the terminal that it reads from."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    yield process, theirs
    os.close(theirs)
    os.close(ours)


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 4), (b"\n", 4), (b"\x04", 4)])
def test_a_person_is_asked(
    maverick: Run, pilot: Path, answer: bytes, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        monkeypatch.setattr("maverick_tui.cli.asking.forget_typed", lambda: os.write(ours, answer))
        ran = maverick("agents", "trust", "pilot")
    os.close(ours)
    assert ran.code == code
    assert ran.err.startswith(QUESTION.decode())
    assert all(f"  {line}\n" in ran.out for line in PYTHON.splitlines() if line), "it is shown before it is asked about"
    assert TrustStore().is_trusted(pilot, pilot.read_bytes()) == (code == 0)


def test_a_file_is_shown_as_it_counts_and_steers_no_terminal(maverick: Run, pilot: Path) -> None:
    hidden = "# \x1b[2J\x1b]52;c;aGk=\x07 \u202e" + "\n" * 5000 + "# see the docs\rimport os  # runs\n"
    pilot.write_text(PYTHON + hidden, newline="")
    told = maverick("agents", "trust", "pilot").out
    assert not set(told) & set("\x1b\x07\r\u202e")
    assert "<U+202E>" in told
    assert "blank lines" in told
    assert any(line.split("  ")[-2:] == ["import os", "# runs"] for line in told.splitlines()), "a line for Python"


def test_the_question_is_not_in_the_json_and_is_not_answered_by_what_was_typed_before(
    maverick: Run, pilot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    looks = 0

    def look(*given: Any) -> tuple[list[Any], list[Any], list[Any]]:
        nonlocal looks
        looks += 1
        if looks == 1:
            os.write(ours, b"no\nno")
        return select.select(*given)

    def forget() -> None:
        forget_typed()
        os.write(ours, b"yes\n")

    os.write(ours, b"no\nno")
    with os.fdopen(theirs) as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        monkeypatch.setattr("maverick_tui.cli.asking.QUIET", 0.01)
        monkeypatch.setattr("maverick_tui.cli.asking.select", SimpleNamespace(select=look))
        monkeypatch.setattr("maverick_tui.cli.asking.forget_typed", forget)
        ran = maverick("agents", "trust", "pilot", "--json")
    os.close(ours)
    assert (json.loads(ran.out)["files"][0]["trusted"], ran.out[:1]) == (True, "{")
    assert ran.err.endswith(QUESTION.decode())
    assert looks == 2


def test_a_terminal_shows_again_what_is_typed_if_the_question_is_ended_before_it_takes_an_answer() -> None:
    def shows_it() -> bool:
        return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)

    code = "from maverick_tui.cli import asking; asking.QUIET = 600; asking.forget_typed()"
    with in_terminal("-c", code) as (process, terminal):
        while shows_it():
            assert process.poll() is None
            time.sleep(0.01)
        process.terminate()
        process.communicate(timeout=60)
        assert shows_it()


def test_an_interrupt_at_the_question_trusts_nothing(pilot: Path) -> None:
    with in_terminal("-m", "maverick_tui", "agents", "trust", "pilot") as (process, _):
        assert process.stderr is not None
        asked = b""
        while asked != QUESTION:
            assert process.poll() is None
            asked += os.read(process.stderr.fileno(), 100)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"\n")
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_what_needs_no_trust_is_said_to(maverick: Run) -> None:
    write_agent("reviewer")
    assert maverick("agents", "trust", "reviewer") == (0, "reviewer needs no trust.\n", "")


def test_a_broken_list_of_trusted_files_is_named(maverick: Run, pilot: Path) -> None:
    write(TrustStore().path, "{")
    for command in (["list"], ["show", "pilot"], ["trust", "pilot", "--yes"]):
        ran = maverick("agents", *command)
        assert ran.code == 1
        assert "trusted.json" in ran.err


def test_trust_as_json(maverick: Run, pilot: Path) -> None:
    data = json.loads(maverick("agents", "trust", "pilot", "--yes", "--json").out)
    assert data == {
        "name": "pilot",
        "files": [{"path": str(pilot.resolve()), "sha256": fingerprint(PYTHON.encode()), "trusted": True}],
    }


def test_trust_covers_the_commands_that_an_agent_of_ones_own_starts_in_the_folder(maverick: Run) -> None:
    own = write_agent("helper", "mcpServers: {fetch: {command: npx, args: [some-mcp]}}").read_text()
    (Path.cwd() / ".claude/agents/helper.md").unlink()
    write(str(paths.user_config() / "agents/helper.md"), own)
    ran = maverick("agents", "trust", "helper", "--yes")
    assert ran.code == 0
    assert "  MCP server fetch: npx some-mcp\n" in ran.out
    assert "the commands that it starts in this folder\n" in ran.out
    load_agent("helper")
    assert maverick("agents", "trust", "helper").out == "helper is trusted already.\n"
