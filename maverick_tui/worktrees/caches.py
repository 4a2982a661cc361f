"""Which of what no commit has tools make anew when it is gone: it keeps no worktree, and nobody is asked about it.

Only what is plainly so. Whatever else git ignores may be what a run was asked for, as `dist` or `build`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

from maverick_tui.git.repository import read_small

_NAMES = frozenset({"__pycache__", "node_modules", ".gradle", ".nox", ".tox", ".venv", "venv"})
_TAGGED = frozenset({".mypy_cache", ".pytest_cache", ".ruff_cache", "target"})
_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
"""What that begins with (https://bford.info/cachedir/): of Cargo, mypy, pytest, Ruff, uv and others."""


def is_cache(path: Path) -> bool:
    """Whether a folder is one, or has nothing but such folders in it."""
    waiting = [path]
    try:
        while waiting:
            folder = waiting.pop()
            if not folder.is_dir():
                return False
            if is_known(folder):
                continue
            if folder.is_symlink():
                return False
            waiting.extend(folder.iterdir())
    except OSError:
        return False
    return True


def is_known(folder: Path) -> bool:
    """Whether its name or its tag says that it is one."""
    return folder.name in _NAMES or (read_small(folder / _TAG) or "").startswith(_SIGNATURE)


def in_caches(top: Path, paths: Iterable[str]) -> set[str]:
    """Those of the changed paths below a folder that are in such a folder.

    A tag alone does not count: a run may write one beside sources, and none of its changes there would be told.
    """
    is_one = cache(lambda folder: folder.name in _NAMES or (folder.name in _TAGGED and is_known(top / folder)))
    return {path for path in paths if any(is_one(folder) for folder in reversed(PurePosixPath(path).parents[:-1]))}
