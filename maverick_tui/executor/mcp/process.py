"""An MCP server that is a process: messages go over its input and output, one per line.

Not the transport of the `mcp` package: that one lets a child of the server live on after the server itself has ended,
and logs what it cannot read to the terminal.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from maverick_tui import keeper
from maverick_tui.bounded import from_json
from maverick_tui.executor.strict_json import sendable_value
from maverick_tui.kept import kept_command, tell_to_end
from maverick_tui.programs import server_path
from maverick_tui.threads import in_thread

MOST_LINE = 16_000_000
"""The most bytes of one message."""
MOST_RUBBISH = 1_000
"""How many lines that are not messages it may write before it is taken for something other than a server."""
GRACE = 2.0
"""Seconds that it has to end by itself once its input is closed."""
_LAST_WORDS = 10_000
_UNREADABLE = -32700
WITHHELD = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_AWS_API_KEY", "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN", "ANTHROPIC_IDENTITY_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CLAUDE_CODE_HFI_BEARER_TOKEN", "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_SESSION_ACCESS_TOKEN", "CLAUDE_CODE_SESSIONS_OAUTH_TOKEN",
    "CLAUDE_TRUSTED_DEVICE_TOKEN", "MAVERICK_ENV",
)  # fmt: skip
"""The key to the model, also in our setting `env`, is ours; a server that needs one is given it in its own `env`."""

log = logging.getLogger(__name__)


class ServerProcess:
    """Starts the command, carries messages, and ends all of it."""

    def __init__(self, command: str, args: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> None:
        inherited = {name: value for name, value in os.environ.items() if name not in WITHHELD}
        self._mark = keeper.new_mark()
        self._command = [command, *args]
        self._env = {**inherited, **env, self._mark: "1"}
        self._cwd = cwd
        self._process: asyncio.subprocess.Process | None = None
        self._said = b""
        self._rubbish = ""
        self._was_told_to_end = False
        self.has_ended = False
        """Whether nothing more can come from it."""

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[Any, Any]]:
        """The streams that a client of the `mcp` package wants."""
        import anyio

        command, *args = self._command
        if keeper.can_keep():
            command = server_path(command, self._env.get("PATH", os.defpath), self._cwd)
        self._process = process = await asyncio.create_subprocess_exec(
            *(*kept_command(self._mark), command, *args),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._env,
            cwd=self._cwd,
            limit=MOST_LINE,
        )
        to_us, read = anyio.create_memory_object_stream[Any](0)
        write, from_us = anyio.create_memory_object_stream[Any](0)
        try:
            with to_us, read, write, from_us:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._read, process, to_us)
                    group.start_soon(self._write, process, from_us)
                    group.start_soon(self._listen, process)
                    try:
                        yield read, write
                    finally:
                        with anyio.CancelScope(shield=True):
                            await self._end(process)
                        group.cancel_scope.cancel()
        finally:
            tell_to_end(process)
            _close(process)
            if process.returncode in (None, keeper.KILLED):
                with anyio.CancelScope(shield=True):
                    await in_thread(keeper.end_marked, self._mark)

    async def how_it_ended(self, masked: Callable[[str], str]) -> str:
        """How it ended, or what it does instead of answering, and its last words; empty if there is nothing to tell.

        `masked` takes secrets out of what it has said, before that is cut: half a secret would not be recognised.
        """
        process = self._process
        if process is None:
            return ""
        if self.has_ended:
            await _exited(process, 0.5)  # its output ends a little earlier than itself
        code = process.returncode
        parts = []
        if code is not None and not self._was_told_to_end:
            parts.append(f"it ended with code {code}" if code >= 0 else f"it was ended by signal {-code}")
        if self._rubbish:
            parts.append(f"its output is not an MCP message: {masked(self._rubbish)[:100]!r}")
        if words := masked(self._said.decode(errors="replace")).strip():
            parts.append(f"its last words: {' '.join(' '.join(words.splitlines()[-3:]).split())[-500:]}")
        return "; ".join(parts)

    async def _read(self, process: asyncio.subprocess.Process, target: Any) -> None:
        from anyio import BrokenResourceError, ClosedResourceError
        from mcp.shared.message import SessionMessage

        assert process.stdout is not None
        rubbish = 0
        try:
            with target:
                while rubbish < MOST_RUBBISH and (line := await process.stdout.readline()):
                    try:
                        message = _message(line)
                    except ValueError:  # a greeting, or a forgotten print
                        self._rubbish = self._rubbish or line.decode(errors="replace").strip()[:10_000]
                        rubbish += 1
                    else:
                        await target.send(SessionMessage(message))
        except ValueError:
            self._rubbish = f"a line of more than {MOST_LINE:,} bytes"
        except (BrokenResourceError, ClosedResourceError):
            log.debug("An MCP server has sent something after it was closed")
        finally:
            self.has_ended = True

    async def _write(self, process: asyncio.subprocess.Process, source: Any) -> None:
        assert process.stdin is not None
        with suppress(ConnectionError):  # it has ended, and so does its output
            async for message in source:
                process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await process.stdin.drain()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(65_536):
            self._said = (self._said + chunk)[-_LAST_WORDS:]

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Close its input, then tell the keeper to end it, and with it whatever it leaves behind."""
        assert process.stdin is not None
        process.stdin.close()
        if not await _exited(process, GRACE):
            self._was_told_to_end = True
            tell_to_end(process)
            await _exited(process, keeper.LONGEST)


def _message(line: bytes) -> Any:
    """The message in a line; for an answer that is none, the error that this is, since somebody waits. ValueError for
    anything else.
    """
    from mcp_types import jsonrpc_message_adapter

    with suppress(ValueError):
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    said = from_json(line)
    try:
        # Servers in JavaScript cut texts within a character, and send its half.
        return jsonrpc_message_adapter.validate_python(sendable_value(said), by_name=False)
    except (ValueError, RecursionError):
        if not isinstance(said, dict) or not {"result", "error"} & said.keys():
            raise ValueError("it is no message") from None
        error = {"code": _UNREADABLE, "message": "its answer cannot be read"}
        answer = {"jsonrpc": "2.0", "id": said.get("id"), "error": error}
        return jsonrpc_message_adapter.validate_python(answer, by_name=False)


async def _exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether it exits in that time. Not `wait`: that also waits for children that hold its output open."""
    until = asyncio.get_running_loop().time() + seconds
    while process.returncode is None:
        if asyncio.get_running_loop().time() > until:
            return False
        await asyncio.sleep(0.01)
    return True


def _close(process: asyncio.subprocess.Process) -> None:
    """Close the pipes; a child that has left the group may hold their other ends open for ever."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
