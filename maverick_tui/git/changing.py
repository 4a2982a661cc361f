"""Has git change a repository of the person's, and still run nothing: no hook, filter, driver, signer or transport.

What each setting names is overridden as in `asking.py`. Files are written as they are stored, and stored as they are.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.asking import ALWAYS, Setting, as_variables, find_git, overrides, read_settings
from maverick_tui.git.ending import ends_with_us, tied_if_it_may_wait
from maverick_tui.git.programs import included_on_conditions
from maverick_tui.git.repository import (
    find_repository,
    is_anothers,
    keeps_modes,
    links_written_through,
    tells_case_apart,
)
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning
from maverick_tui.real_paths import real_path

SECONDS = 600.0
"""How long git may take: a large repository is checked out."""
LOOKING_SECONDS = 30.0
"""How long it may take to tell what was done in a folder: a line of `.gitignore` can have git compare for ever."""
_ENDS_WITHIN = 5.0
"""Seconds that git has to take its locks away when it is to end."""
_SHOWN = 300
# Git says that first. Further on it may be the name of a file that could not be written.
_LOCKED = re.compile(
    r"(?:warning: [^\n]*\n)*(?:fatal: |error: )?(?:update_ref failed for ref '[^'\n]*': )?"
    r"(?:cannot (?:lock|update) ref '[^'\n]*': )?"
    r"Unable to create '([^']+\.lock)': File exists"
)
_NO_ONE = {"NAME": "Maverick", "EMAIL": "maverick@localhost"}
"""Who commits where nobody has told git a name."""

# Inside a submodule git starts itself without our settings, so nothing may look into one.
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "blame": ("--no-textconv",),
    "cat-file": (),
    "check-attr": (),
    "check-ignore": (),
    "checkout-index": ("--quiet",),
    "commit-tree": ("--no-gpg-sign",),
    "diff-files": ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"),
    "diff-tree": ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"),
    "hash-object": ("--no-filters",),
    "ls-files": (),
    "merge": ("--ff-only", "--no-overwrite-ignore", "--no-stat", "--no-autostash", "--no-verify-signatures", "--quiet"),
    "merge-base": (),
    "merge-file": ("--stdout", "--quiet"),
    "merge-tree": (),
    "read-tree": (),
    "reset": ("--hard", "--quiet", "--no-recurse-submodules"),
    "rev-list": (),
    "rev-parse": (),
    "status": ("--ignore-submodules=dirty", "--no-ahead-behind", "--no-renames"),
    "symbolic-ref": (),
    "update-index": (),
    "update-ref": (),
    "worktree": (),
    "write-tree": (),
}
"""The commands that can be given, with what makes each of them harmless."""
_WRITING = frozenset({"checkout-index", "merge", "read-tree", "reset", "update-index", "update-ref", "worktree"})
"""Those that write elsewhere than to objects."""
_WITH_HEADINGS = """ada bash bibtex cpp csharp css dts elixir fortran fountain golang html ini java kotlin markdown
    matlab objc pascal perl php python ruby rust scheme tex""".split()
_HEADING = "^[[:alpha:]$_]"
"""What git takes for the heading of a hunk where nobody says anything else."""
_HERE: Mapping[str, str] = {
    **ALWAYS,
    "blame.ignoreRevsFile": "",  # git shows what it cannot make sense of there, and a repository may name any file
    "branch.autoSetupMerge": "false",
    "checkout.guess": "false",
    "core.checkStat": "default",  # what a person has changed is written over if git is to look at less of it
    "core.trustctime": "true",
    "diff.submodule": "short",
    "merge.autoStash": "false",
    "merge.verifySignatures": "false",
    "rerere.enabled": "false",
    "worktree.guessRemote": "false",
    **{f"diff.{language}.xfuncname": _HEADING for language in _WITH_HEADINGS},
}
"""The headings of git's own languages take the square of the length of a line, those of a repository any time."""


class GitError(ConfigError):
    """Git did not do what it was told; `said` is what it said."""

    hint_by_default = "Correct the cause, then try again."

    def __init__(self, message: str, *, said: str = "", code: int = 0, path: str = "", hint: str = "") -> None:
        super().__init__(message, path=path, hint=hint)
        self.said = said
        self.code = code

    @property
    def is_before_writing(self) -> bool:
        """Whether another git had the index: no file was written without that."""
        return (lock := _LOCKED.match(self.said)) is not None and Path(lock[1]).name == "index.lock"


