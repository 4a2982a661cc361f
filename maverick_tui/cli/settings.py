"""`maverick config`: what is set and by what, where the file is, and a safe way to edit it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from maverick_tui.cli.exit_codes import EPILOG

config_app = typer.Typer(epilog=EPILOG, rich_markup_mode=None)


@config_app.callback(invoke_without_command=True)
def config(context: typer.Context) -> None:
    """Show and edit the settings."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@config_app.command("show", short_help="Show each setting, and where it comes from.", epilog=EPILOG)
def show(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; errors are text on stderr.")] = False,
) -> None:
    """Show what each setting is, and whether that is its default, or from the file, or from which variable.

    Secrets are masked. Options of a command, such as those of `maverick run`, win over all of it.

    JSON: {"file": ..., "exists": ..., "settings": [{name, value, origin, source, meaning}],
    "tables": {"keys": how many}}

    origin is default, file or environment, and source the file or the variable.
    """
    from maverick_tui.config import config_file
    from maverick_tui.settings_told import settings_told, tables_beside

    told, file = settings_told(), config_file()
    tables = tables_beside(file)
    if as_json:
        settings = [one._asdict() for one in told]
        found = {"file": str(file), "exists": file.exists(), "settings": settings, "tables": tables}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=True))
        return
    from maverick_tui.cli.settings_text import write_settings

    write_settings(file, told, tables)


@config_app.command("path", short_help="Print where the settings are.", epilog=EPILOG)
def path() -> None:
    """Print the file of your settings, which need not be there."""
    from maverick_tui.config import config_file

    typer.echo(config_file())


@config_app.command("edit", short_help="Edit the settings, and check them.", epilog=EPILOG)
def edit() -> None:
    """Edit the settings in your editor, which is the one that git would open.

    What you write is checked before it counts. A file that is not there is made, with a comment on each setting.
    """
    from maverick_tui.cli.asking import require_no_agent
    from maverick_tui.cli.layout import display_path
    from maverick_tui.cli.settings_edit import edit_settings
    from maverick_tui.config import config_file

    require_no_agent()
    outcome = edit_settings()
    typer.echo(f"{display_path(str(config_file()))}: {outcome}")
