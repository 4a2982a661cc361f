"""`maverick run`: one agent without a terminal; `maverick schema`: what it tells, for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from maverick_tui.cli.exit_codes import RUN_EPILOG

schema_app = typer.Typer(
    help="Print JSON Schemas of what Maverick writes.", rich_markup_mode=None, no_args_is_help=True
)


@schema_app.command("events", short_help="Of the events of a run: --output stream-json, and journals.")
def events() -> None:
    """Print the JSON Schema of an event: a line of `maverick run --output stream-json`."""
    import json

    from maverick_tui.events.schema import event_schema

    typer.echo(json.dumps(event_schema(), indent=2))


def run(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent to run.")],
    prompt: Annotated[
        str | None,
        typer.Argument(metavar="PROMPT", show_default=False, help="What it should do; - reads it from a pipe."),
    ] = None,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="A declared input. Repeatable.")
    ] = None,
    output: Annotated[
        Literal["text", "json", "stream-json"],
        typer.Option("--output", help="The answer alone; one object at the end; or events, one a line, as they come."),
    ] = "text",
    max_turns: Annotated[
        int | None, typer.Option("--max-turns", metavar="N", min=1, help="How often the model may be asked.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", help="What it may cost, in dollars.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", help="Seconds that all of it may take.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow", metavar="RULE", help="What it may do besides, this time, such as 'Bash(make:*)'. Repeatable."
        ),
    ] = None,
    cwd: Annotated[
        Path | None,
        typer.Option("--cwd", metavar="DIR", exists=True, file_okay=False, help="Where it works; here by default."),
    ] = None,
    no_keep: Annotated[bool, typer.Option("--no-keep", help="Keep no journal of this run.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Let a script answer instead of a model.")] = False,
    script: Annotated[Path | None, typer.Option("--script", metavar="FILE", help="The script.")] = None,
) -> None:
    """Run an agent without a terminal; nobody is asked anything.

    The result goes to standard output. What the agent does on the way is shown on standard error if that is a
    terminal; failures always are, after what came until then. Without a prompt it is the author's own, or what is piped
    in. Limits hold for the whole run; the agent's own limits hold, too. What a call always asks about stays refused.

    --output json is {run_id, result, ok, error, usage, cost, turns, duration, session}; for stream-json see `maverick
    schema events`: events are masked as they are kept. Ctrl+C ends it in good order, a second one at once.
    """
    if offline != (script is not None):
        raise typer.BadParameter("--offline and --script FILE belong together.", param_hint="--offline")
    for name, amount in (("--max-cost", max_cost), ("--timeout", timeout)):
        if amount is not None and not 0 < amount < float("inf"):
            raise typer.BadParameter(f"{amount:g} is not more than 0.", param_hint=name)
    from maverick_tui.cli.launching import STDIN, piped, typed

    text = None if prompt is None else piped() if prompt == STDIN else typed(prompt)
    if prompt is not None and not (text or "").strip():
        raise typer.BadParameter("Nothing is piped in." if prompt == STDIN else "It is empty.", param_hint="PROMPT")
    from maverick_tui.cli.headless import Wanted, run_headless
    from maverick_tui.runs.unattended import RunLimits

    wanted = Wanted(
        agent,
        text,
        (cwd or Path.cwd()).absolute(),
        _pairs(inputs or []),
        output,
        RunLimits(max_turns, max_cost, timeout),
        tuple(allow or ()),
        is_kept=not no_keep,
        script=script,
    )
    if code := run_headless(wanted):
        raise typer.Exit(code)


def _pairs(inputs: list[str]) -> dict[str, str]:
    from maverick_tui.cli.launching import typed

    values: dict[str, str] = {}
    for given in inputs:
        name, mark, value = typed(given).partition("=")
        if not mark or not name or name in values:
            wrong = "is given twice" if name in values else "is not NAME=VALUE"
            raise typer.BadParameter(f"{given!r} {wrong}.", param_hint="--input")
        values[name] = value
    return values


def add_to(app: typer.Typer) -> None:
    """Put both on the command line."""
    app.command("run", short_help="Run an agent without a terminal.", epilog=RUN_EPILOG)(run)
    app.add_typer(schema_app, name="schema")
