"""The person's own git, which runs what their settings and the repository's name: as by hand, and only if they ask."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from maverick_tui.git.asking import INCLUDED_IF, OWN, find_git, read_settings
from maverick_tui.git.changing import GitError
from maverick_tui.git.tied_group import LONGEST, tied_group
from maverick_tui.programs import end_group, end_of_output
from maverick_tui.real_paths import real_path

SECONDS = 1_800.0
"""How long it may take: a hook may run all tests."""
_LOOK = 0.05
_ELSEWHERE = (
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES "
    "GIT_NAMESPACE GIT_PREFIX GIT_EDITOR GIT_SEQUENCE_EDITOR GPG_TTY"
).split()
"""What would lead it to another repository, or have it ask; the last one tells a signer which terminal is ours."""
_NOT_ASKED_FOR = "core.splitIndex=false core.fsmonitor=false rerere.enabled=false maintenance.auto=false gc.auto=0"
"""What would run or write besides: `rerere` starts drivers of merges, and clearing up a hook and a program."""


def run_own_git(
    top: Path, index: Path, *arguments: str, stdin: bytes = b"", stop: Callable[[], bool] = lambda: False
) -> str:
    """What the person's git says in a repository, with an index of ours in the place of theirs. GitError if it fails.

    `update-index` runs the filters of the files that it stores; `commit` runs the hooks pre-commit, prepare-commit-msg,
    commit-msg, post-commit and the like, and the program that signs. It has no terminal: nothing of it can take keys
    that are meant for us, and what wants to ask fails. With the hooks and programs that it waits for it ends once
    `stop` says so, and with us, even if we are killed.
    """
    program = find_git(top)
    if program is None:
        raise GitError("Git is not installed.", path=str(top), hint="Install git, then try again.")
    variables = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    variables |= {"GIT_INDEX_FILE": str(index), "GIT_TERMINAL_PROMPT": "0"}
    if (found := read_settings(top)) is None or any(
        one.kind == INCLUDED_IF and one.scope in OWN for one in found.settings
    ):
        # A condition of the repository's must not hold for this git alone, by the name of a link that $PWD has; one
        # of the person's may.
        variables["PWD"] = real_path(top)
    line = [program, "--no-pager", *(part for one in _NOT_ASKED_FOR.split() for part in ("-c", one)), *arguments]
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as out:
        told.write(stdin)
        told.seek(0)
        try:
            # No pipes: git alone is waited for, and not what a hook leaves in the background with its output open.
            process = subprocess.Popen(
                tied_group(line),
                cwd=top,
                env=variables,
                stdin=told,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(f"git {arguments[0]} cannot be run: {error.strerror or error}.", path=str(top)) from error
        until, is_late, is_stopped = time.monotonic() + SECONDS, False, stop()
        while process.poll() is None and not (is_late or is_stopped):
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
            is_late, is_stopped = time.monotonic() > until, stop()
        if process.poll() is None:
            _end(process)
            if is_stopped:
                raise GitError(f"git {arguments[0]} was ended before it was done, as you wanted.", path=str(top))
            words = f"git {arguments[0]} has taken more than {SECONDS:g} s, and was ended."
            raise GitError(words, path=str(top), hint="Do it by hand.")
        code = process.returncode
        said = end_of_output(out).strip()
    if code:
        raise GitError(
            f"git {arguments[0]} has refused: {said or f'code {code}'}",
            said=said,
            code=code,
            path=str(top),
            hint="See to what it or a hook says, then try again.",
        )
    return said


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git, and what it waits for."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(LONGEST)
    end_group(process)
