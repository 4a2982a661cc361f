"""What the MCP library logs: a server can have it log without end, with all that it notifies wrongly."""

from __future__ import annotations

import logging

LOGGERS = ("mcp", "client")
"""Those of the library; its sessions have the second."""
MOST_LOGGED = 20
"""Records after each connection that was opened."""


class LibraryLog(logging.Handler):
    """Passes on the first records to whoever keeps a log, and none to a terminal where nobody does."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 0

    def begin(self) -> None:
        """A connection is opened. Loggers that somebody else takes care of are left to them."""
        self._left = MOST_LOGGED
        for logger in map(logging.getLogger, LOGGERS):
            if not logger.handlers:
                logger.addHandler(self)
                logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        """Pass it on, if there were not too many."""
        self._left -= 1
        if self._left >= 0:
            for handler in logging.getLogger().handlers:
                if record.levelno >= handler.level:
                    handler.handle(record)


LIBRARY_LOG = LibraryLog()
