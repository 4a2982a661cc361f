r"""Edits of which the CLI would make others than were judged and shown.

It repairs a call of Edit after its hooks and the person have seen it (measured). Where `old_string` is not in the file
to the letter, it is looked for with other quotes, and with each `\uXXXX` as the character; if that is found,
`new_string` is changed alike, so that a line break can come out of a comment. And where what is removed ends a line,
the line break goes, too. Such calls are refused: the model can say what it means.

Only characters that the file has as `\uXXXX` are written so in `new_string` as well: there is no other way to name
them, since the CLI makes characters of them before anybody is asked. Write and NotebookEdit write what they are given.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_LE
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maverick_tui.agent.engine.claude.rereading import absolute
from maverick_tui.agent.permissions.rules import path_of

_REPAIRED = (
    "old_string is not in the file to the letter, quotes and escapes included, so Claude Code would write something"
    " else than new_string. Read the file again, and give its exact text."
)
_JOINED = (
    "Claude Code would remove the line break behind old_string as well, and join two lines."
    " Give the whole line as old_string, and what is to be left of it as new_string."
)
_LARGEST = 16 * 1024 * 1024
_TOO_LARGE = (
    f"The file has more than {_LARGEST // 1024 // 1024} MB, and an edit of it cannot be looked at. Use a command."
)
_MOST_PLACES = 20
_SPELLED = re.compile(r"\\u[0-9a-fA-F]{4}")
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_ESCAPE = re.compile(r"(\\\\)|\\u([0-9a-fA-F]{4})")


def why_not_as_shown(tool: str, arguments: Mapping[str, Any], here: str | None) -> str:
    """Why the CLI would make another edit than this one, in words for the model; empty if it would not."""
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if tool != "Edit" or not isinstance(old, str) or not old:
        return ""
    file = re.sub(r"^~(?=[^/])", "./~", path_of(arguments))  # the CLI knows no home but the user's own
    try:
        text = _text_of(absolute(file, here or ""))
    except _TooLargeError:
        return _TOO_LARGE
    if text is None:
        return "There is no such file."
    found = old if old in text else _escaped(old, text)
    if found is None:
        return _REPAIRED
    takes_break = not new and not found.endswith("\n") and f"{found}\n" in text
    return _JOINED if takes_break and _whole_lines(found, text) < text.count(found) else ""


def _text_of(file: str) -> str | None:
    """The text as the CLI has it: in one of the two encodings that it knows, with one character for each line break.

    None if there is no file, or none that can be read.
    """
    try:
        if not Path(file).is_file():  # a pipe would be waited for
            return None
        with Path(file).open("rb") as opened:
            data = opened.read(_LARGEST + 1)
    except (OSError, ValueError):
        return None
    if len(data) > _LARGEST:
        raise _TooLargeError
    encoding = "utf-16-le" if data.startswith(BOM_UTF16_LE) else "utf-8"
    return data.decode(encoding, "replace").replace("\r\n", "\n")


def _whole_lines(found: str, text: str) -> int:
    """How often it is whole lines of the text. A pattern would take the product of both lengths."""
    lines, wanted, times = f"\n{text}\n", f"\n{found}\n", 0
    at = lines.find(wanted)
    while at >= 0:
        times += 1
        at = lines.find(wanted, at + len(wanted) - 1)
    return times


def _escaped(old: str, text: str) -> str | None:
    """How it stands in the text with escapes for what is not ASCII; None if it does not, or the CLI repairs it."""
    if old.translate(_STRAIGHT) in text.translate(_STRAIGHT) or _ESCAPE.sub(_character, old) in text:
        return None
    # In one spelling, of one length, this is a search for a text; a pattern would take the product of both lengths.
    wanted = _SPELLED.sub(_small, "".join(map(_spelled, old)))
    spelled, at = _SPELLED.sub(_small, text), -1
    for _ in range(_MOST_PLACES):
        if (at := spelled.find(wanted, at + 1)) < 0:
            break
        if re.fullmatch("".join(map(_pattern, old)), found := text[at : at + len(wanted)]):
            return found
    return None


class _TooLargeError(Exception):
    """A file that is not looked through."""


def _small(escape: re.Match[str]) -> str:
    return escape[0].lower()


def _character(escape: re.Match[str]) -> str:
    return escape[1] or chr(int(escape[2], 16))


def _pattern(character: str) -> str:
    if character.isascii():
        return re.escape(character)
    return "".join(rf"\\u(?i:{unit[2:]})" for unit in _SPELLED.findall(_spelled(character)))


def _spelled(character: str) -> str:
    if character.isascii():
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(rf"\u{units[at : at + 4]}" for at in range(0, len(units), 4))
