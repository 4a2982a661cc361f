"""`maverick agents`: what there is, what it may do, what is wrong with it, and whether it is trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.asking import is_anybody_there, require_no_agent, says_yes
from maverick_tui.cli.exit_codes import EPILOG, FAILED

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.discovery import Catalog
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.catalog.yaml_nodes import Json

agents_app = typer.Typer(epilog=EPILOG, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; errors are text on stderr.")]


@agents_app.callback(invoke_without_command=True)
def agents(context: typer.Context) -> None:
    """List, show, check and trust agents."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def complete_agent(incomplete: str) -> list[str]:
    """Completion in the shell."""
    return [agent.name for agent in _discover().agents if agent.name.startswith(incomplete)]


AgentName = Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.", autocompletion=complete_agent)]


@agents_app.command("list", short_help="List all agents.", epilog=EPILOG)
def list_agents(as_json: AsJson = False) -> None:
    """List the agents of this folder, your own, those of installed packages and those that come with Maverick.

    JSON: {"agents": [{name, description, source, form, path, model, tools, problems, needs_trust, stands_in_for,
    inputs}], "shadowed": [the same, hidden by nearer ones of their name],
    "problems": [{path, line, severity, message, hint}]}
    """
    from maverick_tui.cli.place import tell_of_stranger

    tell_of_stranger(Path.cwd())
    catalog = _discover()
    if as_json:
        _print_json(
            {
                "agents": [agent.to_json() for agent in catalog.agents],
                "shadowed": [agent.to_json() for agent in catalog.shadowed],
                "problems": [dict(problem.to_json()) for problem in catalog.problems],
            }
        )
        return
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.cli.agents_text import catalog_lines

    typer.echo("\n".join(catalog_lines(catalog, TrustStore())))


@agents_app.command("show", short_help="Show one agent: what it may do, what asks first.", epilog=EPILOG)
def show_agent(name: AgentName, as_json: AsJson = False) -> None:
    """Show what an agent is, what it may do, and what asks first; none of its code runs unless it is trusted.

    JSON: {name, description, source, form, path, trust, stands_in_for, model, permission_mode, names_tools, may, asks,
    limits, mcp_servers, hooks, skills, effort, inputs, initial_prompt, prompt, unknown, problems, forecast}

    model, permission_mode and each of limits are {value, from}, where from is agent, settings, default or unknown;
    may and asks are lists of tools, or null if only running the file would tell; unknown names such settings. forecast
    is {runs, cost_usd, seconds}, with p50 and p90 of the agent's past runs, or null if fewer than three are kept.
    """
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.xray import xray
    from maverick_tui.cli.agents_text import xray_lines
    from maverick_tui.history.forecast import forecast

    view = xray(_find(name), TrustStore())
    expected = forecast(view.listing.name)
    if as_json:
        _print_json({**view.to_json(), "forecast": None if expected is None else expected.to_json()})
        return
    typer.echo("\n".join(xray_lines(view, [] if expected is None else [expected.row])))


