"""What a terminal is asked and says: in a pty with answers, and with silence."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.doctor.terminal import _widths
from maverick_tui.doctor.terminal_questions import SAMPLES, TerminalAnswers, ask_terminal, read_answers
from tests.cli.agent_files import ROOT
from tests.doctor.situations import program
from tests.support.pty_program import PtyProgram, terminal_environment
from tests.support.sampling import sampled

LAST_QUESTION = b"\x1b[c"
WIDTHS = {"letters": 4, "marks": 1, "emoji": 2, "symbols as emoji": 2, "joined emoji": 2}
LOOK = """
import json, sys
from pathlib import Path
from tests.doctor.situations import situation_here
from maverick_tui.doctor import terminal_questions
from maverick_tui.doctor.terminal import check_terminal
terminal_questions.SECONDS = float(sys.argv[1])
answers = terminal_questions.ask_terminal()
found = [finding.to_json() for finding in check_terminal(situation_here(answers))]
Path(sys.argv[2]).write_text(json.dumps(found))
print("looked")
"""


def replies(mode: int = 2, attributes: str = "62;22", name: str = "kitty(0.40)", **widths: int) -> bytes:
    """What a terminal says to all questions."""
    columns = {**WIDTHS, **widths}.values()
    places = "".join(f"\x1b[1;{width + 1}R" for width in columns)
    return f"\x1b[?2026;{mode}$y\x1bP>|{name}\x1b\\{places}\x1b[?{attributes}c".encode()


def looking(
    tmp_path: Path,
    answer: bytes | None,
    seconds: float = 60.0,
    size: tuple[int, int] = (80, 24),
    by: Sequence[str] = (),
    **more: str,
) -> PtyProgram:
    """Somebody, started by a command, who looks at a terminal that answers like this, or not at all."""

    class Answering(PtyProgram):
        REPLIES = {LAST_QUESTION: answer} if answer is not None else {}

    command = [*by, sys.executable, "-c", LOOK, str(seconds), str(tmp_path / "report.json")]
    return Answering(command, terminal_environment(PYTHONPATH=str(ROOT), **more), size)


def looked(
    tmp_path: Path,
    answer: bytes | None,
    seconds: float = 60.0,
    size: tuple[int, int] = (80, 24),
    by: Sequence[str] = (),
    **more: str,
) -> tuple[dict[str, dict[str, Any]], PtyProgram]:
    """What is found there, by name."""
    terminal = looking(tmp_path, answer, seconds, size, by, **more)
    try:
        code = terminal.wait()
        assert code == 0, terminal.glass.text
        assert terminal.attributes == terminal.attributes_before
    finally:
        terminal.end()
    return {one["name"]: one for one in json.loads((tmp_path / "report.json").read_text())}, terminal


def test_a_terminal_that_can_do_everything(tmp_path: Path) -> None:
    found, terminal = looked(tmp_path, replies())
    assert {one["state"] for one in found.values()} == {"fine"}, found
    assert found["Terminal"]["fact"] == "kitty(0.40), 80 x 24"
    assert found["Colours"]["fact"] == "16 million"
    assert found["Unicode width"]["widths"] == WIDTHS
    assert terminal.glass.rows[0].strip() == "looked", "neither questions nor answers are left on the screen"


def test_one_of_another_session_is_not_asked(tmp_path: Path) -> None:
    """`setsid maverick doctor`, as some launchers start programs: it has a terminal, and not as its own."""
    apart = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], start_new_session=True))"
    found, _ = looked(tmp_path, replies(), by=[sys.executable, "-c", apart])
    assert found["Whole frames"]["state"] == "unknown"
    assert "another session" in found["Whole frames"]["fact"]


def test_only_widths_that_shift_rows_are_something_to_warn_of() -> None:
    found = _widths(read_answers(replies(**{"joined emoji": 4})))  # type: ignore[arg-type]
    assert found.state == "fine"
    assert "joined emoji; they are kept to the cells" in found.fact


def test_a_terminal_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    found, _ = looked(tmp_path, None, seconds=0.2, COLORTERM="", TERM="xterm", size=(50, 24))
    for name in ("Whole frames", "Unicode width"):
        assert (found[name]["state"], found[name]["fact"]) == ("unknown", "the terminal does not answer")
    assert found["Copying"]["state"] == "unknown"
    assert found["Colours"]["state"] == "warning"
    assert found["Colours"]["hint"].startswith("Set TERM")
    assert (found["Terminal"]["state"], found["Terminal"]["columns"]) == ("warning", 50)


def test_whoever_interrupts_the_questions_finds_the_terminal_as_it_was(tmp_path: Path) -> None:
    terminal = looking(tmp_path, None)
    try:
        terminal.read(LAST_QUESTION)
        assert terminal.attributes != terminal.attributes_before
        terminal.send("\x03")
        assert terminal.wait() != 0
        assert terminal.attributes == terminal.attributes_before
    finally:
        terminal.end()


def test_a_terminal_that_can_do_little_says_what_helps(tmp_path: Path) -> None:
    answer = replies(mode=0, name="Apple_Terminal", letters=2)
    found, _ = looked(tmp_path, answer, COLORTERM="")
    assert found["Whole frames"]["state"] == "warning"
    assert "letters" in found["Unicode width"]["fact"]
    assert "emoji" not in found["Unicode width"]["fact"]
    assert found["Copying"]["state"] == "warning"
    assert found["Colours"]["fact"] == "256"


@pytest.mark.parametrize(
    ("features", "clipboard", "escape", "said", "hints"),
    sampled(
        [
            ("256,RGB", "on", 50, "", ["Set COLORTERM=truecolor.", "terminal-features ',*:clipboard'", ""]),
            ("256,title", "external", 500, "truecolor", ["features ',*:RGB'", "set-clipboard on", "escape-time"]),
            ("256,RGB,clipboard", "on", 0, "truecolor", ["", "", ""]),
        ],
        3,
    ),
)
def test_tmux_is_asked_what_it_hands_on(
    tmp_path: Path, features: str, clipboard: str, escape: int, said: str, hints: list[str]
) -> None:
    tmux = program(tmp_path / "bin/tmux", f"printf '3.4\\n{features}\\n{clipboard}\\n{escape}\\n'")
    found, _ = looked(
        tmp_path, replies(name="tmux 3.4"), COLORTERM=said, TMUX="/tmp/socket,1,0", PATH=f"{tmux.parent}:/usr/bin:/bin"
    )
    for name, hint in zip(("Colours", "Copying", "Escape"), hints, strict=True):
        assert (found[name]["state"] == "warning") == bool(hint), found[name]
        assert hint in found[name]["hint"]
    assert found["Terminal"]["fact"] == "tmux 3.4, 80 x 24"


def test_a_tmux_of_the_projects_own_is_not_run(tmp_path: Path) -> None:
    own = program(Path.cwd() / "bin/tmux", "touch ran")
    found, _ = looked(tmp_path, replies(name="tmux 3.4"), TMUX="/tmp/socket,1,0", PATH=f"{own.parent}:/usr/bin:/bin")
    assert "Copying" in found
    assert not Path("ran").exists()
    assert not (own.parent / "ran").exists()


def test_a_dumb_terminal_is_not_asked(tmp_path: Path) -> None:
    found, terminal = looked(tmp_path, replies(), TERM="dumb")
    assert found["Terminal"]["state"] == "warning"
    assert found["Unicode width"]["fact"].startswith("not asked")
    assert b"\x1b" not in terminal.written


def test_a_locale_without_utf_8_is_a_reason_not_to_ask(tmp_path: Path) -> None:
    found, terminal = looked(tmp_path, replies(), PYTHONIOENCODING="latin-1")
    assert found["Terminal"]["state"] == "warning"
    assert "UTF-8" in found["Terminal"]["hint"]
    assert b"\x1b" not in terminal.written


def test_where_there_is_no_terminal_nothing_is_asked() -> None:
    assert ask_terminal().not_asked.endswith("is no terminal")


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        (b"", TerminalAnswers(is_silent=True)),
        (b"\x1b[?1;2c", TerminalAnswers(is_synchronised=False)),
        (b"typed\x1b[?2026;0$y\x1b[?64;52c", TerminalAnswers(is_synchronised=False, has_clipboard=True)),
        (b"\x1b[?2026;1$y\x1b[1;5R", TerminalAnswers(is_synchronised=True)),
        (b"\x1b[?52;1c", TerminalAnswers(is_synchronised=False)),
    ],
)
def test_answers_are_read_as_far_as_they_came(told: bytes, answers: TerminalAnswers) -> None:
    assert read_answers(told) == answers


def test_every_sample_is_told_apart() -> None:
    told = b"".join(b"\x1b[9;%dR" % (number + 1) for number in range(len(SAMPLES)))
    assert read_answers(told).widths == {name: number for number, name in enumerate(SAMPLES)}
