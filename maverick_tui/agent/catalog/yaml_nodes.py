"""Reads untrusted YAML into nodes that know their line: no anchors, no tags, bounded in depth and number."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, Union

import yaml

if TYPE_CHECKING:
    from yaml import Event, Mark, MarkedYAMLError
    from yaml._yaml import Mark as CMark

MAX_DEPTH = 16
MAX_EVENTS = 2_000

Json: TypeAlias = Union[str, int, float, bool, list["Json"], dict[str, "Json"], None]  # noqa: UP007

_NOTHING = re.compile(r"|~|null|Null|NULL")
_TRUE = re.compile(r"true|True|TRUE|yes|Yes|YES|on|On|ON")
_FALSE = re.compile(r"false|False|FALSE|no|No|NO|off|Off|OFF")
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18})(?:[eE][-+]?[0-9]{1,3})?")

_KEY = re.compile(r"\s*(?:- )?(?P<key>[\w-]+):(?:\s|$)")
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the line it is on; `text` is a scalar as it was written."""

    line: int
    value: str | int | float | bool | tuple[Node, ...] | dict[str, Node] | None
    text: str = ""

    def to_json(self) -> Json:
        """The bare value, all the way down."""
        if isinstance(self.value, tuple):
            return [item.to_json() for item in self.value]
        if isinstance(self.value, dict):
            return {key: item.to_json() for key, item in self.value.items()}
        return self.value

    def line_of(self, keys: Iterable[int | str]) -> int:
        """The line of what these keys lead to, each below the one before; or as far as they lead."""
        node = self
        for key in keys:
            if isinstance(node.value, tuple) and isinstance(key, int) and key < len(node.value):
                node = node.value[key]
            elif isinstance(node.value, dict) and key in node.value:
                node = node.value[str(key)]
            else:
                break
        return node.line

    @property
    def kind(self) -> str:
        """What it is, in words for a message."""
        if isinstance(self.value, tuple):
            return "a list"
        return "a map" if isinstance(self.value, dict) else f"{self.text!r}"


class YamlRefused(Exception):
    """YAML that we do not read."""

    def __init__(self, line: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.hint = hint


class NotYaml(YamlRefused):
    """The text is not YAML at all."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that a map has twice; the first one counts."""

    key: str
    line: int
    first_line: int


def read_yaml(text: str, first_line: int, max_events: int = MAX_EVENTS) -> tuple[Node, list[Duplicate]]:
    """The root node and the duplicate keys of a text that starts at this line of its file."""
    if found := _UNPRINTABLE.search(text):
        line = first_line + text.count("\n", 0, found.start())
        raise YamlRefused(line, f"Holds the control character U+{ord(found[0]):04X}.", "Remove it.")
    reader = _Reader(text, first_line, max_events)
    return reader.root(), reader.duplicates


class _Reader:
    """Builds nodes straight from the parser's events, so that no object is constructed because a file says so."""

    def __init__(self, text: str, first_line: int, max_events: int) -> None:
        self._text = text
        self._first_line = first_line
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        self._max_events = max_events
        self._events = self._parse()
        self.duplicates: list[Duplicate] = []

    def root(self) -> Node:
        """The only document's value."""
        node: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                if node is not None:
                    raise YamlRefused(self._line(event.start_mark), "Has a second document.", "Keep one of them.")
                node = self._node(event, depth=1)
        return node or Node(self._first_line, None)

    def _parse(self) -> Iterator[Event]:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self._text)
        try:
            for _ in range(self._max_events):
                if not loader.check_event():
                    return
                yield loader.get_event()
        except yaml.MarkedYAMLError as error:
            raise self._syntax_error(error) from error
        except yaml.YAMLError as error:
            raise YamlRefused(self._first_line, f"Is not YAML: {error}.", "Correct the YAML.") from error
        finally:
            loader.dispose()
        raise YamlRefused(self._first_line, "Holds too many values.", "Shorten it.")

    def _node(self, event: Event, depth: int, line: int | None = None) -> Node:
        line = self._line(event.start_mark) if line is None else line
        self._refuse_references(event, line)
        if depth > MAX_DEPTH:
            raise YamlRefused(line, f"Is nested more than {MAX_DEPTH} levels deep.", "Make it flatter.")
        if isinstance(event, yaml.ScalarEvent):
            plain = event.style in (None, "")
            return Node(line, _resolve(event.value) if plain else event.value, event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            return Node(line, tuple(self._items(depth)))
        return Node(line, self._entries(depth))

    def _items(self, depth: int) -> Iterator[Node]:
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._node(event, depth + 1)

    def _entries(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._node(event, depth + 1)
            if isinstance(key.value, (tuple, dict)):
                raise YamlRefused(key.line, f"Has {key.kind} for a key.", "Name the field with a word.")
            # A list or map is reported at its key, not at its first item.
            value = self._node(next(self._events), depth + 1, key.line)
            if key.text in entries:
                self.duplicates.append(Duplicate(key.text, key.line, entries[key.text].line))
            else:
                entries[key.text] = value
        return entries

    def _refuse_references(self, event: Event, line: int) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise YamlRefused(line, "Holds a YAML alias (*), which is not read.", "Write the value out, or quote it.")
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)):
            if event.anchor is not None:
                raise YamlRefused(line, "Holds a YAML anchor (&), which is not read.", "Remove it, or quote the value.")
            if event.tag is not None:
                raise YamlRefused(
                    line, f"Holds the YAML tag {event.tag!r}, which is not read.", "Remove it, or quote it."
                )

    def _line(self, mark: Mark | CMark | None) -> int:
        return self._first_line + (bisect.bisect_left(self._breaks, mark.index) if mark else 0)

    def _syntax_error(self, error: MarkedYAMLError) -> NotYaml:
        # What is never closed is found at the end of the text; where it starts is where the mistake is.
        context = error.context or ""
        at_context = "quoted" in context or "simple key" in context or "flow" in context or "block scalar" in context
        mark = error.context_mark if at_context and error.context_mark else error.problem_mark or error.context_mark
        line = self._line(mark)
        reason = " ".join(part for part in (error.context, error.problem) if part)
        return NotYaml(line, f"Is not YAML: {reason}.", self._syntax_hint(reason, line))

    def _syntax_hint(self, reason: str, line: int) -> str:
        lines = self._text.split("\n")
        at = min(line - self._first_line, len(lines) - 1)
        if "tab" in reason or "'\\t'" in reason or lines[at].lstrip(" ").startswith("\t"):
            return "Indent with spaces instead of tabs."
        if "quoted scalar" in reason:
            return "Close the quotation mark, or escape the one inside (\\\" or '')."
        if "flow" in reason:
            return "Close the list with ] or the map with }."
        key = next((found["key"] for text in lines[at::-1] if (found := _KEY.match(text)) and text[:1].strip()), "")
        if not key:
            return "Quote the value."
        block = "" if "alias" in reason or "cannot start" in reason else f", or write it as a block ({key}: |)"
        return f'Quote the value ({key}: "..."){block}.'


def _resolve(text: str) -> str | int | float | bool | None:
    if _NOTHING.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text
