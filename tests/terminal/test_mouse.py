"""What the mouse does: scroll, open, select; how what is selected gets to the clipboard; and that it is handed back."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.support.hosts import end_hosts
from tests.support.sampling import sampled
from tests.support.terminal import Glass
from tests.terminal.application import CTRL_C, ENTER, WHEEL_DOWN, WHEEL_UP, Application, ModernApplication, prompt_of
from tests.terminal.conftest import Maverick
from tests.terminal.working import WORKS, assert_nothing_is_left, until_working

pytestmark = pytest.mark.slow

WORDS = "these words: one 二 th"


def scenes() -> list[dict[str, Any]]:
    read = {"tool": "Read", "input": {"file_path": str(Path("notes.txt").resolve())}}
    lines = "\n\n".join(f"Paragraph {number}." for number in range(1, 31))
    words = [{"steps": ["First I read.", read]}, {"steps": [lines, "\n\nCopy **these** words: one 二 three."]}]
    return [{"when": {"turn": 1}, "answers": words}, {"answers": WORKS}]


@pytest.mark.parametrize("kind", sampled([ModernApplication, Application], 2))
def test_wheel_click_drag_and_copy_and_told_to_end_it_ends_in_good_order(
    maverick: Maverick, handyman: str, kind: type[Application], mark: str, temporary: Path
) -> None:
    if maverick.is_plain and kind is ModernApplication:
        pytest.skip("Textual itself leaves the mouse telling pixels")
    Path("notes.txt").write_text("the first note\nthe second note\n")
    app = maverick.seen_by(kind, "--agent", handyman, "--prompt", "go", scenes=scenes(), is_ours=True)
    app.see("✔ done in")
    for _ in range(40):
        app.mouse(WHEEL_UP, 20, 10)
    app.see("▌ go")
    app.until(lambda glass: "▼" in glass.text)

    app.click(20, app.row_of("✔ Read"))
    app.see("the second note")
    app.click(20, app.row_of("✔ Read"))
    app.until(lambda glass: "the second note" not in glass.text)

    for _ in range(40):
        app.mouse(WHEEL_DOWN, 20, 10)
    app.see("✔ done in")
    app.until(lambda glass: "▼" not in glass.text)
    row = app.row_of("Copy these words")
    column = app.glass.rows[row].index("these")
    end = column + cell_len(WORDS)
    app.drag((column, row), (end - 1, row))
    app.until(lambda glass: is_marked(glass, row, column, end))
    app.send(CTRL_C)
    app.see("Copied")
    assert app.output.copied == [WORDS]

    app.click(20, app.row_of("What shall it do?"))
    app.send("typed after a click")
    app.until(lambda glass: prompt_of(glass) == "typed after a click")

    app.send(ENTER)
    until_working(app, mark)
    os.kill(app.pid, signal.SIGTERM)
    assert app.wait() == 128 + signal.SIGTERM
    end_hosts(mark)  # the agent is left at work
    assert_nothing_is_left(app, mark, temporary)


def is_marked(glass: Glass, row: int, start: int, end: int) -> bool:
    """Whether these cells, and not the one after them, have another background than the rest."""
    backgrounds = [cell.bg for cell in glass.cells[row]]
    return len(set(backgrounds[start:end])) == 1 and backgrounds[start] != backgrounds[end] == backgrounds[0]
