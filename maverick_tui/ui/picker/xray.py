"""XRayPanel: looks into the highlighted agent in a thread, and shows what it is and may do, then its whole prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import work
from textual.timer import Timer

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.lines import Line, LineView, Span
from maverick_tui.ui.picker import reading
from maverick_tui.ui.picker.forecasts import read_forecasts
from maverick_tui.ui.picker.items import GLYPHS, About, Item
from maverick_tui.ui.rendering.wrap import cut, wrap_document, wrap_words
from maverick_tui.ui.short_names import short_path

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.problems import Problem
    from maverick_tui.agent.xray import XRay
    from maverick_tui.agent.xray_rows import XRayRow
    from maverick_tui.history.forecast import Forecast

SETTLED_AFTER = 0.06
"""Seconds that a row must stay highlighted before its agent is looked into."""
LABEL = 9

_UNTRUSTED = "untrusted: you are shown the file and asked before it runs"
_TRUST_GLYPHS = {"success": "✔ ", "warning": f"{GLYPHS['untrusted']} "}
_LAST = ("trust", "beware", "hides", "unknown")
_LEFT_OUT = ("alone", "start")
"""Who looks at the picker is there to be asked, and how the agent starts is said above its prompt."""


class XRayPanel(LineView):
    """What is shown stays until there is something else, so nothing flickers while the highlight moves."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        """`failed` hears why an agent could not be looked into."""
        super().__init__(id="xray")
        self._failed = failed
        self.cwd = Path("/")
        """Paths are shown as they are seen from here."""
        self._known: dict[str, XRay] = {}
        self._forecasts: dict[str, Forecast] | None = None
        """What agents are likely to cost; None until somebody has looked for it."""
        self._item: Item | None = None
        self._hides: Sequence[AgentListing] = ()
        self._shown = ""
        self._settling: Timer | None = None

    def forget(self) -> None:
        """Look into every agent again when it is next highlighted."""
        self._known.clear()
        self._forecasts = None
        self.workers.cancel_node(self)  # a look that is under way would bring back what is forgotten

    def look_at(self, item: Item | None, listing: AgentListing | None, hides: Sequence[AgentListing]) -> None:
        """Show the row's agent: at once if it is known, else when the row has stayed highlighted."""
        self._item = item
        if self._settling is not None:
            self._settling.stop()
        if item is None:
            self.show(lambda _: [])
            return
        if listing is None or item.agent in self._known:
            self._draw(item, hides)
        self._settling = self.set_timer(SETTLED_AFTER, lambda: self._settle(item, listing, hides))

    def _settle(self, item: Item, listing: AgentListing | None, hides: Sequence[AgentListing]) -> None:
        if listing is not None and item.agent not in self._known:
            self._look_into(item, listing, hides)
        if listing is not None and self._forecasts is None:
            self._forecasts = {}
            self._look_back()

    @work(exclusive=True, exit_on_error=False)
    async def _look_into(self, item: Item, listing: AgentListing, hides: Sequence[AgentListing]) -> None:
        try:
            self._known[item.agent] = await asyncio.to_thread(reading.read_xray, listing)
        except Exception as error:  # settings that are wrong, a list of trusted files that is broken
            self._failed(str(error))
        if self._item is not None and item.key == self._item.key:  # the row may have been read again meanwhile
            self._draw(self._item, hides)

    @work(exclusive=True, group="forecasts", exit_on_error=False)
    async def _look_back(self) -> None:
        """Learn what agents have cost; whatever is shown by then says so, too."""
        self._forecasts = await asyncio.to_thread(read_forecasts)
        if self._item is not None and self._item.agent in self._forecasts and self._item.agent in self._known:
            self._draw(self._item, self._hides)

    def _draw(self, item: Item, hides: Sequence[AgentListing]) -> None:
        self._hides = hides
        expected = (self._forecasts or {}).get(item.agent)
        subject = Subject(item, self._known.get(item.agent), self.cwd, hides, expected)
        self.show(subject.lines, keep_place=item.key == self._shown)
        self._shown = item.key


