"""`maverick demo` and `maverick offline`: the scripted model, with the shipped agents at work or for any client."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.inert import inert

offline_app = typer.Typer(
    help="Serve a scripted model on loopback, and check scripts.", rich_markup_mode=None, no_args_is_help=True
)

ScriptFile = Annotated[Path, typer.Argument(metavar="FILE", help="A script (YAML).")]


def _stops(incomplete: str) -> list[str]:
    """Completion in the shell."""
    from maverick_tui.offline.demo.tour import TOUR

    return [stop.agent for stop in TOUR if stop.agent.startswith(incomplete)]


def demo(
    agent: Annotated[
        str | None,
        typer.Argument(metavar="AGENT", help="Only this agent; the whole tour by default.", autocompletion=_stops),
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Play without pauses.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the repository, to look at it afterwards.")] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the stops of the tour.")] = False,
) -> None:
    """See the agents at work, offline: a scripted model, a temporary repository, real tools. About a minute."""
    from maverick_tui.offline.demo.tour import TOUR

    if show_list:
        for stop in TOUR:
            typer.echo(f"{stop.agent:<12} {stop.shows}")
        return
    stops = [stop for stop in TOUR if agent in (None, stop.agent)]
    if not stops:
        from maverick_tui.exceptions import AgentNotFoundError

        raise AgentNotFoundError(str(agent), (stop.agent for stop in TOUR))
    from maverick_tui.cli.layout import Paper, terminal_width
    from maverick_tui.cli.tour import play_tour

    if code := play_tour(stops, Paper(sys.stdout, terminal_width()), fast=fast, keep=keep):
        raise typer.Exit(code)


@offline_app.command("serve")
def serve(
    script: Annotated[Path, typer.Option("--script", metavar="FILE", help="The script to play.")],
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 for a free one.")] = 0,
    until_eof: Annotated[bool, typer.Option("--until-eof", help="End when standard input ends.")] = False,
) -> None:
    """Serve a script on 127.0.0.1 until Ctrl+C; any client of the Messages API can be pointed at it.

    With a strict script it exits with 1 unless that was played as written.
    """
    import asyncio

    from maverick_tui.offline.loading import load_script
    from maverick_tui.offline.server import serve_until_told

    def announce(url: str) -> None:
        typer.echo(inert(f"Serving {script} at {url}"))
        typer.echo(f"  export ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=offline MAVERICK_OFFLINE=1")

    asyncio.run(serve_until_told(load_script(script), port, announce, until_eof=until_eof))


@offline_app.command("check")
def check(script: ScriptFile) -> None:
    """Check a script; every mistake is reported with its line."""
    from maverick_tui.cli.layout import count
    from maverick_tui.offline.loading import load_script

    loaded = load_script(script)
    scenes, answers = len(loaded.scenes), sum(len(scene.answers) for scene in loaded.scenes)
    typer.echo(inert(f"{script}: fine. {count(scenes, 'scene')}, {count(answers, 'answer')}."))


@offline_app.command("schema")
def schema() -> None:
    """Print the JSON schema of scripts, for editors."""
    import json

    from maverick_tui.offline.script import Script

    typer.echo(json.dumps(Script.model_json_schema(), indent=2))
