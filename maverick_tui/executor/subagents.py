"""AgentTool: a registered agent that another one calls like a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from maverick_tui.executor.definition import TASK, AgentDefinition
from maverick_tui.executor.result import ExecutionResult
from maverick_tui.executor.tools import ToolContext, ToolError

RunAgent: TypeAlias = Callable[[AgentDefinition, Mapping[str, Any], ToolContext], Awaitable[ExecutionResult[Any]]]


class AgentTool:
    """Takes the agent's declared inputs, and the task if its definition has none of its own."""

    is_read_only = True  # what it does is done by its own tools, which are asked about one by one

    def __init__(self, definition: AgentDefinition, run: RunAgent) -> None:
        self._definition = definition
        self._run = run
        self.name = definition.name
        self.description = definition.description or f"The agent {definition.name}."
        limit = definition.run.timeout_ms
        self.timeout = float("inf") if limit is None else limit / 1000 + 1  # its own limit comes first

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its inputs."""
        properties: dict[str, Any] = {}
        required = []
        if self._definition.needs_task:
            properties[TASK] = {"type": "string", "description": "What the agent is to do."}
            required.append(TASK)
        for spec in self._definition.inputs.specs:
            properties[spec.name] = {"type": spec.type, "description": spec.description}
            if spec.choices:
                properties[spec.name]["enum"] = list(spec.choices)
            if spec.required:
                required.append(spec.name)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Run the agent; what it says is the result, and a failure says what came before it."""
        result = await self._run(self._definition, arguments, context)
        if result.success:
            return result.output if result.output is not None else result.raw_content
        why = result.error or "; ".join(result.output_errors) or result.terminate_reason.value
        said = f"\n\nIt had said:\n{result.raw_content}" if result.raw_content else ""
        raise ToolError(f"The agent {self.name} did not finish ({result.terminate_reason.value}): {why}{said}")
