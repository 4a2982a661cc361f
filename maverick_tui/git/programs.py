"""Which programs a repository's own configuration would have git run, and what agents' git is told about it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from maverick_tui.git.asking import absolute_places, ask, find_program, read_settings
from maverick_tui.git.head import Repository, find_repository
from maverick_tui.git.settings import Setting, as_variables
from maverick_tui.inert import one_line

UNREADABLE = "a configuration that cannot be read"

_OWN = ("local", "worktree")
_HOOK = "post-index-change"
"""The one hook that commands run which only read: they write the index again when files were touched."""
_READING = frozenset(
    """
    core.fsmonitor core.pager core.alternaterefscommand filter.clean filter.smudge filter.process
    diff.external diff.command diff.textconv gpg.program
    """.split()
)
_FETCHING = frozenset(
    "core.sshcommand core.gitproxy core.askpass credential.helper remote.uploadpack remote.vcs".split()
)
"""These run when an object is missing that a partial clone has left out."""
_SWITCHES: Mapping[str, frozenset[str]] = {
    "log.showsignature": frozenset({"false", "no", "off", "0"}),
    "submodule.recurse": frozenset({"false", "no", "off", "0"}),
    "diff.submodule": frozenset({"short", "log"}),
}
"""Settings that make git run a program, or itself in a submodule, unless they have one of these values."""
_SAID = frozenset({"true", "yes", "on", "1", "false", "no", "off", "0"})
"""What core.fsmonitor and pager.log may say instead of a program; elsewhere it would be a program of that name."""
_GITLINK = b"\x00\x00\xe0\x00"
"""The mode of a submodule in an index."""


def programs_named(folder: Path) -> list[str]:
    """The settings of the repository around a folder that name programs which git runs in commands that only read.

    Those of the person and of the machine do not count; those of its checked-out submodules do. Empty for an ordinary
    repository, `UNREADABLE` among them if it cannot be told. Nothing is run to find out but git's own listing.
    """
    return [one_line(name) for name in dict.fromkeys(_named(folder, set()))]


def agent_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables for programs that run git in a project, the CLI and its tools.

    Git is not taken from the project itself, a folder of a clone that looks like a bare repository is not taken for
    one, and looking at the state of files locks nothing.
    """
    return {
        "PATH": os.pathsep.join(absolute_places(environment.get("PATH", os.defpath))),
        "GIT_OPTIONAL_LOCKS": environment.get("GIT_OPTIONAL_LOCKS", "0"),
        **as_variables({"safe.bareRepository": "explicit"}, environment),
    }


def _named(folder: Path, seen: set[Path]) -> Iterator[str]:
    found = read_settings(folder)
    if found is None:
        yield from [UNREADABLE] if find_program(folder) else []
        return
    settings = found[1]
    own = [setting for setting in settings if setting.scope in _OWN]
    yield from (setting.key for setting in own if _runs(setting, settings))
    repository = find_repository(folder)
    if repository is None or repository.own in seen:
        return
    seen.add(repository.own)
    for elsewhere in (setting.value for setting in own if setting.key == "core.worktree"):
        repository = repository._replace(top=Path(os.path.realpath(repository.own / elsewhere)))
    if hook := _hook(repository, settings):
        yield str(hook)
    submodules = _submodules(repository)
    if submodules is None:
        yield UNREADABLE
    for submodule in submodules or ():
        yield from _named(submodule, seen)


def _runs(setting: Setting, settings: list[Setting]) -> bool:
    """Whether a command that only reads would run what the setting names, among the others that count."""
    is_switch = setting.kind == "core.fsmonitor" or setting.section == "pager"
    if not setting.value or (is_switch and setting.value.lower() in _SAID):
        return False
    if (harmless := _SWITCHES.get(setting.key)) is not None:
        return setting.value.lower() not in harmless
    if setting.kind == "format.pretty" or setting.section == "pretty":
        return re.search(r"%[-+ ]?G", setting.value) is not None  # signatures are checked by a program
    if setting.kind == "blame.ignorerevsfile":  # what git cannot make sense of in that file, it shows
        return setting.value.startswith(("/", "~")) or ".." in Path(setting.value).parts
    if setting.kind == "hook.command":
        return Setting(setting.scope, f"hook.{setting.subsection}.event", _HOOK) in settings
    if setting.kind in _FETCHING or setting.kind in ("remote.url", "url.insteadof"):
        # An address such as ext::sh is given to a program of that name.
        address = setting.subsection if setting.section == "url" else setting.value
        is_partial = any(one.kind in ("remote.promisor", "extensions.partialclone") for one in settings)
        return is_partial and (setting.kind in _FETCHING or "::" in address)
    return setting.kind in _READING or setting.section == "pager"


def _hook(repository: Repository, settings: list[Setting]) -> Path | None:
    """The hook that would run, if it is the repository's: one in a folder that the person has named is theirs."""
    chosen = [setting for setting in settings if setting.key == "core.hookspath" and setting.scope != "command"]
    folder = repository.common / "hooks"
    if chosen:
        scope, _, value = chosen[-1]
        path = os.path.expanduser(value)  # noqa: PTH111 - Path.expanduser raises for a person nobody knows
        if scope not in _OWN and os.path.isabs(path):  # noqa: PTH117
            return None
        folder = repository.top / path
    hook = folder / _HOOK
    return hook if hook.is_file() and os.access(hook, os.X_OK) else None


def _submodules(repository: Repository) -> list[Path] | None:
    """The submodules that are checked out: git starts itself in each, under their own configuration."""
    indexes = [repository.own / "index", *repository.own.glob("sharedindex.*")]
    if not any(_GITLINK in _bytes(index) for index in indexes):  # quicker than asking, and nearly always so
        return []
    listed = ask(repository.top, "ls-files", "--stage", "-z")
    if listed is None:
        return None
    names = [entry.partition(b"\t")[2] for entry in listed.split(b"\0") if entry.startswith(b"160000 ")]
    folders = [repository.top / os.fsdecode(name) for name in names]
    return [folder for folder in folders if os.path.lexists(folder / ".git")]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
