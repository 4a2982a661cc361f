"""Structured output: read, typed, repaired; and never a crash."""

from __future__ import annotations

import itertools
import json
import signal
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.executor import OutputConfig, PartialOutput, Response, TerminateReason, time_limit, tool
from maverick_tui.executor.output import OutputReader, read_begun
from tests.executor.support import QUICK, Model, call, calls, define, says, streaming, watch


class Report(BaseModel):
    """What is wanted."""

    summary: str
    files: list[str] = []


class Picky(BaseModel):
    """Has a validator that fails in its own way."""

    name: str

    @field_validator("name")
    @classmethod
    def _never(cls, value: str) -> str:
        raise KeyError(value)


SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "files": {"type": "array", "items": {"type": "string"}}},
    "required": ["summary"],
}
GOOD = '{"summary": "fine", "files": ["a.py"]}'
WRAPPED = [
    GOOD,
    f"\n {GOOD} \n",
    f"```json\n{GOOD}\n```",
    f"Here it is:\n\n```\n{GOOD}\n```\nThat is all.",
    f"Here it is: {GOOD}\nAnd that is all.",
    f"See [1] and {{this}}, and [2, 3]: {GOOD}",
    f'An example is {{"summary": "no"}}, mine is\n\n{GOOD}',
    f"```json\n{{oops}}\n```\n{GOOD}",
    f'{{"summary": "a [", oops}}\n{GOOD}',
]


@pytest.mark.req("003-FR5-valid")
@pytest.mark.parametrize("text", WRAPPED)
@pytest.mark.parametrize("schema", [Report, SCHEMA], ids=["pydantic", "JSON schema"])
async def test_valid_output_is_parsed_and_typed(schema: Any, text: str) -> None:
    watched = await watch(Model(says(text)), define(output={"schema": schema}))
    result = watched.result
    assert (result.success, result.output_valid, result.output_errors) == (True, True, ())
    assert result.raw_content == text
    expected = {"summary": "fine", "files": ["a.py"]}
    assert result.output == (Report(**expected) if schema is Report else expected)  # type: ignore[arg-type]


@pytest.mark.req("003-FR5-invalid", "003-FR5-nocrash")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I do not feel like it.", "it contains no JSON"),
        ('{"files": []}', "summary"),
        ('{"summary": 3}', "summary"),
        ("[]", "object"),
        ("", "it contains no JSON"),
        ('{"summary": NaN}', "no JSON"),
        ("[" * 5_000, "it contains no JSON"),
        ('{"summary": "x"', "it contains no JSON"),
        (f"I would say {GOOD} if I could.", "it contains no JSON that stands by itself"),
        (f"Such as: {GOOD}, but not that.", "it contains no JSON that stands by itself"),
        (f'{GOOD}\nor\n{{"summary": "other"}}', "2 different values"),
        ('{"summary": "right", "other": {"summary": "wrong"}\n "oops": 1}', "it contains no JSON"),
        ('[{"summary": "one"},\n{"summary": "two"}\n oops]', "it contains no JSON"),
        ('{"summary": "a }\n b", "other":\n{"summary": "wrong"}\n}', "it contains no JSON"),
        ('{"summary": "cut", "other":\n{"summary": "wrong"}\n', "it contains no JSON"),
    ],
)
@pytest.mark.parametrize("schema", [Report, SCHEMA], ids=["pydantic", "JSON schema"])
async def test_invalid_output_comes_back_raw_with_a_flag(schema: Any, text: str, words: str) -> None:
    watched = await watch(Model(says(text)), define(output={"schema": schema, "repair_turns": 0}))
    result = watched.result
    assert (result.success, result.output, result.output_valid) == (False, None, False)
    assert (result.raw_content, result.error) == (text, None)
    assert result.terminate_reason is TerminateReason.COMPLETE
    assert words in " ".join(result.output_errors) or schema is Report


async def test_the_model_is_told_the_schema_and_what_is_wrong() -> None:
    model = Model(says("No."), says('{"summary": 1}'), says(GOOD))
    watched = await watch(model, define(output={"schema": Report, "output_name": "report", "repair_turns": 2}))
    assert watched.result.output == Report(summary="fine", files=["a.py"])
    assert watched.result.turn_count == 3
    assert json.dumps(Report.model_json_schema()) in model.requests[0].system
    complaints = [message.content for message in watched.result.messages if message.role == "user"][1:]
    assert "not a valid report: it contains no JSON" in complaints[0]
    assert "summary: Input should be a valid string" in complaints[1]


