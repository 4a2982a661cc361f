"""The person's own editor: which it is, what is edited in it, and how it gets the terminal while runs go on."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.paths import working_folder
from maverick_tui.programs import find_program, program_path
from maverick_tui.ui.unsaved import TEXT, editing_folder, note_taken, saved_text, told_of

if TYPE_CHECKING:
    from textual.app import App

_TAKE_A_LINE = ("vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "joe")
"""Editors that take `+line` before the file."""
_ALWAYS_THERE = ("vi", "nano")
LOOK_EVERY = 0.5
"""Seconds after which it is looked again whether a text was saved."""
ENDS_WITHIN = 5.0
"""Seconds in which an editor that is told to end does so; then it is left to itself."""
_POLL = 0.02
_AS_SAVED = "The text is as it was last saved."


class Editor(NamedTuple):
    """The words of its command, and which setting has named it."""

    words: Sequence[str]
    setting: str


async def edit_text(app: App[Any], text: str, saved: Callable[[str], None] = lambda _text: None) -> None:
    """Edit a text in the person's editor; a MaverickError says why that was not possible, or went wrong.

    `saved` hears the text whenever it was saved, also before the editor ends: the window may go first. Runs go on and
    are read meanwhile, so call it in a worker: only painting waits, until the terminal is ours again.
    """
    folders = _folders(app)
    editor = await asyncio.to_thread(find_editor, *folders)
    # A folder of its own, since editors put copies and swap files beside what they edit.
    with _told_if_files_fail(), editing_folder() as folder:
        path = folder / TEXT
        _write(path, text)
        note_taken(folder, text)
        watching = asyncio.create_task(_watch(folder, text, saved), name="maverick-edited")
        try:
            code = await _edit(app, folders, editor, str(path))
        finally:  # also if the window goes: what was saved a moment ago has not been told yet
            watching.cancel()
            left = saved_text(folder)
            if left is not None and left != text:
                saved(left)
                note_taken(folder, left)
        if code:
            raise MaverickError(_ended(editor, code), hint=f"{_AS_SAVED} {told_of(folder)}".rstrip())
        if left is None:
            raise MaverickError(f"The editor {editor.words[0]} has left no text that can be read.", hint=_AS_SAVED)


async def edit_file(app: App[Any], path: Path, line: int | None = None) -> None:
    """Edit a file at the line that matters; a MaverickError says why that was not possible. Call it in a worker."""
    folders = [*_folders(app), path.parent]
    editor = await asyncio.to_thread(find_editor, *folders)
    if code := await _edit(app, folders, editor, *_at(editor, line), str(path)):
        raise MaverickError(_ended(editor, code), hint="The file is as the editor left it.")


def edit_in_terminal(path: Path, line: int | None = None) -> None:
    """The same where no application has the terminal, and with a file that nobody sees before it is done."""
    editor = find_editor()
    try:
        with _interrupts_are_the_editors():
            code = subprocess.run([*_command(editor), *_at(editor, line), str(path)], check=False).returncode
    except OSError as error:
        raise _unusable(editor.words[0], editor.setting, error.strerror or str(error)) from error
    if code:
        raise MaverickError(_ended(editor, code), hint="Nothing was changed.")


@runtime_checkable
class KnowsFolders(Protocol):
    """An application that knows which folders its runs work in: what is in them is no editor of the person's."""

    @property
    def run_folders(self) -> list[Path]:
        """The folders, wherever the application itself was started."""


def _folders(app: App[Any]) -> list[Path]:
    return app.run_folders if isinstance(app, KnowsFolders) else []


def _command(editor: Editor, folders: Sequence[Path] = ()) -> list[str]:
    """Its words to start it by: an editor that is only named is none of a project's. OSError if there is none."""
    program, *arguments = editor.words
    return [program_path(program, *folders), *arguments]


def _at(editor: Editor, line: int | None) -> list[str]:
    return [f"+{line}"] if line and Path(editor.words[0]).name in _TAKE_A_LINE else []


