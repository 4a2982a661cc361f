"""Asks git so that it runs nothing: no filter, hook or monitor, no transport, prompt, pager or editor.

First every setting that applies in the folder is listed, which runs nothing. Then each that names a program is
overridden by its name for the one command that is asked. What cannot be listed is not asked.
"""

from __future__ import annotations

import os
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.git.ending import ends_with_us, tied_if_it_may_wait
from maverick_tui.git.repository import differs_by_process, find_repository, odd_files
from maverick_tui.programs import find_program, found_in, search_path
from maverick_tui.real_paths import real_path

SECONDS = 10.0
"""How long git may take."""
_EDITOR_SECONDS = 2.0
_GIVEN_UP_FOR = 60.0
"""How long settings that git did not read to their end are not asked for again: one may include a pipe, and there are
many who want to know them.
"""
_LOOK = 0.05
"""How often to check whether its answer is still wanted."""
_ENDS_WITHIN = 1.0
_PIECE = 64 * 1024
_MOST_TOLD = 64 * 1024 * 1024
"""Bytes: settings of a few kilobytes can be listed as gigabytes."""

# Inside a submodule git starts itself without our settings, so nothing may look into one.
_COMMANDS: Mapping[str, Sequence[str]] = {
    "status": ("--ignore-submodules=dirty", "--no-ahead-behind"),
    "ls-files": (),
    "log": ("--no-ext-diff", "--no-textconv", "--no-mailmap"),
    "for-each-ref": (),
    "symbolic-ref": (),
    "rev-parse": (),
}
"""The commands that can be asked, with what makes each of them harmless."""

_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM")
"""These say where the settings of the person and of the machine are; those are overridden, too."""
_NO_PROTOCOL = "none-by-maverick"
_VARIABLES: Mapping[str, str] = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # or a worktree has other files than those that a person sees here
    "GIT_ALLOW_PROTOCOL": _NO_PROTOCOL,  # what is not named here is refused, whatever the configuration allows
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_SSH_COMMAND": "false",
    "GIT_PROXY_COMMAND": "",
    "GIT_ASKPASS": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
}

LISTING = ("config", "-z", "--list", "--show-scope", "--show-origin", "--includes")
"""Reads every setting that counts in a folder. Reading settings runs nothing."""

