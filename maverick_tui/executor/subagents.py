"""Subagents: registered agents that another one calls like tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.definition import TASK, AgentDefinition
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult
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


class Below(Protocol):
    """The execution of an agent that was called."""

    async def run(self) -> ExecutionResult[Any]:
        """Run to the end."""

    def wind_up(self, error: AgentError | None) -> None:
        """Close what is open."""

    def metrics(self) -> ExecutionMetrics:
        """What it has used so far."""


class Subagents:
    """The agents that one execution calls; `used` is what each has used, by the call that it served."""

    def __init__(self, begin: Callable[[AgentDefinition, Mapping[str, Any], ToolContext], Below]) -> None:
        self._begin = begin
        self._running: dict[str, Below] = {}
        self.used: dict[str, ExecutionMetrics] = {}

    async def run(
        self, definition: AgentDefinition, inputs: Mapping[str, Any], context: ToolContext
    ) -> ExecutionResult[Any]:
        """Run one for the call that it serves."""
        one = self._running[context.call_id] = self._begin(definition, inputs, context)
        try:
            return await one.run()
        finally:
            del self._running[context.call_id]
            self.used[context.call_id] = one.metrics()

    def wind_up(self) -> None:
        """Close what those that are under way have open."""
        for call_id, one in self._running.items():
            one.wind_up(None)
            self.used[call_id] = one.metrics()
