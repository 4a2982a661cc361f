"""What `maverick run` goes on from: a run that is resumed, or a fork of one; and what is said to which agent then."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.forking import parse_place, to_fork
from maverick_tui.history.going_on import GoingOn, to_go_on
from maverick_tui.journal.folders import find_run


class FoundPast(NamedTuple):
    """The past of a run, and what is left of the arguments."""

    goes_on: GoingOn
    agent: str
    prompt: str | None


def find_past(
    resume: str | None,
    fork: str | None,
    agent: str | None,
    prompt: str | None,
    cwd: Path | None,
    *,
    model: str = "",
    has_script: bool,
) -> FoundPast:
    """What the run goes on from, in a folder that is there. One of `resume` and `fork` is given."""
    run_id, turn = (find_run(resume), None) if resume is not None else parse_place(fork or "")
    found = to_go_on(run_id) if resume is not None else to_fork(run_id, turn, model=model, has_script=has_script)
    if agent is not None and prompt is None and agent != found.agent:
        agent, prompt = None, agent
    if agent is not None and resume is not None:
        found = found.by(agent)
    elif agent not in (None, found.agent):
        found = to_fork(run_id, turn, agent=agent or "", model=model, has_script=has_script)
    if model and resume is not None:
        found = found._replace(past=found.past._replace(model=model))
    folder = (cwd or found.folder).absolute()
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder} to work in.", hint="Name another one with --cwd DIR.")
    return FoundPast(found._replace(folder=folder), found.agent, prompt)
