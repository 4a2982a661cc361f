"""`maverick offline`: the scripted model on its own, for any client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.inert import inert

offline_app = typer.Typer(
    help="Serve a scripted model on loopback, and check scripts.", rich_markup_mode=None, no_args_is_help=True
)

ScriptFile = Annotated[Path, typer.Argument(metavar="FILE", help="A script (YAML).")]


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
    from maverick_tui.offline.loading import load_script

    loaded = load_script(script)
    scenes, answers = len(loaded.scenes), sum(len(scene.answers) for scene in loaded.scenes)
    typer.echo(inert(f"{script}: fine. {_count(scenes, 'scene')}, {_count(answers, 'answer')}."))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


@offline_app.command("schema")
def schema() -> None:
    """Print the JSON schema of scripts, for editors."""
    import json

    from maverick_tui.offline.script import Script

    typer.echo(json.dumps(Script.model_json_schema(), indent=2))
