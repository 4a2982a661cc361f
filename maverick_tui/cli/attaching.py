"""`maverick attach`: a run that has a process of its own, on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.live import complete_hosted


def attach(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            show_default=False,
            help="Its id, or the beginning of it; by default the one that was started last.",
            autocompletion=complete_hosted,
        ),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look on, and send nothing.")] = False,
) -> None:
    """Show a run that has a process of its own: what it has told, and what it tells from now on.

    What you send goes to it; several may look at the same run, and whoever answers first has answered. Leaving leaves
    it at work.
    """
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.launch import Launch

    run_id = _hosted(run)
    if not is_terminal():
        raise ConfigError("A run is shown in the application, which needs a terminal.", hint="Start it in one.")
    raise typer.Exit(open_app(Launch(Path.cwd(), agent="", attaches=run_id, is_read_only=read_only)))


def _hosted(start: str | None) -> str:
    """The run with a host whose id begins so, or the one that was started last."""
    from maverick_tui.cli.live import find_any_run
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import has_host, hosted_runs, socket_of

    if start is not None:
        run_id = find_any_run(start)
        if not has_host(run_id):
            raise ConfigError(
                f"The run {run_id} has no process of its own.", hint=f"Read it with `maverick runs open {run_id}`."
            )
        return run_id
    live = [run_id for run_id in hosted_runs() if has_host(run_id)]
    if not live:
        raise ConfigError("No run has a process of its own now.", hint="Start one with `maverick run --detach`.")
    return max(live, key=lambda run_id: socket_of(run_id).stat().st_mtime)
