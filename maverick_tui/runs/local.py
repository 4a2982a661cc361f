"""LocalRun: a run in this process. Commands go in, events stand in its log, and nothing else is shared."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from maverick_tui.events.kinds import (
    LONGEST_NOTICE,
    Connecting,
    Failure,
    InterruptRequested,
    Noticed,
    PromptSteered,
    RunEnded,
    RunNamed,
    RunReopened,
    RunStarted,
)
from maverick_tui.exceptions import AgentError
from maverick_tui.journal.writing import Journal
from maverick_tui.masking.redact import beginning, redact
from maverick_tui.runs.admission import Admission, AlwaysAdmitted
from maverick_tui.runs.call_stops import CallStops
from maverick_tui.runs.commands import (
    AnswerPermission,
    CallOffContinue,
    ClearConversation,
    CloseRun,
    Command,
    DropPrompt,
    EditPrompt,
    Interrupt,
    MovePrompt,
    NameRun,
    PlanContinue,
    Reconnect,
    ReleasePrompts,
    RunShell,
    SendPrompt,
    SetMode,
    SetModel,
    SteerPrompt,
    WaitOn,
    is_for_engine,
)
from maverick_tui.runs.connection import Connection
from maverick_tui.runs.continuing import PERSON, Continuing
from maverick_tui.runs.failure_words import GO_ON
from maverick_tui.runs.fuses import Fuses
from maverick_tui.runs.loading import Loaded, RunPlan
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import CLOSED, Past
from maverick_tui.runs.prompter import Prompter, with_before
from maverick_tui.runs.questions import Questions
from maverick_tui.runs.queue import Queue
from maverick_tui.runs.settling import has_settled
from maverick_tui.runs.shell import Shell
from maverick_tui.runs.stalls import Stalls
from maverick_tui.runs.tracking import Tracking
from maverick_tui.runs.turns import OpenTurn, Turns
from maverick_tui.worktrees import working

if TYPE_CHECKING:
    from maverick_tui.agent.engines import Watches

log = logging.getLogger(__name__)

INTERRUPT_AGAIN = 0.15
"""Seconds after which an interrupt is repeated: the first may come before the CLI has begun."""
WATCHED_NO_MORE = "What the agent watched was stopped, too"
INTERRUPT_TIMEOUT = 3.0
"""Seconds after which a CLI that does not stop is given up."""
NOT_ATTENDED = "This run works without a person, so nobody runs commands beside it."
HAS_IMAGE = "Images can be shown only where a turn begins: the prompt is the next one. Interrupt to send it at once."
IS_COMMAND = "A command has a turn of its own: it is the next one. Interrupt to have it at once."
NOT_STEERED = (
    "This agent takes nothing in before its answer has ended: the prompt is the next one. "
    "Interrupt the agent to send it at once."
)
CLEARS_LATER = "A new conversation begins once all is done that was asked before."
GIVE_UP = 5.0
"""Seconds that an agent's own code has to end after that."""


