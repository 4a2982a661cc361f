"""The engine `claude-code`. Light: the SDK, which takes half a second to import, comes with the first session."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.engines import answers_of, begins_of, calls_of, hold_of, load_module, passed_of, returned_of
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from claude_agent_sdk import CanUseTool, ClaudeAgentOptions, Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engine.claude.session import AgentSession
    from maverick_tui.agent.engines import Begins, Hold, Listener, Session
    from maverick_tui.config import MaverickConfig
    from maverick_tui.events.kinds import Event
    from maverick_tui.exceptions import AgentError


OWN_PROMPT = "CLAUDE_CODE_HOST_PROMPT_SUPERSEDES_RECORD"
"""Without it the CLI answers by the system prompt that a conversation began with, whichever agent goes on with it."""


class ClaudeEngine:
    """Runs agents by the Claude Agent SDK and its CLI."""

    def check(self, agent: MaverickAgent) -> None:
        """Refuse tools that there are not, and hooks that the CLI would pass over."""
        agent._validate_tools(agent.allowed_tools, agent.mcp_servers)
        if agent.hooks is not None:
            from maverick_tui.agent.hooks import require_sound

            require_sound(agent.hooks, agent.name)

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
        """A session that tells events; it goes on with the conversation of `resume`, or with one that begins in it."""
        await _load()
        from maverick_tui.agent.engine.claude.recalling import HandedOver, Recalled
        from maverick_tui.agent.engine.claude.telling import ClaudeSession, Memory

        resume = Recalled(resume) if isinstance(resume, str) else resume
        if isinstance(resume, Recalled | HandedOver):
            memory: object = resume.memory(listener.next_block, answers_of(listener))
        else:
            memory = resume
        assert memory is None or isinstance(memory, Memory)
        told = ClaudeSession(listener, memory)
        async with self.sdk_session(
            agent,
            settings,
            cwd,
            can_use_tool=told.can_use_tool if listener.ask is not None else None,
            on_background=told.hear,
            resume=(memory.conversation or None) if memory is not None else None,
            may_schedule=may_schedule,
            tells_state=listener.ask is None,
            fork_at=memory.place if memory is not None and memory.is_fork else None,
            hold=hold_of(listener),
            begins=begins_of(listener),
            returned=returned_of(listener),
            taken=calls_of(listener),
        ) as native:
            native.on_passed(passed_of(listener))
            told.begin(native, agent._mode_by(settings))
            yield told

    def recall(self, told: Sequence[Event]) -> object | None:
        """The conversation by the id that the CLI has told, and what it had used."""
        from maverick_tui.agent.engine.claude.recalling import Recalled

        return Recalled.of(told)

    def hand_over(self, told: Sequence[Event]) -> object | None:
        """What was said, as text: the CLI takes no messages but those of conversations that it has had itself."""
        from maverick_tui.agent.engine.claude.recalling import HandedOver
        from maverick_tui.agent.engine.recalling import in_words

        return HandedOver(words) if (words := in_words(told)) else None

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
        fork_at: str | None = None,
        hold: Hold | None = None,
        begins: Begins | None = None,
        returned: Callable[[str], None] = lambda _call: None,
        taken: set[str] | None = None,
    ) -> AsyncIterator[AgentSession]:
        """A session in the SDK's own messages, as `MaverickAgent.session` promises it.

        With `tells_state` the CLI says whether it still works, also beside its answers. With `fork_at`, a message of
        the conversation that is resumed, or "" for its last one, that stays as it is, and another begins there.
        """
        await _load()
        from maverick_tui.agent.engine.claude.options import judge_by
        from maverick_tui.agent.engine.claude.scheduling import NO_JOBS, schedules
        from maverick_tui.agent.engine.claude.session import AgentSession, gone_elsewhere, is_elsewhere
        from maverick_tui.agent.engine.claude.stored import left_in
        from maverick_tui.agent.engine.claude.transport import CliTransport
        from maverick_tui.agent.tools import SCHEDULING_TOOLS

        options = agent._options_by(settings, cwd, person=can_use_tool is not None)
        if resume is not None and (place := await in_thread(left_in, resume)) and is_elsewhere(place, cwd):
            raise gone_elsewhere(place, cwd)
        if not may_schedule:
            refused = [*options.disallowed_tools, *SCHEDULING_TOOLS]
            options = replace(options, disallowed_tools=refused, env={**options.env, **NO_JOBS})
        if tells_state:
            options = replace(options, env={**options.env, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"})
        if resume is not None:
            options = replace(options, env={**options.env, OWN_PROMPT: "1"})
        if fork_at is not None:
            options = replace(options, fork_session=True, resume_session_at=fork_at or None)
        session = AgentSession(
            replace(options, can_use_tool=can_use_tool, resume=resume),
            judge=judge_by(settings, agent, cwd, person=can_use_tool is not None),
            watches_jobs=schedules(agent.allowed_tools),
            timeout=agent._timeout_by(settings),
            open_transport=agent._transport or CliTransport,
            on_background=on_background,
            hold=hold,
            begins=begins,
            returned=returned,
            taken=taken,
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
