"""What real shells make of a command's words, without anything being run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# A name that no program has ends in the handler, which prints the words as the shell has them. Programs are not found,
# since PATH leads nowhere. The number that follows says which command they belong to. All of it goes past whatever a
# command does with its output.
_AS_IT_IS = """
PATH=/nowhere
exec 9>&1
{handler}() {{ printf '%s\\0' words "$#" "$@" >&9; }}
for c do eval "$c"; printf '%s\\0' end; done
"""

# For names that are known to the shell: the words are the arguments of a function that prints them.
_AS_ARGUMENTS = """
PATH=/nowhere
exec 9>&1
show() { printf '%s\\0' words "$#" "$@" >&9; }
for c do eval "show $c"; printf '%s\\0' end; done
"""

_HANDLERS = {"bash": "command_not_found_handle", "zsh": "command_not_found_handler"}
_QUIET = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "dash": []}
PATIENCE = 60.0


class Seen(NamedTuple):
    """What a shell made of one command: the words of each command that it would have run, and what it complained."""

    commands: list[list[str]]
    is_complete: bool


def words_of(shell: str, commands: Sequence[str], cwd: Path, *, as_arguments: bool, options: str = "") -> list[Seen]:
    """What the shell sees in these commands, in their order; fewer if one of them has ended the shell.

    `options` is a command that chooses some, as its user might.
    """
    script = _AS_ARGUMENTS if as_arguments else _AS_IT_IS.format(handler=_HANDLERS[shell])
    ran = subprocess.run(
        [shell, *_QUIET[shell], "-c", options + script, shell, *commands],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env={"LANG": "C.UTF-8", "HOME": "/home/elsewhere", "x": "value"},
    )
    pieces = ran.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return _read(pieces)


def _read(pieces: list[str]) -> list[Seen]:
    seen: list[Seen] = []
    commands: list[list[str]] = []
    position = 0
    while position < len(pieces):
        if pieces[position] == "words":
            count = int(pieces[position + 1])
            commands.append(pieces[position + 2 : position + 2 + count])
            position += 2 + count
        elif pieces[position] == "end":
            seen.append(Seen(commands, True))
            commands = []
            position += 1
        else:  # something else has written: it is no word of ours
            commands.append(["unexpected output", pieces[position]])
            position += 1
    if commands:
        seen.append(Seen(commands, False))
    return seen
