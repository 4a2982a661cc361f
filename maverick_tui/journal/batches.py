"""Where batches of this user keep what came of them, and in which files: below all that must leave those alone."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.folder_locks import WRITER

RESULTS, FAILURES, RUNS, ABOUT = "results.jsonl", "failures.jsonl", "runs.jsonl", "batch.json"


def place_of(batch_id: str) -> str:
    """Where the folder of a batch is that was begun here; empty if none of that id was."""
    try:
        return os.fsdecode((_begun() / batch_id).read_bytes())
    except OSError:
        return ""


def note_place(batch_id: str, folder: Path) -> None:
    """Remember that this batch was begun here, on the disk and as a whole: without that nothing of it counts.

    What is known of others stays: a folder that is not there may be on a drive that is not, or be made just now.
    """
    begun = _begun()
    paths.make_private(begun)
    descriptor, name = tempfile.mkstemp(dir=begun, prefix=f".{batch_id}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(os.path.realpath(folder)))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(begun / batch_id)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def batch_files(folder: Path) -> set[str]:
    """The files in a folder, by their paths in it, that batches write to, or would."""
    top, found = os.path.realpath(folder), set[str]()
    with suppress(FileNotFoundError), os.scandir(_begun()) as batches:
        for place in [place_of(one.name) for one in batches]:
            if place == top or place.startswith(f"{top}{os.sep}"):
                names = (f"{place}/{name}" for name in (RESULTS, FAILURES, RUNS, ABOUT, WRITER))
                found.update(os.path.relpath(name, top) for name in names)
    return found


def _begun() -> Path:
    return paths.user_state() / "batches"
