"""Which parts of a call a person should look at: what has a command ask, and paths that leave the folder.

Nothing is decided here. A command is taken apart as the judge does it; what that cannot read is marked as such.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from maverick_tui.agent.permissions.always_asked import SHELLS, Call
from maverick_tui.agent.permissions.commands import does_more
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.shell import LONGEST, NO_FILE, Word, parsed, read_word
from maverick_tui.agent.tools import EDIT_TOOLS, LOOKING_TOOLS
from maverick_tui.events.marks import OUTSIDE, Mark

if TYPE_CHECKING:
    from tree_sitter import Node

log = logging.getLogger(__name__)

MOST = 60
"""Marks of a call: where everything is marked, nothing is."""
_SEPARATORS = frozenset({";", "&&", "||", "|", "|&", "&"})
_BACKGROUND = "goes on in the background"
_ASKS = "not known to only read"
_MEANINGS = {
    "command_substitution": "runs a command inside of another",
    "process_substitution": "runs a command inside of another",
    "simple_expansion": "stands for what is not known here",
    "expansion": "stands for what is not known here",
    "variable_assignment": "sets a variable",
}
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://")
_NO_PLACE = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty)")


def marks_in(call: Call, places: Places) -> list[Mark]:
    """The parts of a call that are to be marked, in their order; a call that cannot be taken apart has none."""
    try:
        if call.tool in SHELLS:
            return list(islice(_in_command(call, places), MOST))
        return _paths(call, places) if call.tool in EDIT_TOOLS | LOOKING_TOOLS else []
    except Exception:  # whoever is asked sees all of the call even so
        log.exception("The parts of a call of %s could not be marked", call.tool)
        return []


def _paths(call: Call, places: Places) -> list[Mark]:
    """Arguments that name a place beyond the folder."""
    named = set(call.paths)
    return [
        Mark(name, 0, len(value), len(value), OUTSIDE)
        for name, value in call.arguments.items()
        if isinstance(value, str) and value in named and not places.is_inside(value, call.here)
    ]


def _in_command(call: Call, places: Places) -> Iterator[Mark]:
    command = call.command
    if len(command) > LONGEST:
        return
    source = command.encode(errors="replace")  # as it is parsed: what cannot be encoded is one byte for one character
    waiting = [parsed(command)]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children)
        for start, end, why in _of_node(node, call, places):
            at = len(source[:start].decode())
            yield Mark("command", at, at + len(source[start:end].decode()), len(command), why)


def _of_node(node: Node, call: Call, places: Places) -> Iterator[tuple[int, int, str]]:
    """From which byte to which something is marked, and why."""
    if node.type in _SEPARATORS and not node.is_named:
        yield node.start_byte, node.end_byte, _BACKGROUND if node.type == "&" else ""
    elif node.type == "file_redirect":
        if not NO_FILE.fullmatch(_text(node)):
            yield node.start_byte, node.end_byte, _redirected(node, call, places)
    elif node.type in _MEANINGS:
        yield node.start_byte, node.end_byte, _MEANINGS[node.type]
    elif node.type == "command":
        yield from _of_call(node, call, places)


def _of_call(node: Node, call: Call, places: Places) -> Iterator[tuple[int, int, str]]:
    """The program of a call, if that is not known to only read, and what leads out of the folder."""
    name = node.child_by_field_name("name")
    arguments = [part for part in node.children if part.is_named and part != name]
    program = read_word(_text(name)) if name is not None else None
    words = [word for part in arguments if (word := _word(part)) is not None]
    if name is not None and (program is None or does_more((program, *words))):
        yield name.start_byte, name.end_byte, _ASKS
    for part in arguments:
        if part.type not in _MEANINGS and (word := _word(part)) is not None and _leaves(word.text, call, places):
            yield part.start_byte, part.end_byte, OUTSIDE


def _word(node: Node) -> Word | None:
    """A word as it is meant; one that begins at home is read, too, though a shell makes another one of it."""
    text = _text(node)
    return Word(text) if text.startswith("~") and text.isascii() and " " not in text else read_word(text)


def _redirected(node: Node, call: Call, places: Places) -> str:
    target = node.child_by_field_name("destination")
    word = _word(target) if target is not None else None
    does = "reads a file" if _text(node).lstrip("0123456789").startswith("<") else "writes a file"
    return f"{does} {OUTSIDE}" if word is not None and _leaves(word.text, call, places) else does


def _leaves(text: str, call: Call, places: Places) -> bool:
    """Whether a word, or the value of an option, names a place beyond the folder."""
    path = text.partition("=")[2] if text.startswith("-") else text
    is_path = path.startswith(("/", "~")) or ".." in path.split("/")
    if not is_path or _ADDRESS.match(path) or _NO_PLACE.fullmatch(path):
        return False
    return not places.is_inside(path, call.here)


def _text(node: Node) -> str:
    return (node.text or b"").decode()
