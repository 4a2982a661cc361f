"""What `maverick agents` tells: the table of agents, what is wrong with them, and the X-ray of one; all of it inert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from maverick_tui import paths
from maverick_tui.cli.layout import count, cut, display_path, pad, terminal_width, with_short_paths, wrap, wrap_document
from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.discovery import Catalog
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.problems import Problem
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.xray import XRay
    from maverick_tui.agent.xray_rows import XRayRow

_HEADINGS = {"project": "PROJECT", "user": "YOURS", "package": "PACKAGES", "shipped": "SHIPPED"}
_HIDDEN = ("HIDDEN", "by nearer ones of the same name")
_FORMS = {"markdown": "md", "python": "py", "package": "pkg"}
_COLUMNS = ("  ", "NAME", "FORM", "MODEL", "TOOLS", "DESCRIPTION")
_WIDEST = (2, 28, 4, 18, 5)
_NAME, _FORM, _MODEL, _TOOLS = 1, 2, 3, 4
_LEAST = 12
"""Columns that a description needs to be of use."""
_FEW = 3
"""Problems that a list of agents shows."""
_LABEL = 10
_OF_ONE = {"inputs": "input", "servers": "server", "hooks": "hook", "alone": ""}
"""Each has a line of its own here, so each is called by what one of them is."""


def catalog_lines(catalog: Catalog, store: TrustStore) -> Iterator[str]:
    """The agents by source, and below them what is wrong."""
    groups: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for agent in catalog.agents:
        groups.setdefault(_heading(agent), []).append((_marks(agent, store), *_cells(agent, agent.description)))
    if catalog.shadowed:
        groups[_HIDDEN] = [("", *_cells(agent, _origin(agent))) for agent in catalog.shadowed]
    if groups:
        table = _align([_COLUMNS, *(row for rows in groups.values() for row in _by_name(rows))], terminal_width())
        yield next(table)
        for (title, folder), rows in groups.items():
            yield ""
            yield from wrap(folder, f"{title}  ", "    ")
            yield from (next(table) for _ in rows)
        if any("*" in row[0] for rows in groups.values() for row in rows):
            yield ""
            yield from wrap("* not trusted yet: read the file, then run maverick agents trust NAME", rest="  ")
        if notes := list(stand_in_lines(catalog)):
            yield ""
            yield from notes
    else:
        yield "There are no agents."
    if catalog.problems:
        yield ""
        yield from wrap(f"! {problem_summary(catalog)}", rest="  ")
        yield from problem_lines(sorted(catalog.problems, key=lambda problem: not problem.is_error)[:_FEW])
        if (more := len(catalog.problems) - _FEW) > 0:
            yield from wrap(f"... and {more} more: run maverick agents check", rest="    ")


def _by_name(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return sorted(rows, key=lambda row: row[_NAME])


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Each problem with its place, on as many lines as it needs."""
    for problem in problems:
        where = display_path(problem.path) + (f":{problem.line}" if problem.line else "")
        text = one_line(with_short_paths(f"{problem.message} {problem.hint}"))
        yield from wrap(f"{where}: {problem.severity}: {text}", rest="    ")


def stand_in_lines(catalog: Catalog) -> Iterator[str]:
    """Which agents take the place of others, or look as if they did: not wrong, but worth knowing."""
    for agent in catalog.agents:
        if agent.beware:
            where = display_path(str(agent.path)) if agent.path else one_line(agent.module)
            yield from wrap(f"{where}: note: {one_line(agent.name)} {agent.beware}", rest="    ")


def problem_summary(catalog: Catalog) -> str:
    """How many files were checked, and what came of it."""
    failures = sum(problem.is_error for problem in catalog.problems)
    warnings = len(catalog.problems) - failures
    counts = [count(failures, "error"), count(warnings, "warning")] if catalog.problems else ["no problems"]
    return f"{count(catalog.checked, 'file')} checked: {', '.join(counts)}."


def _heading(agent: AgentListing) -> tuple[str, str]:
    title = _HEADINGS[agent.source]
    if agent.form == "package" or agent.path is None:
        return title, ""
    folder = agent.path.parent
    if agent.source == "shipped":
        # The same in a checkout and in an installation, whose whole path is long and of no use.
        return title, Path("maverick_tui/agents", folder.relative_to(paths.shipped("agents"))).as_posix()
    return title, display_path(str(folder))


def _origin(agent: AgentListing) -> str:
    return display_path(str(agent.path)) if agent.path else agent.module


def _marks(agent: AgentListing, store: TrustStore) -> str:
    return ("!" if agent.problems else "") + ("*" if agent.needs_trust and not _is_trusted(agent, store) else "")


def _cells(agent: AgentListing, text: str) -> tuple[str, ...]:
    return (
        one_line(agent.name),
        _FORMS[agent.form],
        one_line(agent.model or "-"),
        "?" if agent.tools is None else str(len(agent.tools)),
        one_line(text),
    )


def _is_trusted(agent: AgentListing, store: TrustStore) -> bool:
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.exceptions import ConfigError

    try:
        files = prepare(agent).to_trust
    except ConfigError:
        return False
    return all(store.is_trusted(path, content) for path, content in files)


def _align(rows: list[tuple[str, ...]], width: int) -> Iterator[str]:
    widths = [min(most, max(cell_len(row[column]) for row in rows)) for column, most in enumerate(_WIDEST)]
    widths[_NAME] = min(widths[_NAME], width // 2)
    kept = list(range(len(_WIDEST)))
    if all(row[_MODEL] == "-" for row in rows[1:]):
        kept.remove(_MODEL)
    for column in (_FORM, _MODEL, _TOOLS):
        if column in kept and width - sum(widths[each] + 2 for each in kept) < _LEAST:
            kept.remove(column)
    for row in rows:
        start = "".join(f"{pad(cut(row[column], widths[column]), widths[column])}  " for column in kept)
        yield f"{start}{cut(row[-1], width - cell_len(start))}".rstrip()


def xray_lines(view: XRay, more: Iterable[XRayRow] = ()) -> Iterator[str]:
    """Everything about the agent, with `more` rows that others know, the prompt last."""
    from maverick_tui.agent.xray_rows import SOURCES, prompt, rows

    listing = view.listing
    name = one_line(listing.name)
    yield from wrap(name)
    yield from wrap(one_line(listing.description) or "(no description)", "  ", "  ")
    yield ""
    yield from _line("form", [f"{listing.form}, from {SOURCES[listing.source]}"])
    yield from _line("file", [display_path(str(listing.path)) if listing.path else one_line(listing.module)])
    untrusted = f"NOT TRUSTED: read the file, then run maverick agents trust {name}"
    for row in (*rows(view, untrusted), *more):
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
