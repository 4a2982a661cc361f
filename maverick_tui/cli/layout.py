"""Text for a terminal: paths made short, cut or wrapped by the columns that it takes, as a whole or as it comes in.

`cut`, `pad` and `wrap` are given text that is inert already; `Paper.line` and `Flow` make it so themselves.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len, split_graphemes

from maverick_tui.inert import InertStream, cut_at, inert, one_line
from maverick_tui.masking.redact import redact

_FENCES = ("```", "~~~")
_CODE = ("    ", "\t")
_START = re.compile(r" *(?:(?:[-*+]|\d+[.)]) +)?")
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "badge": "7"}
WIDEST = 100
"""Columns beyond which text gets hard to read."""

WIDEST_TITLE = 200
"""Columns of a run's title in a list that nobody's terminal cuts: it may be a prompt of many pages."""

_PIECE = re.compile(r"\n| +|[^ \n]+")
_MARKER = re.compile(r"[-*+]|\d+[.)]")
_MARKUP = re.compile(r"(`|\*\*)")


def terminal_width() -> int:
    """The columns that there are; as many as it takes if nobody looks at a terminal."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return max(shutil.get_terminal_size().columns, 40)
    return 10_000


def can_show(text: str) -> bool:
    """Whether standard output has these characters in its encoding."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:
        return False
    return True


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    return text[: _fitting(text, width - 1)].rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text with spaces up to that width."""
    return text + " " * (width - cell_len(text))


