"""AgentRegistry: agent classes by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from maverick_tui.exceptions import AgentNotFoundError, ConfigError, DuplicateAgentError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.executor.definition import AgentDefinition

AgentClass = TypeVar("AgentClass", bound="type[MaverickAgent]")


class AgentRegistry:
    """Maps unique names to agent classes; the application's own is the module-level `registry`."""

    def __init__(self) -> None:
        self._agents: dict[str, type[MaverickAgent]] = {}

    @overload
    def register(self, name: str, cls: AgentClass) -> AgentClass: ...

    @overload
    def register(self, name: str) -> Callable[[AgentClass], AgentClass]: ...

    @overload
    def register(self, name: AgentDefinition, *, tools: Sequence[Any] = ()) -> type[MaverickAgent]: ...

    def register(self, name: str | AgentDefinition, cls: AgentClass | None = None, *, tools: Sequence[Any] = ()) -> Any:
        """Register a class under a name, directly or as a decorator; a name that is taken is refused at once.

        A definition of `maverick_tui.executor` becomes a class, with the `tools` that it brings along.
        """
        if not isinstance(name, str):
            from maverick_tui.executor.definition import AgentDefinition

            if isinstance(name, AgentDefinition):
                from maverick_tui.agent.engine.api.defined import agent_class

                return self.register(name.name, agent_class(name, tools))
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(f"An agent cannot be registered as {name!r}.", hint="Give it a name that is not empty.")
        if cls is None:
            return lambda decorated: self.register(name, decorated)
        if name in self._agents:
            first = self._agents[name]
            raise DuplicateAgentError(name, registered=f"{first.__module__}.{first.__qualname__}")
        self._agents[name] = cls
        return cls

    def get(self, name: str) -> type[MaverickAgent]:
        """The class of that name."""
        try:
            return self._agents[name]
        except KeyError:
            raise AgentNotFoundError(name, self._agents) from None

    def create(self, name: str, /, **kwargs: Any) -> MaverickAgent:
        """An instance of the class of that name, made with these arguments."""
        return self.get(name)(**kwargs)

    def get_all(self) -> dict[str, type[MaverickAgent]]:
        """All classes by name, in the order of registration."""
        return dict(self._agents)

    def list_agents(self) -> list[str]:
        """All names, in the order of registration."""
        return list(self._agents)

    def unregister(self, name: str) -> type[MaverickAgent]:
        """Forget a name; returns its class."""
        cls = self.get(name)
        del self._agents[name]
        return cls

    def __contains__(self, name: object) -> bool:
        return name in self._agents

    def __len__(self) -> int:
        return len(self._agents)


registry = AgentRegistry()