ALWAYS: Mapping[str, str] = {
    "safe.bareRepository": "explicit",  # a folder of a clone that looks like a repository does not count
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.ignoreStat": "false",  # or no change of a file that git has written is ever told
    "sparse.expectFilesOutsideOfPatterns": "false",  # likewise of files that are beyond a sparse checkout
    "checkout.workers": "1",  # processes, of which a repository may want thousands
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "status.submoduleSummary": "false",
    "diff.autoRefreshIndex": "false",
    "diff.orderFile": os.devnull,  # it may be a pipe, or have no end
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
"""What applies to every command, whatever a repository says."""

_SWITCHED_OFF = {
    "filter.required": "false",  # or a file whose filter does nothing cannot be read
    "hook.enabled": "false",
    "submodule.update": "none",
}
_EMPTIED = frozenset(
    """
    core.pager core.editor core.sshcommand core.askpass core.gitproxy sequence.editor interactive.difffilter
    filter.clean filter.smudge filter.process
    diff.external diff.command diff.textconv merge.driver branch.mergeoptions
    difftool.cmd difftool.path mergetool.cmd mergetool.path guitool.cmd
    gpg.program gpg.defaultkeycommand credential.helper
    remote.uploadpack remote.receivepack remote.vcs uploadpack.packobjectshook
    hook.command trailer.command trailer.cmd tar.command
    browser.cmd browser.path man.cmd man.path web.browser instaweb.httpd instaweb.browser
    sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd sendemail.headercmd sendemail.smtpserver
    """.split()
)
_PROBED = frozenset({"core.fsmonitor", "core.alternaterefscommand"})
_RUN_ELSEWHERE = frozenset({"submodule.update", "lfs.path", "lfs.clean", "lfs.smudge", "imap.tunnel"})
"""Programs of commands that we never give."""
_EMPTIED_SECTIONS = frozenset({"alias", "pager"})
_THEIRS = ("system", "global")
_READ_FILES = frozenset({"core.attributesfile", "core.excludesfile", "mailmap.file"})
"""Files that git reads from beginning to end."""
_PATHS = _READ_FILES | set("core.hookspath core.worktree blame.ignorerevsfile init.templatedir".split())
INCLUDED_IF = "includeif.path"
INCLUDING = frozenset({"include.path", INCLUDED_IF})
"""With those above, the settings whose files are looked at, here or by whoever asks for settings."""
_MOST_FILES = 100
_LONGEST_PATH = 4096
_GITS_OWN = ("%(prefix)/", ":(optional)")
"""What a path may begin with that only git can say the meaning of: for one, where it was installed."""
OWN = ("local", "worktree")
"""Whose a setting is that a repository brings along."""
INCLUDED = "included"
"""Whose a setting is that stands in a file which others include, whether or not that counts."""


class Setting(NamedTuple):
    """One line of a configuration: its key as git spells it, whose it is (`local`, ...), and where it stands."""

    scope: str
    key: str
    value: str
    origin: str = ""

    @property
    def kind(self) -> str:
        """Section and name, without what is between them: `filter.clean` of `filter.lfs.clean`."""
        return f"{self.section}.{self.key.rpartition('.')[2]}"

    @property
    def section(self) -> str:
        """The first part of its key."""
        return self.key.partition(".")[0]

    @property
    def subsection(self) -> str:
        """What is between section and name, which can be anything."""
        return self.key.partition(".")[2].rpartition(".")[0]

    @property
    def command(self) -> str:
        """What it has git run; of an alias only what is a program's, and no command of git's own."""
        if self.section == "alias":
            return self.value.removeprefix("!") if self.value.startswith("!") else ""
        if self.kind == "submodule.update" and not self.value.startswith("!"):
            return ""
        is_one = self.kind in _EMPTIED | _PROBED | _RUN_ELSEWHERE or self.section == "pager"
        return self.value.removeprefix("!") if is_one else ""


class Found(NamedTuple):
    """What is to be known before git is asked anything in a folder."""

    program: str
    """The path of git."""
    settings: list[Setting]
    """All that count there."""
    variables: dict[str, str]
    """What git is given there, but for settings of ours."""


def ask(
    folder: Path,
    command: str,
    *arguments: str,
    only: Sequence[bytes] = (),
    found: Found | None = None,
    seconds: float = SECONDS,
    stop: Callable[[], bool] | None = None,
) -> bytes | None:
    """What git answers in a folder, whose settings may have been read just before; with `only`, those of its entries
    that begin so, each of which has a NUL behind it: all of them may be too many to be kept.

    None without git, outside a repository, if it fails or takes too long, or nobody wants to know any more.
    """
    until = time.monotonic() + seconds
    found = found or read_settings(folder, seconds=seconds, stop=stop)
    if found is None:
        return None
    variables = found.variables | as_variables({**ALWAYS, **overrides(found.settings)})
    line = [found.program, "--no-pager", "--no-optional-locks", command, *_COMMANDS[command], *arguments]
    return _answer(line, folder, variables, until, stop, only)


_given_up: dict[Path, float] = {}
"""Until when, by the top of the repository."""


def read_settings(
    folder: Path, *others: Path, seconds: float = SECONDS, stop: Callable[[], bool] | None = None
) -> Found | None:
    """The path of git, and all settings that apply in a folder; None if they cannot be read.

    The git of these other folders' projects is not taken, either.
    """
    places = search_path(folder, *others)
    program = found_in(places, "git")
    repository = find_repository(folder)
    if program is None or (repository and any(odd.is_waited_for for odd in odd_files(repository))):
        return None
    top = repository.top if repository is not None else folder
    if time.monotonic() < _given_up.get(top, 0):
        return None
    line = [program, "--no-pager", *LISTING]
    bare, until = _bare(folder, places), time.monotonic() + seconds
    listing = _answer(line, folder, bare | as_variables(ALWAYS), until, stop)
    if listing is None and until <= time.monotonic() and seconds >= SECONDS:
        _given_up[top] = time.monotonic() + _GIVEN_UP_FOR
    settings = parsed(listing) if listing is not None else None
    if settings is None or any(one.key in _READ_FILES and _never_ends(top, one.value) for one in settings):
        return None
    begin = [folder, top, *((repository.own, repository.common) if repository is not None else ())]
    return None if _lead_beyond_us(settings, begin) else Found(program, settings, bare)


def _lead_beyond_us(settings: Iterable[Setting], begin: Sequence[Path]) -> bool:
    """Whether a repository leads git to a place that we cannot know; a path begins in one of these folders, or in that
    of the file that has the setting.
    """
    files = set[tuple[str, str]]()
    for setting in settings:
        if setting.scope not in (*OWN, INCLUDED):
            continue
        if setting.value.startswith(_GITS_OWN):
            return True
        if setting.key in _PATHS or setting.kind in INCLUDING:
            files.add((setting.value, os.path.dirname(setting.origin.removeprefix("file:"))))  # noqa: PTH120
    if len(files) > _MOST_FILES or any(len(file) + len(of_file) > _LONGEST_PATH for file, of_file in files):
        return True  # each part of each of them would be looked at
    named = ((os.path.expanduser(file), of_file) for file, of_file in files)  # noqa: PTH111 - Path's may raise
    return any(
        differs_by_process(folder / file) for file, of_file in named for one in begin for folder in (one, one / of_file)
    )


def _never_ends(top: Path, file: str) -> bool:
    """Whether a file that a setting names is a pipe or a device: git would wait for it, or read all of `/dev/zero`."""
    try:
        mode = os.stat(top / os.path.expanduser(file)).st_mode  # noqa: PTH111, PTH116 - Path's may raise more
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and file != os.devnull


def read_included(file: Path, folder: Path) -> list[Setting] | None:
    """The settings in a file that others include, whether or not their condition holds; None if it cannot be read."""
    program = find_git(folder)
    if program is None or not os.path.isfile(file):  # noqa: PTH113 - Path.is_file raises where it may not look
        return []
    line = [program, "--no-pager", *LISTING, "--file", str(file)]
    listing = _answer(line, folder, environment(folder, ALWAYS), time.monotonic() + SECONDS, None)
    # Of a file by itself git says that it comes from the command.
    found = [one._replace(scope=INCLUDED) for one in _listed(listing)] if listing is not None else None
    return None if found is None or _lead_beyond_us(found, (folder, file.parent)) else found


def chosen_editor(folder: Path, *others: Path) -> str:
    """`core.editor` of the person or the machine; a repository's own is not taken, for whoever made it would run it."""
    found = read_settings(folder, *others, seconds=_EDITOR_SECONDS)
    settings = found.settings if found is not None else []
    return next((one.value for one in reversed(settings) if one.key == "core.editor" and one.scope in _THEIRS), "")


def find_git(*folders: Path) -> str | None:
    """The absolute path of git for folders; never one of a project's own."""
    return find_program("git", *folders)


def environment(folder: Path, settings: Mapping[str, str], *others: Path) -> dict[str, str]:
    """Variables for git in a folder: the settings, and nothing of git's own that a shell or an .envrc has set."""
    return _bare(folder, search_path(folder, *others)) | as_variables(settings)


def _bare(folder: Path, places: Sequence[str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    kept |= {name: value for name in _KEPT if (value := os.environ.get(name))}
    kept["PATH"] = os.pathsep.join(places)
    kept["PWD"] = real_path(folder)  # conditions of settings are held against it, too, as for the agent's git
    return {**kept, **_VARIABLES}


def _answer(
    line: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    until: float,
    stop: Callable[[], bool] | None,
    only: Sequence[bytes] = (),
) -> bytes | None:
    if time.monotonic() >= until:
        return None
    try:
        process = subprocess.Popen(
            tied_if_it_may_wait(line, folder),
            bufsize=0,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):  # not there, or more settings than a process can be given
        return None
    told = bytearray()
    reader = threading.Thread(target=_read, args=(process, told, tuple(only)), daemon=True)
    with process, ends_with_us(process):
        reader.start()
        try:
            while reader.is_alive() and time.monotonic() < until and not (stop is not None and stop()):
                reader.join(max(until - time.monotonic(), 0) if stop is None else _LOOK)
            process.wait(0 if reader.is_alive() else max(until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()  # where it has not ended: Ctrl+C, too, is heard by us alone
            reader.join(_ENDS_WITHIN)
        if reader.is_alive():
            return None
    return bytes(told) if process.returncode == 0 and len(told) <= _MOST_TOLD else None


def _read(process: subprocess.Popen[bytes], told: bytearray, only: tuple[bytes, ...]) -> None:
    """Read what it says; one that says too much is ended."""
    assert process.stdout is not None
    rest = b""
    with suppress(ValueError, OSError):  # given up, and closed
        while some := process.stdout.read(_PIECE):
            if only:
                *entries, rest = (rest + some).split(b"\0")
                some = b"".join(entry + b"\0" for entry in entries if entry.startswith(only))
            told += some
            if len(told) + len(rest) > _MOST_TOLD:
                process.kill()
                break


# -- settings ----------------------------------------------------------------------------------------------------------


def parsed(listing: bytes) -> list[Setting] | None:
    """What `LISTING` gave; None if it shows that git does not take settings from us."""
    settings = _listed(listing)
    # An old git ignores the variables that carry them, and would run what we think is overridden.
    ours = ("command", "safe.barerepository", "explicit")
    return settings if any(setting[:3] == ours for setting in settings) else None


def _listed(listing: bytes) -> list[Setting]:
    fields = os.fsdecode(listing).split("\0")[:-1]
    lines = zip(fields[::3], fields[1::3], fields[2::3], strict=False)
    return [Setting(scope, *_pair(text), origin) for scope, origin, text in lines]


def overrides(settings: Iterable[Setting]) -> dict[str, str]:
    """A harmless value for each setting that names a program or makes one run."""
    found = {}
    for setting in settings:
        if setting.scope == "command":
            continue
        if setting.section == "hook" and setting.subsection:
            found[f"hook.{setting.subsection}.enabled"] = "false"
        if setting.kind in _SWITCHED_OFF:
            found[setting.key] = _SWITCHED_OFF[setting.kind]
        elif setting.kind in _EMPTIED or setting.section in _EMPTIED_SECTIONS:
            found[setting.key] = "false" if setting.section == "pager" else ""
    return found


def as_variables(settings: Mapping[str, str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings as variables, after those that an environment already has: the last one of a name counts."""
    given = (environment or {}).get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isascii() and given.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings.items(), first):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _pair(text: str) -> tuple[str, str]:
    """Key and value; a key without a value means yes."""
    key, is_given, value = text.partition("\n")
    return key, value if is_given else "true"
