"""The X-ray as lines: what an agent is and may do, then its whole prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.lines.wrapping import Line, Span, cut, wrap, wrap_document
from maverick_tui.ui.picker.items import GLYPHS, Item
from maverick_tui.ui.short_names import short_path

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.problems import Problem
    from maverick_tui.agent.xray import Resolved, XRay

LABEL = 9

_TRUST: dict[str, Span] = {
    "not needed": ("not needed", "muted"),
    "trusted": ("✔ trusted, as long as the file does not change", "success"),
    "not trusted": (f"{GLYPHS['untrusted']} untrusted: you are shown the file and asked before it runs", "warning"),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What the X-ray is of: a row of the list, and what was found out about its agent."""

    item: Item
    view: XRay | None
    cwd: Path
    hides: Sequence[AgentListing] = ()

    def lines(self, width: int) -> list[Line]:
        """Everything there is to say, in lines of at most this width."""
        return list(_agent(self, self.view, width) if self.view else _file(self, width))


def _agent(subject: Subject, view: XRay, width: int) -> Iterator[Line]:
    from maverick_tui.agent import xray_words as words

    listing = view.listing
    yield from _head(subject.item, _where(listing, subject.cwd), width)
    yield from _text(one_line(listing.description) or "(no description)", "text", width)
    yield ()
    yield from _problems(view.problems, width)
    if view.engine != "claude-code":
        yield from _field("engine", ((one_line(view.engine), "text"),), width)
        yield from _fields("", [(one_line(name), one_line(text)) for name, text in view.api_settings], width)
    yield from _field("model", _resolved(words.resolved(view.model), view.model), width)
    yield from _field("mode", _resolved(words.resolved(view.permission_mode), view.permission_mode), width)
    yield from _field("may", _may(view), width)
    yield from _field("asks", _asks(view), width)
    yield from _field("limits", [(words.limit(name, limit), "text") for name, limit in view.limits.items()], width)
    yield from _fields("inputs", [(spec.name, words.declared(spec)) for spec in view.inputs], width)
    yield from _fields("servers", words.servers(view), width)
    yield from _fields("hooks", [("", hook) for hook in words.hooks(view)], width)
    for label in ("effort", "skills"):
        if value := view.settings.get(label):
            yield from _field(label, [(words.plain(value), "text")], width)
    yield from _field("trust", [_TRUST[view.trust]], width)
    if listing.beware:
        yield from _field("beware", [(listing.beware, "warning" if listing.source == "project" else "muted")], width)
    if subject.hides:
        others = [(f"{listing.name} of {words.SOURCES[other.source]}", "warning") for other in subject.hides]
        yield from _field("hides", others, width)
    if view.unknown:
        yield from _field("unknown", [(f"{', '.join(view.unknown)}: only running the file would tell", "muted")], width)
    yield from _prompts(view, width)


def _file(subject: Subject, width: int) -> Iterator[Line]:
    """What no agent could be read from, or not yet: the row itself, and what is wrong."""
    item = subject.item
    yield from _head(item, short_path(item.path, subject.cwd) if item.path else "", width)
    yield from _text(item.description, "text", width) if item.description else ()
    yield ()
    yield from _problems(item.problems, width)


def _head(item: Item, where: str, width: int) -> Iterator[Line]:
    name = cut(item.name, width)
    gap = width - cell_len(name) - cell_len(where)
    if gap >= 2:
        yield (name, "accent"), (" " * gap, "text"), (where, "muted")
    else:
        yield ((name, "accent"),)
        yield from _text(where, "muted", width)


def _where(listing: AgentListing, cwd: Path) -> str:
    if listing.path is None:
        return one_line(f"{listing.module}:{listing.class_name}")
    # Where the package is installed says nothing about an agent that comes with it.
    is_shipped = listing.source == "shipped"
    where = f"shipped: {listing.path.name}" if is_shipped else short_path(listing.path, cwd.resolve())
    return where + (f":{listing.line}" if listing.line else "")


