"""What a person calls a run, and its tags: a small file beside the journal, since no journal tells of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.history.whole_files import write_whole
from maverick_tui.inert import one_line
from maverick_tui.journal.claude_sessions import session_file
from maverick_tui.journal.folders import journal_of, make_folder
from maverick_tui.masking.redact import redact

FILE = "labels.json"
_LONGEST_TAG = 40


@dataclass(frozen=True, slots=True)
class Labels:
    """A name counts from `named_at` on: a later one that the run itself was given in its screen takes its place."""

    name: str = ""
    named_at: float = 0.0
    tags: tuple[str, ...] = ()


def read_labels(folder: Path) -> Labels:
    """What is written in a run's folder; nothing if that cannot be read."""
    try:
        data = json.loads((folder / FILE).read_bytes())
        tags = tuple(sorted({tag for tag in data.get("tags", ()) if isinstance(tag, str)}))
        return Labels(str(data.get("name") or ""), float(data.get("named_at") or 0), tags)
    except (OSError, ValueError, TypeError, AttributeError):
        return Labels()


def name_run(run_id: str, name: str) -> Labels:
    """Call a run by another name; an empty one takes the name away."""
    name, now = one_line(redact(name)), round(time.time(), 3)
    return _change(run_id, lambda labels: replace(labels, name=name, named_at=now))


def tag_run(run_id: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> Labels:
    """Give a run tags, and take others away."""
    added, removed = {_tag(tag) for tag in add}, {*remove}
    return _change(run_id, lambda labels: replace(labels, tags=tuple(sorted({*labels.tags, *added} - removed))))


def _tag(text: str) -> str:
    tag = redact(text)
    if not tag or len(tag) > _LONGEST_TAG or tag != one_line(tag) or " " in tag or "," in tag:
        raise ConfigError(
            f"{one_line(tag)!r} cannot be a tag.",
            hint=f"A tag is one word of at most {_LONGEST_TAG} characters, without a comma.",
        )
    return tag


def _change(run_id: str, change: Callable[[Labels], Labels]) -> Labels:
    """As a whole or not at all, and by one at a time: what another window writes meanwhile would be lost."""
    folder = journal_of(run_id).parent
    try:
        if session_file(run_id) is not None:
            make_folder(folder / FILE)  # of a session of Claude Code, labels are all that is there
        with alone(folder.parent):
            labels = change(read_labels(folder))
            write_whole(folder / FILE, (json.dumps(asdict(labels)),))
    except OSError as error:
        raise ConfigError(
            f"The name and tags of the run {run_id} cannot be written: {error.strerror or error}.",
            hint=f"Make {folder} writable.",
        ) from error
    return labels
