"""Overlays: texts that lie over a screen, to be read and closed; and one of them, all that is known about a failure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from maverick_tui.inert import inert, one_line
from maverick_tui.masking.redact import redact
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.rendering.wrap import TAB, wrap_words

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Failure

MOST_SHOWN = 50_000
"""Characters of a section on the screen; a copy has all of it."""


class Overlay(Dialog[None]):
    """Title, text and a line that says what the keys do; a click beside it closes it."""

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "help.tcss"]
    AUTO_FOCUS: ClassVar[str | None] = ""
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="overlay.close", show=False),
        Binding("up", "scroll_lines(-1)", "Up", id="overlay.up", show=False),
        Binding("down", "scroll_lines(1)", "Down", id="overlay.down", show=False),
        Binding("pageup", "scroll_pages(-1)", "Up a page", id="overlay.page_up", show=False),
        Binding("pagedown", "scroll_pages(1)", "Down a page", id="overlay.page_down", show=False),
        Binding("ctrl+home", "scroll_to_end(False)", "To the beginning", id="overlay.top", show=False),
        Binding("ctrl+end", "scroll_to_end(True)", "To the end", id="overlay.bottom", show=False),
    ]

    def __init__(self, title: str) -> None:
        super().__init__(classes="overlay")
        self._heading = one_line(title)

    def compose(self) -> ComposeResult:
        """Title, what a subclass adds, text, keys."""
        with RoleLooks(classes="overlay--box") as box:
            box.border_title = Content(f" {self._heading} ")
            yield from self.compose_above()
            yield LineView(classes="overlay--text")
            with Horizontal(classes="overlay--foot"):
                yield Static(Content(self.foot()), classes="overlay--keys", markup=False)
                yield Static(Content(f"{self.key_of('overlay.close')} close"), classes="overlay--close", markup=False)

    def compose_above(self) -> ComposeResult:
        """What stands between title and text."""
        yield from ()

    def foot(self) -> str:
        """What the keys do, besides closing."""
        return "↑↓ scroll"

    def lines(self, width: int) -> list[Line]:
        """The text for a width."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the text."""
        self.view.show(self.lines)

    @property
    def view(self) -> LineView:
        """The text."""
        return self.query_one(LineView)

    def key_of(self, binding_id: str) -> str:
        """What the key of a binding is called, remapped or not."""
        for active in self.active_bindings.values():
            if active.binding.id == binding_id:
                return self.app.get_key_display(active.binding)
        return ""

    def on_click(self, event: events.Click) -> None:
        """A click beside the box, or on the word, closes."""
        clicked = event.widget
        if clicked is self or (isinstance(clicked, Widget) and clicked.has_class("overlay--close")):
            event.stop()
            self.action_close()

    def action_close(self) -> None:
        """Back to the screen below."""
        _ = self.dismiss(None)

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll by lines."""
        self.view.go_by(lines)

    def action_scroll_pages(self, pages: int) -> None:
        """Scroll by pages."""
        self.view.go_by(pages * max(self.view.page - 1, 1))

    def action_scroll_to_end(self, is_bottom: bool) -> None:
        """To the first or the last line."""
        self.view.top = self.view.last_top if is_bottom else 0


class DetailsScreen(Overlay):
    """What failed, why, what to do, and what the other side said word for word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy everything", id="details.copy", show=False),
        Binding("q", "close", "Close", id="details.close", show=False),
        Binding("home,g", "scroll_to_end(False)", "To the beginning", id="details.top", show=False),
        Binding("end,G", "scroll_to_end(True)", "To the end", id="details.bottom", show=False),
        Binding("space", "scroll_pages(1)", "Down a page", id="details.page_down", show=False),
    ]

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"✘ {failure.error}: {failure.kind}")
        self.add_class("-failure")
        self._sections = list(sections(failure))
        self._heading_text = one_line(f"{failure.error}: {failure.kind}")

    def foot(self) -> str:
        """What the keys do."""
        return f"{self.key_of('details.copy')} copy everything   ↑↓ scroll"

    def lines(self, width: int) -> list[Line]:
        """The sections, wrapped."""
        out: list[Line] = []
        for title, text in self._sections:
            out += [*([()] if out else []), ((title.upper(), "caption"),)]
            shown = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN]
            for line in shown.expandtabs(TAB).split("\n"):
                out += [((part, "text"),) for part in wrap_words(line, width)]
            if len(shown) < len(text):
                left = len(text) - len(shown)
                out.append(((f"… {left:,} characters more: {self.key_of('details.copy')} copies them", "muted"),))
        return out

    def action_copy(self) -> None:
        """Copy everything as text."""
        text = "\n\n".join([self._heading_text, *(f"{title.upper()}\n{text}" for title, text in self._sections)])
        self.app.copy_to_clipboard(text)
        self.notify(f"Copied {len(text):,} characters.", timeout=2)


def sections(failure: Failure) -> Iterator[tuple[str, str]]:
    """Title and text of everything that there is to say; inert, and without secrets."""
    for title, text in (
        ("what", failure.message),
        ("what to do", failure.hint),
        ("why", "\n".join(f"{index}. {cause}" for index, cause in enumerate(failure.causes, 1))),
        ("facts", "\n".join(_facts(failure))),
        ("raw response", failure.raw_response),
        ("the CLI's last words", failure.stderr),
    ):
        if text.strip():
            yield title, redact(inert(text)).strip("\n")


def _facts(failure: Failure) -> Iterator[str]:
    if failure.status is not None:
        yield f"HTTP status    {failure.status}"
    if failure.exit_code is not None:
        signal = f" (signal {-failure.exit_code})" if failure.exit_code < 0 else ""
        yield f"exit code      {failure.exit_code}{signal}"
    yield f"worth a retry  {'yes' if failure.is_retryable else 'not as it is'}"
    if failure.retry_at is not None:
        yield f"not before     {_moment(failure.retry_at)}"


def _moment(at: float) -> str:
    try:
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):  # no calendar has it
        return str(at)
