"""Markdown agents for the engine `api`: their fields, and every mistake in them with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.catalog import markdown
from maverick_tui.agent.catalog.loading import agent_class
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.exceptions import ConfigError, InvalidToolError
from tests.support.cases import each

HEAD = "---\nname: direct\ndescription: Talks to the API.\nengine: api\n"


def parse(fields: str = "", body: str = "You answer.\n") -> tuple[markdown.AgentFile | None, list[Problem]]:
    return markdown.parse(Path("direct.md"), f"{HEAD}{fields}---\n\n{body}".encode())


def problems_of(fields: str = "", body: str = "You answer.\n") -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in parse(fields, body)[1]]


def test_everything_that_it_may_say() -> None:
    file, problems = parse(
        "tools: Read, Grep\ntemperature: 0.2\nmaxTokens: 4000\nmaxTurns: 7\nagents: [helper]\n"
        "limits:\n  max_total_tokens: 1000\n  per_request: {timeout_ms: 500}\n"
        "output: {type: object, properties: {answer: {type: string}}, required: [answer]}\n"
        "inputs: {topic: {default: tea}}\n",
        "You talk about ${topic}, and write $${HOME} as it is.\n",
    )
    assert problems == []
    assert file is not None
    cls = agent_class(file)
    assert (cls.engine, cls.temperature, cls.max_tokens, cls.max_turns) == ("api", 0.2, 4000, 7)
    assert cls.limits == {"max_total_tokens": 1000, "per_request": {"timeout_ms": 500}}
    assert (tuple(cls.allowed_tools), cls.subagents) == (("Read", "Grep"), ("helper",))
    assert cls.output_schema["required"] == ["answer"]

    from maverick_tui.agent.engine.api.checking import definition_of
    from maverick_tui.executor.definition import substitute

    definition = definition_of(cls().with_inputs({"topic": "coffee"}), None)
    assert substitute(definition.prompt.system, {}).strip() == "You talk about coffee, and write ${HOME} as it is."
    assert (definition.run.max_turns, definition.run.max_total_tokens) == (7, 1000)


def test_without_tools_it_has_those_of_the_engine() -> None:
    file, problems = parse()
    assert problems == []
    assert file is not None
    assert set(file.tools) == {"Read", "Glob", "Grep"}


@pytest.mark.req("003-FR1-valid")
@each(
    ("fields", "line", "words"),
    [
        ("tools: Read, Bash\n", 5, "has no tool 'Bash'"),
        ("tools: Read(src/**)\n", 5, "without a rule"),
        ("temperature: 3\n", 5, "from 0 to 1"),
        ("limits: 5\n", 5, "must be a map"),
        ("limits:\n  max_turns: 3\n  max_cost_usd: -1\n", 7, "limits.max_cost_usd"),
        ("limits:\n  max_steps: 3\n", 6, "max_steps"),
        ("thinking: 100\n", 5, "1024"),
        ("output: {type: nonsense}\n", 5, "not a JSON schema"),
        ("effort: high\n", 5, "no effect with the engine api"),
        ("hooks: {}\n", 5, "no effect with the engine api"),
    ],
)
def test_a_mistake_is_told_with_its_line(fields: str, line: int, words: str) -> None:
    found = problems_of(fields)
    assert any(at == line and words in message for at, message in found), found


def test_a_field_without_a_value_is_a_warning_and_none_is_given() -> None:
    file, problems = parse("temperature:\nlimits:\nthinking: 0\n")
    assert file is not None
    assert [(problem.line, problem.severity) for problem in problems] == [(5, "warning"), (6, "warning")]
    assert not {"temperature", "limits"} & file.settings.keys()
    assert agent_class(file)().thinking == 0


@pytest.mark.req("003-FR1-template")
def test_a_variable_that_nobody_declares_is_told_with_its_line() -> None:
    found = problems_of("inputs: {topic: {default: tea}}\n", "You talk about\n${topic} and\n${topik}.\n")
    assert found == [(10, "${topik} is not a declared input.")]


def test_all_mistakes_come_at_once() -> None:
    assert len(problems_of("tools: Bash\ntemperature: 9\nlimits: 5\n")) == 3


def test_fields_of_this_engine_are_a_mistake_for_the_other() -> None:
    _, problems = markdown.parse(Path("a.md"), b"---\nname: a\ndescription: b\ntemperature: 0.5\n---\n\nYou answer.\n")
    assert [(problem.line, problem.message) for problem in problems] == [
        (4, "temperature has no effect with the engine claude-code.")
    ]


# -- classes ---------------------------------------------------------------------------------------------------------


def test_a_class_is_checked_when_it_is_made() -> None:
    from tests.support.agents import Talker

    class Wrong(Talker):
        engine = "api"
        allowed_tools = ("Bash",)

    with pytest.raises(InvalidToolError, match="the engine api has no such tool"):
        Wrong()

    class Unlimited(Talker):
        engine = "api"
        limits = {"max_turns": -1}

    with pytest.raises(ConfigError, match=r"run\.max_turns"):
        Unlimited()

    class Hooked(Talker):
        engine = "api"
        effort = "high"

    with pytest.raises(ConfigError, match="cannot have effort with the engine api"):
        Hooked()

    class Elsewhere(Talker):
        engine = "abacus"

    with pytest.raises(ConfigError, match="has the engine 'abacus'"):
        Elsewhere()
