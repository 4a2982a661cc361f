"""ClaudeSession: a conversation with the CLI, told in events; an author's code can have its messages, too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, cast

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    ToolPermissionContext,
    UserMessage,
)

from maverick_tui.agent.engine.claude.failures import is_interruption, result_failure
from maverick_tui.agent.engine.claude.meter import Meter, MeteredResult
from maverick_tui.agent.engine.claude.scheduling import FIRED, WOKEN, woken_by
from maverick_tui.agent.engine.claude.session import AgentSession, is_content
from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.agent.engines import Answered, Listener, ToolQuestion, answers_of
from maverick_tui.agent.record import totals_of
from maverick_tui.events.background import COMMANDS, SUBAGENTS
from maverick_tui.events.kinds import Noticed, RequestStarted
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.model.messages import Image
from maverick_tui.modes import PermissionMode
from maverick_tui.usage import Usage

_TASK_WITHIN = 15.0
"""Seconds in which the CLI says which task a call is: of a command it does so after three."""
_LOOK_EVERY = 0.05


@dataclass(frozen=True, slots=True)
class Memory:
    """What the next CLI of a conversation must know: what was told of it, and what it has used."""

    translator: Translator
    meter: Meter = field(default_factory=Meter)
    forked: str = ""
    """The conversation that is left as it is: another one goes on from `place` in it, or from its end."""
    place: str = ""
    words: str = ""
    """What was said in a conversation that the CLI does not have: it is told with the first prompt."""

    @property
    def conversation(self) -> str:
        """The id that the CLI knows it by."""
        return self.translator.session_id

    @property
    def is_fork(self) -> bool:
        """Whether the conversation of its own is still to begin."""
        return bool(self.forked) and self.forked == self.conversation


class ClaudeSession:
    """Answers prompts, and hears what the CLI does by itself: its answers to jobs and to background tasks."""

    def __init__(self, listener: Listener, memory: Memory | None = None) -> None:
        self._listener = listener
        self._memory = memory or Memory(Translator(listener.next_block, answers_of(listener)))
        self._is_resumed = bool(self._memory.conversation)
        self._words = "" if self._is_resumed else self._memory.words
        self._place = ""
        """The last message that the conversation has."""
        self._native: AgentSession | None = None
        self._is_asked = False
        self._is_by_itself = False
        """Whether the CLI is giving an answer that nobody has asked for."""
        self._announced = ""
        """The prompt of a job that is about to begin such an answer."""
        self._woken = ""
        """What is about to begin one, if that is news of a task."""
        self._is_quiet = asyncio.Event()
        """Whether the CLI has said that it does nothing, or says nothing of the kind."""
        self._is_quiet.set()

    def begin(self, native: AgentSession, mode: str) -> None:
        """The CLI is there, and was started in this permission mode."""
        self._native = native
        self._translator.mode = self._translator.mode or mode
        if self._is_resumed:
            self._translator.begin_session()
            self._memory.meter.restart()

    # -- what it is -----------------------------------------------------------------------------------------------

    @property
    def _session(self) -> AgentSession:
        assert self._native is not None
        return self._native

    @property
    def _translator(self) -> Translator:
        return self._memory.translator

    @property
    def between(self) -> Callable[[], str]:
        """What the person says in the middle of an answer: see `Steers` of `engines.py`."""
        return self._session.between

    @between.setter
    def between(self, words: Callable[[], str]) -> None:
        self._session.between = words

    @property
    def taken(self) -> Callable[[], None]:
        """The same of what is to be told once the model has that."""
        return self._session.taken

    @taken.setter
    def taken(self, tell: Callable[[], None]) -> None:
        self._session.taken = tell

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._session.is_ended

    @property
    def memory(self) -> Memory | None:
        """What the next CLI needs to go on; None before the first prompt, which gives the conversation its id."""
        return self._memory if self._memory.conversation else None

    @property
    def may_rest(self) -> bool:
        """Whether the CLI can be ended while nobody asks: it comes back with the conversation, but without its jobs."""
        return not self.works_on

    @property
    def works_on(self) -> bool:
        """Whether the CLI has jobs, or tasks in the background."""
        return bool(self._translator.jobs.items or self._translator.notices.alive)

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        return await self._session.ended()

    async def settled(self) -> None:
        """Wait until the CLI does nothing: neither answers, nor has subagents at work, nor goes on after them."""
        waiting = {asyncio.ensure_future(self._is_quiet.wait()), asyncio.ensure_future(self.ended())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in waiting:
                future.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    def _heed(self, message: Message) -> None:
        """Know whether the CLI still works, and how far the conversation has come."""
        if isinstance(message, AssistantMessage | UserMessage) and not message.parent_tool_use_id:
            self._place = message.uuid or self._place
        if isinstance(message, SystemMessage) and message.subtype == "session_state_changed":
            (self._is_quiet.set if message.data.get("state") == "idle" else self._is_quiet.clear)()

    # -- prompts --------------------------------------------------------------------------------------------------

    def show(self, images: Sequence[Image]) -> None:
        """Have the next prompt show these: see `Sees` of `engines.py`."""
        self._session.show(images)

    async def ask(self, prompt: str) -> Answered:
        """Have a prompt answered."""
        # Only an agent's own code can want the messages of a failure.
        return await self._answer(self._session.query(self._with_words(prompt), keep_messages=False))

    async def ask_natively(self, prompt: str, pass_on: Callable[[Message], None]) -> Answered:
        """Have a prompt answered, and hand on each message; a result has the figures of this answer alone."""
        return await self._answer(self._session.query(self._with_words(prompt)), pass_on)

    def _with_words(self, prompt: str) -> str:
        words, self._words = self._words, ""
        return f"{words}\n\n{prompt}" if words else prompt

    async def compact(self, wishes: str = "") -> Answered:
        """Have the CLI sum the conversation up."""
        return await self._answer(self._session.compact(wishes))

    async def _answer(
        self, asked: AsyncGenerator[Message, None], pass_on: Callable[[Message], None] | None = None
    ) -> Answered:
        """Never works: it takes each message as it comes, so that the CLI's pipe is never full."""
        before, reading, error, is_given_up = self._session.last_usage, None, None, False
        self._translator.begin_turn()
        self._is_asked = True
        try:
            async with aclosing(asked) as messages:
                async for message in messages:
                    self._heed(message)
                    self._forget_news(message)
                    for event in self._translator.feed(message, self._listener.now()):
                        self._listener.tell(event)
                    own: Message = message
                    if isinstance(message, ResultMessage):
                        reading = self._read(message)
                        own = reading.own
                    if pass_on is not None:
                        pass_on(own)
        except AgentError as raised:
            error = raised
        except asyncio.CancelledError:
            is_given_up = True
        finally:
            self._is_asked = False
        used = self._session.last_usage
        usage = used.figures - reading.resumed_from if used and reading else used.figures if used else None
        answered = self._answered(reading, steps=len(self._translator.streamed))
        return replace(
            answered,
            usage=usage if used is not before else None,
            uncounted=_uncounted(usage, reading) if usage is not None and used is not before else Usage(),
            is_cut=answered.is_cut or is_given_up,
            error=error,
        )

    def _read(self, result: ResultMessage) -> MeteredResult:
        return self._memory.meter.read(result, self._translator.streamed.values())

    def _answered(self, reading: MeteredResult | None, *, steps: int) -> Answered:
        if reading is None:
            return Answered(steps=steps, place=self._place)
        own = reading.own
        return Answered(
            # The CLI's own number counts the results of tools as well.
            steps=steps or own.num_turns,
            api_ms=own.duration_api_ms,
            is_estimate=reading.is_estimate,
            is_cut=is_interruption(own.terminal_reason),
            text=own.result or "",
            output=own.structured_output,
            place=self._place,
        )

    # -- what nobody has asked for --------------------------------------------------------------------------------

    def hear(self, message: Message) -> None:
        """Tell what the CLI does beside the answers to prompts."""
        self._heed(message)
        if isinstance(message, SystemMessage) and message.subtype in (FIRED, WOKEN):
            prompt = str(message.data["prompt"])
            if message.subtype == FIRED:
                self._announced = prompt
            else:
                self._woken = woken_by(prompt)
            return
        is_result, has_begun = isinstance(message, ResultMessage), self._is_asked or self._is_by_itself
        if not has_begun and _is_late(message):
            return
        if not self._is_by_itself and (is_result or is_content(message)):
            self._is_by_itself = has_begun = True
            if not self._is_asked:
                self._translator.begin_turn()
            announced, self._announced = self._announced, ""
            self._listener.began(announced)
            woken, self._woken = self._woken, ""
            if woken:
                self._listener.tell(Noticed(self._listener.now(), "woken", woken))
        self._forget_news(message)
        for event in self._translator.feed(message, self._listener.now()):
            if has_begun or not isinstance(event, RequestStarted):
                self._listener.tell(event)
        if isinstance(message, ResultMessage):
            self._end_own(message)

    def _forget_news(self, message: Message) -> None:
        """News that came before another request of an answer are read with that: they begin none."""
        if _begins_request(message):
            self._woken = ""

    def _end_own(self, result: ResultMessage) -> None:
        self._is_by_itself = False
        reading = self._read(result)
        # Beside a prompt what is streamed is counted with that one's.
        streamed = {} if self._is_asked else self._translator.streamed
        answered = self._answered(reading, steps=0 if self._is_asked else len(streamed))
        error = result_failure(result, None) if result.is_error and not answered.is_cut else None
        self._listener.ended(replace(answered, usage=reading.usage(streamed.values()), error=error))

    # -- control --------------------------------------------------------------------------------------------------

    async def clear(self) -> bool:
        """The CLI keeps its conversation: only another session begins a new one."""
        return False

    async def interrupt(self) -> None:
        """Stop the running answer; what it said so far is kept."""
        await self._session.interrupt()

    async def stop_call(self, call: str, tool: str) -> str:
        """Stop a command or a subagent; the CLI can stop nothing else by itself."""
        if tool not in (*COMMANDS, *SUBAGENTS) and self._translator.notices.task_of(call) is None:
            return f"Claude Code can stop commands and subagents by themselves, and nothing else: not {tool}."
        async with asyncio.timeout(_TASK_WITHIN):
            while (task := self._translator.notices.task_of(call)) is None:  # noqa: ASYNC110 - the CLI tells it late
                await asyncio.sleep(_LOOK_EVERY)
        await self._session.stop_task(task)
        return ""

    async def stop_watching(self) -> list[str]:
        """Stop what would wake the model with whatever it hears: see `Watches` of `engines.py`."""
        watching = self._translator.notices.watching
        return [watching[task] for task in await self._session.silence(watching)]

    async def set_model(self, model: str | None) -> None:
        """Use another model from the next call on; None for the CLI's own default."""
        await self._session.set_model(model)

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first."""
        await self._session.set_permission_mode(mode)
        self._translator.mode = mode

    async def can_use_tool(
        self, tool: str, arguments: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        """What the CLI is answered that asks whether a call may run."""
        ask, task = self._listener.ask, self._translator.notices.tasks.get(context.agent_id or "")
        assert ask is not None
        name = task.name if task is not None else ""
        guard, call = self._session.guard, context.tool_use_id
        question = ToolQuestion(
            tool,
            arguments,
            call or "",
            guard.reason_of(call) or context.decision_reason or "",
            name,
            guard.is_asked_each_time(call),
            guard.causes_of(call),
            look_again=guard.take_asked(call),
        )
        permission = await ask(question)
        if permission.is_granted:
            if permission.is_unasked:
                guard.granted_before(call)
            mode = cast("PermissionMode", permission.mode)
            # Else the CLI goes back to the mode before, and be it one that was only passed by on the way to planning.
            modes = [PermissionUpdate("setMode", mode=mode, destination="session")] if mode else None
            return PermissionResultAllow(updated_input=permission.arguments, updated_permissions=modes)
        return PermissionResultDeny(message=permission.reason, interrupt=permission.ends_turn)


def _begins_request(message: Message) -> bool:
    """Whether the agent itself begins to answer what it was asked, or what its tools have said."""
    return isinstance(message, StreamEvent) and is_content(message) and message.event.get("type") == "message_start"


def _is_late(message: Message) -> bool:
    """Whether it is of an answer that has begun before, and that was cut: nothing would end a turn for it."""
    return isinstance(message, StreamEvent) and is_content(message) and not _begins_request(message)


def _uncounted(usage: Usage, reading: MeteredResult | None) -> Usage:
    """The tokens that are not among the CLI's own, from which it counts on when the conversation is resumed."""
    counted = totals_of(reading.own) if reading is not None else Usage()
    return Usage(*(max(0, one - other) for one, other in zip(usage.tokens, counted.tokens, strict=True)))
