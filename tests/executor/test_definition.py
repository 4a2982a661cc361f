"""Definitions: checked completely when they are made; variables filled from typed inputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor import (
    AgentDefinition,
    AgentExecutor,
    InputConfig,
    ModelConfig,
    OutputConfig,
    PromptConfig,
    RetryPolicy,
    Role,
    RunConfig,
    ToolConfig,
)
from maverick_tui.executor.definition import substitute, variables
from tests.executor.support import Model, define, says, watch
from tests.support.cases import each


@pytest.mark.req("003-FR1-def")
def test_a_definition_has_the_documented_parts_and_most_are_optional() -> None:
    least = AgentDefinition(name="least", description="Does little.", prompt=PromptConfig(query="Hi."))
    assert (least.model, least.run, least.tools) == (ModelConfig(), RunConfig(), ToolConfig())
    assert (least.inputs, least.output) == (InputConfig(), None)
    full = AgentDefinition.checked(
        {
            "name": "full",
            "description": "Has all.",
            "prompt": {
                "system": "Be ${mood}.",
                "query": "Go.",
                "initial_messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
            },
            "model": {"model": "claude-opus-4-5", "temperature": 0.2, "max_tokens": 100},
            "run": {"max_turns": 3, "timeout_ms": 1_000, "retry": {"max_retries": 1}},
            "tools": {"tools": ["look"], "agents": ["helper"], "timeout_ms": 5},
            "inputs": {"inputs": {"mood": {"type": "string", "default": "kind"}}},
            "output": {"schema": {"type": "object"}},
        }
    )
    assert full.run.retry == RetryPolicy(max_retries=1)
    assert full.inputs.specs[0].default == "kind"
    assert isinstance(full.output, OutputConfig)
    with pytest.raises(ValidationError):
        full.name = "other"  # type: ignore[misc]


@pytest.mark.req("003-FR1-valid")
def test_all_mistakes_are_told_in_one_error() -> None:
    with pytest.raises(ConfigError) as caught:
        AgentDefinition.checked(
            {
                "name": "two words",
                "prompt": {"system": 3},
                "model": {"temperature": 7},
                "run": {"max_turns": 0, "retry": {"jitter": 3}},
                "tools": {"max_parallel": 0},
                "inputs": {"inputs": {"a": {"type": "colour"}}},
                "output": {"schema": {"type": "nothing"}},
                "colour": "red",
            },
            path="agent.md",
        )
    text = str(caught.value)
    for word in (
        *("name", "prompt.system", "model.temperature", "run.max_turns", "jitter", "tools.max_parallel"),
        *("inputs.inputs", "output.schema", "colour"),
    ):
        assert word in text
    assert caught.value.path == "agent.md"


@pytest.mark.req("003-FR1-valid")
def test_an_unknown_variable_is_told_beside_other_mistakes() -> None:
    with pytest.raises(ConfigError) as caught:
        define("Be ${mood}.", model={"temperature": 7})
    assert "model.temperature" in str(caught.value)
    assert "${mood} is not a declared input" in str(caught.value)


@pytest.mark.req("003-FR1-valid", "003-FR1-template")
@pytest.mark.parametrize(
    "fields",
    [
        {"prompt": {"system": "Be ${moood}.", "query": "x"}},
        {"prompt": {"query": "Be ${moood:-kind}."}},
        {
            "prompt": {
                "initial_messages": [
                    {"role": "user", "content": "${moood}"},
                    {"role": "assistant", "content": "x"},
                ]
            }
        },
    ],
)
def test_an_unknown_variable_is_a_mistake_of_the_definition(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"\$\{moood\} is not a declared input\. Did you mean 'mood'\?"):
        define(inputs={"inputs": {"mood": {}}}, **fields)


@each(
    ("fields", "words"),
    [
        ({"model": {"thinking": 10}}, "1024"),
        ({"model": {"thinking": 2000, "max_tokens": 1500}}, "more than thinking"),
        ({"model": {"thinking": 2000, "temperature": 0.5}}, "temperature"),
        ({"model": {"top_p": 0.5, "temperature": 0.5}}, "top_p"),
        ({"model": {"thinking": 2000, "top_p": 0.5}}, "top_p"),
        ({"model": {"thinking": 2000, "tool_choice": "any"}}, "forced tool call"),
        ({"model": {"stop_sequences": ["  "]}}, "stop_sequences"),
        ({"prompt": {"initial_messages": [{"role": "assistant", "content": "x"}]}}, "alternate"),
        ({"run": {"retry": {"base_delay": -1}}}, "base_delay"),
        ({"run": {"retry": {"max_delay": float("nan")}}}, "max_delay"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        define(**fields)


@pytest.mark.req("003-FR1-template")
async def test_variables_are_filled_everywhere_from_typed_inputs() -> None:
    definition = define(
        prompt={
            "system": "Speak ${language:-English}.",
            "initial_messages": [
                {"role": "user", "content": "${count}?"},
                {"role": "assistant", "content": "Yes, ${really}."},
            ],
            "query": "Now $${count} is ${count}: ${prompt}",
        },
        inputs={
            "inputs": {
                "language": {"required": False},
                "count": {"type": "integer"},
                "really": {"type": "boolean", "default": True},
            }
        },
    )
    model = Model(says("ok"))
    await watch(model, definition, inputs={"count": "3", "prompt": "go ${count}"})
    [request] = model.requests
    assert request.system == "Speak English."
    assert [message.content for message in request.messages] == ["3?", "Yes, true.", "Now ${count} is 3: go ${count}"]
    assert [message.role for message in request.messages] == [Role.USER, Role.ASSISTANT, Role.USER]


@pytest.mark.req("003-FR1-template")
async def test_a_missing_value_is_an_error_before_anything_is_spent() -> None:
    model = Model()
    optional = {"inputs": {"mood": {"required": False}}}
    for definition in (
        define("Be ${mood}.", inputs=optional),
        define("x ${prompt}"),
        define(
            prompt={
                "initial_messages": [
                    {"role": "user", "content": "${mood:-}"},
                    {"role": "assistant", "content": "x"},
                ]
            },
            inputs=optional,
        ),
    ):
        with pytest.raises(ConfigError):
            await AgentExecutor(model).execute(definition, inputs={})
    assert model.requests == []


def test_substitution() -> None:
    values: dict[str, Any] = {"a": "A", "n": 3, "yes": True, "none": None, "empty": ""}
    assert substitute("${a}${n}${yes}", values) == "A3true"
    assert substitute("${none:-x}${empty:-y}${empty}", values) == "xy"
    assert substitute("$${a} $a ${ a} $$ ${}", values) == "${a} $a ${ a} $$ ${}"
    assert list(variables("${a}\n$${b} ${c:-d}")) == ["a", "c"]
    with pytest.raises(ConfigError, match="has no value"):
        substitute("${none}", values)
    with pytest.raises(ConfigError, match="not a declared input"):
        substitute("${other}", values)


@given(st.text(alphabet="${}ab", max_size=12))
def test_what_is_filled_in_is_not_filled_again(value: str) -> None:
    assert substitute("<${a}>", {"a": value, "b": "never"}) == f"<{value}>"


@given(st.text(alphabet="${}ab:- ", max_size=20).filter(lambda text: "$$" not in text))
def test_any_text_can_be_written_literally(text: str) -> None:
    assert substitute(text.replace("${", "$${"), {}) == text


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ({"query": "Sum it up."}, "Sum it up.\n\nIn German."),
        ({"query": "Sum it up: ${prompt}"}, "Sum it up: In German."),
        ({"query": "Sum it up.", "system": "You are told: ${prompt}"}, "Sum it up."),
        ({}, "In German."),
    ],
)
async def test_a_task_reaches_the_model_also_where_there_is_a_query(prompt: dict[str, Any], asked: str) -> None:
    model = Model(says("ok"))
    await watch(model, define(prompt=prompt), inputs={"prompt": "In German."})
    request = model.requests[0]
    assert request.messages[-1].content == asked
    assert "In German." in request.system + asked
