"""The settings as plain values, for a process that has no other use for what reads them.

Pydantic takes 10 MB for as long as a process lives, and a third of a second to import, in which keys have to wait again
and again. So the application has its settings read by a process that ends thereupon: `python -m` this module. Where
nothing is set, there is nothing to read.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.interpreter import python_environment
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import secret_variables

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig

log = logging.getLogger(__name__)

_READER = "maverick_tui.config"
_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """Those of `MaverickConfig` that the application or an X-ray asks for, and the names of all that are set."""

    model: str | None = None
    permission_mode: str | None = None
    timeout: float = 300.0
    max_tokens: int = 32_000
    max_turns: int = 100
    max_budget_usd: float | None = None
    hosted_runs: bool = True
    keep_runs: bool = True
    hosts: tuple[str, ...] = ()
    notify_command: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()


def plain(config: MaverickConfig) -> PlainSettings:
    """What these settings say."""
    return PlainSettings(**{name: getattr(config, name) for name in _NAMES}, given=frozenset(config.model_fields_set))


def read_here() -> PlainSettings:
    """The person's settings, read by this process. ConfigError for any mistake in them."""
    from maverick_tui.config import MaverickConfig

    return plain(MaverickConfig.load())


def read_elsewhere() -> PlainSettings:
    """The same, read by a process that ends thereupon; where there can be none, by this one."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_TIMEOUT,
        )
        said = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.warning("The settings are read in this process, since another one cannot: %s", error)
        return read_here()
    if "message" in said:
        raise ConfigError(said["message"], path=said["path"], line=said["line"], hint=said["hint"])
    conceal(said.pop("secrets"))
    return _from_json(said)


class SettingsReader:
    """Has the settings read elsewhere, and again only once the file or a variable is another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: tuple[object, PlainSettings] | None = None

    def read(self) -> PlainSettings:
        """The person's settings; it blocks. ConfigError for any mistake in them."""
        with self._lock:
            sources = _sources()
            if self._read is None or self._read[0] != sources:
                self._read = sources, _read(sources)
            return self._read[1]


class _Sources(NamedTuple):
    """What the settings follow from: another file or variable, and they may be others."""

    file: Path
    version: object
    """None where there is no such file."""
    variables: dict[str, str]


def _sources() -> _Sources:
    file = paths.user_config() / "config.toml"
    version: object
    try:
        status = file.stat()
        version = status.st_ino, status.st_mtime_ns, status.st_size
    except (FileNotFoundError, NotADirectoryError):
        version = None
    except OSError as error:  # whoever reads it says so
        version = str(error)
    variables = {name: value for name, value in os.environ.items() if name.upper().startswith("MAVERICK_")}
    return _Sources(file, version, variables)


def _read(sources: _Sources) -> PlainSettings:
    if sources.version is None and sources.variables.keys() <= paths.OTHER_VARIABLES:
        return PlainSettings()
    return read_here() if _READER in sys.modules else read_elsewhere()


def _from_json(said: dict[str, Any]) -> PlainSettings:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return PlainSettings(**(values | {"given": frozenset(said["given"])}))


def _to_json(settings: PlainSettings, secrets: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(settings, name) for name in _NAMES}
    return {**values, "given": sorted(settings.given), "secrets": list(secrets)}


_NAMES = tuple(field.name for field in fields(PlainSettings) if field.name != "given")


def main() -> None:
    """Say what the settings are, or what is wrong with them, to whoever has started us: nobody else reads it."""
    from maverick_tui.config import MaverickConfig

    try:
        config = MaverickConfig.load()
    except ConfigError as error:
        said = {"message": error.message, "hint": error.hint, "path": error.path, "line": error.line}
    else:
        said = _to_json(plain(config), secret_variables(config.env))
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
