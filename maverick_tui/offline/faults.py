"""Where in a stream a fault strikes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from maverick_tui.offline.script import StreamFault
from maverick_tui.offline.stream import Event


class Struck:
    """Stands in the stream where the fault strikes; nothing comes after it."""


STRUCK = Struck()


def until_struck(events: Iterable[Event], fault: StreamFault | None) -> Iterator[Event | Struck]:
    """The events up to the fault, the last one cut where the fault counts bytes; every fault strikes, at the latest
    before the last event."""
    if fault is None:
        yield from events
        return
    place = fault.at or ("text" if fault.after_events is None and fault.after_bytes is None else None)
    sent = 0
    for number, event in enumerate(events):
        is_last = event.data.startswith(b"event: message_stop")
        is_end = place == "end" and event.data.startswith(b"event: message_delta")
        if is_last or is_end or place == "start" or number == fault.after_events or (place and event.inside == place):
            yield STRUCK
            return
        if fault.after_bytes is not None and sent + len(event.data) > fault.after_bytes:
            yield Event(event.data[: fault.after_bytes - sent], event.wait)
            yield STRUCK
            return
        sent += len(event.data)
        yield event
