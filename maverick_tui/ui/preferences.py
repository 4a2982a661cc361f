"""Preferences: what the interface remembers between two starts."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from maverick_tui import paths
from maverick_tui.inert import one_line

log = logging.getLogger(__name__)

Verbosity = Literal["quiet", "normal", "full"]
VERBOSITIES: tuple[Verbosity, ...] = get_args(Verbosity)

_IS_VALID: dict[str, Callable[[Any], bool]] = {
    "theme": lambda value: isinstance(value, str) and bool(value),
    "verbosity": lambda value: value in VERBOSITIES,
    "is_panel_closed": lambda value: isinstance(value, bool),
    "has_bell": lambda value: isinstance(value, bool),
    "has_notifications": lambda value: isinstance(value, bool),
}


class Preferences:
    """Read before the first frame, written by a thread; of a file that cannot be used only its content is lost."""

    def __init__(self, path: Path | None = None) -> None:
        """The defaults; `path` is where changes are kept, if anywhere."""
        self.theme = "maverick-dark"
        self.verbosity: Verbosity = "normal"
        self.is_panel_closed = False
        self.has_bell = True
        self.has_notifications = True
        self.problems: list[str] = []
        """What the person should know about the file."""
        self._path = path
        self._others: dict[str, Any] = {}
        """What another version has written there; it is kept."""
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None

    @classmethod
    def load(cls, path: Path | None = None) -> Preferences:
        """What was remembered; the defaults for everything that was not."""
        path = path or paths.user_state() / "interface.json"
        preferences = cls(path)
        try:
            data = json.loads(path.read_bytes())
            if not isinstance(data, dict):
                raise ValueError("it is not a JSON object")
        except FileNotFoundError:
            return preferences
        except (OSError, ValueError, RecursionError) as error:
            preferences.problems.append(_set_aside(path, error))
            return preferences
        preferences._take(data)
        return preferences

    def change(self, **values: Any) -> None:
        """Take new values and remember them."""
        for name, value in values.items():
            if name not in _IS_VALID or not _IS_VALID[name](value):
                raise ValueError(f"{name} = {value!r} is not a preference.")
        if any(getattr(self, name) != value for name, value in values.items()):
            vars(self).update(values)
            self._save()

    def wait(self) -> None:
        """Wait until everything is written."""
        if self._writer is not None:
            self._writer.join()

    def _take(self, data: Mapping[str, Any]) -> None:
        for name, value in data.items():
            if name not in _IS_VALID:
                self._others[name] = value
            elif _IS_VALID[name](value):
                setattr(self, name, value)
            else:
                self.problems.append(one_line(f"{self._path}: {name} = {value!r} is not valid; the default is used."))

    def _save(self) -> None:
        if self._path is not None:
            # Not a daemon: a change made just before the end is written, too.
            self._writer = threading.Thread(target=self._write, args=(self._path,), name="preferences")
            self._writer.start()

    def _write(self, path: Path) -> None:
        import tempfile

        with self._lock:
            values = self._others | {name: getattr(self, name) for name in _IS_VALID}
            try:
                paths.make_private(path.parent)
                handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
                try:
                    with os.fdopen(handle, "w", encoding="utf-8") as file:
                        json.dump(values, file, indent=2)
                        file.write("\n")
                    Path(temporary).replace(path)
                except OSError:
                    Path(temporary).unlink(missing_ok=True)
                    raise
            except OSError as error:
                log.warning("The preferences cannot be kept: %s", error)
                self.problems.append(one_line(f"The preferences cannot be kept: {error}"))


def _set_aside(path: Path, error: Exception) -> str:
    aside = path.with_name(f"{path.name}.broken")
    try:
        path.replace(aside)
    except OSError as second:
        return one_line(f"{path} cannot be read ({error}) nor moved aside ({second}); the defaults are used.")
    return one_line(f"{path} cannot be read ({error}). It was moved to {aside.name}; the defaults are used.")
