"""What a script may say: the published schema of the YAML files that the offline model plays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

REFERENCE = re.compile(r"\$\{(?P<label>[A-Za-z][A-Za-z0-9-]*)(?:\|(?P<pattern>(?:[^{}]|\{[^{}]*\})*))?\}")
"""`${label}`, the result of an earlier tool call, or `${label|pattern}`, what a regular expression finds in it."""
PROMPT = "prompt"
"""The label of what was asked; a tool call of that id takes it over."""


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A copy of plain data in which every text is changed, but for the names of fields."""
    if isinstance(value, dict):
        return {key: with_texts(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


def _check_references(value: Any) -> Any:
    def checked(text: str) -> str:
        for found in REFERENCE.finditer(text):
            _compile(found["pattern"] or "")
        return text

    return with_texts(value, checked)


def _compile(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


def _check_header(value: str) -> str:
    if not value.isprintable() or not value.isascii():
        raise ValueError(f"{value!r} cannot be an HTTP header: write plain ASCII in one line")
    return value


Words = Annotated[str, AfterValidator(_check_references)]
"""Text that may refer to earlier results."""

Header = Annotated[
    str,
    BeforeValidator(lambda value: str(value) if isinstance(value, int) else value),
    AfterValidator(_check_header),
]


class ScriptPart(BaseModel):
    """Base of everything in a script: unknown fields are mistakes, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Pace(ScriptPart):
    """How fast an answer comes. Without tokens_per_second it comes as fast as it can be sent."""

    tokens_per_second: Annotated[float, Field(gt=0)] | None = None
    """Deltas per second, each about a token."""
    first_token: Annotated[float, Field(ge=0)] = 0.0
    """Seconds until the answer begins."""
    burst: Annotated[int, Field(ge=1)] = 1
    """How many deltas come at once; the average stays the same."""


class ScriptedUsage(ScriptPart):
    """What the answer says it cost; what is left out is estimated from the texts."""

    input: Annotated[int, Field(ge=0)] | None = None
    output: Annotated[int, Field(ge=0)] | None = None
    cache_read: Annotated[int, Field(ge=0)] = 0
    cache_write: Annotated[int, Field(ge=0)] = 0


class TextStep(ScriptPart):
    """The model writes; a plain string is short for it."""

    text: Words

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value


class ThinkingStep(ScriptPart):
    """The model thinks."""

    thinking: Words


class ToolStep(ScriptPart):
    """The model calls a tool. `${name}` in a string of the input is the result of the earlier call of that id."""

    tool: Annotated[str, Field(min_length=1)]
    input: Annotated[dict[str, Any], AfterValidator(_check_references)] = {}
    id: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")] | None = None


class PauseStep(ScriptPart):
    """Nothing comes for this many seconds."""

    pause: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PaceStep(ScriptPart):
    """What follows comes at another pace."""

    pace: Pace


STEP_KEYS = ("text", "thinking", "tool", "pause", "pace")


def _step_kind(value: Any) -> str | None:
    """A step is what its key says, so that a mistake in it is reported for the right kind."""
    if isinstance(value, str):
        return "text"
    fields = type(value).model_fields if isinstance(value, ScriptPart) else value if isinstance(value, dict) else {}
    return next((key for key in STEP_KEYS if key in fields), None)


Step = Annotated[
    Annotated[TextStep, Tag("text")]
    | Annotated[ThinkingStep, Tag("thinking")]
    | Annotated[ToolStep, Tag("tool")]
    | Annotated[PauseStep, Tag("pause")]
    | Annotated[PaceStep, Tag("pace")],
    Discriminator(
        _step_kind,
        custom_error_type="step",
        custom_error_message=f"a step has one of: {', '.join(STEP_KEYS)}",
    ),
]

Place = Literal["start", "thinking", "text", "tool", "end"]


class Fault(ScriptPart):
    """What goes wrong."""

    times: Annotated[int, Field(ge=1)] | None = None
    """How often it happens before the answer comes as it should; if left out, always."""


class StreamFault(Fault):
    """A fault in the stream: after so many events or bytes, or `at` a place: in the middle of the first such block."""

    at: Place | None = None
    after_events: Annotated[int, Field(ge=0)] | None = None
    after_bytes: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> StreamFault:
        given = [name for name in ("at", "after_events", "after_bytes") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"say where only once, not with {' and '.join(given)}")
        return self


class HttpFault(Fault):
    """The endpoint answers with an HTTP error."""

    kind: Literal["http"]
    status: Annotated[int, Field(ge=400, le=599)]
    headers: dict[Header, Header] = {}
    type: str = ""
    message: str = "scripted failure"
    resets_in: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Seconds after which a limit resets, told in the headers that an account's limit is told in."""


class DropFault(StreamFault):
    """The connection ends: in good order (fin), or by a reset (rst)."""

    kind: Literal["drop"]
    how: Literal["fin", "rst"] = "fin"


class StallFault(StreamFault):
    """Nothing more comes for this many seconds; then the connection ends."""

    kind: Literal["stall"]
    seconds: Annotated[float, Field(gt=0)] = 3600.0


class MalformedFault(StreamFault):
    """An event whose data is not JSON."""

    kind: Literal["malformed"]


class MissingStopFault(StreamFault):
    """The response ends in good order, but the message is not complete."""

    kind: Literal["missing_stop"]


class ErrorEventFault(StreamFault):
    """An error event in the stream."""

    kind: Literal["error_event"]
    type: str = "overloaded_error"
    message: str = "Overloaded"


class ContentTypeFault(Fault):
    """A page of HTML with status 200, as a captive portal or a proxy would send it."""

    kind: Literal["content_type"]
    content_type: Header = "text/html"


class SlowHeadersFault(Fault):
    """The response headers take this many seconds."""

    kind: Literal["slow_headers"]
    seconds: Annotated[float, Field(gt=0)] = 5.0


AnyFault = Annotated[
    HttpFault
    | DropFault
    | StallFault
    | MalformedFault
    | MissingStopFault
    | ErrorEventFault
    | ContentTypeFault
    | SlowHeadersFault,
    Field(discriminator="kind"),
]

StopReason = Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal"]


class Answer(ScriptPart):
    """One answer of the model; a list of steps, or a single text, is short for an answer of just these."""

    steps: tuple[Step, ...] = ()
    usage: ScriptedUsage = ScriptedUsage()
    stop_reason: StopReason | None = None
    pace: Pace | None = None
    fault: AnyFault | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"steps": [value]}
        return {"steps": value} if isinstance(value, list) else value


class When(ScriptPart):
    """Which prompts a scene answers; all that is given must fit."""

    agent: str | None = None
    """The agent's name."""
    prompt: str | None = None
    """A regular expression, searched for in the prompt."""
    system: str | None = None
    """A regular expression, searched for in the system prompt."""
    turn: Annotated[int, Field(ge=1)] | None = None
    """The number of the prompt in its conversation."""

    @field_validator("prompt", "system")
    @classmethod
    def _is_regular(cls, value: str | None) -> str | None:
        _compile(value or "")
        return value


class Scene(ScriptPart):
    """What the model says to one prompt: the first answer, and one more after each round of tool results."""

    name: str = ""
    when: When = When()
    answers: Annotated[tuple[Answer, ...], Field(min_length=1)]


class Script(ScriptPart):
    """Scenes; the first that fits a prompt answers it."""

    description: str = ""
    pace: Pace = Pace()
    strict: bool = False
    """Fail on a request that no answer is written for, and on answers that nobody asked for."""
    scenes: Annotated[tuple[Scene, ...], Field(min_length=1)]
