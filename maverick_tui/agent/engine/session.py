"""AgentSession: one CLI kept open for many prompts."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from claude_agent_sdk import (
    AssistantMessage,
    CanUseTool,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    PermissionResult,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    ToolPermissionContext,
    UserMessage,
)
from claude_agent_sdk.types import ContextUsageResponse

from maverick_tui.agent.engine.oneshot import OpenTransport, describe, last_words
from maverick_tui.agent.engine.record import Totals
from maverick_tui.agent.engine.transport import CliTransport
from maverick_tui.agent.engine.turn import Turn
from maverick_tui.agent.result import AgentUsage
from maverick_tui.agent.tools import may_use
from maverick_tui.config import PERMISSION_MODES, PermissionMode
from maverick_tui.exceptions import AgentError, TimeoutError

log = logging.getLogger(__name__)

CONTROL_TIMEOUT = 10.0
INTERRUPT_TIMEOUT = 2.0

OnBackground = Callable[[Message], None]
T = TypeVar("T")


class AgentSession:
    """A conversation with one agent. Prompts are answered one after the other, each by its own messages.

    The CLI also starts turns by itself, when a background task has finished. Their messages never reach a prompt's
    reader; they go to `on_background`.
    """

    def __init__(
        self,
        options: ClaudeAgentOptions,
        *,
        allowed_tools: Sequence[str],
        timeout: float | None,
        open_transport: OpenTransport = CliTransport,
        on_background: OnBackground | None = None,
    ) -> None:
        self._questions = 0
        self._allowed_tools = tuple(allowed_tools)
        # The CLI repeats each prompt when its turn begins: that is how a turn is known to be ours.
        options = replace(options, extra_args={**options.extra_args, "replay-user-messages": None})
        if options.can_use_tool is not None:
            options = replace(options, can_use_tool=self._guarded(options.can_use_tool))
        self._transport = open_transport(options)
        # The transport has the tool rules; the SDK's client would only warn that it is not asked about all of them.
        self._client = ClaudeSDKClient(replace(options, allowed_tools=[]), transport=self._transport)
        self._timeout = timeout
        self._on_background = on_background
        self._one_prompt = asyncio.Lock()
        self._reader: asyncio.Task[None] | None = None
        self._ended: AgentError | None = None
        self._turn: Turn | None = None
        self._prompt_id = ""
        self._is_answering = False
        self._is_elsewhere = False
        self._undecided: list[Message] = []
        self._idle = asyncio.Event()
        self._totals = Totals()
        self.last_usage: AgentUsage | None = None
        """What the last answered prompt used."""

    # -- life -----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Start the CLI and begin to read."""
        try:
            await self._client.connect()
        except Exception as error:
            raise describe(error, self._transport) from error
        self._reader = asyncio.create_task(self._read(), name="maverick-session")

    async def close(self) -> None:
        """End the CLI, fast also while it is busy; nothing of it stays behind."""
        if self._turn is not None and self._ended is None:
            try:
                await self._stop()
            except (AgentError, asyncio.TimeoutError):
                if isinstance(self._transport, CliTransport):
                    self._transport.is_abandoned = True
        self._end(AgentError("The session was closed.", hint="Open a new session."))
        try:
            await self._client.disconnect()
        finally:
            if self._reader is not None:
                self._reader.cancel()
                await asyncio.wait({self._reader})

    # -- prompts --------------------------------------------------------------------------------------------------

    async def query(self, prompt: str) -> AsyncIterator[Message]:
        """Send a prompt and yield what comes for it, as `MaverickAgent.query` does; an interrupted turn just ends.

        A prompt waits until the one before it is answered: the CLI would make one of two that it finds queued.
        """
        async with self._one_prompt:
            if self._ended is not None:
                raise self._ended
            turn = self._turn = self._new_turn()
            is_sent = False
            try:
                await self._send(prompt)
                is_sent = True
                while await turn.arrived():
                    while turn.unread:
                        yield turn.unread.popleft()
            finally:
                if self._turn is turn:
                    await self._abandon(is_sent)
            if turn.failure is not None and not turn.is_interrupted:
                raise turn.failure

    def _new_turn(self) -> Turn:
        self._prompt_id, self._is_answering = str(uuid.uuid4()), False
        self._idle.clear()
        return Turn(
            timeout=self._timeout,
            before=self._totals,
            is_waiting=lambda: self._questions > 0 or self._is_elsewhere,
            stderr=lambda: last_words(self._transport),
        )

    async def _send(self, prompt: str) -> None:
        message = {
            "type": "user",
            "uuid": self._prompt_id,
            "message": {"role": "user", "content": prompt},
            "parent_tool_use_id": None,
        }
        try:
            await self._client.query(_only(message))
        except Exception as error:
            self._end(describe(error, self._transport))

    async def _abandon(self, is_sent: bool) -> None:
        """Nobody reads this turn any more, or it is silent: stop it, so that the next prompt finds the CLI idle."""
        if not is_sent:
            self._turn = None
            return
        try:
            await self._stop()
        except (AgentError, asyncio.TimeoutError):
            self._end(AgentError("The CLI does not stop its last turn.", hint="Close the session and open a new one."))

    async def _stop(self) -> None:
        if self._is_elsewhere:
            # The first interrupt ends the CLI's own turn, then it begins with ours.
            await self.interrupt()
            await asyncio.sleep(0.1)
        await self.interrupt()
        async with asyncio.timeout(INTERRUPT_TIMEOUT):
            await self._idle.wait()

    # -- control --------------------------------------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Stop the running turn; what it said so far is kept."""
        await self._control("interrupt", self._client.interrupt(), INTERRUPT_TIMEOUT)

    async def set_model(self, model: str | None) -> None:
        """Use another model from the next call on; None for the CLI's own default."""
        await self._control("set_model", self._client.set_model(model))

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first; a mode wider than the documented default is refused."""
        if mode not in PERMISSION_MODES:
            raise AgentError(
                f"The permission mode {mode!r} cannot be set.",
                kind="invalid",
                hint=f"Choose one of {', '.join(PERMISSION_MODES)}: nothing wider is opened.",
            )
        await self._control("set_permission_mode", self._client.set_permission_mode(mode))

    async def context_usage(self) -> ContextUsageResponse:
        """How full the model's context is, by category."""
        return await self._control("get_context_usage", self._client.get_context_usage())

    async def _control(self, name: str, request: Awaitable[T], seconds: float = CONTROL_TIMEOUT) -> T:
        if self._ended is not None:
            if asyncio.iscoroutine(request):
                request.close()
            raise self._ended
        try:
            async with asyncio.timeout(seconds):
                return await request
        except asyncio.TimeoutError as error:
            raise TimeoutError(f"The CLI did not answer the request {name!r} within {seconds:g} s.") from error
        except Exception as error:
            raise describe(error, self._transport) from error

    # -- permissions ----------------------------------------------------------------------------------------------

    def _guarded(self, ask: CanUseTool) -> CanUseTool:
        """Ask only about tools that the agent may use at all; and while a person is asked, silence is no failure."""

        async def guarded(tool: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
            if not may_use(tool, self._allowed_tools):
                return PermissionResultDeny(message=f"{tool} is not among the tools that this agent may use.")
            self._questions += 1
            try:
                return await ask(tool, arguments, context)
            finally:
                self._questions -= 1

        return guarded

    # -- routing --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            async for message in self._client.receive_messages():
                self._route(message)
        except Exception as error:  # becomes the failure of the open turn and of every later prompt
            self._end(describe(error, self._transport))
        else:
            self._end(AgentError("The session has ended.", hint="Open a new session."))

    def _route(self, message: Message) -> None:
        """Give each message to the prompt it belongs to.

        A turn begins with messages that do not say whose it is. It is ours once our prompt is repeated, and somebody
        else's once content comes without that; until then they are held back.
        """
        if isinstance(message, ResultMessage):
            self._route_result(message)
        elif self._is_answering and self._turn is not None:
            self._turn.feed(message)
        elif self._turn is None:
            self._pass_to_background(message)
        elif isinstance(message, UserMessage) and message.uuid == self._prompt_id:
            self._is_answering = True
            self._deliver_undecided(self._turn.feed)
            self._turn.feed(message)
        elif _is_content(message):
            self._deliver_undecided(self._pass_to_background)
            self._pass_to_background(message)
        else:
            if isinstance(message, SystemMessage) and message.subtype == "init":
                self._deliver_undecided(self._pass_to_background)
            self._undecided.append(message)

    def _route_result(self, message: ResultMessage) -> None:
        turn = self._turn
        is_ours = message.origin is None or message.origin.get("kind") == "human"
        if turn is not None and (self._is_answering or is_ours):
            self._deliver_undecided(turn.feed)
            turn.feed(message)
            self._turn, self._is_answering = None, False
            self._idle.set()
            turn.end()
            self.last_usage = turn.record.usage
        else:
            self._deliver_undecided(self._pass_to_background)
            self._pass_to_background(message)
        self._totals = Totals.of(message)

    def _deliver_undecided(self, deliver: Callable[[Message], None]) -> None:
        held, self._undecided = self._undecided, []
        for message in held:
            deliver(message)

    def _pass_to_background(self, message: Message) -> None:
        if isinstance(message, ResultMessage):
            self._is_elsewhere = False
        elif _is_content(message):
            self._is_elsewhere = True
        if self._on_background is not None:
            try:
                self._on_background(message)
            except Exception:  # the caller's mistake must not end the session
                log.exception("on_background failed for a %s", type(message).__name__)

    def _end(self, error: AgentError) -> None:
        if self._ended is None:
            self._ended = error
        turn, self._turn = self._turn, None
        self._idle.set()
        if turn is not None:
            self._deliver_undecided(turn.feed)
            turn.end(error)


def _is_content(message: Message) -> bool:
    return isinstance(message, StreamEvent | AssistantMessage) and message.parent_tool_use_id is None


async def _only(message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield message
