"""`maverick runs export`: where it writes, what it asks, and what it says when something is in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from tests.cli.agent_files import environment
from tests.support.command_line import Run
from tests.support.runs import Tape

RUN = "7f3a00c0ffee"


@pytest.fixture(autouse=True)
def kept() -> None:
    tape = Tape().connect().prompt("Prüfe *das*").say("Fertig: schön. " * 3).tool("Bash", {"command": "ls"}, "a.py")
    keep(RUN, [*tape.done().events, ev.RunEnded(tape.at)])


def keep(run_id: str, events: list[ev.Event]) -> None:
    journal = Journal(journal_of(run_id), print)
    journal.write(0, events)
    journal.close()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A person at a terminal, who gives these answers."""
    given: list[str] = []

    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return f"{given.pop(0)}\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("maverick_tui.cli.asking.forget_typed", lambda: None)
    yield given
    assert given == []


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("md", "# Prüfe"), ("html", "<!doctype html>"), ("jsonl", '{"seq":0,'), ("cast", '{"version":2,')],
)
def test_each_format_goes_to_standard_output_and_to_a_file(maverick: Run, form: str, beginning: str) -> None:
    for arguments in (["--format", form], ["-f", form, "-o", "-"]):
        ran = maverick("runs", "export", RUN[:4], *arguments)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(beginning)
    written = maverick("runs", "export", RUN, "-o", f"run.{form}")
    assert (written.code, written.err) == (0, "")
    assert Path(f"run.{form}").read_text(encoding="utf-8") == ran.out
    assert written.out == f"run.{form}  {len(ran.out.encode()):,} bytes\n"


def test_markdown_is_what_comes_if_nothing_is_said(maverick: Run) -> None:
    assert maverick("runs", "export", RUN).out == maverick("runs", "export", RUN, "--format", "md").out


def test_a_file_that_asks_for_what_there_is_not_is_refused(maverick: Run) -> None:
    ran = maverick("runs", "export", RUN, "-o", "run.pdf")
    assert (ran.code, ran.out, Path("run.pdf").exists()) == (1, "", False)
    assert ".md, .html, .jsonl, .cast" in " ".join(ran.err.split())
    assert maverick("runs", "export", RUN, "-o", "run.pdf", "-f", "md").code == 0
    assert maverick("runs", "export", RUN, "-o", "run").code == 0
    assert Path("run").read_text(encoding="utf-8") == Path("run.pdf").read_text(encoding="utf-8")


def test_what_was_written_is_told_in_json(maverick: Run) -> None:
    told = json.loads(maverick("runs", "export", RUN, "-o", "run.html", "--json").out)
    assert told == {
        "run_id": RUN,
        "format": "html",
        "path": str(Path("run.html").absolute()),
        "bytes": Path("run.html").stat().st_size,
        "state": "done",
        "raw": False,
    }


