"""Machines by the names that the person's SSH knows them by, and how they are reached."""

from __future__ import annotations

import re
import shlex
import sys
from typing import NamedTuple

from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import ConfigError

_NAME = re.compile(r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]{0,254}")
"""A name that begins with a dash would be an option of ssh's; what else is no name, ssh says itself."""


class Machine(NamedTuple):
    """A machine, the program that leads to it, and what Maverick is called there."""

    name: str
    ssh: tuple[str, ...] = ("ssh",)
    maverick: str = "maverick"


def machine_and_run(text: str) -> tuple[str, str]:
    """What `HOST:RUN` names; without a colon there is no machine. No id of a run has a colon in it."""
    machine, colon, run = text.rpartition(":")
    if colon and not machine:
        raise ConfigError(f"{text!r} names no machine.", hint="Write HOST:RUN, with HOST as your SSH knows it.")
    return machine, run


def find_machine(name: str, config: MaverickConfig | None = None) -> Machine:
    """The machine of that name, as the settings reach it. ConfigError if it can be none."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is not the name of a machine.", hint="Write it as you would for ssh: me@host.")
    if sys.platform == "win32":
        raise ConfigError("Runs on other machines cannot be reached from Windows.", hint="Use ssh and Maverick there.")
    config = config or MaverickConfig.load()
    try:
        if not (ssh := tuple(shlex.split(config.ssh))):
            raise ValueError("it is empty")
    except ValueError as error:
        raise ConfigError(f"The setting ssh = {config.ssh!r} is no command: {error}.", hint="Correct it.") from error
    return Machine(name, ssh, config.remote_maverick)
