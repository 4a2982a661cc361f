"""The log: what goes wrong behind the screen, in a file of the person's own that can be read afterwards."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui import paths
from maverick_tui.inert import inert
from maverick_tui.logged import RedactedFormatter
from maverick_tui.masking.redact import redact

if TYPE_CHECKING:
    from io import TextIOWrapper
    from logging.handlers import RotatingFileHandler

LARGEST = 1_000_000
"""Bytes after which a new file is begun; the previous one is kept."""


def log_path() -> Path:
    """Where the log is, once something has gone wrong."""
    return paths.user_state() / "maverick.log"


@contextmanager
def kept_log() -> Iterator[None]:
    """Write warnings and errors to the file meanwhile, ours and those of what we use."""
    handler, root = LogFile(), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


def log_failure(error: BaseException | None) -> str:
    """Log what has ended the application; what to print of it, without secrets."""
    import traceback

    logging.getLogger(__name__).critical("The application has failed.", exc_info=error)
    told = inert(redact("".join(traceback.format_exception(error))))
    return f"{told}\nMaverick has failed. The error stands above and, to be passed on, in {log_path()}."


class LogFile(logging.Handler):
    """Opens its file, and imports what that takes, with the first record: usually there is none."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(RedactedFormatter())
        self._file: RotatingFileHandler | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a file, with what was written down."""
        return self._file is not None

    def emit(self, record: logging.LogRecord) -> None:
        """Write it down."""
        try:
            if self._file is None:
                self._file = _open(log_path())
                self._file.setFormatter(self.formatter)
        except Exception:  # as every handler: what is logged must not end what logs it
            self.handleError(record)
        else:
            self._file.emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: Python would print the record as it is, and a traceback, onto whatever is on the screen."""

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            with suppress(OSError):  # the disk is full: what was not written then is not written now
                self._file.close()
        super().close()


def _open(path: Path) -> RotatingFileHandler:
    from logging.handlers import RotatingFileHandler

    class Private(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:  # also for the file that follows a full one
            descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            return os.fdopen(descriptor, "a", encoding=self.encoding)

        def handleError(self, record: logging.LogRecord) -> None:
            """As of the handler that has it."""

    paths.make_private(path.parent)
    return Private(path, maxBytes=LARGEST, backupCount=1, encoding="utf-8")
