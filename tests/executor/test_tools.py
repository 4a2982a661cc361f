"""Tools: what is derived from a function, how its arguments are checked, and where it runs."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field

from maverick_tui.exceptions import ConfigError, InvalidToolError
from maverick_tui.executor import CancelToken, Tool, ToolContext, ToolRegistry, tool
from maverick_tui.executor.tools import FunctionTool, ToolError
from maverick_tui.threads import in_thread
from tests.support.cases import each

CONTEXT = ToolContext(call_id="call_1", agent="tester")
NONE: Any = Field(default_factory=list)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: int
    y: int = 0


class Shape(BaseModel):
    name: str
    points: list[Point] = Field(max_length=3)


@tool
def weather(
    city: Annotated[str, Field(description="Where.")],
    days: Annotated[int, Field(ge=1, le=7)] = 3,
    unit: Literal["C", "F"] = "C",
    note: Optional[str] = None,  # noqa: UP045
) -> dict[str, Any]:
    """Tell the weather.

    Only for cities.
    """
    return {"city": city, "days": days, "unit": unit, "note": note}


# -- what is derived -------------------------------------------------------------------------------------------------


@pytest.mark.req("002-R2-tool")
async def test_a_function_says_what_its_tool_is() -> None:
    assert isinstance(weather, Tool)
    assert weather.name == "weather"
    assert weather.description == "Tell the weather.\n\nOnly for cities."
    assert weather.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["city"],
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 3},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
    }
    assert (weather.timeout, weather.is_read_only, weather.completes) == (None, False, False)
    result = await weather.execute({"city": "Bonn", "days": 2}, CONTEXT)
    assert result == {"city": "Bonn", "days": 2, "unit": "C", "note": None}


def test_what_is_derived_can_be_said_instead() -> None:
    @tool(name="by-hand", description="  Said.\n    So.", timeout=2.5, is_read_only=True, completes=True)
    def function(x: int) -> int:
        """Not this."""
        return x

    assert (function.name, function.description, function.timeout) == ("by-hand", "Said.\nSo.", 2.5)
    assert function.is_read_only
    assert function.completes


def test_a_decorated_function_can_still_be_called() -> None:
    assert weather("Bonn") == {"city": "Bonn", "days": 3, "unit": "C", "note": None}
    assert (weather.__doc__ or "").startswith("Tell the weather.")


async def test_models_enums_and_dates_arrive_as_what_they_are() -> None:
    @tool
    def draw(shape: Shape, colour: Colour, day: date, more: list[Point] = NONE) -> Any:
        return shape, colour, day, more

    assert draw.parameters["properties"]["shape"] == {"$ref": "#/$defs/Shape"}
    assert draw.parameters["$defs"]["Colour"]["enum"] == ["red", "blue"]
    given = {"shape": {"name": "line", "points": [{"x": 1}]}, "colour": "blue", "day": "2026-11-15"}
    assert await draw.execute(given, CONTEXT) == (
        Shape(name="line", points=[Point(x=1)]),
        Colour.BLUE,
        date(2026, 11, 15),
        [],
    )


async def test_a_default_is_not_shared_between_calls() -> None:
    @tool
    def collect(into: list[int] = []) -> list[int]:  # noqa: B006
        into.append(1)
        return into

    assert [await collect.execute({}, CONTEXT) for _ in range(2)] == [[1], [1]]


@pytest.mark.parametrize(
    "name", ["json", "copy", "schema", "model_config", "model_validate", "dict", "_x", "self", "title"]
)
async def test_a_parameter_may_have_any_name(name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"def named({name}: int, other: str = 'x') -> int: return {name}", namespace)
    named = FunctionTool(namespace["named"])
    assert named.parameters["properties"][name] == {"type": "integer"}
    assert named.parameters["required"] == [name]
    assert await named.execute({name: 7}, CONTEXT) == 7
    with pytest.raises(ToolError, match=f"{name}: Field required"):
        await named.execute({}, CONTEXT)


@pytest.mark.parametrize("kind", [ToolContext, ToolContext | None, Annotated[ToolContext, "the call"]])
async def test_the_context_is_given_and_not_asked_of_the_model(kind: Any) -> None:
    def whose(x: int, call: Any = None) -> str:
        return f"{call.call_id} of {call.agent}: {x}"

    whose.__annotations__["call"] = kind
    made = FunctionTool(whose)
    assert list(made.parameters["properties"]) == ["x"]
    assert await made.execute({"x": 1}, CONTEXT) == "call_1 of tester: 1"
    with pytest.raises(ToolError, match="call: Extra inputs are not permitted"):
        await made.execute({"x": 1, "call": {}}, CONTEXT)


async def test_methods_and_functions_without_parameters_are_tools() -> None:
    class Counter:
        count = 0

        async def up(self, by: int = 1) -> int:
            self.count += by
            return self.count

        def reset(self) -> None:
            self.count = 0

    counter = Counter()
    up, reset = FunctionTool(counter.up), FunctionTool(counter.reset)
    assert (await up.execute({"by": 2}, CONTEXT), await up.execute({}, CONTEXT)) == (2, 3)
    assert reset.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert await reset.execute({}, CONTEXT) is None
    assert counter.count == 0


def untyped(x):  # type: ignore[no-untyped-def]
    return x


def many(*numbers: int) -> None: ...


def named(**numbers: int) -> None: ...


def placed(x: int, /) -> None: ...


def unknown(x: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def not_json(x: Callable[[], None]) -> None: ...


def no_schema(x: threading.Lock) -> None: ...


@each(
    ("function", "message"),
    [
        (untyped, "its parameter 'x' has no type. Give every parameter a type."),
        (many, r"cannot give \*numbers: .* by name"),
        (named, r"cannot give \*\*numbers: .* by name"),
        (placed, "the model cannot give"),
        (unknown, "name 'Missing' is not defined. Import the types that it names."),
        (not_json, "Use types that JSON can carry"),
        (no_schema, "Use types that JSON can carry"),
        (lambda: None, "A tool cannot be named '<lambda>'"),
        (functools.partial(placed, 1), "A tool cannot be named ''"),
        (max, "no signature found"),
    ],
)
def test_what_cannot_be_a_tool_is_said(function: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tool(function)


@pytest.mark.parametrize("name", ["two words", "dot.ted", "ü", "x" * 129, "a\n"])
def test_names_that_the_api_does_not_take(name: str) -> None:
    with pytest.raises(ConfigError, match="A tool cannot be named"):
        tool(name=name)(weather)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_timeout_is_a_number_of_seconds(timeout: float) -> None:
    with pytest.raises(ConfigError, match="has the timeout"):
        tool(timeout=timeout)(placed)


# -- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "The arguments of weather are wrong: city: Field required."),
        ({"city": "Bonn", "days": 9}, "days: Input should be less than or equal to 7."),
        ({"city": "Bonn", "unit": "K"}, "unit: Input should be 'C' or 'F'."),
        ({"city": 3, "day": 1}, "city: Input should be a valid string; day: Extra inputs are not permitted."),
    ],
)
async def test_wrong_arguments_are_told_in_a_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        await weather.execute(arguments, CONTEXT)
    assert str(caught.value).endswith(message)
    assert "\n" not in str(caught.value)
    assert caught.value.kind == "tool"


async def test_where_something_is_wrong_inside_is_told() -> None:
    @tool
    def draw(shape: Shape) -> None: ...

    with pytest.raises(ToolError, match=r"shape\.points\.1\.x: Input should be a valid integer"):
        await draw.execute({"shape": {"name": "line", "points": [{"x": 1}, {"x": "far"}]}}, CONTEXT)
    many_wrong = {"shape": {"name": 1, "points": [{"x": "far", "y": "out"}] * 3}}
    with pytest.raises(ToolError) as caught:
        await draw.execute(many_wrong, CONTEXT)
    assert str(caught.value).count("Input should be") == 5


# -- running ---------------------------------------------------------------------------------------------------------


@pytest.mark.req("002-R2-caller")
async def test_it_is_run_when_it_is_executed_and_never_before() -> None:
    calls = []

    @tool
    async def note(x: int) -> None:
        calls.append(x)

    assert calls == []
    await note.execute({"x": 1}, CONTEXT)
    assert calls == [1]


async def test_plain_functions_run_in_threads_side_by_side() -> None:
    meeting = threading.Barrier(20, timeout=10)  # more than the threads of asyncio's own pool on two cores

    @tool
    def meet() -> int:
        meeting.wait()
        return threading.get_ident()

    threads = await asyncio.gather(*(meet.execute({}, CONTEXT) for _ in range(20)))
    assert len(set(threads)) == 20
    assert threading.get_ident() not in threads


async def test_coroutines_run_in_the_loop_also_behind_a_plain_function() -> None:
    async def inner() -> threading.Thread:
        return threading.current_thread()

    assert await FunctionTool(inner).execute({}, CONTEXT) is threading.current_thread()

    def outer() -> Coroutine[Any, Any, threading.Thread]:
        return inner()

    assert await FunctionTool(outer).execute({}, CONTEXT) is threading.current_thread()


async def test_a_thread_sees_the_variables_of_its_caller() -> None:
    variable = contextvars.ContextVar("variable", default="none")
    variable.set("mine")
    assert await in_thread(variable.get) == "mine"


async def test_a_blocked_thread_is_not_waited_for() -> None:
    release = threading.Event()

    @tool
    def block() -> None:
        release.wait(30)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await block.execute({}, CONTEXT)
    assert time.monotonic() - began < 5
    release.set()


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration("no"), asyncio.CancelledError("no"), KeyError("no")])
async def test_what_a_thread_raises_reaches_the_caller_as_an_error(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(Exception, match="no"):  # a CancelledError would be none
        await in_thread(fail)


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_tool_cannot_end_the_program(is_async: bool) -> None:
    def leave() -> None:
        raise SystemExit(2)

    async def leave_too() -> None:
        raise SystemExit(2)

    with pytest.raises(ToolError, match="leave gave up with exit code 2"):
        await FunctionTool(leave_too if is_async else leave, name="leave").execute({}, CONTEXT)


async def test_a_tool_can_see_that_it_is_cancelled() -> None:
    token, began = CancelToken(), threading.Event()

    @tool
    def patient(call: ToolContext) -> str:
        began.set()
        while not call.cancel.is_cancelled:
            time.sleep(0.005)
        return call.cancel.reason

    running = asyncio.ensure_future(patient.execute({}, ToolContext(cancel=token)))
    await in_thread(began.wait)
    token.cancel("enough")
    assert await asyncio.wait_for(running, 5) == "enough"


# -- the registry ----------------------------------------------------------------------------------------------------


@dataclass
class Own:
    """A tool that is no function."""

    name: str
    description: str = "By hand."

    @property
    def parameters(self) -> dict[str, Any]:
        return {"type": "object"}

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        return arguments


@pytest.mark.req("002-R2-tool")
def test_a_registry_keeps_tools_by_name() -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    own = Own("own")
    registry = ToolRegistry([weather, own])
    added = registry.register(add)
    assert isinstance(added, FunctionTool)
    assert registry.get_all() == list(registry) == [weather, own, added]
    assert registry.get("own") is own
    assert len(registry) == 3
    assert "add" in registry
    assert registry.unregister("own") is own
    assert "own" not in registry
    assert registry.register(own) is own


def test_a_registry_refuses_what_it_cannot_keep() -> None:
    registry = ToolRegistry([weather])
    with pytest.raises(ConfigError, match="There is a tool named 'weather' already"):
        registry.register(weather)
    with pytest.raises(ConfigError, match="A tool cannot be named 'not a name'"):
        registry.register(Own("not a name"))
    with pytest.raises(InvalidToolError, match=r"Did you mean 'weather'\?"):
        registry.get("wether")
    with pytest.raises(InvalidToolError):
        registry.unregister("other")
    assert registry.get_all() == [weather]


def test_registries_share_nothing() -> None:
    one, other = ToolRegistry(), ToolRegistry()
    one.register(weather)
    assert other.get_all() == []


DOCSTRINGS = {
    "Google": """Find files.

    All of them.

    Args:
        pattern: What the name is like,
            with stars.
        limit (int): The most.

    Returns:
        Their names.
    """,
    "NumPy": """Find files.

    All of them.

    Parameters
    ----------
    pattern : str
        What the name is like,
        with stars.
    limit : int
        The most.

    Returns
    -------
    list
        Their names.
    """,
    "Sphinx": """Find files.

    All of them.

    :param pattern: What the name is like,
        with stars.
    :param limit: The most.
    :returns: Their names.
    """,
}


@pytest.mark.parametrize("style", DOCSTRINGS)
def test_a_docstring_describes_the_parameters(style: str) -> None:
    def find(pattern: str, limit: Annotated[int, Field(description="At most so many.")] = 5) -> list[str]:
        return [pattern] * limit

    find.__doc__ = DOCSTRINGS[style]
    made = FunctionTool(find)
    assert made.description == "Find files.\n\nAll of them.\n\nReturns: Their names."
    said = {name: " ".join(part["description"].split()) for name, part in made.parameters["properties"].items()}
    assert said == {"pattern": "What the name is like, with stars.", "limit": "At most so many."}
    assert FunctionTool(find, description="Mine.").description == "Mine."


def test_a_docstring_without_parameters_is_told_as_it_is() -> None:
    def find() -> None:
        """Find: it.

        Example:
            find()
        """

    made = FunctionTool(find)
    assert made.description == "Find: it.\n\nExample:\n    find()"
