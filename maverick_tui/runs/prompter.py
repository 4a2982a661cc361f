"""Prompter: asks through one open session, straight or by the agent's own `execute`."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, cast

from maverick_tui.agent.asking_run import asking_for
from maverick_tui.agent.engines import Answered, Sees, SpeaksSdk
from maverick_tui.agent.result import AgentResult
from maverick_tui.agent.streaming import Heard
from maverick_tui.events.kinds import LONGEST_NOTICE, Event, Noticed, PromptSent, whole_block
from maverick_tui.exceptions import AgentError
from maverick_tui.executor.cancel import is_being_cancelled
from maverick_tui.masking.redact import beginning
from maverick_tui.runs.apart import RunOfAuthor
from maverick_tui.runs.loading import Loaded
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.turns import OpenTurn, Turns

if TYPE_CHECKING:
    from claude_agent_sdk import Message

    from maverick_tui.agent.engines import Session
    from maverick_tui.agent.sdk_messages import SdkMessages


_Channel: TypeAlias = "asyncio.Queue[Message | None]"
"""Hands messages on to `execute`, which reads at its own pace: what is shown does not wait for it. None is the end."""


class Prompter:
    """Asks, one question at a time; every question is a turn."""

    def __init__(self, loaded: Loaded, session: Session, turns: Turns, events: EventLog, asking: RunOfAuthor) -> None:
        """`asking` is the run to what the agent's own code asks meanwhile."""
        self.session = session
        self.is_loss_told = False
        """Whether a turn has failed because the session has ended."""
        self._loaded = loaded
        self._turns = turns
        self._events = events
        self._run = asking
        self._free = asyncio.Lock()
        self._asking: asyncio.Task[None] | None = None
        self._said: list[str] = []
        self._session_id = str(uuid.uuid4())
        """By which an author's code knows the messages of one conversation."""

    @property
    def can_steer(self) -> bool:
        """Whether the engine takes words in the middle of an answer."""
        return hasattr(self.session, "between")

    def give_up(self) -> None:
        """Stop asking, whatever the CLI does."""
        if self._asking is not None:
            self._asking.cancel()

    async def ask(self, turn: OpenTurn, prompt: str) -> None:
        """Send the prompt as it is, and tell what comes."""
        await self._free.acquire()
        if turn.is_cut:
            self._free.release()
            return
        with asking_for(self._run):
            await self._finished(turn, self._start(turn, prompt, None))

    def _start(self, turn: OpenTurn, prompt: str, channel: _Channel | None) -> asyncio.Task[None]:
        turn.is_asked = True
        turn.idle.clear()
        self._asking = asyncio.create_task(self._pump(turn, prompt, channel), name="maverick-turn")
        return self._asking

    async def _pump(self, turn: OpenTurn, prompt: str, channel: _Channel | None) -> None:
        heard = Heard()

        def overhear(event: Event) -> None:
            heard.take(event)
            if made is not None and channel is not None:
                for message in made.of(event):
                    channel.put_nowait(message)

        session, made = self.session, self._messages() if channel is not None else None
        self._turns.overhears = overhear
        try:
            if self._turns.hold is not None and await self._turns.hold(""):
                turn.is_cut = True
                return
            self._show_pictures(turn, prompt)
            turn.is_sent = True
            if turn.is_command:
                answered = await session.compact(prompt.removeprefix("/compact").strip())
            elif channel is not None and made is None:
                answered = await cast("SpeaksSdk", session).ask_natively(prompt, channel.put_nowait)
            else:
                answered = await session.ask(prompt)
            turn.answered, turn.error = answered, answered.error
            turn.is_cut = turn.is_cut or answered.is_cut
            if made is not None and channel is not None and answered.error is None:
                channel.put_nowait(made.result(answered))
        except Exception as error:  # also a mistake of the engine's author is the failure of the turn
            turn.error = heard.failure(error) if isinstance(error, AgentError) else error
        except asyncio.CancelledError:
            turn.is_cut = True
        finally:
            self._turns.overhears = None
            self._said += heard.texts if channel is not None else []
            turn.idle.set()
            self._free.release()
            if channel is not None:
                channel.put_nowait(None)

    def _show_pictures(self, turn: OpenTurn, prompt: str) -> None:
        """Have the model see what the person has attached; where it cannot, say so: marks alone would be believed."""
        if turn.is_command:
            return
        shown, missing = self._turns.pictures.shown_by(prompt), self._turns.pictures.missing(prompt)
        told = []
        if hasattr(self.session, "show"):  # also of none: others may be left of a prompt that was never sent
            cast("Sees", self.session).show(shown)
        elif shown:
            told.append("This agent's engine takes no images: the agent is told their names, and does not see them.")
        if missing:
            told.append(f"No image is kept for {', '.join(missing)}: a name is all there is. Attach it again.")
        for text in told:
            self._events.emit(Noticed(self._events.now(), "images", beginning(text, LONGEST_NOTICE)))

    def _messages(self) -> SdkMessages | None:
        """What makes the messages that an author's code reads; None where the session has them itself."""
        if hasattr(self.session, "ask_natively"):
            return None
        from maverick_tui.agent.sdk_messages import SdkMessages

        return SdkMessages(self._session_id, lambda: self._turns.mode)

    async def _finished(self, turn: OpenTurn, asking: asyncio.Task[None]) -> None:
        try:
            await asyncio.wait({asking})
        except asyncio.CancelledError:
            asking.cancel()
            await asyncio.wait({asking})
            raise
        finally:
            if turn.is_cut:  # its own tools may have asked others, in threads
                await self._run.asked_apart.end()

    # -- execute ----------------------------------------------------------------------------------------------------

    async def execute(self, turn: OpenTurn) -> None:
        """Let the agent do its work with what the person wrote; its queries go through this session."""
        context = self._loaded.context
        asked = with_before(turn, turn.text)
        extra = {**context.extra, "prompt": asked} if asked.strip() else context.extra
        result: object = None
        failed: BaseException | None = None
        self._said = []
        try:
            with asking_for(self._run), self._run.routing(self._routed):
                result = await self._loaded.agent.execute(replace(context, extra=dict(extra)))
        except BaseException as error:  # an author's mistake is the failure of the turn, whatever it is
            if isinstance(error, asyncio.CancelledError) and is_being_cancelled():
                await self._run.asked_apart.end()
                raise
            failed = error
        last = self._turns.current or turn
        if isinstance(result, AgentResult):
            self._tell(last, result)
            failed = None if result.success else result.errors[0]
        elif failed is None:
            failed = AgentError(f"execute() returned {result!r}.", hint="Let it return an AgentResult.")
        last.error = failed or last.error

    def _tell(self, turn: OpenTurn, result: AgentResult) -> None:
        """What the agent returns belongs on the screen, if it is not what the model has said already."""
        if not turn.is_asked:
            turn.answered = Answered(result.usage.figures)
        if result.output.strip() and not _is_said(result.output, self._said) and turn.error is None:
            for event in whole_block(self._turns.next_block(), "text", result.output, self._events.now()):
                self._events.emit(event)

    async def _routed(self, prompt: str) -> AsyncGenerator[Message, None]:
        await self._free.acquire()
        turn = self._turn_for(prompt)
        channel: _Channel = asyncio.Queue()
        asking = self._start(turn, prompt, channel)
        try:
            while (message := await channel.get()) is not None:
                yield message
        finally:
            # Cancelled by an interrupt, the query ends by itself; given up by its reader, it must be ended.
            if not turn.is_cut:
                asking.cancel()
            await asyncio.wait({asking})
        if turn.error is not None:
            raise turn.error

    def _turn_for(self, prompt: str) -> OpenTurn:
        """The person's turn for the first query of `execute`, a turn of the agent's own for each further one."""
        turn = self._turns.current
        if turn is not None and not turn.is_asked:
            if prompt != with_before(turn, turn.text):
                self._events.emit(PromptSent(self._events.now(), turn.number, prompt))
            return turn
        if turn is not None:
            self._turns.end(turn)
        return self._turns.begin(prompt, origin="agent")


def with_before(turn: OpenTurn, prompt: str) -> str:
    """The prompt as it is sent, after what the agent is to know before it."""
    return f"{turn.before}\n\n{prompt}" if turn.before else prompt


def _is_said(output: str, said: list[str]) -> bool:
    """Whether the output is one of the texts, or the last ones together; a word out of one is the agent's own."""
    meant, last = output.split(), list[str]()
    for text in reversed(said):
        words = text.split()
        last = words + last if len(last) < len(meant) else last
        if meant in (words, last):
            return True
    return False
