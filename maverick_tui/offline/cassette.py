"""Cassettes: a session with a real model, recorded into a file and replayed without one, message for message.

`MaverickAgent(transport=recording(path))` records, `MaverickAgent(transport=replaying(path))` replays.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKError

from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import MASK
from maverick_tui.offline.cassette_file import Cassette, Frame, Tape, TapeEntry, load_cassette, read_frames
from maverick_tui.offline.cassette_scrubber import Scrubber


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


class ReplayingTransport(CliTransport):
    """Plays a cassette to the SDK. Our side must send what was recorded, and what came after that waits for it."""

    is_live = False

    def __init__(self, options: ClaudeAgentOptions, cassette: Cassette, speed: float | None = None) -> None:
        super().__init__(options)
        self._cassette = cassette
        self._speed = speed
        self._scrubber = Scrubber(options)
        sent = [entry for entry in cassette.entries if entry.kind == "sent"]
        self._awaited = deque(entry for entry in sent if not _is_answer(entry.value))
        self._answers = {_request_id(entry.value): entry for entry in sent if _is_answer(entry.value)}
        self._decisions = {entry.value.get("request_id") for entry in cassette.entries if _is_permission(entry)}
        self._done: set[int] = set()
        self._ids: dict[str, str] = {}
        """The ids that were recorded, and those that our side uses now."""
        self._moved = asyncio.Event()
        self._mismatch: ConfigError | None = None
        self._is_over = False

    async def connect(self) -> None:
        """Nothing is started; a CLI that could not be started fails again."""
        if [entry.kind for entry in self._cassette.entries[:1]] == ["end"]:
            self._finish(self._cassette.entries[0])
        self._ready = True

    async def write(self, data: str) -> None:
        """Compare it with the recording; what does not fit is raised to the reader."""
        for frame in read_frames(data):
            self._take(self._scrubber.clean(frame))
        self._moved.set()
        if self._mismatch is not None and self._is_over:
            raise self._mismatch

    def _take(self, frame: Frame) -> None:
        if _is_answer(frame):
            entry = self._answers.pop(_request_id(frame), None)
            if entry is None:
                return  # the recording ended, or the CLI took its question back, before it was answered
        elif self._awaited:
            entry = self._awaited.popleft()
        else:
            last = self._cassette.entries[-1].line if self._cassette.entries else 1
            self._refuse(last, "nothing more to be sent", frame)
            return
        # What hooks and tools of this process say is their own business; what a person decides is not.
        is_free = _is_answer(frame) and _request_id(frame) not in self._decisions
        if not is_free and not _fits(_gist(entry.value), _gist(frame)):
            self._refuse(entry.line, _describe(entry.value), frame)
            return
        for name in ("request_id", "uuid"):
            if entry.value.get(name) and frame.get(name):
                self._ids[str(entry.value[name])] = str(frame[name])
        self._done.add(entry.line)

    def _refuse(self, line: int, expected: str, frame: Frame) -> None:
        self._mismatch = self._mismatch or self._cassette.error(
            line,
            f"the recording does not fit: expected {expected}, got {_describe(frame)}.",
            "Send what was recorded, or record the session again.",
        )

    async def read_messages(self) -> AsyncIterator[Frame]:
        """What was recorded, up to where our side has got."""
        clock = asyncio.get_running_loop().time
        start, start_at, is_answered = clock(), 0.0, True
        try:
            for entry in self._cassette.entries:
                if entry.kind == "sent":
                    while entry.line not in self._done:
                        await self._news()
                    start, start_at = clock(), entry.at
                    is_answered = is_answered and entry.value.get("type") != "user"
                    continue
                due = start + (entry.at - start_at) / self._speed if self._speed else 0.0
                while (left := due - clock()) > 0:
                    await self._news(left)
                self._check()
                if entry.kind == "got":
                    is_answered = is_answered or entry.value.get("type") == "result"
                    yield self._present(entry)
                elif entry.kind == "stderr":
                    self._keep_words(entry.value)
                elif entry.kind == "end":
                    self._finish(entry)
                    return
                elif is_answered:
                    while not self._is_over:
                        await self._news()
                else:
                    raise self._cassette.error(
                        entry.line, "the recording was closed here, before the prompt was answered, and more was read."
                    )
        finally:
            self._is_over = True

    async def _news(self, seconds: float | None = None) -> None:
        """Wait until our side does something, or for this long."""
        self._check()
        self._moved.clear()
        with contextlib.suppress(asyncio.TimeoutError):
            async with asyncio.timeout(seconds):
                await self._moved.wait()
        self._check()

    def _check(self) -> None:
        if self._mismatch is not None:
            raise self._mismatch

    def _present(self, entry: TapeEntry) -> Frame:
        """The recorded frame, with the ids that our side uses now."""
        text = entry.text
        for recorded, now in self._ids.items():
            text = text.replace(recorded, now)
        frame: Frame = json.loads(text)["got"]
        return frame

    def _finish(self, end: TapeEntry) -> None:
        for entry in self._cassette.entries:
            if entry.line > end.line and entry.kind == "stderr":
                self._keep_words(entry.value)  # its last words came through another pipe, after its end
        self.exit_code = end.value.get("exit_code")
        if isinstance(end.value.get("error"), dict):
            raise _revived(end.value["error"])

    async def end_input(self) -> None:
        """Nobody listens."""

    async def close(self) -> None:
        """Nothing to end."""
        self._ready, self._is_over = False, True
        self._moved.set()


# -- frames ------------------------------------------------------------------------------------------------------------


def _part(frame: Frame, name: str) -> Frame:
    part = frame.get(name)
    return part if isinstance(part, dict) else {}


def _is_answer(frame: Frame) -> bool:
    return frame.get("type") == "control_response"


def _is_permission(entry: TapeEntry) -> bool:
    return entry.kind == "got" and _part(entry.value, "request").get("subtype") == "can_use_tool"


def _request_id(answer: Frame) -> str:
    return str(_part(answer, "response").get("request_id"))


def _gist(frame: Frame) -> Any:
    """What has to be the same in a recording and in its replay."""
    if _is_answer(frame):
        response = _part(frame, "response")
        return [response.get("subtype"), _part(response, "response").get("behavior")]
    if frame.get("type") == "control_request":
        request = _part(frame, "request")
        # What the SDK says at the start changes with its version, and with ours.
        return [frame["type"], "initialize" if request.get("subtype") == "initialize" else request]
    return [frame.get("type"), frame.get("message")]


def _fits(recorded: Any, now: Any) -> bool:
    """Whether they are the same; a mask stands for any secret."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        return recorded.keys() == now.keys() and all(_fits(recorded[key], now[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(now, list):
        return len(recorded) == len(now) and all(map(_fits, recorded, now))
    if isinstance(recorded, str) and isinstance(now, str) and MASK in recorded:
        return re.fullmatch(".*".join(map(re.escape, recorded.split(MASK))), now, re.DOTALL) is not None
    return bool(recorded == now)


