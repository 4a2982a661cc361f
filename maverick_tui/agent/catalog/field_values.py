"""Reads the values of front matter fields; a wrong one is reported and counts as not given."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Node
from maverick_tui.exceptions import did_you_mean

MAX_WORDS = 200


class Word(NamedTuple):
    """One entry of a list, and its line."""

    text: str
    line: int


class FieldValues:
    """The fields of one file by name, and the log that mistakes go to."""

    def __init__(self, fields: dict[str, Node], log: ProblemLog) -> None:
        self._fields = fields
        self._log = log

    def node(self, field: str) -> Node | None:
        """The field's value as it is; a field without a value is reported and not given."""
        node = self._fields.get(field)
        if node is not None and node.value is None:
            self._log.warning(node.line, f"{field} has no value, so it has no effect.", "Give it one, or remove it.")
            return None
        return node

    def text(self, field: str) -> str | None:
        """Text, also if YAML takes it for a number or a truth value."""
        node = self.node(field)
        if node is None:
            return None
        if isinstance(node.value, (tuple, dict)) or not node.text.strip():
            self._log.error(node.line, f"{field} must be text, not {node.kind}.", f"Write {field}: some text.")
            return None
        return node.text.strip()

    def choice(self, field: str, choices: Collection[str]) -> str | None:
        """One of these words."""
        text = self.text(field)
        if text is None or text in choices:
            return text
        listed = f"Choose one of: {', '.join(choices)}."
        hint = f"{did_you_mean(text, choices)} {listed}".strip()
        self._log.error(self._fields[field].line, f"{field} cannot be {text!r}.", hint)
        return None

    def flag(self, field: str) -> bool | None:
        """True or false."""
        node = self.node(field)
        if node is None or isinstance(node.value, bool):
            return None if node is None else bool(node.value)
        self._log.error(node.line, f"{field} must be true or false, not {node.kind}.", f"Write {field}: true.")
        return None

    def whole(self, field: str) -> int | None:
        """A whole number above zero."""
        node = self.node(field)
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value > 0:
            return node.value
        self._log.error(node.line, f"{field} must be a whole number above 0, not {node.kind}.", f"Write {field}: 10.")
        return None

    def number(self, field: str) -> float | None:
        """A number above zero."""
        node = self.node(field)
        if node is None:
            return None
        value = node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 and math.isfinite(value):
            return float(value)
        self._log.error(node.line, f"{field} must be a number above 0, not {node.kind}.", f"Write {field}: 10.")
        return None

    def words(self, field: str) -> list[Word] | None:
        """A list of words, or words with commas between them."""
        node = self.node(field)
        if node is None:
            return None
        if isinstance(node.value, dict):
            self._log.error(node.line, f"{field} must be a list, not a map.", f"Write {field}: one, two.")
            return None
        items = node.value if isinstance(node.value, tuple) else (node,)
        found: list[Word] = []
        for item in items:
            if isinstance(item.value, (tuple, dict)) or item.value is None:
                kind = "nothing" if item.value is None else item.kind
                self._log.error(item.line, f"{field} must hold words, not {kind}.", "Write one word in each entry.")
            else:
                found.extend(Word(part, item.line) for part in split_words(item.text))
        if len(found) > MAX_WORDS:
            self._log.error(node.line, f"{field} has {len(found):,} entries, {MAX_WORDS} are allowed.", "Shorten it.")
            return None
        return found


def split_words(text: str) -> Iterator[str]:
    """The parts between the commas; a comma inside parentheses belongs to its part."""
    depth = start = 0
    for at, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(depth - 1, 0)
        elif character == "," and depth == 0:
            if part := text[start:at].strip():
                yield part
            start = at + 1
    if part := text[start:].strip():
        yield part
