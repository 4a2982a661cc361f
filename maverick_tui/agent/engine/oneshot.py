"""One prompt, one CLI: connects, asks, takes what comes, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, Transport

from maverick_tui.agent.engine.failures import wrap_sdk_error
from maverick_tui.agent.engine.transport import CliTransport
from maverick_tui.agent.engine.turn import Turn
from maverick_tui.exceptions import AgentError

OpenTransport = Callable[[ClaudeAgentOptions], Transport]

# A closing pump goes on by itself if the one who waits for it is cancelled; this keeps it from being collected.
_closing: set[asyncio.Task[None]] = set()


@asynccontextmanager
async def ask(
    prompt: str, options: ClaudeAgentOptions, *, timeout: float | None, open_transport: OpenTransport = CliTransport
) -> AsyncIterator[Turn]:
    """A turn that is being answered; when the context ends, so does the CLI, finished or not. No retries."""
    transport = open_transport(options)
    turn = Turn(timeout=timeout, stderr=lambda: last_words(transport))
    pump = asyncio.create_task(_pump(prompt, options, transport, turn), name="maverick-pump")
    try:
        yield turn
    finally:
        if not pump.done():
            if isinstance(transport, CliTransport):
                transport.is_abandoned = True
            pump.cancel()
        _closing.add(pump)
        pump.add_done_callback(_closing.discard)
        await asyncio.wait({pump})


async def _pump(prompt: str, options: ClaudeAgentOptions, transport: Transport, turn: Turn) -> None:
    try:
        async for message in claude_agent_sdk.query(prompt=prompt, options=options, transport=transport):
            turn.feed(message)
    except Exception as error:  # becomes the reader's exception
        turn.end(describe(error, transport))
    else:
        turn.end()


def describe(error: Exception, transport: Transport) -> AgentError:
    """An SDK exception as one of ours, with what the transport knows of the CLI's end."""
    exit_code = transport.exit_code if isinstance(transport, CliTransport) else None
    return wrap_sdk_error(error, exit_code=exit_code, stderr=last_words(transport))


def last_words(transport: Transport) -> str:
    """What the CLI wrote last to its standard error, if there is one."""
    return transport.stderr_tail if isinstance(transport, CliTransport) else ""
