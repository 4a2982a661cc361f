"""Git with a repository of our own, in which the files of another folder are kept.

No setting of the person's, of the machine's or of a repository in that folder counts, and bytes are stored as they
are: so nothing is run, and nothing of theirs is written to.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from maverick_tui import paths
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.git.asking import ALWAYS, environment, find_git, read_settings
from maverick_tui.git.changing import GitError
from maverick_tui.git.ending import ends_with_us, tied_if_it_may_wait
from maverick_tui.git.making import NOBODYS
from maverick_tui.git.repository import find_repository
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning

_SHOWN = 300
_SHA1 = 40
"""How many characters the name of a commit has, unless it is one of SHA-256."""
_ATTRIBUTES = "* -text -filter -ident -working-tree-encoding !diff !merge !eol !crlf !whitespace\n"
"""Before those of any `.gitattributes`: no file is converted, and each is compared as what it is."""
_SETTINGS: Mapping[str, str] = {
    **ALWAYS,
    "core.excludesFile": os.devnull,
    "core.attributesFile": os.devnull,
    "core.autocrlf": "false",
    "core.checkStat": "default",
    "core.trustctime": "true",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.protectHFS": "false",  # names are stored as they are, also those that another system could not have
    "core.protectNTFS": "false",
    "core.looseCompression": "1",
    "core.bigFileThreshold": "20m",  # beyond that a file is written piece by piece, and not compared by lines
    "core.logAllRefUpdates": "false",
    "diff.renameLimit": "1000",
    "diff.suppressBlankEmpty": "false",
    "index.threads": "true",
    "pack.threads": "1",
    "pack.window": "30",
    "pack.packSizeLimit": "0",
    "user.name": "Maverick",
    "user.email": "maverick@localhost",
}
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "cat-file": (),
    "commit-tree": ("--no-gpg-sign",),
    "count-objects": (),
    "diff": ("--no-ext-diff", "--no-textconv", "--no-color"),
    "diff-files": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    "diff-tree": ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"),
    "for-each-ref": (),
    "hash-object": ("--no-filters",),
    "ls-files": (),
    "ls-tree": (),
    "mktree": ("--missing",),
    "pack-objects": (),
    "prune": (),
    "prune-packed": (),
    "read-tree": (),
    "repack": (),
    "update-index": (),
    "update-ref": (),
    "write-tree": (),
}
"""The commands that can be given, with what makes each of them harmless."""


class TookTooLongError(GitError):
    """Git was given up, because it took too long."""


class KeepingGit:
    """A bare repository of ours, and git that knows of no other."""

    def __init__(self, repository: Path, folder: Path) -> None:
        """The repository, which need not exist, and the folder that is kept in it: its own git is not taken."""
        self.repository = repository
        program = find_git(folder)
        if program is None:
            raise GitError("Git is not installed.", hint="Install git, then try again.")
        self._program = program
        self._variables = {
            **environment(folder, _SETTINGS),
            **NOBODYS,
            "LC_ALL": "C",  # what it warns of is read
            "GIT_DIR": str(repository),
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_DEFAULT_HASH": "sha1",  # names of bytes are compared with ours, and references read as files
            "GIT_DEFAULT_REF_FORMAT": "files",
        }

    def make(self, objects: str = "sha1") -> None:
        """The repository, if there is none yet; `objects` is how these are named."""
        if (self.repository / "info" / "attributes").exists():
            return
        paths.make_private(self.repository)
        self._run(
            [["init", "--quiet", "--bare", "--template=", "."]],
            self.repository,
            {"GIT_DEFAULT_HASH": objects},
            b"",
            None,
        )
        (self.repository / "info").mkdir(exist_ok=True)
        (self.repository / "info" / "attributes").write_text(_ATTRIBUTES)

    def __call__(
        self,
        command: str,
        *arguments: str,
        stdin: bytes = b"",
        index: Path | None = None,
        of: Path | None = None,
        borrowing: Path | None = None,
        until: float | None = None,
        warned: list[str] | None = None,
    ) -> bytes:
        """What it says. GitError if it fails, TookTooLongError if it has not ended at this moment of the clock.

        `index` is the list of files that it works with, and `of` the folder whose files they are; `borrowing` is a
        folder of objects that it may read, too. The lines that it warns with are added to `warned`.
        """
        return self.together([(command, *arguments)], stdin, index, of, borrowing, until, warned)[0]

    def together(
        self,
        lines: Sequence[Sequence[str]],
        stdin: bytes = b"",
        index: Path | None = None,
        of: Path | None = None,
        borrowing: Path | None = None,
        until: float | None = None,
        warned: list[str] | None = None,
    ) -> list[bytes]:
        """What several commands say that run side by side, each with the same."""
        more = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
        more |= {"GIT_WORK_TREE": str(of)} if of is not None else {}
        more |= {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(borrowing)} if borrowing is not None else {}
        given = [[command, *_COMMANDS[command], *arguments] for command, *arguments in lines]
        answers = self._run(given, of or self.repository, more, stdin, until)
        if warned is not None:
            warned += (line for _, complaint in answers for line in os.fsdecode(complaint).splitlines())
        return [told for told, _ in answers]

    @contextmanager
    def reading(self, command: str, *arguments: str, objects: Path) -> Iterator[BinaryIO]:
        """What it says of a folder of objects, to be read piece by piece: there may be very much of it."""
        line = [command, *_COMMANDS[command], *arguments]
        with self._started(line, self.repository, {"GIT_OBJECT_DIRECTORY": str(objects)}) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            yield cast(BinaryIO, process.stdout)
            if code := process.wait():
                raise GitError(f"git {command} has failed: code {code}.", code=code, path=str(objects))

    def _run(
        self, lines: Sequence[Sequence[str]], folder: Path, more: Mapping[str, str], stdin: bytes, until: float | None
    ) -> list[tuple[bytes, bytes]]:
        with ExitStack() as stack:
            started = [(line, stack.enter_context(self._started(line, folder, more))) for line in lines]
            return [self._answer(line, process, folder, stdin, until) for line, process in started]

    @contextmanager
    def _started(self, line: Sequence[str], folder: Path, more: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
        """A command of git's, which has ended when this has."""
        try:
            process = subprocess.Popen(
                tied_if_it_may_wait([self._program, "--no-pager", *line], folder),
                cwd=folder,
                env={**self._variables, **more},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(f"git {line[0]} cannot be run: {error.strerror or error}.", path=str(folder)) from error
        with process, ends_with_us(process):
            try:
                yield process
            except BaseException:
                process.kill()
                raise

    @staticmethod
    def _answer(
        line: Sequence[str], process: subprocess.Popen[bytes], folder: Path, stdin: bytes, until: float | None
    ) -> tuple[bytes, bytes]:
        left = None if until is None else max(until - time.monotonic(), 0.001)
        try:
            told, complaint = process.communicate(stdin, timeout=left)
        except subprocess.TimeoutExpired as error:
            raise TookTooLongError(f"git {line[0]} takes too long.", path=str(folder)) from error
        if process.returncode:
            said = os.fsdecode(complaint).strip()
            words = beginning(one_line(said.removeprefix("fatal: ").removeprefix("error: ")), _SHOWN).rstrip(". ")
            raise GitError(
                f"git {line[0]} has failed: {words or f'code {process.returncode}'}.",
                said=said,
                code=process.returncode,
                path=str(folder),
            )
        return told, complaint


def differences(folder: Path, one: str, other: str, *how: str) -> bytes:
    """What of two commits of a repository is not the same, whatever attributes and settings there are in it or its
    files: by these, git would show and count nothing of what an agent has changed.
    """
    repository = find_repository(folder)
    if repository is None:
        raise GitError("Its repository is gone.", path=str(folder))
    with scratch_folder("differences") as place:
        git = KeepingGit(place / "git", folder)
        git.make("sha1" if len(one) == _SHA1 else "sha256")
        with git.reading(
            "diff-tree", "-r", "--ignore-submodules=dirty", *how, one, other, objects=repository.common / "objects"
        ) as told:
            return told.read()


def own_excludes(folder: Path) -> Path | None:
    """The file with what a person wants ignored everywhere; one that a repository names is not taken."""
    found = read_settings(folder)
    for setting in reversed(found.settings if found is not None else []):
        if setting.key == "core.excludesfile" and setting.scope in ("system", "global"):
            return Path(setting.value).expanduser() if setting.value else None
    settings = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(settings).expanduser() / "git" / "ignore"
