"""The program as a whole: help, exit codes, and output that cannot be written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import __version__, paths
from maverick_tui.inert import inert
from tests.cli.agent_files import environment, write_agent
from tests.support.command_line import Run
from tests.support.sampling import sampled


def test_the_version_is_told(maverick: Run) -> None:
    assert maverick("--version") == (0, f"maverick {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["agents"], ["agents", "-h"]])
def test_help_is_told(maverick: Run, arguments: list[str]) -> None:
    ran = maverick(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "agents" in ran.out


def test_exit_codes_are_documented(maverick: Run) -> None:
    out = maverick("agents", "--help").out
    for line in ("0  fine", "1  problems found", "2  wrong usage", "3  no such agent", "4  not trusted"):
        assert line in out


def test_help_cuts_no_summary_and_tells_where_errors_go(maverick: Run) -> None:
    summaries = maverick("agents", "--help").out.partition("Commands:")[2]
    assert "..." not in summaries
    assert [line.split()[0] for line in summaries.splitlines()[1:5]] == ["list", "show", "check", "trust"]
    for command in ("list", "show", "check", "trust"):
        out = maverick("agents", command, "--help").out
        assert "errors are text on stderr" in out
        assert "JSON: {" in out


@pytest.mark.parametrize(
    "arguments", [["fly"], ["agents", "fly"], ["--fast"], ["agents", "show"], ["agents", "check", "x"]]
)
def test_wrong_usage_leaves_with_two(maverick: Run, arguments: list[str]) -> None:
    ran = maverick(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error" in ran.err


def test_no_word_that_is_repeated_steers_the_terminal(maverick: Run, tmp_path: Path) -> None:
    file = tmp_path / "a\x1b]0;title\x07\u202e.jsonl"
    file.write_text("x\n")
    for words in (("batch", "explorer", "--each", str(file)), ("runs", "list", "--limit", "a\x1b[2J\u200b")):
        ran = maverick(*words)
        assert ran.code == 2
        assert inert(ran.err) == ran.err
        assert "Invalid value" in ran.err


def test_a_word_that_an_option_does_not_know_is_told_in_plain_words(maverick: Run) -> None:
    ran = maverick("run", "any", "hi", "--output", "yaml")
    assert ran.code == 2
    assert "Value error" not in ran.err
    assert "'yaml' is not one of 'text', 'json', 'stream-json'" in ran.err


def test_an_option_before_a_command_that_does_not_count_there_is_refused(maverick: Run) -> None:
    for words, way in {
        ("--offline", "--script", "s.yaml", "run", "reviewer", "Go"): "maverick run --offline",
        ("--fuse", "usd=1", "run", "reviewer", "Go"): "maverick run --fuse",
        ("--prompt", "Go", "runs", "list"): "does not take it",
        ("--worktree", "ps"): "does not take it",
    }.items():
        ran = maverick(*words)
        assert (ran.code, ran.out) == (2, "")
        assert way in ran.err


def test_an_unexpected_error_is_one_line_and_a_traceback_only_if_wanted(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(cwd: Path) -> None:
        raise RuntimeError("\x1b[31mred\nalert")

    monkeypatch.setattr("maverick_tui.agent.catalog.discovery.discover", fail)
    ran = maverick("agents", "list")
    assert ran.code == 1
    assert ran.err.splitlines()[0] == "maverick: unexpected RuntimeError: ␛[31mred alert"
    assert "--debug" in ran.err
    assert "Traceback" not in ran.err
    debugged = maverick("--debug", "agents", "list")
    assert "Traceback" in debugged.err
    assert "\x1b" not in debugged.err


@pytest.mark.parametrize("place", ["state", "elsewhere"])
def test_a_file_that_is_closed_to_us_is_no_surprise(
    place: str, maverick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = (paths.user_state() if place == "state" else tmp_path / "a b") / "trust.json"

    def fail(cwd: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))

    monkeypatch.setattr("maverick_tui.agent.catalog.discovery.discover", fail)
    told = maverick("agents", "list").err.replace("~", str(Path.home()))
    assert told.startswith(f"maverick: {file} cannot be used: Permission denied.\n")
    do = f'sudo chown -R "$(id -un)" {paths.user_state()}' if place == "state" else f"ls -ld '{file}'"
    assert told.endswith(f": {do}\n")


def test_an_interrupt_leaves_with_130(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(cwd: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("maverick_tui.agent.catalog.discovery.discover", interrupt)
    assert maverick("agents", "list") == (130, "", "")


def test_a_reader_that_has_gone_is_no_reason_to_complain() -> None:
    for number in range(200):
        write_agent(f"agent-{number}")
    command = f"{sys.executable} -m maverick_tui agents list --json | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), check=True)
    assert (ran.stdout, ran.stderr) == ("{\n", "")


@pytest.mark.explore
def test_an_answer_that_nobody_takes_is_not_called_a_success() -> None:
    write_agent("looker", "engine: api")
    Path("script.yaml").write_text("scenes: [{answers: [{steps: [Here it is.]}]}]")
    reader, writer = os.pipe()
    os.close(reader)
    words = ["run", "looker", "Look", "--offline", "--script", "script.yaml"]
    command = [sys.executable, "-m", "maverick_tui", *words]
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", sampled([["list"], ["check"], ["list", "--json"], ["--help"]], 4))
def test_output_that_cannot_be_written_is_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "maverick_tui", "agents", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (1, b"maverick: The output cannot be written: No space left on device.\n")


def test_output_that_is_closed_is_one_line() -> None:
    command = f"{sys.executable} -m maverick_tui agents list >&-"
    ran = subprocess.run(command, shell=True, stderr=subprocess.PIPE, env=environment(), check=False)
    assert (ran.returncode, ran.stderr) == (
        1,
        b"maverick: The output cannot be written: standard output is closed.\n",
    )


@pytest.mark.explore  # so it is with one that has gone, above
def test_a_reader_that_was_never_there_is_none_either() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "maverick_tui", "agents", "list"]
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.explore  # `test_runs.py` lists such letters where the locale is a plain one
def test_a_terminal_that_cannot_show_a_character_still_gets_the_rest() -> None:
    write_agent("reviewer", description="日本")
    ran = subprocess.run(
        [sys.executable, "-m", "maverick_tui", "agents", "list"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=True,
    )
    assert b"reviewer" in ran.stdout
    assert ran.stderr == b""


@pytest.mark.parametrize("arguments", sampled([["agents", "list"], ["--agent", "explorer", "--prompt", "Go"]], 2))
def test_a_working_directory_that_is_gone_is_said_to_be(arguments: list[str]) -> None:
    script = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); from maverick_tui.cli import main; "
    script += "import sys; sys.argv = ['maverick', *sys.argv[1:]]; main()"
    command = [sys.executable, "-c", script, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("maverick: The working directory is gone.\n  ")
