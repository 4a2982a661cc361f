"""The engine `claude-code`. Light: the SDK, which takes half a second to import, comes with the first session."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.engines import load_module

if TYPE_CHECKING:
    from claude_agent_sdk import CanUseTool, ClaudeAgentOptions, Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engine.claude.session import AgentSession
    from maverick_tui.agent.engines import Listener, Session
    from maverick_tui.config import MaverickConfig
    from maverick_tui.events.kinds import Event
    from maverick_tui.exceptions import AgentError


class ClaudeEngine:
    """Runs agents by the Claude Agent SDK and its CLI."""

    def check(self, agent: MaverickAgent) -> None:
        """Refuse tools that there are not."""
        agent._validate_tools(agent.allowed_tools, agent.mcp_servers)

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
        """A session that tells events; it goes on with the conversation of `resume`."""
        await _load()
        from maverick_tui.agent.engine.claude.telling import ClaudeSession, Memory, Recalled

        memory = resume.memory(listener.next_block) if isinstance(resume, Recalled) else resume
        assert memory is None or isinstance(memory, Memory)
        told = ClaudeSession(listener, memory)
        async with self.sdk_session(
            agent,
            settings,
            cwd,
            can_use_tool=told.can_use_tool if listener.ask is not None else None,
            on_background=told.hear,
            resume=memory.conversation if memory is not None else None,
            may_schedule=may_schedule,
            tells_state=listener.ask is None,
        ) as native:
            told.begin(native, agent._mode_by(settings))
            yield told

    def recall(self, told: Sequence[Event]) -> object | None:
        """The conversation by the id that the CLI has told, and what it had used."""
        from maverick_tui.agent.engine.claude.telling import Recalled

        return Recalled.of(told)

    async def query(
        self, agent: MaverickAgent, settings: MaverickConfig, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None]:
        """Ask once, in a CLI of its own, and yield the SDK's messages."""
        await _load()
        from maverick_tui.agent.engine.claude.oneshot import asked
        from maverick_tui.agent.engine.claude.transport import CliTransport

        timeout = agent._timeout_by(settings)
        transport = agent._transport or CliTransport
        options = agent._options_by(settings, cwd)
        async with asked(prompt, options, timeout=timeout, open_transport=transport) as reply:
            while await reply.arrived():
                while reply.unread:
                    yield reply.unread.popleft()
        if reply.failure is not None:
            raise reply.failure

    @asynccontextmanager
    async def sdk_session(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        *,
        can_use_tool: CanUseTool | None = None,
        on_background: Callable[[Message], None] | None = None,
        resume: str | None = None,
        may_schedule: bool = True,
        tells_state: bool = False,
    ) -> AsyncIterator[AgentSession]:
        """A session in the SDK's own messages, as `MaverickAgent.session` promises it.

        With `tells_state` the CLI says whether it still works, also beside its answers.
        """
        await _load()
        from maverick_tui.agent.engine.claude.scheduling import NO_JOBS, SCHEDULING_TOOLS, schedules
        from maverick_tui.agent.engine.claude.session import AgentSession
        from maverick_tui.agent.engine.claude.transport import CliTransport
        from maverick_tui.agent.engine.judging import judge_of

        options = agent._options_by(settings, cwd, person=can_use_tool is not None)
        if not may_schedule:
            refused = [*options.disallowed_tools, *SCHEDULING_TOOLS]
            options = replace(options, disallowed_tools=refused, env={**options.env, **NO_JOBS})
        if tells_state:
            options = replace(options, env={**options.env, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"})
        session = AgentSession(
            replace(options, can_use_tool=can_use_tool, resume=resume),
            judge=judge_of(agent, cwd, person=can_use_tool is not None),
            watches_jobs=schedules(agent.allowed_tools),
            timeout=agent._timeout_by(settings),
            open_transport=agent._transport or CliTransport,
            on_background=on_background,
        )
        await session.open()
        try:
            yield session
        finally:
            await session.close()

    def options(
        self, agent: MaverickAgent, settings: MaverickConfig, cwd: Path | str | None, *, person: bool
    ) -> ClaudeAgentOptions:
        """The SDK's options for this agent."""
        from maverick_tui.agent.engine.claude.options import options_of

        return options_of(agent, settings, cwd, person=person)

    def wrap_error(self, error: Exception) -> AgentError:
        """Any exception of the SDK as one of ours."""
        from maverick_tui.agent.engine.claude.failures import wrap_sdk_error

        return wrap_sdk_error(error)


async def _load() -> None:
    await load_module("maverick_tui.agent.engine.claude.options")
    await load_module("maverick_tui.agent.engine.claude.telling")


ENGINE = ClaudeEngine()
