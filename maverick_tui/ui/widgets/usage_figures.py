"""What the usage panel and the usage line show: the figures of a moment, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from maverick_tui.fuse_amounts import in_words, is_amount
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.todos import KeptList, Todo
from maverick_tui.usage import Usage

RATE_SECONDS = 16
"""Seconds that the sparkline looks back."""
NEARLY_FULL = 80
"""Percent of the context above which the CLI may soon compact it."""
_SPEED_OVER = 3
_LEAST_PEAK = 10.0
_BARS = "▂▃▄▅▆▇█"
_SCOPES = {"run": "fuse", "agent_day": "agent", "day": "today"}
_ENDS = {"done": "completed", "failed": "failed"}


class Subagent(NamedTuple):
    """A subagent."""

    text: str
    state: str
    tokens: int
    cost: float = 0.0
    """By list price, as far as its answers were told."""


class FuseShown(NamedTuple):
    """A fuse, and how much of it is used."""

    label: str
    used: str
    most: str
    percent: int


class Moment(NamedTuple):
    """Everything that is shown, rounded to what can be seen of it: two equal moments look the same."""

    all_input: int
    """Everything that the model has read, from the cache or not."""
    output_tokens: int
    growing: int
    """Tokens of the answer that is arriving, by its characters; they are not counted among the others yet."""
    cache_read: int
    cache_write: int
    cost: float | None
    is_estimate: bool
    is_least: bool
    """Whether something was spent that nobody knows the price of."""
    is_live: bool
    """Whether what the running turn has spent is part of the cost, by list price."""
    is_running: bool
    turns: int
    step: int
    most_steps: int | None
    seconds: int
    model_seconds: int
    tool_seconds: int
    person_seconds: int
    context_used: int | None
    context_size: int | None
    rates: tuple[int, ...]
    todos: tuple[Todo, ...]
    tasks: tuple[Subagent, ...]
    kept: KeptList | None = None
    fuses: tuple[FuseShown, ...] = ()

    @classmethod
    def of(cls, store: RunStore, now: float) -> Moment:
        """What there is to show now."""
        figures = store.figures
        usage = figures.usage
        spent = figures.spent_until(now, store.phase, store.phase_since)
        return cls(
            usage.all_input,
            usage.output_tokens,
            figures.growing,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            _cost(store),
            figures.is_estimate,
            figures.has_unpriced,
            figures.has_live_cost,
            store.is_running,
            figures.turns + store.is_running,
            figures.turn_steps,
            store.loaded.max_turns if store.loaded else None,
            int(figures.seconds(now)),
            int(spent.model),
            int(spent.tools),
            int(spent.person),
            figures.context_used,
            figures.context_size,
            tuple(round(rate) for rate in figures.rates(now, RATE_SECONDS)),
            tuple(store.todos.items),
            tuple(_tasks(store)),
            store.kept,
            tuple(_fuses(store, spent.model + spent.tools)) if store.fuses else (),
        )

    @property
    def cache_share(self) -> int | None:
        """Percent of what the model has read that came out of the cache."""
        return self.cache_read * 100 // self.all_input if self.all_input else None

    @property
    def context_share(self) -> int | None:
        """Percent of the context that is filled, if that and its size are known."""
        if self.context_used is None or not self.context_size:
            return None
        return self.context_used * 100 // self.context_size

    @property
    def speed(self) -> int:
        """Recent tokens per second, by the characters that came; 0 unless some came in each of those seconds.

        The second before them counts as well: of one in which an answer began, nobody knows how much of it that took.
        """
        recent = self.rates[-_SPEED_OVER - 1 :]
        return round(sum(recent[1:]) / _SPEED_OVER) if len(recent) > _SPEED_OVER and all(recent) else 0

    @property
    def written(self) -> tuple[str, int]:
        """The sign and the number of what the model has written: `~` where a part of it is a guess."""
        return "~" if self.growing else "", self.output_tokens + self.growing

    @property
    def price(self) -> str:
        """The cost: `~` before a guess, `≥` where more has been spent than is known, guess or not."""
        if self.cost is None:
            return "no price" if self.is_least else "-"
        is_more = self.is_least or (self.is_running and not self.is_live)
        sign = "≥" if is_more else "~" if self.is_estimate or self.is_live else ""
        return f"{sign}{dollars(self.cost)}"

    @property
    def price_note(self) -> str:
        """What is to be said about the cost."""
        if self.is_running:
            return "so far" if self.cost is not None else "at the end"
        return "estimate" if self.is_estimate and self.cost is not None else ""


def _cost(store: RunStore) -> float | None:
    """What has been spent, by list price with the tokens that are arriving; not while the cost so far is unknown."""
    figures, cost = store.figures, store.figures.usage.cost_usd
    if cost is None or not figures.growing or not figures.has_live_cost:
        return cost
    from maverick_tui.agent.engine.prices import estimate

    return cost + (estimate(store.model, Usage(output_tokens=figures.growing)) or 0.0)


def _is_subagent(entry: ToolEntry) -> bool:
    """A command in the background is a task, too, but it uses nothing."""
    return bool(entry.tokens) or (entry.is_task_alive and entry.name in ("Agent", "Task"))


def _tasks(store: RunStore) -> Iterator[Subagent]:
    """Those that the engine tells of, and those that only their answers tell of."""
    calls = dict.fromkeys((*store.tasks, *store.calls.spent))
    for call in calls:
        entry = store.calls.get(call)
        if entry is None or not (call in store.calls.spent or _is_subagent(entry)):
            continue
        tokens, cost = store.calls.used_by(call)
        state = entry.task_state or ("" if entry.is_open else _ENDS.get(entry.state, "stopped"))
        text = str(entry.arguments.get("description") or entry.name)[:200]
        yield Subagent(text, state, entry.tokens or tokens, cost)


def _fuses(store: RunStore, seconds: float) -> Iterator[FuseShown]:
    figures = store.figures
    used = {
        "usd": _cost(store) or 0.0,
        "tokens": float(figures.usage.total),
        "turns": figures.steps + (figures.turn_steps if store.is_running else 0),
        "minutes": seconds / 60,
    }
    for fuse in store.fuses:
        unit, most = str(fuse.get("unit")), fuse.get("most")
        if unit not in used or not is_amount(most):
            continue
        amount, others = used[unit], fuse.get("others")
        amount += others if is_amount(others) else 0.0
        sign = "~" if unit == "usd" and figures.has_live_cost else ""
        label = _SCOPES.get(str(fuse.get("scope")), "fuse")
        percent = min(999, int(amount * 100 / most))
        yield FuseShown(label, f"{sign}{_amount(unit, amount)}", _most(unit, most), percent)


def _amount(unit: str, amount: float) -> str:
    """So much, in the room of a figure."""
    if unit == "usd":
        return dollars(amount)
    return f"{amount:,.1f}" if unit == "minutes" else short(round(amount))


def _most(unit: str, most: float) -> str:
    return f"{short(round(most))} tok" if unit == "tokens" else in_words(unit, most)


def duration(seconds: int) -> str:
    """Seconds as a clock shows them: 0:48, 12:05, 1:02:05."""
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def short(number: int) -> str:
    """A number where there is no room for all of it: 999, 1.9k, 12.5k, 125k, 1.2M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            amount = number / size
            return f"{amount:.0f}{unit}" if amount >= 99.95 else f"{amount:.1f}{unit}"
    return str(number)


def sparkline(rates: tuple[int, ...]) -> str:
    """A bar for each second; the lowest means nothing at all."""
    peak = max(*rates, _LEAST_PEAK) if rates else _LEAST_PEAK
    top = len(_BARS) - 1
    return "".join(_BARS[min(top, int(rate / peak * top + 0.5))] if rate else "▁" for rate in rates)


def gauge(percent: int, width: int) -> tuple[str, str]:
    """The full and the empty part of a bar; anything above zero shows."""
    full = min(width, max(1 if percent else 0, round(width * percent / 100)))
    return "━" * full, "─" * (width - full)
