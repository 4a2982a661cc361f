"""Opens the application. It runs before the first frame, so it imports nothing that the frame can do without."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from maverick_tui.credentials import has_credentials

if TYPE_CHECKING:
    from maverick_tui.cli.printer import Printer
    from maverick_tui.ui.launch import Launch

STDIN = "-"
"""The prompt that stands for what is piped in."""

_WITH_VALUE = ("--agent", "--prompt", "--script")
_MOST_BYTES = 50_000_000
_PATIENCE = 3.0
"""Seconds after which it is told that a pipe is waited for."""


def is_terminal() -> bool:
    """Whether a person can look at the application and type into it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def piped() -> str | None:
    """What is piped in, if anything is."""
    if sys.stdin is None or sys.stdin.isatty():
        return None
    _tell_if_nothing_comes()
    from maverick_tui.bounded import read_to_end
    from maverick_tui.exceptions import ConfigError

    try:
        text = read_to_end(sys.stdin.buffer, _MOST_BYTES).decode("utf-8", "replace").strip()
    except OSError as error:
        raise ConfigError(f"What is piped in cannot be the prompt: {error.strerror or error}.") from error
    return text or None


def _tell_if_nothing_comes() -> None:
    """A pipe may have been left open by accident, as ssh does it: nobody shall wonder what is waited for."""
    import select

    with suppress(OSError, ValueError):  # it is no file, or this is Windows, which can only tell it of sockets
        if not select.select([sys.stdin], [], [], _PATIENCE)[0]:
            print("maverick: Reading the prompt from standard input; < /dev/null gives it none.", file=sys.stderr)


def typed(argument: str) -> str:
    """What was typed, in a locale that is not UTF-8 as well: there, Python keeps other letters as single bytes."""
    if not any("\udc80" <= letter <= "\udcff" for letter in argument):
        return argument
    return os.fsencode(argument).decode("utf-8", "replace")


def plain_launch(arguments: Sequence[str]) -> Launch | None:
    """What simple arguments ask for; None if any of them needs the real command line."""
    values: dict[str, str] = {}
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, mark, value = word.partition("=")
        if name in _WITH_VALUE and name not in values and (mark or words):
            values[name] = value if mark else words.pop(0)
        elif word == "--offline":
            values[word] = word
        else:
            return None
    if "--script" in values and "--offline" not in values:
        return None
    if "--prompt" in values and ("--agent" not in values or values["--prompt"] == STDIN):
        return None
    script = Path(values["--script"]) if "--script" in values else None
    return launch(values.get("--agent"), values.get("--prompt"), is_offline="--offline" in values, script=script)


def launch(
    agent: str | None, prompt: str | None, *, is_offline: bool, script: Path | None, worktree: bool = False
) -> Launch:
    """The same as one value; without credentials there is only the demo."""
    from maverick_tui.ui.launch import Launch

    is_demo = script is None and (is_offline or (not has_credentials() and _is_in_demo(agent)))
    return Launch(Path.cwd(), agent, prompt, is_demo=is_demo, script=script, worktree=worktree)


def _is_in_demo(agent: str | None) -> bool:
    """Whether the demo has that agent; for one that it does not have, a real endpoint has to be there."""
    if agent is None:
        return True
    from maverick_tui.offline.demo.tour import TOUR

    return agent in {stop.agent for stop in TOUR}


def open_app(wanted: Launch) -> int:
    """Run the application, and return its exit code."""
    gc.disable()  # hundreds of classes are made now and none goes; the application turns it on again
    from maverick_tui.ui.app import run_app

    return run_app(wanted._replace(printer_for=printer_for))


def printer_for(stream: TextIO, width: int, cwd: Path | None) -> Printer:
    """What prints a run for a recording."""
    from maverick_tui.cli.printer import Printer

    return Printer(stream, width, cwd=cwd, is_recorded=True)
