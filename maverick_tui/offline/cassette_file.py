"""The file of a cassette: JSON lines, a header first, then all that happened, with the seconds since the start."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO

from maverick_tui.bounded import read_whole
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.masked_text import beginning_of, goes_on_from
from maverick_tui.masking.redact import MASK, held_from, secret_spans
from maverick_tui.offline.cassette_scrubber import Scrubber

log = logging.getLogger(__name__)

Frame = dict[str, Any]

FORMAT = 1
_MOST_BYTES = 1_000_000_000
MAX_OPEN = 16_000
"""The most characters of a stream that are held back because they may be the beginning of a secret."""

_KINDS: dict[str, type] = {"sent": dict, "got": dict, "stderr": str, "end": dict, "closed": bool}
_DELTA_FIELDS = ("text", "partial_json", "thinking")


def read_frames(data: str) -> list[Frame]:
    """What the SDK writes to a transport."""
    return [json.loads(line) for line in data.split("\n") if line.strip()]


class Tape:
    """Writes a cassette, line by line as things happen, and without secrets.

    A stream may bring a secret in pieces. So a piece in which one may begin waits, along with what comes after it,
    until the next piece shows; a crash loses these, and nothing else.
    """

    def __init__(self, path: Path, scrubber: Scrubber, **header: Any) -> None:
        self.path = path
        self.is_ended = False
        self._scrubber = scrubber
        self._start = time.monotonic()
        self._waiting: list[Frame] = []
        self._open: dict[str | None, list[tuple[Frame, str, str]]] = {}
        self._file: TextIO | None = _create(path)
        date = datetime.now(UTC).isoformat(timespec="seconds")
        self._write({"maverick_cassette": FORMAT, "date": date, **header})

    def note(self, kind: str, value: Any) -> None:
        """Something happened."""
        self.is_ended |= kind == "end"
        record = {"at": round(time.monotonic() - self._start, 4), kind: self._scrubber.clean(value)}
        self._waiting.append(record)
        if kind == "got":
            self._watch(value, record[kind])
        elif kind in ("end", "closed"):
            self._settle(*self._open)
        if not self._open:
            self._release()

    def close(self) -> None:
        """Nothing more will happen; if the stream has not ended by itself, we have closed it."""
        if self._file is not None:
            if not self.is_ended:
                self.note("closed", True)
            self._file.close()
            self._file = None

    def _watch(self, frame: Frame, copy: Frame) -> None:
        source, event = frame.get("parent_tool_use_id"), frame.get("event")
        if frame.get("type") == "result":
            self._settle(*self._open)
        if frame.get("type") != "stream_event" or not isinstance(event, dict):
            return
        delta = event.get("delta")
        field = next((name for name in _DELTA_FIELDS if isinstance(delta, dict) and name in delta), None)
        if not isinstance(delta, dict) or field is None:
            if event.get("type") != "ping":
                self._settle(source)
            return
        pieces = self._open.setdefault(source, [])
        pieces.append((copy["event"]["delta"], field, str(delta[field])))
        text = "".join(piece for _, _, piece in pieces)
        if not self._scrubber.is_open(text):
            self._settle(source)
        elif len(text) > MAX_OPEN:
            self._hold_less(source, text)

    def _hold_less(self, source: str | None, text: str) -> None:
        """Of what is too long to be held back: mask what looks like a secret so far, and keep its beginning to know
        that it goes on; else settle what is before the part that may become one.
        """
        at = held_from(text)
        if (start := goes_on_from(text, secret_spans(text), at)) is not None:
            self._settle(source, ending=text[start:])
            self._open[source] = [({}, "", beginning_of(text, at))]
            return
        pieces = self._open[source]
        ends = accumulate(len(piece) for _, _, piece in pieces)
        whole = sum(end <= at for end in ends)
        self._open[source] = pieces[:whole] or pieces
        self._settle(source)
        if 0 < whole < len(pieces):
            self._open[source] = pieces[whole:]

    def _settle(self, *sources: str | None, ending: str = "") -> None:
        """It is known what these pieces are: if they contain a secret together, the first one says so for all.

        `ending` is one that goes on.
        """
        for source in sources:
            pieces = self._open.pop(source, [])
            whole = "".join(piece for _, _, piece in pieces)
            text = self._scrubber.text(whole.removesuffix(ending)) + (MASK if ending else "")
            written = [(copy, field) for copy, field, _ in pieces if field]
            if len(written) < len(pieces):  # the beginning of what goes on stands there already, masked
                before, mask, after = text.partition(MASK)
                text = after if mask else before[len(pieces[0][2]) :]
            if text != "".join(copy[field] for copy, field in written):
                for number, (copy, field) in enumerate(written):
                    copy[field] = "" if number else text

    def _release(self) -> None:
        records, self._waiting = self._waiting, []
        for record in records:
            self._write(record)

    def _write(self, record: Frame) -> None:
        if self._file is None:
            return
        try:
            self._file.write(self._scrubber.line(record) + "\n")
            self._file.flush()
        except OSError as error:  # a full disk must not end a run that somebody pays for
            log.error("The recording %s stops here: %s", self.path, error)
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None


def _create(path: Path) -> TextIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii")
    except FileExistsError as error:
        raise ConfigError(
            f"{path} exists already; a cassette holds one session.",
            path=str(path),
            hint="Remove it, or record to another file.",
        ) from error
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror or error}.", path=str(path), hint="Record to another file."
        ) from error


@dataclass(frozen=True, slots=True)
class TapeEntry:
    """One line of a cassette."""

    line: int
    at: float
    kind: str
    value: Any
    text: str


@dataclass(frozen=True, slots=True)
class Cassette:
    """What was recorded."""

    path: Path
    entries: tuple[TapeEntry, ...]

    def error(self, line: int | None, what: str, hint: str = "Record it again.") -> ConfigError:
        """What is wrong with this file, in this line."""
        where = self.path if line is None else f"{self.path}:{line}"
        return ConfigError(f"{where}: {what}", path=str(self.path), line=line, hint=hint)


def load_cassette(path: Path | str) -> Cassette:
    """Read a cassette; a last line that was cut off while it was written is skipped."""
    empty = Cassette(Path(path), ())
    try:
        lines = read_whole(empty.path, _MOST_BYTES).split(b"\n")
    except OSError as error:
        raise empty.error(None, f"cannot be read: {error.strerror or error}.", "Name a recorded cassette.") from error
    _check_header(empty, lines[0])
    return Cassette(empty.path, tuple(_entries(empty, lines)))


def _check_header(cassette: Cassette, line: bytes) -> None:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    version = header.get("maverick_cassette") if isinstance(header, dict) else None
    if version is None:
        raise cassette.error(1, "is not a cassette: it does not begin with its header.", "Name a recorded cassette.")
    if version != FORMAT:
        raise cassette.error(1, f"has the format {version!r}; only {FORMAT} is known.")


def _entries(cassette: Cassette, lines: list[bytes]) -> Iterator[TapeEntry]:
    for number, line in enumerate(lines[1:], 2):
        if number == len(lines) and not line:
            return
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines):
                return
            raise cassette.error(number, f"is not JSON: {error}.") from error
        kind = next((name for name in _KINDS if name in record), None) if isinstance(record, dict) else None
        if kind is None or not isinstance(record[kind], _KINDS[kind]) or not isinstance(record.get("at"), int | float):
            raise cassette.error(number, f"is not an entry: expected 'at' and one of {', '.join(_KINDS)}.")
        yield TapeEntry(number, record["at"], kind, record[kind], line.decode())
