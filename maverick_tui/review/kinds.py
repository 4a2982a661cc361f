"""What a run has changed, as values: files, hunks, whose they are, and which part of the run is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from maverick_tui.markup.hunks import Hunk
from maverick_tui.snapshots.changes import Lines, Status


class Scope(NamedTuple):
    """Which part of a run: all `since` before a turn or since its `start`, up to now; one `turn`, or one `call`."""

    kind: Literal["start", "since", "turn", "call"] = "start"
    turn: int = 0
    call: str = ""


START = Scope()
"""All that the run has changed."""


MOST_LINES = 50_000
"""Lines of a diff that anybody reads: of a file in which more have changed only the first are shown."""


class Author(NamedTuple):
    """Who has written something; all texts are inert, and on one line.

    A `call` of the run that is looked at, a call of another `run` in the same folder, or `you`: whoever works there and
    is no run that we know of.
    """

    kind: Literal["call", "you", "run"]
    run_id: str = ""
    run: str = ""
    """What the run is called, or was asked first."""
    turn: int = 0
    prompt: str = ""
    call: str = ""
    tool: str = ""
    about: str = ""
    """What the call is about: a path, a command."""


YOU = Author("you")

Authors = tuple[Author, ...]
"""One of these it was: several if they were at work at the same time. None: it was there before."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What has become of a file. Paths are relative to the folder's root, and not inert."""

    path: str
    status: Status
    was: str = ""
    """Its path before, if it was renamed."""
    added: int = 0
    deleted: int = 0
    is_binary: bool = False
    permissions: tuple[int, int] | None = None
    """Those before and after, if they differ."""
    authors: Authors = ()
    """All who have changed it in this part of the run, the first one first."""
    not_kept: str = ""
    """Why nobody knows what has changed in it; inert."""


@dataclass(frozen=True, slots=True)
class ChangedHunk:
    """Lines of a file that have changed, and some around them. The text of its lines is not inert."""

    hunk: Hunk
    lines: tuple[Lines, ...]
    """The same without those around, by their numbers: for `reject` and a commit."""
    authors: Authors
    line_authors: tuple[Authors, ...]
    """Of each line in `hunk.lines`, who has added or removed it; nobody of one that has not changed."""


class CallInfo(NamedTuple):
    """A call that may have changed something, to choose it by; texts are inert, and on one line."""

    call: str
    tool: str
    about: str


class TurnChanges(NamedTuple):
    """A turn, and its calls that may have changed something."""

    number: int
    prompt: str
    calls: tuple[CallInfo, ...]


class Part(NamedTuple):
    """Some hunks of a file: all of it as it was before, and with them alone. None where there is no such file."""

    before: bytes | None
    after: bytes | None
    mode: str
    """What it is to git: a file, one that can be run, or a link, whose bytes are where it leads."""


class Texts(NamedTuple):
    """What was in a file before and afterwards; nothing where there was none."""

    before: bytes
    after: bytes
