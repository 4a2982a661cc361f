"""How whatever is logged stands in a file."""

from __future__ import annotations

import logging

from maverick_tui.inert import inert
from maverick_tui.masking.redact import redact


class RedactedFormatter(logging.Formatter):
    """Time, level, name, message and traceback, without secrets, and without anything that a terminal obeys."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        try:
            told = super().format(record)
        except (TypeError, ValueError, KeyError):  # its arguments do not fit
            told = super().format(logging.makeLogRecord(vars(record) | {"args": None}))
        return inert(redact(told))
