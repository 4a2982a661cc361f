"""The way to the CLI: the SDK's own subprocess transport, kept on a short leash.

The only module that uses something private of the SDK: its transport builds a command line of forty options, which
is not ours to write again. A test pins what is used of it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
from claude_agent_sdk import ClaudeAgentOptions, CLIJSONDecodeError, CLINotFoundError, ProcessError
from claude_agent_sdk._internal.transport.subprocess_cli import (
    VERBATIM_PROMPTS_MINIMUM_CLAUDE_CODE_VERSION,
    SubprocessCLITransport,
)

from maverick_tui import keeper
from maverick_tui.agent.engine.claude.figures import with_sound_figures
from maverick_tui.agent.engine.claude.own_calls import OwnCalls
from maverick_tui.agent.permissions.started import HEADERS_HELPER
from maverick_tui.executor.mcp.process import WITHHELD
from maverick_tui.kept import kept_command, tell_to_end
from maverick_tui.masking.redact import redact
from maverick_tui.programs import find_program, program_path
from maverick_tui.real_paths import real_path

# The SDK logs errors that it also raises; without a handler they would land on the terminal.
logging.getLogger("claude_agent_sdk").addHandler(logging.NullHandler())

LEAST_CLI = VERBATIM_PROMPTS_MINIMUM_CLAUDE_CODE_VERSION
"""An older one changes prompts before the model reads them."""
STDERR_LINES = 50
STDERR_LINE_LENGTH = 2_000
EXIT_GRACE = 1.0
END_GRACE = keeper.LONGEST
_INSTALLED = (
    "~/.npm-global/bin", "/usr/local/bin", "~/.local/bin", "~/node_modules/.bin", "~/.yarn/bin", "~/.claude/local",
)  # fmt: skip
"""Where its installers put the CLI, whether or not that is on PATH; the SDK looks there, too."""
HEAR_OUT = 1.0
"""Seconds for reading the rest of what the CLI has said, after its end."""


class CliTransport(SubprocessCLITransport):
    """Runs the CLI under its keeper, so that it ends with us; keeps its last words and its exit code.

    What the CLI is told in confidence, or at length, travels as papers of the keeper: everybody can read arguments.
    """

    is_live = True
    """Whether there is a CLI, with tools that do something."""

    def __init__(self, options: ClaudeAgentOptions) -> None:
        self._last_words: deque[str] = deque(maxlen=STDERR_LINES)
        self._pass_on = options.stderr
        # By another name, as $PWD has it, other settings may count for its git than the judge has seen.
        options = replace(options, cwd=real_path(options.cwd or Path.cwd()))
        self._project = [Path(str(options.cwd))]
        self.calls = OwnCalls()
        """What each call is known by that the CLI tells of."""
        self.exit_code: int | None = None
        self.is_abandoned = False
        """Set when nobody waits for the answer any more: the CLI is then ended without a grace period."""
        if options.can_use_tool is not None:
            # The SDK routes questions to the callback only through this option, which it hides from custom transports.
            options = replace(options, permission_prompt_tool_name="stdio")
        self._mark = keeper.new_mark()
        self._papers: list[str] = []
        if keeper.can_keep():
            options, self._papers = _without_papers(options)
        env = {**options.env, self._mark: "1"}
        super().__init__(prompt="", options=replace(options, stderr=self._keep_words, env=env))

    @property
    def stderr_tail(self) -> str:
        """The last lines that the CLI wrote to its standard error."""
        return "\n".join(self._last_words)

    def _keep_words(self, line: str) -> None:
        self._last_words.append(redact(line)[:STDERR_LINE_LENGTH])  # half a secret would not be known again
        if self._pass_on is not None:
            self._pass_on(line)

    async def connect(self) -> None:
        """Check that there is something to run before the keeper is asked to run it, then start it."""
        if self._cli_path is not None:
            self._cli_path = await anyio.to_thread.run_sync(_executable, self._cli_path, *self._project)
        await super().connect()
        try:
            if self._papers:
                await super().write(keeper.packed(self._papers))  # not what is said to the CLI, so no tape has it
        except BaseException:
            self.is_abandoned = True
            await self.close()
            raise

    def _find_cli(self) -> str:
        """The bundled one, else one that is installed. The SDK would take the project's own if PATH leads there."""
        places = [os.path.expanduser(place) for place in _INSTALLED]  # noqa: PTH111 - Path raises without a home
        found = self._find_bundled_cli() or find_program("claude", *self._project, also=places)
        if found is None:
            raise CLINotFoundError("Claude Code not found.")
        return found

    def _build_command(self) -> list[str]:
        return [*kept_command(self._mark, len(self._papers)), *super()._build_command()]

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """The CLI's messages; an end without any is an error, not an end."""
        is_silent = True
        try:
            async for message in super().read_messages():
                is_silent = False
                yield self.calls.name(with_sound_figures(message))
        except RecursionError as error:  # the arguments of a call, for example, which a model may nest without end
            raise CLIJSONDecodeError("", ValueError("it is nested too deeply")) from error
        if is_silent and not self.is_abandoned:
            self._note_exit()
            raise ProcessError("The CLI ended before it said anything", exit_code=self.exit_code)

    async def close(self) -> None:
        """End the CLI: by the end of its input if it is idle, by a signal if that takes too long."""
        if self._process is not None and self._process.returncode is None:
            try:
                await self._end()
            except BaseException:
                self._signal()
                raise
        self._note_exit()
        process = self._process
        await super().close()
        if process is not None:
            await _hear_out(process)
        if process is not None and self.exit_code in (None, keeper.KILLED):
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(keeper.end_marked, self._mark)

    async def _end(self) -> None:
        process = self._process
        assert process is not None
        if not self.is_abandoned:
            with contextlib.suppress(TimeoutError), anyio.fail_after(EXIT_GRACE):
                await self.end_input()
                await process.wait()
        if process.returncode is None:
            self._signal()
            with contextlib.suppress(TimeoutError), anyio.fail_after(END_GRACE):
                await process.wait()

    def _signal(self) -> None:
        if self._process is not None:
            tell_to_end(self._process)

    def _note_exit(self) -> None:
        if self._process is not None and self._process.returncode is not None:
            self.exit_code = self._process.returncode


