"""The status of a run in one line: what it is doing right now, for how long, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from maverick_tui.events.background import COMMANDS, Behind, behind_words
from maverick_tui.inert import one_line
from maverick_tui.runs.failure_words import NOT_STARTED, end_of, title
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.moments import moment, until
from maverick_tui.runs.own_questions import asked_by
from maverick_tui.runs.store import CUT, GONE, Phase, RunStore
from maverick_tui.runs.tool_text import describe, key_argument

Tone = Literal["quiet", "busy", "good", "attention", "bad"]
SILENT_AFTER = 8.0
AT_REST = frozenset(("ready", "done", "interrupted", "failed"))
"""Phases in which the agent does nothing, but perhaps something that it has begun goes on."""


class StatusText(NamedTuple):
    """A glyph, a word and the details; the tone is for the colour, and says nothing that the word does not."""

    glyph: str
    word: str
    detail: str
    tone: Tone


def run_status(store: RunStore, now: float, *, interrupt_key: str = "", changes_key: str = "") -> StatusText:
    """What is happening at this moment; with the key that interrupts, where that may be wanted."""
    for_seconds = clock(now - store.phase_since)
    phase = store.phase
    if store.looked_at is not None:
        return headline(store)._replace(detail=f"in another process; as of {_moment(store.looked_at, now)}")
    if phase == "ended":
        return _ended(store, now)
    if phase in AT_REST and store.shells:
        return headline(store)._replace(detail=_own_commands(store, now))
    if phase == "starting":
        return headline(store)
    if phase in ("queued", "connecting"):
        return headline(store)._replace(detail=for_seconds)
    if phase == "ready":
        return headline(store)._replace(detail="waiting for your prompt")
    if phase == "disconnected":
        return headline(store)._replace(detail=_failure(store, now))
    if phase == "waiting":
        return _waiting(store, now, interrupt_key)
    if phase in ("done", "interrupted", "failed"):
        return _settled(store, now, changes_key)
    if phase == "interrupting":
        return headline(store)._replace(detail=f"{for_seconds}  what came is kept")
    if phase == "asking":
        return _asking(store, now)
    if phase in ("sending", "retrying") and (limit := _limit(store, now)):
        return limit
    if phase == "retrying":
        return _retrying(store, now)
    if store.turn is not None and store.turn.is_command:
        return _compacting(store, now, interrupt_key)
    return _silent(store, now, interrupt_key) or _working(store, now)


def headline(store: RunStore) -> StatusText:
    """The same in a few words, for a title or a list of runs: no time is in it."""
    now = _headline(store)
    if store.phase not in AT_REST or store.looked_at is not None:
        return now
    own = "" if not store.shells else "your command runs" if len(store.shells) == 1 else "your commands run"
    return now._replace(word=", ".join(filter(None, (now.word, behind_words(behind_of(store)), own))))


def behind_of(store: RunStore) -> list[Behind]:
    """What goes on in the background while no turn does."""
    folder = store.loaded.cwd if store.loaded else ""
    return [behind(entry.name, entry.arguments, folder) for entry in store.tasks.values() if entry.is_task_alive]


def behind(tool: str, arguments: Mapping[str, Any], folder: str) -> Behind:
    """A task by the call that has begun it: of a command, that it is one says its name."""
    about = key_argument(tool, arguments, folder)
    return Behind(tool, one_line(about if tool in COMMANDS else f"{describe(tool)}  {about}".rstrip()))


def _headline(store: RunStore) -> StatusText:
    if store.phase == "waiting" and store.planned is not None:
        return StatusText("‖", f"waits until {moment(store.planned.due, store.planned.at)}", "", "attention")
    if store.looked_at is not None:
        return _ELSEWHERE
    if store.phase == "ended":
        return _HEADLINES[_end(store)]
    if store.phase in _HEADLINES:
        return _HEADLINES[store.phase]
    return StatusText("●", "running", "", "busy")


def phase_words(phase: str) -> StatusText:
    """The same of a run of which only the phase is known."""
    if phase == "waiting":
        return StatusText("‖", "waits", "", "attention")
    return next((words for name, words in _HEADLINES.items() if name == phase), StatusText("●", "running", "", "busy"))


_ELSEWHERE = StatusText("●", "running elsewhere", "", "quiet")


_HEADLINES: dict[Phase, StatusText] = {
    "starting": StatusText("○", "starting", "", "quiet"),
    "queued": StatusText("‖", "waits for its turn", "", "quiet"),
    "connecting": StatusText("◌", "connecting", "", "busy"),
    "ready": StatusText("○", "ready", "", "quiet"),
    "asking": StatusText("⚑", "needs you", "", "attention"),
    "interrupting": StatusText("◐", "interrupting", "", "attention"),
    "retrying": StatusText("↻", "retrying", "", "attention"),
    "done": StatusText("✔", "done", "", "good"),
    "interrupted": StatusText("■", "interrupted", "", "attention"),
    "failed": StatusText("✘", "failed", "", "bad"),
    "disconnected": StatusText("✘", "not connected", "", "bad"),
    "ended": StatusText("■", "ended", "", "quiet"),
}


def _working(store: RunStore, now: float) -> StatusText:
    since = clock(now - store.phase_since)
    if store.phase == "thinking":
        return StatusText("●", "thinking", since, "busy")
    if store.phase == "writing":
        return StatusText("●", "writing", since, "busy")
    if store.phase == "calling" and store.streaming is not None:
        size = getattr(store.streaming, "input_size", 0)
        much = f"{size:,}" if size < 1000 else f"{size / 1000:,.1f}k"
        return StatusText(
            "●", "preparing", f"{describe(getattr(store.streaming, 'name', ''))}  {much} characters", "busy"
        )
    if store.phase == "tool" and store.running:
        return _in_tools(store, now)
    return StatusText("●", "waiting for the model", since, "busy")


def _in_tools(store: RunStore, now: float) -> StatusText:
    """What runs, and what waits behind it; in the moment before the first one runs, that it begins."""
    calls = list(store.running.values())
    running = [call for call in calls if call.state == "running"]
    first = (running or calls)[0]
    folder = store.loaded.cwd if store.loaded else ""
    about = f"{describe(first.name)}  {key_argument(first.name, first.arguments, folder)}".rstrip()
    if not running:
        return StatusText("●", "starting", about, "busy")
    more, waiting = len(running) - 1, len(calls) - len(running)
    others = f"  and {more} more" if more else ""
    behind = f"  {waiting} waiting" if waiting else ""
    return StatusText("●", "running", f"{about}{others}{behind}  {clock(now - first.at)}", "busy")


def _own_commands(store: RunStore, now: float) -> str:
    """What the person runs while the agent is at rest, and for how long: its row may be out of sight."""
    first, *more = store.shells.values()
    others = f"  and {len(more)} more" if more else ""
    return f"{one_line(str(first.arguments.get('command', '')))}{others}  {clock(now - first.at)}"


def _silent(store: RunStore, now: float, key: str) -> StatusText | None:
    """A tool may be silent as long as it likes; a model may not."""
    silent = now - store.heard_at
    if store.phase == "tool" or silent < SILENT_AFTER:
        return None
    way_out = f"  {key} interrupts" if key else ""
    return StatusText("◌", "silent", f"nothing came for {clock(silent)}{way_out}", "attention")


def _compacting(store: RunStore, now: float, key: str) -> StatusText:
    """The engine tells nothing until it is done, so that its silence is none."""
    since = now - store.phase_since
    way_out = f"  {key} interrupts" if key and since >= SILENT_AFTER else ""
    return StatusText("●", "compacting the conversation", f"{clock(since)}{way_out}", "busy")


def _asking(store: RunStore, now: float) -> StatusText:
    questions = list(store.questions.values())
    first, more = questions[0], len(questions) - 1
    others = f"  and {more} more" if more else ""
    behind = sum(call.state == "waiting" for call in store.running.values())
    after = f"  {behind} wait{'s' if behind == 1 else ''} behind it" if behind else ""
    about = describe(asked_by(first.call, first.tool))
    return StatusText("⚑", "waiting for you", f"{about}{others}{after}  {clock(now - first.at)}", "attention")


def _retrying(store: RunStore, now: float) -> StatusText:
    retry = store.retry
    assert retry is not None
    left = max(0.0, retry.at + retry.delay - now)
    why = " ".join(str(part) for part in (retry.status, one_line(retry.reason)) if part)
    when = f"in {clock(left)}" if left else "now"
    return StatusText("↻", f"API retry {retry.attempt} of {retry.limit}", f"{when}  {why}".rstrip(), "attention")


def _limit(store: RunStore, now: float) -> StatusText | None:
    limit = store.limit
    if limit is None or limit.status != "rejected" or not limit.resets_at or limit.resets_at <= now:
        return None
    return StatusText("‖", "rate-limited", until(limit.resets_at, now), "attention")


def _waiting(store: RunStore, now: float, key: str) -> StatusText:
    assert store.planned is not None
    days, left = divmod(max(0.0, store.planned.due - now), 86_400)
    when = f"{int(days)} d {clock(left)}" if days else clock(left)
    way_out = f"  {key} calls it off" if key else ""
    return headline(store)._replace(detail=f"goes on in {when}{way_out}")


def _end(store: RunStore) -> Phase:
    """What a run had come to when it ended, as the list of kept runs has it."""
    reason = store.ended.reason if store.ended is not None else ""
    if reason in (GONE, CUT):  # of a turn that was cut short, its own end says so
        return store.last_outcome or "interrupted"
    if reason not in ("", "closed", "cancelled") or store.failure is not None:
        return "failed"
    return store.last_outcome or "ended"


def _ended(store: RunStore, now: float) -> StatusText:
    """When it ended, and what it has taken altogether; of one that was not there to tell, when it was heard last."""
    why = store.ended.reason if store.ended is not None and store.ended.reason in (GONE, CUT) else ""
    at = store.phase_since if store.ended is None else store.ended.at
    when = f"{f'{why}, last heard of' if why else 'ended'} {_moment(at, now)}"
    return headline(store)._replace(detail="  ".join([when, *(_taken(store) if store.figures.turns else ())]))


def _settled(store: RunStore, now: float, changes_key: str) -> StatusText:
    parts = _taken(store)
    if store.snapshot is not None and store.snapshot.files:
        changed = changed_words(store.snapshot.files, store.snapshot.added, store.snapshot.deleted)
        parts.append(f"{changed} ({changes_key})" if changes_key else changed)
    if store.phase == "failed" and (why := _failure(store, now)):
        parts.insert(0, why)
    return headline(store)._replace(detail="  ".join(parts))


def _taken(store: RunStore) -> list[str]:
    """Time and money of all turns."""
    figures = store.figures
    parts = [clock(figures.settled.duration_ms / 1000)]
    if figures.settled.cost_usd is not None:
        sign = "≥" if figures.has_unpriced else "~" if figures.is_estimate else ""
        parts.append(f"{sign}{dollars(figures.settled.cost_usd)}")
    return parts


def changed_words(files: int, added: int, deleted: int) -> str:
    """How much was changed: +120 -14 in 6 files."""
    names = f"{files:,} {'file' if files == 1 else 'files'}"
    return f"{lines} in {names}" if (lines := changed_lines(added, deleted)) else names


def changed_lines(added: int | None, deleted: int | None) -> str:
    """How many lines: +120 -14; nothing if none were, or none are known."""
    return " ".join(f"{sign}{number:,}" for sign, number in (("+", added), ("-", deleted)) if number)


def _failure(store: RunStore, now: float) -> str:
    failure = store.failure
    if failure is None:
        return ""
    when = f"  {until(failure.retry_at, now)}" if failure.retry_at and failure.retry_at > now else ""
    ended_by = end_of(failure)
    is_plain = ended_by != failure.error or failure.error == NOT_STARTED  # it needs no name
    what = title(failure).lower() if is_plain else f"{failure.error}: {failure.kind}"
    what = "rate-limited" if failure.kind == "rate_limit" else what
    return one_line(what) + when


def _moment(at: float, now: float) -> str:
    return moment(at, now, form="%H:%M:%S", unknown="at an unknown time")


def clock(seconds: float) -> str:
    """A duration as people read it: 0.4 s, 12 s, 2:05, 1:02:05."""
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = max(10, int(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
