"""Which files of projects the user has read and trusts: exactly these bytes, at this path."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.real_paths import real_path

FILE_NAME = "trusted.json"
_KINDS = ("rules.toml", "worktree.toml", ".mcp.json")
"""Files that are read in a way of their own; all others are by their suffix."""


class NotTrustedError(ConfigError):
    """The agent would run what the user has not trusted."""


def fingerprint(content: bytes) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


class TrustStore:
    """A JSON file in the user's folder that maps resolved paths to fingerprints; without it nothing is trusted."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or paths.user_state()) / FILE_NAME

    def is_trusted(self, path: Path, content: bytes) -> bool:
        """Whether these bytes at this path have been trusted."""
        return self._read().get(_key(path)) == fingerprint(content)

    def is_known(self, path: Path) -> bool:
        """Whether some content at this path has been trusted."""
        return _key(path) in self._read()

    def trust(self, path: Path, content: bytes) -> None:
        """Trust these bytes at this path, and no others."""
        with self._changing():
            self._write(self._read() | {_key(path): fingerprint(content)})

    def revoke(self, path: Path) -> bool:
        """Stop trusting anything at this path; returns whether anything was."""
        if not self.is_known(path):
            return False
        with self._changing():
            trusted = self._read()
            was_known = trusted.pop(_key(path), None) is not None
            self._write(trusted)
        return was_known

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Keep others from changing the list: what another terminal trusts at the same time must not get lost."""
        try:
            paths.make_private(self.path.parent)
            with alone(self.path.parent):
                yield
        except OSError as error:
            raise ConfigError(
                f"{self.path} cannot be written: {error.strerror or error}.",
                path=str(self.path),
                hint="Check the folder's permissions and the disk, or set MAVERICK_STATE_DIR to another folder.",
            ) from error

    def _read(self) -> dict[str, str]:
        try:
            data: object = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._broken(str(error)) from error
        trusted: dict[str, str] = {}
        for key, value in data.items() if isinstance(data, dict) else [(None, None)]:
            if not isinstance(key, str) or not isinstance(value, str):
                raise self._broken("it is not a map of paths to fingerprints")
            trusted[key] = value
        return trusted

    def _write(self, trusted: dict[str, str]) -> None:
        # A temporary file is readable by its owner only, and replacing is atomic.
        descriptor, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{FILE_NAME}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(trusted, file, indent=2, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise

    def _broken(self, reason: str) -> ConfigError:
        return ConfigError(
            f"The list of trusted files, {self.path}, cannot be read: {reason}.",
            path=str(self.path),
            hint="Correct it, or delete it and trust the files again.",
        )


def _key(path: Path) -> str:
    """Where it is, and what it is read as if it is a link to something else: who has trusted rules has read no Python,
    and the same bytes may be both.
    """
    # A loop of links cannot be resolved, but it cannot be read either, so its name will do.
    real, kind = real_path(path), _kind(path)
    return real if kind == _kind(Path(real)) else f"{real} as {kind}"


def _kind(path: Path) -> str:
    name = path.name.casefold()
    return name if name in _KINDS else path.suffix.casefold()
