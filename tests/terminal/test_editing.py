"""Halves of surrogate pairs, which JSON lets through and no output stream can encode; and the person's own editor: it
gets the terminal as it was, and the application gets it back.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from maverick_tui.offline import stream
from maverick_tui.offline.script import Answer, TextStep, ThinkingStep, ToolStep
from tests.conftest import ServeModel
from tests.terminal.application import CTRL_E, CTRL_G, CTRL_J, CTRL_N, ESCAPE, F4, TAB, Application, prompt_of
from tests.terminal.conftest import Editor, Maverick

pytestmark = pytest.mark.slow

STAND_IN = "\ue000"  # no script can have a half in it, so it becomes one on the wire
HALF = f"half {STAND_IN} here"
SHOWN = "half \ufffd here"
TODOS = [{"content": HALF, "status": "pending", "activeForm": HALF}]
ANSWERS = [
    Answer(
        steps=(
            ThinkingStep(thinking=f"Thought {HALF}"),
            TextStep(text=f"Text {HALF}\n\n```\nCode {HALF}\n```\n"),
            ToolStep(tool="TodoWrite", input={"todos": TODOS}),
        )
    ),
    Answer(steps=(TextStep(text=f"The end {HALF}"),)),
]


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = stream.encode

    def encode_with_halves(name: str, **data: Any) -> bytes:
        return encode(name, **data).replace(b"\\ue000", b"\\ud83d")

    monkeypatch.setattr(stream, "encode", encode_with_halves)


@pytest.mark.explore  # `ui/rendering/test_hostile.py` has halves, `test_typing.py` and `ui/test_editor.py` editors
async def test_halves_are_shown_copied_and_edited_as_something_else(
    halves: None, serve: ServeModel, maverick: Maverick, handyman: str, editor: Editor
) -> None:
    async with serve(ANSWERS):
        app = maverick("--agent", handyman, "--prompt", "go", environment={"EDITOR": str(editor.program)})
        await asyncio.to_thread(look, app)
        await asyncio.to_thread(edit, app, editor)


def look(app: Application) -> None:
    app.see(f"The end {SHOWN}")
    app.see("✔ done in")
    assert all(f"{place} {SHOWN}" in app.glass.text for place in ("Text", "Code", "○"))
    app.send(TAB + "\x1by")
    app.see("Copied")
    (copied,) = app.output.copied
    assert copied.startswith(f"Text {SHOWN}")
    assert copied.endswith(f"The end {SHOWN}")
    app.send(TAB)


def edit(app: Application, editor: Editor) -> None:
    """The prompt, the transcript and an agent's file, and with an editor that is gone."""
    app.send("first" + CTRL_J)
    app.until(lambda glass: "│ first" in glass.text)
    app.send(CTRL_G)
    app.see_editor()
    app.until(lambda glass: prompt_of(glass) == "a line of the editor")
    assert editor.given.read_text() == "first\n"
    app.send(F4)
    app.see_editor(2)
    assert f"The end {SHOWN}" in editor.given.read_text()
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
    assert app.output.left_behind == {}
