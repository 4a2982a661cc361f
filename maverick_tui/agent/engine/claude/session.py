"""AgentSession: one CLI kept open for many prompts."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import logging
import re
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import (
    AssistantMessage,
    CanUseTool,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    Message,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    ToolPermissionContext,
    UserMessage,
)

from maverick_tui.agent.engine.claude.asking import HookWatch
from maverick_tui.agent.engine.claude.failures import compaction_failure
from maverick_tui.agent.engine.claude.guard import HOOK_SECONDS, Guard
from maverick_tui.agent.engine.claude.oneshot import (
    OpenTransport,
    abandon,
    describe,
    finished,
    given_up,
    is_live,
    last_words,
)
from maverick_tui.agent.engine.claude.own_calls import OwnCalls
from maverick_tui.agent.engine.claude.reply import Reply
from maverick_tui.agent.engine.claude.scheduling import BEGAN, NEWS, UNANSWERED, WOKEN, JobWatch
from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.agent.engines import Begins, Hold, require_prompt, said_meanwhile
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.record import Record, is_background, totals_of
from maverick_tui.agent.result import AgentUsage
from maverick_tui.exceptions import AgentError, TimeoutError
from maverick_tui.executor.model.messages import Image
from maverick_tui.executor.model.wire import image_block
from maverick_tui.modes import PermissionMode, require_mode
from maverick_tui.real_paths import real_path
from maverick_tui.usage import Usage

log = logging.getLogger(__name__)

CONTROL_TIMEOUT = 10.0
INTERRUPT_TIMEOUT = 2.0
INTERRUPT_AGAIN = 0.15
SYNTHETIC = "<synthetic>"
"""The model in whose name the CLI says what is its own."""

_UNREPEATED = re.compile(r"<(?:tick|task-notification|bash-stdout|bash-stderr|[a-z-]+ )")
"""What a prompt has in it that the CLI takes for words of its own, and does not repeat; the last is how some begin."""

_NEWS_OF = re.compile("<task-id>([^<]*)</task-id>")
_SILENCED = "What was watched has been stopped, and what it has said before wakes the agent no more."
_AFTER_CALL = ("PostToolUse", "PostToolUseFailure")

OnBackground = Callable[[Message], None]


class AgentSession:
    """A conversation with one agent. Prompts are answered one after the other, each by its own messages.

    The CLI also starts turns by itself, when a background task has finished. Their messages never reach a prompt's
    reader; they go to `on_background`, and so does what hooks tell the session: which call runs, and what is scheduled.
    """

    def __init__(
        self,
        options: ClaudeAgentOptions,
        *,
        judge: Judge,
        watches_jobs: bool = False,
        timeout: float | None,
        open_transport: OpenTransport = CliTransport,
        on_background: OnBackground | None = None,
        hold: Hold | None = None,
        begins: Begins | None = None,
        returned: Callable[[str], None] = lambda _call: None,
        taken: set[str] | None = None,
    ) -> None:
        """`hold` is waited for before each call, and before each prompt, also those that nobody has sent.

        `begins` is waited for before a call that may write; `returned` is told of each that has run. No call gets an
        id that is `taken`.
        """
        self._questions = 0
        self._hold = hold
        self._begins = begins
        self._returned = returned
        self.guard = guard = Guard(
            judge,
            lambda call: self._tell(BEGAN, {"tool_use_id": call}),
            lambda question: self._tell(UNANSWERED, {"question": question}),
            lambda line: self._transport.write(line),  # noqa: PLW0108 - it is opened with these hooks
            options.resume,
            self._held if hold is not None else None,
            self._begun if begins is not None else None,
            options.permission_mode,
        )
        # The CLI repeats each prompt when its turn begins: that is how a turn is known to be ours.
        options = replace(options, extra_args={**options.extra_args, "replay-user-messages": None})
        if options.can_use_tool is not None:
            options = replace(options, can_use_tool=self._guarded(options.can_use_tool, guard))
        self._jobs = JobWatch(self._tell)
        self._goes_on_in = options.cwd if options.resume else None
        """The folder in which a conversation is to go on, until the CLI has said where it does."""
        self._transport = open_transport(options)
        if isinstance(self._transport, CliTransport):
            self._transport.calls = OwnCalls(taken)
        self._watch = HookWatch(is_live=is_live(self._transport))
        self.between: Callable[[], str] = lambda: ""
        self.taken: Callable[[], None] = lambda: None
        """See `Steers` of `engines.py`."""
        self._gives_words = False
        """Whether the CLI was given words that the model may not have yet."""
        own = {
            "UserPromptSubmit": [HookMatcher(hooks=[cast(Any, self._submitted)], timeout=HOOK_SECONDS)],
            **{event: [HookMatcher(hooks=[cast(Any, self._after_call)])] for event in _AFTER_CALL},
        }
        hooks = self._watch.over(guard.hooks, own, self._jobs.hooks if watches_jobs else {})
        # The transport has the tool rules; the SDK's client would only warn that it is not asked about all of them.
        self._client = ClaudeSDKClient(
            replace(options, hooks=cast(Any, hooks), allowed_tools=[]), transport=self._transport
        )
        self._timeout = timeout
        self._on_background = on_background
        self._free = asyncio.Lock()  # held from a prompt's sending to the end of its turn, whoever reads it
        self._idle = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._closer: asyncio.Task[None] | None = None
        self._ended: AgentError | None = None
        self._turn: Reply | None = None
        self._prompt_id = ""
        self._prompt: str | None = None
        """What was sent, until it begins: what begins with the same words after that is not ours."""
        self._silenced: set[str] = set()
        """Tasks that are to wake the model no more."""
        self._is_silencing = False
        """Whether the CLI has said that it keeps their news from the model: it ends a turn by that, which was none."""
        self._shown: Sequence[Image] = ()
        """The pictures that go with the next prompt."""
        self._is_taken_up = False
        """Whether the CLI has said by its hook that it begins with a prompt which it will not repeat."""
        self._is_answering = False
        self._is_command = False
        self._is_elsewhere = False
        self._elsewhere = Record()
        self._undecided: list[Message] = []
        self._totals = Usage()
        self.last_usage: AgentUsage | None = None
        """What the last prompt used, also if it failed."""

    # -- life -----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Start the CLI and begin to read."""
        try:
            await self._client.connect()
        except Exception as error:
            raise describe(error, self._transport) from error
        self._reader = asyncio.create_task(self._read(), name="maverick-session")

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._ended is not None

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        await self._has_ended.wait()
        return self._over()

    async def close(self) -> None:
        """End the CLI, fast also while it is busy; it is done to its end even if the caller is cancelled."""
        if self._closer is None:
            self._closer = asyncio.create_task(self._close(), name="maverick-closer")
        await finished(self._closer)

    async def _close(self) -> None:
        if self._turn is not None and self._ended is None:
            try:
                await self._stop()
            except AgentError:
                abandon(self._transport)
        self._end(_closed())
        try:
            await self._client.disconnect()
        finally:
            if self._reader is not None:
                self._reader.cancel()
                await asyncio.wait({self._reader})
            await self.guard.close()  # whatever was read would have it begin again

    # -- prompts --------------------------------------------------------------------------------------------------

    def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a prompt and yield what comes for it, as `MaverickAgent.query` does; an interrupted turn just ends.

        Without `keep_messages` a `StreamingError` comes without the messages, which take a kilobyte for each delta.
        A prompt waits until the one before it is answered: the CLI would make one of two that it finds queued.
        """
        return self._answers(self._send, prompt, keep_messages)

    def show(self, images: Sequence[Image]) -> None:
        """Have the next prompt show these."""
        self._shown = images

    async def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Let the CLI sum the conversation up, and yield what comes of it; the model is asked for the summary.

        `wishes` say what the summary is to be like. Without a summary it fails, whatever the CLI calls that.
        """
        command, ending, is_compacted = f"/compact {wishes}".strip(), None, False
        async with contextlib.aclosing(self._answers(self._command, command, False)) as messages:
            async for message in messages:
                ending = message if isinstance(message, ResultMessage) else ending
                is_compacted |= isinstance(message, SystemMessage) and message.subtype == "compact_boundary"
                yield message
        if ending is not None and not is_compacted and (failure := compaction_failure(ending)) is not None:
            raise failure

    async def _answers(
        self, send: Callable[[str], Coroutine[Any, Any, None]], text: str, keep_messages: bool
    ) -> AsyncGenerator[Message, None]:
        require_prompt(text)
        await self._free.acquire()
        if self._ended is not None or self._closer is not None:  # what is being closed asks nothing more
            self._free.release()
            raise self._over()
        turn = self._begin_turn(keep_messages)
        self._is_command = send == self._command
        # Half a prompt must not be left in the pipe, and whether it was sent must be known: so it is sent to its end.
        sending = asyncio.create_task(send(text))
        try:
            await asyncio.shield(sending)
            while await turn.arrived():
                while turn.unread:
                    yield turn.unread.popleft()
        finally:
            if self._turn is turn:
                await asyncio.wait({sending})
                await self._abandon()
        if turn.failure is not None and not turn.is_interrupted:
            raise turn.failure

    def _begin_turn(self, keep_messages: bool = True) -> Reply:
        self._prompt_id, self._is_answering, self._is_taken_up = str(uuid.uuid4()), False, False
        self._idle.clear()
        self._turn = Reply(
            timeout=self._timeout,
            before=self._totals,
            keeps_messages=keep_messages,
            is_waiting=lambda: self._questions > 0 or self._elsewhere.is_in_tool,
            stderr=lambda: last_words(self._transport),
        )
        return self._turn

    def _finish_turn(self, error: AgentError | None = None) -> None:
        turn, self._turn, self._is_answering, self._gives_words = self._turn, None, False, False
        self._prompt = None
        if turn is not None:
            turn.end(error)
            self.last_usage = turn.record.usage
            self._idle.set()
            self._free.release()

    async def _send(self, prompt: str) -> None:
        self._prompt = prompt
        self._jobs.sent(prompt)
        shown, self._shown = self._shown, ()
        await self._written(self._client.query(_only(self._message(prompt, shown))))

    async def _command(self, text: str) -> None:
        """Send a command of the CLI's own, past the client, which marks all that it sends as words for the model."""
        message = {**self._message(text), "session_id": "default"}
        await self._written(self._transport.write(f"{json.dumps(message)}\n"))

    def _message(self, text: str, shown: Sequence[Image] = ()) -> dict[str, Any]:
        content: object = [*map(image_block, shown), {"type": "text", "text": text}] if shown else text
        said = {"role": "user", "content": content}
        return {"type": "user", "uuid": self._prompt_id, "message": said, "parent_tool_use_id": None}

    async def _written(self, writing: Awaitable[None]) -> None:
        try:
            await writing
        except Exception as error:
            self._end(describe(error, self._transport))
        except asyncio.CancelledError:  # nobody of ours cancels it
            self._end(given_up())

    async def _abandon(self) -> None:
        """Nobody reads this turn any more, or it is silent: stop it, so that the next prompt finds the CLI idle."""
        try:
            await self._stop()
        except AgentError:
            self._end(AgentError("The CLI does not stop its last turn.", hint="Close the session and open a new one."))

    async def _stop(self) -> None:
        """Interrupt until the turn is over: the first may come before the CLI has begun with our prompt."""
        until = asyncio.get_running_loop().time() + INTERRUPT_TIMEOUT
        while not self._idle.is_set():
            await self.interrupt()
            with contextlib.suppress(asyncio.TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await self._idle.wait()
            if asyncio.get_running_loop().time() > until and not self._idle.is_set():
                raise TimeoutError(f"The CLI did not stop within {INTERRUPT_TIMEOUT:g} s.")

    # -- control --------------------------------------------------------------------------------------------------

    async def interrupt(self) -> None:
        """Stop the running turn; what it said so far is kept."""
        await self._control("interrupt", self._client.interrupt(), INTERRUPT_TIMEOUT)

    async def stop_task(self, task: str) -> None:
        """Stop one command, or one subagent: the CLI tells the model so, which goes on."""
        await self._control("stop_task", self._client.stop_task(task))

    async def silence(self, tasks: Collection[str]) -> list[str]:
        """Stop commands, and have the model begin no turn by what these have said before; those that were stopped."""
        self._silenced.update(tasks)
        stopped = list[str]()
        for task in tasks:
            with contextlib.suppress(AgentError):  # it has ended meanwhile
                await self.stop_task(task)
                stopped.append(task)
        return stopped

    async def clear(self) -> bool:
        """The CLI of this session keeps its conversation: only another session begins a new one."""
        return False

    async def set_model(self, model: str | None) -> None:
        """Use another model from the next call on; None for the CLI's own default."""
        await self._control("set_model", self._client.set_model(model))

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first; a mode wider than the documented default is refused."""
        require_mode(mode)
        choice = self.guard.set_mode(mode)
        is_taken = False
        try:
            await self._control("set_permission_mode", self._client.set_permission_mode(mode))
            is_taken = True
        finally:
            self.guard.mode_was_told(mode, choice, is_taken=is_taken)

    async def _control(self, name: str, request: Coroutine[Any, Any, None], seconds: float = CONTROL_TIMEOUT) -> None:
        if self._ended is not None:
            request.close()
            raise self._over()
        try:
            async with asyncio.timeout(seconds):
                await request
        except asyncio.TimeoutError as error:
            raise TimeoutError(f"The CLI did not answer the request {name!r} within {seconds:g} s.") from error
        except Exception as error:
            raise describe(error, self._transport) from error

    # -- permissions ----------------------------------------------------------------------------------------------

    def on_passed(self, tell: Callable[[str], None]) -> None:
        """Have each call told that the CLI refuses by itself, and "" where it has the model go on by words of its own:
        no hook is asked before that, nor before the request that follows."""
        self._watch.on_passed = tell

    def _guarded(self, ask: CanUseTool, guard: Guard) -> CanUseTool:
        """Remember what a person allows for longer; and while one is asked, silence is no failure."""

        async def guarded(tool: str, arguments: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
            self._questions += 1
            self._watch.note(context.tool_use_id)
            try:
                decision = await ask(tool, arguments, context)
            finally:
                self._questions -= 1
            decision = guard.remember(await guard.judged_again(tool, decision))
            if not isinstance(decision, PermissionResultAllow) or not context.tool_use_id:
                guard.drop(context.tool_use_id)
                return decision
            why = await guard.begin(context.tool_use_id, tool, decision.updated_input or arguments)
            return PermissionResultDeny(message=why) if why else decision

        return guarded

    async def _held(self, call: str) -> str:
        """Wait as long as something holds the call, which is no silence."""
        if self._hold is None:
            return ""
        self._questions += 1
        try:
            return await self._hold(call)
        finally:
            self._questions -= 1

    async def _begun(self, call: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Wait until the call may run, which is no silence."""
        assert self._begins is not None
        self._questions += 1
        try:
            await self._begins(call, tool, arguments)
        finally:
            self._questions -= 1

    # -- routing --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            async for message in self._client.receive_messages():
                self.guard.speaks()
                self._route(message)
                self._leave_if_unasked(message)
        except Exception as error:  # becomes the failure of the open turn and of every later prompt
            self._end(describe(error, self._transport))
        except asyncio.CancelledError:  # by `_close`, after the end; or by something inside the SDK
            self._end(given_up())
            raise
        else:
            self._end(AgentError("The session has ended.", hint="Open a new session."))

    def _route(self, message: Message) -> None:
        """Give each message to the prompt it belongs to.

        A turn begins with messages that do not say whose it is. It is ours once our prompt is repeated, and somebody
        else's once content comes without that; until then they are held back.
        """
        self._note_taken(message)
        if isinstance(message, SystemMessage) and message.subtype == "init" and self._goes_on_in is not None:
            self._leave_if_elsewhere(str(message.data.get("cwd") or ""))
        if self._is_of_silenced(message):
            return
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
        elif self._is_command and isinstance(message, AssistantMessage) and message.model == SYNTHETIC:
            self._turn.touch()  # the command's own words, which its result repeats
        elif is_content(message) and self._is_taken_up and not self._is_elsewhere:
            self._is_answering = True
            self._deliver_undecided(self._turn.feed)
            self._turn.feed(message)
        elif is_content(message):
            self._deliver_undecided(self._pass_to_background)
            self._pass_to_background(message)
        else:
            if isinstance(message, SystemMessage) and message.subtype == "init":
                self._deliver_undecided(self._pass_to_background)
            self._undecided.append(message)

    async def _submitted(self, given: Any, _call: str | None, _context: Any) -> dict[str, Any]:
        """Take note that our prompt is begun, if it is one that is not repeated. All others are known by that alone:
        hooks may be heard before what the CLI has said earlier. One that nobody has sent waits here while
        the run is held.
        """
        prompt = given.get("prompt") if isinstance(given, dict) else None
        if isinstance(prompt, str) and prompt == self._prompt:  # it was held before it was sent
            self._prompt = None
            self._is_taken_up |= _UNREPEATED.search(prompt) is not None
        elif self._is_silenced(str(prompt)):
            quietly = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
            return {"decision": "block", "reason": _SILENCED, "hookSpecificOutput": quietly}
        elif why := await self.guard.why_not_begun(str(prompt)) or await self._held(""):
            return {"decision": "block", "reason": why}
        elif str(prompt).startswith(NEWS):
            self._tell(WOKEN, {"prompt": prompt})
        return {}

    def _is_silenced(self, prompt: str) -> bool:
        """Whether it only has news of tasks that are to wake the model no more."""
        tasks = _NEWS_OF.findall(prompt) if prompt.startswith(NEWS) else []
        return bool(tasks) and self._silenced.issuperset(tasks)

    def _is_of_silenced(self, message: Message) -> bool:
        """Whether it only says that such news were kept from the model, which nobody has to know."""
        if isinstance(message, SystemMessage) and message.subtype == "informational":
            is_told = _SILENCED in str(message.data.get("content"))
            self._is_silencing |= is_told
            return is_told
        if not isinstance(message, ResultMessage):
            return False
        was_silencing, self._is_silencing = self._is_silencing, False
        return was_silencing and is_background(message) and not message.num_turns

    async def _after_call(self, given: Any, call: str | None, _context: Any) -> dict[str, Any]:
        """Tell the model with the result of a call what the person says meanwhile.

        The CLI takes a prompt that comes in the middle of a turn only when that has ended (measured, with every
        `priority`). A subagent is not told: the words are for the agent itself. With one that was stopped the
        turn may be stopped, and for one that was refused before it ran there is no hook: the words wait.
        """
        self._returned(call or "")
        if not isinstance(given, dict) or given.get("agent_id") or given.get("is_interrupt"):
            return {}
        if not (words := said_meanwhile(self.between())):
            return {}
        self._gives_words = True
        return {"hookSpecificOutput": {"hookEventName": given["hook_event_name"], "additionalContext": words}}

    def _note_taken(self, message: Message) -> None:
        """The next answer of the agent itself has begun, so it has read what the person said before."""
        is_begun = isinstance(message, StreamEvent) and message.event.get("type") == "message_start"
        if self._gives_words and is_begun and is_content(message):
            self._gives_words = False
            self.taken()

    def _leave_if_elsewhere(self, place: str) -> None:
        """End a conversation that goes on in another folder than the one that is shown: calls are judged for that."""
        expected, self._goes_on_in = self._goes_on_in, None
        if place and expected is not None and is_elsewhere(place, expected) and self._closer is None:
            self._leave(gone_elsewhere(place, expected))

    def _leave_if_unasked(self, message: Message) -> None:
        """End a CLI that does not ask our hooks, before it does more: nothing would judge its calls."""
        is_answer = self._is_answering and not self._is_command and isinstance(message, StreamEvent)
        error = self._watch.found(message, is_answer=is_answer)
        if error is not None and self._closer is None:
            abandon(self._transport)
            self._leave(error)

    def _leave(self, error: AgentError) -> None:
        self._end(error)
        self._closer = asyncio.create_task(self._close(), name="maverick-closer")

    def _route_result(self, message: ResultMessage) -> None:
        turn, totals = self._turn, totals_of(message)
        # Without our prompt's echo a result is ours only if nobody else's turn is under way: some turns that the CLI
        # starts by itself do not say so in their result.
        if turn is not None and (self._is_answering or not (is_background(message) or self._is_elsewhere)):
            self._deliver_undecided(turn.feed)
            turn.feed(message)
            self._finish_turn()
        else:
            self._deliver_undecided(self._pass_to_background)
            self._pass_to_background(message)
            if turn is not None:
                turn.record.rebase(totals)
        self._totals = totals

    def _deliver_undecided(self, deliver: Callable[[Message], None]) -> None:
        held, self._undecided = self._undecided, []
        for message in held:
            deliver(message)

    def _pass_to_background(self, message: Message) -> None:
        if isinstance(message, ResultMessage):
            self._is_elsewhere, self._elsewhere = False, Record()
        else:
            self._is_elsewhere = self._is_elsewhere or is_content(message)
            self._elsewhere.add(message)
        if self._turn is not None:
            self._turn.touch()
        if self._on_background is not None:
            try:
                self._on_background(message)
            except Exception:  # the caller's mistake must not end the session
                log.exception("on_background failed for a %s", type(message).__name__)

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        """Tell what hooks have learned, whichever turn it belongs to."""
        self._pass_to_background(SystemMessage(subtype=kind, data=data))

    def _end(self, error: AgentError) -> None:
        if self._ended is None:
            self._ended = error
            self._has_ended.set()
        if self._turn is not None:
            self._deliver_undecided(self._turn.feed)
            self._finish_turn(error)

    def _over(self) -> AgentError:
        """Why nothing can be asked any more; a copy, since everybody who asks raises it."""
        return copy.copy(self._ended) if self._ended is not None else _closed()


def _closed() -> AgentError:
    return AgentError("The session was closed.", hint="Open a new session.")


def is_elsewhere(place: str, cwd: Path | str) -> bool:
    """Whether a place is not the folder that is worked in."""
    return real_path(place) != real_path(cwd)


def gone_elsewhere(place: str, cwd: Path | str) -> AgentError:
    """What is said of a conversation that would go on in a folder of its own."""
    return AgentError(
        f"The conversation was left in {place}, and would go on there instead of in {cwd}.",
        hint=f"Start Maverick in {place} to go on with it, or begin a new run.",
    )


def is_content(message: Message) -> bool:
    """Whether only an answer of the agent itself has such a message."""
    return isinstance(message, StreamEvent | AssistantMessage) and message.parent_tool_use_id is None


async def _only(message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield message