async def test_repair_is_tried_as_often_as_wanted_and_no_more() -> None:
    for repairs in (0, 1, 3):
        model = Model(*[says("No.")] * 9)
        watched = await watch(model, define(output={"schema": SCHEMA, "repair_turns": repairs}))
        assert len(model.requests) == 1 + repairs
        assert watched.result.output_valid is False
    model = Model(*[says("No.")] * 9)
    watched = await watch(model, define(output={"schema": SCHEMA, "repair_turns": 5}, run={"max_turns": 2}))
    assert (len(model.requests), watched.result.terminate_reason) == (2, TerminateReason.COMPLETE)
    assert watched.result.output_valid is False


async def test_an_empty_last_answer_is_not_read_from_an_earlier_one() -> None:
    @tool
    async def look() -> str:
        """Looks."""
        return "seen"

    model = Model(calls(call("look"), text=GOOD), Response(), says(GOOD))
    watched = await watch(model, define(output={"schema": Report}), [look])
    assert watched.result.turn_count == 3, "it had to be asked again"
    assert watched.result.output_valid


@tool(completes=True)
async def hand_in(value: Any) -> Any:
    """Hands in."""
    return Report(summary="made") if value == "made" else value


@pytest.mark.parametrize("value", ["made", {"summary": "made"}, '{"summary": "made"}', '```\n{"summary": "made"}\n```'])
@pytest.mark.parametrize("schema", [Report, SCHEMA], ids=["pydantic", "JSON schema"])
async def test_what_a_completing_tool_returns_is_the_output_by_the_schema(schema: Any, value: Any) -> None:
    model = Model(says("Not yet."), calls(call("hand_in", value=value)))
    result = (await watch(model, define(output={"schema": schema}), [hand_in])).result
    assert (result.success, result.output_valid, result.output_errors) == (True, True, ())
    assert Report.model_validate(result.output) == Report(summary="made")
    assert isinstance(result.output, Report if schema is Report else dict)


@pytest.mark.parametrize("schema", [Report, SCHEMA], ids=["pydantic", "JSON schema"])
async def test_a_completing_tool_does_not_bypass_the_schema(schema: Any) -> None:
    wrong = [calls(call("hand_in", f"h{number}", value={"summary": number})) for number in range(3)]
    model = Model(*wrong[:2], calls(call("hand_in", "h9", value={"summary": "right"})))
    watched = await watch(model, define(output={"schema": schema, "repair_turns": 2}), [hand_in])
    assert (watched.result.success, watched.result.turn_count) == (True, 3)
    assert "not a valid result: summary" in model.requests[1].messages[-1].content
    result = (await watch(Model(*wrong), define(output={"schema": schema}), [hand_in])).result
    assert (result.success, result.output, result.output_valid, result.turn_count) == (False, None, False, 2)
    assert "summary" in result.output_errors[0]


@pytest.mark.parametrize("text", ["See [1].", "Sources: [1, 2]", "As [1] says,\nit is [2]."])
def test_a_footnote_is_no_list(text: str) -> None:
    assert OutputReader(OutputConfig(schema={"type": "array", "items": {"type": "integer"}})).read(text).errors


@pytest.mark.req("003-FR5-nocrash")
@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (Picky, "KeyError"),
        ({"$ref": "http://127.0.0.1:9/nowhere"}, "the schema cannot be used"),
        ({"$ref": "#/$defs/nothing"}, "the schema cannot be used"),
    ],
)
async def test_a_schema_that_fails_does_not_crash_the_run(schema: Any, words: str) -> None:
    watched = await watch(Model(says('{"name": "x"}')), define(output={"schema": schema, "repair_turns": 0}))
    assert watched.result.output_valid is False
    assert words in watched.result.output_errors[0]


def test_a_reference_is_never_looked_up_on_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *args, **_options: asked.append(args))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = OutputReader(OutputConfig(schema={"$ref": "http://127.0.0.1:9/nowhere"})).read("{}")
    assert parsed.errors
    assert asked == []


