"""Of the commands only the one that is asked for is made, and it is the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from maverick_tui.cli.app import app
from maverick_tui.cli.asked_for import asked_for


def paths(command: Any, *before: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words that lead to every command, and all that its help tells."""
    inside = getattr(command, "commands", {})
    for name, one in inside.items():
        yield from paths(one, *before, name)
    if not inside:
        yield before, told(command)


def told(command: Any) -> str:
    return str(command.get_help(command.make_context(command.name, [], resilient_parsing=True)))


@pytest.mark.explore
def test_whichever_is_asked_for_is_made_alone_and_tells_the_same() -> None:
    everything = dict(paths(typer.main.get_command(app)))
    assert len(everything) > 30
    for words, help_ in everything.items():
        lean = typer.main.get_command(asked_for(app, [*words, "--an-option", "value"]))
        assert list(paths(lean)) == [(words, help_)]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--debug", "ps"], ["rnus", "list"], [""]])
def test_where_no_command_comes_first_all_are_there(arguments: list[str]) -> None:
    assert asked_for(app, arguments) is app


@pytest.mark.parametrize("arguments", [["runs"], ["runs", "--help"], ["runs", "lsit"]])
def test_a_group_of_which_none_is_asked_for_has_all_of_its_own(arguments: list[str]) -> None:
    whole: Any = typer.main.get_command(app)
    lean: Any = typer.main.get_command(asked_for(app, arguments))
    assert list(lean.commands) == ["runs"]
    assert list(lean.commands["runs"].commands) == list(whole.commands["runs"].commands)