class Git:
    """Git in one folder, whose settings are read once: for a few commands in a row."""

    def __init__(self, folder: Path, seconds: float = math.inf) -> None:
        """ConfigError without git, or if the settings of the repository cannot be read.

        `seconds` are all that its commands may take together.
        """
        self.folder = folder
        self._seconds, self._until = seconds, time.monotonic() + seconds
        self._is_own = False
        found = read_settings(folder) if folder.is_dir() else None
        if found is None:
            why = "there is no such folder" if not folder.is_dir() else "git is not installed, or cannot read it"
            if folder.is_dir() and find_git(folder) is None:
                why = "git is not installed"
            raise self._no_change(why)
        self._program, self.settings, self._bare = found
        self._variables = self._variables_with(self.settings)
        if any(one.key == "core.worktree" for one in self.settings):
            self._require_own_files()

    @property
    def seconds_left(self) -> float:
        """What is left of the time for all of its commands."""
        return max(self._until - time.monotonic(), 0.0)

    def __call__(self, command: str, *arguments: str, stdin: bytes = b"", who: str = "") -> str:
        """What it says, without the end of the last line. GitError if it fails.

        `who` is the name of whoever commits, where the settings have none.
        """
        return os.fsdecode(self.run(command, *arguments, stdin=stdin, who=who)).rstrip("\n")

    def run(
        self,
        command: str,
        *arguments: str,
        stdin: bytes = b"",
        who: str = "",
        codes: tuple[int, ...] = (),
        index: Path | None = None,
        inside: Path | None = None,
        seconds: float = SECONDS,
    ) -> bytes:
        """The same as it is; `codes` are those that are no failure, either. `index` is one of ours to work with.

        `inside` is git's own folder, to be in that and not among the files.
        """
        if command in _WRITING and index is None:
            self.require_own()
        variables = {**self._variables, **(self._identity(who) if who else {})}
        if index is not None:
            variables |= {**as_variables({"core.splitIndex": "false"}, variables), "GIT_INDEX_FILE": str(index)}
        if inside is not None:
            variables["GIT_DIR"] = str(inside)
        line = [self._program, "--no-pager", command, *_COMMANDS[command], *arguments]
        try:
            folder, is_writing = inside or self.folder, command in _WRITING
            longest = min(seconds, self.seconds_left)
            code, told, complaint = self._answer(line, folder, variables, stdin, longest, is_writing=is_writing)
        except subprocess.TimeoutExpired as error:
            took = min(seconds, self._seconds)
            raise GitError(
                f"git {command} has taken more than {took:g} s.", path=str(self.folder), hint="Try it by hand."
            ) from error
        except OSError as error:  # not there any more, or more settings than a process can be given
            raise GitError(f"git {command} cannot be run: {error.strerror or error}.", path=str(self.folder)) from error
        if code and code not in codes:
            said = os.fsdecode(complaint).strip()
            hint = "Look at what git says, then try again."
            if lock := _LOCKED.match(said):  # which is left behind if that git was killed
                said = f"{said[: lock.end()]}: another git is at work there, or was killed"
                hint = f"If no git is at work there, remove {one_line(str(self.folder / lock[1]))}, then try again."
            words = beginning(one_line(said.removeprefix("fatal: ").removeprefix("error: ")), _SHOWN).rstrip(". ")
            raise GitError(
                f"git {command} has failed in {self.folder}: {words or f'code {code}'}.",
                said=said,
                code=code,
                path=str(self.folder),
                hint=hint,
            )
        return told

    def _answer(
        self,
        line: list[str],
        folder: Path,
        variables: Mapping[str, str],
        stdin: bytes,
        seconds: float,
        *,
        is_writing: bool,
    ) -> tuple[int, bytes, bytes]:
        pipe = subprocess.PIPE
        line = line if is_writing else tied_if_it_may_wait(line, folder)
        process = subprocess.Popen(
            line, cwd=folder, env=variables, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        with process, nullcontext() if is_writing else ends_with_us(process):
            try:
                told, complaint = process.communicate(stdin, timeout=seconds)
            except BaseException:
                if is_writing:  # it takes its locks away if it is asked to end
                    process.terminate()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_ENDS_WITHIN)
                process.kill()
                raise
            return process.returncode, told, complaint

    def add_worktree(self, path: str, branch: str) -> None:
        """A new worktree of a branch at a path. ConfigError if that fails; what is there by then stays.

        Settings may be included for its branch or its place alone (`includeIf`), so they are read once more there
        before any file is written. Until then git starts itself there, with those settings: what any of them names, on
        whatever condition, is overridden.
        """
        anywhere = included_on_conditions(self.settings, self.folder)
        if anywhere is None:
            raise self._no_change("it includes settings that cannot be read")
        before = self._variables
        self._variables = self._variables_with([*self.settings, *anywhere])
        try:
            self("worktree", "add", "--quiet", "--no-checkout", path, branch)
        finally:
            self._variables = before
        Git(Path(path))("reset")

    def _variables_with(self, settings: list[Setting]) -> dict[str, str]:
        """Variables by which nothing runs that these settings name."""
        # Where case counts, git would take a new file for one that it knows, and not tell of it.
        case = {"core.ignoreCase": "false"} if tells_case_apart(self.folder) else {}
        # The setting may be from another machine, too. Only what we have checked out is known to have modes that count.
        is_ours = paths.worktree_around(self.folder) == self.folder
        modes = {"core.fileMode": "true"} if is_ours and keeps_modes(self.folder.parent) else {}
        headings = {
            f"diff.{one.subsection}.xfuncname": _HEADING
            for one in settings
            if one.kind in ("diff.funcname", "diff.xfuncname")
        }
        return self._bare | as_variables({**_HERE, **case, **modes, **headings, **overrides(settings)})

    @property
    def counts_modes(self) -> bool:
        """Whether a file that is executable is another one than one that is not, by the settings."""
        told = [one.value.lower() for one in self.settings if one.key == "core.filemode"]
        return not told or told[-1] not in ("false", "no", "off", "0")

    def has(self, command: str, *arguments: str) -> bool:
        """Whether it says yes."""
        try:
            self.run(command, *arguments)
        except GitError:
            return False
        return True

    def commit(self, revision: str) -> str:
        """The full name of a commit; empty if there is none."""
        try:
            return self("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except GitError:
            return ""

    def has_reference(self, name: str) -> bool:
        """Whether there is a reference of just this name: a tag or a branch may be called like one of git's own."""
        try:
            return self("rev-parse", "--symbolic-full-name", name) == name
        except GitError:
            return False

    def checked_out(self) -> set[str]:
        """The branches that some folder works on."""
        lines = self("worktree", "list", "--porcelain", "-z").split("\0")
        return {line.removeprefix("branch refs/heads/") for line in lines if line.startswith("branch ")}

    def _require_own_files(self) -> None:
        """ConfigError if a setting has git change the files of another folder than this one."""
        repository = find_repository(self.folder)
        top = self("rev-parse", "--show-toplevel")
        if repository is None or real_path(top) != str(repository.top):
            raise self._no_change(f"its setting core.worktree leads to {one_line(top)}")

    def require_own(self) -> None:
        """ConfigError if git would write elsewhere: to another folder's repository, or, where something is a link, to
        any file of the person's.
        """
        if self._is_own:
            return
        repository = find_repository(self.folder)
        # What is no repository to git, it passes over: then it would change the one around that.
        told = self("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
        if repository is None or told != f"{real_path(repository.own)}\n{repository.common}":
            taken = one_line(told.splitlines()[0])
            raise self._no_change(f"git takes another folder for its repository, {taken}")
        if is_anothers(repository):
            raise self._no_change(
                f"what it says is its repository, {one_line(str(repository.own))}, belongs to another folder"
            )
        if (link := next(links_written_through(repository), None)) is not None:
            raise self._no_change(f"{one_line(str(link))} is a link, and git would write where it leads")
        self._is_own = True

    def _no_change(self, why: str) -> ConfigError:
        return ConfigError(
            f"Nothing can be changed in the repository in {self.folder}: {why}.",
            path=str(self.folder),
            hint="See to that, then try again.",
        )

    def _identity(self, who: str) -> dict[str, str]:
        told = {one.key: one.value for one in self.settings if one.section == "user"}
        found: dict[str, str] = {}
        for key, nobody in {**_NO_ONE, "NAME": who}.items():
            value = told.get(f"user.{key.lower()}") or nobody
            found |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER")}
        return found


def filters_of(settings: list[Setting]) -> set[str]:
    """The filters that settings give a program, by their names."""
    kinds = ("filter.smudge", "filter.clean", "filter.process")
    return {one.subsection for one in settings if one.kind in kinds and one.value and one.scope != "command"}


def filtered(
    git: Git, files: list[str], filters: set[str], attribute: str = "filter", *, index: Path | None = None
) -> dict[str, str]:
    """The files of those named, or of all, that go through one of these filters, with its name.

    Where the folder has no `.gitattributes`, that of the index counts.
    """
    return {path: value for path, value in _attributes(git, files, attribute, index) if value in filters}


def encoded(git: Git, files: list[str], index: Path) -> set[str]:
    """Those of these files that git keeps in another encoding than they have."""
    if not files:
        return set()
    told = _attributes(git, files, "working-tree-encoding", index)
    return {path for path, value in told if value not in ("unspecified", "unset", "")}


def _attributes(git: Git, files: list[str], attribute: str, index: Path | None) -> Iterator[tuple[str, str]]:
    listed = b"\0".join(map(os.fsencode, files)) + b"\0" if files else git.run("ls-files", "-z", index=index)
    if not listed.strip(b"\0"):
        return iter(())
    told = git.run("check-attr", "-z", "--stdin", attribute, stdin=listed, index=index)
    fields = os.fsdecode(told).split("\0")
    return zip(fields[::3], fields[2::3], strict=False)
