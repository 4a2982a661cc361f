"""How a batch goes, on standard error: one line that changes on a terminal, lines from time to time elsewhere."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from maverick_tui.cli.layout import cut, say_error
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock

if TYPE_CHECKING:
    from maverick_tui.batch.items import Item
    from maverick_tui.batch.running import Batch

TELL_EVERY = 10.0
"""Seconds between two lines where nobody looks on."""
REDRAW_EVERY = 0.1
_MOST_FAILURES = 20
"""Failures that are told one by one; the file has them all."""
_BACK = "\r\x1b[K"


class Progress:
    """Tells how a batch goes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._batch: Batch | None = None
        self._began = time.monotonic()
        self._finished_before = 0
        self._told_at = self._drawn_at = 0.0
        self._told = self._drawn = ""
        self._said = ""
        self._failures = 0

    def begin(self, batch: Batch) -> None:
        """Tell of this one."""
        self._batch, self._finished_before = batch, len(batch.done) + len(batch.failures)
        self._began = self._told_at = time.monotonic()
        self.changed()

    def changed(self) -> None:
        """Something has begun or ended, or time has passed."""
        if self._batch is None:
            return
        now = time.monotonic()
        if self._is_live and now - self._drawn_at >= REDRAW_EVERY:
            self._drawn_at = now
            self._draw()
        elif not self._is_live and now - self._told_at >= TELL_EVERY and (text := self.text()) != self._told:
            self._told_at, self._told = now, text
            self._print(text)

    def end(self) -> None:
        """Leave the last line as it is."""
        if self._batch is not None and self._is_live:
            self._draw()
            self._stream.write("\n")
            self._stream.flush()
        elif self._batch is not None:
            self._print(self.text())
        self._batch = None

    def failed(self, item: Item, record: dict[str, Any]) -> None:
        """A prompt has failed."""
        self._failures += 1
        if self._failures == _MOST_FAILURES + 1:
            self.said("More have failed; failures.jsonl has them all.")
        if self._failures <= _MOST_FAILURES:
            error = record["error"]
            name = f"line {item.line}" + (f" ({item.item_id})" if item.item_id != str(item.line) else "")
            self.said(f"{name} failed: {error['message']}", f"See `maverick logs {_named(record)}`.")

    def said(self, message: str, hint: str = "") -> None:
        """Something that the person should know; not twice in a row."""
        if message == self._said:
            return
        self._said = message
        with suppress(OSError):  # the terminal may be gone
            if self._is_live and self._batch is not None:
                self._stream.write(_BACK)
            say_error(message, hint, self._stream)
            self._drawn = ""
            if self._is_live and self._batch is not None:
                self._draw()

    def text(self) -> str:
        """How it goes now."""
        assert self._batch is not None
        batch = self._batch
        done, failed, running = len(batch.done), len(batch.failures), batch.running
        left = len(batch.items) - done - failed - running
        parts = [f"{done} of {len(batch.items)} done", f"{failed} failed", f"{running} running", f"{left} left"]
        if cost := spent(batch):
            parts.append(dollars(cost))
        finished, seconds = done + failed - self._finished_before, time.monotonic() - self._began
        if finished and seconds > 0:
            rate = finished / seconds * 60
            parts.append(f"{rate:.0f}/min" if rate >= 10 else f"{rate:.1f}/min")
            if left + running and not batch.is_stopping:
                parts.append(f"{clock((left + running) * seconds / finished)} to go")
        if batch.is_stopping and running:
            parts.append("stopping")
        return ", ".join(parts)

    def _draw(self) -> None:
        width = 80
        with suppress(OSError, ValueError):
            width = os.get_terminal_size(self._stream.fileno()).columns
        text = cut(self.text(), max(width - 1, 20))
        if text != self._drawn:
            self._drawn = text
            with suppress(OSError):
                self._stream.write(_BACK + text)
                self._stream.flush()

    def _print(self, text: str) -> None:
        with suppress(OSError):
            print(f"maverick: {text}", file=self._stream, flush=True)


def spent(batch: Batch) -> float:
    """What it has cost until now, as far as that is known."""
    ended = sum(record.get("cost") or 0.0 for record in (*batch.done, *batch.failures))
    return float(ended + sum(one.outcome.usage.cost_usd or 0.0 for one in batch.at_work.values()))


def _named(record: dict[str, Any]) -> str:
    return f"{record['machine']}:{record['run_id']}" if record["machine"] else str(record["run_id"])
