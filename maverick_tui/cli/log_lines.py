"""What is logged where nobody keeps a log: Python would print it as it is, tracebacks and all."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import TextIO


class LogLines(logging.Handler):
    """Tells the person what it is about, in one line that is masked and inert, and keeps all of it in the log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._is_telling = False
        """Whether it is at work: to tell something may go wrong as well, and be logged."""

    def emit(self, record: logging.LogRecord) -> None:
        """Tell it and keep it; what that takes is imported with the first record."""
        if self._is_telling:
            return
        self._is_telling = True
        try:
            from maverick_tui.cli.layout import say_error
            from maverick_tui.ui.log_file import LogFile, log_path

            file = LogFile()
            file.handle(record)
            file.close()
            say_error(record.getMessage(), f"The log has more: {log_path()}" if record.exc_info else "", sys.stderr)
        except Exception:  # as every handler: what is logged must not end what logs it
            self.handleError(record)
        finally:
            self._is_telling = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: Python would print the record as it is."""


def tell_log_lines() -> None:
    """From now on, wherever no other log is kept. Python's own warnings go the same way."""
    logging.lastResort = LogLines()
    warnings.showwarning = _log_warning


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    logging.getLogger("maverick_tui.warnings").warning("%s:%s: %s: %s", filename, lineno, category.__name__, message)
