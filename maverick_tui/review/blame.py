"""Which run, prompt and call has written each line of a file, also after it was committed, merged or renamed.

First by the snapshots of the folder that the file is in. What those do not know for a run's, git knows by commit; and
what was in the file there may be in snapshots of any folder of the repository, as a run has left it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git, GitError
from maverick_tui.git.repository import persons_repository, repository_of
from maverick_tui.masking.redact import redact_lines
from maverick_tui.review.accounts import RunAccount
from maverick_tui.review.kinds import YOU, Author, Authors
from maverick_tui.review.makers import Makers, better
from maverick_tui.review.traced import NOBODY, Told, Traced
from maverick_tui.snapshots.shadow import all_shadows
from maverick_tui.worktrees import records
from maverick_tui.worktrees.records import Worktree

_ORIGIN = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?")
_MOST = 50_000_000


class BlamedLine(NamedTuple):
    """A line, counted from 1, and who has written it; its text is not inert."""

    number: int
    text: bytes
    authors: Authors
    """Calls of runs, or you; nobody if it was there before any run that is known."""
    at: float = 0.0
    """When the call was made."""
    commit: str = ""
    """The commit that it came with; empty if it is not committed."""
    shown: str = ""
    """Its text without its end, masked: by itself, a line of a key would not be known for a secret."""


class _Origin(NamedTuple):
    commit: str
    path: str
    line: int
    """Counted from 0."""
    at: float


def blame(file: Path, first: int = 1, last: int | None = None) -> list[BlamedLine]:
    """Who has written each line of a file, or of some lines of it. ConfigError if it cannot be read."""
    path = Path(os.path.realpath(file))
    texts = _lines(path, file)
    last = len(texts) if last is None else last
    if not 1 <= first <= last <= len(texts) and (first, last) != (1, 0):
        raise ConfigError(
            f"{file} has no line {first if first > len(texts) or first < 1 else last}.",
            path=str(file),
            hint=f"It has {len(texts)}.",
        )
    everywhere = [Traced(one) for one in all_shadows()]
    here = [one for one in everywhere if one.shadow.folder in path.parents]
    here.sort(key=lambda one: -len(one.shadow.folder.parts))  # the nearest first
    found, is_new = [NOBODY] * len(texts), bool(here)
    for traced in here:
        told = traced.now(os.path.relpath(path, traced.shadow.folder), b"".join(texts))
        is_new = is_new and told is None
        found = [better(old, new) for old, new in zip(found, told or found, strict=True)]
    origins = _origins(path, first, last)
    project, repository = persons_repository(path.parent), repository_of(path.parent)
    # What stood here once may have come back from a run's worktree: the last snapshot here knows nothing of that.
    has_worktrees = bool(origins) and any(_has_project(one, repository) for one in records.all_worktrees())
    wanted = {at: one for at, one in origins.items() if has_worktrees or not found[at].is_of_a_run}
    if wanted and project is not None:
        others = [one for one in everywhere if one not in here and one.is_of(repository)]
        git = Git(project.top)
        makers = Makers(git)
        for at, told in _committed(git, wanted, [*here, *others]).items():
            found[at] = makers.chosen([found[at], *told], origins[at].commit, origins[at].at)
    if is_new:  # what neither a commit nor a snapshot has is from since then
        found = [one if one.authors or at in origins else Told((YOU,), 0.0) for at, one in enumerate(found)]
    shown = redact_lines(b"".join(texts).decode(errors="replace"))
    return [
        BlamedLine(at + 1, texts[at], *found[at], origins[at].commit if at in origins else "", shown[at])
        for at in range(first - 1, last)
    ]


def _has_project(worktree: Worktree, repository: str) -> bool:
    return repository_of(Path(worktree.project)) == repository


def _lines(path: Path, told: Path) -> list[bytes]:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
            about = os.fstat(opened.fileno())
            if not stat.S_ISREG(about.st_mode):  # a link of a clone's may lead to what never ends
                raise ConfigError(f"{told} is no ordinary file.", path=str(told), hint="Name another one.")
            if about.st_size > _MOST:
                raise ConfigError(
                    f"{told} is too large to be looked at line by line.", path=str(told), hint="See git blame."
                )
            data = opened.read(_MOST)
    except OSError as error:
        raise ConfigError(
            f"{told} cannot be read: {error.strerror or error}.", path=str(told), hint="Name a file that is there."
        ) from error
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


# -- what git knows ----------------------------------------------------------------------------------------------------


def _origins(path: Path, first: int, last: int) -> dict[int, _Origin]:
    """Where git says that lines come from; nothing of those that are not committed."""
    repository = persons_repository(path.parent)
    if repository is None or last < first:
        return {}
    name = os.path.relpath(path, repository.top)
    try:
        told = Git(repository.top).run("blame", "--line-porcelain", f"-L{first},{last}", "--", name)
    except ConfigError:  # it is not tracked, or there are no commits
        return {}
    found: dict[int, _Origin] = {}
    commit, line, at, when = "", 0, 0, 0.0
    for text in told.split(b"\n"):
        if origin := _ORIGIN.fullmatch(text):
            commit, line, at = origin[1].decode(), int(origin[2]) - 1, int(origin[3]) - 1
        elif text.startswith(b"committer-time "):
            when = float(text[15:])
        elif text.startswith(b"filename ") and commit.strip("0"):
            found[at] = _Origin(commit, _unquoted(text[9:]), line, when)
    return found


def _unquoted(name: bytes) -> str:
    if name.startswith(b'"'):
        inner = name[1:-1].decode("ascii", "surrogateescape").encode("latin-1", "surrogateescape")
        name = inner.decode("unicode_escape").encode("latin-1")
    return os.fsdecode(name)


def _committed(git: Git, wanted: dict[int, _Origin], folders: Sequence[Traced]) -> dict[int, list[Told]]:
    """Who has written lines that were committed, by what snapshots of each folder know of what was in the file then."""
    found: dict[int, list[Told]] = {}
    for commit, name in sorted({(one.commit, one.path) for one in wanted.values()}):
        try:
            data = git.run("cat-file", "blob", f"{commit}:{name}")
        except GitError:  # it is not there in a shallow clone
            continue
        lines = {at: one for at, one in wanted.items() if (one.commit, one.path) == (commit, name)}
        for traced in folders:
            told = traced.then(name, data, next(iter(lines.values())).at)
            for at, origin in lines.items():
                if origin.line < len(told):
                    found.setdefault(at, []).append(told[origin.line])
    return found


def arguments_of(author: Author) -> dict[str, Any]:
    """What a call was given, masked as it is kept; nothing if its run is not kept any more."""
    account = RunAccount(author.run_id)
    try:
        account.read()
    except ConfigError:
        return {}
    return account.arguments(author.call)
