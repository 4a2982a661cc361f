"""Takes a Markdown file apart: the fields of its front matter, each value with its line, and the body."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.catalog.problems import Problem, ProblemLog, Severity
from maverick_tui.agent.catalog.yaml_nodes import Duplicate, Node, NotYaml, YamlRefused, read_yaml
from maverick_tui.agent.fields import Field
from maverick_tui.exceptions import did_you_mean

MAX_CHARACTERS = 64_000
"""Longest front matter that is read; the body may be longer."""

MAX_FIELDS = 50
MAX_WORDS = 200
"""Most fields of a file, and most entries of a list."""

_FENCE = "---"
_BARE_WITH_COLON = re.compile(
    r"^(?P<key>[A-Za-z][\w-]*):[ \t]+(?P<value>[^\s\"'|>\[{&*!#].*:(?:[ \t].*)?)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields by name, the text below them and the line that text starts on."""

    fields: dict[str, Node]
    body: str
    body_line: int


def read_front_matter(path: Path, content: bytes) -> tuple[FrontMatter | None, list[Problem]]:
    """The parts of the file, and what is wrong with it; None if it has no usable fields."""

    def refuse(line: int | None, message: str, hint: str, severity: Severity = "error") -> Problem:
        return Problem(str(path), line, message, hint, severity)

    text = _decode(content)
    if isinstance(text, tuple):
        return None, [refuse(*text)]
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        # Folders of agents often hold a note about them, which is not an agent and does no harm.
        severity: Severity = "warning" if path.stem.lower() == "readme" else "error"
        return None, [refuse(1, "Has no front matter, so it is not an agent.", _opening_hint(lines), severity)]
    end = next((i for i, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        return None, [refuse(1, "Has front matter that is never closed.", "Put a line with --- below the fields.")]
    header = "\n".join(lines[1:end])
    if len(header) > MAX_CHARACTERS:
        message = f"Has front matter of {len(header):,} characters, {MAX_CHARACTERS:,} are allowed."
        return None, [refuse(1, message, "Move the text below the front matter.")]
    problems: list[Problem] = []
    try:
        try:
            root, duplicates = read_yaml(header, first_line=2)
        except NotYaml as mistake:
            root, duplicates = _read_after_quoting(header, mistake)
            message = "Has a value with a colon that is not quoted; it is read as text."
            problems.append(refuse(mistake.line, message, mistake.hint, "warning"))
    except YamlRefused as refusal:
        return None, [refuse(refusal.line, refusal.message, refusal.hint)]
    problems += [
        refuse(
            again.line,
            f"Has the field {again.key!r} twice, first on line {again.first_line}.",
            "Remove one of them.",
        )
        for again in duplicates
    ]
    fields = {} if root.value is None else root.value
    if not isinstance(fields, dict):
        message = f"Has front matter that is {root.kind}, not a map."
        return None, [refuse(root.line, message, "Write it as lines of `field: value`.")]
    if len(fields) > MAX_FIELDS:
        return None, [refuse(1, f"Has {len(fields):,} fields, {MAX_FIELDS} are allowed.", "Remove what is not needed.")]
    body = "\n".join(lines[end + 1 :])
    blank = len(body) - len(body.lstrip("\n"))
    start = end + 2 + (blank if body.strip() else 0)
    # Without a body it is the last line there is.
    return FrontMatter(fields, body.strip("\n"), start if body else end + 1), problems


def _read_after_quoting(header: str, mistake: NotYaml) -> tuple[Node, list[Duplicate]]:
    """Read it as Claude Code does, which writes such descriptions itself: a value with a colon is text."""
    quoted = _BARE_WITH_COLON.sub(
        lambda found: f"{found['key']}: {json.dumps(found['value'], ensure_ascii=False)}", header
    )
    if quoted == header:
        raise mistake
    try:
        return read_yaml(quoted, first_line=2)
    except YamlRefused:
        raise mistake from None


def _decode(content: bytes) -> str | tuple[int, str, str]:
    """The text with plain line ends, or line, message and hint of a problem."""
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return line, f"Is not UTF-8: byte {error.start} is 0x{content[error.start]:02X}.", "Save the file as UTF-8."
    if "\0" in text:
        return text.count("\n", 0, text.index("\0")) + 1, "Holds a NUL byte.", "Remove it; is this a text file?"
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _opening_hint(lines: list[str]) -> str:
    if next((line.rstrip() for line in lines if line.strip()), "") == _FENCE:
        return "Move the --- to the first line."
    return "Start it with a line ---, then name: and description:, then --- again; or move it to another folder."


class WordAt(NamedTuple):
    """One entry of a list, and its line."""

    text: str
    line: int


class FieldValues:
    """The fields of one file by name, and the log that mistakes go to."""

    def __init__(self, fields: dict[str, Node], log: ProblemLog) -> None:
        self._fields = fields
        self._log = log

    def read(self, field: Field) -> object | None:
        """The value as the attribute of a class would have it."""
        name, kind = field.markdown, field.kind
        if kind.choices:
            return self.choice(name, kind.choices)
        if kind.shape == "text":
            return self.text(name)
        if kind.shape == "words":
            return tuple(word.text for word in self.words(name) or ()) or None
        node = self.node(name)
        if node is None:
            return None
        value = node.to_json()
        if kind.fits(value):
            return float(value) if kind.is_float and isinstance(value, int) else value
        if kind.shape == "map" and isinstance(value, dict):  # it is one, of something else
            self._log.error(node.line, f"{name} must be {kind.wanted}.", f"Write {name}: {kind.example}.")
            return None
        is_map = kind.shape == "map"
        hint = f"Write the fields of {name} below it." if is_map else f"Write {name}: {kind.example}."
        self._log.error(node.line, f"{name} must be {'a map' if is_map else kind.wanted}, not {node.kind}.", hint)
        return None

    def node(self, field: str) -> Node | None:
        """The field's value as it is; a field without a value is reported and not given."""
        node = self._fields.get(field)
        if node is not None and node.value is None:
            self._log.warning(node.line, f"{field} has no value, so it has no effect.", "Give it one, or remove it.")
            return None
        return node

    def text(self, field: str) -> str | None:
        """Text, even if YAML takes it for a number or a truth value."""
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

    def words(self, field: str) -> list[WordAt] | None:
        """A list of words, or words with commas between them."""
        node = self.node(field)
        if node is None:
            return None
        if isinstance(node.value, dict):
            self._log.error(node.line, f"{field} must be a list, not a map.", f"Write {field}: one, two.")
            return None
        items = node.value if isinstance(node.value, tuple) else (node,)
        found: list[WordAt] = []
        for item in items:
            if isinstance(item.value, (tuple, dict)) or item.value is None:
                kind = "nothing" if item.value is None else item.kind
                self._log.error(item.line, f"{field} must hold words, not {kind}.", "Write one word in each entry.")
            else:
                found.extend(WordAt(part, item.line) for part in split_words(item.text))
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
