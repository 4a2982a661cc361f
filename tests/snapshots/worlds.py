"""Folders with everything in them that a folder may hold, and what runs and people do there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from tests.snapshots.folders import commit, git, project

LATIN = os.fsdecode(b"latin-\xe9\xff")
_NAMES = (
    "a.txt b.txt crlf.txt Case case tool link empty binary same.up staged untracked x.log build/o build/new deep/er/f"
    " deep/new new/d/x hollow/z lib/a.txt lib/new nested/in/a.txt nested/new hollow deep/er link/below out/f"
)
PATHS = [*_NAMES.split(), LATIN, f"deep/{LATIN}"]
BYTES = (b"", b"one\n", b"one\ntwo\nthree\n", b"CR\r\nLF\r\n", b"\0\1binary", b"$Id: x $\n", b"x" * 5000, b"two")
KINDS = "write append delete rename chmod symlink mkdir rmtree exchange add".split()


class Op(NamedTuple):
    """One thing that somebody does."""

    kind: str
    path: str
    other: str
    data: bytes
    mode: int


ops = st.builds(
    Op,
    st.sampled_from(KINDS),
    st.sampled_from(PATHS),
    st.sampled_from(PATHS),
    st.sampled_from(BYTES),
    st.sampled_from([0o644, 0o755, 0o600, 0o640]),
)
phases = st.lists(st.tuples(st.booleans(), st.lists(ops, min_size=1, max_size=6)), min_size=1, max_size=4)
"""Whether it is the run that does something, and what."""


def do(top: Path, op: Op, *, is_person: bool) -> None:
    """Do it, where it can be done at all."""
    path, other = top / op.path, top / op.other
    with suppress(OSError):
        if op.kind == "add":
            if is_person and (top / ".git").exists():
                git(top, "add", "--all", "--sparse")
        elif op.kind in ("write", "append", "symlink", "mkdir"):
            path.parent.mkdir(parents=True, exist_ok=True)
            if op.kind == "mkdir":
                path.mkdir()
            elif op.kind == "symlink":
                path.unlink(missing_ok=True)
                path.symlink_to(op.other)
            elif not path.is_symlink():
                with path.open("ab" if op.kind == "append" else "wb") as file:
                    file.write(op.data)
        elif op.kind == "delete":
            path.unlink()
        elif op.kind == "rename":
            other.parent.mkdir(parents=True, exist_ok=True)
            if not (path / ".git").exists() and not path.is_dir():
                path.rename(other)
        elif op.kind == "chmod" and not path.is_symlink() and path.is_file():
            path.chmod(op.mode)
        elif op.kind in ("rmtree", "exchange") and path.is_dir() and not any(path.rglob(".git")):
            _remove_tree(path)
            if op.kind == "exchange":
                path.write_bytes(op.data)
        elif op.kind == "exchange" and path.is_file():
            path.unlink()
            path.mkdir()
            (path / "inside").write_bytes(op.data)


def _remove_tree(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path)


def make_usual(top: Path) -> None:
    """A repository with a bit of everything."""
    project(top)
    for kind in ("clean", "smudge"):
        git(top, "config", f"filter.upper.{kind}", "tr a-z A-Z" if kind == "clean" else "tr A-Z a-z")
    (top / ".gitattributes").write_text("crlf.txt text eol=crlf\n*.up filter=upper\n")
    (top / ".gitignore").write_text("*.log\nbuild/\n")
    _fill(top)
    commit(top, "all kinds")
    (top / "staged").write_text("staged\n")
    git(top, "add", "staged")
    (top / "b.txt").write_text("not staged\n")
    other = project(top.parent / "other")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    project(top / "nested" / "in")
    (top / "untracked").write_text("untracked\n")
    (top / "x.log").write_text("log\n")
    (top / "build" / "sub").mkdir(parents=True)
    (top / "build" / "o").write_bytes(b"\0\1")
    (top / "hollow").mkdir()


def make_begun(top: Path) -> None:
    """No commit yet."""
    top.mkdir()
    git(top, "init", "--quiet")
    _fill(top)
    git(top, "add", "a.txt")


def make_plain(top: Path) -> None:
    """No git."""
    top.mkdir()
    _fill(top)


def make_sparse(top: Path) -> None:
    """Not all of it is there."""
    project(top)
    _fill(top)
    (top / "out").mkdir()
    (top / "out" / "f").write_text("left out\n")
    commit(top, "all kinds")
    git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "deep")


def _fill(top: Path) -> None:
    (top / "a.txt").write_text("one\ntwo\nthree\n")
    (top / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (top / "binary").write_bytes(bytes(range(256)) * 20)
    (top / "empty").touch()
    (top / "link").symlink_to("deep")
    (top / "tool").write_text("#!/bin/sh\n")
    (top / "tool").chmod(0o755)
    (top / "same.up").write_text("lower case\n")
    (top / "Case").write_text("upper\n")
    (top / "case").write_text("lower\n")
    (top / LATIN).write_text("no UTF-8\n")
    (top / "deep" / "er").mkdir(parents=True)
    (top / "deep" / "er" / "f").write_text("deep\n")


WORLDS: Sequence[Callable[[Path], None]] = (make_usual, make_begun, make_plain, make_sparse)
