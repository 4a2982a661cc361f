"""TerminalDriver: Textual's way to the terminal, which bears that the terminal goes away.

Textual writes by a thread that ends with the first error, and whoever writes then waits for ever for a place in its
queue. So a window that is closed in the middle of an answer would leave us, and the agent's processes, behind.
"""

from __future__ import annotations

import io
from typing import TextIO, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """Reads keys and writes frames; once the terminal is gone, frames are dropped."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        """As Textual makes it, but for where it writes to."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert self._file is not None
        self._file = cast("io.TextIOWrapper", _Output(self._file))

    def _disable_mouse_support(self) -> None:
        super()._disable_mouse_support()
        if self._mouse_pixels:  # Textual turns it on where windows tell their size, and leaves it on
            self.write("\x1b[?1016l")


class _Output(io.TextIOBase):
    def __init__(self, file: TextIO) -> None:
        self._target: TextIO | None = file

    def write(self, text: str, /) -> int:
        if self._target is not None:
            try:
                return self._target.write(text)
            except OSError:  # there is no terminal any more; SIGHUP tells the application
                self._target = None
        return len(text)

    def flush(self) -> None:
        if self._target is not None:
            try:
                self._target.flush()
            except OSError:
                self._target = None
