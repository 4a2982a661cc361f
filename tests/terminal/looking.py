"""Compares what the terminal shows with what it shows after Textual has painted everything again."""

from __future__ import annotations

import os
import re
import signal
import sys

from pyte.screens import Char

from tests.terminal.application import F12, Application
from tests.terminal.watched import AFTER, BEFORE, REDRAWN

WATCHED = (sys.executable, "-m", "tests.terminal.watched")
_MARK = re.compile("\x1b\\]7777;([a-z]+);([0-9]+);([0-9]+)\x07")

_UNFINISHED = re.compile("\x1b(?:\\][^\x07\x1b]*)?\\Z")


class WatchedApplication(Application):
    """Reads the marks of `tests.terminal.watched`, and fails with the first cell that a repaint has changed."""

    comparisons = 0
    redrawn = False
    _cells: list[list[Char]] | None = None
    _unread = ""

    def compare(self, times: int = 1) -> None:
        """Have what is shown now compared so often."""
        for _ in range(times):
            before = self.comparisons
            self._ask_to_look()
            self.until(lambda _, before=before: self.comparisons > before)  # type: ignore[misc]

    def _ask_to_look(self) -> None:
        os.kill(self.pid, signal.SIGUSR1)

    def compare_with_fresh(self, columns: int) -> None:
        """While nothing changes in these columns: they are what they would be if they were drawn from the beginning."""
        before = [row[:columns] for row in self.glass.cells]
        self.send(F12)
        self.until(lambda _: self.redrawn)
        self.compare()
        assert [row[:columns] for row in self.glass.cells] == before, self.glass.text

    def _show(self, text: str) -> None:
        text = self._unread + text
        start = 0
        for found in _MARK.finditer(text):
            super()._show(text[start : found.start()])
            start = found.end()
            self._marked(found[1], (int(found[2]), int(found[3])))
        unfinished = _UNFINISHED.search(text, start)
        end = unfinished.start() if unfinished else len(text)
        super()._show(text[start:end])
        self._unread = text[end:]

    def _marked(self, moment: str, size: tuple[int, int]) -> None:
        if moment == REDRAWN:
            self.redrawn = True
        elif size != self.glass.size:  # the window has another size since, and the application is still to hear of it
            self._cells = None
            if moment == AFTER:
                self._ask_to_look()
        elif moment == BEFORE:
            self._cells = self.glass.cells
        elif self._cells is None:
            self._ask_to_look()
        else:
            different = self.glass.differences(self._cells)
            before = "\n".join("".join(cell.data for cell in row).rstrip() for row in self._cells)
            assert not different, "\n".join([*different[:20], "before:", before, "after:", self.glass.text])
            self.comparisons += 1
            self._cells = None
