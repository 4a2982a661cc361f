"""Link: the way of a run to the model. It is opened, lost, and opened again with the same conversation."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from maverick_tui.exceptions import AgentError, CLINotFoundError
from maverick_tui.runs.conversation import Conversation
from maverick_tui.runs.desk import Desk
from maverick_tui.runs.events import Connected, ConnectFailed, Connecting, ModeChanged, Noticed
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.loading import AgentSource, Loaded, load
from maverick_tui.runs.prices import context_size
from maverick_tui.runs.turns import Outlet, Turns
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.engine.protocol import Session
    from maverick_tui.config import MaverickConfig, PermissionMode

log = logging.getLogger(__name__)

JOBS_ENDED = "What was scheduled has ended. This run schedules nothing any more."
CLEARED = "A new conversation has begun; the agent knows nothing of what stands above."
FORGOTTEN = "The conversation could not be resumed. A new one has begun; the agent knows nothing of the old one."


class Link:
    """Loads the agent and keeps at most one session of it open; `on_loss` is called when that has ended by itself."""

    def __init__(
        self,
        source: AgentSource,
        cwd: Path,
        config: MaverickConfig | None,
        extra: Mapping[str, Any],
        *,
        turns: Turns,
        desk: Desk,
        outlet: Outlet,
        on_loss: Callable[[], None],
    ) -> None:
        self._source = source
        self._cwd = cwd
        self._config = config
        self._extra = extra
        self._turns = turns
        self._desk = desk
        self._outlet = outlet
        self._on_loss = on_loss
        self._stack = AsyncExitStack()
        self._model: str | None = None
        self._has_connected = False
        self._may_schedule = True
        self._watching: asyncio.Task[None] | None = None
        self._sizing: asyncio.Future[int | None] | None = None
        self.loaded: Loaded | None = None
        self.talk: Conversation | None = None
        self.is_wanted = True
        """Whether a connection that is not there is to be opened."""

    @property
    def is_open(self) -> bool:
        """Whether something can be asked."""
        return self.talk is not None and not self.talk.session.is_ended

    async def load(self) -> None:
        """Find the agent, its settings and its folder; in a thread, for it imports."""
        self.loaded = await asyncio.to_thread(load, self._source, self._cwd, self._config, self._extra)

    async def connect(self) -> None:
        """Open a session, and load the agent if that has failed before."""
        self._outlet.emit(Connecting(self._outlet.now(), again=self._has_connected))
        if self.loaded is None:
            await self.load()
        assert self.loaded is not None
        # The tables take a while to read, and so does a CLI to start.
        self._sizing = asyncio.ensure_future(in_thread(context_size, self.loaded.model))
        session = await self._open(self.loaded)
        # The mode is that of the moment: it was set, or the CLI has left planning.
        if (mode := self._turns.translator.mode) and mode != self.loaded.permission_mode:
            await session.set_permission_mode(cast("PermissionMode", mode))
        if self._model is not None:
            await session.set_model(self._model)
        self.talk = Conversation(self.loaded, session, self._turns, self._outlet)
        self._has_connected, self.is_wanted = True, False
        self._watching = asyncio.create_task(self._watch(session, self.talk), name="maverick-watch")
        size = await self._sizing
        self._outlet.emit(Connected(self._outlet.now(), size))

    async def end_jobs(self) -> None:
        """End what the CLI would do by itself, which only its end does; another one goes on with the conversation."""
        await self.close()
        self.is_wanted = True

    @property
    def rests_after(self) -> float | None:
        """Seconds without use after which the CLI is ended; None where there is none, or it has something to do."""
        translator, loaded = self._turns.translator, self.loaded
        if not self.is_open or loaded is None or loaded.agent.engine == "api":
            return None
        if translator.jobs.items or translator.notices.alive:
            return None
        return (loaded.agent.config or loaded.context.config).idle_after or None

    async def clear(self) -> None:
        """Begin a new conversation: the session forgets the old one, or another session takes its place."""
        if self.talk is None or not await self.talk.session.clear():
            await self.close()
            self._turns.translator.session_id = ""
            self.is_wanted = True
        self._outlet.emit(Noticed(self._outlet.now(), "cleared", CLEARED))

    def _lose_jobs(self, *, for_good: bool = False) -> None:
        """The CLI is gone, and its jobs with it; the next one would bring them back if it could schedule."""
        if self._turns.end_jobs() and not for_good:
            self._may_schedule = False
            self._outlet.emit(Noticed(self._outlet.now(), "jobs", JOBS_ENDED))

    async def close(self, *, for_good: bool = False) -> None:
        """End the CLI, if there is one; `for_good` if no other follows, so that nothing need be said of it."""
        self.talk = None
        if self._watching is not None:
            self._watching.cancel()
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()
        self._turns.end_background()  # it may have begun while the CLI was being ended
        self._turns.translator.notices.alive.clear()  # they were the CLI's
        self._lose_jobs(for_good=for_good)

    def fail(self, error: BaseException) -> None:
        """Tell that there is no way to the model; nobody tries again until somebody asks for it."""
        self.is_wanted = False
        self._outlet.emit(ConnectFailed(self._outlet.now(), failure_of(error)))

    async def set_mode(self, mode: str) -> None:
        """Change the permission mode of this session and of those that follow."""
        from maverick_tui.config import PERMISSION_MODES

        try:
            if self.talk is not None and self.is_open:
                await self.talk.session.set_permission_mode(cast("PermissionMode", mode))
            elif mode not in PERMISSION_MODES:
                raise AgentError(f"The permission mode {mode!r} cannot be set.")
        except AgentError as error:
            self._outlet.emit(Noticed(self._outlet.now(), "mode", error.message))
            return
        self._turns.translator.mode = mode
        self._outlet.emit(ModeChanged(self._outlet.now(), mode))

    async def set_model(self, model: str) -> None:
        """Let another model answer in this session and in those that follow."""
        try:
            if self.talk is not None and self.is_open:
                await self.talk.session.set_model(model)
        except AgentError as error:
            self._outlet.emit(Noticed(self._outlet.now(), "model", error.message))
            return
        self._model = model
        self._turns.change_model(model)

    async def _open(self, loaded: Loaded) -> Session:
        """Go on with the conversation that was lost; if that cannot be, begin a new one and say so."""
        conversation = self._turns.translator.session_id
        if conversation:
            try:
                session = await self._enter(loaded, conversation)
            except CLINotFoundError:
                raise
            except AgentError as error:
                log.info("The conversation %s cannot be resumed: %s", conversation, error)
            else:
                self._turns.meter.restart(resumed=True)
                return session
        session = await self._enter(loaded, None)
        self._turns.meter.restart(resumed=False)
        if conversation:
            self._turns.translator.session_id = ""
            self._outlet.emit(Noticed(self._outlet.now(), "session_lost", FORGOTTEN))
        return session

    async def _enter(self, loaded: Loaded, conversation: str | None) -> Session:
        return await self._stack.enter_async_context(
            loaded.agent.session(
                loaded.context,
                can_use_tool=self._desk.ask,
                on_background=self._turns.take_background,
                resume=conversation,
                may_schedule=self._may_schedule,
            )
        )

    async def _watch(self, session: Session, talk: Conversation) -> None:
        """Notice that the CLI is gone, also while nobody asks it anything."""
        error = await session.ended()
        self._desk.withdraw()
        self._lose_jobs()
        if self._turns.current is not None:
            self._turns.end_background(error)
        elif not talk.is_loss_told:
            self.fail(error)
        self._on_loss()
