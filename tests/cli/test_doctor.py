"""`maverick doctor` as a program: its table, its JSON, its exit codes, and places where little works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui.doctor import checks
from maverick_tui.doctor.findings import Check, Finding, Situation, State
from tests.cli.agent_files import environment
from tests.support.command_line import Run
from tests.support.pty_program import PtyProgram, terminal_environment

NAMES = [
    "Maverick", "Packages", "Claude Code CLI", "Credentials", "Endpoint", "git", "Terminal", "Settings", "Agents",
    "Rules", "Folder", "State folder", "Kept runs", "Index of runs", "Hosts",
]  # fmt: skip


def finds(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    def look(_: Situation) -> tuple[Finding, ...]:
        return findings

    monkeypatch.setattr(checks, "CHECKS", (Check("All", look),))


@pytest.mark.parametrize(
    ("state", "code", "sum_up"),
    [
        ("fine", 0, "All is well."),
        ("unknown", 0, "All is well."),
        ("warning", 0, "Worth a look: It."),
        ("wrong", 1, "Wrong: It."),
    ],
)
def test_only_what_is_wrong_makes_it_fail(
    maverick: Run, monkeypatch: pytest.MonkeyPatch, state: State, code: int, sum_up: str
) -> None:
    finds(monkeypatch, Finding("It", state, "is so", "Do this." if state in ("warning", "wrong") else ""))
    ran = maverick("doctor")
    assert (ran.code, ran.err) == (code, "")
    assert ran.out.splitlines()[-1] == sum_up
    as_json = maverick("doctor", "--json")
    assert as_json.code == code
    assert json.loads(as_json.out)["ok"] == (code == 0)


def test_rows_fit_eighty_columns_and_say_what_to_do_below(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "so much to say that one row is not enough for all of it, and then some more"
    finds(monkeypatch, Finding("It", "wrong", words, f"Do this: {words}"), Finding("That", "fine", "is well"))
    out = maverick("doctor").out
    assert out == (
        "✘ It                so much to say that one row is not enough for all of it, and\n"
        "                    then some more\n"
        "                    → Do this: so much to say that one row is not enough for all\n"
        "                      of it, and then some more\n"
        "✔ That              is well\n"
        "\n"
        "Wrong: It.\n"
    )


def test_nothing_steers_the_terminal_or_shows_a_secret(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "opensesame-1")
    finds(monkeypatch, Finding("It", "wrong", "\x1b[2Jopensesame-1", "\x1b]0;opensesame-1\x07", {"at": "opensesame-1"}))
    for arguments in (["doctor"], ["doctor", "--json"]):
        out = maverick(*arguments).out
        assert "\x1b" not in out
        assert "opensesame" not in out


def test_the_real_program_tells_everything_without_a_terminal() -> None:
    """Also without a home, colours and UTF-8: nothing that it stands on has to be there."""
    surroundings = environment(PYTHONIOENCODING="ascii", TERM="dumb", NO_COLOR="1", ANTHROPIC_API_KEY="not-a-real-key")
    del surroundings["HOME"]
    command = [sys.executable, "-m", "maverick_tui", "doctor"]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=surroundings, check=False)
    assert (ran.returncode, ran.stderr) == (1, b""), ran.stdout
    rows = ran.stdout.decode("ascii").splitlines()
    told = {row[2:18].strip(): row[0] for row in rows if row[:1].strip() and row[1:2] == " " and row != rows[-1]}
    assert [*told] == NAMES
    assert told["Endpoint"] == "x"
    assert told["Maverick"] == told["Claude Code CLI"] == told["git"] == "+"
    assert told["Terminal"] == "-"
    assert b"not-a-real-key" not in ran.stdout


def test_as_json_it_is_the_same(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_TIMOUT", "3")
    ran = maverick("doctor", "--json")
    told = json.loads(ran.out)
    assert (ran.code, ran.err, told["ok"]) == (1, "", False)
    found = {one["name"]: one for one in told["checks"]}
    assert [*found] == NAMES
    assert found["Settings"]["hint"] == "Did you mean MAVERICK_TIMEOUT?"
    assert found["Claude Code CLI"]["bundled"] is True


@pytest.mark.explore  # it is seen to for every command at once, which `test_program.py` shows with another one
def test_a_reader_may_leave() -> None:
    program = f"{sys.executable} -m maverick_tui doctor | head -n 1"
    left = subprocess.run(program, shell=True, capture_output=True, text=True, env=environment(), check=True)
    assert (left.stdout.split()[:2], left.stderr) == (["✔", "Maverick"], "")


@pytest.mark.explore  # `doctor/test_terminal.py` asks terminals, without the program around it
def test_in_a_terminal_it_asks_and_leaves_no_trace(tmp_path: Path) -> None:
    class Answering(PtyProgram):
        REPLIES = {b"\x1b[c": b"\x1b[?2026;2$y\x1bP>|foot(1.2)\x1b\\" + b"\x1b[1;3R" * 5 + b"\x1b[?62c"}

    environment_ = terminal_environment(**environment())
    del environment_["COLUMNS"]
    terminal = Answering([sys.executable, "-m", "maverick_tui", "doctor"], environment_, (120, 40))
    try:
        assert terminal.wait() == 1, terminal.glass.text
        shown = terminal.look().text
        assert terminal.attributes == terminal.attributes_before
    finally:
        terminal.end()
    assert "✔ Terminal          foot(1.2), 120 x 40" in shown
    assert "✔ Whole frames      synchronised output" in shown
    assert "! Unicode width     not as counted: letters, marks" in shown
    assert "✘ Endpoint          http://127.0.0.1:9 refuses the connection" in shown
    assert shown.splitlines()[0].startswith("✔ Maverick")
    assert "…" not in shown, "what does not fit is wrapped, and not cut"
