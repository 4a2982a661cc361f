"""Finds the programs that we start: by their whole paths, or by their names on the person's PATH, never in a project.

An empty or a relative entry of PATH leads into whatever folder one is in, and one inside a project (direnv, an
activated environment of a clone) to what the project's author has put there under the name of git or ssh. So whatever
starts a program asks here for its path; a test looks for starts that do not.

What one has said into a file is read here as well, and one that takes too long is ended with what it has started.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from maverick_tui.inert import inert
from maverick_tui.masking.redact import redact
from maverick_tui.paths import project_folders, working_folder, worktree_around, worktree_project

_MOST_SAID = 64_000
"""Bytes of the end of an output that are read."""


def find_program(name: str, *folders: Path, also: Sequence[str] = ()) -> str | None:
    """The absolute path of the program of that name, or None; `also` are folders to look into after those of PATH.

    It belongs neither to the project that we are in nor to those of the folders, wherever PATH points.
    """
    return found_in([*search_path(*folders), *also], name)


def program_path(named: str, *folders: Path) -> str:
    """The absolute path of a program that a setting of the person's names. OSError if there is none that can be run."""
    command = os.path.expanduser(named)  # noqa: PTH111 - it may be a name alone
    if os.path.isabs(command):  # noqa: PTH117
        return _runnable(command, named)
    if os.path.dirname(command):  # noqa: PTH120
        raise OSError(errno.ENOENT, "it is neither a name on your PATH nor a whole path", named)
    if (found := find_program(command, *folders)) is None:
        raise _not_found(named)
    return found


def server_path(command: str, path: str, cwd: Path | None) -> str:
    """The absolute path of a command that an agent's file names. OSError if there is none that can be run.

    It may be the project's own, by its path or by an entry of PATH: the person has agreed to what it runs there.
    """
    if os.path.dirname(command):  # noqa: PTH120
        return _runnable(os.path.abspath(os.path.join(cwd or "", command)), command)  # noqa: PTH100, PTH118
    if (found := found_in(absolute_places(path), command)) is None:
        raise _not_found(command)
    return found


def search_path(*folders: Path) -> list[str]:
    """The absolute folders of PATH that are outside of these projects, and of the one that we are in."""
    # The root of the machine is nobody's project.
    looked_at = [working_folder(), *folders]
    # Whose worktree one is in is a project as well.
    worktrees = (worktree for folder in looked_at if (worktree := worktree_around(folder)) is not None)
    looked_at += [project for worktree in worktrees if (project := worktree_project(worktree)) is not None]
    projects = {place for folder in looked_at for place in project_folders(folder, of_anybody=True)}
    # As texts: git is looked for very often, and paths are slow.
    own = tuple(_begins(place) for place in projects if place != place.parent)
    places = absolute_places(os.environ.get("PATH", os.defpath))
    return [place for place in places if not _begins(place).startswith(own)]


def _begins(place: str | Path) -> str:
    """What the names of all that is in a folder begin with."""
    return os.path.join(os.path.normcase(os.path.realpath(place)), "")  # noqa: PTH118


def absolute_places(path: str) -> list[str]:
    """The folders of a PATH that mean the same everywhere: an empty one means the current folder."""
    return [place for place in path.split(os.pathsep) if os.path.isabs(place)]  # noqa: PTH117


def found_in(places: Sequence[str], name: str) -> str | None:
    """The path of the program of that name in the first of these folders that has it."""
    # Not shutil.which: on Windows that looks into the current folder first.
    name = f"{name}.exe" if os.name == "nt" and not name.lower().endswith(".exe") else name
    paths = (os.path.join(place, name) for place in places)  # noqa: PTH118
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)  # noqa: PTH113


def _runnable(path: str, named: str) -> str:
    if not os.path.isfile(path):  # noqa: PTH113
        raise _not_found(named)
    if not os.access(path, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), named)
    return path


def _not_found(named: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), named)


def end_of_output(out: BinaryIO) -> str:
    """The last lines that a program has written into a file: inert, and without secrets."""
    size = out.seek(0, os.SEEK_END)
    out.seek(max(size - _MOST_SAID, 0))
    said = out.read(_MOST_SAID).decode(errors="replace")
    return inert(redact(said if size <= _MOST_SAID else said.partition("\n")[2]))


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a program that leads a session of its own, with what it has started there."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