@dataclass(frozen=True, slots=True)
class Subject:
    """What the X-ray is of: a row of the list, and what was found out about its agent."""

    item: Item
    view: XRay | None
    cwd: Path
    hides: Sequence[AgentListing] = ()
    expected: Forecast | None = None
    """What a run of it is likely to cost."""

    def lines(self, width: int) -> list[Line]:
        """Everything there is to say, in lines of at most this width."""
        if self.item.about is not None:
            return list(_run(self.item, self.item.about, width))
        return list(_agent(self, self.view, width) if self.view else _file(self, width))


def _run(item: Item, about: About, width: int) -> Iterator[Line]:
    """A run in another process: what it was asked, how it stands, and what happened while nobody looked."""
    yield from _head(item, about.place, width)
    yield from _text(about.title or "(nothing was asked)", "text", width)
    yield ()
    for label, parts, role in about.facts:
        if label:
            yield from _field(label, ((part, role) for part in parts), width)
        else:
            yield ()
            yield ((parts[0], role), *((f"  {part}", "muted") for part in parts[1:]))


def _agent(subject: Subject, view: XRay, width: int) -> Iterator[Line]:
    from maverick_tui.agent.xray_rows import SOURCES, RowPart, XRayRow, rows

    listing = view.listing
    yield from _head(subject.item, _where(listing, subject.cwd), width)
    yield from _text(one_line(listing.description) or "(no description)", "text", width)
    yield ()
    yield from _problems(view.problems, width)
    found = [row for row in rows(view, _UNTRUSTED) if row.label not in _LEFT_OUT]
    if subject.expected is not None:
        found.append(subject.expected.row)
    if subject.hides:
        others = (RowPart(f"{listing.name} of {SOURCES[other.source]}", "warning") for other in subject.hides)
        found.append(XRayRow("hides", tuple(others)))
    above = ""
    for row in sorted(found, key=lambda row: _LAST.index(row.label) + 1 if row.label in _LAST else 0):
        yield from _row(row, "" if row.label == above else row.label, width)
        above = row.label
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
        first, *rest = wrap_words(one_line(f"{where}{problem.message}"), width - 2)
        yield (f"{GLYPHS[problem.severity]} ", problem.severity), (first, problem.severity)
        yield from (((f"  {line}", problem.severity),) for line in rest)
        yield from (((f"  {line}", "muted"),) for line in wrap_words(one_line(problem.hint), width - 2) if line)
    if problem is not None:
        yield ()


def _field(label: str, spans: Iterable[Span], width: int) -> Iterator[Line]:
    """A label and values with gaps between them; of a value that is too long, the rest is below it."""
    room = max(width - LABEL, 8)
    lines: list[list[Span]] = [[]]
    used = 0
    for text, role in spans:
        first, *rest = wrap_words(text, room)
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


def _named(label: str, name: str, text: str, width: int) -> Iterator[Line]:
    """A label and a name with the text beside it."""
    start = f"{name}  "
    for nth, line in enumerate(wrap_words(text, max(width - LABEL - cell_len(start), 12))):
        yield (
            (f"{'' if nth else label:<{LABEL}}", "muted"),
            (" " * cell_len(start) if nth else start, "accent"),
            (line, "text"),
        )


def _row(row: XRayRow, label: str, width: int) -> Iterator[Line]:
    if row.name:
        return _named(label, row.name, row.parts[0].text, width)
    glyphs = _TRUST_GLYPHS if row.label == "trust" else {}
    spans: list[Span] = []
    for text, role, note in row.parts:
        if role == "intro":
            spans.append((f"{text}, as {note}:", "muted"))
        elif role == "muted":
            spans.append((f"{text}: {note}" if note else text, role))
        else:
            spans.append((glyphs.get(role, "") + text, "text" if role == "tool" else role))
            if note and len(row.parts) == 1:
                spans.append((f"({note})", "muted"))
    return _field(label, spans, width)


def _prompts(view: XRay, width: int) -> Iterator[Line]:
    from maverick_tui.agent.xray_rows import prompt
    from maverick_tui.shown import shown

    declared = {spec.name for spec in view.inputs}
    start = view.settings.get("initial_prompt") or ""
    starts_with = inert(start if isinstance(start, str) else shown(start))
    for heading, text in (("STARTS WITH", starts_with), ("PROMPT", prompt(view))):
        if not text:
            continue
        yield ()
        yield ((heading, "strong"),)
        for indent, line in wrap_document(text, width):
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
    yield from (((line, role),) for line in wrap_words(text, width))
