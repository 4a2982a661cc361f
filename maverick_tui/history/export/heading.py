"""What stands above an export: which run it is, and its figures."""

from __future__ import annotations

from datetime import datetime

from maverick_tui.history.export.kept import KeptRun
from maverick_tui.inert import inert, one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.store import RunStore, forked_words

_LONGEST_TITLE = 120


def title(store: RunStore) -> str:
    """What the run is called: by its person, by what it was asked first, or by its agent; inert, on one line."""
    text = store.name or store.first_prompt or agent(store)
    return text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE].rstrip()}…"


def agent(store: RunStore) -> str:
    """The agent's name."""
    return one_line(store.loaded.agent) if store.loaded else "Run"


def facts(store: RunStore) -> list[tuple[str, str]]:
    """What is known of the run, each with its label; inert."""
    found = []
    if store.loaded is not None:
        branch = one_line(store.loaded.branch)
        found += [("folder", inert(store.loaded.cwd) + (f" ({branch})" if branch else ""))]
        found += [("model", one_line(store.model))] if store.model else []
    own = (entry for entry in store.entries if not store.forked_from or getattr(entry, "notice", "") == "forked")
    if (first := next(own, None)) is not None:
        found.append(("began", moment(first.at)))
    if store.forked_from:
        found.append(("forked from", forked_words(store.forked_from, store.forked_turn)))
    figures, usage = store.figures, store.figures.usage
    if figures.turns or usage.total:
        found.append(("turns", f"{figures.turns:,}, {clock(figures.settled.duration_ms / 1000)}"))
        cached = f" ({usage.cache_read_tokens:,} from the cache)" if usage.cache_read_tokens else ""
        found.append(("tokens", f"{usage.all_input:,} in{cached}, {usage.output_tokens:,} out"))
    if usage.cost_usd is not None:
        sign = "≥" if figures.has_unpriced else "~" if figures.is_estimate or figures.has_live_cost else ""
        found.append(("cost", f"{sign}{dollars(usage.cost_usd)}"))
    return found


def kept_facts(run: KeptRun) -> list[tuple[str, str]]:
    """The same of a kept run: its id and its state as well."""
    return [("agent", agent(run.store)), *facts(run.store), ("state", run.state), ("run", run.run_id)]


def moment(at: float) -> str:
    """A time on the wall, by the clock of this machine."""
    try:
        return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):  # no calendar has it
        return "at no time"
