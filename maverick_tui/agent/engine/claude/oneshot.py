"""One prompt, one CLI: connects, asks, takes what comes, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, StreamEvent, Transport

from maverick_tui.agent.engine.claude.asking import HookWatch
from maverick_tui.agent.engine.claude.failures import wrap_sdk_error
from maverick_tui.agent.engine.claude.guard import Guard, guards_of
from maverick_tui.agent.engine.claude.reply import Reply
from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.agent.engines import require_prompt
from maverick_tui.exceptions import AgentError, ProcessError

OpenTransport = Callable[[ClaudeAgentOptions], Transport]

# A closing pump goes on by itself if the one who waits for it is cancelled; this keeps it from being collected.
_closing: set[asyncio.Task[None]] = set()


@asynccontextmanager
async def asked(
    prompt: str, options: ClaudeAgentOptions, *, timeout: float | None, open_transport: OpenTransport
) -> AsyncIterator[Reply]:
    """What comes for a prompt while the context is open; when that ends, so does the CLI. No retries."""
    require_prompt(prompt)
    transport = open_transport(options)
    reply = Reply(timeout=timeout, stderr=lambda: last_words(transport))
    guards = guards_of(options.hooks or {})
    for guard in guards:
        guard.speak_with(transport.write)
    watch = HookWatch(is_live=is_live(transport))
    options = replace(options, hooks=watch.over(options.hooks or {}))
    pump = asyncio.create_task(_pump(prompt, options, transport, reply, watch, guards), name="maverick-pump")
    try:
        yield reply
    finally:
        if not pump.done():
            abandon(transport)
            pump.cancel()
        await finished(pump)
        for guard in guards:
            await guard.close()
        reply.end()


async def finished(task: asyncio.Task[None]) -> None:
    """Wait for a task that tidies up; it goes on to its end if the one who waits is cancelled."""
    _closing.add(task)
    task.add_done_callback(_closing.discard)
    await asyncio.wait({task})


async def _pump(
    prompt: str,
    options: ClaudeAgentOptions,
    transport: Transport,
    turn: Reply,
    watch: HookWatch,
    guards: Iterable[Guard],
) -> None:
    try:
        async for message in claude_agent_sdk.query(prompt=prompt, options=options, transport=transport):
            for guard in guards:
                guard.speaks()
            turn.feed(message)
            if (error := watch.found(message, is_answer=isinstance(message, StreamEvent))) is not None:
                turn.end(error)
                abandon(transport)
                _cancel_this()  # the SDK tidies up for that alone
    except Exception as error:  # becomes the reader's exception
        turn.end(describe(error, transport))
    except asyncio.CancelledError:  # by us, who wait for no more; or by something inside the SDK, of which nobody tells
        turn.end(given_up())
        raise
    else:
        turn.end()


def _cancel_this() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def abandon(transport: Transport) -> None:
    """Nobody waits for the answer any more: the CLI, if there is one, is ended at once."""
    if isinstance(transport, CliTransport):
        transport.is_abandoned = True


def is_live(transport: Transport) -> bool:
    """Whether it leads to a CLI, with tools that do something."""
    return isinstance(transport, CliTransport) and transport.is_live


def given_up() -> AgentError:
    """What a turn ends with whose reader was cancelled by others."""
    return ProcessError("The Claude SDK has stopped reading what the CLI says.", hint="Run the agent again.")


def describe(error: Exception, transport: Transport) -> AgentError:
    """An SDK exception as one of ours, with what the transport knows of the CLI's end."""
    exit_code = transport.exit_code if isinstance(transport, CliTransport) else None
    return wrap_sdk_error(error, exit_code=exit_code, stderr=last_words(transport))


def last_words(transport: Transport) -> str:
    """What the CLI wrote last to its standard error, if there is one."""
    return transport.stderr_tail if isinstance(transport, CliTransport) else ""
