"""Runs that are removed, with the snapshots that were taken for them; and what is left of either."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import kept_runs
from maverick_tui.review.undo_records import all_records, forget
from maverick_tui.snapshots.shadow import Shadow, all_shadows, release_others, shadows_folder
from maverick_tui.snapshots.undoing import finish_interrupted
from maverick_tui.snapshots.work_times import WorkTime, note

log = logging.getLogger(__name__)

_DAY = 86_400.0
"""Seconds for which snapshots stay that belong to no journal: a run that is not kept may still be at work."""
_TIDIED = "tidied"
"""The file that says when snapshots that nobody needs were looked for."""


def release_snapshots(run_ids: Iterable[str]) -> None:
    """Let go of the snapshots of runs that were removed. What cannot be removed is left for `tidy_snapshots`."""
    wanted = list(run_ids)
    with suppress(ConfigError):  # without git there are none
        for shadow in all_shadows():
            owners = [run_id for run_id in wanted if shadow.taken_at(run_id)]
            if not owners:
                continue
            try:
                for run_id in owners:
                    _note_undone(shadow, run_id)
                    forget(shadow, run_id)
                shadow.release(*owners)
            except (ConfigError, OSError) as error:
                log.warning("The snapshots of %s cannot be removed: %s", shadow.folder, error)


def _note_undone(shadow: Shadow, run_id: str) -> None:
    """Have it known that something was taken back: another run that was at work meanwhile has not done it."""
    for one in all_records(shadow):
        if one.run_id == run_id:
            note(shadow.place, shadow.folder, run_id, one.at, WorkTime(*one.numbers, one.at, one.at, one.paths))


def tidy_snapshots() -> dict[Path, str]:
    """Bring to an end what was being restored when somebody was killed; once a day, let go of snapshots without a run.

    Folders in which something could not be brought to an end are told, with the reason.
    """
    failed = finish_restores()
    release_left()
    return failed


def release_left() -> None:
    """Once a day, let go of snapshots without a run: those of one that was not to be kept, and was killed."""
    tidied = shadows_folder() / _TIDIED
    try:
        if not tidied.exists() or tidied.stat().st_mtime < time.time() - _DAY:
            release_others(set(kept_runs()), older_than=_DAY)
            tidied.touch()
    except (ConfigError, OSError) as error:  # they only take space
        log.warning("Snapshots that nobody needs cannot be removed: %s", error)


def finish_restores() -> dict[Path, str]:
    """Bring to an end what was being restored when somebody was killed; where that cannot be, and why."""
    try:
        return finish_interrupted()
    except (ConfigError, OSError) as error:  # without git nothing can have been restored
        log.warning("Nothing is known of restores: %s", error)
        return {}
