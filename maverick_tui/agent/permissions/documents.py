"""A document as a word: `"$(cat <<'EOF' ...)"`, which is how Claude Code writes a message of several lines.

Nothing is expanded in it and nothing runs but `cat`, so it is as plain as a text in quotes.
"""

from __future__ import annotations

import re

_WORD = re.compile(
    r"""
    "\$\(cat[ ]<<[ ]?(?P<quote>'?)(?P<mark>[A-Za-z_][A-Za-z0-9_]*)(?P=quote)\n
    (?P<body>(?:[^\x00-\x08\x0a-\x1f\x7f]*\n)*?)
    (?P=mark)\n[ \t]*\)"
    """,
    re.VERBOSE,
)
_EXPANDED = re.compile(r"[$`\\]")
"""What a shell puts something else in place of, unless the mark is quoted."""
_PAIR = re.compile(r"""(?<!\\)\([^()'"`\\$\#\n]*\)""")
"""Parentheses of which no shell sees only one: nothing between them begins or ends a quote or a comment."""


def text_of(word: str, behind: str) -> str | None:
    """The text of a word that is a document; None if it is none, or if a shell could read it otherwise.

    Old shells (bash 3.2, which macOS has) look for the end of `$(...)` without knowing of documents: by parentheses,
    and by quotes, which an apostrophe may open. So no `)` stands there alone, nor `behind` the word in its command:
    such a shell finds the same end as others, or none, and then it runs nothing. And to bash 5.2 a document ends within
    `$(...)` at a line that only begins with its mark, if a `)` follows there, and it runs the rest: so the mark is
    nowhere in it.
    """
    found = _WORD.fullmatch(word)
    if found is None or ")" in behind:
        return None
    body = found["body"]
    is_expanded = not found["quote"] and _EXPANDED.search(body) is not None
    if is_expanded or "\\\n" in body or ")" in _PAIR.sub("", body) or found["mark"] in body:
        return None
    return body.rstrip("\n")


def without_documents(command: str) -> str:
    """A command without the lines of such words."""
    return _WORD.sub('""', command)
