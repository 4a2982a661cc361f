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
            help="Its id, or the beginning of it; by default the one that was started last. HOST:RUN is one on "
            "another machine, HOST: the last one there.",
            autocompletion=complete_hosted,
        ),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look on, and send nothing.")] = False,
) -> None:
    """Show a run that has a process of its own: what it has told, and what it tells from now on.

    What you send goes to it; several may look at the same run, and whoever answers first has answered. Leaving leaves
    it at work.

    Another machine is reached by your own ssh, which must get there without asking you anything. If the line breaks it
    comes back by itself; what you send meanwhile waits for that.
    """
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.launch import Launch

    machine, run_id = _hosted(run)
    if not is_terminal():
        raise ConfigError("A run is shown in the application, which needs a terminal.", hint="Start it in one.")
    launch = Launch(Path.cwd(), agent="", attaches=run_id, machine=machine, is_read_only=read_only)
    raise typer.Exit(open_app(launch))


def _hosted(start: str | None) -> tuple[str, str]:
    """The machine, if it is another one, and the id of the run with a host that begins so, or was started last."""
    from maverick_tui.host.far.machines import find_machine, machine_and_run
    from maverick_tui.host.finding import find_hosted_run

    name, run = machine_and_run(start or "")
    if not name:
        return "", find_hosted_run(run)
    import asyncio

    from maverick_tui.host.far.asking import find_there

    return name, asyncio.run(find_there(find_machine(name), run))
