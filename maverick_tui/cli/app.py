"""The commands and their options; what they need is imported when they run, so that --help is fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from maverick_tui import __version__
from maverick_tui.cli.agents import agents_app


@dataclass(slots=True)
class Options:
    """Options that hold for every command."""

    debug: bool = False


options = Options()

# Plain text: file names and descriptions are not markup, and rich takes longer to import than we take to run.
app = typer.Typer(
    name="maverick",
    help="Mission control for coding agents in the terminal.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(agents_app, name="agents")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maverick {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Mission control for coding agents in the terminal."""
    options.debug = debug
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
