"""Where runs are kept: one folder for each in the user's state folder, for nobody else to read."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.claude_sessions import session_file, session_files

JOURNAL = "events.jsonl"
_RUN_ID = re.compile(r"[0-9a-z][0-9a-z-]{3,63}")


def runs_folder() -> Path:
    """The folder of all runs; it need not exist."""
    return paths.user_state() / "runs"


def is_run_id(text: str) -> bool:
    """Whether a run can have that id."""
    return _RUN_ID.fullmatch(text) is not None


def journal_of(run_id: str) -> Path:
    """The journal of a run; it need not exist."""
    if not is_run_id(run_id):  # it names a folder
        raise ConfigError(f"{run_id!r} is not the id of a run.", hint="See `maverick runs list`.")
    return runs_folder() / run_id / JOURNAL


def kept_runs() -> Iterator[str]:
    """The ids of all runs that have a journal, in no order."""
    return (run_id for run_id, _, _ in kept_journals())


def kept_journals() -> Iterator[tuple[str, str, os.stat_result]]:
    """All runs by their ids, with their folder and what the system says of their journal; none of them is opened."""
    try:
        with os.scandir(runs_folder()) as entries:
            found = [(entry.name, entry.path) for entry in entries if _RUN_ID.fullmatch(entry.name)]
    except FileNotFoundError:
        return
    for run_id, folder in found:
        try:
            about = os.stat(f"{folder}{os.sep}{JOURNAL}")  # noqa: PTH116 - there may be thousands
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            yield run_id, folder, about


def listed_ids(start: str = "") -> list[str]:
    """The ids that begin so, of runs and of sessions of Claude Code."""
    sessions = (session.session_id for session in session_files())
    return sorted({run_id for run_id in (*kept_runs(), *sessions) if run_id.startswith(start)})


def find_run(start: str, others: Iterable[str] = ()) -> str:
    """The run, or session of Claude Code, whose id begins so; it must be the only one. `others` are runs, too."""
    more = {run_id for run_id in others if run_id.startswith(start)}
    found = sorted({*listed_ids(start), *more}) if start else []
    if start in found:
        return start
    if not found:
        raise ConfigError(f"No run has an id that begins with {start!r}.", hint="See `maverick runs list`.")
    if len(found) > 1:
        shown = ", ".join(run_id[: len(start) + 6] for run_id in found[:5])
        raise ConfigError(
            f"{len(found)} runs have an id that begins with {start!r}: {shown}.", hint="Write more of it."
        )
    return found[0]


def require_kept(run_id: str) -> Path:
    """The journal of a run, which is there. ConfigError if none is kept."""
    if not (journal := journal_of(run_id)).exists():
        raise ConfigError(
            f"The run {run_id} is not kept, and its process is gone.", hint="See `maverick ps` for what is alive."
        )
    return journal


def make_folder(journal: Path) -> None:
    """Make the run's folder, and those above it, for us alone."""
    for folder in (journal.parent.parent, journal.parent):
        paths.make_private(folder)


def delete_run(run_id: str) -> None:
    """Remove all that is kept of a run. ConfigError if it is not ours to remove."""
    refuse_foreign(run_id)
    shutil.rmtree(journal_of(run_id).parent)


def refuse_foreign(run_id: str) -> None:
    """Raise a ConfigError if it is a session of Claude Code, which nobody here removes."""
    if not journal_of(run_id).exists() and (file := session_file(run_id)) is not None:
        raise ConfigError(
            f"{run_id} cannot be removed: it is a session of Claude Code, which keeps and removes it itself.",
            hint=f"Remove {file} yourself, if nobody needs it.",
        )


def hold(descriptor: int) -> None:
    """Say that the journal's run is alive: the system lets go of it whatever ends the process. Not on Windows."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def let_go(descriptor: int) -> None:
    """Say that the run has ended."""
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def is_alive(journal: Path) -> bool:
    """Whether some process is writing to the journal."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        descriptor = os.open(journal, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # not every file system has locks
        return False
    finally:
        os.close(descriptor)
    return False
