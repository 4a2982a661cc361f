"""Unsent: the files of what a window has not sent yet, and what windows that are gone have left.

Several windows may show one run. Each has files of its own, KIND.WINDOW.RUN.json, and none writes to those of another.
A window is alive while it holds its scratch folder, by a lock that the system lets go of whatever ends it: a number of
a process may be another's after a restart. What one that is gone has left is renamed by whoever wants it, and a file is
renamed by one alone; so it is in one window, and stays on disk all the time.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from itertools import takewhile
from pathlib import Path
from threading import Lock

from maverick_tui import paths

AFTER_TYPING = 0.4
"""Seconds after which what is typed is written, whether or not typing goes on: who types fluently never stops."""
TRY_AGAIN = 1.0
"""Seconds until a disk that takes nothing is tried again."""
_LONGEST_BEGINNING = 40


class Unsent:
    """One window among all that write; its functions touch the disk, so they are called in threads."""

    def __init__(self) -> None:
        self._holding = ExitStack()
        self._window = ""
        self._one_at_a_time = Lock()

    def file(self, folder: Path, kind: str, run_id: str) -> Path:
        """Where this window writes what is unsent of a run."""
        return folder / f"{kind}.{self._name()}.{run_id}.json"

    def take(self, found: Iterable[Path]) -> list[Path]:
        """Make ours which of these files were left by windows that are gone; under their new names, oldest first."""
        theirs = [file for file in found if _window_of(file) != self._window or not self._window]
        if not theirs:
            return []
        from maverick_tui.folder_locks import OWNER, remove_abandoned

        remove_abandoned(_windows(), is_ours=True)
        left = [file for file in theirs if not (_windows() / _window_of(file) / OWNER).is_file()]
        taken: list[tuple[int, Path]] = []
        for file in left:
            kind, _, run_id = _parts(file)
            ours = file.with_name(f"{kind}.{self._name()}.{run_id}.{uuid.uuid4().hex[:8]}.json")
            with suppress(FileNotFoundError):  # somebody else was quicker
                written = file.stat().st_mtime_ns
                file.rename(ours)
                taken.append((written, ours))
        return [file for _, file in sorted(taken)]

    def let_go(self) -> None:
        """Leave what is there to others: this window goes."""
        with self._one_at_a_time:
            self._window = ""
            self._holding.close()

    def _name(self) -> str:
        from maverick_tui.folder_locks import scratch_folder

        with self._one_at_a_time:
            if not self._window:
                paths.make_private(_windows())
                self._window = self._holding.enter_context(scratch_folder("window", _windows())).name
            return self._window


class Typing:
    """One text that is being typed; its function is called in a thread."""

    def __init__(self) -> None:
        self._text = ""
        self._typed_to = 0
        """Where that ends which was typed last."""

    def known(self, text: str) -> str:
        """What of it may be written down now, if there is no secret in it.

        What may be the beginning of one, at the end or where somebody is typing, waits until that is known: a few words
        at most, since what has more behind it is a text about secrets, and a draft that lacks its end is as good as
        lost.
        """
        if text != self._text:
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(reversed(text), reversed(self._text), strict=False))
            self._typed_to = len(text) - sum(1 for _ in alike)
            self._text = text
        known = _without_beginning(text[: self._typed_to]) + text[self._typed_to :]
        known = _without_beginning(known) if self._typed_to < len(text) else known
        return known if known.strip() else ""


def _without_beginning(text: str) -> str:
    from maverick_tui.journal.masked_text import PiecewiseMask
    from maverick_tui.masking.redact import known_values

    (known,) = PiecewiseMask(known_values).add([(0, text)]).now
    if len(text) - len(known) > _LONGEST_BEGINNING:
        known = text[: -len(text.split()[-1])] if text == text.rstrip() else text
    return known if text.startswith(known) else ""


def trouble_told(what: str, error: OSError) -> str:
    """What is told when the disk does not take what is typed."""
    why = error.strerror or str(error)
    return f"{what} cannot be kept at the moment, and would be lost in a crash: {why}. It is tried again."


def of_run(file: Path, run_id: str) -> bool:
    """Whether it is what somebody has not sent to this run."""
    return _parts(file)[2] == run_id


def _windows() -> Path:
    return paths.user_state() / "windows"


def _window_of(file: Path) -> str:
    return _parts(file)[1]


def _parts(file: Path) -> tuple[str, str, str]:
    """Its kind, window and run; files of earlier versions have the kind alone."""
    kind, window, run_id, *_ = [*file.name.removesuffix(".json").split("."), "", ""]
    return kind, window, run_id