@agents_app.command("check", short_help="Check agent files for mistakes.", epilog=EPILOG)
def check_agents(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A file or folder; by default all that are found from here.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check agent files without running them; exits with 1 if any of them has an error.

    JSON: {"problems": [{path, line, severity, message, hint}], "checked": number of files}
    """
    from maverick_tui.agent.catalog.discovery import lint
    from maverick_tui.agent.catalog.folders import is_missing
    from maverick_tui.agent.catalog.problems import errors
    from maverick_tui.cli.agents_text import problem_lines, problem_summary, stand_in_lines
    from maverick_tui.cli.layout import wrap

    if path is not None and is_missing(path):
        raise typer.BadParameter(f"{str(path)!r} does not exist.", param_hint="PATH")
    catalog = _discover() if path is None else lint(path)
    if as_json:
        problems: list[Json] = [dict(problem.to_json()) for problem in catalog.problems]
        _print_json({"problems": problems, "checked": catalog.checked})
    else:
        notes = [*problem_lines(catalog.problems), *stand_in_lines(catalog)]
        typer.echo("\n".join([*notes, *wrap(problem_summary(catalog))]))
    if errors(catalog.problems) or (strict and catalog.problems):
        raise typer.Exit(FAILED)


@agents_app.command("trust", short_help="Trust a project's agent, so that it may run.", epilog=EPILOG)
def trust_agent(
    name: AgentName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Trust a project's agent: its code, or the commands in it, may run. A change of the file ends the trust.

    For an agent of your own it is about starting its hooks and MCP servers in this folder, whose code they may run.

    JSON: {"name": ..., "files": [{path, sha256, trusted}]}
    """
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.agent.catalog.trust import TrustStore, fingerprint

    require_no_agent()
    store, prepared = TrustStore(), prepare(_find(name))
    files = prepared.to_trust
    changed = [file for file in files if (store.is_known(file[0]) if revoke else not store.is_trusted(*file))]
    is_asked = bool(changed) and not revoke and not yes
    if is_asked or not as_json:
        for path, content in changed:
            is_whole = is_asked or path == prepared.commands  # those stand in no file of this folder
            typer.echo(_told_to_trust(_called(path, prepared.commands), content, is_whole=is_whole), err=as_json)
    if is_asked:
        _ask_for_trust(name, [_called(path, prepared.commands) for path, _ in changed])
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
    elif not files:
        typer.echo(f"{name} needs no trust.")
    elif revoke:
        typer.echo(f"{name} is no longer trusted." if changed else f"{name} was not trusted.")
    else:
        typer.echo(f"{name} is trusted." if changed else f"{name} is trusted already.")


def _told_to_trust(called: str, content: bytes, *, is_whole: bool) -> str:
    """What is to be trusted; if it `is_whole`, every line of it, unmasked: what is trusted is seen."""
    from maverick_tui.agent.catalog.trust import fingerprint
    from maverick_tui.cli.layout import terminal_width

    head = f"{called}\n  sha256 {fingerprint(content)}, {len(content):,} bytes"
    if not is_whole:
        return head
    from maverick_tui.ui.rendering.source_lines import source_lines

    rows = ("".join(text for text, _ in line) for line in source_lines(content, terminal_width() - 2))
    return "\n".join((head, *(f"  {row}".rstrip() for row in rows)))


COMMANDS = "the commands that it starts in this folder"


def _called(path: Path, commands: Path | None) -> str:
    from maverick_tui.cli.layout import display_path

    return COMMANDS if path == commands else display_path(str(path))


def _ask_for_trust(name: str, files: list[str]) -> None:
    """Return if a person says yes."""
    from maverick_tui.agent.catalog.trust import NotTrustedError

    if not is_anybody_there():
        raise NotTrustedError(
            f"{name!r} was not trusted: there is nobody to ask.",
            hint=f"Read {' and '.join(files)}, then run: maverick agents trust {name} --yes",
        )
    if not says_yes(f"Have you read {' and '.join(files)}, and may it run on this machine?"):
        raise NotTrustedError(f"{name!r} was not trusted.", hint="Nothing was changed.")


def _discover() -> Catalog:
    from maverick_tui.agent.catalog.discovery import discover

    return discover(Path.cwd())


def _find(name: str) -> AgentListing:
    """The agent of that name; if only a broken file could hold it, what is wrong with that file."""
    from maverick_tui.agent.catalog.problems import errors
    from maverick_tui.cli.place import tell_of_stranger
    from maverick_tui.exceptions import AgentNotFoundError, ConfigError

    tell_of_stranger(Path.cwd())
    catalog = _discover()
    try:
        return catalog.get(name)
    except AgentNotFoundError:
        listed = {str(agent.path) for agent in [*catalog.agents, *catalog.shadowed]}
        for problem in errors(catalog.problems):
            if Path(problem.path).stem == name and problem.path not in listed:
                where = f"{problem.path}:{problem.line}" if problem.line else problem.path
                message = f"The agent {name!r} cannot be read. {where}: {problem.message}"
                raise ConfigError(message, path=problem.path, line=problem.line, hint=problem.hint) from None
        raise


def _print_json(data: Json) -> None:
    # Everything beyond ASCII is escaped, so nothing in it can steer a terminal.
    typer.echo(json.dumps(data, indent=2, ensure_ascii=True))
