"""Repositories to make worktrees of, made by the git that a person would use."""

from __future__ import annotations

import subprocess
from pathlib import Path

from maverick_tui.git import making

WHO = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def git(folder: Path, *arguments: str) -> str:
    """What the person's own git says there."""
    done = subprocess.run(["git", *WHO, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


def commit(folder: Path, message: str = "more", **files: str) -> str:
    """Write files and commit them; the commit. A name's `__` is its dot."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--no-verify", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def project_in(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    making.init(folder, "main")
    commit(folder, "first", a__txt="one\ntwo\nthree\n", b__txt="b\n")
    return folder


def state(folder: Path) -> tuple[str, str, str, str]:
    """All that must not change where somebody only looks: the commit, the branches, what is changed, worktrees."""
    return (
        git(folder, "rev-parse", "HEAD"),
        git(folder, "for-each-ref"),
        git(folder, "status", "--porcelain"),
        git(folder, "worktree", "list", "--porcelain"),
    )


HOOKS = (
    "post-checkout pre-commit prepare-commit-msg commit-msg post-commit post-merge reference-transaction "
    "post-index-change pre-merge-commit"
).split()


def spoil(project: Path, folder: Path) -> Path:
    """Give a repository hooks, a filter like that of LFS, and a submodule; the file that is there once one has run."""
    trace = folder / "ran"
    other = project_in(folder / "other")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    commit(project, "more", big__bin="oid 1\n", __gitattributes="*.bin filter=large\n")
    for kind in ("smudge", "clean", "process"):
        git(project, "config", f"filter.large.{kind}", f"echo {kind} >> {trace}; cat")
    git(project, "config", "filter.large.required", "true")
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {trace}\n")
        (hooks / name).chmod(0o755)
    return trace
