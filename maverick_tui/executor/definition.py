"""AgentDefinition: an agent of the executor as a value, fully checked when it is made."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Generic, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError, field_validator, model_validator
from pydantic.errors import PydanticUserError
from typing_extensions import TypeVar

from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.executor.limits import Limits
from maverick_tui.executor.model.failures import RetryPolicy
from maverick_tui.executor.model.messages import is_forced
from maverick_tui.executor.model.tokens import LEAST_THINKING
from maverick_tui.inputs import InputSpec, Value, as_text, parse_inputs
from maverick_tui.shown import located

TASK = "prompt"
"""The input that holds the task itself: what the agent is asked, if its definition does not say."""

_PLACE = re.compile(r"\$(?P<literal>\$(?=\{))|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")

T = TypeVar("T", default=Any)
"""The type of the output; anything, unless it is given."""

Text: TypeAlias = Annotated[str, Field(min_length=1)]


class _Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    def __class_getitem__(cls, _types: Any) -> type[Self]:
        """The class itself: the schema says what the output is, and the type is only for type checkers."""
        return cls


class InitialMessage(_Config):
    """A message that comes before the task, as an example of how it is done."""

    role: Literal["user", "assistant"]
    content: Text


class PromptConfig(_Config):
    """What the agent is told. Any of it may contain variables."""

    system: str = ""
    initial_messages: tuple[InitialMessage, ...] = ()
    query: str = ""
    """The task; if it is empty, the input `prompt` takes its place."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that may contain variables."""
        return (self.system, self.query, *(message.content for message in self.initial_messages))

    @field_validator("initial_messages")
    @classmethod
    def _alternate(cls, messages: tuple[InitialMessage, ...]) -> tuple[InitialMessage, ...]:
        roles = [message.role for message in messages]
        if roles != ["user", "assistant"] * (len(roles) // 2):
            raise ValueError("user and assistant messages must alternate, starting with a user's")
        return messages


class ModelConfig(_Config):
    """Which model, and how it answers; None leaves a setting to the model that is asked."""

    model: Text | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    thinking: Annotated[int, Field(ge=0)] | None = None
    """Tokens that it may spend thinking before it answers; 0 for none."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """The share of likely words that it chooses from; an alternative to the temperature."""
    stop_sequences: tuple[Annotated[str, Field(pattern=r"\S")], ...] = ()
    """Texts that end the answer when the model writes one of them."""
    tool_choice: Text | None = None
    """`auto`, `none`, `any` or the name of a tool; the last two are for its first answer, or it would never end."""

    @model_validator(mode="after")
    def _choices_go_together(self) -> Self:
        if self.top_p is not None and self.temperature is not None:
            raise ValueError("temperature and top_p cannot both be set")
        if self.thinking and self.top_p is not None and self.top_p < 0.95:
            raise ValueError("top_p must be at least 0.95 together with thinking")
        if self.thinking and is_forced(self.tool_choice):
            raise ValueError("thinking cannot be combined with a forced tool call")
        return self

    @model_validator(mode="after")
    def _thinking_fits(self) -> Self:
        if self.thinking and self.thinking < LEAST_THINKING:
            raise ValueError(f"thinking must be 0, or {LEAST_THINKING} and more")
        if self.thinking and self.max_tokens is not None and self.thinking >= self.max_tokens:
            raise ValueError("max_tokens must be more than thinking, which counts towards it")
        if self.thinking and self.temperature not in (None, 1.0):
            raise ValueError("temperature cannot be set together with thinking")
        return self


class RunConfig(Limits):
    """The limits of a run, and how failed calls to the model are retried."""

    retry: RetryPolicy = RetryPolicy()


class ToolConfig(_Config):
    """What the agent may use; with None for `tools`, everything that the executor has."""

    tools: tuple[Text, ...] | None = None
    agents: tuple[Text, ...] = ()
    """Registered agents that it may call as tools."""
    timeout_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60_000
    """For each call, unless the tool has a timeout of its own."""
    max_result_chars: Annotated[int, Field(ge=100)] = 50_000
    max_parallel: Annotated[int, Field(gt=0)] = 128
    max_depth: Annotated[int, Field(ge=0)] = 3
    """How deeply agents may call other agents."""


class InputConfig(_Config):
    """What must be given before it runs: names with declarations (type, description, default, choices, required)."""

    inputs: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("inputs")
    @classmethod
    def _parses(cls, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        _, mistakes = parse_inputs(inputs)
        if mistakes:
            raise ValueError("; ".join(f"{mistake.message} {mistake.hint}" for mistake in mistakes))
        return inputs

    @property
    def specs(self) -> tuple[InputSpec, ...]:
        """The inputs, parsed."""
        return parse_inputs(self.inputs)[0]


class OutputConfig(_Config, Generic[T]):
    """What the last answer must be: an instance of a pydantic model, or JSON that fits a schema."""

    schema_: SkipValidation[type[T] | Mapping[str, Any]] = Field(alias="schema")
    output_name: Text = "result"
    repair_turns: Annotated[int, Field(ge=0)] = 1
    """How often the model is told what is wrong and asked again."""
    partial: bool = False
    """Whether a `PartialOutput` tells what can be read of the output while it arrives."""

    @field_validator("schema_")
    @classmethod
    def _usable(cls, schema: Any) -> Any:
        if isinstance(schema, type) and issubclass(schema, BaseModel):
            try:
                schema.model_json_schema()
            except PydanticUserError as error:
                raise ValueError(f"{schema.__name__} has no JSON schema: {error.message}") from error
            return schema
        if not isinstance(schema, Mapping):
            raise ValueError("it must be a pydantic model or a JSON schema")
        import jsonschema

        try:
            jsonschema.validators.validator_for(schema).check_schema(dict(schema))
        except jsonschema.SchemaError as error:
            raise ValueError(f"it is not a JSON schema: {error.message}") from error
        return dict(schema)


class AgentDefinition(_Config, Generic[T]):
    """An agent: what it is told, which model answers, what it may use and how much; `T` is the type of its output.

    Made directly, it raises pydantic's error; `checked` puts all mistakes into one `ConfigError`.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
    description: str = ""
    prompt: PromptConfig
    model: ModelConfig = ModelConfig()
    run: RunConfig = RunConfig()
    tools: ToolConfig = ToolConfig()
    inputs: InputConfig = InputConfig()
    output: OutputConfig[T] | None = None

    @model_validator(mode="after")
    def _variables_are_known(self) -> Self:
        if wrong := _unknown_variables(self.prompt, self.inputs):
            raise ValueError(" ".join(wrong))
        return self

    @property
    def needs_task(self) -> bool:
        """Whether it must be given the input `prompt`."""
        return not self.prompt.query or self.uses_task

    @property
    def uses_task(self) -> bool:
        """Whether any of its texts contains the input `prompt`."""
        return any(TASK in variables(text) for text in self.prompt.texts)

    def asked(self, query: str, task: str) -> str:
        """What it is asked: its query, filled in, followed by the task unless one of its texts already contains it."""
        if not query or not task or self.uses_task:
            return query or task
        return f"{query}\n\n{task}"

    @classmethod
    def checked(cls, values: Mapping[str, Any], *, path: str | None = None) -> Self:
        """A definition from plain values, as in a file; all mistakes are in one `ConfigError`."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            name = values.get("name") if isinstance(values.get("name"), str) else "?"
            mistakes = [_mistake(item["loc"], item["msg"]) for item in error.errors()]
            if all(item["loc"] for item in error.errors()):  # so the variables have not been checked
                with suppress(ValidationError):
                    prompt = PromptConfig.model_validate(values.get("prompt"))
                    mistakes += _unknown_variables(prompt, InputConfig.model_validate(values.get("inputs", {})))
            raise ConfigError(
                f"The agent {name!r} cannot be made: {'; '.join(mistakes)}.", path=path, hint="Correct all of them."
            ) from error


def _unknown_variables(prompt: PromptConfig, inputs: InputConfig) -> list[str]:
    known = [*inputs.inputs, TASK]
    found = {name for text in prompt.texts for name in variables(text)}
    return [unknown_variable(name, known) for name in sorted(found) if name not in known]


def _mistake(location: tuple[int | str, ...], message: str) -> str:
    return located((str(part).rstrip("_") for part in location), message.removeprefix("Value error, ").rstrip("."))


# -- variables ------------------------------------------------------------------------------------------------------


def variables(text: str) -> Iterator[str]:
    """The name of each variable in the text."""
    yield from (place["name"] for place in _PLACE.finditer(text) if place["name"])


def unknown_variable(name: str, known: Collection[str]) -> str:
    """What is wrong with an undeclared variable."""
    meant = did_you_mean(name, known)
    return f"${{{name}}} is not a declared input. {meant}".rstrip()


def substitute(text: str, values: Mapping[str, Value | None]) -> str:
    """The text with its variables filled in; one with neither a value nor a default is an error."""

    def filled(place: re.Match[str]) -> str:
        if place["literal"]:
            return "$"
        name = place["name"]
        if name not in values:
            raise ConfigError(unknown_variable(name, values), hint="Declare it in the inputs, or write $${ for ${.")
        value = as_text(values[name])
        if not value and place["default"] is None and values[name] is None:
            raise ConfigError(f"${{{name}}} has no value.", hint=f"Give {name} a value, or write ${{{name}:-default}}.")
        return value or place["default"] or ""

    return _PLACE.sub(filled, text)
