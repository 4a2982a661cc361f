"""Makes an agent class of a definition of the executor, so that one registry holds the agents of both engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.tools import API_FILE_TOOLS
from maverick_tui.executor.definition import TASK, AgentDefinition, substitute

if TYPE_CHECKING:
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult


def agent_class(definition: AgentDefinition, tools: Sequence[Any] = ()) -> type[MaverickAgent]:
    """A class that runs the definition; `tools` are those of its tools that it brings along."""

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
