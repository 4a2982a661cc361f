"""Makes repositories of our own, for the demo and for tests, with nothing of the person's or the machine's git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.asking import ALWAYS, environment, find_git

_OURS = {**ALWAYS, "core.excludesFile": os.devnull, "core.attributesFile": os.devnull, "core.autocrlf": "false"}

NOBODYS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
"""With these, no settings count but those that git is given."""


def init(folder: Path, branch: str) -> None:
    """A new repository in a folder that has none, without the hooks that a template would bring along."""
    _run(folder, "init", "--quiet", "--template=")
    _run(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")  # `init --initial-branch` is not in every git


def branch_off(folder: Path, branch: str) -> None:
    """Check out a new branch."""
    _run(folder, "checkout", "--quiet", "-b", branch)


def commit_all(folder: Path, message: str, *, name: str, email: str, date: str = "") -> None:
    """Commit whatever is in the folder, even if that is nothing."""
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in {"NAME": name, "EMAIL": email, "DATE": date}.items()
        if value
    }
    _run(folder, "add", "--all")
    _run(folder, "commit", "--quiet", "--allow-empty", "--no-verify", "--message", message, variables=who)


def _run(folder: Path, *arguments: str, variables: dict[str, str] | None = None) -> None:
    program = find_git(folder)
    if program is None:
        raise ConfigError(
            "A repository cannot be made: git is not installed.",
            hint="Install git, then try again.",
        )
    settings = {**environment(folder, _OURS), **NOBODYS, **(variables or {})}
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise ConfigError(
            f"A repository cannot be made: git {arguments[0]} failed: {done.stderr.strip()}",
            path=str(folder),
            hint="Look at what git says, then try again.",
        )
