"""What users of the library import from one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

import maverick_tui.executor
from maverick_tui.exceptions import AgentError
from maverick_tui.executor import AgentDefinition, AgentExecutor, ExecutionResult, OutputConfig, PromptConfig

if TYPE_CHECKING:
    from typing import assert_type

    class Report(BaseModel):
        """An output."""

    async def types_are_carried_from_the_schema_to_the_output(executor: AgentExecutor) -> None:
        """Read by mypy, which complains if one of them is something else."""
        prompt = PromptConfig(query="Go.")
        typed = AgentDefinition(name="typed", prompt=prompt, output=OutputConfig(schema=Report))
        assert_type(typed, AgentDefinition[Report])
        assert_type((await executor.execute(typed)).output, Report | None)
        assert_type(executor.stream(typed).result, ExecutionResult[Report])
        assert_type((await executor.execute(AgentDefinition(name="plain", prompt=prompt))).output, Any | None)


WANTED = {
    *("Approve", "ExecutionStream", "LimitError", "RefusalError", "RequestLimits"),
    *("Thought", "ToolError", "ToolServers", "Verdict"),
}


def test_names_that_are_needed_to_use_it_are_there() -> None:
    assert set(maverick_tui.executor.__all__) >= WANTED
    for name in maverick_tui.executor.__all__:
        assert getattr(maverick_tui.executor, name) is not None
    for name in ("LimitError", "RefusalError", "ToolError"):
        assert issubclass(getattr(maverick_tui.executor, name), AgentError)


def test_a_type_may_be_given_where_a_definition_is_made() -> None:
    class Note(BaseModel):
        text: str

    values = {"name": "x", "prompt": PromptConfig(query="Go."), "output": OutputConfig[Note](schema=Note)}
    made = AgentDefinition[Note].model_validate(values)
    assert (type(made), made.output) == (AgentDefinition, OutputConfig(schema=Note))
