"""The executor's log: one JSON object per line for everything that happens, with the trace id and without secrets.

The records go to the logger `maverick_tui.executor`; `write_log` sends them to a file.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from maverick_tui.executor.activity import (
    Activity,
    ContentChunk,
    ErrorOccurred,
    PartialOutput,
    Thinking,
    ToolCallFinished,
    ToolCallStarted,
)
from maverick_tui.masking.redact import redact, redact_data

log = logging.getLogger("maverick_tui.executor")

_LONGEST = 2_000
"""The most characters of a field, and of a text in it."""
_LONGEST_TRACE = 20_000
_unrecorded: ContextVar[re.Pattern[str] | None] = ContextVar("unrecorded", default=None)


@contextmanager
def leaving_out(names: re.Pattern[str]) -> Iterator[None]:
    """Meanwhile record nothing under such a name, however deep it is in the arguments of a call."""
    token = _unrecorded.set(names)
    try:
        yield
    finally:
        _unrecorded.reset(token)


def record(event: str, trace_id: str, agent: str, **fields: Any) -> None:
    """Write one record, if anybody reads them."""
    if log.isEnabledFor(logging.INFO):
        _write(logging.INFO, event, trace_id, agent, fields)


def record_activity(event: Activity, trace_id: str, agent: str) -> None:
    """Record an event. Streamed pieces are only of interest for debugging."""
    level = logging.DEBUG if isinstance(event, ContentChunk | Thinking | PartialOutput) else logging.INFO
    if log.isEnabledFor(level):
        _write(level, event.type, trace_id, agent, _fields(event))


def write_log(path: Path, level: int = logging.INFO) -> logging.Handler:
    """Send the records to a file that only its owner may read; `log.removeHandler` stops it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)  # it may have existed before
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_JsonLine())
    log.addHandler(handler)
    log.setLevel(min(level, log.level or level))
    return handler


class _JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """The record's own fields and its time; what was logged as text becomes a record, too."""
        time = self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03d}"
        fields: dict[str, Any] | None = getattr(record, "fields", None)
        if fields is None:
            fields = {"event": "log", "trace_id": getattr(record, "trace_id", ""), "logger": record.name}
            fields["message"] = _cut(redact(record.getMessage()))
            if record.exc_info:
                fields["exception"] = _cut(redact(self.formatException(record.exc_info)), _LONGEST_TRACE)
        return _as_line({"time": time, "level": record.levelname} | fields)


def _write(level: int, event: str, trace_id: str, agent: str, fields: dict[str, Any]) -> None:
    data = {"event": event, "trace_id": trace_id, "agent": agent}
    data |= {name: _capped(redact_data(_plain(value))) for name, value in fields.items()}
    log.log(level, "%s", _as_line(data), extra={"fields": data, "trace_id": trace_id})


def _fields(event: Activity) -> dict[str, Any]:
    if isinstance(event, ToolCallStarted):
        call = event.tool_call
        return {"call": call.id, "tool": call.tool_name, "arguments": call.arguments, "parent": event.parent}
    if isinstance(event, ToolCallFinished):
        return {
            "call": event.tool_call_id,
            "is_error": event.is_error,
            "duration_ms": round(event.duration_ms, 3),
            "result": event.result,
            "parent": event.parent,
        }
    if isinstance(event, ErrorOccurred):
        return {
            "kind": event.error.kind,
            "error": str(event.error),
            "retry_in": event.retry_in,
            "attempt": event.attempt,
            "parent": event.parent,
        }
    # Not the text of streamed pieces: a secret may be split between two, and half a secret is not recognised.
    if isinstance(event, ContentChunk | Thinking):
        return {"characters": len(event.content), "parent": event.parent}
    if isinstance(event, PartialOutput):
        return {"characters": len(json.dumps(event.output, ensure_ascii=False)), "parent": event.parent}
    return {part.name: getattr(event, part.name) for part in fields_of(event)}


def _plain(value: Any) -> Any:
    """The value as JSON has it, without what is to be left out."""
    if isinstance(value, Mapping):
        names = _unrecorded.get()
        kept = ((str(key), item) for key, item in value.items() if names is None or not names.search(str(key)))
        return {key: _plain(item) for key, item in kept}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields_of(value)}
    return value if isinstance(value, int | float | None) else str(value)


def _capped(value: Any) -> Any:
    """The value if it is not too long; else the beginning of it, as text. Not before it is clean: half a secret would
    not be found.
    """
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, dict | list) and len(text := json.dumps(value, ensure_ascii=False)) > _LONGEST:
        return _cut(text)
    return value


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]} [cut here: {len(text) - most:,} characters are left out]"


def _as_line(data: Mapping[str, Any]) -> str:
    """JSON that can be written: half a character appears as its escape."""
    return json.dumps(data, ensure_ascii=False).encode(errors="backslashreplace").decode()
