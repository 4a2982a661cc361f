"""`maverick runs replay`: a kept run plays again in the application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.runs import RunId


def replay_run(
    run: RunId,
    speed: Annotated[
        float, typer.Option("--speed", min=0.1, max=1_000, metavar="N", help="So many times as fast as it was.")
    ] = 1.0,
) -> None:
    """Play a run again as it was on the screen: no model, no tools, nothing is sent.

    It has its own rhythm, with waits of more than two seconds cut short; its keys are shown below the time line.
    """
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.folders import find_run
    from maverick_tui.ui.launch import Launch
    from maverick_tui.ui.replay.recording import read_recording

    run_id = find_run(run)
    if not is_terminal():
        raise ConfigError(
            "A run plays again in the application, which needs a terminal.",
            hint=f"Read it with `maverick runs export {run_id}`, or record it with `--format cast`.",
        )
    raise typer.Exit(open_app(Launch(Path.cwd(), replays=read_recording(run_id), speed=speed)))
