"""What commands do with runs on other machines."""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path

from maverick_tui.cli.layout import say_error
from maverick_tui.host.far.asking import start_there
from maverick_tui.host.far.following import FarFollower
from maverick_tui.host.far.machines import find_machine
from maverick_tui.host.orders import Order


def follow_there(machine: str, start: str, *, follows: bool) -> FarFollower:
    """What the machine keeps of the run whose id begins so. That the line is broken is said once, until it is back."""
    said = ""

    def say(why: str) -> None:
        nonlocal said
        if why and not said:
            say_error(why, "", sys.stderr)
        said = why

    return FarFollower(find_machine(machine), start, follows=follows, on_line=say)


def open_on(machine: str, agent: str, prompt: str | None, folder: str) -> int:
    """Start a run of an agent on a machine, and show it; the exit code."""
    from maverick_tui.cli.launching import is_terminal, open_app
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.launch import Launch

    if not is_terminal():
        raise ConfigError(
            "A run on another machine is shown in the application, which needs a terminal.",
            hint=f"Leave it there with `maverick run --detach --on {machine} {agent} PROMPT`.",
        )
    run_id = start_on(machine, Order(new_id(), agent, folder, prompt))
    return open_app(Launch(Path.cwd(), agent="", attaches=run_id, machine=machine))


def new_id() -> str:
    """The id of a run that is to begin: given here, so that to start it twice starts it once."""
    return uuid.uuid4().hex[:12]


def start_on(machine: str, order: Order) -> str:
    """Start a run on a machine; its id."""
    return asyncio.run(start_there(find_machine(machine), order))
