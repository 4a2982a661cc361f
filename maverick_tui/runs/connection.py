"""Connection: the way of a run to its agent and the model. It is opened, lost, and opened again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, cast

from maverick_tui.agent.asking_run import asking_for, connected
from maverick_tui.agent.engine.prices import context_size, list_price
from maverick_tui.events.kinds import (
    LONGEST_NOTICE,
    AgentLoaded,
    Connected,
    ConnectFailed,
    Connecting,
    ModeChanged,
    Noticed,
)
from maverick_tui.exceptions import AgentError, CLINotFoundError
from maverick_tui.masking.redact import beginning
from maverick_tui.modes import narrower, require_mode
from maverick_tui.runs.apart import RunOfAuthor
from maverick_tui.runs.asked_apart import AskedApart
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.loading import Loaded, RunPlan, load_aside
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import Past
from maverick_tui.runs.prompter import Prompter
from maverick_tui.runs.questions import Questions
from maverick_tui.runs.reach import lost_hooks
from maverick_tui.runs.resuming import handed_over, narrow, recalled
from maverick_tui.runs.turns import Turns
from maverick_tui.threads import in_thread
from maverick_tui.usage import NO_USAGE

if TYPE_CHECKING:
    from maverick_tui.agent.engines import Session, Steers
    from maverick_tui.modes import PermissionMode

log = logging.getLogger(__name__)

JOBS_ENDED = "What was scheduled has ended. This run schedules nothing any more."
CLEARED = "A new conversation has begun; the agent knows nothing of what stands above."
NO_PRICE = "No price is known for a model of that name: what it costs is a guess, if there is such a model."
_CHOOSES = ("default", "opusplan")
"""What is no model, but has Claude Code choose one."""
HANDED_OVER = "The conversation cannot be resumed as it was: the agent is told what was said in it."
FORGOTTEN = "The conversation could not be resumed. A new one has begun; the agent knows nothing of the old one."


class Connection:
    """Loads the agent and keeps at most one session of it open; `on_loss` is called when that has ended by itself."""

    def __init__(
        self,
        prepare: Callable[[], Awaitable[RunPlan]],
        name: str,
        *,
        turns: Turns,
        questions: Questions,
        events: EventLog,
        on_loss: Callable[[], None],
        past: Past | None = None,
    ) -> None:
        self._prepare = prepare
        self._name = name
        self._turns = turns
        self._questions = questions
        self._events = events
        self._on_loss = on_loss
        self._stack = AsyncExitStack()
        self._asked_apart = AskedApart()
        self._for_threads = ExitStack()
        """Has the run known to threads of the author's, which may ask something while no CLI runs."""
        self._model: str | None = None
        self._past = past
        self._has_connected = False
        # A CLI that resumes a conversation has its jobs back, also those of a process that is long gone.
        self._may_schedule = past is None or not past.had_jobs
        self._watching: asyncio.Task[None] | None = None
        self.loaded: Loaded | None = None
        self.prompter: Prompter | None = None
        self._memory: object | None = None
        """What the next session needs to go on with the conversation."""
        self._is_to_come_back = past is not None and past.turns > 0
        """Whether there was a conversation before this process, and no session has it yet."""
        self.on_load: Callable[[Loaded], None] = lambda _loaded: None
        """Takes the agent once it is known."""
        self.between: Callable[[], str] = lambda: ""
        self.taken: Callable[[], None] = lambda: None
        """What is said in the middle of a turn, for engines that take it; see `Steers`."""
        self.is_wanted = True
        """Whether a connection that is not there is to be opened."""
        self._noticed = set[tuple[str, str]]()
        self._is_to_load = True
        """Whether the next connection is one of an agent that is still to be loaded."""

    @property
    def is_open(self) -> bool:
        """Whether something can be asked."""
        return self.prompter is not None and not self.prompter.session.is_ended

    async def load(self) -> None:
        """Find out what the run is made of, and make its agent; in a thread, for it imports."""
        plan = await self._prepare()
        self.loaded = loaded = await load_aside(plan)
        self._is_to_load = False
        if self._past is not None:
            self._come_back(loaded, self._past)
        self._questions.work_in(loaded.context.cwd, loaded.agent.name)
        self._turns.remark = lambda turn: plan.remark(turn, loaded.draft)
        at = self._events.now()
        try:
            told = loaded.describe(at)
        except Exception:  # an author's own property; the run goes on all the same, and fails where it must
            log.exception("The agent %s cannot be described", self._name)
            cwd, mode = str(loaded.context.cwd), loaded.permission_mode
            told = AgentLoaded(at, self._name, cwd, permission_mode=mode, project=loaded.project)
        self._turns.tell(told)
        self.on_load(loaded)
        for words in loaded.told:
            self._notice_once("worktree", words)

    def _notice_once(self, kind: str, words: str) -> None:
        """Tell something of the agent that was loaded; until a session can be opened, each try loads it again."""
        if (kind, words) not in self._noticed:
            self._noticed.add((kind, words))
            self._events.emit(Noticed(self._events.now(), kind, beginning(words, LONGEST_NOTICE)))

    def _come_back(self, loaded: Loaded, past: Past) -> None:
        """Give the agent its conversation again, and no more than it had."""
        # Only who forks a run chooses an agent, and with another one what that may do.
        is_same = not past.is_fork or (past.loaded is not None and past.loaded.agent == loaded.agent.name)
        if is_same and (taken := narrow(loaded.agent, past, loaded.called)):
            text = f"It comes back without {', '.join(taken)}, which it did not have when this run began."
            self._notice_once("narrowed", text)
        if is_same and past.loaded is not None and (lost := lost_hooks(loaded.agent, past.loaded.reaches or ())):
            text = f"Hooks that it had are not in its file any more: {', '.join(lost)}."
            self._notice_once("hooks_lost", text)
        mode = narrower(past.mode if is_same else "", loaded.permission_mode)
        if mode != loaded.permission_mode:
            loaded.agent.permission_mode = mode
        if past.model and self._model is None:  # from the start: to change it tells the CLI's conversation of it
            loaded.agent._answer_by(past.model)
        self._memory = recalled(past, loaded.agent)

    async def connect(self) -> None:
        """Open a session, and load the agent if none could be opened before."""
        self._events.emit(Connecting(self._events.now(), again=self._has_connected))
        if self._is_to_load:
            await self.load()
        assert self.loaded is not None
        # The tables take a while to read, and so does a CLI to start.
        sizing = asyncio.create_task(in_thread(context_size, self.loaded.model))
        asking = RunOfAuthor(self.loaded, self._turns, self._events, self._asked_apart)
        try:
            with asking_for(asking):  # what its own servers ask is asked in tasks that begin here
                session = await self._open(self.loaded)
            asking.is_open = True
            self._for_threads.close()
            self._for_threads.enter_context(connected(asking))
            size = await sizing
        finally:
            sizing.cancel()
            await asyncio.gather(sizing, return_exceptions=True)
        mode, model = self.loaded.permission_mode, None
        # While one is set, another one may be asked for, and told: the session must have what the person has seen.
        while (mode, model) != (wanted := (self._turns.mode or mode, self._model)):
            if wanted[0] != mode:
                await session.set_permission_mode(cast("PermissionMode", wanted[0]))
            if wanted[1] != model:
                await session.set_model(wanted[1])
            mode, model = wanted
        # From here on nothing is waited for: a loss is told after the connection that it is the loss of.
        self.prompter = Prompter(self.loaded, session, self._turns, self._events, asking)
        if self.prompter.can_steer:
            steers = cast("Steers", session)
            steers.between, steers.taken = self.between, self.taken
        self._has_connected, self.is_wanted = True, False
        self._watching = asyncio.create_task(self._watch(session, self.prompter), name="maverick-watch")
        self._events.emit(Connected(self._events.now(), size))

    async def end_jobs(self) -> None:
        """End what the CLI would do by itself, which only its end does; another one goes on with the conversation."""
        await self.close()
        self.is_wanted = True

    @property
    def rests_after(self) -> float | None:
        """Seconds without use after which the CLI is ended; None where there is none, or it has something to do."""
        loaded, prompter = self.loaded, self.prompter
        if not self.is_open or loaded is None or prompter is None or not prompter.session.may_rest:
            return None
        return (loaded.agent.config or loaded.context.config).idle_after or None

    async def clear(self) -> None:
        """Begin a new conversation: the session forgets the old one, or another session takes its place."""
        if self.prompter is None or not await self.prompter.session.clear():
            await self.close()
            self._memory, self.is_wanted = None, True
            self._may_schedule = True  # a new conversation has no jobs of an earlier process
        self._is_to_come_back = False
        self._events.emit(Noticed(self._events.now(), "cleared", CLEARED))

    def _lose_jobs(self, *, for_good: bool = False) -> None:
        """The CLI is gone, its tasks and jobs with it; the next one would bring the jobs back if it could schedule."""
        self._turns.end_tasks()
        if self._turns.end_jobs() and not for_good:
            self._may_schedule = False
            self._events.emit(Noticed(self._events.now(), "jobs", JOBS_ENDED))

    async def close(self, *, for_good: bool = False) -> None:
        """End the CLI, if there is one; `for_good` if no other follows, so that no jobs need be kept from one."""
        self._remember()
        self.prompter = None
        if self._watching is not None:
            self._watching.cancel()
        if for_good:
            await self._asked_apart.end(for_good=True)
            self._for_threads.close()
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()
        self._turns.end_background()  # it may have begun while the CLI was being ended
        self._lose_jobs(for_good=for_good)

    def fail(self, error: BaseException) -> None:
        """Tell that there is no way to the model; nobody tries again until somebody asks for it."""
        self.is_wanted = False
        self._is_to_load = not self._has_connected  # settings or the agent's file may be what keeps it from beginning
        self._events.emit(ConnectFailed(self._events.now(), failure_of(error)))

    async def set_mode(self, mode: str) -> None:
        """Change the permission mode of this session and of those that follow."""
        try:
            if self.prompter is not None and self.is_open:
                await self.prompter.session.set_permission_mode(cast("PermissionMode", mode))
            else:
                require_mode(mode)
        except AgentError as error:
            self._events.emit(Noticed(self._events.now(), "mode", error.message))
            return
        self._turns.tell(ModeChanged(self._events.now(), mode))

    async def set_model(self, model: str) -> None:
        """Let another model answer in this session and in those that follow."""
        try:
            if self.prompter is not None and self.is_open:
                await self.prompter.session.set_model(model)
        except AgentError as error:
            self._events.emit(Noticed(self._events.now(), "model", error.message))
            return
        self._model = model
        name = model.partition("[")[0]  # sonnet[1m]
        is_known = name in _CHOOSES or await in_thread(list_price, name, NO_USAGE) is not None
        if self._model == model:  # else another one was chosen meanwhile
            self._turns.change_model(model, "" if is_known else NO_PRICE)

    def _remember(self) -> None:
        """Keep what the session knows of the conversation; one that was never asked anything knows no more than we."""
        if self.prompter is not None:
            self._memory = self.prompter.session.memory or self._memory

    async def _open(self, loaded: Loaded) -> Session:
        """Go on with the conversation that was lost, or hand over what was said in it; else begin a new one. Say so."""
        ways: list[tuple[Callable[[], object | None], str]] = [(lambda: self._memory, "")]
        if self._memory is not None or self._is_to_come_back:
            ways.append((lambda: handed_over(self._events.since(0), loaded.agent), HANDED_OVER))
        for find, words in ways:
            if (memory := find()) is None:
                continue
            try:
                session = await self._enter(loaded, memory)
            except CLINotFoundError:
                raise
            except AgentError as error:
                log.info("The conversation cannot be resumed: %s", error)
                continue
            return self._began_with(session, memory, "handed_over", words)
        session = await self._enter(loaded, None)
        return self._began_with(session, None, "session_lost", FORGOTTEN if len(ways) > 1 else "")

    def _began_with(self, session: Session, memory: object | None, kind: str, words: str) -> Session:
        self._memory, self._is_to_come_back = memory, False
        if words:
            self._events.emit(Noticed(self._events.now(), kind, words))
        return session

    async def _enter(self, loaded: Loaded, memory: object | None) -> Session:
        opening = loaded.agent.open_session(loaded.context, self._turns, resume=memory, may_schedule=self._may_schedule)
        return await self._stack.enter_async_context(opening)

    async def _watch(self, session: Session, prompter: Prompter) -> None:
        """Notice that the CLI is gone, also while nobody asks it anything."""
        error = await session.ended()
        self._questions.withdraw()
        self._lose_jobs()
        if self._turns.current is not None:
            self._turns.end_background(error)
        elif not prompter.is_loss_told:
            self.fail(error)
        self._on_loss()
