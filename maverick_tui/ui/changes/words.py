"""What is said of changes: which part of a run they are of, what became of a file, and why there is nothing to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line
from maverick_tui.ui.changes.drawing import author_line
from maverick_tui.ui.changes.file_list import shown_path

if TYPE_CHECKING:
    from maverick_tui.review.kinds import ChangedFile, ChangedHunk, Scope, Texts, TurnChanges
    from maverick_tui.runs.board import RunModel

_BECAME = {"type": "It is something else now: a file, a link or a folder of another repository."}


def scope_words(scope: Scope, turns: Sequence[TurnChanges]) -> str:
    """Which part of the run is looked at."""
    turn = next((one for one in turns if one.number == scope.turn), None)
    prompt = f" “{turn.prompt}”" if turn is not None and turn.prompt else ""
    if scope.kind == "start":
        return "since the start"
    if scope.kind == "since":
        return f"since turn {scope.turn}{prompt}"
    if scope.kind == "turn":
        return f"turn {scope.turn} alone{prompt}"
    for one in turns:
        for call in one.calls:
            if call.call == scope.call:
                return one_line(f"{call.tool} {call.about}") + f" in turn {one.number}"
    return "one call"


def notes_of(file: ChangedFile, hunks: Sequence[ChangedHunk], texts: Texts | None) -> list[str]:
    """What a diff does not show of what has become of a file; `texts` are asked for where it has no hunks."""
    notes: list[str] = []
    if file.was:
        notes.append(f"renamed from {shown_path(file.was)}")
    if file.permissions is not None:
        notes.append(f"permissions {file.permissions[0]:o} → {file.permissions[1]:o}")
    if file.status in _BECAME:
        notes.append(_BECAME[file.status])
    if file.not_kept:
        notes.append(f"What has changed in it is not known: {file.not_kept}.")
    elif file.is_binary and texts is not None:
        notes.append(f"binary, {_size(texts.before)} → {_size(texts.after)}")
    elif file.status == "added" and not hunks:
        notes.append("a new file with nothing in it")
    elif file.status == "deleted" and not hunks:
        notes.append("a file with nothing in it, which is gone")
    if not hunks:  # there is none to say it above
        notes += (f"by {''.join(text for text, _ in author_line(one))}" for one in file.authors)
    old, new = (_line_ends(sign, hunks) for sign in "-+")
    if old != new and old and new:
        notes.append(f"line ends {old} → {new}")
    return notes


def _line_ends(sign: str, hunks: Sequence[ChangedHunk]) -> str:
    """How lines end that have gone, or come."""
    lines = [line for one in hunks for line in one.hunk.lines if line.startswith(sign)]
    windows = sum(line.endswith("\r") for line in lines)
    return "" if not lines else "LF" if not windows else "CRLF" if windows == len(lines) else "LF and CRLF"


def _size(text: bytes) -> str:
    return f"{len(text):,} bytes"


def why_not(run: RunModel) -> str:
    """Why nothing can be read of what a run has changed; empty if it can."""
    if machine := one_line(run.machine):
        return f"This run works on {machine}, and so its changes are there. Look at them there: maverick on {machine}."
    return ""


def untracked_words(reason: str) -> str:
    """Why changes are not tracked."""
    return f"Changes are not tracked here, because {reason}" if reason else ""


NOTHING = "Nothing is here that a call of this run has changed"
NO_SNAPSHOTS = "There is no snapshot of this run's folder yet: one is taken when it begins to work."
READING = "Reading what has changed …"
