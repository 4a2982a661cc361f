"""Halves of surrogate pairs: JSON lets them through, and no output stream can encode them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from maverick_tui.offline import stream
from maverick_tui.offline.script import Answer, TextStep, ThinkingStep, ToolStep
from tests.conftest import ServeModel
from tests.terminal.application import F4, TAB, Application
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


async def test_they_are_shown_copied_and_edited_as_something_else(
    halves: None, serve: ServeModel, maverick: Maverick, handyman: str, editor: Editor
) -> None:
    async with serve(ANSWERS):
        app = maverick("--agent", handyman, "--prompt", "go", environment={"EDITOR": str(editor.program)})
        await asyncio.to_thread(look, app)
    assert f"The end {SHOWN}" in editor.given.read_text()


def look(app: Application) -> None:
    app.see(f"The end {SHOWN}")
    app.see("✔ done in")
    assert all(f"{place} {SHOWN}" in app.glass.text for place in ("Text", "Code", "○"))
    app.send(TAB + "\x1by")
    app.see("Copied")
    (copied,) = app.output.copied
    assert copied.startswith(f"Text {SHOWN}")
    assert copied.endswith(f"The end {SHOWN}")
    app.send(F4)
    app.see_editor()
    assert app.quit() == 0
