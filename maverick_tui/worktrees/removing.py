"""Removes worktrees of runs, their branches, and what git knows of them; also where the project is gone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git, GitError
from maverick_tui.git.repository import find_repository, read_small
from maverick_tui.real_paths import real_path
from maverick_tui.removing import remove_folder
from maverick_tui.worktrees import brought, records
from maverick_tui.worktrees.records import Worktree


def discard(worktree: Worktree) -> None:
    """Remove it and its branch, and whatever is known of it: as if it had never been made."""
    remove_tree(worktree)
    remove_branch(worktree)
    records.forget(worktree.run_id)


def remove_tree(worktree: Worktree) -> None:
    """Remove the folder, and what git knows of it. Where the project is gone, only the folder is left."""
    with suppress(ConfigError):
        git = Git(Path(worktree.project))
        with suppress(GitError):  # never added, or removed by somebody else
            git("worktree", "remove", "--force", "--force", worktree.path)
    remove_folder(worktree.top)
    brought.forget(worktree)
    with suppress(ConfigError):
        forget_place(worktree)


def forget_place(worktree: Worktree) -> None:
    """Remove what git still knows of it: `git worktree prune` would forget others as well that are only away."""
    repository = find_repository(Path(worktree.project))
    folder = repository.common / "worktrees" if repository is not None else None
    owns = list[Path]()
    with suppress(OSError):  # there is none, or we may not look into it
        owns = [] if folder is None or folder.is_symlink() else list(folder.iterdir())
    for own in owns:
        with suppress(OSError):
            named = read_small(own / "gitdir") or ""  # a pipe would be waited for
            if named and real_path(own / named.rstrip("\r\n")) == real_path(worktree.top / ".git"):
                remove_folder(own)


def remove_branch(worktree: Worktree) -> None:
    """Remove its branch, if that is there, and nobody works on it."""
    with suppress(ConfigError):
        git = Git(Path(worktree.project))
        tip = git.commit(f"refs/heads/{worktree.branch}")
        if tip and worktree.branch not in git.checked_out():
            git("update-ref", "-d", f"refs/heads/{worktree.branch}", tip)
