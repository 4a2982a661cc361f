"""What a host and its readers say to each other: JSON objects, one a line.

A reader begins with `hello`, and says from which event on it wants to read. The host answers with its own, tells the
events, and ends with `end`. What a reader wants of the run it sends as `do`, with an id: sent twice, it is done once.
With it come in `secrets` those of its words that the reader knows to be secret, so that they are not kept as they are.
With `pace` it says whether the run is `shown` to somebody now, or `hidden`: then it need not hear of each word at once.
A reader that `learns_secrets` hears in `secrets` what the host masks, before the events in which it may turn up.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from maverick_tui.events.growth import Growth
from maverick_tui.events.kinds import (
    BlockGrew,
    Event,
    Noticed,
    event_from_json,
    grown_from_json,
    growth_from_json,
    time_of,
)
from maverick_tui.events.typed import fitting, made_of
from maverick_tui.events.wire import to_json
from maverick_tui.executor.strict_json import read_strictly
from maverick_tui.journal.lines import plain
from maverick_tui.masking.redact import known_in
from maverick_tui.runs.commands import Command
from maverick_tui.runs.log import numbered

log = logging.getLogger(__name__)

VERSION = 1
"""Of what is said here; the events have a schema of their own."""
LONGEST = 24 * 1024 * 1024
"""Bytes of the longest line that a host takes: a prompt with whatever was pasted into it, and with its pictures."""
LONGEST_OF_OLDER = 4 * 1024 * 1024
"""The same of a host that knows no pictures."""

MOST_NESTED = 250
"""Levels of a line. Whoever masks and shows it follows more, wherever that is done: some four hundred (measured)."""

NO_COMMAND = "that is no command"
"""How a host begins to refuse what it does not know."""

MANY = 8
"""Pieces of a block that are fewer take less room as events, until the block has ended."""


class ProtocolError(ValueError):
    """Something was said that means nothing here; the text says what."""


class TooLongError(ProtocolError):
    """A line is longer than whoever reads it takes."""


class ReaderHello(NamedTuple):
    """Who reads, and from where on."""

    since: int = 0
    name: str = ""
    """What others may call this reader."""
    is_read_only: bool = False
    only_asks: bool = False
    """Whether it wants the host's `hello` alone, and no events."""
    version: int = VERSION
    is_unseen: bool = False
    """Whether nobody looks at the run by it: it does not count among the readers."""
    is_hidden: bool = False
    """Whether the run is not on its screen now; with `pace` it says when that changes."""
    only_does: bool = False
    """Whether it only sends commands: it is told no events, and does not count among the readers. An older host tells
    it all of them, from `since` on."""
    learns_secrets: bool = False
    """Whether it keeps what is typed to the run, or exports it, and so has to mask what is secret there. An older host
    tells it nothing of that, and no host one that only reads."""


class ToldState(NamedTuple):
    """What a list of runs says of one, as `LiveState` of `state.py` tells it."""

    phase: str = ""
    is_settled: bool = False
    asks: tuple[str, ...] = ()
    agent: str = ""
    folder: str = ""
    model: str = ""
    name: str = ""
    first_prompt: str = ""
    forked_from: str = ""
    forked_turn: int = 0
    turns: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    cost_sign: str = ""
    """What stands before a cost that is not a bill: `~` if it is an estimate, `≥` if some of it is not known."""
    turns_took: float = 0.0
    """Seconds of all turns that have ended."""
    turn_began: float | None = None
    """When the one began that has not."""
    last_at: float = 0.0
    queued_at: float | None = None
    silent_since: float | None = None
    doing: str = ""
    """What a run at work does at the moment: see `Phase` of `runs/store.py`."""
    doing_since: float = 0.0
    about: str = ""
    """Which call runs or is asked about, or why it has failed."""
    commands: tuple[str, ...] = ()
    """What the person runs beside the agent: it goes on though the agent is done."""
    background: Any = None
    """What the agent has left in the background: see `behind_of` of `events/background.py`, which looks at it."""
    until: float | None = None
    last_line: str = ""
    """The last line of what it has said."""
    steps_done: int = 0
    steps: int = 0
    """Of its plan."""
    files: int = 0
    """How many it has written to."""
    added: int | None = None
    """How many lines it has added and deleted, where that is known."""
    deleted: int | None = None
    told_at: float = 0.0
    """When this was said, by the clock that all its times are of."""
    away: Any = None
    """See `runs/digest.py`, which looks at it by itself."""
    read_by: tuple[str, ...] = ()
    project: str = ""


class HostHello(NamedTuple):
    """Who is read."""

    run_id: str
    agent: str
    pid: int
    maverick: str
    schema: int
    events: int
    """How many there are so far."""
    started: float
    is_kept: bool = True
    readers: int = 0
    state: Mapping[str, Any] = MappingProxyType({})
    """What a list of runs says of it: see `ToldState`."""
    you: str = ""
    """What the reader is called that this is said to."""
    now: float = 0.0
    """By the clock of its machine, which all its times are of."""
    version: int = VERSION
    knows_pace: bool = False
    """Whether it can be told a `pace`: one of an older version would refuse it."""
    knows_calls: bool = False
    """Whether it can stop one call alone: one of an older version would stop the turn."""
    knows_images: bool = False
    """Whether it takes pictures with a prompt: one of an older version would pass over them."""