def count(number: int, thing: str) -> str:
    """How many there are: `1 file`, `2 files`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _fitting(text: str, width: int) -> int:
    """How many characters fit."""
    used, looked_at = 0, text[: 2 * max(width, 0) + 8]  # more cannot fit, but for what is drawn on top of others
    for start, _, cells in split_graphemes(looked_at)[0]:
        used += cells
        if used > width:
            return cut_at(text, start)
    return cut_at(text, len(looked_at))


def wrap(words: str | Iterable[str], first: str = "", rest: str = "", width: int | None = None) -> list[str]:
    """The words on lines that start with `first` and then with `rest`; a word that is longer than a line is broken."""
    width = width or terminal_width()
    lines, line, gap = [], first, ""
    for word in words.split() if isinstance(words, str) else words:
        if gap and cell_len(line + gap + word) > width:
            lines.append(line)
            line, gap = rest, ""
        while cell_len(line + gap + word) > width:
            size = max(_fitting(word, width - cell_len(line)), 1)
            lines.append(line + word[:size])
            line, word = rest, word[size:]  # noqa: PLW2901 - what is left of it
        line, gap = line + gap + word, " "
    return [*lines, line.rstrip()]


def wrap_document(text: str, indent: str) -> Iterator[str]:
    """Markdown with its paragraphs wrapped, list items below their beginning; code and tables stay as they are."""
    is_fenced = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(_FENCES)
        if is_fence or is_fenced or line.startswith(_CODE) or line.lstrip().startswith("|"):
            yield f"{indent}{line}".rstrip()
        else:
            start = _START.match(line)
            marker = start[0] if start else ""
            yield from wrap(line[len(marker) :], f"{indent}{marker}", indent + " " * len(marker))
        is_fenced ^= is_fence


def display_path(path: str) -> str:
    """The path as it is best read: below the working directory, or below the home directory."""
    return "." if path == _folder(Path.cwd) else one_line(with_short_paths(path))


def with_short_paths(text: str) -> str:
    """The text with the paths in it made relative to the working directory, or to the home directory."""
    for folder, short in ((_folder(Path.cwd), ""), (_folder(Path.home), "~/")):
        if folder not in ("", "/"):
            text = re.sub(rf"(?<![\w./~-]){re.escape(folder)}/", short, text)
    return text


def _folder(get: Callable[[], Path]) -> str:
    try:
        return str(get())
    except (OSError, RuntimeError):  # it is gone, or nobody knows it
        return ""


def say_error(message: str, hint: str, stream: TextIO) -> None:
    """Say what is wrong, and what to do next; secrets are masked, and paths short."""
    lines = [one_line(line) for line in redact(with_short_paths(message)).splitlines() if line.strip()]
    print("maverick: " + "\n  ".join(lines), file=stream)
    if hint:
        print(f"  {one_line(redact(with_short_paths(hint)))}", file=stream)


class Paper:
    """A stream to write on. A style is put on and taken off in one write, so that nothing is left switched on."""

    def __init__(self, stream: TextIO, width: int, *, is_recorded: bool = False) -> None:
        """`is_recorded` is for a terminal that will show it later, and of which nothing is known but its width."""
        self.stream = stream
        self.frame = max(min(width, WIDEST), 20)
        """Columns of what has to end somewhere: rules and frames."""
        self.width = self.frame if is_recorded or stream.isatty() else max(width, 20)
        """Columns at which text is wrapped."""
        is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self._has_colour = is_recorded or (stream.isatty() and not is_plain)

    def dress(self, text: str, *styles: str) -> str:
        """The text in these styles, if the stream shows any; the text must be inert already."""
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m" if codes and text and self._has_colour else text

    def write(self, text: str) -> None:
        """Write it now."""
        self.stream.write(text)
        self.stream.flush()

    def line(self, *parts: str | tuple[str, ...]) -> None:
        """One line, cut to the width; a part is a text, or a text and its styles."""
        out, room = [], self.width
        for part in parts:
            text, *styles = (part,) if isinstance(part, str) else part
            if room <= 0 or not text:
                continue
            text = cut(inert(text), room)
            room -= cell_len(text)
            out.append(self.dress(text, *styles))
        self.write("".join(out).rstrip() + "\n")


class Flow:
    """One text that streams in: a word is written once it is complete. Code and tables are not wrapped."""

    def __init__(self, paper: Paper, *, prefix: str = "", styles: tuple[str, ...] = ()) -> None:
        self._paper = paper
        self._prefix = prefix
        self._styles = styles
        self._room = paper.width - cell_len(prefix)
        self._is_fenced = False
        self._raw = InertStream()
        self._begin_line()

    def _begin_line(self) -> None:
        self._word = ""
        self._gap = 0
        self._column = 0
        self._hang = 0
        self._is_first_word = True
        self._is_verbatim = False
        self._is_code = False
        self._is_bold = False
        self._line_styles = self._styles

    def feed(self, text: str) -> None:
        """Take the next piece of the text, as it came."""
        out: list[str] = []
        self._take(self._raw.feed(text), out)
        if out:
            self._paper.write("".join(out))

    def _take(self, text: str, out: list[str]) -> None:
        for piece in _PIECE.findall(text.replace("\t", "    ")):
            if piece == "\n":
                self._put_word(out)
                out.append("\n" if self._column else self._paper.dress(self._prefix.rstrip(), "dim") + "\n")
                self._begin_line()
            elif piece[0] == " ":
                self._put_word(out)
                self._gap += len(piece)
            else:
                self._word += piece

    def end(self) -> None:
        """Write what is left, and end the line."""
        out: list[str] = []
        self._take(self._raw.end(), out)
        self._put_word(out)
        if self._column:
            out.append("\n")
        self._begin_line()
        self._paper.write("".join(out))

    def _put_word(self, out: list[str]) -> None:
        if not (word := self._word):
            return
        self._word = ""
        if self._is_first_word:
            self._look_at(word)
        width = cell_len(word)
        if self._column and not self._is_verbatim and self._column + self._gap + width > self._room:
            out.append("\n")
            self._column, self._gap = 0, self._hang
        if self._column == 0:
            out.append(self._paper.dress(self._prefix, "dim"))
        out.append(" " * self._gap + self._dressed(word))
        self._column += self._gap + width
        self._gap = 0

    def _look_at(self, word: str) -> None:
        """What the line is, by its first word."""
        self._is_first_word = False
        is_fence = word.startswith("```")
        self._is_verbatim = is_fence or self._is_fenced or word.startswith("|")
        if is_fence:
            self._is_fenced = not self._is_fenced
        if is_fence or self._is_fenced:
            self._line_styles = ("dim",) if is_fence else ("cyan",)
        elif word.strip("#") == "":
            self._line_styles = ("bold",)
        self._hang = self._gap + (cell_len(word) + 1 if _MARKER.fullmatch(word) else 0)

    def _dressed(self, word: str) -> str:
        if self._line_styles:
            return self._paper.dress(word, *self._line_styles)
        out = []
        for part in _MARKUP.split(word):
            styles = ["cyan"] if self._is_code or part == "`" else []
            if part == "`":
                self._is_code = not self._is_code
            elif part == "**" and not self._is_code:
                self._is_bold = not self._is_bold
                styles = ["bold"]
            elif self._is_bold:
                styles.append("bold")
            out.append(self._paper.dress(part, *styles))
        return "".join(out)


def throw_output_away() -> None:
    """Else Python would try to write the rest once more when it ends, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
