"""What makes git do more than read a repository: run programs, reveal other files; and what agents' git is told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maverick_tui.git.asking import (
    INCLUDED,
    INCLUDED_IF,
    INCLUDING,
    OWN,
    Found,
    Setting,
    as_variables,
    ask,
    find_git,
    read_included,
    read_settings,
)
from maverick_tui.git.index import SUBMODULE, in_index
from maverick_tui.git.repository import (
    Repository,
    differs_by_process,
    find_repository,
    is_anothers,
    is_any_above,
    is_in_bare,
    odd_files,
    read_small,
)
from maverick_tui.inert import one_line
from maverick_tui.programs import absolute_places
from maverick_tui.real_paths import real_path

_FILE = "file:"
_OF_HOOKS = ("core.hookspath", "init.templatedir")
UNREADABLE = "a configuration that cannot be read"

_HOOK = "post-index-change"
"""The one hook that read-only commands run: they rewrite the index when files were touched."""
_COMMITTING = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", _HOOK, "pre-auto-gc",
)  # fmt: skip
"""The hooks that a commit runs."""
_RUN_BY_COMMITS = frozenset(
    "hook.command filter.clean filter.process gpg.program gpg.defaultkeycommand gc.recentobjectshook".split()
)
_READING = frozenset(
    """
    core.fsmonitor core.pager core.alternaterefscommand filter.clean filter.smudge filter.process
    diff.external diff.command diff.textconv gpg.program core.attributesfile
    """.split()
)
_FETCHING = frozenset("remote.promisor remote.partialclonefilter extensions.partialclone".split())
"""With one of these, git fetches what is missing, from where and with what the repository says, in too many ways."""
_ADDRESSES = frozenset({"url.insteadof", "protocol.allow"})
"""These turn an ordinary address into one that is given to a program."""
_ADDRESS_FILES = ("remotes", "branches")
"""Folders of files that name addresses as well, from before there were settings for it."""
_OFF = frozenset({"false", "no", "off", "0"})
_SWITCHES: Mapping[str, frozenset[str]] = {
    "log.showsignature": _OFF,
    # Merging once more reads submodules, whichever a merge knows of.
    "log.diffmerges": _OFF | frozenset("none on m first-parent 1 separate combined c dense-combined cc".split()),
}
"""Settings that make git run a program, or look into a submodule, unless they have one of these values."""
_ABOUT_SUBMODULES = frozenset(
    """
    submodule.url submodule.active submodule.branch submodule.update submodule.ignore submodule.path submodule.shallow
    submodule.fetchjobs submodule.fetchrecursesubmodules submodule.propagatebranches submodule.alternatelocation
    submodule.alternateerrorstrategy diff.ignoresubmodules fetch.recursesubmodules push.recursesubmodules
    """.split()
)
"""Settings about submodules that take no reading command into one; every other one may."""
_NOT_INTO_SUBMODULES = {"status.submoduleSummary": "false", "diff.submodule": "short", "log.diffMerges": "separate"}
"""What keeps reading commands out of submodules that no index has, also where the person has set it otherwise."""
_SAID = frozenset({"true", "yes", "on", "1", "false", "no", "off", "0"})
"""What core.fsmonitor and pager.log may say instead of a program; elsewhere it would be a program of that name."""
_DEPTH, _MOST_SETTINGS = 2, 64 * 1024
_MOST_FOLDERS = 50_000
"""Folders near the top of one that are looked at for repositories: an agent makes as many as it likes, unasked."""
_MOST_NAMING = 100
"""Repositories below a folder that git is asked for, of those whose settings may name a program."""
_MOST_INCLUDED = 40
_ASKED_ANYWAY = 5
_MASSES = frozenset({".git", "node_modules", ".venv", "venv", "target", "__pycache__", ".cache"})
_NAMING = re.compile(
    r"hookspath|include|fsmonitor|command|helper|driver|textconv|pager|program|clean|smudge|process|editor|askpass"
    r"|alias|templatedir",
    re.IGNORECASE,
)
"""In settings that make git start something there is one of these words."""
_MADE_SPARSE = frozenset({"index.sparse", "core.sparsecheckout"})
_REVISION = re.compile(r"(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})?")
_MOST_REVISIONS = 1_000_000
"""The most bytes of a file of commits to be ignored."""


def programs_named(folder: Path) -> list[str]:
    """What makes read-only git commands do more than read the repository around a folder: settings and paths.

    That is programs that they run, and other files that they reveal. An alias counts, since git prefers an alias to a
    command that is going out of use. What the person and the machine have set does not count; what its checked-out
    submodules have does. Empty for an ordinary repository; `UNREADABLE` is among them if it cannot be known. Only git's
    own listings are run to find out.
    """
    return [one_line(name) for name in dict.fromkeys(_named(folder, set()))]


def run_by_commits(repository: Repository, settings: Sequence[Setting]) -> list[str]:
    """What of the repository's own a commit by the person's git may run: hooks, and settings that name programs, or
    have it fetch what is missing. What the person has set for all repositories is theirs.

    All filters are named: which files go through one depends on the index, and a commit has one of its own.
    """
    own = [setting for setting in settings if setting.scope in OWN]
    found = [one.key for one in own if one.kind in _FETCHING]  # also an empty one
    settings = [setting for setting in settings if setting.scope != "command" and setting.value]
    own = [setting for setting in own if setting.value]
    named = [setting for setting in settings if setting.key == "core.hookspath"][-1:]
    path = _expanded(named[0].value) if named else ""
    is_theirs = bool(named) and named[0] not in own and os.path.isabs(path)  # noqa: PTH117
    folder = repository.top / path if named else repository.common / "hooks"
    there = [hook for name in _COMMITTING if not is_theirs and _may_run(hook := folder / name)]
    found += [os.path.relpath(hook, repository.top) for hook in there]
    is_signed = [one.value.lower() not in _OFF for one in settings if one.key == "commit.gpgsign"][-1:] == [True]
    for one in own:
        events = {other.value for other in settings if other.key == f"hook.{one.subsection}.event"}
        if (
            (one.kind == "hook.command" and not events.isdisjoint(_COMMITTING))
            or one.kind in ("filter.clean", "filter.process")
            or (one.kind in ("gpg.program", "gpg.defaultkeycommand") and is_signed)
            or one.kind == "gc.recentobjectshook"  # a commit may tidy up
        ):
            found.append(one.key)
    # Whether a condition holds depends on the name by which the person has come here: to the person's git, $PWD counts.
    if (maybe := included_on_conditions(own, repository.top)) is None:
        found.append(UNREADABLE)
    found += (one.key for one in maybe or () if one.key == "core.hookspath" or one.kind in _RUN_BY_COMMITS | _FETCHING)
    return [one_line(name) for name in dict.fromkeys(found)]


def started_by_settings(folder: Path) -> tuple[list[Path], list[str]] | None:
    """What git starts by settings: around a folder, and in repositories below it whose own settings name something.

    None if they cannot be read, or there is too much to look at.
    """
    if (around := _started_around(folder)) is None:
        return None
    hooks, commands, is_conditional = around
    below = repositories_below(folder)
    if below is None or (naming := _naming(below, is_conditional=is_conditional)) is None:
        return None
    for place in naming:
        if (found := _started_around(place)) is None:
            return None
        hooks += found[0]
        commands += found[1]
    return hooks, commands


def repositories_below(folder: Path) -> list[str] | None:
    """The repositories below a folder, near its top, however many folders there are; None if these are too many."""
    seen, level = list[str](), [str(folder)]
    for _ in range(_DEPTH):
        following: list[str] = []
        for top in level:
            following += _folders_in(top)
            if len(seen) + len(following) > _MOST_FOLDERS:
                return None
        seen += following
        level = following
    return [path for path in seen if os.path.lexists(f"{path}/.git")]


def _naming(repositories: Sequence[str], *, is_conditional: bool) -> list[Path] | None:
    """Those whose settings may name a program: few do, and git is slow. None if they are too many.

    Where settings are included on conditions, they may hold in any of them: the first ones are asked.
    """
    asked = _ASKED_ANYWAY if is_conditional else 0
    numbered = enumerate(map(Path, repositories))
    naming = [place for number, place in numbered if number < asked or _may_name_programs(place)]
    return naming if len(naming) <= _MOST_NAMING else None


def _folders_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [one.path for one in entries if one.name not in _MASSES and one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _may_name_programs(folder: Path) -> bool:
    repository = find_repository(folder)
    if repository is None or repository.top != folder.resolve():
        return False
    files = [repository.common / "config", repository.own / "config.worktree"]
    texts = [read_small(file, _MOST_SETTINGS) if os.path.lexists(file) else "" for file in files]
    return any(text is None or _NAMING.search(text) for text in texts)


def _started_around(folder: Path) -> tuple[list[Path], list[str], bool] | None:
    """What git starts around a folder by settings, whoever has made them: folders of hooks with the files that the
    settings themselves stand in, and commands; and whether some hold only elsewhere. All may be files of the working
    tree, and the folder need not be there yet, nor be in a repository: what the person has set holds for those below
    it. None if they cannot be read.
    """
    while not os.path.isdir(folder) and folder != folder.parent:  # noqa: PTH112 - Path.is_dir raises for long names
        folder = folder.parent
    repository = find_repository(folder)
    if find_git(folder) is None:
        return [], [], False
    found = read_settings(folder)
    if found is None:
        return None
    top = repository.top if repository is not None else folder
    settings = [setting for setting in found.settings if setting.scope != "command" and setting.value]
    is_conditional = any(setting.kind == INCLUDED_IF for setting in settings)
    if (included := included_on_conditions(settings, top)) is None:
        return None
    settings += (setting for setting in included if setting.value)
    folders = [top / _expanded(one.value) for one in settings if one.key in _OF_HOOKS]
    folders += [repository.common / "hooks"] if repository is not None else []
    hooks = [*folders, *(folder / name for folder in folders for name in _names_in(folder))]  # which may be links
    if any(map(differs_by_process, hooks)):
        return None
    for one in settings:
        if one.origin.startswith(_FILE):
            file = top / one.origin.removeprefix(_FILE)
            hooks += [file, *([file.parent / _expanded(one.value)] if one.kind in INCLUDING else ())]
    return hooks, [setting.command for setting in settings if setting.command], is_conditional


def included_on_conditions(settings: Sequence[Setting], *tops: Path) -> list[Setting] | None:
    """What stands in files that are included on a condition, which may hold anywhere.

    Git names them from one of these folders. None if they cannot be read, or are too many.
    """
    found, read, level = list[Setting](), set[Path](), [*settings]
    while level:
        conditional = [one for one in level if one.kind == INCLUDED_IF and one.origin.startswith(_FILE)]
        named = ((one.origin.removeprefix(_FILE), _expanded(one.value)) for one in conditional)
        files = {(top / file).parent / value for file, value in named for top in tops} - read
        level = []
        for file in sorted(files):
            read.add(file)
            if len(read) > _MOST_INCLUDED or (inner := read_included(file, tops[0])) is None:
                return None
            level += inner
        found += level
    return found


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names alone
    except OSError:
        return []


def _expanded(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser() raises for a user who does not exist


def links_searched(folder: Path) -> list[str]:
    """The links of a repository where its index has folders: `git grep` follows them."""
    repository = find_repository(folder)
    listed = ask(repository.top, "ls-files", "-z") if repository else b""
    if repository is None or listed is None:
        return [UNREADABLE] if listed is None and find_git(folder) else []
    folders = {path.rpartition(b"/")[0] for path in listed.split(b"\0")}
    for inner in [*folders]:
        while (inner := inner.rpartition(b"/")[0]) and inner not in folders:
            folders.add(inner)
    top = os.fsencode(repository.top)
    links = sorted(inner for inner in folders if inner and os.path.islink(top + b"/" + inner))  # noqa: PTH114
    return [one_line(os.fsdecode(link)) for link in links]


def agent_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables for programs that run git in a project, the CLI and its tools.

    Git is not taken from the project itself, a folder of a clone that looks like a bare repository is not taken for
    one, looking at the state of files locks nothing, and looking at changes leads into no submodule but those that the
    index has. No object stands for another one, as none does where we ask: a name would be that of another file.
    """
    return {
        "PATH": os.pathsep.join(absolute_places(environment.get("PATH", os.defpath))),
        "GIT_OPTIONAL_LOCKS": environment.get("GIT_OPTIONAL_LOCKS", "0"),
        "GIT_NO_REPLACE_OBJECTS": "1",
        **as_variables({"safe.bareRepository": "explicit", **_NOT_INTO_SUBMODULES}, environment),
    }


