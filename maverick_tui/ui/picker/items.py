"""What the picker lists: runs, agents, and files that hold none because something is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.inert import one_line
from maverick_tui.ui.lines import Span
from maverick_tui.ui.picker.matching import EVERYTHING, Fit, match
from maverick_tui.ui.short_names import short_model

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.problems import Problem
    from maverick_tui.runs.board import RunModel

GLYPHS = {"error": "✘", "warning": "!", "untrusted": "◇"}

_LONGEST_MODEL = 14


class Group(NamedTuple):
    """A heading: whose agents follow, and where they are."""

    title: str
    place: str = ""


RUNS = Group("RUNS")


class Fact(NamedTuple):
    """A line about a run: a label and what is said, part by part; without a label it is a heading."""

    label: str
    parts: tuple[str, ...]
    role: str = "text"


class About(NamedTuple):
    """What is told of a run beside the list, instead of what is told of its agent."""

    title: str
    place: str
    """Where it works."""
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One row that can be highlighted; its texts are inert and on one line."""

    key: str
    group: Group
    name: str
    description: str = ""
    model: str = ""
    has_own_model: bool = False
    tools: str = ""
    marks: tuple[Span, ...] = ()
    """What is wrong with it: glyph and words, and their role."""
    refusal: str = ""
    """Why it cannot be run, and what to do about it; empty if it can."""
    path: Path | None = None
    line: int | None = None
    listing: AgentListing | None = None
    problems: tuple[Problem, ...] = ()
    run_id: str = ""
    agent: str = ""
    needs_person: bool = False
    """Of a run: whether nothing happens until somebody comes."""
    is_elsewhere: bool = False
    """Of a run: whether this application does not follow it; it lives in a process of its own."""
    about: About | None = None


class ListRow(NamedTuple):
    """One line of the list: an item and how it matches, or a heading."""

    group: Group
    item: Item | None = None
    match: Fit = EVERYTHING


def item_of(run: RunModel, now: float) -> Item:
    """The row of a run as it stands now, with what it is called, or was asked first."""
    from maverick_tui.runs.status import headline, run_status  # a list does not count down
    from maverick_tui.runs.store import fork_words

    glyph, word, detail, _ = headline(run.store) if run.store.phase == "waiting" else run_status(run.store, now)
    store = run.store
    title = store.name or store.first_prompt or fork_words(store.forked_from, store.forked_turn)
    item = run_item(run.run_id, run.agent, word, glyph, detail, title)
    return replace(item, needs_person=run.store.needs_person)


def run_item(
    run_id: str, agent: str, state: str, glyph: str, detail: str = "", title: str = "", group: Group = RUNS
) -> Item:
    """The row of a run; one on another machine has a group of its own."""
    return Item(
        key=f"run:{run_id}",
        group=group,
        name=one_line(agent),
        description=one_line(" · ".join(filter(None, (title, detail)))),
        marks=((one_line(f"{glyph} {state}"), "accent"),),
        run_id=run_id,
        agent=agent,
    )


def agent_item(listing: AgentListing, group: Group, default_model: str, *, is_trusted: bool) -> Item:
    """The row of an agent."""
    worst = _worst(listing.problems)
    marks = [] if is_trusted or listing.has_errors else [(f"{GLYPHS['untrusted']} untrusted", "warning")]
    if listing.beware:
        marks.append((listing.beware, "warning" if listing.source == "project" else "muted"))
    if worst is not None:
        marks.append(_mark(worst))
    return Item(
        key=f"agent:{listing.name}",
        group=group,
        name=one_line(listing.name),
        description=one_line(listing.description),
        model=short_model(listing.model or default_model, _LONGEST_MODEL),
        has_own_model=listing.model is not None,
        tools=_count(listing.tools),
        marks=tuple(marks),
        refusal=_refusal(listing.name, worst) if listing.has_errors and worst is not None else "",
        path=listing.path,
        line=listing.line if worst is None else worst.line,
        listing=listing,
        problems=listing.problems,
        agent=listing.name,
    )


def file_item(path: str, problems: Sequence[Problem], group: Group) -> Item:
    """The row of a file, or an entry point, that no agent could be read from."""
    worst = _worst(problems)
    assert worst is not None  # it is only listed because of them
    return Item(
        key=f"file:{path}",
        group=group,
        name=one_line(Path(path).name),
        marks=(_mark(worst),),
        refusal=_refusal(Path(path).name, worst),
        path=Path(path) if Path(path).is_absolute() else None,
        line=worst.line,
        problems=tuple(problems),
    )


def rows_of(items: Iterable[Item], query: str) -> tuple[list[ListRow], int | None]:
    """The rows that match, each group below its heading, and where the best match is."""
    groups: dict[Group, list[ListRow]] = {}
    for item in items:
        found = match(query, item.name, item.description) if query else EVERYTHING
        if found is not None:
            groups.setdefault(item.group, [ListRow(item.group)]).append(ListRow(item.group, item, found))
    rows = [row for members in groups.values() for row in members]
    found_at = [index for index, row in enumerate(rows) if row.item is not None]
    best = max(
        found_at, key=lambda index: (rows[index].match.score, bool(query) and _is_agent(rows[index])), default=None
    )
    return rows, best


def _is_agent(row: ListRow) -> bool:
    """Whoever types an agent's name wants a new run of it; its runs can still be chosen."""
    return row.item is not None and not row.item.run_id


def hidden_by_name(shadowed: Iterable[AgentListing]) -> Mapping[str, tuple[AgentListing, ...]]:
    """The agents that a nearer one of the same name hides, by that name."""
    found: dict[str, tuple[AgentListing, ...]] = {}
    for listing in shadowed:
        found[listing.name] = (*found.get(listing.name, ()), listing)
    return found


def problems_of_files(
    problems: Iterable[Problem], listed: Iterable[AgentListing]
) -> Iterator[tuple[str, list[Problem]]]:
    """By path, the problems of what no agent could be read from."""
    known = {problem for listing in listed for problem in listing.problems}
    by_path: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem not in known:
            by_path.setdefault(problem.path, []).append(problem)
    yield from by_path.items()


def _worst(problems: Sequence[Problem]) -> Problem | None:
    return next((problem for problem in problems if problem.is_error), problems[0] if problems else None)


def _mark(problem: Problem) -> Span:
    return f"{GLYPHS[problem.severity]} {_words(problem)}", problem.severity


def _refusal(name: str, problem: Problem) -> str:
    return one_line(f"{name} cannot run: {_words(problem)} {problem.hint}")


def _words(problem: Problem) -> str:
    return one_line(problem.message if problem.line is None else f"line {problem.line}: {problem.message}")


def _count(tools: Sequence[str] | None) -> str:
    if tools is None:
        return "? tools"
    return "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
