"""Any engine's answers in the SDK's messages: what `MaverickAgent.query` promises, made of events."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from claude_agent_sdk import (
    AssistantMessage,
    CanUseTool,
    Message,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolPermissionContext,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from maverick_tui.agent.engines import (
    Answered,
    AskPerson,
    Engine,
    Listener,
    Permission,
    Session,
    SpeaksSdk,
    ToolQuestion,
    begins_of,
    calls_of,
    passed_of,
    require_prompt,
    returned_of,
)
from maverick_tui.agent.record import REPORTED, TOTALS
from maverick_tui.agent.result import AgentUsage
from maverick_tui.agent.streaming import Heard
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import AgentError, ConfigError, StreamingError
from maverick_tui.modes import DEFAULT_PERMISSION_MODE, PermissionMode
from maverick_tui.usage import Usage

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

_DELTAS = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}


@dataclass(slots=True)
class _Block:
    index: int
    kind: ev.BlockKind
    parent: str
    parts: list[str] = field(default_factory=list)


GIVE_UP = 5.0
"""Seconds that an engine has to end an answer which nobody reads any more."""


class SdkMessages:
    """Takes the events of one answer, and says each of them as the SDK would; `mode` tells the permission mode."""

    def __init__(self, session_id: str, mode: Callable[[], str]) -> None:
        self._session_id = session_id
        self._mode = mode
        self._model = ""
        self._context_size: int | None = None
        self._message = ""
        self._blocks: dict[int, _Block] = {}
        self._next_index = 0
        """Of a block in the answer that is coming."""
        self._parents: dict[str, str] = {}

    def of(self, event: ev.Event) -> list[Message]:
        """The messages that say the same; what only a screen shows is none."""
        match event:
            case ev.BlockGrew():
                return self._grew(event)
            case ev.BlockStarted():
                return self._started(event)
            case ev.BlockEnded():
                return self._ended(event)
            case ev.UsageReported(parent=""):
                return [self._reported(event)]
            case ev.ToolCalled():
                self._parents[event.call] = event.parent
                return [self._said(ToolUseBlock(event.call, event.name, event.arguments), event.parent)]
            case ev.ToolFinished():
                block = ToolResultBlock(event.call, event.output, event.is_error)
                return [UserMessage([block], parent_tool_use_id=self._parents.get(event.call) or None)]
            case _:
                return self._beside(event)

    def _beside(self, event: ev.Event) -> list[Message]:
        match event:
            case ev.ModelNamed():
                self._model, self._context_size = event.model, event.context_size
                about = {"model": event.model, "session_id": self._session_id, "permissionMode": self._mode()}
                return [SystemMessage("init", about)]
            case ev.RequestStarted():
                self._next_index = 0
                return [SystemMessage("status", {"status": "requesting"})]
            case ev.RetryScheduled():
                data = {
                    "attempt": event.attempt,
                    "max_retries": event.limit,
                    "retry_delay_ms": event.delay * 1000,
                    "error_status": event.status,
                    "error": event.reason,
                }
                return [SystemMessage("api_retry", data)]
            case ev.Noticed():
                return [SystemMessage("informational", {"content": event.text})]
            case ev.ReplyRestarted():
                self._blocks.clear()
        return []

    def _started(self, event: ev.BlockStarted) -> list[Message]:
        block = self._blocks[event.block] = _Block(self._next_index, event.kind, event.parent)
        if block.parent:
            return []
        self._next_index += 1
        empty = {"type": "tool_use", "id": event.call, "name": event.name, "input": {}}
        content = empty if event.kind == "tool" else {"type": event.kind, event.kind: ""}
        return [self._event(type="content_block_start", index=block.index, content_block=content)]

    def _grew(self, event: ev.BlockGrew) -> list[Message]:
        if (block := self._blocks.get(event.block)) is None:
            return []
        block.parts.append(event.text)
        if block.parent:
            return []
        kind, name = _DELTAS.get(block.kind, ("input_json_delta", "partial_json"))
        delta = {"type": kind, name: event.text}
        return [self._event(type="content_block_delta", index=block.index, delta=delta)]

    def _ended(self, event: ev.BlockEnded) -> list[Message]:
        """A text once more as a whole; a call is said when it is made."""
        if (block := self._blocks.pop(event.block, None)) is None:
            return []
        text, said = "".join(block.parts), list[Message]()
        if text and block.kind != "tool":
            said.append(self._said(TextBlock(text) if block.kind == "text" else ThinkingBlock(text, ""), block.parent))
        return said if block.parent else [*said, self._event(type="content_block_stop", index=block.index)]

    def _reported(self, event: ev.UsageReported) -> Message:
        usage = dict(zip(REPORTED, event.usage.tokens, strict=True))
        if event.message == self._message:
            return self._event(type="message_delta", delta={}, usage=usage)
        self._message, self._next_index = event.message, 0
        return self._event(type="message_start", message={"id": event.message, "model": self._model, "usage": usage})

    def _said(self, block: TextBlock | ThinkingBlock | ToolUseBlock, parent: str) -> Message:
        return AssistantMessage(
            [block],
            model=self._model,
            parent_tool_use_id=parent or None,
            message_id=self._message or None,
            session_id=self._session_id,
        )

    def _event(self, **event: Any) -> Message:
        return StreamEvent("", self._session_id, event)

    def result(self, answered: Answered, total: Usage | None = None) -> ResultMessage:
        """The end of the answer; `total` is what the whole session has used, as the CLI reports it."""
        own = answered.usage or Usage()
        used = total or own
        about = dict(zip(TOTALS, used.tokens, strict=True)) | {"costUSD": used.cost_usd or 0.0}
        if self._context_size:
            about["contextWindow"] = self._context_size
        return ResultMessage(
            subtype="error_during_execution" if answered.is_cut else "success",
            duration_ms=own.duration_ms,
            duration_api_ms=answered.api_ms,
            is_error=answered.is_cut,
            num_turns=answered.steps,
            session_id=self._session_id,
            total_cost_usd=used.cost_usd,
            usage=dict(zip(REPORTED, own.tokens, strict=True)),
            result=answered.text,
            structured_output=answered.output,
            model_usage={self._model: about},  # type: ignore[dict-item]
            terminal_reason="aborted" if answered.is_cut else "completed",
        )


class SdkListener:
    """Takes the events of a session for somebody who wants messages; `can_use_tool` is asked in the SDK's way.

    Where `run` is given, that hears of them, too, and asks its person.
    """

    def __init__(
        self,
        can_use_tool: CanUseTool | None = None,
        on_background: Callable[[Message], None] | None = None,
        mode: str = DEFAULT_PERMISSION_MODE,
        run: Listener | None = None,
    ) -> None:
        self.ask: AskPerson | None = None if can_use_tool is None else _asking(can_use_tool)
        self.now: Callable[[], float] = time.time
        self.next_block: Callable[[], int] = count(1).__next__
        self._run = run
        if run is not None:
            self.ask = self.ask or run.ask
            self.now, self.next_block = run.now, run.next_block
            self.hold, self.begins = getattr(run, "hold", None), begins_of(run)
            self.returned, self.passed = returned_of(run), passed_of(run)
            self.calls = calls_of(run)
        self.session_id = str(uuid.uuid4())
        self.events: asyncio.Queue[ev.Event | Message | None] | None = None
        """Where the events of an answer go, while somebody reads one; and the messages of a session that has them."""
        self._on_background = on_background
        self.mode = mode
        """The permission mode of the moment."""
        self._beside = self.messages()

    def messages(self) -> SdkMessages:
        """What says the events of the next answer."""
        return SdkMessages(self.session_id, lambda: self.mode)

    def tell(self, event: ev.Event) -> None:
        """Take the next event."""
        if isinstance(event, ev.ModeChanged):
            self.mode = event.mode
        if self._run is not None:
            self._run.tell(event)
        if self.events is not None:
            self.events.put_nowait(event)
        elif self._on_background is not None:
            for message in self._beside.of(event):
                self._on_background(message)

    def began(self, prompt: str) -> None:
        """An answer begins that nobody has asked for: its messages go to `on_background`."""

    def ended(self, answered: Answered) -> None:
        """Such an answer has ended."""
        if self._on_background is not None:
            self._on_background(self._beside.result(answered))


class InSdkMessages:
    """An engine that does not know the SDK, as a `SdkEngine`; or any whose sessions `run` is to hear of."""

    def __init__(self, engine: Engine, run: Listener | None = None) -> None:
        self._engine = engine
        self._run = run

    async def query(
        self, agent: MaverickAgent, settings: MaverickConfig, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None]:
        """Ask once, in a session of its own."""
        opening = self.sdk_session(agent, settings, Path(cwd or Path.cwd()))
        try:
            async with opening as session, aclosing(session.query(prompt)) as messages:
                async for message in messages:
                    yield message
        except ConfigError as error:  # of a tool server, or a limit: to whoever asks it is one more failure
            raise AgentError(error.message, kind="invalid", hint=error.hint) from error

    @asynccontextmanager
    async def sdk_session(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        *,
        can_use_tool: CanUseTool | None = None,
        on_background: Callable[[Message], None] | None = None,
        **options: Any,
    ) -> AsyncIterator[MessageSession]:
        """Open one; the `options` are for the engine."""
        listener = SdkListener(can_use_tool, on_background, agent._mode_by(settings), self._run)
        async with self._engine.open(agent, settings, cwd, listener, **options) as opened:
            yield MessageSession(opened, listener)


class MessageSession:
    """A session of any engine, to be used as `AgentSession` is."""

    def __init__(self, session: Session, listener: SdkListener) -> None:
        self._session = session
        self._listener = listener
        self._free = asyncio.Lock()
        self._total = Usage()
        self.last_usage: AgentUsage | None = None
        """What the last prompt used, also if it failed."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._session.is_ended

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        return await self._session.ended()

    async def clear(self) -> bool:
        """Forget the conversation; False if only another session can."""
        return await self._session.clear()

    async def interrupt(self) -> None:
        """Stop the running answer; what it said so far is kept."""
        await self._session.interrupt()

    async def set_model(self, model: str | None) -> None:
        """Use another model from now on; None for the default."""
        await self._session.set_model(model)

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first."""
        await self._session.set_permission_mode(mode)
        self._listener.mode = mode

    def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a prompt and yield what comes for it, as `MaverickAgent.query` does; an interrupted answer just ends."""
        is_native = hasattr(self._session, "ask_natively")
        return self._told(self._ask_natively if is_native else self._ask, prompt, keep_messages, is_native=is_native)

    def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Let the conversation be summed up, and yield what comes of it; `wishes` say how."""
        return self._told(self._session.compact, wishes, False)

    async def _ask(self, prompt: str) -> Answered:
        require_prompt(prompt)
        return await self._session.ask(prompt)

    async def _ask_natively(self, prompt: str) -> Answered:
        require_prompt(prompt)
        assert self._listener.events is not None
        return await cast("SpeaksSdk", self._session).ask_natively(prompt, self._listener.events.put_nowait)

    async def _told(
        self,
        ask: Callable[[str], Coroutine[Any, Any, Answered]],
        words: str,
        keep_messages: bool,
        *,
        is_native: bool = False,
    ) -> AsyncGenerator[Message, None]:
        async with self._free:
            events = self._listener.events = asyncio.Queue()
            made, heard, partial = self._listener.messages(), Heard(), list[Message]()
            asking = asyncio.create_task(ask(words), name="maverick-messages")
            asking.add_done_callback(lambda _: events.put_nowait(None))
            try:
                while (came := await events.get()) is not None:
                    if isinstance(came, ev.Event):
                        heard.take(came)
                        messages = [] if is_native else made.of(came)
                    else:
                        messages = [came]
                    for message in messages:
                        if keep_messages:
                            partial.append(message)
                        yield message
            finally:
                await self._end(asking, is_native=is_native)
                self._listener.events = None
                answered = _outcome(asking, heard)
                self._total += answered.usage or Usage()
                self.last_usage = AgentUsage.of(answered.usage) if answered.usage is not None else self.last_usage
            if answered.error is None:
                if not is_native:
                    yield made.result(answered, self._total)
                return
            if isinstance(answered.error, StreamingError):
                answered.error.partial_messages = partial
            raise answered.error

    async def _end(self, asking: asyncio.Task[Answered], *, is_native: bool) -> None:
        """Wait for the end of an answer. One that nobody reads any more is interrupted, for then it tells its usage;
        the CLI is so by what asks it.
        """
        if not asking.done() and not is_native:
            await self._session.interrupt()
            await asyncio.wait({asking}, timeout=GIVE_UP)
        if not asking.done():
            asking.cancel()
        await asyncio.wait({asking})


def _outcome(asking: asyncio.Task[Answered], heard: Heard) -> Answered:
    """How the answer ended; a session may also raise what it fails with."""
    if asking.cancelled():
        return Answered()
    try:
        return asking.result()
    except AgentError as error:
        return Answered(error=heard.failure(error))


def _asking(can_use_tool: CanUseTool) -> AskPerson:
    async def ask(question: ToolQuestion) -> Permission:
        context = ToolPermissionContext(tool_use_id=question.call, decision_reason=question.reason or None)
        decision = await can_use_tool(question.tool, question.arguments, context)
        if isinstance(decision, PermissionResultDeny):
            return Permission(False, decision.message, ends_turn=decision.interrupt)
        assert isinstance(decision, PermissionResultAllow)
        return Permission(True, arguments=decision.updated_input)

    return ask
