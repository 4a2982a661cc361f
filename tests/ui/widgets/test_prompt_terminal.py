"""The prompt in a real terminal: what stands there is what Textual would paint, after everything that can happen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.pty_program import PtyProgram, in_terminal

ROOT = str(Path(__file__).parents[3])
F2, F5, F10, ALT_ENTER, CTRL_G = "\x1bOQ", "\x1b[15~", "\x1b[21~", "\x1b\r", "\x07"


class Typist:
    """Types, looks, and lets Textual paint everything again to see whether anything changes."""

    def __init__(self, program: PtyProgram) -> None:
        self.program = program
        self._repaints = 0

    def repaint(self) -> None:
        self._repaints += 1
        self.program.send(F5)
        self.program.see(f"repaints {self._repaints},")

    def type(self, keys: str, prompt: str) -> None:
        """Type until the prompt's last line is this; what is shown is what a full repaint shows."""
        self.repaint()  # all that happened before is painted
        self.program.send(keys)
        self.program.until(lambda glass: glass.rows[-2].strip("│ ") == prompt)
        before = self.program.glass.cells
        self.repaint()
        assert [where for where in self.program.glass.differences(before) if not where.startswith("row 0,")] == []


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[Typist]:
    editor = tmp_path / "editor.py"
    editor.write_text("import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('from the editor\\n')")
    environment = {"PYTHONPATH": ROOT, "EDITOR": f"{sys.executable} {editor}", "VISUAL": ""}
    with in_terminal([sys.executable, "-m", "tests.ui.widgets.prompt_app"], environment) as program:
        program.see("What shall it do?")
        yield Typist(program)


@pytest.mark.slow
def test_it_shows_what_textual_would_paint_and_what_is_pasted_is_inert(typist: Typist) -> None:
    program = typist.program
    typist.type("h", "h")
    typist.type("ello 日本", "hello 日本")
    typist.type("\x7f\x17", "hello")
    typist.type(ALT_ENTER + "two", "two")
    typist.type("\x1b[200~ three\rfour\rfive\x1b[201~", "five")
    typist.type("!", "five!")
    program.resize(60, 20)
    program.until(lambda glass: glass.rows[-1].endswith("╯") and len(glass.rows[-1]) == 60)
    typist.type("?", "five!?")
    program.send(F2)
    program.see("a dialog")
    program.send(F2)
    program.until(lambda glass: "a dialog" not in glass.text)
    typist.type("x", "five!?x")
    program.send(CTRL_G)
    program.see("│ from the editor")
    typist.type("!", "from the editor!")
    typist.type("\r", "What shall it do?")
    program.see("sent ['from the editor!']")
    typist.type("\x1b[A", "from the editor!")
    typist.type("\r", "What shall it do?")
    typist.type("hello this is a long prompt that wraps around, as it does in each of both", "does in each of both")
    program.resize(50, 20)
    program.until(lambda glass: glass.rows[-2].strip("│ ") == "around, as it does in each of both")  # without a key
    typist.type("\x15\x15", "What shall it do?")
    program.resize(60, 20)
    program.until(lambda glass: glass.rows[-1].endswith("╯") and len(glass.rows[-1]) == 60)
    # What a terminal lets through in a paste; it takes the escape byte out itself.
    typist.type(
        "\x1b[200~bell \x07 csi \u009b31m bidi \u202e end\x1b[201~", "bell \u2407 csi \ufffd31m bidi \ufffd end"
    )
    program.send(F10)
    assert program.wait() == os.EX_OK
