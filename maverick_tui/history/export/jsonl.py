"""A run as lines of JSON: its events, one a line, each with its number. A journal could be read from them again."""

from __future__ import annotations

import json
from collections.abc import Iterator

from maverick_tui.events.wire import to_json
from maverick_tui.history.export.kept import KeptRun


def as_jsonl(run: KeptRun) -> Iterator[str]:
    """The lines; all beyond ASCII is escaped, so that nothing in them steers a terminal."""
    for number, event in enumerate(run.events):
        yield json.dumps({"seq": number, **to_json(event)}, separators=(",", ":"), default=str) + "\n"
