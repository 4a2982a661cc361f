"""DetailsScreen: everything that is known about a failure, to be read and copied."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType

from maverick_tui.events.kinds import Failure
from maverick_tui.inert import inert, one_line
from maverick_tui.masking.redact import redact
from maverick_tui.ui.lines.wrapping import TAB, Line, wrap
from maverick_tui.ui.overlays.overlay import Overlay

MOST_SHOWN = 50_000
"""Characters of a section on the screen; a copy has all of it."""


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
            out += [*([()] if out else []), ((title.upper(), "label"),)]
            shown = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN]
            for line in shown.expandtabs(TAB).split("\n"):
                out += [((part, "text"),) for part in wrap(line, width)]
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
