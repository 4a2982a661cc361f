"""Preferences: what the interface remembers between two starts; and the keys that the person has chosen."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Collection, Mapping
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
    """Read at once before the first frame, written by a thread; a file that cannot be used costs its content only."""

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
                self.problems.append(one_line(f"{self._path}: {name} = {value!r} is not known; the default holds."))

    def _save(self) -> None:
        if self._path is not None:
            # Not a daemon: a change that is made just before the end is written, too.
            self._writer = threading.Thread(target=self._write, args=(self._path,), name="preferences")
            self._writer.start()

    def _write(self, path: Path) -> None:
        import tempfile

        with self._lock:
            values = self._others | {name: getattr(self, name) for name in _IS_VALID}
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
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
        return one_line(f"{path} cannot be read ({error}) nor moved aside ({second}); the defaults hold.")
    return one_line(f"{path} cannot be read ({error}). It was moved to {aside.name}; the defaults hold.")


# -- keys --------------------------------------------------------------------------------------------------------------

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})


def load_keys(known: Collection[str], path: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """Keys by the id of their binding, from `[keys]` in the user's settings; and what is wrong with them."""
    path = path or paths.user_config() / "config.toml"
    if not path.is_file():
        return {}, []
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("keys", {})
    except (OSError, ValueError) as error:  # not UTF-8, not TOML
        return {}, [one_line(f"{path} cannot be read, so that all keys are as they were: {error}")]
    if not isinstance(table, dict):
        return {}, [one_line(f'{path}: keys must be a table: [keys], then lines like "run.interrupt" = "ctrl+x".')]
    keymap: dict[str, str] = {}
    problems: list[str] = []
    for name, value in _flat(table):
        problem = _problem(name, value, known)
        if problem:
            problems.append(one_line(f"{path}: [keys] {problem}"))
        else:
            keymap[name] = ",".join(key.strip() for key in str(value).split(","))
    return keymap, problems


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """TOML reads run.interrupt without quotes as a table of its own; it means the same."""
    items: list[tuple[str, Any]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            items += _flat(value, f"{prefix}{name}.")
        else:
            items.append((f"{prefix}{name}", value))
    return items


def _problem(name: str, value: Any, known: Collection[str]) -> str:
    from maverick_tui.exceptions import did_you_mean

    if name not in known:
        return f'"{name}" is not something that a key can be given for. {did_you_mean(name, known)}'.rstrip()
    if not isinstance(value, str) or not value.strip():
        return f'"{name}" = {value!r} is not a key; write one like "ctrl+x", or several with commas.'
    wrong = [key for key in value.split(",") if not is_key(key.strip())]
    return f'"{name}": {wrong[0].strip()!r} is not a key; write one like "ctrl+x" or "f5".' if wrong else ""


def is_key(key: str) -> bool:
    """Whether Textual knows a key of that name."""
    from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

    if len(key) == 1:
        return key.isprintable() and not key.isspace()
    *modifiers, name = key.split("+")
    if len(set(modifiers)) != len(modifiers) or not _MODIFIERS.issuperset(modifiers) or not name:
        return False
    if len(name) == 1:
        return name.isalnum()
    names = {known.value.rpartition("+")[2] for known in Keys} | {"space", *KEY_NAME_REPLACEMENTS.values()}
    return name in names or key_to_character(name) is not None
