"""Declared inputs: what may be declared, how values are read, and where they go."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import AgentContext, AgentResult, ConfigError, MaverickAgent
from maverick_tui.inputs import MAX_INPUTS, InputSpec, Mistake, as_text, fill, parse_inputs, places, validate
from tests.support.agents import context
from tests.support.cases import each


def spec(**entry: object) -> InputSpec:
    (only,), mistakes = parse_inputs({"x": entry})
    assert mistakes == []
    return only


def mistake(declared: object) -> Mistake:
    _, (only,) = parse_inputs(declared)
    return only


def read(kind: str, text: object) -> object:
    checked = validate([spec(type=kind)], {"x": text})
    return checked.problems.get("x", checked.values.get("x"))


# -- declaring -------------------------------------------------------------------------------------------------------


def test_a_name_alone_is_a_text_that_is_needed() -> None:
    assert parse_inputs({"base": None}) == ((InputSpec("base"),), [])
    assert parse_inputs({}) == ((), [])


def test_a_default_makes_it_optional_unless_it_says_otherwise() -> None:
    assert spec(default="main").required is False
    assert spec(default="main", required=True).required is True
    assert spec(required=False) == InputSpec("x", required=False)


def test_a_key_without_a_value_is_not_given() -> None:
    assert spec(type=None, description=None, default=None, choices=None, required=None) == InputSpec("x")


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "integer", "default": 3, "choices": [1, 3]},
        {"type": "number", "default": 2.5, "description": "How much."},
        {"type": "boolean", "default": False},
        {"choices": ["a", "b"], "required": False},
    ],
)
def test_a_declaration_survives_the_way_to_json_and_back(entry: dict[str, object]) -> None:
    declared = spec(**entry)
    again = json.loads(json.dumps(declared.declaration()))
    assert parse_inputs({"x": again}) == ((declared,), [])
    assert json.loads(json.dumps(declared.to_json()))["name"] == "x"


@each(
    ("declared", "at", "message", "hint"),
    [
        ([], (), "must be a map", "name: {type"),
        ({f"n{i}": None for i in range(MAX_INPUTS + 1)}, (), "21 entries", "Remove"),
        ({"a-b": None}, ("a-b",), "'a-b' cannot be a name", "letters"),
        ({"": None}, ("",), "'' cannot be a name", "letters"),
        ({5: None}, ("5",), "5 cannot be a name", "letters"),
        ({"prompt": None}, ("prompt",), "the task itself", "another name"),
        ({"x": "main"}, ("x",), "'x' must be a map, not 'main'", "x: {description"),
        ({"x": 0}, ("x",), "'x' must be a map, not 0", "x: {description"),
        ({"x": {"defualt": 1}}, ("x", "defualt"), "has no field 'defualt'", "Did you mean 'default'?"),
        ({"x": {"length": 1}}, ("x", "length"), "has no field 'length'", "There are: type"),
        ({"x": {"type": "int"}}, ("x", "type"), "cannot be 'int'", "Choose one of: string"),
        ({"x": {"type": "bolean"}}, ("x", "type"), "cannot be 'bolean'", "Did you mean 'boolean'?"),
        ({"x": {"type": []}}, ("x", "type"), "cannot be []", "Choose"),
        ({"x": {"description": 3}}, ("x", "description"), "must be text", "Quote"),
        ({"x": {"required": "yes"}}, ("x", "required"), "must be true or false", "true or false"),
        ({"x": {"default": 3}}, ("x", "default"), "must be text, not 3", "Quote it"),
        ({"x": {"default": ""}}, ("x", "default"), "must be text, not ''", "another type"),
        ({"x": {"type": "integer", "default": "3"}}, ("x", "default"), "a whole number, not '3'", "whole number"),
        ({"x": {"type": "integer", "default": 3.5}}, ("x", "default"), "a whole number, not 3.5", "whole number"),
        ({"x": {"type": "number", "default": float("nan")}}, ("x", "default"), "a number, not nan", "a number"),
        ({"x": {"type": "boolean", "default": 1}}, ("x", "default"), "true or false, not 1", "true or false"),
        ({"x": {"type": "boolean", "choices": [True]}}, ("x", "choices"), "not be there", "Remove"),
        ({"x": {"choices": "a, b"}}, ("x", "choices"), "list of 1 to 50", "[one, two]"),
        ({"x": {"choices": []}}, ("x", "choices"), "list of 1 to 50", "[one, two]"),
        ({"x": {"choices": ["a", 1]}}, ("x", "choices"), "must be text, not 1", "Quote"),
        ({"x": {"choices": ["a", "b"], "default": "c"}}, ("x", "default"), "not one of its choices", "a, b"),
    ],
)
def test_a_wrong_declaration_is_told_with_its_place(
    declared: object, at: tuple[str, ...], message: str, hint: str
) -> None:
    found = mistake(declared)
    assert found.at == at
    assert message in found.message
    assert hint in found.hint


def test_a_wrong_input_costs_no_other_one() -> None:
    specs, mistakes = parse_inputs({"a": {"type": "int"}, "b": None})
    assert [one.name for one in specs] == ["b"]
    assert len(mistakes) == 1


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(ANYTHING)
def test_nothing_that_is_declared_breaks_the_reading(declared: object) -> None:
    specs, _ = parse_inputs({"x": declared})
    assert all(isinstance(one, InputSpec) for one in specs)
    parse_inputs(declared)


# -- values ----------------------------------------------------------------------------------------------------------


@each(
    ("kind", "text", "value"),
    [
        ("string", " two words ", " two words "),
        ("string", "007", "007"),
        ("integer", " -12 ", -12),
        ("integer", 4, 4),
        ("number", "2", 2),
        ("number", "2.50", 2.5),
        ("number", "1e3", 1000.0),
        ("boolean", "Yes", True),
        ("boolean", "off", False),
        ("boolean", True, True),
    ],
)
def test_a_value_is_read_by_its_type(kind: str, text: object, value: object) -> None:
    assert read(kind, text) == value
    assert type(read(kind, text)) is type(value)


@each(
    ("kind", "text", "problem"),
    [
        ("integer", "1.5", "must be a whole number"),
        ("integer", 1.5, "must be a whole number"),
        ("integer", True, "must be a whole number"),
        ("integer", "1_000", "must be a whole number"),
        ("integer", "٣", "must be a whole number"),
        ("number", "much", "must be a number"),
        ("number", "nan", "must be a number"),
        ("number", "1e999", "must be a number"),
        ("number", 10**30, "must be a number"),
        ("boolean", "maybe", "must be true or false"),
        ("boolean", 1, "must be true or false"),
        ("string", 5, "must be text"),
        ("string", "a\x00b", "without control characters"),
        ("string", "x" * 1_000_001, "at most 1,000,000 characters"),
        ("string", "", "is needed"),
        ("integer", "  ", "is needed"),
        ("string", None, "is needed"),
    ],
)
def test_a_value_that_does_not_fit_is_a_problem_of_its_field(kind: str, text: object, problem: str) -> None:
    assert problem in str(read(kind, text))


@pytest.mark.parametrize("text", ["a\r\nb", "page\fpage", "a\tb\vc", "x" * 4_001])
def test_text_may_be_long_and_have_any_line_ends(text: str) -> None:
    assert read("string", text) == text


def test_what_is_not_given_has_its_default_and_what_is_cleared_is_nothing() -> None:
    one = spec(default="main")
    assert validate([one], {}).values == {"x": "main"}
    assert validate([one], {"x": ""}).values == {"x": None}


def test_only_a_choice_will_do() -> None:
    one = spec(type="integer", choices=[1, 2])
    assert validate([one], {"x": "2"}).values == {"x": 2}
    assert validate([one], {"x": "3"}).problems == {"x": "must be one of 1, 2"}


def test_a_value_that_nobody_asked_for_is_a_problem() -> None:
    told = validate([InputSpec("base")], {"base": "x", "bsae": "y", "q": "z"}).problems
    assert told["bsae"] == "is not an input of this agent (did you mean 'base'?)"
    assert told["q"] == "is not an input of this agent"


# -- filling ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("003-FR1-template")
@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${base}..HEAD", "main..HEAD"),
        ("${base:-dev}", "main"),
        ("${none:-dev}", "dev"),
        ("[${none}]", "[]"),
        ("${deep} ${count}", "true 3"),
        ("${HOME} ${HOME:-x} $base {base} ${} ${base", "${HOME} ${HOME:-x} $base {base} ${} ${base"),
        ("${tricky}", "${base}"),
    ],
)
def test_only_declared_names_are_filled(text: str, filled: str) -> None:
    values = {"base": "main", "none": None, "deep": True, "count": 3, "tricky": "${base}"}
    assert fill(text, values) == filled


@given(st.text())
def test_text_is_left_alone_without_inputs(text: str) -> None:
    assert fill(text, {}) == text


def test_places_are_found_with_where_they_are() -> None:
    assert list(places("a ${b} ${c:-d}")) == [("b", 2, 6), ("c", 7, 14)]


def test_values_are_text_as_a_prompt_wants_it() -> None:
    assert [as_text(value) for value in (None, True, 3, 2.5, "x")] == ["", "true", "3", "2.5", "x"]


# -- agents ----------------------------------------------------------------------------------------------------------


class Comparer(MaverickAgent):
    """Compares."""

    system_prompt = "Compare with ${base}. Home is ${HOME}."
    initial_prompt = "Compare ${depth:-all}."
    inputs: Mapping[str, object] = {"base": {"default": "main"}, "depth": {"type": "integer", "required": False}}

    async def execute(self, context: AgentContext) -> AgentResult:
        return await self.run(str(context.extra), context)


def test_an_agent_is_filled_and_the_first_one_stays_as_it_was() -> None:
    agent = Comparer()
    assert "${base}" in str(agent.options.system_prompt)
    filled = agent.with_inputs({"base": "dev", "depth": "2"})
    assert filled.system_prompt == "Compare with dev. Home is ${HOME}."
    assert filled.initial_prompt == "Compare 2."
    assert filled.input_values == {"base": "dev", "depth": 2}
    assert filled.options.system_prompt == filled.system_prompt
    assert (agent.system_prompt, agent.initial_prompt) == (Comparer.system_prompt, Comparer.initial_prompt)
    assert agent.input_values == {}


def test_without_values_the_defaults_are_filled_in() -> None:
    filled = Comparer().with_inputs({})
    assert (filled.system_prompt, filled.initial_prompt) == (
        "Compare with main. Home is ${HOME}.",
        "Compare all.",
    )


def test_the_values_fit_into_a_context() -> None:
    there = context()
    again = AgentContext(there.cwd, there.branch, there.config, {**Comparer().with_inputs({}).input_values})
    assert again.extra == {"base": "main", "depth": None}


def test_a_value_that_does_not_fit_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="'comparer' cannot be used: depth must be a whole number"):
        Comparer().with_inputs({"depth": "deep"})


def test_a_prompt_that_grows_too_long_is_refused() -> None:
    class Repeater(Comparer):
        system_prompt = "${base}" * 100

    with pytest.raises(ConfigError, match="can be passed on"):
        Repeater().with_inputs({"base": "x" * 4_000})


def test_a_class_with_wrong_inputs_cannot_be_made() -> None:
    class Wrong(Comparer):
        inputs = {"base": {"type": "text"}}

    with pytest.raises(ConfigError, match="type of 'base' cannot be 'text'"):
        Wrong()
