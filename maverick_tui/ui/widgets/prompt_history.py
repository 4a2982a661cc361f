"""The prompts that were sent in a project: kept in a file, and gone through with the arrow keys."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from maverick_tui import paths
from maverick_tui.folder_locks import alone
from maverick_tui.masking.redact import redact
from maverick_tui.ui.widgets.images import Images

MOST = 500
"""How many prompts are remembered."""

LONGEST = 64_000
"""A longer prompt is a pasted file: it is remembered only while the application runs."""

MOST_BYTES = 1_000_000
"""A file that has grown above this is cut down to the newest prompts, and no more than this is read of it."""


@dataclass(slots=True)
class PromptState:
    """What the prompt of a run has, also while its screen is not there."""

    history: PromptHistory
    draft: str = ""
    """What stood in it when the person left it."""
    suggestion: str = ""
    """What was put into it without the person having typed it."""
    keep: Callable[[str, Mapping[str, str]], None] = lambda _draft, _reasons: None
    """Keeps what stands in it now, in case that nobody gets to send it; and reasons, by their questions."""
    images: Images = field(default_factory=Images)
    """What is attached to it."""
    restore: Callable[[], None] = lambda: None
    """Brings back what was kept so, if anything was."""


class PromptHistory:
    """Prompts of one project, the newest last, each once; several applications may add to the same file.

    The file is read when the prompts are first asked for, and written in a thread, so that neither the first frame
    nor a key waits for a disk. Secrets are masked in the file.
    """

    def __init__(
        self, project: Path, folder: Path | None = None, may_write: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        """Remember the prompts of a project, by default in the user's state folder.

        What `may_write` does not let be written is remembered only while the application runs.
        """
        self._project = project
        self._folder = folder
        self._may_write = may_write
        self._texts: dict[str, str] = {}  # by what the file has of them
        self._is_read = False
        self._unsaved: list[str] = []
        self._one_at_a_time = asyncio.Lock()

    @cached_property
    def path(self) -> Path:
        """The file of this project."""
        import hashlib

        name = hashlib.sha256(os.fsencode(os.path.realpath(self._project))).hexdigest()[:16]
        return (self._folder or paths.user_state() / "prompts") / f"{name}.jsonl"

    async def texts(self) -> Sequence[str]:
        """All prompts, the oldest first; raises OSError if the file cannot be read."""
        if not self._is_read:
            async with self._one_at_a_time:
                stored = await asyncio.to_thread(lambda: _read(self.path))
                for masked, text in self._texts.items():
                    stored.pop(masked, None)
                    stored[masked] = text
                self._texts = stored
                self._is_read = True
        return list(self._texts.values())[-MOST:]

    def add(self, text: str) -> None:
        """Remember a prompt; `save` writes it."""
        if text.strip():
            masked = redact(text)
            self._texts.pop(masked, None)
            self._texts[masked] = text
            if len(masked) <= LONGEST:
                self._unsaved.append(masked)

    async def save(self) -> None:
        """Write what was added since the last time; raises OSError if that is not possible, until the next time."""
        async with self._one_at_a_time:
            is_written = self._may_write is None or await self._may_write()
            masked, self._unsaved = self._unsaved, []
            if masked and is_written:
                try:
                    await asyncio.to_thread(lambda: _append(self.path, masked))
                except OSError:
                    self._unsaved = masked + self._unsaved
                    raise


class HistoryWalk:
    """A walk through earlier prompts, from the draft and back to it; what was changed on the way stays changed."""

    def __init__(self, texts: Sequence[str], draft: str) -> None:
        self._texts = [*texts, draft]
        self._at = len(texts)

    def step(self, by: int, current: str) -> str | None:
        """Leave the current text for one that is older (-1) or newer (+1); None at either end."""
        self._texts[self._at] = current
        if not 0 <= self._at + by < len(self._texts):
            return None
        self._at += by
        return self._texts[self._at]


def _read(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_BYTES))
            return {text: text for text in _newest(file.read())}
    except FileNotFoundError:
        return {}


def _newest(data: bytes) -> dict[str, bytes]:
    """The newest prompts in a file with their lines, the newest last; incomplete lines are skipped."""
    found: dict[str, bytes] = {}
    for line in reversed(data.splitlines(keepends=True)):
        with suppress(ValueError, RecursionError):
            entry = json.loads(line)
            if isinstance(entry, dict) and isinstance(text := entry.get("text"), str):
                found.setdefault(text, line)
        if len(found) == MOST:
            break
    return dict(reversed(found.items()))


def _append(path: Path, texts: Iterable[str]) -> None:
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    lines = b"".join(json.dumps({"at": moment, "text": text}).encode() + b"\n" for text in texts)
    paths.make_private(path.parent)
    with alone(path.parent):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            data = file.read()
            if data and not data.endswith(b"\n"):
                lines = b"\n" + lines  # a writer was killed in the middle of its line
            file.write(lines)
        data += lines
        if data.count(b"\n") > 2 * MOST or len(data) > MOST_BYTES:
            _cut_down(path, data)


def _cut_down(path: Path, data: bytes) -> None:
    """Keep the newest prompts, in at most half the room."""
    kept: list[bytes] = []
    room = MOST_BYTES // 2
    for line in reversed(_newest(data).values()):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    # A temporary file is readable by its owner only, and whoever reads sees the old file or the new one.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"".join(reversed(kept)))
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