def _named(folder: Path, seen: set[Path]) -> Iterator[str]:
    repository = find_repository(folder)
    if repository is not None:
        yield from map(str, _files(repository))
    found = read_settings(folder)
    if found is None:
        yield from [UNREADABLE] if find_git(folder) else []
        return
    if not _is_gits_too(repository, folder, found):
        yield UNREADABLE
    settings = found.settings
    own = [setting for setting in settings if setting.scope in OWN]
    # A condition may hold for the agent's git alone: on another branch, or where its folder has another name by a link.
    at_times = included_on_conditions(own, folder, *([repository.top] if repository is not None else ()))
    if at_times is None:
        yield UNREADABLE
    own, settings = [*own, *(at_times or ())], [*settings, *(at_times or ())]
    yield from (setting.key for setting in own if _runs(setting, settings))
    if repository is None or repository.own in seen:
        return
    seen.add(repository.own)
    yield from (setting.key for setting in own if _tells_others(setting, repository))
    yield from map(str, _hooks(repository, settings))
    submodules = _submodules(repository, settings)
    if submodules is None:
        yield UNREADABLE
    for submodule in submodules or ():
        yield from _named(submodule, seen)


def _is_gits_too(repository: Repository | None, folder: Path, found: Found) -> bool:
    """Whether git takes the same folders for its own as we do: we would not know what others name."""
    if repository is None:
        return not is_any_above(folder)
    told = ask(folder, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", found=found)
    if told is None:
        return is_in_bare(folder, repository.top)
    ours = f"{real_path(repository.own)}\n{repository.common}\n"
    return os.fsdecode(told) == ours


def _files(repository: Repository) -> Iterator[Path]:
    """What no setting shows: files of git's own that lead out of it, or name addresses."""
    yield from (odd.path for odd in odd_files(repository))
    if is_anothers(repository):
        yield repository.top / ".git"
    if (others := repository.common / "objects" / "info" / "alternates").is_file():
        yield others  # folders of objects, which may be those of another repository, or name further ones
    for folder in _ADDRESS_FILES:
        yield from sorted((repository.common / folder).glob("*"))


def _tells_others(setting: Setting, repository: Repository) -> bool:
    """Whether a setting makes git reveal files that are not the repository's."""
    if setting.key == "core.worktree":
        return real_path(repository.own / setting.value) != str(repository.top)
    if setting.key == "blame.ignorerevsfile" and setting.value:
        file = repository.top / os.path.expanduser(setting.value)  # noqa: PTH111 - Path.expanduser may raise
        lines = read_small(file, _MOST_REVISIONS) if os.path.lexists(file) else ""
        # Whatever git cannot make sense of there, it shows.
        return lines is None or not all(
            _REVISION.fullmatch(line.partition("#")[0].strip()) for line in lines.split("\n")
        )
    return False


def _runs(setting: Setting, settings: list[Setting]) -> bool:
    """Whether a read-only command would run what the setting names, given the other settings."""
    if setting.kind in _FETCHING:  # also an empty one
        return True
    is_switch = setting.kind == "core.fsmonitor" or setting.section == "pager"
    if not setting.value or (is_switch and setting.value.lower() in _SAID):
        return False
    if (harmless := _SWITCHES.get(setting.key)) is not None:
        return setting.value.lower() not in harmless
    if "submodule" in setting.kind and setting.kind not in _ABOUT_SUBMODULES:
        # There git goes by that one's settings, and any tree may name one: which, nobody can foresee.
        return setting.value.lower() not in _OFF | {"short"}
    if setting.kind == "format.pretty" or setting.section == "pretty":
        return re.search(r"%[-+ ]?G", setting.value) is not None  # signatures are checked by a program
    if setting.kind in ("tag.sort", "branch.sort"):
        return "signature" in setting.value.lower()
    if setting.kind == "hook.command":
        event = f"hook.{setting.subsection}.event"
        return any((one.key, one.value) == (event, _HOOK) for one in settings)
    if setting.kind == "merge.driver":  # `git show -m` then merges once more
        return any(one.key == "log.diffmerges" and one.value in ("r", "remerge") for one in settings)
    return setting.kind in _READING | _ADDRESSES or setting.section in ("alias", "pager")


def _hooks(repository: Repository, settings: list[Setting]) -> Iterator[Path]:
    """The hooks that may run, if they are the repository's: one in a folder that the person has named is theirs."""
    chosen = [setting for setting in settings if setting.key == "core.hookspath" and setting.scope != "command"]
    theirs = [setting for setting in chosen if setting.scope not in (*OWN, INCLUDED)]
    named = [_expanded(one.value) for one in chosen if one not in theirs]
    named += [path for one in theirs[-1:] if not os.path.isabs(path := _expanded(one.value))]  # noqa: PTH117
    folders = [repository.top / path for path in named]
    folders += [] if theirs else [repository.common / "hooks"]
    yield from (hook for hook in (folder / _HOOK for folder in folders) if _may_run(hook))


def _may_run(hook: Path) -> bool:
    """Whether it is there for git to run; what only git finds there may be anything."""
    return differs_by_process(hook) or (os.path.isfile(hook) and os.access(hook, os.X_OK))  # noqa: PTH113 - never raises


def _submodules(repository: Repository, settings: list[Setting]) -> list[Path] | None:
    """The submodules that are checked out: git starts itself in each, under their own configuration. None if that
    cannot be known.
    """
    is_sparse = any(setting.key in _MADE_SPARSE for setting in settings)
    listed = in_index(repository, SUBMODULE, is_sparse=is_sparse)
    return None if listed is None else [one for one in listed[SUBMODULE] if os.path.lexists(one / ".git")]
