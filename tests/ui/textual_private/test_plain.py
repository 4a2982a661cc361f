"""With plain painting Textual does it all: the same is shown, and of what is private nothing is touched."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.textual_private import names
from maverick_tui.ui.textual_private.painting import may_paint, uncovered_rows
from tests.support.runs import Tape
from tests.support.terminal import Glass, GlassDriver
from tests.ui.textual_private.test_painting import Step, staged, under_a_toast, under_a_widget
from tests.ui.transcript.host import TranscriptApp, draw_all
from tests.ui.waiting import until

PRIVATE = {private.name for private in names.PAINTING if private.name.startswith("_")}


@pytest.fixture
def another_textual(plain: pytest.MonkeyPatch) -> None:
    """Textual as if all that our painting needs had been given other names."""

    def lacking(self: object, name: str) -> Any:
        if name in PRIVATE and sys._getframe(1).f_globals["__name__"].startswith("maverick_tui."):
            raise AttributeError(f"this Textual has no {name}")
        return object.__getattribute__(self, name)

    for kind in (MessagePump, Strip):
        plain.setattr(kind, "__getattribute__", lacking)


@pytest.mark.usefixtures("another_textual")
async def test_what_is_typed_is_painted_by_textual_alone() -> None:
    async with staged() as stage:
        frames = stage.app.frames
        await stage.type("words, 日本🙂")
        assert "│ words, 日本🙂" in stage.glass.text
        assert stage.app.frames > frames
        assert not may_paint(stage.app.prompt)


@pytest.mark.usefixtures("another_textual")
async def test_a_run_is_shown_and_its_question_seen() -> None:
    app, glass = TranscriptApp(driver_class=GlassDriver), Glass()
    async with app.run_test(headless=False, size=(80, 24)) as pilot:
        tape = Tape().connect().prompt("hello").say("Some **bold** words.").ask("Bash", {"command": "make test"})
        app.tell(tape)
        asked = app.store.questions["ask-call-1"]
        draw_all(app.transcript)
        await until(pilot, lambda: app.transcript.questions_seen.whole_since(asked) is not None)
        driver = app._driver
        assert isinstance(driver, GlassDriver)
        glass.feed(driver.take())
    assert "Some bold words." in glass.text
    assert "make test" in glass.text


@pytest.mark.parametrize("step", [under_a_toast, under_a_widget])
async def test_the_public_way_finds_the_same_rows_uncovered(step: Step, fresh: pytest.MonkeyPatch) -> None:
    async with staged() as stage:
        await step(stage)
        widgets = [widget for widget in stage.app.screen.walk_children(Widget) if widget.display]
        found = [uncovered_rows(widget) for widget in widgets]
        assert any(found)
        fresh.setenv(names.PLAIN, "1")
        names.is_plain.cache_clear()
        assert [uncovered_rows(widget) for widget in widgets] == found