def test_a_part_of_an_answer_is_not_taken_for_the_answer() -> None:
    reader = OutputReader(OutputConfig(schema=Report))
    assert reader.read('Here it is: {"outer": {"summary": "x"}}.').errors


@pytest.mark.parametrize("schema", [3, "object", {"type": "nothing"}, {"pattern": "["}, int])
def test_what_is_no_schema_is_refused_when_it_is_defined(schema: Any) -> None:
    with pytest.raises(ConfigError, match=r"output\.schema"):
        define(output={"schema": schema})


def test_a_model_without_a_json_schema_is_refused_when_it_is_defined() -> None:
    class Strange(BaseModel, arbitrary_types_allowed=True):
        thing: Model

    with pytest.raises(ConfigError, match="Strange has no JSON schema"):
        define(output={"schema": Strange})


@given(st.text(alphabet=st.sampled_from('{}[]",:`\n ab1e\\'), max_size=60))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    for schema in (Report, SCHEMA):
        parsed = OutputReader(OutputConfig(schema=schema)).read(text)
        assert bool(parsed.errors) == (parsed.value is None)


@given(st.text(max_size=20), st.lists(st.text(max_size=5), max_size=3), st.sampled_from(["{}", "```json\n{}\n```"]))
def test_whatever_fits_is_found(summary: str, files: list[str], form: str) -> None:
    wanted = Report(summary=summary, files=files)
    text = form.replace("{}", wanted.model_dump_json())
    assert OutputReader(OutputConfig(schema=Report)).read(text).value == wanted


def pieces(text: str, size: int = 4) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```"])
async def test_an_output_can_be_read_while_it_comes(form: str) -> None:
    text = form.replace("{}", GOOD)
    wanted = define(output={"schema": Report, "partial": True})
    watched = await watch(Model(streaming(says(text), *pieces(text))), wanted)
    partial = [event.output for event in watched.events if isinstance(event, PartialOutput)]
    assert {"summary": "fine"} in partial
    assert partial[-1] == {"summary": "fine", "files": ["a.py"]}
    assert all(one != two for one, two in itertools.pairwise(partial)), "only what is new is told"
    assert watched.result.output == Report(summary="fine", files=["a.py"])
    watched = await watch(Model(streaming(says(text), *pieces(text))), define(output={"schema": Report}))
    assert "partial_output" not in watched.kinds, "nobody has asked for it"


async def test_an_output_that_is_tried_again_is_read_from_its_beginning() -> None:
    async def breaks(request: Any) -> Response:
        await streaming(says(""), '{"summary": "bro')(request)  # type: ignore[operator]
        raise NetworkError("It broke.")

    definition = define(output={"schema": Report, "partial": True}, run={"retry": QUICK})
    watched = await watch(Model(breaks, streaming(says(GOOD), *pieces(GOOD))), definition)
    partial = [event.output for event in watched.events if isinstance(event, PartialOutput)]
    assert (partial[0], partial[-1]) == ({"summary": "bro"}, {"summary": "fine", "files": ["a.py"]})


async def test_a_long_output_is_not_read_anew_with_each_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr("maverick_tui.executor.asking.read_begun", lambda text: read.append(len(text)))
    text = json.dumps({"summary": "x" * 20_000})
    await watch(Model(streaming(says(text), *pieces(text))), define(output={"schema": Report, "partial": True}))
    assert len(read) < 250, "of five thousand pieces"


@pytest.mark.parametrize("text", ["", "Well, {", "{NaN", '{"a": NaN', "```json\n"])
def test_what_has_not_begun_cannot_be_read(text: str) -> None:
    assert read_begun(text) is None


def test_no_schema_holds_us_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "SECONDS", 0.05)
    twice = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n - 1}"}] * 2} for n in range(1, 60)}
    schemas = [{"pattern": "^(a+)+$"}, {"$ref": "#/$defs/a59", "$defs": {"a0": {"type": "string"}, **twice}}]
    before = signal.getsignal(signal.SIGALRM)
    for schema in schemas:
        reader = OutputReader(OutputConfig.model_validate({"schema": schema}))
        for parsed in (reader.read(json.dumps("a" * 60 + "!")), reader.check("a" * 60 + "!")):
            assert parsed.errors == ("it takes too long to hold it against the schema",)
    assert OutputReader(OutputConfig.model_validate({"schema": schemas[0]})).read('"aa"').value == "aa"
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]) == (before, 0)
