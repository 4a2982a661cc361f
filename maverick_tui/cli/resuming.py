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
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="The agent that continues a session of Claude Code, if not Claude Code itself.",
        ),
    ] = "",
) -> None:
    """Go on with a run that has ended, failed or was interrupted: with its conversation, and no more than it had.

    A session of Claude Code goes on as a run: it is kept from then on, and asks before it writes or runs anything.
    """
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.going_on import to_go_on
    from maverick_tui.journal.folders import find_run
    from maverick_tui.ui.launch import Launch

    found = to_go_on(find_run(run))
    found = found.by(agent) if agent else found
    folder = (cwd or found.folder).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder} to work in.", hint="Name another one with --cwd DIR.")
    if not is_terminal():
        raise ConfigError("A run goes on in the application, which needs a terminal.", hint="Start it in one.")
    os.chdir(folder)
    raise typer.Exit(open_app(Launch(Path.cwd(), found.agent, resumes=found.run_id)))
