"""What a script may say, and what is said of one that is wrong: always a ConfigError, always with the line."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maverick_tui import ConfigError
from maverick_tui.offline import loading
from maverick_tui.offline.loading import MAX_BYTES, load_script, parse_script
from maverick_tui.offline.script import (
    STEP_KEYS,
    Answer,
    ContentTypeFault,
    DropFault,
    ErrorEventFault,
    HttpFault,
    MalformedFault,
    MissingStopFault,
    Pace,
    PaceStep,
    PauseStep,
    Scene,
    Script,
    ScriptedUsage,
    SlowHeadersFault,
    StallFault,
    TextStep,
    ThinkingStep,
    ToolStep,
    When,
)
from tests.support.cases import each
from tests.support.sampling import examples

EVERYTHING = """\
description: all there is
strict: true
pace: {tokens_per_second: 40, first_token: 0.5, burst: 4}
scenes:
  - name: first
    when: {agent: coder, prompt: "^fix", system: you, turn: 1}
    answers:
      - steps:
          - a plain text
          - text: |
              and a block,
              of two lines
          - thinking: hm
          - tool: Bash
            id: run-1
            input: {command: "echo hi", timeout: 5, deep: {list: [1, 2.5, true, null, "${run-1}"]}}
          - pause: 1.5
          - pace: {tokens_per_second: 10}
        usage: {input: 1, output: 2, cache_read: 3, cache_write: 4}
        stop_reason: max_tokens
        pace: {burst: 2}
        fault: {kind: http, status: 429, headers: {retry-after: "1"}, type: rate_limit_error, message: slow, times: 2}
      - [one, {thinking: two}]
      - three
