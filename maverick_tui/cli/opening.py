"""`maverick runs open`: a kept run, read in the application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.runs import RunId


def open_run(
    run: RunId,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="EVENT", min=0, help="Open it there; `runs search --json` tells where."),
    ] = None,
) -> None:
    """Read a run in the application; what is sent to it there makes it go on."""
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.folders import find_run, journal_of
    from maverick_tui.journal.reading import read_journal
    from maverick_tui.ui.launch import Launch

    run_id = find_run(run)
    if not is_terminal():
        raise ConfigError(
            "A run is opened in the application, which needs a terminal.",
            hint=f"Read it with `maverick runs show {run_id}`, or `maverick runs export {run_id}`.",
        )
    if (journal := journal_of(run_id)).exists():
        read_journal(journal, until=1)  # one of a newer version is refused here, where its hint can be read
    raise typer.Exit(open_app(Launch(Path.cwd(), agent="", opens=run_id, opens_at=at)))
