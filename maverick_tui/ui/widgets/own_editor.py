"""Text in the person's own editor, while the application goes on behind it."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.ui.editor import handed_over

if TYPE_CHECKING:
    from textual.app import App


async def edit_text(app: App[object], text: str, *, suffix: str = ".md") -> str:
    """The text as it was left in `$VISUAL` or `$EDITOR`; a MaverickError says why that was not possible.

    Runs go on and are read meanwhile, so call it in a worker: only painting waits, until the terminal is ours again.
    """
    from textual.app import SuspendNotSupported

    command = _command()
    # A folder of its own, since editors put copies and swap files beside what they edit.
    with tempfile.TemporaryDirectory(prefix="maverick-") as folder:
        path = Path(folder) / f"prompt{suffix}"
        _write(path, text)
        try:
            code = await run_editor(app, [*command, str(path)])
        except SuspendNotSupported as error:
            raise MaverickError(
                "This terminal cannot be handed to an editor.", hint="Run Maverick in a terminal of its own."
            ) from error
        except OSError as error:
            raise _unusable(command[0], error.strerror or str(error)) from error
        if code != 0:
            raise MaverickError(
                f"The editor {command[0]} ended with exit code {code}.", hint="The text is as it was before."
            )
        return _read(path)


async def run_editor(app: App[Any], command: Sequence[str]) -> int:
    """Give the terminal to a command, and take it back; its exit code. Only painting waits meanwhile."""
    with app.batch_update(), handed_over(app), _interrupts_are_the_editors():
        return await _run(command)


def _command() -> Sequence[str]:
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(wanted)
    except ValueError as error:
        raise _unusable(wanted, str(error)) from error
    if not command:
        raise ConfigError(
            "No editor is set.", hint="Set $VISUAL or $EDITOR to the editor that you want, then try again."
        )
    return command


def _unusable(command: str, why: str) -> ConfigError:
    return ConfigError(f"The editor {command} cannot be started: {why}.", hint="Set $VISUAL or $EDITOR to another one.")


async def _run(command: Sequence[str]) -> int:
    process = await asyncio.create_subprocess_exec(*command)
    try:
        return await process.wait()
    finally:
        if process.returncode is None:  # the application ends
            process.terminate()
            await process.wait()


@contextmanager
def _interrupts_are_the_editors() -> Iterator[None]:
    """Ctrl+C reaches every process of the terminal; meant is the editor. (Its own handlers are not inherited.)"""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: Path) -> str:
    # Editors end the last line; the text had no such end.
    return path.read_text(encoding="utf-8", errors="replace").removesuffix("\n")
