"""Runs that live in processes of their own and are not on this application's board, as the picker lists them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line
from maverick_tui.ui.picker.items import About, Fact, Item, run_item
from maverick_tui.ui.short_names import short_model, short_path

if TYPE_CHECKING:
    from maverick_tui.host.live import LiveRun
    from maverick_tui.runs.digest import Digest

log = logging.getLogger(__name__)

_PHASES = {"asks": "asking", "working": "running", "waits": "waiting"}
"""What the status of a run calls these, where its host says otherwise."""
_MOST_FILES = 6


async def read_elsewhere(known: Container[str], now: float) -> list[Item]:
    """The rows of all runs that have a host and are not known here, those that need a person first."""
    return [live_item(run, now) for run in await live_elsewhere(known)]


async def live_elsewhere(known: Container[str]) -> list[LiveRun]:
    """The runs themselves, as their hosts tell of them."""
    if not (run_ids := [run_id for run_id in await asyncio.to_thread(_hosted) if run_id not in known]):
        return []
    await asyncio.to_thread(_load)
    from maverick_tui.host.live import hosted_now

    return await hosted_now(run_ids)


def _hosted() -> list[str]:
    """In a thread, for it imports and looks at files."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import hosted_runs

    try:
        return list(hosted_runs())
    except ConfigError as error:  # `maverick ps` and `maverick doctor` say what is wrong with the folder
        log.info("No other runs are listed: %s", error)
        return []


def _load() -> None:
    import maverick_tui.host.live
    import maverick_tui.runs.digest
    import maverick_tui.runs.status  # noqa: F401 - all of them are wanted a moment later


def live_item(run: LiveRun, now: float) -> Item:
    """The row of a run in another process, and what is told of it beside the list."""
    from maverick_tui.runs.moments import moment

    glyph, word = words_of(run)
    readers = run.state.get("read_by") or ()
    since = [moment(run.started_at, now)] if run.started_at else []
    where = " ".join((*since, *([f"on {readers[0]}"] if readers else [])))
    agent = str(run.state.get("agent") or (run.host.agent if run.host is not None else "")) or run.run_id
    # Its title is the longest part, and the one that can be cut.
    item = run_item(run.run_id, agent, word, glyph, detail=run.title, title=where)
    folder = str(run.state.get("folder", ""))
    about = About(one_line(run.title), short_path(folder), tuple(_facts(run, f"{glyph} {word}", folder, now)))
    return replace(item, needs_person=run.needs_person, is_elsewhere=True, about=about)


def words_of(run: LiveRun) -> tuple[str, str]:
    """Glyph and word, as a run on the board has them."""
    from maverick_tui.events.background import behind_of, behind_words
    from maverick_tui.runs.status import phase_words

    if run.is_silent:
        return "?", "does not answer"
    words = phase_words(_PHASES.get(run.phase, run.phase))
    behind = behind_words(behind_of(run.state.get("background")))
    return words.glyph, ", ".join(filter(None, (words.word, behind)))


def _facts(run: LiveRun, state: str, folder: str, now: float) -> Iterator[Fact]:
    from maverick_tui.runs.digest import counted, digest_from_json
    from maverick_tui.runs.figures import dollars
    from maverick_tui.runs.moments import moment
    from maverick_tui.runs.tool_text import describe

    asks = [one_line(describe(str(tool))) for tool in run.state.get("asks") or ()]
    yield Fact("state", (state, *asks), "warning" if run.needs_person else "accent")
    if run.started_at:
        yield Fact("since", (moment(run.started_at, now),))
    if model := str(run.state.get("model", "")):
        yield Fact("model", (short_model(model),))
    turns, cost, sign = run.state.get("turns"), run.state.get("cost_usd"), one_line(str(run.state.get("cost_sign", "")))
    if used := [*([counted(turns, "turn")] if turns else []), *([f"{sign}{dollars(cost)}"] if cost else [])]:
        yield Fact("in all", tuple(used))
    if readers := run.state.get("read_by"):
        yield Fact("read on", tuple(one_line(str(reader)) for reader in readers))
    if (away := digest_from_json(run.state.get("away"))) is not None:
        yield from _missed(away, len(asks), folder, now)


def _missed(away: Digest, waiting: int, folder: str, now: float) -> Iterator[Fact]:
    """What happened while nobody looked."""
    from maverick_tui.runs.digest import counted, span
    from maverick_tui.runs.figures import dollars
    from maverick_tui.runs.moments import moment

    yield Fact("", ("WHILE YOU WERE AWAY", f"{span(now - away.since)}, since {moment(away.since, now)}"), "strong")
    if away.is_empty and not waiting:
        yield Fact("so far", ("nothing has happened",), "muted")
    if waiting:
        yield Fact(
            "asks", (f"{counted(waiting, 'question')} {'waits' if waiting == 1 else 'wait'} for you",), "warning"
        )
    if away.failures:
        yield Fact("failed", (counted(away.failures, "time"),), "error")
    if away.turns:
        yield Fact("turns", (f"{away.turns:,}",))
    if away.files:
        named = [short_path(name, Path(folder)) for name in reversed(away.file_names[-_MOST_FILES:])]
        more = [f"and {away.files - len(named):,} more"] if away.files > len(named) else []
        yield Fact("files", (f"{away.files:,}", *named, *more))
    if away.tokens:
        spent = [dollars(away.cost_usd)] if away.cost_usd else []
        yield Fact("used", (*spent, counted(away.tokens, "token")))
    if away.is_ended:
        yield Fact("ended", ("it is over",), "muted")
