"""What a project's worktrees need besides what is committed: `.maverick/worktree.toml`.

    copy = [".env"]                # copied from the project's folder
    link = ["node_modules"]        # linked to the project's own
    setup = ["make", "deps"]       # run in each new worktree, without a shell

A person trusts the bytes of this file before any of it counts: a clone's author has written it.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import LOOKING_SECONDS, GitError
from maverick_tui.git.repository import persons_repository, read_small
from maverick_tui.inert import one_line, whole_line
from maverick_tui.masking.redact import beginning
from maverick_tui.real_paths import real_path
from maverick_tui.removing import remove_folder
from maverick_tui.toml_text import read_toml
from maverick_tui.worktrees import records
from maverick_tui.worktrees.brought import note
from maverick_tui.worktrees.making import changed_files
from maverick_tui.worktrees.records import Worktree
from maverick_tui.worktrees.work import Work

if TYPE_CHECKING:
    from maverick_tui.worktrees.commands import CommandEnd

PLACE = (".maverick", "worktree.toml")
SETUP_SECONDS = 900.0
"""How long a set-up may take."""
_LARGEST = 20_000
_MOST = 100
_SHOWN = 5


class Needs(NamedTuple):
    """What the file says, and its bytes."""

    path: Path
    content: bytes
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()

    @property
    def words(self) -> Iterator[str]:
        """What it has done to a new worktree, a line for each."""
        if self.copy:
            yield f"copies {', '.join(map(whole_line, self.copy))}"
        if self.link:
            yield f"links {', '.join(map(whole_line, self.link))}"
        if self.setup:
            yield f"runs {whole_line(shlex.join(self.setup))}"


def needs_of(folder: Path) -> Needs | None:
    """What worktrees of the project around a folder need; None if it does not say. ConfigError if it is wrong."""
    repository = persons_repository(folder)
    if repository is None:
        return None
    top = Path(real_path(repository.top))
    path = top.joinpath(*PLACE)
    if not os.path.lexists(path):
        return None
    text = read_small(path, _LARGEST) if real_path(path) == str(path) else None
    if text is None:
        raise _wrong(path, f"it is no plain file of at most {_LARGEST:,} bytes")
    content = os.fsencode(text)
    try:
        data = read_toml(content.decode())
    except ValueError as error:
        raise _wrong(path, str(error).removesuffix(".")) from error
    lists: dict[str, tuple[str, ...]] = {}
    for name, value in data.items():
        if name not in ("copy", "link", "setup"):
            raise _wrong(path, f"{name!r} is none of copy, link and setup")
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value) or len(value) > _MOST:
            raise _wrong(path, f"{name} is a list of texts")
        if hidden := next((one for one in value if not one.isprintable()), ""):
            raise _wrong(path, f"{hidden!r} in {name} has line breaks or letters that cannot be seen")
        lists[name] = tuple(value)
    for name in ("copy", "link"):
        for one in lists.get(name, ()):
            if problem := _wrong_with(one):
                raise _wrong(path, f"{one!r} in {name} {problem}")
    return Needs(path, content, **lists)


def setup_line(folder: Path) -> str:
    """The command that is run in each new worktree of the project around a folder; empty if there is none."""
    try:
        needs = needs_of(folder)
    except ConfigError:  # then nothing is run
        return ""
    return shlex.join(needs.setup) if needs is not None else ""


def _wrong_with(path: str) -> str:
    """Why a path is none that can be copied or linked; it must stay inside, and leave git's own alone."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or not parts or "\0" in path or "\n" in path:
        return "does not stay inside the project"
    if any(part.casefold() == ".git" for part in parts):
        return "is git's own"
    return "leads to Maverick's own files" if parts[0].casefold() == ".maverick" else ""


def _wrong(path: Path, why: str) -> ConfigError:
    return ConfigError(f"{path} cannot be used: {why}.", path=str(path), hint="Correct it, or remove it.")


def provide(needs: Needs, worktree: Worktree) -> list[str]:
    """Give a new worktree what it needs, and run its set-up; what the person should know of it.

    ConfigError if that fails. What comes along is no work of the run as it is: it is never committed by us.
    """
    told, brought = [], []
    for path in (*needs.copy, *needs.link):
        name = PurePosixPath(path).as_posix()
        problem = _bring(worktree, name, is_link=path in needs.link)
        if problem:
            told.append(f"{one_line(name)} is not in the worktree: {problem}.")
        else:
            brought.append(name)
    records.note(worktree, brought="\n".join(brought))
    if needs.setup:
        from maverick_tui.worktrees.commands import run_command  # the judge reads what is run, and runs nothing

        ended = run_command(needs.setup, worktree.top, SETUP_SECONDS, variables={"MAVERICK_PROJECT": worktree.project})
        if not ended.is_fine:
            raise _failed(needs, worktree, ended)
    made, seen = list[str](), list[str]()
    try:
        work = Work(worktree, LOOKING_SECONDS)
        made = [path.rstrip("/") for path in (*work.ignored, *work.overlooked.changed, *work.overlooked.ignored)]
        seen = [path for letters, path in changed_files(work.git) if letters == "??"]
    except GitError as error:
        told.append(f"What its set-up has made counts as work of the run, since it cannot be told: {error.message}")
    note(worktree, dict.fromkeys((*brought, *made)))
    loose = [name for name in brought if any(path == name or path.startswith(f"{name}/") for path in seen)]
    if loose:
        names = ", ".join(map(one_line, loose[:_SHOWN]))
        told.append(f"Git does not ignore what came along, so an agent may commit it: {names}.")
    return told


def _bring(worktree: Worktree, name: str, *, is_link: bool) -> str:
    """Copy or link a file or folder of the project; why that was not done."""
    project, top = real_path(worktree.project), real_path(worktree.top)
    source, target = Path(project, name), Path(top, name)
    if not os.path.lexists(source):
        return "the project has none"
    if real_path(source) != str(source):
        return "a link leads there"
    if os.path.lexists(target):
        return "something is there already"
    if real_path(target.parent) != str(target.parent):
        return "a link leads to its place"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_link:
            target.symlink_to(source)
        elif source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        return beginning(one_line(str(error)), 200)
    except RecursionError:
        remove_folder(target)
        return "its folders are nested too deeply"
    return ""


def log_of(run_id: str) -> Path:
    """Where it stands what a set-up that has failed has said."""
    return records.file_of(run_id).with_suffix(".log")


def _failed(needs: Needs, worktree: Worktree, ended: CommandEnd) -> ConfigError:
    log = log_of(worktree.run_id)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as out:
        out.write(ended.output)
    why = ended.why or f"it ended with code {ended.code}"
    said = f": {one_line(ended.last_words)[:300]}" if ended.last_words else ""
    return ConfigError(
        f"The set-up of the worktree, {' '.join(map(one_line, needs.setup))}, has failed: {why}{said}.",
        path=str(needs.path),
        hint=f"All that it said is in {log}.",
    )
