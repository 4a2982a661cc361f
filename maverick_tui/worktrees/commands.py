"""Runs a command in a worktree, to its end or to the end of its time; nothing of it outlives us."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui import keeper
from maverick_tui.kept import kept_command, tell_to_end
from maverick_tui.programs import end_of_output, server_path

_LOOK = 0.05


class CommandEnd(NamedTuple):
    """How a command has ended: by its code, or by what kept it from that; and the end of what it said, masked."""

    code: int | None
    why: str = ""
    output: str = ""
    seconds: float = 0.0

    @property
    def is_fine(self) -> bool:
        """Whether it says that all went well."""
        return self.code == 0

    @property
    def last_words(self) -> str:
        """The last line that it said."""
        return next((line.strip() for line in reversed(self.output.splitlines()) if line.strip()), "")


def run_command(
    command: Sequence[str],
    folder: Path,
    seconds: float,
    *,
    variables: Mapping[str, str] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> CommandEnd:
    """Run it there, without a shell and without input. It may be the folder's own: a person has agreed to that."""
    began, mark = time.monotonic(), keeper.new_mark()
    environment = {**os.environ, **(variables or {}), mark: "1"}
    with tempfile.TemporaryFile() as out:
        try:
            program = server_path(command[0], os.environ.get("PATH", os.defpath), folder)
            process = subprocess.Popen(
                [*kept_command(mark), program, *command[1:]],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            return CommandEnd(None, f"it cannot be started: {error.strerror or error}")
        try:
            while process.poll() is None and time.monotonic() - began < seconds and not stop():
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK)
            code = process.poll()
        finally:
            _end(process, mark)
        took = time.monotonic() - began
        why = "" if code is not None else f"it has taken more than {seconds:g} s" if took >= seconds else "it was ended"
        return CommandEnd(code, why, end_of_output(out), took)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """Have the keeper end it, and whatever it has started."""
    if process.poll() is None:
        tell_to_end(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(keeper.LONGEST)
    if process.poll() in (None, keeper.KILLED):
        process.kill()
        process.wait()
        keeper.end_marked(mark)
