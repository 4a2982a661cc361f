"""Edits the settings file: what is written counts once it is right, and then all of it at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from maverick_tui import paths
from maverick_tui.cli.asking import answer_to, is_anybody_there
from maverick_tui.config import check_file, config_file
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.history.whole_files import write_whole
from maverick_tui.inert import inert
from maverick_tui.masking.redact import redact
from maverick_tui.settings_left import COPY, left_edits, note_begun, set_aside
from maverick_tui.settings_told import new_file
from maverick_tui.signals import at_signals, end_by
from maverick_tui.ui.editor import edit_in_terminal

_PRIVATE = 0o600
_LINE = re.compile(r"\bat line (\d+)")


def edit_settings() -> str:
    """Have a copy edited until it is right, and put it in the file's place; what came of it, in a few words."""
    file = Path(os.path.realpath(config_file()))  # a link stays one: many keep their settings in a repository
    try:
        before = file.read_bytes() if file.exists() else None
        content = new_file().encode() if before is None else before
        paths.make_private(file.parent)
        with _copy(content) as copy, at_signals(end_by):
            try:
                _edit_until_right(copy, file)
            except SystemExit:  # the window is gone, or somebody ends us
                if copy.exists() and copy.read_bytes() != content:
                    typer.echo(set_aside(copy), err=True)
                raise
            if before == copy.read_bytes():
                return "nothing was changed."
            _put_in_place(copy, file, before)
    except OSError as error:
        raise ConfigError(
            f"The settings in {file} cannot be edited: {error.strerror or error}.",
            path=str(file),
            hint="Make that folder writable, or set MAVERICK_CONFIG_DIR to another one.",
        ) from error
    return "made." if before is None else "saved."


@contextmanager
def _copy(content: bytes) -> Iterator[Path]:
    """A copy for nobody else to read, in a folder of its own: editors put files of theirs beside."""
    paths.make_private(paths.edited_settings())
    for told in left_edits():  # of one that was killed
        typer.echo(told, err=True)
    with scratch_folder("edit", paths.edited_settings()) as folder:
        copy = folder / COPY
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as out:
            out.write(content)
        note_begun(folder, content)
        yield copy


def _edit_until_right(copy: Path, file: Path) -> None:
    line = None
    while True:
        edit_in_terminal(copy, line)
        if not (wrong := _wrong_with(copy)):
            return
        wrong = inert(redact(wrong.replace(str(copy), str(file))))
        if not is_anybody_there():
            raise ConfigError(wrong, path=str(file), hint=set_aside(copy))
        try:
            answer = answer_to(f"{wrong}\nEdit it again, or discard what you wrote?", "[E/d]")
        except KeyboardInterrupt:
            typer.echo(set_aside(copy), err=True)
            raise
        if not answer:  # Ctrl+D
            raise ConfigError(wrong, path=str(file), hint=set_aside(copy))
        if answer.strip().lower().startswith("d"):
            raise ConfigError("What you wrote was discarded.", path=str(file), hint="The settings are as they were.")
        line = int(found[1]) if (found := _LINE.search(wrong)) else None


def _wrong_with(copy: Path) -> str:
    from maverick_tui.doctor.files import wrong_keys

    try:
        check_file(copy)
    except ConfigError as error:
        return error.message
    return "\n".join(wrong_keys(copy))


def _put_in_place(copy: Path, file: Path, before: bytes | None) -> None:
    if before != (file.read_bytes() if file.exists() else None):
        raise ConfigError(f"{file} was changed by somebody else meanwhile.", path=str(file), hint=set_aside(copy))
    try:
        write_whole(file, [copy.read_bytes().decode()])  # UTF-8, or it would be wrong
    except OSError as error:
        why = f"{file} cannot be written: {error.strerror or error}."
        raise ConfigError(why, path=str(file), hint=set_aside(copy)) from error
