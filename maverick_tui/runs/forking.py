"""Forks: a run that begins with what another one has told, up to the end of one of its turns, and goes on by itself.

The journal of a fork has all of it, so it can be read when the other run is gone. The figures stay with the other run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from maverick_tui.events import kinds as ev
from maverick_tui.events.conversations import ConversationReader
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.modes import narrower
from maverick_tui.runs.fuses import Fuse
from maverick_tui.runs.past import Past, read_past
from maverick_tui.usage import Usage

_INHERITED = frozenset(
    kind.type
    for kind in (
        ev.TurnStarted,
        ev.PromptSent,
        ev.TurnEnded,
        ev.BlockStarted,
        ev.BlockGrew,
        ev.BlockEnded,
        ev.ReplyRestarted,
        ev.ToolCalled,
        ev.ToolBegan,
        ev.ToolFinished,
        ev.TaskProgressed,
        ev.Noticed,
        ev.ListShown,
    )
)
"""What was said and done; all else was the other run's own affair."""


class Fork(NamedTuple):
    """A run that goes on from the end of a turn of another one."""

    run_id: str
    agent: str
    """Whose run it is: the agent of the other run, or another one."""
    past: Past


def last_turn(events: Sequence[Event]) -> int:
    """The last turn that has ended; 0 if none has."""
    return max((event.turn for event in events if isinstance(event, ev.TurnEnded)), default=0)


def prompt_of(events: Sequence[Event], turn: int) -> str:
    """What a person has asked in that turn; empty if there is none, or nobody has asked."""
    return next(
        (
            event.text
            for event in events
            if isinstance(event, ev.TurnStarted) and event.turn == turn and event.origin == "person"
        ),
        "",
    )


def turn_of(events: Sequence[Event], turn: int | None) -> int:
    """The turn after which a run can be forked; None is the last that has ended. ConfigError if it cannot be after it.

    0 is before the first.
    """
    last = last_turn(events)
    if turn is None or 0 <= turn <= last:
        return last if turn is None else turn
    goes_on = any(isinstance(event, ev.TurnStarted) and event.turn == turn for event in events)
    why = "that one still goes on" if goes_on else f"it has {last}" if last else "none has ended"
    raise ConfigError(
        f"The run {_beginning(events).run_id} cannot be forked after turn {turn}: {why}.",
        hint=f"Name a turn from 0, which is before the first, to {last}." if last else "Fork it at 0.",
    )


def _beginning(events: Sequence[Event]) -> ev.RunStarted:
    began = events[0]
    assert isinstance(began, ev.RunStarted)
    return began


def fork_of(
    events: Sequence[Event], turn: int | None, run_id: str, *, at: float, agent: str = "", model: str = ""
) -> Fork:
    """A fork after that turn, as `turn_of` has it, with this id.

    The same agent has the model that a person had chosen for it by then, if no other is named; and the mode of then, or
    that of now if it is narrower: whoever only plans by now does not expect what they fork to write.
    """
    began, turn = _beginning(events), turn_of(events, turn)
    end = next(
        (number for number, event in enumerate(events, 1) if isinstance(event, ev.TurnEnded) and event.turn == turn), 0
    )
    told = events[:end]
    before = read_past(events[: _loading_ends(events, end)])
    same = before.loaded.agent if before.loaded is not None else began.agent
    agent = agent or same
    model = model or (before.model if agent == same else "")
    start = ev.RunStarted(min(began.at, at), run_id, agent, forked_from=began.run_id, forked_turn=turn)
    forked = replace(_forked(events, end, turn, at), model=model)
    said = (_without_figures(event) for event in told if _is_inherited(event))
    inherited = [start, *said, forked, *_fuses_of(events, at)]
    mine = read_past(inherited)
    now = next((event.mode for event in reversed(events) if isinstance(event, ev.ModeChanged)), "")
    mode = narrower(before.mode, now)
    return Fork(run_id, agent, mine._replace(loaded=before.loaded, mode=mode, is_fork=True))


def _fuses_of(events: Sequence[Event], at: float) -> list[Event]:
    """What the run was given, for the fork to use anew: whoever holds a run does not expect what they fork to go on."""
    told = next((event.fuses for event in reversed(events) if isinstance(event, ev.FusesSet)), ())
    given = [fuse._replace(extended=0.0) for one in told if (fuse := Fuse.from_json(one)) and fuse.scope == "run"]
    return [ev.FusesSet(at, tuple(fuse.to_json() for fuse in given))] if given else []


def _loading_ends(events: Sequence[Event], end: int) -> int:
    """How far to read to know what the agent was: a fork before the first turn knows it, too."""
    if any(isinstance(event, ev.AgentLoaded) for event in events[:end]):
        return end
    return next((number for number, event in enumerate(events, 1) if isinstance(event, ev.AgentLoaded)), end)


def _is_inherited(event: Event) -> bool:
    return event.type in _INHERITED and not (isinstance(event, ev.Noticed) and event.kind == "journal")


def _without_figures(event: Event) -> Event:
    if isinstance(event, ev.TurnEnded):
        return replace(event, usage=Usage(duration_ms=event.usage.duration_ms), api_ms=0, steps=0, is_estimate=False)
    return event


def _forked(events: Sequence[Event], end: int, turn: int, at: float) -> ev.RunForked:
    """Where the engine finds the conversation, if it has told; not where the end of the turn is one of many places."""
    reader, found, place = ConversationReader(), "", ""
    for number, event in enumerate(events, 1):
        reader.read(event)
        if number == end:
            found, place = reader.conversation, reader.place
        elif 0 < end < number and isinstance(event, ev.RunForked):  # the turn is another run's already
            found = event.conversation
            place = event.place if _beginning(events).forked_turn == turn else place
    is_last = not any(isinstance(event, ev.TurnStarted) for event in events[end:])
    if not found or not (place or is_last):
        return ev.RunForked(at)
    return ev.RunForked(at, found, place, tuple(asdict(used) for used in reader.counts(found) if any(used.tokens)))
