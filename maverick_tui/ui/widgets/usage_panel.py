"""UsagePanel and UsageLine: what a run has used, with its todos beside the transcript or in one line below it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.geometry import Size

from maverick_tui.inert import one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.todos import KeptList, Todo
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cut, pad, wrap_words
from maverick_tui.ui.widgets.painted import Painted, Weighted, drop_lightest, row_width, spread
from maverick_tui.ui.widgets.usage_figures import (
    NEARLY_FULL,
    FuseShown,
    Moment,
    Subagent,
    duration,
    gauge,
    short,
    sparkline,
)

_LABEL = 8
_NUMBER = 10
_TODO_SIGNS = {"completed": "✔", "in_progress": "●", "pending": "○"}
_TODO_ROLES = {"completed": "muted", "in_progress": "accent", "pending": "text"}
_TASK_SIGNS = {"completed": "✔", "failed": "✘", "stopped": "■", "killed": "■"}
_MOST_LINES = 2
"""Lines of one todo."""
_NEEDED = 8
_LEAST_FIGURES = 9
"""Rows that are left for figures below a list."""


class UsageView(Painted):
    """Takes the figures of a moment, and draws only what is new of them."""

    def __init__(self, store: RunStore) -> None:
        super().__init__()
        self._store = store
        self._moment: Moment | None = None
        self._size_drawn: Size | None = None
        self._now = 0.0

    def refresh_figures(self, now: float) -> None:
        """Show what there is now; it costs next to nothing while that looks the same."""
        self._now = now
        if not self.display:
            return
        moment, size = Moment.of(self._store, now), self.content_size
        if moment != self._moment or size != self._size_drawn:
            self._moment, self._size_drawn = moment, size
            self.paint(self.rows(moment, size))

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """What is shown of a moment in this room."""
        raise NotImplementedError

    def fill(self) -> None:
        """The same in the room that there is now."""
        self.refresh_figures(self._now)

    async def on_click(self, event: events.Click) -> None:
        """A click brings the other shape."""
        event.stop()
        await self.run_action("screen.toggle_panel")


class UsagePanel(UsageView):
    """Every figure in full, then subagents and todos."""

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """As much as the panel can hold."""
        return panel_rows(moment, size.width, size.height)


class UsageLine(UsageView):
    """The same in one line; what matters least is left out where it is narrow."""

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """One row."""
        parts = _parts(moment)
        while row_width(_joined(parts)) > size.width and drop_lightest(parts):
            pass
        return [_joined(parts)] if parts else []


def _parts(moment: Moment) -> list[Weighted]:
    cache, context, used = moment.cache_share, moment.context_share, moment.context_used
    sign, written = moment.written
    done = sum(todo.state == "completed" for todo in moment.todos)
    filled = f"{context} %" if context is not None else f"{short(used)} of ?" if used is not None else "?"
    parts = (
        (6, "in", short(moment.all_input)),
        (7, "out", f"{sign}{short(written)}"),
        (8, "fuse", f"{max(fuse.percent for fuse in moment.fuses)} %" if moment.fuses else ""),
        (4, "cache", "" if cache is None else f"{cache} %"),
        (9, "cost" if moment.cost is None else "", moment.price),
        (8, "", duration(moment.seconds)),
        (5, "ctx", filled if used != 0 else ""),
        (3, "todos", f"{done}/{len(moment.todos)}" if moment.todos else ""),
        (2, "tok/s", f"~{moment.speed}" if moment.speed else ""),
    )
    return [
        Weighted(weight, ((f"{label} " if label else "", "muted"), (figure, "text")))
        for weight, label, figure in parts
        if figure
    ]


def _joined(parts: Sequence[Weighted]) -> Line:
    return tuple(span for index, part in enumerate(parts) for span in ((" · " if index else "", "muted"), *part.line))


_BLANK = Weighted(1, ())


def panel_rows(moment: Moment, width: int, height: int) -> list[Line]:
    """The whole panel; figures give way to todos only where they matter less, and to a list that the agent keeps."""
    if moment.kept is not None:
        above = _kept_rows(moment.kept, width, max(height - _LEAST_FIGURES, height // 2))
        return [*above, (), *panel_rows(moment._replace(kept=None), width, height - len(above) - 1)][:height]
    if height < 1:
        return []
    figures, below = _figures(moment, width), _wanted(moment)
    while len(figures) + min(below, max(height // 3, 4)) > height and drop_lightest(figures, _NEEDED):
        pass
    rows = [row.line for row in figures]
    for title, items in _sections(moment, width, height - len(rows)):
        rows += [(), title, *items]
    return rows[:height]


def _figures(moment: Moment, width: int) -> list[Weighted]:
    share, known = moment.cache_share, moment.model_seconds + moment.tool_seconds + moment.person_seconds
    sign, written = moment.written
    rows = [
        Weighted(3, (("USAGE", "caption"),)),
        Weighted(9, _figure("input", f"{moment.all_input:,}")),
        Weighted(9, _figure("output", f"{sign}{written:,}")),
        Weighted(8, _figure("cached", f"{moment.cache_read:,}", "" if share is None else f"{share} %")),
        Weighted(3, _figure("written", f"{moment.cache_write:,}", "to cache")),
        Weighted(9, _figure("cost", moment.price, moment.price_note)),
        _BLANK,
        Weighted(7, _figure("time", duration(moment.seconds))),
    ]
    for name, seconds in (
        ("model", moment.model_seconds),
        ("tools", moment.tool_seconds),
        ("you", moment.person_seconds),
    ):
        if seconds or name != "you":
            percent = f"{round(seconds * 100 / known)} %" if known else ""
            rows.append(Weighted(4, _figure(name, duration(seconds), percent)))
    most = "" if moment.most_steps is None else f"/{moment.most_steps}"
    step = f"step {moment.step}{most}" if moment.step or most else ""
    rows.append(Weighted(5, _figure("turns", f"{moment.turns:,}", step)))
    fuses = [row for fuse in moment.fuses for row in _fuse(fuse, width)]
    fuses += [_BLANK] if fuses else []
    return [*rows, _BLANK, *fuses, *_context(moment, width), Weighted(4, _speed(moment))]


def _figure(label: str, number: str, note: str = "") -> Line:
    return ((pad(label, _LABEL), "muted"), (number.rjust(_NUMBER), "text"), (f"  {note}" if note else "", "muted"))


def _fuse(fuse: FuseShown, width: int) -> list[Weighted]:
    """How much of it is used, and of how much."""
    percent = f"{fuse.percent} %".rjust(6)
    full, empty = gauge(min(fuse.percent, 100), max(width - _LABEL - len(percent), 4))
    role = "warning" if fuse.percent >= NEARLY_FULL else "accent"
    return [
        Weighted(8, ((pad(fuse.label, _LABEL), "muted"), (full, role), (empty, "muted"), (percent, "text"))),
        Weighted(6, _figure("", fuse.used, cut(f"of {fuse.most}", max(width - _LABEL - _NUMBER - 2, 1)))),
    ]


def _context(moment: Moment, width: int) -> list[Weighted]:
    share = moment.context_share
    if share is None:
        used, size = ("?" if one is None else f"{one:,}" for one in (moment.context_used, moment.context_size))
        return [Weighted(7, _figure("context", used, f"of {size}"))]
    percent = f"{share} %".rjust(6)
    full, empty = gauge(share, max(width - _LABEL - len(percent), 4))
    is_nearly_full = share >= NEARLY_FULL
    role = "warning" if is_nearly_full else "accent"
    note = "nearly full" if is_nearly_full else f"of {moment.context_size:,}"
    return [
        Weighted(7, ((pad("context", _LABEL), "muted"), (full, role), (empty, "muted"), (percent, "text"))),
        Weighted(2, _figure("", f"{moment.context_used:,}", note)),
    ]


def _speed(moment: Moment) -> Line:
    speed = f"~{moment.speed:,}" if moment.speed else "-"
    return (
        (pad("tok/s", _LABEL), "muted"),
        (sparkline(moment.rates), "accent" if any(moment.rates) else "muted"),
        (f"  {speed}", "text"),
    )


# -- what stands above them --------------------------------------------------------------------------------------------


def _kept_rows(kept: KeptList, width: int, room: int) -> list[Line]:
    """What is open first, then what is done, as much of it as there is room for."""
    items = sorted(kept.items, key=lambda item: item.is_done)
    open_count = kept.open_count
    rows: list[Line] = [((kept.title.upper(), "caption"), (f"  {open_count:,} open", "muted"))]
    if not items:
        return [*rows, (("nothing on the list", "muted"),)]
    fits = items[: max(1, room - 1 - (len(items) > room - 1))]
    for item in fits:
        detail = f" {item.detail}" if item.detail else ""
        text = cut(item.text, max(width - 2 - cell_len(detail), 4))
        role = "muted" if item.is_done else "text"
        left: Line = (("✓ " if item.is_done else "☐ ", "success" if item.is_done else "accent"), (text, role))
        rows.append(spread(left, ((detail, "muted"),), width) if detail else left)
    if (more := max(kept.total, len(items)) - len(fits)) > 0:
        rows.append(((f"  … {more:,} more", "muted"),))
    return rows


# -- what stands below the figures -------------------------------------------------------------------------------------


def _wanted(moment: Moment) -> int:
    """The rows that todos and subagents would like."""
    return sum(len(items) + 2 for items in (moment.todos, moment.tasks) if items)


def _sections(moment: Moment, width: int, room: int) -> list[tuple[Line, list[Line]]]:
    """Title and rows of each; each has a blank row above it."""
    sections: list[tuple[Line, list[Line]]] = []
    if moment.tasks:
        most = max(room - 2 - (min(len(moment.todos), 4) + 2 if moment.todos else 0), 1)
        title: Line = (("SUBAGENTS", "caption"),)
        sections.append((title, _task_rows(moment.tasks, width, min(most, max(room // 3, 1)))))
        room -= 2 + len(sections[-1][1])
    if moment.todos:
        done = sum(todo.state == "completed" for todo in moment.todos)
        title = (("TODOS", "caption"), (f"  {done} of {len(moment.todos)} done", "muted"))
        sections.append((title, _todo_rows(moment.todos, width, max(room - 2, 1))))
    return sections


def _task_rows(tasks: Sequence[Subagent], width: int, room: int) -> list[Line]:
    """The last subagents: those are the ones that may still be at work."""
    rows: list[Line] = []
    if len(tasks) > room:
        older = tasks[: len(tasks) - room + 1]
        tokens = sum(task.tokens for task in older)
        rows.append(spread(((f"  {len(older)} more", "muted"),), ((f"{tokens:,}", "muted"),), width))
        tasks = tasks[len(older) :]
    for task in tasks:
        sign = _TASK_SIGNS.get(task.state, "●")
        tokens_text = f"{short(task.tokens)}  ~{dollars(task.cost)}" if task.cost else f"{task.tokens:,}"
        tokens_text = cut(tokens_text, max(width - 4, 1))
        name = cut(one_line(task.text), max(width - 3 - len(tokens_text), 1))
        role = "error" if sign == "✘" else "accent" if sign == "●" else "muted"
        left: Line = ((f"{sign} ", role), (name, "text" if sign == "●" else "muted"))
        rows.append(spread(left, ((tokens_text, "text"),), width))
    return rows


def _todo_rows(todos: Sequence[Todo], width: int, room: int) -> list[Line]:
    """All of them in full if there is room, else in one line each, else those around the current one."""
    whole = [_todo(todo, width, _MOST_LINES) for todo in todos]
    if sum(map(len, whole)) <= room:
        return [row for rows in whole for row in rows]
    if len(todos) <= room:
        return [row for todo in todos for row in _todo(todo, width, 1)]
    current = next((index for index, todo in enumerate(todos) if todo.state != "completed"), len(todos) - 1)
    first, last = current, current + 1
    while last - first < len(todos) and _size(first, last, len(todos)) < room:
        if last < len(todos) and (last - current <= 2 * (current - first) or first == 0):
            last += 1
        else:
            first -= 1
    while last - first > 1 and _size(first, last, len(todos)) > room:
        first, last = (first + 1, last) if first < current else (first, last - 1)
    rows: list[Line] = [((f"  … {first} above", "muted"),)] if first else []
    rows += [row for todo in todos[first:last] for row in _todo(todo, width, 1)]
    if last < len(todos):
        rows.append(((f"  … {len(todos) - last} more", "muted"),))
    return rows[:room] if room > 1 else rows[bool(first) :][:1]


def _size(first: int, last: int, total: int) -> int:
    return last - first + (first > 0) + (last < total)


def _todo(todo: Todo, width: int, most: int) -> list[Line]:
    sign, role = _TODO_SIGNS[todo.state], _TODO_ROLES[todo.state]
    lines = wrap_words(todo.text, max(width - 2, 1))
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(todo.text[len(" ".join(lines[: most - 1])) :].strip(), max(width - 2, 1))]
    text_role = "muted" if todo.state == "completed" else "text"
    return [((f"{sign} " if index == 0 else "  ", role), (line, text_role)) for index, line in enumerate(lines)]
