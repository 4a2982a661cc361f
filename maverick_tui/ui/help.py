"""HelpScreen: what every key does here, read from the bindings; what the signs mean, and where the log is."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input

from maverick_tui.ui.keys import KeyGroup, KeyRow, key_groups, title_of
from maverick_tui.ui.lines import Line
from maverick_tui.ui.log_file import log_path
from maverick_tui.ui.overlays import Overlay
from maverick_tui.ui.rendering.wrap import pad, wrap_words
from maverick_tui.ui.short_names import short_path
from maverick_tui.ui.widgets.inert_input import InertInput

SIGNS = (
    ("●", "At work"),
    ("⚑", "Waits for you"),
    ("✔", "Done"),
    ("✘", "Failed, or not connected"),
    ("○", "Not begun, or ready"),
    ("◌", "Connecting, or silent for too long"),
    ("↻", "Trying an API call again"),
    ("‖", "Rate-limited"),
    ("◐", "Being interrupted"),
    ("■", "Interrupted, stopped or ended"),
    ("~", "Before a figure: an estimate"),
    ("≥", "Before a figure: at least that much"),
)
"""The glyphs of states and figures."""
_TROUBLE = "What goes wrong behind the screen is written to"
_NOT_NOW = "  (not now)"
_WIDEST_KEYS = 24


class HelpScreen(Overlay):
    """The keys of the screen below, which typing filters."""

    AUTO_FOCUS = "Input"

    def __init__(self) -> None:
        super().__init__("Keys")
        self._groups: list[KeyGroup] = []
        self._words: list[str] = []
        self._log_place = short_path(log_path())

    def compose_above(self) -> ComposeResult:
        """A line to filter with."""
        yield InertInput(placeholder="type to filter", compact=True, classes="overlay--filter")

    def foot(self) -> str:
        """What the keys do."""
        return "type to filter   ↑↓ scroll"

    def on_mount(self) -> None:
        """Read the bindings of the screen below, as they are at this moment."""
        stack = [screen for screen in self.app.screen_stack if screen is not self]  # it may have been left again
        below = stack[-1]
        self._groups = key_groups(below)
        from maverick_tui.ui.run.screen import RunScreen
        from maverick_tui.ui.run.slash_commands import COMMANDS

        if isinstance(below, RunScreen):
            rows = {name: KeyRow(about, [f"/{name}"]) for name, about in COMMANDS.items()}
            self._groups.append(KeyGroup("Commands, typed instead of a prompt", rows))
        self.query_one(".overlay--box").border_title = Content(f" Keys: {title_of(below)} ")
        super().on_mount()

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        event.stop()
        self._words = event.value.casefold().split()
        self.view.show(self.lines)

    def lines(self, width: int) -> list[Line]:
        """Groups of keys, then the signs and the log, without what the filter leaves out."""
        shown = [(group, rows) for group in self._groups if (rows := self._matching(group))]
        keys = [_keys(row) for _, rows in shown for row in rows]
        column = min(max(map(cell_len, keys), default=0), _WIDEST_KEYS, max(width // 3, 1)) + 3
        lines: list[Line] = []
        for group, rows in shown:
            lines += [*([()] if lines else []), ((group.title.upper(), "caption"),)]
            for row in rows:
                lines += _row_lines(row, column, width)
        signs = [(sign, text) for sign, text in SIGNS if self._matches(f"{sign} {text} signs")]
        if signs:
            lines += [*([()] if lines else []), (("SIGNS", "caption"),)]
            lines += [line for sign, text in signs for line in _row_lines(KeyRow(text, [sign]), column, width)]
        if self._matches(f"{_TROUBLE} {self._log_place} trouble"):
            text = f"{_TROUBLE} {self._log_place}"
            lines += [*([()] if lines else []), (("TROUBLE", "caption"),)]
            lines += [((f" {part}", "text"),) for part in wrap_words(text, max(width - 1, 8))]
        return lines or [(("Nothing matches.", "muted"),)]

    def _matching(self, group: KeyGroup) -> list[KeyRow]:
        return [row for row in group.rows.values() if self._matches(f"{_keys(row)} {row.text} {group.title}")]

    def _matches(self, text: str) -> bool:
        text = text.casefold()
        return all(word in text for word in self._words)


def _keys(row: KeyRow) -> str:
    return "  ".join(row.keys)


def _row_lines(row: KeyRow, column: int, width: int) -> list[Line]:
    texts = wrap_words(row.text + ("" if row.is_enabled else _NOT_NOW), max(width - column, 8))
    keys: Sequence[str] = wrap_words(_keys(row), column - 2)
    role = "text" if row.is_enabled else "muted"
    lines: list[Line] = []
    for index in range(max(len(keys), len(texts))):
        key = keys[index] if index < len(keys) else ""
        text = texts[index] if index < len(texts) else ""
        lines.append(((f" {pad(key, column - 1)}", "accent" if row.is_enabled else "muted"), (text, role)))
    return lines
