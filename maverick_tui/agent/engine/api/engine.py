"""The engine `api`. Light: what asks the model comes with the first session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.engines import load_module
from maverick_tui.exceptions import AgentError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engines import Listener, Session
    from maverick_tui.config import MaverickConfig
    from maverick_tui.events.kinds import Event


class ApiEngine:
    """Runs agents by `maverick_tui.executor`, straight against the model API."""

    def check(self, agent: MaverickAgent) -> None:
        """Refuse what only the other engine can do."""
        from maverick_tui.agent.engine.api.checking import check

        check(agent)

    @asynccontextmanager
    async def open(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        listener: Listener,
        *,
        resume: object | None = None,
        may_schedule: bool = True,
    ) -> AsyncIterator[Session]:
        """A session of the agent's own kind; one that the engine opens itself can go on with an old conversation."""
        async with agent.api_session(settings, cwd, listener) as opened:
            if resume is not None:
                recall = getattr(opened, "recall", None)
                if recall is None or not isinstance(resume, tuple):  # there is no id that anybody could look it up by
                    raise AgentError("This conversation cannot be resumed.", kind="invalid", hint="Open a new session.")
                recall(resume)
            yield opened

    def recall(self, told: Sequence[Event]) -> object | None:
        """The messages of the conversation."""
        from maverick_tui.agent.engine.recalling import history_of

        return history_of(told) or None

    def hand_over(self, told: Sequence[Event]) -> object | None:
        """The messages as well: they are all that a session has of a conversation, whoever has had it."""
        return self.recall(told)

    @asynccontextmanager
    async def session(
        self, agent: MaverickAgent, settings: MaverickConfig, cwd: Path, listener: Listener
    ) -> AsyncIterator[Session]:
        """The session of an agent that opens none of its own."""
        building = await load_module("maverick_tui.agent.engine.api.building")
        session = await building.open_session(agent, settings, cwd, listener)
        try:
            yield session
        finally:
            await session.close()


ENGINE = ApiEngine()
