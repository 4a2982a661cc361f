"""Options of runs that nobody attends, for each command that starts some."""

from __future__ import annotations

from typing import Annotated

import typer

Inputs = Annotated[
    list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="A declared input. Repeatable.")
]
MaxTurns = Annotated[
    int | None, typer.Option("--max-turns", metavar="N", min=1, help="How often the model may be asked.")
]
MaxCost = Annotated[float | None, typer.Option("--max-cost", metavar="USD", help="What it may cost, in dollars.")]
Fuse = Annotated[
    list[str] | None,
    typer.Option(
        "--fuse",
        metavar="UNIT=AMOUNT",
        help="End before the next step once so many usd, tokens, turns or minutes are used; with --detach it holds"
        " and asks instead. Repeatable.",
    ),
]
Timeout = Annotated[float | None, typer.Option("--timeout", metavar="S", help="Seconds that all of it may take.")]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="RULE",
        help="What it may do besides, this time, such as 'Bash(make:*)'; with --detach that asks you. Repeatable.",
    ),
]
WaitForLimit = Annotated[
    bool,
    typer.Option(
        "--wait-for-limit",
        help="Go on when a limit resets, if that is known; Claude Code does not tell it of API keys.",
    ),
]


def require_amounts(max_cost: float | None, timeout: float | None) -> None:
    """BadParameter for limits that allow nothing."""
    for name, amount in (("--max-cost", max_cost), ("--timeout", timeout)):
        if amount is not None and not 0 < amount < float("inf"):
            raise typer.BadParameter(f"{amount:g} is not more than 0.", param_hint=name)


def pairs(inputs: list[str]) -> dict[str, str]:
    """What `--input NAME=VALUE` says. BadParameter for what is none, or given twice."""
    from maverick_tui.cli.launching import typed

    values: dict[str, str] = {}
    for given in inputs:
        name, mark, value = typed(given).partition("=")
        if not mark or not name or name in values:
            wrong = "is given twice" if name in values else "is not NAME=VALUE"
            raise typer.BadParameter(f"{given!r} {wrong}.", param_hint="--input")
        values[name] = value
    return values


def fuse_given(given: list[str] | None) -> dict[str, float]:
    """What --fuse gives. BadParameter for what is wrong with it."""
    from maverick_tui.fuse_amounts import parse_pairs

    try:
        return parse_pairs(given or [])
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--fuse") from error
