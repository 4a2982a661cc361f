"""Makes the demo's repository: real files, real git, two commits, one bug that a test shows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from maverick_tui.exceptions import ConfigError

SOURCE = Path(__file__).resolve().parent / "project"
BRANCH = "coupons"

_AUTHOR = {"NAME": "Shop Team", "EMAIL": "shop@example.com"}
_COMMITS = {"main": "2025-01-06T09:00:00+00:00", BRANCH: "2025-01-07T16:30:00+00:00"}
_WHY = "Several may be used at once, each up to and including its last day."


def make_project(folder: Path) -> Path:
    """Make the repository in a new folder, with the branch checked out; the user's git settings are left out of it."""
    folder = folder.resolve()
    _copy("main", folder)
    _git(folder, "init", "--quiet")
    _git(folder, "symbolic-ref", "HEAD", "refs/heads/main")  # `init --initial-branch` is not in every git
    _commit(folder, "Add the cart, its discount and its receipt", _COMMITS["main"])
    _git(folder, "checkout", "--quiet", "-b", BRANCH)
    _copy("branch", folder)
    _commit(folder, f"Add coupons\n\n{_WHY}", _COMMITS[BRANCH])
    return folder


def changed_files(project: Path) -> list[str]:
    """What is not committed, as `git status --short` puts it."""
    return _git(project, "status", "--short", "--untracked-files=all").splitlines()


def git_environment() -> dict[str, str]:
    """What keeps git away from the settings of the user and of the machine."""
    return {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def _copy(part: str, folder: Path) -> None:
    """Copy contents alone: an installed package may be read-only, its copy must not be."""
    for source in (SOURCE / part).rglob("*"):
        if source.is_file() and "__pycache__" not in source.parts:
            target = folder / source.relative_to(SOURCE / part)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def _commit(folder: Path, message: str, date: str) -> None:
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--no-verify", "--message", message, date=date)


def _git(folder: Path, *arguments: str, date: str = "") -> str:
    # Whoever calls us may stand in a repository of their own: its variables would send git there.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables |= git_environment() | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    for role in ("AUTHOR", "COMMITTER"):
        variables |= {f"GIT_{role}_{name}": value for name, value in _AUTHOR.items()} | {f"GIT_{role}_DATE": date}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env=variables, check=True, capture_output=True, text=True
        )
    except FileNotFoundError as error:
        raise ConfigError("The demo needs git, which is not installed.", hint="Install git, then try again.") from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(
            f"The demo's repository cannot be made: git {arguments[0]} failed: {error.stderr.strip()}",
            path=str(folder),
            hint="Look at what git says, then try again.",
        ) from error
    return done.stdout
