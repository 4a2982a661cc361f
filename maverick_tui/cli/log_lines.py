"""What is logged where nobody keeps a log: Python would print it as it is, tracebacks and all."""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


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
            from maverick_tui.inert import one_line
            from maverick_tui.masking.redact import redact
            from maverick_tui.ui.log_file import LogFile, log_path

            file = LogFile()
            file.handle(record)
            file.close()
            has_more = record.exc_info and file.is_open
            told = one_line(redact(_message(record))) or record.levelname.lower()
            say_error(told, f"The log has more: {log_path()}" if has_more else "", sys.stderr)
        except Exception:  # as every handler: what is logged must not end what logs it
            self.handleError(record)
        finally:
            self._is_telling = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: Python would print the record as it is."""


def tell_log_lines() -> None:
    """From now on, wherever no other log is kept. What Python itself prints goes the same way: warnings, what has ended
    a thread, and what nobody could be told.
    """
    logging.lastResort = LogLines()
    warnings.showwarning = _log_warning
    threading.excepthook = _log_end_of_thread
    sys.unraisablehook = _log_unraisable


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):  # what it was given does not fit it
        return str(record.msg)


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    logging.getLogger("maverick_tui.warnings").warning("%s:%s: %s: %s", filename, lineno, category.__name__, message)


def _log_end_of_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_type is not SystemExit and ended.exc_value is not None:
        name = ended.thread.name if ended.thread is not None else "A thread"
        logging.getLogger("maverick_tui.threads").error("%s has failed", name, exc_info=ended.exc_value)


def _log_unraisable(told: UnraisableHookArgs) -> None:
    what = told.err_msg or f"Something was raised in {told.object!r}"
    logging.getLogger("maverick_tui.unraisable").error("%s", what, exc_info=told.exc_value)
