"""Runs the command of the person's choice that tells them news: a push to a phone, a notification on a desktop.

It is the person's own, from their settings alone. No shell reads it, it starts in their home directory, and it has
little time. Whatever becomes of it, the run that is told of does not notice.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui import keeper, paths
from maverick_tui.history.whole_files import write_whole
from maverick_tui.inert import one_line
from maverick_tui.kept import kept_command, tell_to_end
from maverick_tui.masking.redact import redact
from maverick_tui.programs import program_path
from maverick_tui.runs.news import News, shortened
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

ENDS_WITHIN = 10.0
"""Seconds that the command has."""
_LAST_WORDS = 10_000
_SHOWN_WORDS = 300
_PLACEHOLDER = re.compile(r"\{(title|text|run|event|agent)\}")
_NO_BEGINNING = re.compile(r"^\W+")
"""What a value must not begin with: a program might take it for an option (`-x`) or for a file to send (`@x`)."""


class Told(NamedTuple):
    """Of which run, and what has happened to it."""

    run_id: str
    agent: str
    title: str
    news: News
    folder: str = ""
    """Where it works: no program of that project is the command's."""

    @property
    def values(self) -> dict[str, str]:
        """What the command is told, by the names of its placeholders: short, harmless and without secrets."""
        told = {"title": self.title or self.agent, "text": self.news.text, "agent": self.agent}
        return {
            "run": self.run_id,
            "event": self.news.kind,
            **{name: _NO_BEGINNING.sub("", shortened(value)) for name, value in told.items()},
        }


async def tell_by_command(command: Sequence[str], told: Told) -> None:
    """Run the command, if there is one. It never fails: what goes wrong is logged, and kept for `maverick doctor`."""
    if not command:
        return
    try:
        why = await _run(command, told)
    except OSError as error:
        why = f"it cannot be started: {error.strerror or error}"
    if why:
        log.warning("The notify_command %s has failed: %s", command[0], why)
    await in_thread(_keep_trouble, command[0], why)


def arguments_of(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments with what is to be told in its places; what looks like a place in that is none."""
    return [_PLACEHOLDER.sub(lambda found: values[found[1]], argument) for argument in command[1:]]


async def _run(command: Sequence[str], told: Told) -> str:
    """Run it to its end, or to the end of its time; why that was no success, or nothing."""
    program = await in_thread(program_path, command[0], *([Path(told.folder)] if told.folder else ()))
    values, mark = told.values, keeper.new_mark()
    names = {
        "MAVERICK_RUN_ID" if name == "run" else f"MAVERICK_{name.upper()}": value for name, value in values.items()
    }
    process = await asyncio.create_subprocess_exec(
        *(*kept_command(mark), program, *arguments_of(command, values)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **names, mark: "1"},
        cwd=Path.home(),
    )
    hearing = asyncio.create_task(_last_words(process), name="maverick-notify")
    try:
        if not await _exited(process, ENDS_WITHIN):
            return f"it has taken more than {ENDS_WITHIN:g} s"
        await asyncio.wait({hearing}, timeout=1.0)
        said = hearing.result() if hearing.done() else b""
        return _failure(process.returncode, said.decode(errors="replace"))
    finally:
        hearing.cancel()
        await _end(process, mark)


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """Have the keeper end it, and whatever it has started."""
    if process.returncode is None:
        tell_to_end(process)
        await _exited(process, keeper.LONGEST)
    if process.returncode in (None, keeper.KILLED):
        await in_thread(keeper.end_marked, mark)
    if (transport := getattr(process, "_transport", None)) is not None:
        transport.close()  # what has left the group may hold the pipe open for ever


async def _exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether it exits in that time. Not `wait`: that also waits for children that hold its output open."""
    until = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() > until:
            return False
        await asyncio.sleep(0.02)
    return True


async def _last_words(process: asyncio.subprocess.Process) -> bytes:
    assert process.stderr is not None
    said = b""
    while piece := await process.stderr.read(65_536):
        said = (said + piece)[-_LAST_WORDS:]
    return said


def _failure(code: int | None, said: str) -> str:
    if not code:
        return ""
    words = one_line(redact(said)).strip()[-_SHOWN_WORDS:]
    return f"it ended with code {code}{f': {words}' if words else ''}"


# -- what the doctor finds ---------------------------------------------------------------------------------------------


def trouble_file() -> Path:
    """Where it stands that the last command has failed; there is no such file if it has not."""
    return paths.user_state() / "notify_trouble.json"


def last_trouble() -> dict[str, Any] | None:
    """When the last command has failed, which, and why; None if it has not."""
    try:
        found = json.loads(trouble_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _keep_trouble(program: str, why: str) -> None:
    file = trouble_file()
    try:
        if not why:
            file.unlink(missing_ok=True)
            return
        paths.make_private(file.parent)
        write_whole(file, [json.dumps({"at": time.time(), "program": redact(program), "why": why})])
    except OSError:
        log.warning("What became of the notify_command cannot be kept", exc_info=True)