def find_editor(*folders: Path) -> Editor:
    """The editor that git would open, and where it is named; in a thread, since git is asked.

    Where none is named it is one of those that are always there, but none out of these folders' projects.
    """
    for setting, wanted in _named(folders):
        try:
            words = shlex.split(wanted)
        except ValueError as error:
            raise _unusable(wanted, setting, str(error)) from error
        if words:
            return Editor([os.path.expanduser(words[0]), *words[1:]], setting)  # noqa: PTH111
    raise ConfigError(
        "No editor is set, and there is neither vi nor nano.",
        hint="Set $EDITOR to the editor that you want, then try again.",
    )


def _named(folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    from maverick_tui.git.asking import chosen_editor

    yield "$GIT_EDITOR", os.environ.get("GIT_EDITOR", "")
    yield "git's core.editor", chosen_editor(working_folder(), *folders)
    for name in ("VISUAL", "EDITOR"):
        yield f"${name}", os.environ.get(name, "")
    yield "$EDITOR", next((name for name in _ALWAYS_THERE if find_program(name, *folders)), "")


async def _edit(app: App[Any], folders: Sequence[Path], editor: Editor, *arguments: str) -> int:
    """Give the terminal to the editor, and take it back; its exit code. Only painting waits meanwhile."""
    from textual.app import SuspendNotSupported

    try:
        with app.batch_update(), _handed_over(app), _interrupts_are_the_editors():
            return await _run([*_command(editor, folders), *arguments])
    except SuspendNotSupported as error:
        raise MaverickError(
            "This terminal cannot be handed to an editor.", hint="Run Maverick in a terminal of its own."
        ) from error
    except OSError as error:
        raise _unusable(editor.words[0], editor.setting, error.strerror or str(error)) from error


async def _run(command: Sequence[str]) -> int:
    starting = asyncio.create_task(asyncio.create_subprocess_exec(*command), name="maverick-editor")
    try:
        return await (await asyncio.shield(starting)).wait()
    finally:
        await _end(starting)


async def _end(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """If the application ends first, have the editor end, and wait for what it keeps of a text that was not saved,
    however often we are told to go. One that is just being started is told as soon as it is there.
    """
    until, is_told = time.monotonic() + ENDS_WITHIN, False
    while time.monotonic() < until:
        if starting.done():
            process = starting.result() if not starting.cancelled() and starting.exception() is None else None
            if process is None or process.returncode is not None:
                return
            if not is_told:
                process.terminate()
            is_told = True
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(_POLL)


@contextmanager
def _handed_over(app: App[Any]) -> Iterator[None]:
    """Leave the terminal to somebody else. `App.suspend` alone would not take it back after an error."""
    failure: BaseException | None = None
    with app.suspend():
        try:
            yield
        except BaseException as error:  # raised again when the terminal is ours
            failure = error
    if failure is not None:
        raise failure


@contextmanager
def _told_if_files_fail() -> Iterator[None]:
    """Say what is wrong where a text is edited, be it by its editor or by the disk; an editor may remove anything."""
    try:
        yield
    except OSError as error:
        why = f"{error.strerror}: {error.filename}" if error.filename else str(error)
        raise MaverickError(f"The text cannot be edited outside: {why}.", hint=_AS_SAVED) from error


@contextmanager
def _interrupts_are_the_editors() -> Iterator[None]:
    """Ctrl+C reaches every process of the terminal, but is meant for the editor, which does not inherit this."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _unusable(command: str, setting: str, why: str) -> ConfigError:
    return ConfigError(f"The editor {command} cannot be started: {why}.", hint=f"Set {setting} to another one.")


def _ended(editor: Editor, code: int) -> str:
    return f"The editor {editor.words[0]} ended with exit code {code}."


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


async def _watch(folder: Path, text: str, saved: Callable[[str], None]) -> None:
    """Tell of each text that is saved there, once it is the same twice: an editor may be in the middle of writing.

    It counts as taken a look later: by then its draft is on disk, whoever is killed.
    """
    taken = told = text.removesuffix("\n")
    before: str | None = told
    while True:
        await asyncio.sleep(LOOK_EVERY)
        now = await asyncio.to_thread(saved_text, folder)
        if told != taken:
            taken = told
            note_taken(folder, taken)
        if now is not None and now == before != told:
            told = now
            saved(now)
        before = now
