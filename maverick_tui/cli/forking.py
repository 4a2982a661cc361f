"""`maverick runs fork`: a run that goes on from a turn of another one, in the application."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.runs import complete_run

Place = Annotated[
    str,
    typer.Argument(
        metavar="RUN[@TURN]",
        help="After which turn: RUN@2, RUN@0 before the first, RUN after the last.",
        autocompletion=complete_run,
    ),
]


def fork_run(
    place: Place,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Let another agent go on from there.")
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="Let another model answer from there on.")] = "",
    prompt: Annotated[str | None, typer.Option("--prompt", metavar="TEXT", help="What it should do.")] = None,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIR", help="Work there instead, if its folder is gone.")
    ] = None,
) -> None:
    """Begin a run with the conversation of another one up to the end of a turn; the other one stays as it is.

    The agent has no more than it had there. The other run may be alive.
    """
    from maverick_tui.cli.launching import is_terminal, open_app, typed
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.forking import parse_place, to_fork
    from maverick_tui.ui.launch import Launch

    run_id, turn = parse_place(place)
    found = to_fork(run_id, turn, agent=agent or "", model=model)
    folder = (cwd or found.folder).expanduser()
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder} to work in.", hint="Name another one with --cwd DIR.")
    if not is_terminal():
        raise ConfigError(
            "A fork is opened in the application, which needs a terminal.",
            hint=f"Start it in one, or use `maverick run --fork {place} PROMPT`.",
        )
    os.chdir(folder)
    words = typed(prompt) if prompt is not None else None
    raise typer.Exit(open_app(Launch(Path.cwd(), found.agent, words, forks=found._replace(folder=Path.cwd()))))