async def _hear_out(process: anyio.abc.Process) -> None:
    """Read what the CLI has said and nobody has heard: with that in its pipe, asyncio keeps it open beyond its loop."""
    left = process.stdout
    with anyio.move_on_after(HEAR_OUT, shield=True), contextlib.suppress(anyio.EndOfStream, anyio.ClosedResourceError):
        while left is not None:
            await left.receive()


def _without_papers(options: ClaudeAgentOptions) -> tuple[ClaudeAgentOptions, list[str]]:
    """The options with paths for texts, and the texts. Servers and hooks may hold tokens, prompts may be long."""
    papers: list[str] = []

    def put(text: str) -> str:
        papers.append(text)
        return keeper.paper_path(len(papers) - 1)

    if isinstance(options.system_prompt, str) and options.system_prompt:
        options = replace(options, system_prompt={"type": "file", "path": put(options.system_prompt)})
    if isinstance(options.mcp_servers, dict) and options.mcp_servers:
        servers = {name: _for_cli(server) for name, server in options.mcp_servers.items()}
        options = replace(options, mcp_servers=put(json.dumps({"mcpServers": servers})))
    if options.settings is not None and options.settings.lstrip().startswith("{") and options.sandbox is None:
        options = replace(options, settings=put(options.settings))
    return options, papers


def _for_cli(server: Any) -> Any:
    """What the CLI is told of a server: one that runs in this program it reaches through us.

    One that it starts would inherit the key to the model from it. A variable can only be hidden by an empty one; a
    server that needs the key names it in its own `env`. What tells the headers for one has no `env`.
    """
    if not isinstance(server, dict):
        return server
    told = {key: value for key, value in server.items() if key != "instance"}
    if "command" in told:
        told["env"] = {**dict.fromkeys(WITHHELD, ""), **(told.get("env") or {})}
    if isinstance(helper := told.get(HEADERS_HELPER), str) and sys.platform != "win32":
        told[HEADERS_HELPER] = f"unset {' '.join(WITHHELD)}; {helper}"
    return told


def found_cli(cli_path: Path | None) -> str:
    """The absolute path of the CLI that a session would run; raises if there is none or it cannot be executed."""
    return _executable(str(cli_path) if cli_path is not None else CliTransport(ClaudeAgentOptions())._find_cli())


def _executable(cli_path: str, *projects: Path) -> str:
    """The absolute path of the CLI; raises if there is none or it cannot be executed."""
    try:
        return program_path(cli_path, *projects)
    except FileNotFoundError:
        raise CLINotFoundError(f"Claude Code not found at: {cli_path}") from None
    except PermissionError:
        raise PermissionError(f"{cli_path} is not an executable file") from None
