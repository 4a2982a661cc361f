"""The application, but at moments that nobody chose it paints everything once more and marks where in its output.

What the terminal showed before must be what it shows after: `python -m tests.terminal.watched` takes the arguments of
`maverick`. SIGUSR1 asks for one look: a terminal that is slower than the application must not fall behind. F11 takes
the next theme, so that a test need not start again for each; F12 draws the transcript from its store alone.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from typing import Any

from textual.screen import Screen
from textual.widget import Widget

from maverick_tui.cli.launching import plain_launch
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.textual_private.painting import Painter
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.transcript.view import Transcript

LONGEST_PAUSE = 0.12
BEFORE, AFTER, REDRAWN = "before", "after", "redrawn"


def mark(moment: str, columns: int, lines: int) -> str:
    """What is written to the terminal: nothing that it shows."""
    return f"\x1b]7777;{moment};{columns};{lines}\x07"


class Watched(MaverickApp):
    """Maverick with somebody who looks at it."""

    BINDINGS = [("f11", "next_theme", "Next theme"), ("f12", "redraw", "Draw the transcript anew")]

    def on_mount(self) -> None:
        """Look when asked to, too."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._look_soon)

    def _look_soon(self) -> None:
        self.set_timer(random.uniform(0.01, LONGEST_PAUSE), self._look)

    def _look(self) -> None:
        screen = self.screen
        if self._has_terminal() and _is_painted(screen) and all(map(_is_painted, self._background_screens)):
            self._paint_again(screen)
        else:
            self._look_soon()

    def _has_terminal(self) -> bool:
        return not self._batch_count and not self._closed and self._driver is not None

    def _paint_again(self, screen: Screen[Any]) -> None:
        """Paint all by Textual alone; what direct painting remembers of the terminal is not disturbed."""
        assert self._driver is not None
        memories = [_Memory(widget) for each in self.screen_stack for widget in each.walk_children()]
        for each in self.screen_stack:
            for widget in each.walk_children(Widget, with_self=True):
                widget._styles_cache.clear()
        self._driver.write(mark(BEFORE, *self.size))
        self._display(screen, screen._compositor.render_update(full=True, screen_stack=self._background_screens))
        self._driver.write(mark(AFTER, *self.size))
        for memory in memories:
            memory.restore()

    def action_next_theme(self) -> None:
        """Change the colours."""
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)]

    def action_redraw(self) -> None:
        """Forget every row of the transcript."""
        assert self._driver is not None
        self.screen.query_one(Transcript).restyle()
        self._driver.write(mark(REDRAWN, *self.size))


class _Memory:
    """What a widget remembers of the terminal's rows."""

    def __init__(self, widget: object) -> None:
        painters = (value for value in vars(widget).values() if isinstance(value, Painter))
        self._painter = widget.shown.painter if isinstance(widget, Transcript) else next(painters, None)
        self._shown = self._painter._shown if self._painter is not None else None

    def restore(self) -> None:
        if self._painter is not None:
            vars(self._painter)["_shown"] = self._shown


def _is_painted(screen: Screen[Any]) -> bool:
    """Whether Textual has painted all that it was asked to, and the transcript all that it has drawn."""
    if screen._layout_required or screen._scroll_required or screen._dirty_widgets or not screen.is_mounted:
        return False
    if screen._repaint_required and screen is screen.app.screen:  # below another screen it stays so
        return False
    if screen._callbacks or screen._compositor._dirty_regions or screen.message_queue_size:
        return False
    if screen._compositor.size != screen.app.size or screen.app._resize_event is not None:
        return False
    return not any(map(_has_more_to_paint, screen._compositor.visible_widgets))


def _has_more_to_paint(widget: Widget) -> bool:
    if isinstance(widget, Screen):
        return False
    if not widget.is_mounted or not widget.is_attached or widget._pruning or widget.message_queue_size:
        return True
    if isinstance(widget, Transcript) and not widget.shown.changes.are_drawn:
        return True
    return widget._repaint_required or widget._layout_required or widget._scroll_required


if __name__ == "__main__":
    wanted = plain_launch(sys.argv[1:])
    assert wanted is not None
    app = Watched(wanted)
    app.run()
    sys.exit(app.return_code or app.return_value or 0)
