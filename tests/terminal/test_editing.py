"""The person's own editor: it gets the terminal as it was, and the application gets it back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.terminal.application import CTRL_E, CTRL_G, CTRL_J, CTRL_N, ESCAPE, F4, prompt_of
from tests.terminal.conftest import Editor, Maverick

pytestmark = pytest.mark.slow

ANSWERS: list[dict[str, Any]] = [{"answers": [{"steps": ["An answer to edit."]}]}]


def test_prompt_transcript_an_agents_file_and_an_editor_that_is_gone(
    maverick: Maverick, handyman: str, editor: Editor
) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=ANSWERS, environment={"EDITOR": str(editor.program)})
    app.see("✔ done in")
    app.send("first" + CTRL_J)
    app.until(lambda glass: "│ first" in glass.text)
    app.send(CTRL_G)
    app.see_editor()
    app.until(lambda glass: prompt_of(glass) == "a line of the editor")
    assert editor.given.read_text() == "first\n"
    app.send(F4)
    app.see_editor(2)
    assert "An answer to edit." in editor.given.read_text()
    app.send(" and more")
    app.until(lambda glass: prompt_of(glass) == "a line of the editor and more")
    app.send(CTRL_N)
    app.see("Does what the script says.")
    app.send("handy" + CTRL_E)
    app.see_editor(3)
    assert "description: Does what the script says." in editor.given.read_text()
    app.until_pressed(ESCAPE, lambda glass: prompt_of(glass) == "a line of the editor and more")
    editor.program.unlink()
    app.send(CTRL_G)
    app.see("cannot")  # the path in it is long, so the line breaks somewhere
    app.send(" than that")
    app.see("a line of the editor and more than that")
    assert app.quit(loses_draft=True) == 0
    assert app.output.is_as_before