def _problems(problems: Iterable[Problem], width: int) -> Iterator[Line]:
    problem = None
    for problem in problems:
        where = f"line {problem.line}: " if problem.line else ""
        first, *rest = wrap(one_line(f"{where}{problem.message}"), width - 2)
        yield (f"{GLYPHS[problem.severity]} ", problem.severity), (first, problem.severity)
        yield from (((f"  {line}", problem.severity),) for line in rest)
        yield from (((f"  {line}", "muted"),) for line in wrap(one_line(problem.hint), width - 2) if line)
    if problem is not None:
        yield ()


def _field(label: str, spans: Iterable[Span], width: int) -> Iterator[Line]:
    """A label and values with gaps between them; of a value that is too long, the rest is below it."""
    room = max(width - LABEL, 8)
    lines: list[list[Span]] = [[]]
    used = 0
    for text, role in spans:
        first, *rest = wrap(text, room)
        if used and used + 2 + cell_len(first) > room:
            lines.append([])
            used = 0
        if used:
            lines[-1].append(("  ", "text"))
        lines[-1].append((first, role))
        lines += [[(line, role)] for line in rest]
        used = cell_len(rest[-1]) if rest else used + 2 * bool(used) + cell_len(first)
    for index, line in enumerate(lines):
        yield ((f"{'' if index else label:<{LABEL}}", "muted"), *line)


def _fields(label: str, pairs: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """One line or more for each pair, below one label."""
    for index, (name, text) in enumerate(pairs):
        start = f"{name}  " if name else ""
        room = max(width - LABEL - cell_len(start), 12)
        for nth, line in enumerate(wrap(text, room)):
            shown = label if index == nth == 0 else ""
            yield (
                (f"{shown:<{LABEL}}", "muted"),
                (start if nth == 0 else " " * cell_len(start), "accent"),
                (line, "text"),
            )


def _resolved(text: str, setting: Resolved) -> list[Span]:
    from maverick_tui.agent.xray_words import ORIGINS

    origin = ORIGINS[setting.origin]
    return [(text, "muted" if setting.origin == "unknown" else "text"), *([(f"({origin})", "muted")] if origin else [])]


def _may(view: XRay) -> list[Span]:
    from maverick_tui.agent.xray_words import NO_TOOLS, unlisted

    if view.may is None:
        return [(unlisted(view), "muted")]
    if not view.may:
        return [(NO_TOOLS, "muted")]
    tools: list[Span] = [(one_line(tool), "text") for tool in view.may]
    return tools if view.names_tools else [("all tools, as the file names none:", "muted"), *tools]


def _asks(view: XRay) -> list[Span]:
    from maverick_tui.agent.xray_words import asking

    groups: list[list[Span]] = []
    for before, tools, after in asking(view):
        spans: list[Span] = [
            (before, "muted" if tools or view.asks is None else "text"),
            *((tool, "text") for tool in tools),
            (after, "muted"),
        ]
        groups.append([span for span in spans if span[0]])
    for group in groups[:-1]:
        text, role = group[-1]
        group[-1] = (f"{text};", role)
    return [span for group in groups for span in group]


def _prompts(view: XRay, width: int) -> Iterator[Line]:
    from maverick_tui.agent.xray_words import UNKNOWN
    from maverick_tui.shown import shown

    declared = {spec.name for spec in view.inputs}
    for heading, setting in (("STARTS WITH", "initial_prompt"), ("PROMPT", "system_prompt")):
        text = view.settings.get(setting)
        if text is None and setting == "system_prompt":
            text = f"({UNKNOWN})" if setting in view.unknown else "(none)"
        if not text:
            continue
        yield ()
        yield ((heading, "strong"),)
        text = text if isinstance(text, str) else shown(text)
        for indent, line in wrap_document(inert(text), width):
            yield (indent, "text"), *_with_places(line, declared)


def _with_places(line: str, declared: set[str]) -> Iterator[Span]:
    """The line with the places that inputs will fill set apart."""
    role = "strong" if line.startswith("#") else "text"
    if "${" not in line or not declared:
        yield line, role
        return
    from maverick_tui.inputs import places

    at = 0
    for name, start, end in places(line):
        if name in declared:
            yield line[at:start], role
            yield line[start:end], "accent"
            at = end
    yield line[at:], role


def _text(text: str, role: str, width: int) -> Iterator[Line]:
    yield from (((line, role),) for line in wrap(text, width))
