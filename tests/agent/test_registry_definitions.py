"""Definitions of the executor in the one registry."""

from __future__ import annotations

import pytest

from maverick_tui import AgentNotFoundError, AgentRegistry, DuplicateAgentError, registry
from maverick_tui.executor import AgentDefinition, PromptConfig, tool
from tests.conftest import ServeModel
from tests.support.agents import Talker, context
from tests.support.model import call, last_prompt, say, scene


def definition(name: str = "counter", **more: object) -> AgentDefinition:
    values = {"name": name, "description": "Counts.", "prompt": {"system": "You count."}, **more}
    return AgentDefinition.checked(values)


@pytest.mark.req("003-FR4-ops")
def test_register_get_all_unregister() -> None:
    agents = AgentRegistry()
    counter = agents.register(definition())
    agents.register("talker", Talker)
    assert agents.get("counter") is counter
    assert agents.get_all() == {"counter": counter, "talker": Talker}
    assert agents.unregister("counter") is counter
    assert "counter" not in agents
    with pytest.raises(AgentNotFoundError):
        agents.get("counter")
    made = AgentRegistry().register(definition())()
    assert (made.name, made.engine, made.system_prompt) == ("counter", "api", "You count.")


@pytest.mark.req("003-FR4-dup")
def test_a_name_is_taken_once_by_either_engine() -> None:
    agents = AgentRegistry()
    agents.register("counter", Talker)
    with pytest.raises(DuplicateAgentError, match="counter"):
        agents.register(definition())


@pytest.mark.req("003-FR4-o1")
def test_a_name_is_looked_up_and_not_searched_for() -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    agents = AgentRegistry()
    for number in range(1_000):
        agents.register(Counted(f"agent-{number}"), Talker)
    Counted.compared = 0
    agents.get(Counted("agent-999"))
    assert Counted.compared <= 2


@pytest.mark.req("003-FR4-single")
def test_the_application_has_one() -> None:
    from maverick_tui.agent.registry import registry as same

    assert registry is same


async def test_a_definition_runs_with_its_tools_and_inputs(serve: ServeModel) -> None:
    @tool(is_read_only=True)
    def double(number: int) -> int:
        """Twice as much."""
        return 2 * number

    counter = AgentRegistry().register(
        AgentDefinition(
            name="counter",
            prompt=PromptConfig(system="You count ${what}.", query="Count ${what}, please."),
            inputs={"inputs": {"what": {"default": "sheep"}}},  # type: ignore[arg-type]
        ),
        tools=[double],
    )
    async with serve([scene(call("double", number=21), say("42"))]) as model:
        result = await counter().with_inputs({"what": "goats"}).execute(context())
    assert (result.success, result.output) == (True, "42")
    assert last_prompt(model.requests[0]) == "Count goats, please."
    assert "You count goats." in str(model.requests[0]["system"])
