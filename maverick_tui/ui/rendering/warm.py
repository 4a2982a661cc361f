"""Loads what the first answer will need, so that nobody waits for it: the parser, lexers of common languages."""

from __future__ import annotations

from time import sleep

from maverick_tui.inert import inert
from maverick_tui.ui.rendering import grammar, quick_inline
from maverick_tui.ui.rendering.code import lexer_of

LANGUAGES = (
    "python",
    "bash",
    "diff",
    "json",
    "javascript",
    "typescript",
    "yaml",
    "toml",
    "html",
    "css",
    "sql",
    "go",
    "rust",
)


def warm() -> None:
    """Load them; half a second's work for a thread, after the first frame."""
    inert("é")
    quick_inline.read("a")
    grammar.blocks("a")
    grammar.inline("*a*")
    for language in LANGUAGES:
        lexer_of(language)
        sleep(0.005)  # keys first
