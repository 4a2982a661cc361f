"""Typing while an answer pours in: nothing is lost, nothing changes places, and Esc ends it; so does a hang-up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hosts import end_hosts
from tests.support.processes import wait_until_gone
from tests.terminal.application import CTRL_G, ENTER, ESCAPE, pasted, prompt_of
from tests.terminal.conftest import Editor, Maverick

pytestmark = pytest.mark.slow

ANSWER = "".join(f"Sentence number {number} of an answer that is long. " for number in range(4_000))
ENDLESS = {"pause": 3_600}
"""However slow the machine is, an answer has not ended when it is interrupted."""
SCENES = [
    {"when": {"turn": 1}, "answers": [{"steps": [ANSWER, ENDLESS], "pace": {"tokens_per_second": 1_000}}]},
    {"answers": [{"steps": ["The next answer. " * 4_000, ENDLESS], "pace": {"tokens_per_second": 200}}]},
]
TYPED = "".join(f"{number} " for number in range(40))
PASTED = "\n".join(f"line {number} of what was pasted äöü 日本" for number in range(140))


def test_every_character_arrives_in_its_place_and_it_ends_with_its_terminal(
    maverick: Maverick, teller: str, editor: Editor, mark: str, temporary: Path
) -> None:
    variables = {"EDITOR": str(editor.program)}
    app = maverick("--agent", teller, "--prompt", "go", scenes=SCENES, is_ours=True, environment=variables)
    app.see("Sentence number")
    for character in TYPED:
        app.send(character)
    app.send(pasted(PASTED))
    for character in " the end":
        app.send(character)
    app.until(lambda glass: prompt_of(glass).endswith("the end"))
    app.see("writing")
    app.send(CTRL_G)
    app.see_editor()
    assert len(PASTED.encode()) > 5_000
    assert editor.given.read_text() == f"{TYPED}{PASTED} the end"
    app.until(lambda glass: prompt_of(glass).endswith("a line of the editor"))

    app.send(ESCAPE)
    app.see("interrupted")
    app.see("╌╌ partial")
    assert "Sentence number" in app.glass.text
    app.send(ENTER)
    app.see("The next answer.")
    app.hang_up()
    assert app.wait() in maverick.hung_up
    end_hosts(mark)  # it goes on without a terminal
    assert wait_until_gone(mark) == {}
    assert list(temporary.iterdir()) == []
