"""A journal's lines: events as JSON, masked, each with its number; how blocks grow, in batches with their times.

Ordinary events are `{"seq": 4, "type": "turn_started", "at": ..., ...}`. How a block grows is
`{"seq": 9, "type": "block_grew", "block": 2, "at": ..., "ms": [0, 12], "text": ["Hel", "lo"]}`: events 9 and 10, and
when each came after `at`. What may be the beginning of a secret is not in it: `"whole": 1` says how many of the texts
are. `{"type": "block_text", "seqs": [10], "text": ["lo"]}` follows as soon as it is known what the others are.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from maverick_tui.events.kinds import (
    EVENTS,
    BlockEnded,
    BlockGrew,
    BlockStarted,
    Event,
    Noticed,
    ReplyRestarted,
    RunEnded,
    TurnEnded,
    event_from_json,
    grown_from_json,
    time_of,
)
from maverick_tui.events.typed import UnknownValueError
from maverick_tui.events.typed import text as text_of
from maverick_tui.events.wire import to_json
from maverick_tui.journal.masked_text import Piece, PiecewiseMask
from maverick_tui.masking.redact import known_values, masked, redact, redact_fields, times_concealed

_VALUES_LAST = 0.5
"""Seconds for which the secrets in the environment stay the same."""
BATCH = BlockGrew.type
LATE_TEXT = "block_text"
_NO_BLOCK = 0
"""No block has this number: text of it is shown nowhere."""
_BEYOND_COUNTING = 1e301
"""The sum of such numbers may be none."""
_LARGE = re.compile(r"e\+30[1-8]")
"""How a number of that size is written. A model may have one in the arguments of a call, and no line may: there it is
text.
"""
_DEEPEST = 60
_TOO_DEEP = "(nested too deeply to be kept)"


class Encoder:
    """Makes the lines of one run, in its order."""

    def __init__(self) -> None:
        self._growing: dict[int, PiecewiseMask] = {}
        self._calls: set[int] = set()
        """The open blocks that are the arguments of calls."""
        self._values: set[str] = set()
        self._values_until = 0.0
        self._concealed = 0

    def lines(self, first: int, events: Sequence[Event]) -> bytes:
        """The lines of these events, the first of which has that number."""
        lines: list[dict[str, Any]] = []
        numbered = enumerate(events, first)
        for block, group in groupby(numbered, lambda item: item[1].block if isinstance(item[1], BlockGrew) else None):
            if block is not None:
                lines += self._grown(
                    block, [(number, event) for number, event in group if isinstance(event, BlockGrew)]
                )
            else:
                for number, event in group:
                    lines += self._late(event)
                    lines.append({"seq": number, **_masked(event, self._mask)})
        return b"".join(map(as_line, lines))

    def _secrets(self) -> set[str]:
        """What is masked wherever it is; to look for it in the environment takes as long as to mask a batch."""
        now, concealed = time.monotonic(), times_concealed()
        if now > self._values_until or concealed != self._concealed:
            self._values, self._values_until, self._concealed = known_values(), now + _VALUES_LAST, concealed
        return self._values

    def _mask(self, text: str) -> str:
        return masked(text, self._secrets()) if text else text

    def _grown(self, block: int, batch: list[tuple[int, BlockGrew]]) -> list[dict[str, Any]]:
        mask = self._growing.get(block)
        if mask is None:
            mask = self._growing[block] = PiecewiseMask(self._secrets, is_json=block in self._calls)
        known = mask.add([(number, event.text) for number, event in batch])
        number, began = batch[0]
        line = {
            "seq": number,
            "type": BATCH,
            "at": began.at,
            "block": block,
            "ms": [round((event.at - began.at) * 1000) for _, event in batch],
            "text": known.now,
        }
        if known.whole < len(batch):
            line["whole"] = known.whole
        return [*_late_text(known.late), line]

    def _late(self, event: Event) -> list[dict[str, Any]]:
        """What is known of open blocks once this has happened."""
        if isinstance(event, BlockStarted) and event.kind == "tool":
            self._calls.add(event.block)
        if isinstance(event, BlockEnded):
            ended = [self._growing.pop(event.block, None)]
            self._calls.discard(event.block)
        elif isinstance(event, ReplyRestarted | TurnEnded | RunEnded):
            ended = [*self._growing.values()]
            self._growing.clear()
            self._calls.clear()
        else:
            return []
        return [line for mask in ended if mask is not None for line in _late_text(mask.end())]


def _masked(event: Event, mask: Callable[[str], str]) -> dict[str, Any]:
    told = {name: value for name, value in to_json(event).items() if name != "type"}
    try:
        known = redact_fields(told, mask)
    except RecursionError:  # a model may nest the arguments of a call as deep as it likes
        known = redact_fields({name: plain(value) for name, value in told.items()}, mask)
    return {"type": event.type, **known}


def _late_text(pieces: list[Piece]) -> list[dict[str, Any]]:
    if not pieces:
        return []
    numbers, texts = zip(*pieces, strict=True)
    return [{"type": LATE_TEXT, "seqs": numbers, "text": texts}]


_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""`json.dumps` would make an encoder for each line."""


