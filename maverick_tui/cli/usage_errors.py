"""What is said of a command line that cannot be used: it repeats words of it, which may be names of hostile files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typer.core import TyperGroup
from typer.exceptions import TyperException

from maverick_tui.inert import inert


class InertErrors(TyperGroup):
    """The commands; no word of theirs that is said again steers the terminal."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Read what stands before the command."""
        with _inert():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: Any) -> Any:
        """Read the command's own words, and do it."""
        with _inert():
            return super().invoke(ctx)


@contextmanager
def _inert() -> Iterator[None]:
    try:
        yield
    except TyperException as raised:
        error: Any = raised
        if hasattr(error, "format_message"):
            # Where typer has pydantic read a word, that says first what kind of mistake it is.
            told = inert(error.format_message().replace(": Value error, ", ": ", 1))
            error.format_message = lambda: told
        raise
