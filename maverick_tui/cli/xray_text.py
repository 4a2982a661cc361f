"""The X-ray of an agent as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from maverick_tui.agent.xray import XRay
from maverick_tui.agent.xray_rows import SOURCES, XRayRow, prompt, rows
from maverick_tui.cli.layout import wrap, wrap_document
from maverick_tui.cli.table import display_path, problem_lines
from maverick_tui.inert import one_line

_LABEL = 10
_OF_ONE = {"inputs": "input", "servers": "server", "hooks": "hook", "alone": ""}
"""Each has a line of its own here, so each is called by what one of them is."""


def xray_lines(view: XRay) -> Iterator[str]:
    """Everything about the agent, the prompt last."""
    listing = view.listing
    name = one_line(listing.name)
    yield from wrap(name)
    yield from wrap(one_line(listing.description) or "(no description)", "  ", "  ")
    yield ""
    yield from _line("form", [f"{listing.form}, from {SOURCES[listing.source]}"])
    yield from _line("file", [display_path(str(listing.path)) if listing.path else one_line(listing.module)])
    for row in rows(view, untrusted=f"NOT TRUSTED: read the file, then run maverick agents trust {name}"):
        yield from _line(_OF_ONE.get(row.label, row.label), _words(row))
    yield ""
    yield "prompt"
    yield from wrap_document(prompt(view), "  ")
    if view.problems:
        yield ""
        yield "! problems"
        yield from problem_lines(view.problems)


def _line(label: str, words: list[str]) -> Iterator[str]:
    yield from wrap(words, f"{label:<{_LABEL}}", " " * _LABEL)


def _words(row: XRayRow) -> list[str]:
    """What may stand on different lines; a tool stays in one piece."""
    found = [f"{row.name}:" if row.label else row.name] if row.name else []
    for part, following in zip_longest(row.parts, row.parts[1:]):
        text = f"{part.text} ({part.note})" if part.note else part.text
        if part.role == "intro":
            text += ":"
        elif following and {part.role, following.role} <= {"text", "tool"} and not text.endswith(";"):
            text += ","
        found += [text] if part.role == "tool" else text.split()
    return found