def as_line(data: dict[str, Any]) -> bytes:
    """One line of JSON in ASCII, which is never cut inside of a character, and has halves of characters, too."""
    try:
        text = _to_json(data)
        is_readable = _LARGE.search(text) is None
    except (RecursionError, TypeError, ValueError):  # a tool's own account of what it did may hold anything
        is_readable = False
    if not is_readable:
        text = _to_json(plain(data))
    return text.encode("ascii") + b"\n"


def plain(value: Any, deepest: int = _DEEPEST) -> Any:
    """As JSON has it, and only so deep."""
    if isinstance(value, dict | list | tuple) and not deepest:
        return _TOO_DEEP
    if isinstance(value, dict):
        return {str(name): plain(item, deepest - 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, deepest - 1) for item in value]
    is_plain = value is None or isinstance(value, str | bool | int) or _is_counted_with(value)
    return value if is_plain else redact(str(value))


def _is_counted_with(value: Any) -> bool:
    return isinstance(value, float) and abs(value) < _BEYOND_COUNTING


def line_from_json(line: bytes) -> Any:
    """What a line says. ValueError if it is no JSON, or has what no journal has and no SQLite takes: NaN, `1e999`."""
    return json.loads(line, parse_constant=_finite, parse_float=_finite)


def _finite(digits: str) -> float:
    if not _is_counted_with(number := float(digits)):
        raise ValueError(f"{digits} is no number that can be counted with.")
    return number


def _event_of(data: dict[str, Any]) -> Event:
    """The event of a line; a newer version may tell of more kinds, and more of a kind, without being another schema."""
    why = "."
    if data.get("type") in EVENTS:
        try:
            return event_from_json(data)
        except UnknownValueError as error:
            why = f": {error}."
    return Noticed(time_of(data["at"]), "unknown", f"{data['type']} is not known to this version{why}")


class Decoder:
    """Makes events of lines, in their order; `first` is the number of the first event, where it is not the run's."""

    def __init__(self, first: int = 0) -> None:
        self.events: list[Event] = []
        self.unfinished: set[int] = set()
        """The numbers of events whose text is still to come."""
        self.missing = 0
        """How many events may be missing before the next one, where lines of the journal could not be read."""
        self._first = first

    def add(self, lines: Iterable[bytes]) -> None:
        """Take further lines. ValueError for one that no journal of ours has."""
        for line in lines:
            data = line_from_json(line)
            if not isinstance(data, dict):
                raise ValueError("A line is not a JSON object.")
            if data.get("type") == LATE_TEXT:
                self._complete(data)
            elif isinstance(data.get("text"), list):
                self._grow(data)
            else:
                self._take(data["seq"], _event_of(data))

    def _take(self, number: int, event: Event) -> None:
        expected = self._first + len(self.events)
        if number != expected:
            if not expected < number <= expected + self.missing:
                raise ValueError(f"Event {number} comes where {expected} was expected.")
            self._leave_out(number - expected, event.at)
        self.missing = 0
        self.events.append(event)

    def _leave_out(self, count: int, at: float) -> None:
        """Have something in the place of events that cannot be read: an event's place is its number."""
        what = "1 event" if count == 1 else f"{count:,} events"
        self.events.append(Noticed(at, "damaged", f"{what} could not be read: the journal is damaged here."))
        self.events += [BlockGrew(at, _NO_BLOCK, "")] * (count - 1)

    def _grow(self, data: dict[str, Any]) -> None:
        for number, event in enumerate(grown := grown_from_json(data), data["seq"]):
            self._take(number, event)
        count = len(grown)
        self.unfinished.update(range(data["seq"] + data.get("whole", count), data["seq"] + count))

    def _complete(self, data: dict[str, Any]) -> None:
        for number, text in zip(data["seqs"], data["text"], strict=True):
            place = number - self._first
            if place < 0:
                continue  # it is the text of an event that nobody wants to read
            event = self.events[place]
            if not isinstance(event, BlockGrew):
                raise ValueError(f"Event {number} has no text.")
            self.events[place] = replace(event, text=text_of(text))
            self.unfinished.discard(number)
