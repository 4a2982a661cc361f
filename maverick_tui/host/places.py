"""Where the sockets of hosts are: in a folder that is ours alone, or nowhere."""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.host.lines import ProtocolError
from maverick_tui.journal.folders import is_alive, is_run_id, journal_of

SOCKET = ".sock"
LOCK = ".lock"
LOG = "host.log"
_LONGEST = 100
"""Bytes of a socket's path that every system takes."""
_PRIVATE = 0o700


def runtime_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of all sockets; it need not exist. `MAVERICK_RUNTIME_DIR` moves it.

    Runs that are kept in another state folder have their sockets in another one, too: nobody who looks after their own
    runs, all of them, say, shall end those of a script that has a home of its own.
    """
    if moved := environment.get("MAVERICK_RUNTIME_DIR"):
        return Path(moved).expanduser().absolute()
    state, usual = _state_folder(environment), _usual_state_folder()
    apart = f"-{hashlib.sha256(os.fsencode(state)).hexdigest()[:8]}" if usual and state != usual else ""
    if (own := environment.get("XDG_RUNTIME_DIR")) and Path(own).is_dir():
        return Path(own) / f"maverick{apart}"
    return _temporary_folder(environment) / f"maverick-{os.getuid()}{apart}"


def _state_folder(environment: Mapping[str, str]) -> str:
    """What tells one state folder from another, wherever the system has it."""
    if not (state := environment.get("MAVERICK_STATE_DIR")):
        parent = environment.get("XDG_STATE_HOME") or f"{environment.get('HOME', '~')}/.local/state"
        state = f"{parent}/{paths.APP}"
    return os.path.realpath(os.path.expanduser(state))  # noqa: PTH111 - the home of a user that there is not stays


@functools.cache
def _usual_state_folder() -> str:
    """That of this user where no variable moves it; empty if the system does not know the user."""
    import pwd

    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
    return _state_folder({"HOME": home})


def _temporary_folder(environment: Mapping[str, str]) -> Path:
    if environment is os.environ:
        return Path(tempfile.gettempdir())
    moved = (environment.get(name, "") for name in ("TMPDIR", "TEMP", "TMP"))
    return next((Path(folder) for folder in moved if folder and Path(folder).is_dir()), Path("/tmp"))


def can_host() -> bool:
    """Whether this system has what a host needs."""
    return sys.platform != "win32"


def make_runtime_folder() -> Path:
    """The folder, made if it is not there. ConfigError if it is not ours alone: nobody should trust what is in it."""
    folder = runtime_folder()
    try:
        paths.make_private(folder)
    except OSError as error:
        raise ConfigError(
            f"The folder {folder} for the sockets of runs cannot be made: {error.strerror or error}.",
            hint="Set MAVERICK_RUNTIME_DIR to a folder of your own.",
        ) from error
    require_own(folder)
    return folder


def require_own(folder: Path) -> None:
    """ConfigError unless it is a folder of ours, no link, and nobody else can look into it."""
    about = folder.lstat()
    wrong = (
        "is a link"
        if stat.S_ISLNK(about.st_mode)
        else "is not a folder"
        if not stat.S_ISDIR(about.st_mode)
        else "belongs to somebody else"
        if about.st_uid != os.getuid()
        else "can be read by others"
        if stat.S_IMODE(about.st_mode) & ~_PRIVATE
        else ""
    )
    if wrong:
        raise ConfigError(
            f"The folder {folder} for the sockets of runs {wrong}.",
            hint="Remove it, or set MAVERICK_RUNTIME_DIR to a folder that only you can read.",
        )


def socket_of(run_id: str) -> Path:
    """The socket of a run's host; it need not be there. ConfigError if no socket can have that path."""
    journal_of(run_id)  # it refuses what is no id: this names a file, too
    path = runtime_folder() / f"{run_id}{SOCKET}"
    if len(os.fsencode(path)) > _LONGEST:
        raise ConfigError(
            f"The path {path} is too long for a socket.", hint="Set MAVERICK_RUNTIME_DIR to a shorter one."
        )
    return path


def log_of(run_id: str, *, is_kept: bool) -> Path:
    """The log of a run's host: beside its journal, or where its socket is if it has none."""
    return journal_of(run_id).parent / LOG if is_kept else runtime_folder() / f"{run_id}.log"


def has_host(run_id: str) -> bool:
    """Whether a process serves the run: the system lets go of its lock whatever ends it."""
    if not can_host():
        return False
    try:
        require_own(runtime_folder())
    except (OSError, ConfigError):
        return False
    return is_alive(runtime_folder() / f"{run_id}{LOCK}")


def hosted_runs() -> Iterator[str]:
    """The ids of all runs that have a socket; their hosts may be gone. ConfigError if the folder is not ours alone."""
    if not can_host():
        return
    folder = runtime_folder()
    try:
        require_own(folder)
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return
    for name in names:
        if name.endswith(SOCKET) and is_run_id(run_id := name.removesuffix(SOCKET)):
            yield run_id


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the file that is open stands there."""
    with suppress(OSError):
        there, ours = path.lstat(), os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
    return False


def require_same_user(connection: Any) -> None:
    """ProtocolError unless the process at the other end is ours; the folder should say so already."""
    if sys.platform == "linux":
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", told)
        if user != os.getuid():
            raise ProtocolError("that is somebody else's")
