"""`maverick agents`: what there is, what it may do, what is wrong with it, and whether it is trusted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.discovery import Catalog
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.yaml_nodes import Json

_EXIT_CODES = """\b
Exit codes:
  0  fine
  1  problems found (check), or the command failed
  2  wrong usage
  3  no such agent
  4  not trusted"""

agents_app = typer.Typer(
    help="List, show, check and trust agents.", epilog=_EXIT_CODES, rich_markup_mode=None, no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _names(incomplete: str) -> list[str]:
    """Completion in the shell."""
    return [agent.name for agent in _discover().agents if agent.name.startswith(incomplete)]


AgentName = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.", autocompletion=_names)]


@agents_app.command("list", epilog=_EXIT_CODES)
def list_agents(as_json: AsJson = False) -> None:
    """List the agents of this folder, of the user, of installed packages and of Maverick.

    JSON: {"agents": [{name, description, source, form, path, model, tools, problems, needs_trust}], "problems": [...]}
    """
    catalog = _discover()
    if as_json:
        _print_json(
            {
                "agents": [agent.to_json() for agent in catalog.agents],
                "problems": [dict(problem.to_json()) for problem in catalog.problems],
            }
        )
        return
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.cli.table import catalog_lines

    for line in catalog_lines(catalog, TrustStore()):
        typer.echo(line)


@agents_app.command("show", epilog=_EXIT_CODES)
def show_agent(name: AgentName, as_json: AsJson = False) -> None:
    """Show what an agent is, what it may do, and what would ask first; nothing of it is run unless it is trusted."""
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.cli.xray import xray
    from maverick_tui.cli.xray_text import xray_lines

    view = xray(_find(name), TrustStore())
    if as_json:
        _print_json(view.to_json())
        return
    for line in xray_lines(view):
        typer.echo(line)


@agents_app.command("check", epilog=_EXIT_CODES)
def check_agents(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A file or a folder; all agents by default.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check agent files; leaves with 1 if any of them has an error.

    JSON: {"problems": [{path, line, severity, message, hint}], "checked": number of files}
    """
    from maverick_tui.agent.catalog.discovery import lint
    from maverick_tui.agent.catalog.problems import errors
    from maverick_tui.cli.table import problem_lines, problem_summary

    if path is not None and not os.path.lexists(path):
        raise typer.BadParameter(f"{str(path)!r} does not exist.", param_hint="PATH")
    catalog = _discover() if path is None else lint(path)
    if as_json:
        problems: list[Json] = [dict(problem.to_json()) for problem in catalog.problems]
        _print_json({"problems": problems, "checked": catalog.checked})
    else:
        for line in problem_lines(catalog.problems):
            typer.echo(line)
        typer.echo(problem_summary(catalog))
    if errors(catalog.problems) or (strict and catalog.problems):
        raise typer.Exit(1)


@agents_app.command("trust", epilog=_EXIT_CODES)
def trust_agent(
    name: AgentName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no more.")] = False,
    as_json: AsJson = False,
) -> None:
    """Trust a project's agent: its code, or the commands in it, may run. A change of the file ends the trust.

    JSON: {"name": ..., "files": [{path, sha256, trusted}]}
    """
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore, fingerprint
    from maverick_tui.cli.table import display_path

    store, files = TrustStore(), prepare(_find(name)).to_trust
    changed = [file for file in files if revoke or not store.is_trusted(*file)]
    if not as_json:
        if not changed:
            typer.echo(f"{name} is trusted already." if files else f"{name} needs no trust.")
        for path, content in changed:
            typer.echo(f"{display_path(str(path))}\n  sha256 {fingerprint(content)}, {len(content):,} bytes")
    if changed and not revoke and not yes:
        if not sys.stdin.isatty():
            raise NotTrustedError(
                f"{name!r} was not trusted: nobody is there to be asked.",
                hint=f"Read the file, then run: maverick agents trust {name} --yes",
            )
        if not typer.confirm("Have you read it, and may it run on this machine?", err=True):
            raise NotTrustedError(f"{name!r} was not trusted.", hint="Nothing was changed.")
    for path, content in changed:
        if revoke:
            store.revoke(path)
        else:
            store.trust(path, content)
    if as_json:
        listed: list[Json] = [
            {"path": str(path), "sha256": fingerprint(content), "trusted": not revoke} for path, content in files
        ]
        _print_json({"name": name, "files": listed})
    elif changed:
        typer.echo(f"{name} is {'not trusted any more' if revoke else 'trusted'}.")


def _discover() -> Catalog:
    from maverick_tui.agent.catalog.discovery import discover
    from maverick_tui.exceptions import ConfigError

    try:
        cwd = Path.cwd()
    except OSError as error:
        raise ConfigError("The working directory is gone.", hint="Change to a folder that exists.") from error
    return discover(cwd)


def _find(name: str) -> AgentListing:
    """The agent of that name; if only a broken file could hold it, what is wrong with that file."""
    from maverick_tui.exceptions import AgentNotFoundError, ConfigError

    catalog = _discover()
    try:
        return catalog.get(name)
    except AgentNotFoundError:
        for problem in catalog.problems:
            if problem.is_error and Path(problem.path).stem == name:
                where = f"{problem.path}:{problem.line}" if problem.line else problem.path
                message = f"The agent {name!r} cannot be read. {where}: {problem.message}"
                raise ConfigError(message, path=problem.path, line=problem.line, hint=problem.hint) from None
        raise


def _print_json(data: Json) -> None:
    # Everything beyond ASCII is escaped, so nothing in it can steer a terminal.
    typer.echo(json.dumps(data, indent=2, ensure_ascii=True))
