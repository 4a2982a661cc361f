"""LocalRun: a run in this process. Commands go in, events come out, and nothing else is shared."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import AgentError
from maverick_tui.masking.redact import redact
from maverick_tui.runs.commands import (
    AnswerPermission,
    ClearConversation,
    CloseRun,
    Command,
    DropPrompt,
    Interrupt,
    NameRun,
    Reconnect,
    ReleasePrompts,
    SendPrompt,
    SetMode,
    SetModel,
)
from maverick_tui.runs.conversation import Conversation
from maverick_tui.runs.desk import Desk
from maverick_tui.runs.events import (
    Connecting,
    Event,
    InterruptRequested,
    RunEnded,
    RunNamed,
    RunStarted,
)
from maverick_tui.runs.link import Link
from maverick_tui.runs.loading import AgentSource
from maverick_tui.runs.queue import Queue
from maverick_tui.runs.turns import OpenTurn, Outlet, Turns

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig

log = logging.getLogger(__name__)

INTERRUPT_AGAIN = 0.15
"""Seconds after which an interrupt is repeated: the first may come before the CLI has begun."""
INTERRUPT_TIMEOUT = 3.0
"""Seconds after which a CLI that does not stop is given up."""
GIVE_UP = 5.0
"""Seconds that an agent's own code has to end after that."""


