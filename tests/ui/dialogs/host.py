"""A throw-away application that asks one question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen

NARROW, BROAD = (80, 24), (120, 40)

PENDING = object()


class Host(App[None]):
    """Shows a dialog and keeps its answer."""

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answer: object = PENDING

    async def on_mount(self) -> None:
        await self.push_screen(self.dialog, self._keep)

    def _keep(self, answer: object) -> None:
        self.answer = answer

    @property
    def lines(self) -> list[str]:
        return [strip.text for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def find(self, text: str) -> tuple[int, int]:
        """Where the text is on the screen."""
        for y, line in enumerate(self.lines):
            if text in line:
                return line.index(text), y
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")


@asynccontextmanager
async def asked(
    dialog: ModalScreen[Any], size: tuple[int, int] = NARROW, *, notifications: bool = False
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """The dialog, on the screen."""
    app = Host(dialog)
    async with app.run_test(size=size, notifications=notifications) as pilot:
        await pilot.pause()
        yield app, pilot