def test_a_run_that_was_interrupted_is_said_to_be_beside_the_export(maverick: Run) -> None:
    keep("8888", Tape().connect().prompt("Go").say("I", is_open=True).events)
    ran = maverick("runs", "export", "8888", "-f", "jsonl")
    assert ran.code == 0
    assert ran.err.startswith("maverick: This run was interrupted: its process was gone")
    assert all(json.loads(line)["type"] for line in ran.out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "No run has an id that begins with 'nobody'."),
        ([RUN, "-o", "."], "is a folder"),
        ([RUN, "-o", "no/such/run.md"], "There is no folder"),
        ([RUN, "--raw"], "There is nobody to ask."),
        ([RUN, "-o", "there.md"], "there.md exists already. There is nobody to ask."),
        ([RUN, "-o", "link.md"], "elsewhere. There is nobody to ask."),
    ],
)
def test_what_is_in_the_way_is_said_with_what_to_do(maverick: Run, arguments: list[str], said: str) -> None:
    Path("there.md").write_text("mine")
    Path("link.md").symlink_to("elsewhere")
    ran = maverick("runs", "export", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 2, "what is wrong, and what to do"
    assert Path("there.md").read_text() == "mine"
    assert not Path("elsewhere").exists()


@pytest.mark.parametrize("arguments", [["--json"], ["--format", "pdf"], ["-o"]])
def test_wrong_usage_leaves_with_two(maverick: Run, arguments: list[str]) -> None:
    assert maverick("runs", "export", RUN, *arguments).code == 2


@pytest.mark.parametrize("form", ["html", "cast"])
def test_a_page_is_nothing_for_a_terminal(maverick: Run, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    ran = maverick("runs", "export", RUN, "-f", form)
    assert (ran.code, ran.out) == (2, "")
    assert "-o" in ran.err


@pytest.mark.parametrize(("answer", "code", "text"), [("n", 1, "mine"), ("", 1, "mine"), ("y", 0, "# Prüfe")])
def test_a_file_is_replaced_after_a_yes(maverick: Run, answers: list[str], answer: str, code: int, text: str) -> None:
    Path("run.md").write_text("mine")
    answers.append(answer)
    assert maverick("runs", "export", RUN, "-o", "run.md").code == code
    assert Path("run.md").read_text(encoding="utf-8").startswith(text)


def test_a_file_is_replaced_unasked_with_yes(maverick: Run) -> None:
    Path("run.md").write_text("mine")
    assert maverick("runs", "export", RUN, "-o", "run.md", "--yes").code == 0
    assert "mine" not in Path("run.md").read_text(encoding="utf-8")


def test_raw_asks_on_standard_error_and_leaves_out_the_second_masking_alone(
    maverick: Run, monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    key = "sk-ant-api03-abcdefghijklmnop"
    keep("9999", [*Tape().connect().prompt(f"Use {key} and then-a-plain-word").events])
    monkeypatch.setenv("SHOP_TOKEN", "then-a-plain-word")
    assert "then-a-plain-word" not in maverick("runs", "export", "9999").out
    answers += ["n", "y"]
    refused = maverick("runs", "export", "9999", "--raw")
    assert (refused.code, refused.out) == (1, "")
    assert "What was masked when the run was kept stays masked" in refused.err
    raw = maverick("runs", "export", "9999", "--raw")
    assert "Use [secret] and then-a-plain-word" in raw.out
    assert key not in raw.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_device_is_written_to_and_not_replaced(maverick: Run) -> None:
    assert maverick("runs", "export", RUN, "-o", "/dev/null", "-f", "html").code == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_that_a_project_brings_along_is_asked_about_and_not_waited_for(
    maverick: Run, answers: list[str]
) -> None:
    os.mkfifo("run.md")
    Path("link.md").symlink_to("/dev/null")
    answers += ["n", "n"]
    ran = maverick("runs", "export", RUN, "-o", "run.md")
    assert (ran.code, "run.md is a pipe. Write to it?" in ran.err) == (1, True)
    ran = maverick("runs", "export", RUN, "-o", "link.md")
    assert (ran.code, "link.md is a link to /dev/null. Write to it?" in ran.err) == (1, True)
    ran = maverick("runs", "export", RUN, "-o", "run.md", "--yes")
    assert ran.code == 1
    assert "cannot be written to run.md: it is a pipe, and nobody reads from it." in " ".join(ran.err.split())
    reader = os.open("run.md", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert maverick("runs", "export", RUN, "-o", "run.md", "--yes").code == 0
        assert os.read(reader, 100_000).decode().startswith("# Prüfe")
    finally:
        os.close(reader)


# -- as a program ------------------------------------------------------------------------------------------------------


def program(*arguments: str, **changes: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "maverick_tui", "runs", "export", RUN, *arguments]
    return subprocess.run(command, capture_output=True, env=environment(**changes), check=False)


def test_it_is_utf_8_whatever_the_locale_and_has_no_colours_of_the_terminal() -> None:
    places = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "NO_COLOR": "1", "TERM": "dumb"}
    ran = program("-f", "html", **places)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "Prüfe *das*" in ran.stdout.decode("utf-8")


@pytest.mark.explore
def test_what_the_shell_puts_in_the_place_of_a_file_is_written_to_unasked() -> None:
    command = f"{sys.executable} -m maverick_tui runs export {RUN} -f jsonl -o >(cat >taken) && wait $! && wc -l <taken"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment(), check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    first, count = ran.stdout.splitlines()
    assert "bytes" in first
    assert int(count) == len(program("-f", "jsonl").stdout.splitlines())
    assert program("-f", "jsonl", "-o", "/dev/stdout").stdout.startswith(b'{"seq":0,')


@pytest.mark.explore  # it is seen to for every command at once, which `test_program.py` shows with another one
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    tape = Tape().connect()
    for number in range(20):  # more than a pipe holds
        tape.prompt(f"Question {number}").say("Words. " * 600, chunk=60).tool("Bash", {"command": "x"}, "y" * 4_000)
    keep("abcd", [*tape.events, ev.RunEnded(tape.at)])
    command = f"{sys.executable} -m maverick_tui runs export abcd -f jsonl | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), check=False)
    assert ran.stdout.startswith('{"seq":0,')
    assert ran.stdout.count("\n") == 1
    assert ran.stderr == ""


@pytest.mark.explore  # it is seen to for every command at once, which `test_program.py` shows with another one
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_is_full_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "maverick_tui", "runs", "export", RUN]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False)
    assert (ran.returncode, ran.stderr) == (1, b"maverick: The output cannot be written: No space left on device.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_line(maverick: Run) -> None:
    ran = maverick("runs", "export", RUN, "-o", "/dev/full")
    assert ran.code == 1
    assert ran.err.startswith("maverick: The export cannot be written to /dev/full: No space left on device.\n")
