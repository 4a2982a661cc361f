"""Follower: reads a journal while it grows."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.events.kinds import Event, NewerSchemaError, RunReopened
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import is_alive
from maverick_tui.journal.lines import Decoder
from maverick_tui.journal.reading import DAMAGE


class Follower:
    """Reads the events of one journal, each of them once and when its text is whole."""

    def __init__(self, path: Path) -> None:
        self.is_alive = True
        """Whether a process was still writing when it was read last."""
        self.problem = ""
        """Why nothing more can be read, where that is not the end."""
        self.is_foreign = False
        """Whether it is a session of Claude Code, which has no journal."""
        self._path = path
        self._decoder = Decoder()
        self._offset = 0
        self._given = 0

    def more(self) -> list[Event]:
        """What has come since the last time. ConfigError if it cannot be read, or is a newer one."""
        self.is_alive = is_alive(self._path)  # asked first: what ends meanwhile has its end in what is read then
        try:
            with self._path.open("rb") as lines:
                lines.seek(self._offset)
                for line in lines:
                    if not line.endswith(b"\n"):
                        break  # the rest is still to be written, or never will be
                    self._take(line)
                    self._offset += len(line)
        except OSError as error:
            raise ConfigError(f"The journal {self._path} cannot be read: {error.strerror or error}.") from error
        except NewerSchemaError as error:
            raise ConfigError(str(error), hint="Update Maverick to read this run.") from error
        known = self._decoder.events
        until = min(self._unfinished, default=len(known)) if self.is_alive else len(known)
        events, self._given = known[self._given : until], max(until, self._given)
        return events

    def _take(self, line: bytes) -> None:
        """Take a line; one that cannot be read is left out, and told."""
        count = len(self._decoder.events)
        try:
            self._decoder.add((line,))
        except NewerSchemaError:
            raise
        except DAMAGE as error:
            del self._decoder.events[count:]
            self._decoder.missing += len(line)
            self.problem = self.problem or f"The journal {self._path} is damaged after {count} events: {error}"

    @property
    def _unfinished(self) -> set[int]:
        """Texts that are still to come; what a killed process has left open never comes."""
        known = self._decoder.events
        gone = max((at for at in range(self._given, len(known)) if isinstance(known[at], RunReopened)), default=0)
        return {number for number in self._decoder.unfinished if number >= max(gone, self._given)}
