"""Plain tables for the terminal; every text from a file is made inert here."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.discovery import Catalog
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.problems import Problem
    from maverick_tui.agent.catalog.trust import TrustStore

_HEADINGS = {"project": "Project", "user": "User", "package": "Packages", "shipped": "Maverick"}
_FORMS = {"markdown": "md", "python": "py", "package": "pkg"}
_COLUMNS = ("  ", "NAME", "FORM", "MODEL", "TOOLS", "DESCRIPTION")
_WIDEST = (2, 28, 4, 18, 5)


def terminal_width() -> int:
    """The columns that there are; as many as it takes if nobody looks at a terminal."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return max(shutil.get_terminal_size().columns, 40)
    return 10_000


def display_path(path: str) -> str:
    """The path as it is best read: below the working directory, or below the home directory."""
    for folder, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        if Path(path).is_relative_to(folder):
            return one_line(f"{prefix}{Path(path).relative_to(folder)}")
    return one_line(path)


def catalog_lines(catalog: Catalog, store: TrustStore) -> Iterator[str]:
    """The agents by source, and below them what is wrong."""
    if catalog.agents:
        rows = [_cells(agent, store) for agent in catalog.agents]
        table = _align([_COLUMNS, *rows], terminal_width())
        yield next(table)
        for heading, group in groupby(catalog.agents, key=_heading):
            yield f"\n{heading}"
            yield from (next(table) for _ in group)
        marks = {row[0] for row in rows}
        if any("*" in mark for mark in marks):
            yield "\n* not trusted yet: read the file, then run maverick agents trust NAME"
    else:
        yield "There are no agents."
    if catalog.shadowed:
        yield "\nHidden by nearer ones of the same name"
        yield from (f"   {one_line(agent.name)}  {_origin(agent)}" for agent in catalog.shadowed)
    if catalog.problems:
        yield f"\n! {problem_summary(catalog)}"
        yield from problem_lines(catalog.problems)


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Each problem with its place, on as many lines as it needs."""
    for problem in problems:
        where = display_path(problem.path) + (f":{problem.line}" if problem.line else "")
        text = f"{where}: {problem.severity}: {one_line(problem.message)} {one_line(problem.hint)}".rstrip()
        yield from textwrap.wrap(
            text, terminal_width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )


def problem_summary(catalog: Catalog) -> str:
    """How many files were checked, and what came of it."""
    failures = sum(problem.is_error for problem in catalog.problems)
    warnings = len(catalog.problems) - failures
    counts = [_count(failures, "error"), _count(warnings, "warning")] if catalog.problems else ["no problems"]
    return f"{_count(catalog.checked, 'file')} checked: {', '.join(counts)}."


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _heading(agent: AgentListing) -> str:
    folder = "" if agent.form == "package" or agent.path is None else display_path(str(agent.path.parent))
    return f"{_HEADINGS[agent.source]}  {folder}".rstrip()


def _origin(agent: AgentListing) -> str:
    return display_path(str(agent.path)) if agent.path else one_line(agent.module)


def _cells(agent: AgentListing, store: TrustStore) -> tuple[str, ...]:
    return (
        ("!" if agent.problems else "") + ("*" if agent.needs_trust and not _is_trusted(agent, store) else ""),
        one_line(agent.name),
        _FORMS[agent.form],
        one_line(agent.model or "-"),
        "?" if agent.tools is None else str(len(agent.tools)),
        one_line(agent.description),
    )


def _is_trusted(agent: AgentListing, store: TrustStore) -> bool:
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.exceptions import ConfigError

    try:
        files = prepare(agent).to_trust
    except ConfigError:
        return False
    return all(store.is_trusted(path, content) for path, content in files)


def _align(rows: Iterable[tuple[str, ...]], width: int) -> Iterator[str]:
    rows = list(rows)
    widths = [min(most, max(display_width(row[column]) for row in rows)) for column, most in enumerate(_WIDEST)]
    for row in rows:
        cells = [pad(cut(cell, size), size) for cell, size in zip(row, widths, strict=False)]
        start = "  ".join(cells)
        yield f"{start}  {cut(row[-1], max(width - display_width(start) - 2, 8))}".rstrip()


def display_width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The text, or as much of its beginning as fits, with an ellipsis."""
    if display_width(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def pad(text: str, width: int) -> str:
    """The text with spaces up to that width."""
    return text + " " * (width - display_width(text))
