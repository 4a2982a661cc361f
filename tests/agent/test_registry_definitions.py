"""Definitions of the executor in the one registry."""

from __future__ import annotations

from dataclasses import replace

import pytest

from maverick_tui import AgentNotFoundError, AgentRegistry, ConfigError, DuplicateAgentError, registry
from maverick_tui.executor import AgentDefinition, AgentExecutor, PromptConfig, tool
from tests.conftest import ServeModel
from tests.executor.support import Model, calls, says
from tests.executor.support import call as wants
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


async def test_what_the_registry_gives_can_be_executed() -> None:
    @tool
    def double(number: int) -> int:
        """Twice as much."""
        return 2 * number

    agents = AgentRegistry()
    agents.register(definition(prompt={"query": "Count."}), tools=[double])
    agents.register("talker", Talker)
    model = Model(calls(wants("double", number=21)), says("42"))
    result = await AgentExecutor(model).execute(agents.get("counter"))
    assert (result.success, result.output, result.messages[2].content) == (True, "42", "42")
    with pytest.raises(ConfigError, match="Talker"):
        await AgentExecutor(model).execute(agents.get("talker"))


async def test_what_a_person_sends_goes_before_the_query_that_it_was_a_draft_of(serve: ServeModel) -> None:
    agents = AgentRegistry()
    agents.register(definition("plain", prompt={"query": "Count sheep."}))
    agents.register(definition("open", prompt={"query": "Count ${prompt}."}))
    async with serve([scene(say("1")), scene(say("2")), scene(say("3"))]) as model:
        for name, task in (("plain", ""), ("plain", "Count goats."), ("open", "cows")):
            await agents.create(name).execute(replace(context(), extra={"prompt": task}))
    assert [last_prompt(request) for request in model.requests] == ["Count sheep.", "Count goats.", "Count cows."]