"""


def test_a_script_with_everything() -> None:
    script = parse_script(EVERYTHING)
    assert script.description == "all there is"
    assert script.strict
    assert script.pace == Pace(tokens_per_second=40, first_token=0.5, burst=4)
    (scene,) = script.scenes
    assert scene.when == When(agent="coder", prompt="^fix", system="you", turn=1)
    first, second, third = scene.answers
    assert first.steps == (
        TextStep(text="a plain text"),
        TextStep(text="and a block,\nof two lines\n"),
        ThinkingStep(thinking="hm"),
        ToolStep(
            tool="Bash",
            id="run-1",
            input={"command": "echo hi", "timeout": 5, "deep": {"list": [1, 2.5, True, None, "${run-1}"]}},
        ),
        PauseStep(pause=1.5),
        PaceStep(pace=Pace(tokens_per_second=10)),
    )
    assert first.usage == ScriptedUsage(input=1, output=2, cache_read=3, cache_write=4)
    assert first.stop_reason == "max_tokens"
    assert first.pace == Pace(burst=2)
    assert isinstance(first.fault, HttpFault)
    assert (first.fault.status, first.fault.headers, first.fault.times) == (429, {"retry-after": "1"}, 2)
    assert second == Answer(steps=(TextStep(text="one"), ThinkingStep(thinking="two")))
    assert third == Answer(steps=(TextStep(text="three"),))


def test_the_least_that_a_script_needs() -> None:
    assert parse_script("scenes: [{answers: [hello]}]") == Script(
        scenes=(Scene(answers=(Answer(steps=(TextStep(text="hello"),)),)),)
    )


@each(
    ("fault", "expected"),
    [
        ("{kind: http, status: 500}", HttpFault(kind="http", status=500)),
        ("{kind: drop}", DropFault(kind="drop", how="fin")),
        ("{kind: drop, how: rst, after_bytes: 0}", DropFault(kind="drop", how="rst", after_bytes=0)),
        ("{kind: stall, seconds: 2, at: thinking}", StallFault(kind="stall", seconds=2, at="thinking")),
        ("{kind: malformed, after_events: 3}", MalformedFault(kind="malformed", after_events=3)),
        ("{kind: missing_stop, at: end, times: 1}", MissingStopFault(kind="missing_stop", at="end", times=1)),
        ("{kind: error_event, type: api_error}", ErrorEventFault(kind="error_event", type="api_error")),
        ("{kind: content_type}", ContentTypeFault(kind="content_type", content_type="text/html")),
        ("{kind: slow_headers, seconds: 0.5}", SlowHeadersFault(kind="slow_headers", seconds=0.5)),
    ],
)
def test_every_fault(fault: str, expected: Any) -> None:
    script = parse_script(f"scenes:\n- answers:\n  - steps: [hi]\n    fault: {fault}\n")
    assert script.scenes[0].answers[0].fault == expected


def test_a_script_does_not_change() -> None:
    script = parse_script("scenes: [{answers: [hello]}]")
    with pytest.raises(ValueError, match="frozen"):
        script.strict = True  # type: ignore[misc]


def test_the_schema_can_be_published() -> None:
    schema = Script.model_json_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert {"Scene", "Answer", "TextStep", "DropFault"} <= schema["$defs"].keys()


# -- mistakes ----------------------------------------------------------------------------------------------------------

FEW_EVENTS = 5_000
"""A script may hold more; to read as many takes a second."""
OK = "scenes:\n- answers: [hi]\n"
ANSWER = "scenes:\n- answers:\n  - steps: [hi]\n"
STEP = "scenes:\n- answers:\n  - - first\n"

MISTAKES: dict[str, tuple[str, int, str]] = {
    # what is not a script at all
    "empty": ("", 1, "is not a map with scenes"),
    "only a comment": ("# nothing\n", 1, "is not a map with scenes"),
    "null": ("~", 1, "is not a map with scenes"),
    "a list": ("- hi", 1, "is not a map with scenes"),
    "a word": ("hello", 1, "is not a map with scenes"),
    # fields
    "no scenes": ("description: hi\n", 1, "scenes: field required"),
    "scenes are empty": ("description: hi\nscenes: []\n", 2, "scenes: "),
    "scenes are a map": ("description: hi\nscenes: {a: b}\n", 2, "scenes: "),
    "unknown field": (f"{OK}sceens: 3\n", 3, "sceens: there is no such field. Did you mean 'scenes'?"),
    "strict": (f"{OK}strict: perhaps\n", 3, "strict: "),
    "a scene is a word": ("scenes:\n- answers: [hi]\n- hi\n", 3, "scenes.1: "),
    "no answers": ("scenes:\n- answers: [hi]\n- name: x\n", 3, "scenes.1.answers: field required"),
    "answers are empty": ("scenes:\n- name: x\n  answers: []\n", 3, "scenes.0.answers: "),
    "answers are a word": ("scenes:\n- name: x\n  answers: hi\n", 3, "scenes.0.answers: "),
    "an answer is nothing": ("scenes:\n- answers:\n  - hi\n  -\n", 4, "scenes.0.answers.1: "),
    "an answer is a number": ("scenes:\n- answers:\n  - hi\n  - 5\n", 4, "scenes.0.answers.1: "),
    "a scene has a typo": ("scenes:\n- answers: [hi]\n  whne: {}\n", 3, "scenes.0.whne: there is no such field."),
    "two mistakes": ("scenes:\n- answers: [5]\n  whne: {}\n", 2, "script:3: scenes.0.whne"),
    # when
    "when is a word": ("scenes:\n- answers: [hi]\n  when: hi\n", 3, "scenes.0.when: "),
    "turn 0": ("scenes:\n- answers: [hi]\n  when:\n    turn: 0\n", 4, "scenes.0.when.turn: "),
    "bad prompt": ('scenes:\n- answers: [hi]\n  when:\n    prompt: "("\n', 4, "is not a regular expression"),
    "bad system": ('scenes:\n- answers: [hi]\n  when:\n    system: "["\n', 4, "is not a regular expression"),
    # steps
    "unknown step": (f"{STEP}    - txt: hi\n", 4, f"a step has one of: {', '.join(STEP_KEYS)}"),
    "a step is a number": (f"{STEP}    - 5\n", 4, "a step has one of"),
    "a step is a list": (f"{STEP}    - [hi]\n", 4, "a step has one of"),
    "a step is nothing": (f"{STEP}    -\n", 4, "a step has one of"),
    "a step of two kinds": (f"{STEP}    - text: a\n      thinking: b\n", 5, "thinking: there is no such field"),
    "a text is a number": (f"{STEP}    - text: 5\n", 4, "text: "),
    "a tool has no name": (f'{STEP}    - tool: ""\n', 4, "tool: "),
    "a tool's id": (f"{STEP}    - tool: Read\n      id: a_b\n", 5, "[A-Za-z]"),
    "a tool's input is a list": (f"{STEP}    - tool: Read\n      input: [a]\n", 5, "input: "),
    "a tool's field": (f"{STEP}    - tool: Read\n      inputs: {{}}\n", 5, "inputs: there is no such field"),
    "a pause is negative": (f"{STEP}    - pause: -1\n", 4, "pause: "),
    "a pause is no number": (f"{STEP}    - pause: nan\n", 4, "pause: "),
    "a pause is a word": (f"{STEP}    - pause: long\n", 4, "pause: "),
    "a step's pace": (f"{STEP}    - pace:\n        burst: 0\n", 5, "pace.burst: "),
    "a reference's pattern": (f'{STEP}    - "${{a|(}}"\n', 4, "regular expression"),
    "a reference's pattern in an input": (
        f'{STEP}    - tool: Read\n      input: {{file_path: "${{a|[}}"}}\n',
        5,
        "regular expression",
    ),
    # pace and usage
    "no tokens per second": (f"pace: {{tokens_per_second: 0}}\n{OK}", 1, "pace.tokens_per_second: "),
    "an unknown pace": (f"{OK}pace:\n  speed: 5\n", 4, "pace.speed: there is no such field"),
    "a pace is a word": (f"{ANSWER}    pace: fast\n", 4, "pace: "),
    "negative usage": (f"{ANSWER}    usage:\n      input: -1\n", 5, "usage.input: "),
    "half a token": (f"{ANSWER}    usage:\n      output: 1.5\n", 5, "usage.output: "),
    "stop reason": (f"{ANSWER}    stop_reason: done\n", 4, "stop_reason: "),
    # faults
    "a fault is a word": (f"{ANSWER}    fault: drop\n", 4, "fault: "),
    "a fault without a kind": (f"{ANSWER}    fault:\n      status: 500\n", 4, "kind"),
    "an unknown fault": (f"{ANSWER}    fault:\n      kind: boom\n", 4, "slow_headers"),
    "HTTP 200": (f"{ANSWER}    fault:\n      kind: http\n      status: 200\n", 6, "fault.status: "),
    "HTTP without status": (f"{ANSWER}    fault:\n      kind: http\n", 4, "fault.status: field required"),
    "HTTP at a place": (
        f"{ANSWER}    fault: {{kind: http, status: 500,\n      at: text}}\n",
        5,
        "at: there is no such",
    ),
    "two places": (f"{ANSWER}    fault: {{kind: drop, at: text, after_bytes: 3}}\n", 4, "not with at and after_bytes"),
    "an unknown place": (f"{ANSWER}    fault:\n      kind: drop\n      at: middle\n", 6, "fault.at: "),
    "how to drop": (f"{ANSWER}    fault:\n      kind: drop\n      how: hard\n", 6, "fault.how: "),
    "zero times": (f"{ANSWER}    fault:\n      kind: stall\n      times: 0\n", 6, "fault.times: "),
    "no seconds": (f"{ANSWER}    fault:\n      kind: stall\n      seconds: 0\n", 6, "fault.seconds: "),
    "a header that HTTP cannot carry": (
        f'{ANSWER}    fault:\n      kind: http\n      status: 500\n      headers: {{x-why: "snow \u2603"}}\n',
        7,
        "headers",
    ),
    "a header of two lines": (
        f'{ANSWER}    fault:\n      kind: http\n      status: 500\n      headers: {{x-why: "a\\nset-cookie: b"}}\n',
        7,
        "headers",
    ),
    "a content type of two lines": (
        f'{ANSWER}    fault:\n      kind: content_type\n      content_type: "a\\nb"\n',
        6,
        "content_type",
    ),
    # YAML
    "twice": (f"{OK}{OK}", 3, "the field 'scenes' is there twice"),
    "twice in an input": (f"{STEP}    - tool: Read\n      input: {{a: 1,\n        a: 2}}\n", 6, "'a' is there twice"),
    "an anchor": (f"{OK}description: &a hi\n", 3, "anchor"),
    "an alias": (f"{OK}description: *a\n", 3, "alias"),
    "a bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "anchor"),
    "a merge": ("scenes:\n- answers: [hi]\n  <<: {name: x}\n", 3, "<<: there is no such field"),
    "a tag": (f"{OK}description: !!python/object/apply:os.system [id]\n", 3, "tag"),
    "a tab": ("scenes:\n\t- hi\n", 2, "spaces instead of tabs"),
    "not closed": ("scenes: [a\n", 1, "Close the list"),
    "a quote": (f'{OK}description: "hi\n', 3, "Close the quotation mark"),
    "two documents": (f"{OK}---\n{OK}", 4, "second document"),
    "a control character": (f"{OK}description: \x07\n", 3, "U+0007"),
    "nested too deep": (f"{OK}description: {'[' * 100}{']' * 100}\n", 3, "levels deep"),
    "too many values": (f"{OK}description: [{'a,' * FEW_EVENTS}]\n", 1, "too many values"),
    "a list for a key": (f"{OK}? [a]\n: b\n", 3, "for a key"),
    "Windows": ("scenes:\r\n- answers: [hi]\r\n  x: 1\r\n", 3, "scenes.0.x: there is no such field"),
}


@each("name", MISTAKES)
def test_a_mistake_is_told_with_its_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_EVENTS", FEW_EVENTS)
    text, line, words = MISTAKES[name]
    with pytest.raises(ConfigError) as raised:
        parse_script(text)
    error = raised.value
    assert words in error.message
    assert (error.path, error.line) == ("script", line)
    assert f"script:{line}: " in error.message
    assert error.hint


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_script("scenes:\n- answers:\n  - - txt: a\n    - pause: -1\n- nmae: x\n", "demo.yaml")
    lines = [line.split(" ")[0] for line in raised.value.message.splitlines()[1:]]
    assert lines == ["demo.yaml:3:", "demo.yaml:4:", "demo.yaml:5:", "demo.yaml:5:"]


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_bytes("\ufeffscenes:\r\n- answers: [grüße 🙂]\r\n".encode())
    assert load_script(path) == load_script(str(path))
    assert load_script(path).scenes[0].answers[0].steps == (TextStep(text="grüße 🙂"),)


def _refuse(path: Path | str) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        load_script(path)
    assert raised.value.path
    return raised.value


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in _refuse(tmp_path / "nope.yaml").message
    assert "directory" in _refuse(tmp_path).message
    assert _refuse("a\0b").message


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_bytes(OK.encode() + b"description: gr\xfc\xdfe\n")
    assert "is not UTF-8: byte 39" in _refuse(path).message
    path.write_text(OK, encoding="utf-16")
    assert "is not UTF-8" in _refuse(path).message


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    text = OK + "#" * (MAX_BYTES - len(OK))
    path.write_text(text)
    assert load_script(path).scenes
    path.write_text(text + "#")
    error = _refuse(path)
    assert "is too large" in error.message
    assert "5,000,000 bytes" in error.message
    assert error.line is None


def test_a_pipe_that_does_not_say_how_large_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError):  # enough was read
            path.write_text(OK + "#" * MAX_BYTES)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert "too large" in _refuse(path).message
    finally:
        writer.join()


# -- anything ----------------------------------------------------------------------------------------------------------


def _refusal(text: str) -> ConfigError | None:
    try:
        assert isinstance(parse_script(text, "x.yaml"), Script)
    except ConfigError as error:
        return error
    return None


def _is_read_or_refused(text: str) -> None:
    if (error := _refusal(text)) is not None:
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        assert f"x.yaml:{error.line}: " in error.message
        assert error.hint


FREE = settings(max_examples=examples(60, 400))


@FREE
@given(st.text())
def test_no_text_breaks_the_loader(text: str) -> None:
    _is_read_or_refused(text)


@FREE
@given(st.text(alphabet="scenaw: -[]{}\n\t&*!|>'\"#%@`,?~\\0123.é\u2028\x85\ufeff\r"))
def test_no_yaml_breaks_the_loader(text: str) -> None:
    _is_read_or_refused(text)


@FREE
@given(st.integers(0, len(EVERYTHING)), st.integers(0, 20), st.text(max_size=8))
def test_no_change_of_a_script_breaks_the_loader(at: int, length: int, new: str) -> None:
    _is_read_or_refused(EVERYTHING[:at] + new + EVERYTHING[at + length :])


WORDS = [
    *(
        "scenes answers steps usage fault pace when name description strict stop_reason text thinking tool input id"
    ).split(),
    *("pause tokens_per_second first_token burst agent prompt system turn kind status headers at after_events").split(),
    *("http drop stall malformed missing_stop error_event content_type slow_headers how fin rst seconds times").split(),
]
VALUES = st.recursive(
    st.one_of(
        st.sampled_from([*WORDS, "${a|(}", "(", ""]),
        st.integers(-2, 600),
        st.floats(),
        st.booleans(),
        st.none(),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(WORDS), st.text(max_size=3)), inner, max_size=4),
    ),
    max_leaves=12,
)


@settings(FREE, max_examples=examples(30, 200), suppress_health_check=[HealthCheck.too_slow])
@given(VALUES, VALUES, VALUES)
def test_no_structure_breaks_the_loader(scene: Any, answer: Any, fault: Any) -> None:
    for value in (
        scene,
        {"scenes": [scene]},
        {"scenes": [{"answers": [answer]}]},
        {"scenes": [{"answers": [{"steps": [answer]}]}], "pace": scene},
        {"scenes": [{"answers": [{"fault": fault}], "when": answer}]},
    ):
        _is_read_or_refused(yaml.safe_dump(value, allow_unicode=True, sort_keys=False))
