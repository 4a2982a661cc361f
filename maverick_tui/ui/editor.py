"""The person's own editor: which it is, and how it gets the terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App


def editor_command() -> list[str]:
    """The command of `$VISUAL` or `$EDITOR`; empty if there is none."""
    try:
        return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    except ValueError:
        return []


@contextmanager
def handed_over(app: App[object]) -> Iterator[None]:
    """Leave the terminal to somebody else. `App.suspend` alone would not take it back after an error."""
    failure: BaseException | None = None
    with app.suspend():
        try:
            yield
        except BaseException as error:  # raised again when the terminal is ours
            failure = error
    if failure is not None:
        raise failure
