"""AgentRegistry: agent classes by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from maverick_tui.agent.tools import API_FILE_TOOLS
from maverick_tui.exceptions import AgentNotFoundError, ConfigError, DuplicateAgentError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult
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
                return self.register(name.name, _agent_class(name, tools))
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


def _agent_class(definition: AgentDefinition, tools: Sequence[Any] = ()) -> type[MaverickAgent]:
    """A class that runs the definition; `tools` are those of its tools that it brings along."""
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.executor.definition import TASK, substitute

    class DefinedAgent(MaverickAgent):
        """An agent that was defined as a value."""

        async def execute(self, context: AgentContext) -> AgentResult:
            """Run `context.extra["prompt"]` in the query of the definition, or instead of it if it has no place there.

            What a person sends is a draft of the query that may have been changed.
            """
            task = str(context.extra.get(TASK) or "")
            query = substitute(definition.prompt.query, {**self.input_values, TASK: task or None})
            asked = query if definition.uses_task or not task else task
            return await self.run(asked or task or self.initial_prompt, context)

    brought = {getattr(tool, "name", getattr(tool, "__name__", "")) for tool in tools}
    wanted = API_FILE_TOOLS if definition.tools.tools is None else definition.tools.tools
    given: dict[str, Any] = {
        "name": definition.name,
        "description": definition.description,
        "system_prompt": definition.prompt.system or definition.description or definition.name,
        "allowed_tools": tuple(name for name in wanted if name not in brought),
        "own_tools": tuple(tools),
        "subagents": definition.tools.agents,
        "model": definition.model.model,
        "temperature": definition.model.temperature,
        "max_tokens": definition.model.max_tokens,
        "thinking": definition.model.thinking,
        "limits": definition.run.model_dump(exclude={"retry"}, exclude_none=True),
        "inputs": dict(definition.inputs.inputs),
        "output_schema": None if definition.output is None else definition.output.schema_,
        "initial_prompt": definition.prompt.query,
        "engine": "api",
        "__doc__": definition.description,
        "definition": definition,
    }
    for name, value in given.items():
        setattr(DefinedAgent, name, value)
    DefinedAgent.__name__ = DefinedAgent.__qualname__ = "".join(part.title() for part in definition.name.split("-"))
    return DefinedAgent


registry = AgentRegistry()