class LocalRun:
    """A run of one agent: connects at once, answers prompts in their order, and ends with exactly one RunEnded.

    `serve` is the run; `send` may be called at any time on the same event loop, and never blocks.
    """

    def __init__(
        self,
        agent: AgentSource,
        *,
        run_id: str,
        cwd: Path | str,
        on_event: Callable[[Event], None],
        name: str = "",
        config: MaverickConfig | None = None,
        extra: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`name` is what the agent is called if it cannot even be loaded; `extra` goes to its context."""
        self._run_id = run_id
        self._cwd = Path(cwd).expanduser().absolute()
        self._name = name
        self._outlet = Outlet(on_event, clock)
        self._wake = asyncio.Event()
        self._turns = Turns(self._outlet, self._wake.set)
        self._desk = Desk(self._cwd, emit=self._outlet.emit, clock=clock, name_of=self._name_of)
        self._link = Link(
            agent,
            self._cwd,
            config,
            dict(extra or {}),
            turns=self._turns,
            desk=self._desk,
            outlet=self._outlet,
            on_loss=self._wake.set,
        )
        self._queue = Queue(self._outlet)
        self._ready: OpenTurn | None = None
        """A turn that has begun, and that `serve` is to answer."""
        self._early: list[Command] | None = []
        """Commands that came before RunStarted."""
        self._is_fresh = True
        """Whether the agent's own `execute` is still to be run."""
        self._is_executing = False
        self._ends_jobs = False
        """Whether what is scheduled is to be ended as soon as no turn is open."""
        self._is_closing = False
        self._work: asyncio.Task[None] | None = None
        """What `serve` waits for: loading, connecting, or answering."""
        self._release: asyncio.Future[None] | None = None
        """Done when `serve` is not to wait for the answer any longer."""
        self._stopping: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # -- life -------------------------------------------------------------------------------------------------------

    def start(self) -> asyncio.Task[None]:
        """Run `serve` as a task."""
        return asyncio.create_task(self.serve(), name=f"maverick-run-{self._run_id}")

    async def serve(self) -> None:
        """Be the run: until it is closed, cancelled, or fails in a way that nobody has thought of."""
        reason = "closed"
        try:
            await self._begin()
            while not self._is_closing:
                await self._step()
        except asyncio.CancelledError:
            reason = "cancelled"
            raise
        except Exception as error:
            log.exception("The run %s has failed", self._run_id)
            reason = redact(f"{type(error).__name__}: {error}")
        finally:
            await self._end(reason)

    async def _begin(self) -> None:
        error = await self._try(self._link.load())
        self._tell_start()
        if error is not None:
            self._outlet.emit(Connecting(self._outlet.now()))
            self._link.fail(error)

    def _tell_start(self) -> None:
        """Emit the first event, and take the commands that could not wait for it."""
        if self._early is None:
            return
        at = self._outlet.now()
        started = RunStarted(at, self._run_id, self._name, str(self._cwd))
        if self._link.loaded is not None:
            try:
                started = self._link.loaded.describe(self._run_id, at)
            except Exception:  # an author's own property; the run begins all the same, and fails where it must
                log.exception("The agent %s cannot be described", self._name)
        self._turns.translator.mode = started.permission_mode
        self._outlet.emit(started)
        early, self._early = self._early, None
        for command in early if not self._is_closing else ():
            self.send(command)

    async def _step(self) -> None:
        """Do the next thing there is to do, or wait for one."""
        self._wake.clear()
        talk, is_free, following = self._link.talk, self._turns.current is None, self._queue.next
        if talk is not None and self._ready is not None:
            turn, self._ready = self._ready, None
            await self._answer(talk, turn)
        elif talk is not None and talk.session.is_ended:
            self._link.is_wanted = self._link.is_wanted or following is not None
            self._ends_jobs = False  # they have ended with the CLI
            await self._link.close()
        elif talk is not None and self._ends_jobs and is_free:
            self._ends_jobs = False
            await self._link.end_jobs()
        elif isinstance(following, ClearConversation) and is_free:
            self._is_fresh = True
            await self._link.clear()
            self._queue.remove(following)  # what is sent meanwhile waits for it
        elif talk is None and self._link.is_wanted:
            if (error := await self._try(self._link.connect())) is not None:
                await self._link.close()
                self._link.fail(error)
        elif talk is not None and isinstance(following, SendPrompt) and is_free:
            self._queue.remove(following)
            self._ready = self._begin_turn(following)
        else:
            await self._wait()

    async def _wait(self) -> None:
        """Wait for something to do; a CLI that nobody needs for long is ended, and the next prompt resumes it."""
        try:
            async with asyncio.timeout(self._rests_after):
                await self._wake.wait()
        except asyncio.TimeoutError:
            # What wakes it, or a question, may come in the very round of the loop in which the time is up.
            if not self._wake.is_set() and self._rests_after is not None:
                await self._link.close()

    @property
    def _rests_after(self) -> float | None:
        """Seconds after which the CLI is ended; None while it is busy, or somebody is asked something."""
        is_idle = self._turns.current is None and not self._desk.is_waiting
        return self._link.rests_after if is_idle else None

    def _begin_turn(self, prompt: SendPrompt) -> OpenTurn:
        return self._turns.begin(prompt.text, prompt.prompt_id, is_command=prompt.is_command)

    async def _end(self, reason: str) -> None:
        self._is_closing = True
        try:
            if self._stopping is not None:
                await asyncio.wait({self._stopping}, timeout=INTERRUPT_TIMEOUT)
            await self._link.close(for_good=True)
        except Exception:
            log.exception("The session of the run %s could not be closed", self._run_id)
        finally:
            for task in self._tasks:
                task.cancel()
            self._tell_start()
            self._desk.withdraw()
            if (turn := self._turns.current) is not None:
                turn.is_cut = True
                self._turns.end(turn)
            self._queue.drop(lambda _prompt: True)
            self._outlet.emit(RunEnded(self._outlet.now(), reason))
            self._outlet.is_closed = True

    async def _try(self, work: Coroutine[Any, Any, None]) -> BaseException | None:
        """Do something that CloseRun may cut short; the exception that it ended with."""
        task = self._work = asyncio.create_task(work)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=GIVE_UP)
            raise
        finally:
            self._work = None
        return None if task.cancelled() else task.exception()

    # -- answering ----------------------------------------------------------------------------------------------------

    async def _answer(self, talk: Conversation, turn: OpenTurn) -> None:
        """Answer one prompt; the first goes through the agent's own `execute`, which may make several turns of it."""
        self._is_executing = self._is_fresh and not turn.is_command and not self._is_plain(turn)
        work = self._work = asyncio.create_task(talk.execute(turn) if self._is_executing else talk.ask(turn, turn.text))
        self._release = asyncio.get_running_loop().create_future()
        if turn.is_cut:
            work.cancel()
        try:
            await asyncio.wait({work, self._release}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            work.cancel()
            await asyncio.wait({work}, timeout=GIVE_UP)
            raise
        finally:
            self._work, self._release, self._is_executing = None, None, False
            last = self._turns.current or turn
            if not work.done() or work.cancelled():
                last.is_cut = True
            else:
                last.error = work.exception() or last.error
            # What failed, or was stopped before anything was asked, is to be tried once more as its author wrote it.
            self._is_fresh = self._is_fresh and (last.error is not None or not last.is_asked or turn.is_command)
            talk.is_loss_told = talk.session.is_ended
            self._turns.end(last)
            if last.error is not None:
                self._queue.hold()
        if self._stopping is not None:
            await asyncio.wait({self._stopping}, timeout=INTERRUPT_TIMEOUT)

    def _is_plain(self, turn: OpenTurn) -> bool:
        """Whether `execute` would send what the person wrote as it is: then it need not come between."""
        return self._link.loaded is not None and self._link.loaded.is_plain and bool(turn.text.strip())

    def _interrupt(self) -> None:
        turn = self._turns.current
        is_waiting = self._link.talk is None and self._queue.has_prompts
        has_jobs = bool(self._turns.translator.jobs.items)
        if turn is None and not is_waiting and not self._desk.is_waiting and not has_jobs:
            return
        self._ends_jobs = has_jobs  # else it would go on by itself, a moment after it was told to stop
        self._outlet.emit(InterruptRequested(self._outlet.now()))
        self._desk.withdraw()
        # It was meant to follow on what is stopped: whether it still does, the person decides.
        self._queue.hold()
        if turn is None:
            return
        if self._is_executing or not (turn.is_asked or turn.origin == "background"):
            turn.is_cut = True
            if self._work is not None:
                self._work.cancel()
        if self._stopping is None or self._stopping.done():
            self._stopping = self._spawn(self._stop(turn, self._link.talk, self._work))

    async def _stop(self, turn: OpenTurn, talk: Conversation | None, work: asyncio.Task[None] | None) -> None:
        """Interrupt until nothing is being answered; a CLI, or an agent, that does not stop is given up."""
        loop = asyncio.get_running_loop()
        until = loop.time() + INTERRUPT_TIMEOUT
        while talk is not None and not turn.idle.is_set() and not talk.session.is_ended and loop.time() < until:
            with suppress(AgentError):
                await talk.session.interrupt()
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await turn.idle.wait()
        if turn.origin == "background":
            turn.is_cut = True
            self._turns.end(turn)
        elif talk is not None and not turn.idle.is_set():
            talk.give_up()
        if work is not None:
            await asyncio.wait({work}, timeout=GIVE_UP)
        if self._release is not None and not self._release.done():
            self._release.set_result(None)

    # -- commands -----------------------------------------------------------------------------------------------------

    def send(self, command: Command) -> None:
        """Take a command; what comes of it is told by events."""
        if self._outlet.is_closed:
            return
        if self._early is not None and not isinstance(command, CloseRun):
            self._early.append(command)
        elif isinstance(command, SendPrompt):
            self._send_prompt(command)
        elif isinstance(command, DropPrompt):
            self._queue.drop(lambda prompt: prompt.prompt_id == command.prompt_id)
        elif isinstance(command, Interrupt):
            self._interrupt()
        elif isinstance(command, AnswerPermission):
            self._desk.answer(command)
        elif isinstance(command, ReleasePrompts):
            if self._queue.release():
                self._want_link()
        elif isinstance(command, SetMode):
            _ = self._spawn(self._link.set_mode(command.mode))
        elif isinstance(command, SetModel):
            _ = self._spawn(self._link.set_model(command.model))
        elif isinstance(command, NameRun):
            self._outlet.emit(RunNamed(self._outlet.now(), command.name))
        elif isinstance(command, ClearConversation):
            self._queue.add(command)
            self._want_link()
        elif isinstance(command, Reconnect):
            self._link.is_wanted = not self._link.is_open
        else:
            self._close()
        self._wake.set()

    def _send_prompt(self, prompt: SendPrompt) -> None:
        if self._is_closing:
            return
        self._want_link()
        if not self._link.is_open or self._queue.next is not None or self._turns.current is not None:
            self._queue.add(prompt)
        else:
            self._ready = self._begin_turn(prompt)

    def _want_link(self) -> None:
        self._link.is_wanted = self._link.is_wanted or not self._link.is_open

    def _close(self) -> None:
        self._is_closing = True
        self._queue.drop(lambda _prompt: True)
        self._interrupt()
        if self._turns.current is None and self._work is not None:
            self._work.cancel()

    def _name_of(self, subagent: str | None) -> str:
        task, loaded = self._turns.translator.notices.tasks.get(subagent or ""), self._link.loaded
        return task.name if task is not None else loaded.agent.name if loaded else self._name

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
