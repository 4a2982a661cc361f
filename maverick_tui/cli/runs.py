"""`maverick runs`: the runs that are kept."""

from __future__ import annotations

import typer

from maverick_tui.cli.exit_codes import EPILOG

runs_app = typer.Typer(epilog=EPILOG, rich_markup_mode=None)


@runs_app.callback(invoke_without_command=True)
def runs(context: typer.Context) -> None:
    """List, search, export and remove the runs that are kept."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@runs_app.command("path", short_help="Print where a run is kept.", epilog=EPILOG)
def path(run: str) -> None:
    """Print the journal of a run; its id may be shortened to what is unique."""
    from maverick_tui.journal.folders import find_run, journal_of

    typer.echo(journal_of(find_run(run)))
