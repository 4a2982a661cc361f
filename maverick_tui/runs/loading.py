"""Makes an agent ready to run. It blocks, for it imports and reads files: on an event loop it belongs in a thread."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from maverick_tui.agent.context import AgentContext, current_branch
from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.runs.events import RunStarted

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

AgentSource: TypeAlias = "type[MaverickAgent] | Callable[[], type[MaverickAgent] | MaverickAgent]"
"""An agent's class, or a function that finds or makes the agent; it is called in a thread."""

NO_GIT = "(no git)"
_MARKDOWN = "maverick_tui.agent.catalog.loading"


@dataclass(frozen=True, slots=True)
class Loaded:
    """An agent, and where it works."""

    agent: MaverickAgent
    context: AgentContext

    @property
    def is_plain(self) -> bool:
        """Whether its `execute` does nothing but send the prompt, as that of a Markdown file does."""
        return type(self.agent).execute.__module__ == _MARKDOWN

    @property
    def model(self) -> str:
        """The model that is asked for."""
        agent, settings = self.agent, self.agent.config or self.context.config
        return (agent.model if agent._names_model else settings.model or agent.model) or ""

    @property
    def permission_mode(self) -> str:
        """The mode that its sessions are opened in."""
        from maverick_tui.agent.fields import DEFAULT_PERMISSION_MODE

        settings = self.agent.config or self.context.config
        return self.agent.permission_mode or settings.permission_mode or DEFAULT_PERMISSION_MODE

    def describe(self, run_id: str, at: float) -> RunStarted:
        """The first event of its run."""
        agent, settings = self.agent, self.agent.config or self.context.config
        offline = settings.env.get("MAVERICK_OFFLINE") or os.environ.get("MAVERICK_OFFLINE")
        return RunStarted(
            at,
            run_id,
            agent=agent.name,
            cwd=str(self.context.cwd),
            branch="" if self.context.branch == NO_GIT else self.context.branch,
            model=self.model,
            permission_mode=self.permission_mode
            if agent.allowed_tools or agent.own_tools or agent.subagents or agent.mcp_servers or agent.skills
            else "",  # it only talks, so there is nothing to permit
            description=agent.description,
            engine=agent.engine,
            is_offline=bool(offline),
            has_own_prompt=not self.is_plain or bool(agent.initial_prompt),
            max_turns=agent.limits.get("max_turns") or agent.max_turns or settings.max_turns,
        )


def load(source: AgentSource, cwd: Path, config: MaverickConfig | None, extra: Mapping[str, Any]) -> Loaded:
    """The agent and its context; also the SDK is there afterwards."""
    from maverick_tui.config import MaverickConfig

    settings = config or MaverickConfig.load()
    try:
        made = source if isinstance(source, type) else source()
        agent = made(config=settings) if isinstance(made, type) else made
    except SystemExit as error:  # it would end the application
        raise AgentError(f"The agent cannot be loaded: its file exits with {error.code!r}.") from error
    context = AgentContext(cwd=cwd, branch=branch_of(cwd), config=settings, extra=dict(extra))
    importlib.import_module("maverick_tui.agent.engine.session")
    return Loaded(agent, context)


def branch_of(cwd: Path) -> str:
    """The branch of a folder, or that there is no git."""
    try:
        return current_branch(cwd)
    except ConfigError:
        return NO_GIT
