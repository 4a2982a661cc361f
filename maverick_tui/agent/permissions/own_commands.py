"""What Maverick's own settings have it run: whoever may change a file of that has it run what they like."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from maverick_tui.agent.permissions.looked_up import Seen, looked_up
from maverick_tui.exceptions import ConfigError

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig

_PLACEHOLDER = re.compile(r"\{\w+\}")
"""What is told of a run stands there."""


def own_commands(settings: MaverickConfig | None) -> list[str]:
    """The command lines in the settings of a session, and in those that the person has by now: other runs begin by
    these.
    """
    from maverick_tui.config import config_file

    given = _commands(settings) if settings is not None else ()
    return list(dict.fromkeys((*given, *_commands_by_now(str(config_file())))))


@looked_up
def _commands_by_now(seen: Seen, file: str) -> list[str]:
    from maverick_tui.config import MaverickConfig

    seen.see(file)
    try:
        return [*_commands(MaverickConfig.load())]
    except ConfigError:  # by such settings nothing begins
        return []


def _commands(settings: MaverickConfig) -> Iterator[str]:
    notify = [_PLACEHOLDER.sub("*", word) for word in settings.notify_command]
    cli = shlex.quote(str(settings.cli_path)) if settings.cli_path is not None else ""
    for command in (shlex.join(notify), settings.ssh, settings.remote_maverick, cli):
        # A name alone is looked for on PATH, and never found in a project.
        if "/" in command or "\\" in command or len(command.split()) > 1:
            yield command
