"""Makes an agent ready to run. It blocks, for it imports and reads files: on an event loop it belongs in a thread."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from maverick_tui.agent.context import AgentContext, current_branch
from maverick_tui.events.kinds import AgentLoaded, TurnStarted
from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.git.repository import repository_of
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import server_secrets
from maverick_tui.runs.placing import Wish, find_place
from maverick_tui.runs.reach import Called, called_by, reaches_of
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

AgentSource: TypeAlias = "type[MaverickAgent] | Callable[[], type[MaverickAgent] | MaverickAgent]"
"""An agent's class, or a function that finds or makes the agent; it is called in a thread."""

NO_GIT = "(no git)"
_MARKDOWN = "maverick_tui.agent.catalog.loading"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run is made of: its agent, the folder it works in, and its settings; `extra` goes to its context."""

    source: AgentSource
    cwd: Path
    config: MaverickConfig | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    drafts: Mapping[str, str] = field(default_factory=dict)
    """What to ask an agent, by its name, instead of what its author has written."""
    remark: Callable[[TurnStarted, str], str] = lambda _turn, _draft: ""
    """What to say to a turn before it is answered, where there was this draft; empty for nothing."""
    wish: Wish = field(default_factory=Wish)
    """Whether it works in a worktree of its own."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An agent, and where it works."""

    agent: MaverickAgent
    context: AgentContext
    draft: str = ""
    """What the agent could be asked."""
    called: Called = field(default_factory=dict)
    """Agents that it may call."""
    project: str = ""
    """The folder that it was started in, where it works in a worktree of its own."""
    told: tuple[str, ...] = ()
    """What the person should know of where it works."""

    @property
    def is_plain(self) -> bool:
        """Whether its `execute` does nothing but send the prompt, as that of a Markdown file does."""
        return is_plain(self.agent)

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return self.agent._model_by(self.agent.config or self.context.config)

    @property
    def permission_mode(self) -> str:
        """The mode that its sessions are opened in."""
        return self.agent._mode_by(self.agent.config or self.context.config)

    @property
    def may_act(self) -> bool:
        """Whether there is anything to permit; else it only talks."""
        agent = self.agent
        return bool(agent.allowed_tools or agent.own_tools or agent.subagents or agent.mcp_servers or agent.skills)

    def describe(self, at: float) -> AgentLoaded:
        """The event that tells of it."""
        agent, settings = self.agent, self.agent.config or self.context.config
        offline = settings.env.get("MAVERICK_OFFLINE") or os.environ.get("MAVERICK_OFFLINE")
        return AgentLoaded(
            at,
            agent.name,
            str(self.context.cwd),
            branch="" if self.context.branch == NO_GIT else self.context.branch,
            model=self.model,
            permission_mode=self.permission_mode if self.may_act else "",
            description=agent.description,
            engine=agent.engine,
            is_offline=bool(offline),
            has_own_prompt=has_own_prompt(agent),
            max_turns=agent.limits.get("max_turns") or agent.max_turns or settings.max_turns,
            draft=self.draft,
            repository=repository_of(self.context.cwd),
            tools=tuple(agent.allowed_tools),
            reaches=reaches_of(agent, self.called),
            limits=self._limits(settings),
            project=self.project,
        )

    def _limits(self, settings: MaverickConfig) -> dict[str, Any]:
        """What a prompt may take, but for how often the model is asked."""
        own = {name: most for name, most in self.agent.limits.items() if type(most) in (int, float)}
        cost = own.pop("max_cost_usd", None) or self.agent.max_budget_usd or settings.max_budget_usd
        own.pop("max_turns", None)
        return {**own, **({"max_cost_usd": cost} if cost else {})}


def is_plain(agent: MaverickAgent) -> bool:
    """Whether its `execute` does nothing but send the prompt, as that of a Markdown file does."""
    return type(agent).execute.__module__ == _MARKDOWN


def has_own_prompt(agent: MaverickAgent) -> bool:
    """Whether it may be started without a prompt, since its author wrote one."""
    return not is_plain(agent) or bool(agent.initial_prompt)


def load(plan: RunPlan) -> Loaded:
    """The agent and its context; what its own code needs of the SDK is there afterwards, too."""
    from maverick_tui.config import MaverickConfig

    settings, source = plan.config or MaverickConfig.load(), plan.source
    try:
        made = source if isinstance(source, type) else source()
        agent = made(config=settings) if isinstance(made, type) else made
    except SystemExit as error:  # it would end the application
        raise AgentError(f"The agent cannot be loaded: its file exits with {error.code!r}.") from error
    conceal(value for server in agent.mcp_servers.values() for value in server_secrets(server))
    cwd = plan.cwd.expanduser().absolute()
    place = find_place(plan.wish, agent.name, agent.isolation, cwd)
    context = AgentContext(cwd=place.cwd, branch=branch_of(place.cwd), config=settings, extra=dict(plan.extra))
    draft = plan.drafts.get(agent.name) or agent.initial_prompt or ""
    project = str(cwd) if place.is_isolated else ""
    loaded = Loaded(agent, context, draft, called_by(agent, cwd), project, place.told)
    if not loaded.is_plain:
        importlib.import_module("maverick_tui.agent.sdk_messages")
    return loaded


async def load_aside(plan: RunPlan) -> Loaded:
    """The same in a thread that nobody waits for who ends meanwhile: the set-up of a worktree may take minutes."""
    return await in_thread(load, plan)


def branch_of(cwd: Path) -> str:
    """The branch of a folder, or that there is no git."""
    try:
        return current_branch(cwd)
    except ConfigError:
        return NO_GIT