def line(value: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


async def next_line(reader: asyncio.StreamReader) -> bytes:
    """The next line; nothing if there is none. TooLongError if there is no room for it."""
    try:
        return await reader.readline()
    except ValueError as error:  # it is asyncio's own
        raise TooLongError("that line is too long") from error


def object_of(text: bytes) -> dict[str, Any]:
    """The object that a line holds."""
    return _object(text, read_strictly)


def object_told(text: bytes) -> dict[str, Any]:
    """What a host tells, or a gateway. Where the whole would be refused for a part of it that nobody can go on with, as
    a call's arguments without end or NaN, there is a text in the place of that: it is still a part of the run.
    """
    try:
        return object_of(text)
    except ProtocolError:
        return _object(text, lambda text, _most: plain(json.loads(text)))


def _object(text: bytes, read: Callable[[str, int], Any]) -> dict[str, Any]:
    try:
        value = read(text.decode("utf-8", "surrogatepass"), MOST_NESTED)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("that is not a line of JSON") from error
    if not isinstance(value, dict):
        raise ProtocolError("that is not a JSON object")
    return value


def event_lines(first: int, events: Iterable[Event]) -> Iterator[bytes]:
    """Events, the first of which has that number. What a block grows by, piece after piece, is one line of lists."""
    numbers = enumerate(events, first)
    for block, group in groupby(numbers, lambda item: item[1].block if isinstance(item[1], BlockGrew) else None):
        if block is None:
            yield from (line(numbered(number, event)) for number, event in group)
            continue
        grown = [(number, event) for number, event in group if isinstance(event, BlockGrew)]
        number, began = grown[0]
        if len(grown) == 1:
            yield line(numbered(number, began))
            continue
        times = [round((event.at - began.at) * 1000) for _, event in grown]
        texts = [event.text for _, event in grown]
        head = {"seq": number, "type": BlockGrew.type, "at": began.at, "block": block}
        yield line({**head, "ms": times, "text": texts})


def events_of(said: Mapping[str, Any]) -> list[Event]:
    """The events that a line tells; one that only a newer Maverick knows counts all the same."""
    try:
        if said.get("type") == BlockGrew.type and isinstance(said.get("text"), list):
            return [*grown_from_json(said)]
        return [event_from_json(said)]
    except (KeyError, TypeError, ValueError):
        log.info("An event of the kind %r is not known", str(said.get("type"))[:40])
        return [Noticed(_time(said.get("at")), "unknown", "")]


def growth_of(said: Mapping[str, Any]) -> Growth | None:
    """What a block grows by, if that is all that a line tells, in many pieces; None for what `events_of` is for."""
    texts = said.get("text")
    if said.get("type") != BlockGrew.type or not isinstance(texts, list) or len(texts) < MANY:
        return None
    try:
        return growth_from_json(said)
    except (KeyError, TypeError, ValueError):
        return None


def _time(said: object) -> float:
    try:
        return time_of(said)
    except ValueError:
        return 0.0


def hello_line(hello: ReaderHello | HostHello) -> bytes:
    """How one begins."""
    return line({"hello": hello._asdict()})


def do_line(command: Command, name: str) -> bytes:
    """What a run is to do, and what is secret in that; bytes of pictures are kept nowhere."""
    wanted = to_json(command)
    secrets = known_in([value for field, value in wanted.items() if field != "images"])
    return line({"do": wanted, "id": name, **({"secrets": sorted(secrets)} if secrets else {})})


def pace_line(*, is_hidden: bool) -> bytes:
    """Whether the run is on the reader's screen."""
    return line({"pace": "hidden" if is_hidden else "shown"})


def secrets_line(secrets: Iterable[str]) -> bytes:
    """What is secret in the host's process."""
    return line({"secrets": sorted(secrets)})


def secrets_of(said: Mapping[str, Any]) -> list[str]:
    """What a host, or a reader that wants something, has said of that."""
    told = said.get("secrets")
    return [one for one in told if isinstance(one, str)] if isinstance(told, list) else []


def is_hidden_by(pace: object) -> bool:
    """What a reader has said of that."""
    if pace not in ("hidden", "shown"):
        raise ProtocolError("that is no pace: it is `shown` or `hidden`")
    return pace == "hidden"


def reader_hello(text: bytes) -> ReaderHello:
    """What a reader begins with."""
    said = _said(text)
    try:
        hello = made_of(ReaderHello, said)
    except ValueError as error:
        raise ProtocolError(f"that is no way to begin: {error}") from error
    if hello.since < 0:
        raise ProtocolError("that is no way to begin")
    return hello._replace(name=hello.name[:80])


def host_hello(text: bytes) -> HostHello:
    """What a host begins with."""
    said = _said(text)
    try:
        hello = made_of(HostHello, said)
    except (TypeError, ValueError) as error:
        raise ProtocolError("the host does not say who it is") from error
    return hello._replace(state=fitting(ToldState, hello.state))


def _said(text: bytes) -> dict[str, Any]:
    said = object_told(text)
    if refused := said.get("refused"):
        raise ProtocolError(str(refused))
    hello = said.get("hello")
    if not isinstance(hello, dict) or type(hello.get("version")) is not int:
        raise ProtocolError("a conversation begins with `hello` and a version")
    if hello["version"] > VERSION:
        raise ProtocolError(f"this speaks version {VERSION}, and that version {hello['version']}")
    return hello
