"""Whether a kept run can go on, and what it goes on from."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from maverick_tui.events.kinds import AgentLoaded
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.reading import file_of, is_foreign, read_run
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.runs.past import Past, past_of

QUIET_FOR = 60.0
"""Seconds after which a session to which Claude Code has written nothing counts as left."""


class GoingOn(NamedTuple):
    """A run that may go on: its past, and how many bytes of its journal are whole."""

    run_id: str
    agent: str
    folder: Path
    """Where it has worked; it may be gone."""
    past: Past
    size: int | None
    """None where its journal is still to be written, with all its past in it: that of a fork, or of a session."""
    is_foreign: bool = False
    """Whether it is a session of Claude Code, which removes what is old, and which any agent may go on with."""

    @property
    def had_worktree(self) -> bool:
        """Whether it has worked in a worktree of its own, which `folder` is not."""
        return self.past.loaded is not None and bool(self.past.loaded.project)

    @property
    def is_of_script(self) -> bool:
        """Whether it is a fork of a run that a script has played, and perhaps still does."""
        return self.past.is_fork and self.past.loaded is not None and self.past.loaded.is_offline

    def by(self, agent: str) -> GoingOn:
        """The same with that agent. ConfigError if it is a run of another one: what that may do is another matter."""
        if agent == self.agent or self.is_foreign:
            return self._replace(agent=agent)
        raise ConfigError(
            f"{self.run_id} is a run of {self.agent!r}, and goes on with it.",
            hint=f"Name no agent, or fork it for another one: `maverick runs fork {self.run_id} --agent {agent}`.",
        )


def to_go_on(run_id: str) -> GoingOn:
    """What a run goes on from. ConfigError if it cannot: it is alive, damaged, or was played by a script."""
    if is_alive(journal_of(run_id)):
        raise ConfigError(
            f"The run {run_id} is still going on.",
            hint=f"Go to it with `maverick attach {run_id}`, or where it was started.",
        )
    reading = read_run(run_id)
    if reading.problem:
        raise ConfigError(reading.problem, hint=f"Read what there is with `maverick runs export {run_id}`.")
    past = past_of(reading.events) if reading.events else None
    loaded = past.loaded if past is not None else None
    if past is None or loaded is None:
        raise ConfigError(f"The run {run_id} ended before its agent was loaded.", hint="Start the agent anew.")
    if loaded.is_offline:
        raise scripted(run_id)
    if is_foreign(run_id):
        _require_quiet(run_id)
        return GoingOn(run_id, loaded.agent, Path(loaded.cwd), past._replace(kept=0), None, is_foreign=True)
    return GoingOn(run_id, loaded.agent, folder_of(loaded), past, reading.size)


def folder_of(loaded: AgentLoaded) -> Path:
    """The folder that a run was started in: it may have worked in a worktree of its own."""
    return Path(loaded.project or loaded.cwd)


def scripted(run_id: str) -> ConfigError:
    """Why a run that a script has played cannot go on."""
    return ConfigError(
        f"The run {run_id} was played by a script, which knows nothing of it any more.",
        hint=f"Read it with `maverick runs show {run_id}`.",
    )


def _require_quiet(run_id: str) -> None:
    """ConfigError if Claude Code may be in the session: nothing else tells, and two would write to one file."""
    since = time.time() - file_of(run_id).stat().st_mtime
    if 0 <= since < QUIET_FOR:
        raise ConfigError(
            f"Claude Code has written to the session {run_id} {since:.0f} s ago, and may still be in it.",
            hint=f"End it there and try again in a minute, or go on beside it with `maverick runs fork {run_id}`.",
        )
