"""Where things are: what we ship, the project's folders, the user's folders. Nothing is created on import."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from maverick_tui.ownership import is_persons, upwards

APP = "maverick"

PACKAGE = Path(__file__).resolve().parent

OTHER_VARIABLES = frozenset(
    f"MAVERICK_{name}"
    for name in ("CONFIG_DIR", "STATE_DIR", "RUNTIME_DIR", "OFFLINE", "RUN_ID", "EVENT", "AGENT", "TITLE", "TEXT")
)
"""Variables of ours that are not settings: where things are, and what a command for news is told."""


WORKTREE_PROJECT = ".project"
"""The file beside the worktrees of a project that says where the project is."""


def shipped(kind: Literal["agents", "styles"]) -> Path:
    """The folder that we ship: inside the installed package, or at the top of a checkout."""
    inside = PACKAGE / kind
    return inside if inside.is_dir() else PACKAGE.parent / kind


def user_config() -> Path:
    """The user's settings and agents; `MAVERICK_CONFIG_DIR` moves it."""
    return _user_folder("MAVERICK_CONFIG_DIR", "user_config_path")


def user_state() -> Path:
    """What we remember between runs (trusted files); `MAVERICK_STATE_DIR` moves it."""
    return _user_folder("MAVERICK_STATE_DIR", "user_state_path")


def edited_settings() -> Path:
    """Where copies of the settings are while somebody edits them, with the keys in them: no agent looks there."""
    return user_state() / "settings"


def make_private(folder: Path) -> None:
    """Make a folder of ours, and those above it that are missing, for us alone.

    With `parents`, `mkdir` leaves those above to the umask: where that lets others write, they could put another folder
    in the place of this one.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:  # it is there already, or not even that can be said
        if not folder.is_dir():
            raise


@contextmanager
def named_if_it_fails(file: Path) -> Iterator[None]:
    """Have an OSError name the file that is written to: what is open does not know its name, and whoever hears of it
    would take it for the output.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise OSError(error.errno, error.strerror, str(file)) from error
        raise


def worktrees() -> Path:
    """Where worktrees of runs are: `PROJECT/NAME` below it, and beside them what is known of each."""
    return user_state() / "worktrees"


def worktree_around(folder: Path) -> Path | None:
    """The worktree of a run that a folder is, or is in."""
    top, place = os.path.realpath(worktrees()), os.path.realpath(folder)
    if not place.startswith(top + os.sep):
        return None
    names = Path(place).parts[len(Path(top).parts) :]
    return Path(top, *names[:2]) if len(names) > 1 else None


def worktree_project(worktree: Path) -> Path | None:
    """The project that a worktree of a run was made of, as it says beside it; None if that is not known."""
    try:
        return Path(os.fsdecode((worktree.parent / WORKTREE_PROJECT).read_bytes()))
    except OSError:
        return None


def claude_config() -> Path:
    """Claude Code's own folder, whose agents we list, too."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def _user_folder(variable: str, function: str) -> Path:
    if moved := os.environ.get(variable):
        return Path(moved).expanduser()
    import platformdirs

    folder: Path = getattr(platformdirs, function)(APP)
    return folder


def too_much(cwd: Path) -> str:
    """Why no agent should work in this folder: it is a home directory, or contains one. Empty if it is neither."""
    folder = os.path.realpath(cwd)
    homes = {os.path.realpath(home) for home in _homes() if os.path.isabs(home)}  # noqa: PTH117 - it is a text
    if folder in homes:
        what = "This is your home directory"
    elif folder == os.path.realpath(os.sep):
        what = "This is the root of the file system"
    elif any(os.path.commonpath((folder, home)) == folder for home in homes):
        what = "Your home directory is in this folder"
    else:
        return ""
    reach = "An agent working here can reach all your files, including your keys and settings."
    return f"{what}. {reach} Start Maverick in a project's folder instead."


def _homes() -> Iterator[str]:
    """What the environment says is the home directory, and what the system does: either may be the one in use."""
    yield os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where nobody knows it
    with suppress(ImportError, KeyError):  # not Unix, or a user without an entry
        import pwd

        yield pwd.getpwuid(os.getuid()).pw_dir


def how_to_open(place: str) -> str:
    """What to do about something that is closed to us: a command with sudo leaves files of root's in our folders."""
    import shlex

    ours = next((folder for folder in (user_state(), user_config()) if Path(place).is_relative_to(folder)), None)
    if ours is None or os.name != "posix":
        return f"Look who may read and write it: ls -ld {shlex.quote(place)}"
    return f'If it is root\'s, by a command with sudo: sudo chown -R "$(id -un)" {shlex.quote(str(ours))}'


def working_folder() -> Path:
    """The folder that we are in; the home directory if somebody has deleted it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path.home()


def project_folders(cwd: Path, *, of_anybody: bool = False) -> list[Path]:
    """The working directory and the folders above it, up to the repository's root.

    Outside a repository it is the working directory alone: what lies above it may be anybody's. So may a repository
    that git would not work in: it is passed over with all that lies in it, unless folders `of_anybody` are asked for,
    up to the person's repository or else to the topmost one.
    The home directory is left out, since what is there is the user's and not a project's.
    """
    place, above, strangers = os.path.realpath(cwd), list[str](), list[str]()
    home = os.path.realpath(Path.home())
    for folder, is_repository in upwards(place):
        above.append(folder)
        if is_repository and is_persons(folder):
            break
        if is_repository:
            strangers += above
            above.clear()
    else:
        above.clear()
    found = (place, *strangers, *above) if of_anybody else (place, *above)
    return [Path(folder) for folder in dict.fromkeys(found) if folder != home]
