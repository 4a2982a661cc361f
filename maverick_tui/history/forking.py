"""Forks of kept runs: which run and which turn somebody means, and what the fork goes on from."""

from __future__ import annotations

import time
import uuid

from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.going_on import GoingOn, folder_of, scripted
from maverick_tui.history.reading import read_told
from maverick_tui.journal.folders import find_run
from maverick_tui.runs.forking import fork_of


def parse_place(text: str) -> tuple[str, int | None]:
    """The id of the run and the turn after which it is forked, of `RUN@TURN`; None, its end, where none is named."""
    start, mark, turn = text.partition("@")
    if mark and not (turn.isascii() and turn.isdigit()):
        raise ConfigError(
            f"{text!r} names no turn of a run: {turn!r} is not a number.",
            hint="Write RUN@TURN: RUN@2 goes on after its second turn, RUN@0 before the first, RUN after the last.",
        )
    return find_run(start), int(turn) if mark else None


def told_by(run_id: str) -> list[Event]:
    """What a kept run has told, with an end unless it is alive. ConfigError if it cannot be read."""
    told = read_told(run_id)
    if told.reading.problem:
        raise ConfigError(told.reading.problem, hint=f"Read what there is with `maverick runs export {run_id}`.")
    if not told.events:
        raise ConfigError(f"The run {run_id} has not told anything.", hint="Start the agent anew.")
    return told.events


def to_fork(run_id: str, turn: int | None, *, agent: str = "", model: str = "", has_script: bool = False) -> GoingOn:
    """A fork of a kept run after that turn, of its agent and model or of others; the run itself may be alive.

    ConfigError if there is no such turn, the run cannot be read, or only a script has known it.
    """
    at = round(time.time(), 3)
    fork = fork_of(told_by(run_id), turn, uuid.uuid4().hex[:12], at=at, agent=agent, model=model)
    loaded = fork.past.loaded
    if loaded is None:
        raise ConfigError(f"The agent of the run {run_id} was never loaded.", hint="Start the agent anew.")
    if loaded.is_offline and not has_script:
        raise scripted(run_id)
    return GoingOn(fork.run_id, fork.agent, folder_of(loaded), fork.past, None)
