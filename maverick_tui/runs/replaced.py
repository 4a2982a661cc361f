"""What a call would change of what is there: told with its question, so that nobody takes it for a new file, or for one
place of many.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.agent.permissions.rules import path_of
from maverick_tui.bounded import from_json, read_to_end
from maverick_tui.markup.hunks import CONTEXT, Hunk, hunks_between
from maverick_tui.masking.redact import redact

MOST = 100_000
"""Bytes of a file, and characters of what comes, that are compared; twice as many may be shown."""
_LOOKED_THROUGH = 10_000_000
"""Bytes of a file in which places are counted, or a cell is looked for."""
_SHOWN_OF = 1_000_000
"""Characters of a file of which such places are shown."""
_APART = re.compile(rf"(?:[^\n]*\n){{{CONTEXT + 1}}}(?=(?:[^\n]*\n){{{CONTEXT + 1}}})")
"""The beginning of what is between two places, where that is enough for each to be a hunk of its own."""
_MOST_LINES = 1_000
"""Lines that are shown as changes, with those around them."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Replaced(NamedTuple):
    """In words, and as the hunks of a `structuredPatch`; both empty where nothing is lost."""

    words: str = ""
    patch: tuple[dict[str, Any], ...] = ()


def replaced_by(tool: str, arguments: Mapping[str, Any], cwd: Path, *, may_read: bool) -> Replaced:
    """What is there where a call would write. It reads a file, so in a thread; of one that is not to be read, or that
    is large or no text, no more is told than that it changes.
    """
    try:
        # As Claude Code does, which knows no home but the user's own.
        path = re.sub(r"^~(?=[^/])", "./~", path_of(arguments))
        place = cwd / Path(path).expanduser()
        about = place.stat()
    except (OSError, ValueError, RuntimeError):  # it is not there; or no place, no home directory
        return Replaced()
    if not stat.S_ISREG(about.st_mode) or not about.st_size:
        return Replaced()
    if tool == "Write" and isinstance(content := arguments.get("content"), str):
        return _by_write(_text(place, MOST) if may_read and len(content) <= MOST else None, content, about.st_size)
    if tool == "Edit" and arguments.get("replace_all") not in (None, False, "false"):
        old, new = arguments.get("old_string"), arguments.get("new_string")
        if isinstance(old, str) and isinstance(new, str) and old:
            return _by_edits(_text(place, _LOOKED_THROUGH) if may_read else None, old, new)
    if tool == "NotebookEdit" and arguments.get("edit_mode") != "insert":
        return _by_cell(_text(place, _LOOKED_THROUGH) if may_read else None, arguments)
    return Replaced()


def _by_write(old: str | None, content: str, size: int) -> Replaced:
    if old is None:
        return Replaced(f"This file exists ({_counted(size, 'byte')}) and would be replaced.")
    if old == content:
        same = Hunk(1, 1, tuple(f" {line}" for line in content.removesuffix("\n").split("\n")))
        return _shown("Nothing would change: the file already has exactly this content", ".", [same], old)
    exists = f"This file exists ({_counted(_lines(old), 'line')})"
    found = _shown(exists, ". What would change:", hunks_between(old, content), old, content)
    return found if found.patch else Replaced(f"{exists} and would be replaced.")


def _by_edits(text: str | None, old: str, new: str) -> Replaced:
    """What an edit of all places would change; it is told hunk by hunk if that can be shown."""
    text = (text or "").replace("\r\n", "\n")  # as Claude Code has it
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"  # it takes the line break away, too
    if not (count := text.count(old)):  # with escapes in it, say
        return Replaced("Every place in this file that has this text would change.")
    hunks, size = list[Hunk](), 0
    for hunk in _each_change(text, old, new) if len(text) <= _SHOWN_OF else ():
        hunks.append(hunk)
        if (size := size + len(hunk.lines)) > _MOST_LINES:
            break
    return _shown(f"{_counted(count, 'place')} in this file would change", ":", hunks, text, old, new)


def _by_cell(text: str | None, arguments: Mapping[str, Any]) -> Replaced:
    """What becomes of a notebook's cell, which Claude Code finds by its id, or by its place among all."""
    old, new = _source_of(text or "", str(arguments.get("cell_id", ""))), str(arguments.get("new_source", ""))
    is_deleted = arguments.get("edit_mode") == "delete"
    becomes = "deleted" if is_deleted else "replaced"
    if old is None or len(old) > MOST or len(new) > MOST:
        return Replaced(f"A cell would be {becomes}.")
    if old == new and not is_deleted:
        return Replaced("Nothing would change: the cell already has exactly this content.")
    new = "" if is_deleted else new
    words = f"A cell ({_counted(_lines(old) if old else 0, 'line')}) would be {becomes}"
    return _shown(words, ":" if is_deleted else ". What would change:", hunks_between(old, new), old, new)


def _shown(words: str, leads_to: str, hunks: list[Hunk], *source: str) -> Replaced:
    """With the hunks as a `structuredPatch`, unless there are too many lines, each of which is masked when it is
    stored, or what they are made of has secrets: a patch alone would be masked in other places, or in none.
    """
    lines = [line for hunk in hunks for line in hunk.lines]
    is_long = len(lines) > _MOST_LINES or sum(map(len, lines)) > 2 * MOST
    if is_long or any(redact(one) != one for one in source):
        return Replaced(f"{words}.")
    patch = [{"oldStart": hunk.old_start, "newStart": hunk.new_start, "lines": [*hunk.lines]} for hunk in hunks]
    return Replaced(f"{words}{leads_to}" if patch else f"{words}.", tuple(patch))


def _source_of(notebook: str, cell_id: str) -> str | None:
    try:
        cells = from_json(notebook)["cells"]
        known = [one for one in cells if one.get("id") == cell_id]
        if not known and (place := re.fullmatch("cell-([0-9]{1,9})", cell_id)):
            known = [cells[int(place[1])]]
        source = known[0]["source"]
        return source if isinstance(source, str) else "".join(source)
    except (ValueError, TypeError, AttributeError, LookupError):  # it is no notebook, or has no such cell
        return None


def _each_change(text: str, old: str, new: str) -> Iterator[Hunk]:
    """Places that are far from each other are compared apart: of a long file all would seem to change."""
    first, *others = text.split(old)
    near = [[first]]
    for part in others:
        if apart := _APART.match(part):
            near[-1].append(apart[0])
            near.append([part[apart.end() :]])
        else:
            near[-1].append(part)
    lines_before = lines_after = 0
    for parts in near:
        before, after = old.join(parts), new.join(parts)
        for hunk in hunks_between(before, after, most_pairs=MOST):
            yield Hunk(hunk.old_start + lines_before, hunk.new_start + lines_after, hunk.lines)
        lines_before += before.count("\n")
        lines_after += after.count("\n")


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _text(place: Path, most: int) -> str | None:
    """What a file holds; None if that is too much, or no text."""
    try:
        with os.fdopen(os.open(place, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            text = read_to_end(file, most).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text
