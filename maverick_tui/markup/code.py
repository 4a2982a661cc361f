"""Code: the language it is in, its lexer by Pygments, and what its parts are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Protocol, TypeAlias

_LONGEST_LINE = 2_000  # minified files, whose lines cost lexers seconds
_MOST_CHARACTERS = 100_000  # more than two thousand lines

ROLES = {
    "comment": ("Comment",),
    "keyword": ("Keyword", "Operator.Word", "Name.Builtin.Pseudo"),
    "constant": ("Keyword.Constant", "Literal.Number", "Name.Constant", "Literal"),
    "string": ("Literal.String",),
    "escape": ("Literal.String.Escape", "Literal.String.Interpol", "Literal.String.Regex"),
    "function": ("Name.Function", "Name.Decorator"),
    "type": ("Name.Class", "Name.Exception", "Keyword.Type"),
    "builtin": ("Name.Builtin", "Name.Attribute", "Name.Variable"),
    "tag": ("Name.Tag", "Name.Label", "Name.Entity"),
    "removed": ("Generic.Deleted", "Generic.Error", "Generic.Traceback"),
    "added": ("Generic.Inserted",),
    "heading": ("Generic.Heading", "Generic.Subheading", "Generic.Strong"),
    "quiet": ("Generic.Prompt", "Generic.Output", "Comment.Preproc", "Comment.Hashbang"),
}
"""What is coloured alike, by the names of Pygments' token types."""

TokenType: TypeAlias = tuple[str, ...]


class Lexer(Protocol):
    """What is used of a lexer of Pygments, whose package has no types."""

    name: str

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, TokenType, str]]:
        """Positions, token types and the pieces of a text."""
        ...


@cache
def _roles() -> dict[TokenType, str]:
    return {tuple(name.split(".")): role for role, names in ROLES.items() for name in names}


@cache
def role_of(kind: TokenType) -> str:
    """The role of a token type, or of the nearest type above it that has one; empty for plain text."""
    known = _roles()
    return next((known[kind[:end]] for end in range(len(kind), 0, -1) if kind[:end] in known), "")


def lexer_for(lines: Sequence[str], language: str = "", *, path: str = "") -> Lexer | None:
    """The lexer of these lines, by their language or the name of their file; none for more than anybody reads.

    How long it takes nobody knows before: `lexing` has it stop.
    """
    size = sum(map(len, lines)) + len(lines)
    if not (language or path) or not any(lines) or size > _MOST_CHARACTERS or max(map(len, lines)) > _LONGEST_LINE:
        return None
    return lexer_of(language) if language else lexer_of_file(path.rpartition("/")[2])


def language_of(info: str) -> str:
    """The language that a fence names: its first word, without what some models put around or behind it."""
    word = info.split(maxsplit=1)[0] if info.strip() else ""
    return word.strip("{}.").partition(":")[0].partition(",")[0].lower()


@lru_cache(64)
def lexer_of(language: str) -> Lexer | None:
    """The lexer of a language, if there is one."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer: Lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return None
    return lexer if lexer.name != "Text only" else None


@lru_cache(64)
def lexer_of_file(name: str) -> Lexer | None:
    """The lexer of a file, by its name alone, if there is one."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer: Lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        return None
    return lexer if lexer.name != "Text only" else None
