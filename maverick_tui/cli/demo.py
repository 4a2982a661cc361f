"""`maverick demo`: the shipped agents at work in a repository made for them, without a key, a network or a bill."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def _names(incomplete: str) -> list[str]:
    """Completion in the shell."""
    from maverick_tui.offline.demo.tour import TOUR

    return [stop.agent for stop in TOUR if stop.agent.startswith(incomplete)]


def demo(
    agent: Annotated[
        str | None,
        typer.Argument(metavar="AGENT", help="Only this agent; the whole tour by default.", autocompletion=_names),
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
    from maverick_tui.cli.flow import Paper
    from maverick_tui.cli.tour import play_tour
    from maverick_tui.cli.width import terminal_width

    if code := play_tour(stops, Paper(sys.stdout, terminal_width()), fast=fast, keep=keep):
        raise typer.Exit(code)