def _describe(frame: Frame) -> str:
    """A frame in a few words, for an error."""
    if _is_answer(frame):
        response = _part(frame, "response")
        told = _part(response, "response").get("behavior") or response.get("error") or response.get("subtype")
        return f"the answer {_short(told)} to a question"
    if frame.get("type") == "control_request":
        return f"the request {_short(frame.get('request'))}"
    return f"the prompt {_short(_part(frame, 'message').get('content', frame))}"


def _short(value: Any) -> str:
    text = one_line(value if isinstance(value, str) else json.dumps(value))
    return repr(text if len(text) <= 100 else f"{text[:100]}…")


def _told(error: Exception) -> Frame:
    """An error of the transport as data."""
    name = "OSError" if isinstance(error, OSError) else type(error).__name__
    fields = {key: value if isinstance(value, int | None) else str(value) for key, value in vars(error).items()}
    return {"type": name, "text": str(error), "fields": fields}


def _revived(told: Frame) -> Exception:
    """The same error again."""
    kind = OSError if told.get("type") == "OSError" else getattr(claude_agent_sdk, str(told.get("type")), None)
    if not (isinstance(kind, type) and issubclass(kind, (ClaudeSDKError, OSError))):
        kind = ClaudeSDKError
    error = kind.__new__(kind, str(told.get("text")))
    vars(error).update(_part(told, "fields"))
    return error
