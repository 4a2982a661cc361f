"""Cassettes: a session with a real model, recorded into a file and replayed without one, message for message.

`MaverickAgent(transport=recording(path))` records, `MaverickAgent(transport=replaying(path))` replays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.exceptions import ConfigError
from maverick_tui.offline.cassette_file import Frame, Tape, load_cassette, read_frames
from maverick_tui.offline.cassette_replay import ReplayingTransport
from maverick_tui.offline.cassette_scrubber import Scrubber

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions


def recording(path: Path | str) -> Callable[[ClaudeAgentOptions], CliTransport]:
    """A transport for an agent that runs the CLI and records the session into a new file."""
    return lambda options: RecordingTransport(options, path)


def replaying(path: Path | str, *, speed: float | None = None) -> Callable[[ClaudeAgentOptions], CliTransport]:
    """A transport for an agent that replays a cassette: no process, no model.

    Without `speed` it comes as fast as it is read; 1.0 takes the time that was recorded, 2.0 half of it. What is ours
    happens again: the permission callback, hooks, and tools in this process.
    """
    if speed is not None and not speed > 0:
        raise ConfigError(f"A cassette cannot be replayed at speed {speed:g}.", hint="Use a number above 0.")
    cassette = load_cassette(path)
    return lambda options: ReplayingTransport(options, cassette, speed)


class RecordingTransport(CliTransport):
    """A transport to the CLI with a tape on it: everything that passes is written down, without secrets."""

    def __init__(self, options: ClaudeAgentOptions, path: Path | str) -> None:
        super().__init__(options)
        sdk = distribution("claude-agent-sdk")
        cli = None if options.cli_path else sdk.read_text("../claude_agent_sdk/_bundled/claude.version")
        self._tape = Tape(Path(path), Scrubber(options), sdk=sdk.version, cli=cli.split()[0] if cli else None)

    async def connect(self) -> None:
        """Start the CLI; a failure to start is part of the recording."""
        try:
            await super().connect()
        except BaseException as error:
            if isinstance(error, Exception):
                self._note_end(error)
            self._tape.close()  # the SDK does not close what was never open
            raise

    async def write(self, data: str) -> None:
        """Note it, then send it, so that it comes before its answer."""
        for frame in read_frames(data):
            self._tape.note("sent", frame)
        await super().write(data)

    async def read_messages(self) -> AsyncIterator[Frame]:
        """What comes from the CLI, and how it ends."""
        try:
            async for frame in super().read_messages():
                self._tape.note("got", frame)
                yield frame
        except Exception as error:
            self._note_end(error)
            raise
        self._note_end(None)

    async def close(self) -> None:
        """End the CLI, then the tape."""
        try:
            await super().close()
        finally:
            self._tape.close()

    def _keep_words(self, line: str) -> None:
        self._tape.note("stderr", line)
        super()._keep_words(line)

    def _note_end(self, error: Exception | None) -> None:
        self._note_exit()
        self._tape.note("end", {"exit_code": self.exit_code, "error": None if error is None else _told(error)})


def _told(error: Exception) -> Frame:
    """An error of the transport as data."""
    name = "OSError" if isinstance(error, OSError) else type(error).__name__
    fields = {key: value if isinstance(value, int | None) else str(value) for key, value in vars(error).items()}
    return {"type": name, "text": str(error), "fields": fields}
