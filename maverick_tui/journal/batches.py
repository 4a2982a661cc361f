"""Where batches of this user keep what came of them, and in which files: below all that must leave those alone."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
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
    An OSError names the file.

    What is known of others stays: a folder that is not there may be on a drive that is not, or be made just now.
    """
    begun = _begun()
    paths.make_private(begun)
    descriptor, name = tempfile.mkstemp(dir=begun, prefix=f".{batch_id}.")
    try:
        with paths.named_if_it_fails(begun / batch_id), os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(os.path.realpath(folder)))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(begun / batch_id)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def begun_places() -> tuple[Path, ...]:
    """Where the folders of all batches are that were begun here."""
    begun = _begun()
    try:
        state = begun.stat()
    except OSError:
        return ()
    return _places_in(begun, (state.st_dev, state.st_ino, state.st_mtime_ns, state.st_ctime_ns))


@lru_cache(maxsize=4)
def _places_in(begun: Path, _state: tuple[int, ...]) -> tuple[Path, ...]:
    try:
        with os.scandir(begun) as batches:
            return tuple(Path(place) for one in batches if (place := place_of(one.name)))
    except OSError:
        return ()


def files_in(place: Path) -> list[Path]:
    """The files in the folder of a batch that it writes to, or would."""
    return [place / name for name in (RESULTS, FAILURES, RUNS, ABOUT, WRITER)]


def batch_files(folder: Path) -> set[str]:
    """The files in a folder, by their paths in it, that batches write to, or would."""
    top = Path(os.path.realpath(folder))
    inside = (place for place in begun_places() if place.is_relative_to(top))
    return {str(file.relative_to(top)) for place in inside for file in files_in(place)}


def _begun() -> Path:
    return paths.user_state() / "batches"