class LocalRun:
    """A run of one agent: connects at once, answers prompts in their order, and ends with exactly one RunEnded.

    `serve` is the run; `send` may be called at any time on the same event loop, and never blocks. `prepare` says what
    the run is made of. What goes wrong there, or in whatever follows, is told as an event, and can be tried again.

    One that is not attended has nobody to ask. It closes itself once nothing is left to do, also in the background.
    """

    def __init__(
        self,
        prepare: Callable[[], Awaitable[RunPlan]],
        *,
        run_id: str,
        name: str = "",
        clock: Callable[[], float] = time.time,
        is_attended: bool = True,
        past: Past | None = None,
        continues: bool | None = None,
    ) -> None:
        """`name` is what is known of its agent before anything is prepared; a run with a `past` goes on from there.

        A past that is another run's has this one's beginning: see `runs/forking.py`.
        `continues` says whether it goes on by itself after a limit; by default the settings do.
        """
        self.events = EventLog(clock, past.events if past is not None else ())
        self.admission: Admission = AlwaysAdmitted()
        """What it asks before it works: a machine may have room for so many runs."""
        self._run_id = run_id
        self._wake = asyncio.Event()
        self._questions = Questions(self.events)
        self._is_attended = is_attended
        self._turns = Turns(self.events, self._questions.ask if is_attended else None, self._wake.set, past)
        self._connection = Connection(
            prepare,
            name,
            turns=self._turns,
            questions=self._questions,
            events=self.events,
            on_loss=self._wake.set,
            past=past,
        )
        self._connection.on_load = self._begin_watching
        self._questions.is_planning = lambda: self._turns.mode == "plan"
        self._questions.mode_after_plan = self._turns.mode_after_plan
        self._queue = Queue(self.events)
        self._call_stops = CallStops(self.events, self._questions)
        self._continues = continues
        self._continuing = Continuing(self.events, self._wake.set, self._continues_by_itself)
        self._turns.on_end = self._turn_ended
        self.fuses = Fuses(
            self.events,
            self._questions.ask if is_attended else None,
            set_model=lambda model: self.send(SetModel(model)),
        )
        self.fuses.stop = self._interrupt
        self.fuses.on_blown = lambda why, scope: self.stop("limit", why, scope)
        self._turns.hold = self.fuses.hold
        self._turns.passed = self._passed
        self._stalls = Stalls(self.events)
        self._tracking = Tracking(self.events, run_id, past)
        self._turns.begins, self._turns.returned = self._tracking.begins, self._tracking.returned
        self._shell = Shell(self.events)
        self._connection.between, self._connection.taken = self._words_between, self._words_taken
        self._past = past
        if past is None:
            self.events.emit(RunStarted(self.events.now(), run_id, name))
        elif not past.is_fork:
            self.events.emit(RunReopened(self.events.now()))
            for prompt in past.waiting:  # what a person has written is not lost, and not sent unasked
                self._queue.add(SendPrompt(prompt.prompt_id, prompt.text, is_for_engine(prompt.text)))
            self._queue.hold()
            self._continuing.recall(past)
        self._ready: OpenTurn | None = None
        """A turn that has begun, and that `serve` is to answer."""
        self._is_fresh = past is None or (past.is_fork and not past.turns)
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
        self._stopping_tasks: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, path: Path, size: int | None = None) -> None:
        """Keep all that the run tells in a journal there, if it is not kept already.

        A run that goes on does so in the journal of its past, of which `size` bytes are whole. ConfigError if it goes
        on elsewhere.
        """

        def tell(text: str) -> None:  # not at once: it is called while events are being written
            asyncio.get_running_loop().call_soon(self.events.emit, Noticed(self.events.now(), "journal", text))

        if self.events.is_kept:
            return
        journal = Journal(path, tell, size=size)
        if size is not None:  # two that go on with one conversation would both be paid for, and one of them lost
            journal.claim()
        self.events.keep_in(journal, self._past.kept if self._past is not None else 0)

    def stop(self, kind: str, why: str, scope: str = "") -> None:
        """End the run in good order, and tell why; what is being answered is interrupted."""
        if not self.events.is_closed and not self._is_closing:
            self.events.emit(Noticed(self.events.now(), kind, why, scope=scope))
        self.send(CloseRun())

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is being done, waits, or comes by itself."""
        return self.is_idle and self._continuing.planned is None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being done; it may go on by itself later, when a limit resets."""
        # What waits for a connection that has failed waits for somebody to ask for another one.
        waits = self._queue.next is not None and (self._connection.is_wanted or self._connection.is_open)
        is_free = self._turns.current is None and self._ready is None and not waits
        comes = self._questions.is_waiting or self._turns.has_jobs
        prompter = self._connection.prompter
        works_on = prompter is not None and prompter.session.works_on
        return is_free and not comes and self._work is None and not works_on and not self._shell.is_running

    def stop_commands(self) -> None:
        """Stop what a person runs beside the agent."""
        self._shell.stop()

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
        if (error := await self._try(self._connection.load())) is not None:
            self.events.emit(Connecting(self.events.now()))
            self._connection.fail(error)

    async def _step(self) -> None:
        """Do the next thing there is to do, or wait for one."""
        self._wake.clear()
        prompter, is_free, following = self._connection.prompter, self._turns.current is None, self._queue.next
        if prompter is not None and self._ready is not None:
            turn, self._ready = self._ready, None
            await self._answer(prompter, turn)
        elif prompter is not None and prompter.session.is_ended:
            self._connection.is_wanted = self._connection.is_wanted or following is not None
            self._ends_jobs = False  # they have ended with the CLI
            await self._connection.close()
        elif prompter is not None and self._ends_jobs and is_free:
            self._ends_jobs = False
            await self._connection.end_jobs()
        elif self._continuing.is_due and is_free and not self._questions.is_waiting:
            self._queue.add_first(self._continuing.go_on())
            self._want_connection()
        elif isinstance(following, ClearConversation) and is_free:
            self._is_fresh = True
            await self._connection.clear()
            self._queue.remove(following)  # what is sent meanwhile waits for it
        elif prompter is None and self._connection.is_wanted:
            if (error := await self._try(self._connect())) is not None:
                await self._connection.close()
                self._connection.fail(error)
        elif prompter is not None and isinstance(following, SendPrompt) and is_free and not self.admission.try_enter():
            await self._try(self.admission.enter())
        elif prompter is not None and isinstance(following, SendPrompt) and is_free:
            self._queue.remove(following)
            self._ready = self._begin_turn(following)
        elif self._is_attended or self._continuing.planned is not None:
            await self._wait()
        else:
            await self._finish()

    async def _connect(self) -> None:
        await self.admission.enter()
        await self._connection.connect()

    async def _finish(self) -> None:
        """Close the run once nothing is left to do."""
        if self._turns.current is not None:
            await self._wake.wait()
            return
        prompter = self._connection.prompter
        if await has_settled(prompter.session if prompter is not None else None, self.events, self._wake):
            self._close()

    async def _wait(self) -> None:
        """Wait for something to do; a CLI that nobody needs for long is ended, and the next prompt resumes it."""
        try:
            async with asyncio.timeout(self._rests_after):
                await self._wake.wait()
        except asyncio.TimeoutError:
            # What wakes it, or a question, may come in the very round of the loop in which the time is up.
            if not self._wake.is_set() and self._rests_after is not None:
                await self._connection.close()

    @property
    def _rests_after(self) -> float | None:
        """Seconds after which the CLI is ended; None while it is busy, or somebody is asked something."""
        is_idle = self._turns.current is None and not self._questions.is_waiting
        return self._connection.rests_after if is_idle else None

    def _begin_turn(self, prompt: SendPrompt) -> OpenTurn:
        turn = self._turns.begin(prompt.text, prompt.prompt_id, is_command=prompt.is_command)
        turn.before = "" if prompt.is_command else self._shell.take_untold()
        return turn

    async def _end(self, reason: str) -> None:
        self._is_closing = True
        try:
            if self._stopping is not None:
                await asyncio.wait({self._stopping}, timeout=INTERRUPT_TIMEOUT)
            await self._shell.close()
            await self._connection.close(for_good=True)
        except Exception:
            log.exception("The session of the run %s could not be closed", self._run_id)
        finally:
            for task in self._tasks:
                task.cancel()
            self._questions.withdraw()
            self._stalls.close()
            if (turn := self._turns.current) is not None:
                turn.is_cut = True
                self._turns.end(turn)
            self._continuing.call_off(CLOSED)
            self._queue.drop(lambda _prompt: True)
            await self._tracking.close()
            working.left(self._run_id)  # whoever hears of its end may remove where it was
            self.admission.leave()
            self.events.emit(RunEnded(self.events.now(), reason))
            self.events.close()

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

    async def _answer(self, prompter: Prompter, turn: OpenTurn) -> None:
        """Answer one prompt; the first goes through the agent's own `execute`, which may make several turns of it."""
        self._is_executing = self._is_fresh and not turn.is_command and not self._is_plain(turn)
        work = self._work = asyncio.create_task(
            prompter.execute(turn) if self._is_executing else prompter.ask(turn, with_before(turn, turn.text))
        )
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
            prompter.is_loss_told = prompter.session.is_ended
            self._turns.end(last)
            if last.error is not None and not last.is_past_fuse:
                self._queue.hold(has_failed=True)
        if self._stopping is not None:
            await asyncio.wait({self._stopping}, timeout=INTERRUPT_TIMEOUT)

    def _begin_watching(self, loaded: Loaded) -> None:
        settings = loaded.agent.config or loaded.context.config
        self.fuses.begin(loaded.agent.name, settings.fuses, loaded.agent.fuse)  # type: ignore[arg-type]
        if self._is_attended:
            self._stalls.begin(settings.stall_after)
        if settings.track_changes and loaded.may_act:
            self._tracking.begin(loaded.context.cwd)

    def _is_plain(self, turn: OpenTurn) -> bool:
        """Whether `execute` would send what the person wrote as it is: then it need not come between."""
        return self._connection.loaded is not None and self._connection.loaded.is_plain and bool(turn.text.strip())

    def _continues_by_itself(self) -> bool:
        if self._continues is None and (loaded := self._connection.loaded) is not None:
            return (loaded.agent.config or loaded.context.config).continue_after_limit
        return bool(self._continues)

    def _interrupt(self) -> None:
        self._continuing.call_off(PERSON)
        self._shell.stop()
        turn = self._turns.current
        is_waiting = self._queue.has_prompts
        has_jobs, has_tasks = self._turns.has_jobs, bool(self._turns.tasks)
        if turn is None and not (is_waiting or self._questions.is_waiting or has_jobs or has_tasks):
            return
        self._ends_jobs = has_jobs  # else it would go on by itself, a moment after it was told to stop
        self.events.emit(InterruptRequested(self.events.now()))
        self._questions.withdraw()
        # It was meant to follow on what is stopped: whether it still does, the person decides.
        self._queue.hold()
        self._cut(turn)
        if self._connection.prompter is not None and not self._is_closing:
            _ = self._spawn(self._stop_watching(self._connection.prompter))

    async def _stop_watching(self, prompter: Prompter) -> None:
        """Stop what would wake the agent again, a moment after it was told to stop. Its commands go on: there may be a
        server among them that the person works with."""
        if hasattr(prompter.session, "stop_watching"):
            for name in await cast("Watches", prompter.session).stop_watching():
                text = beginning(f"{WATCHED_NO_MORE}: {name}", LONGEST_NOTICE)
                self.events.emit(Noticed(self.events.now(), "watch", text))

    def _passed(self, call: str) -> None:
        _ = self._spawn(self._stop_at_fuse(call))

    async def _stop_at_fuse(self, call: str) -> None:
        """Stop what is answered past a fuse, where the engine did not ask; a prompt of our own asks, and goes on.

        No person has stopped it: jobs, commands and prompts that wait are left as they are.
        """
        turn = self._turns.current
        what = await self.fuses.passed(call)
        if not what or turn is not self._turns.current or self._is_stopping or self._is_closing:
            return
        if turn is None and (not self._turns.tasks or self._is_stopping_tasks):
            return
        now = self.events.now()
        self.events.emit(Noticed(now, "fuse", f"{what}: what was being answered is stopped, to ask you first."))
        self.events.emit(InterruptRequested(now))
        self._questions.withdraw()
        if turn is not None:
            turn.is_past_fuse = True
        self._queue.add_first(SendPrompt(uuid.uuid4().hex, GO_ON))
        self._want_connection()
        self._wake.set()  # where no turn ends by that
        self._cut(turn)

    def _cut(self, turn: OpenTurn | None) -> None:
        """End what is being answered, or what works on behind."""
        if turn is None:
            if self._turns.tasks and self._connection.prompter is not None and not self._is_stopping_tasks:
                self._stopping_tasks = self._spawn(self._stop_tasks(self._connection.prompter))
            return
        if self._is_executing or not (turn.is_asked or turn.origin == "background"):
            turn.is_cut = True
            if self._work is not None:
                self._work.cancel()
        if self._stopping is None or self._stopping.done():
            self._stopping = self._spawn(self._stop(turn, self._connection.prompter, self._work))

    async def _stop_tasks(self, prompter: Prompter) -> None:
        """Stop what works on behind a turn that has ended: the engine takes an interrupt for that, too."""
        with suppress(AgentError):
            await prompter.session.interrupt()

    async def _stop(self, turn: OpenTurn, prompter: Prompter | None, work: asyncio.Task[None] | None) -> None:
        """Interrupt until nothing is being answered; a CLI, or an agent, that does not stop is given up."""
        loop = asyncio.get_running_loop()
        until = loop.time() + INTERRUPT_TIMEOUT
        while prompter is not None and not turn.idle.is_set() and not prompter.session.is_ended and loop.time() < until:
            with suppress(AgentError):
                await prompter.session.interrupt()
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await turn.idle.wait()
        if turn.origin == "background":
            turn.is_cut = True
            self._turns.end(turn)
        elif prompter is not None and not turn.idle.is_set():
            prompter.give_up()
        if work is not None:
            await asyncio.wait({work}, timeout=GIVE_UP)
        if self._release is not None and not self._release.done():
            self._release.set_result(None)

    # -- commands -----------------------------------------------------------------------------------------------------

    def send(self, command: Command) -> None:
        """Take a command; what comes of it is told by events."""
        if self.events.is_closed:
            return
        if isinstance(command, SendPrompt):
            self._send_prompt(command)
        elif isinstance(command, DropPrompt):
            self._queue.drop(lambda prompt: prompt.prompt_id == command.prompt_id)
        elif isinstance(command, Interrupt) and command.call:
            _ = self._spawn(self._call_stops.stop(command.call, self._connection.prompter))
        elif isinstance(command, EditPrompt):
            self._queue.replace(command.prompt_id, command.text)
        elif isinstance(command, MovePrompt):
            self._queue.move(command.prompt_id, command.by)
        elif isinstance(command, SteerPrompt):
            self._steer(command.prompt_id)
        elif isinstance(command, RunShell):
            self._run_shell(command)
        elif isinstance(command, Interrupt):
            self._interrupt()
        elif isinstance(command, AnswerPermission):
            self._questions.answer(command)
        elif isinstance(command, PlanContinue):
            if self._turns.current is None and self._queue.next is None:  # else something else goes on already
                self._continuing.plan()
        elif isinstance(command, WaitOn):
            self._stalls.put_off()
        elif isinstance(command, CallOffContinue):
            self._continuing.call_off(PERSON)
        elif isinstance(command, ReleasePrompts):
            self._continuing.call_off(PERSON)
            if self._queue.release():
                self._want_connection()
        elif isinstance(command, SetMode):
            _ = self._spawn(self._connection.set_mode(command.mode))
        elif isinstance(command, SetModel):
            _ = self._spawn(self._connection.set_model(command.model))
        elif isinstance(command, NameRun):
            self.events.emit(RunNamed(self.events.now(), command.name))
        elif isinstance(command, ClearConversation):
            self._continuing.forget()
            if self._turns.current is not None or self._queue.next is not None:
                self.events.emit(Noticed(self.events.now(), "clear", CLEARS_LATER))
            self._queue.add(command)
            self._want_connection()
        elif isinstance(command, Reconnect):
            self._connection.is_wanted = not self._connection.is_open
        else:
            by = command.by if isinstance(command, CloseRun) and not self._is_closing else ""
            if by:
                self.events.emit(Noticed(self.events.now(), "ended", f"Ended by {by}."))
            self._close()
        self._wake.set()

    def _send_prompt(self, prompt: SendPrompt) -> None:
        if self._is_closing:
            return
        prompt = replace(prompt, text=self._turns.pictures.keep(prompt.images, prompt.text))
        self._continuing.call_off(PERSON)
        self._want_connection()
        is_next = self._connection.is_open and self._queue.next is None and self._turns.current is None
        if not is_next or not self.admission.try_enter():
            self._queue.add(prompt)
        else:
            self._ready = self._begin_turn(prompt)

    def _run_shell(self, wanted: RunShell) -> None:
        loaded = self._connection.loaded
        if not self._is_attended or loaded is None or self._is_closing:
            why = NOT_ATTENDED if not self._is_attended else "The run's folder is not known yet: try again in a moment."
            self.events.emit(Noticed(self.events.now(), "shell", why))
        else:
            self._shell.run(wanted.shell, wanted.command, loaded.context.cwd)

    def _steer(self, prompt_id: str) -> None:
        """Send a prompt that waits as soon as it can be: in the middle of the turn, where the engine takes it."""
        turn, prompter = self._turns.current, self._connection.prompter
        if (wanted := self._queue.prompt(prompt_id)) is None:
            return
        is_shown = self._turns.pictures.has_any(wanted.text)
        can_steer = turn is not None and not turn.is_command and prompter is not None and prompter.can_steer
        can_steer = can_steer and not is_shown and not wanted.is_command
        if turn is not None and self._is_stopping:
            turn = None  # it is the next one anyway, in a moment
            can_steer = False
        if self._is_closing or not self._queue.urge(prompt_id, is_to_steer=can_steer):
            return
        self._continuing.call_off(PERSON)
        self._want_connection()
        if turn is not None and not can_steer:
            why = IS_COMMAND if wanted.is_command else HAS_IMAGE if is_shown else NOT_STEERED
            self.events.emit(Noticed(self.events.now(), "steer", why))

    def _words_between(self) -> str:
        """What a person wants the agent to know in the middle of its turn; it waits until the engine has taken it."""
        is_open = self._turns.current is not None and not self._is_stopping
        return "\n\n".join(prompt.text for prompt in self._queue.give_urgent()) if is_open else ""

    def _words_taken(self) -> None:
        if (turn := self._turns.current) is not None:
            for prompt in self._queue.take_given():
                self.events.emit(PromptSteered(self.events.now(), turn.number, prompt.prompt_id, prompt.text))

    @property
    def _is_stopping(self) -> bool:
        """Whether the turn is being interrupted: what it takes in now would be lost with it."""
        return self._stopping is not None and not self._stopping.done()

    @property
    def _is_stopping_tasks(self) -> bool:
        """The same of what works on behind."""
        return self._stopping_tasks is not None and not self._stopping_tasks.done()

    def _turn_ended(self, turn: OpenTurn, failure: Failure | None) -> None:
        self._queue.calm()
        if turn.before and not turn.is_sent:
            self._shell.take_back()
        self._continuing.turn_ended(turn, failure)

    def _want_connection(self) -> None:
        self._connection.is_wanted = self._connection.is_wanted or not self._connection.is_open

    def _close(self) -> None:
        self._is_closing = True
        self._continuing.call_off(CLOSED)
        self._queue.hold()  # it is dropped with the end of the run, which says that nobody but that has dropped it
        self._interrupt()
        if self._turns.current is None and self._work is not None:
            self._work.cancel()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
