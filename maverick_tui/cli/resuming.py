"""`maverick runs resume`: a kept run goes on in the application."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.runs import RunId


def resume_run(
    run: RunId,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIR", help="Work there instead, if its folder is gone.")
    ] = None,
) -> None:
    """Go on with a run that has ended, failed or was interrupted: with its conversation, and no more than it had."""
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.folders import find_run, is_alive, journal_of
    from maverick_tui.journal.reading import read_journal
    from maverick_tui.runs.past import past_of
    from maverick_tui.ui.launch import Launch

    run_id = find_run(run)
    if is_alive(journal_of(run_id)):
        raise ConfigError(f"The run {run_id} is still going on.", hint="Go to it where it was started.")
    reading = read_journal(journal_of(run_id))
    if reading.problem:
        raise ConfigError(reading.problem, hint=f"Read what there is with `maverick runs export {run_id}`.")
    loaded = past_of(reading.events).loaded if reading.events else None
    if loaded is None:
        raise ConfigError(f"The run {run_id} ended before its agent was loaded.", hint="Start the agent anew.")
    if loaded.is_offline:
        raise ConfigError(
            f"The run {run_id} was played by a script, which knows nothing of it any more.",
            hint=f"Read it with `maverick runs show {run_id}`.",
        )
    folder = (cwd or Path(loaded.cwd)).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder} to work in.", hint="Name another one with --cwd DIR.")
    if not is_terminal():
        raise ConfigError("A run goes on in the application, which needs a terminal.", hint="Start it in one.")
    os.chdir(folder)
    raise typer.Exit(open_app(Launch(Path.cwd(), loaded.agent, resumes=run_id)))
