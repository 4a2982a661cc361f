"""Tools: typed functions that a model may call. `tool` makes one from a function, `ToolRegistry` keeps them by name."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_type_hints, overload, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from maverick_tui.exceptions import AgentError, ConfigError, InvalidToolError
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.masking.redact import beginning
from maverick_tui.shown import located, words_of
from maverick_tui.threads import in_thread

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know about the call that it serves. A function receives it in a parameter of this type."""

    call_id: str = ""
    trace_id: str = ""
    agent: str = ""
    cancel: CancelToken = field(default_factory=CancelToken)
    deadline: float | None = None
    """By the clock of the event loop; None if there is none."""
    inputs: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Tool(Protocol):
    """A function that a model can call. The executor calls it, never the model's client."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...

    @property
    def description(self) -> str:
        """What the model is told about it."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments."""
        ...

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Do it; anything that is JSON-able may be returned, and any exception is reported to the model."""
        ...


class ToolError(AgentError):
    """A tool could not do what it was asked to; its message is for the model."""

    kind_by_default = "tool"
    hint_by_default = ""


class FunctionTool:
    """A function with validated arguments. Plain functions run in a thread, so they may block."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        description: str = "",
        timeout: float | None = None,
        is_read_only: bool = False,
        completes: bool = False,
    ) -> None:
        """Derive name, description and schema from the function; what cannot be derived is a `ConfigError`."""
        self._function = function
        self.name = checked_name(name or getattr(function, "__name__", ""))
        if timeout is not None and not 0 < timeout < float("inf"):
            raise ConfigError(f"The tool {self.name!r} has the timeout {timeout!r}.", hint="Give seconds above 0.")
        about, self._said_of_parameters = _read_docstring(function.__doc__ or "")
        self.description = inspect.cleandoc(description) or about
        self.timeout = timeout
        self.is_read_only = is_read_only
        self.completes = completes
        self._context_name = ""
        self._arguments = self._model()
        self.parameters: dict[str, Any] = self._schema()
        self.__doc__, self.__wrapped__ = function.__doc__, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, as before it was decorated."""
        return self._function(*args, **kwargs)

    async def execute(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Validate the arguments and call the function."""
        try:
            valid = self._arguments.model_validate(arguments)
        except ValidationError as error:
            raise ToolError(f"The arguments of {self.name} are wrong: {_wrong(error)}.") from error
        values = {str(info.alias): getattr(valid, name) for name, info in self._arguments.model_fields.items()}
        if self._context_name:
            values[self._context_name] = context
        try:
            if inspect.iscoroutinefunction(self._function):
                return await self._function(**values)
            result = await in_thread(self._function, **values)
            return await result if isinstance(result, Awaitable) else result
        except SystemExit as error:  # it would end the event loop, and all that runs in it
            raise ToolError(f"{self.name} gave up with exit code {error.code!r}.") from error
        except (Exception, asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # as a KeyboardInterrupt would, or what a library in Rust raises
            raise ToolError(f"{type(error).__name__}: {words_of(error)}") from error

    def _refused(self, why: str, hint: str) -> ConfigError:
        return ConfigError(f"The tool {self.name!r} cannot be made: {why}", hint=hint)

    def _model(self) -> type[BaseModel]:
        try:
            signature = inspect.signature(self._function)
            hints = get_type_hints(self._function, include_extras=True)
        except NameError as error:
            raise self._refused(f"{error}.", "Import the types that it names.") from error
        except (TypeError, ValueError) as error:
            raise self._refused(f"{error}.", "Wrap it in a function with type annotations.") from error
        fields: dict[str, Any] = {}
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise self._refused(
                    f"the model cannot give {parameter} by name.", "Give every parameter a name of its own."
                )
            if ToolContext in (hint := hints.get(parameter.name), *get_args(hint)):
                self._context_name = parameter.name
                continue
            if parameter.name not in hints:
                raise self._refused(f"its parameter {parameter.name!r} has no type.", "Give every parameter a type.")
            default = ... if parameter.default is parameter.empty else parameter.default
            # Under a name of our own, since a parameter may be named like an attribute that every pydantic model has.
            fields[f"argument_{len(fields)}"] = (Annotated[hint, Field(alias=parameter.name)], default)
        try:
            return create_model(f"{self.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
            raise self._refused(str(error).splitlines()[0], "Use types that JSON can carry.") from error

    def _schema(self) -> dict[str, Any]:
        try:
            schema = self._arguments.model_json_schema()
        except PydanticUserError as error:
            raise self._refused(str(error).splitlines()[0], "Use types that JSON can carry.") from error
        schema.pop("title", None)
        for name, part in schema.get("properties", {}).items():
            part.pop("title", None)
            if said := self._said_of_parameters.get(name):
                part.setdefault("description", said)
        return schema


@overload
def tool(function: F, /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str = "",
    description: str = "",
    timeout: float | None = None,
    is_read_only: bool = False,
    completes: bool = False,
) -> Callable[[F], FunctionTool]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> FunctionTool | Callable[[F], FunctionTool]:
    """Make a tool from a typed function: its name, docstring and signature are what the model is told.

    What the docstring says about a parameter becomes its description, unless its type brings one.

    `timeout` is in seconds. `is_read_only` says that it changes nothing, so that nobody needs to be asked.
    A tool that `completes` ends the execution: what it returns is the output.
    """
    if function is not None:
        return FunctionTool(function, **options)
    return lambda decorated: FunctionTool(decorated, **options)


class ToolRegistry:
    """Tools by name."""

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for one in tools:
            self.register(one)

    def register(self, one: Tool | Callable[..., Any]) -> Tool:
        """Add a tool, or a typed function as one; a name that is already taken is refused."""
        added = one if isinstance(one, Tool) else FunctionTool(one)
        checked_name(added.name)
        if added.name in self._tools:
            raise ConfigError(f"There is a tool named {added.name!r} already.", hint="Give one of them another name.")
        self._tools[added.name] = added
        return added

    def get(self, name: str) -> Tool:
        """The tool of that name."""
        try:
            return self._tools[name]
        except KeyError:
            raise InvalidToolError(name, self._tools) from None

    def get_all(self) -> list[Tool]:
        """All tools, in the order of registration."""
        return list(self._tools.values())

    def unregister(self, name: str) -> Tool:
        """Remove a tool, and return it."""
        found = self.get(name)
        del self._tools[name]
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)


def checked_name(name: str) -> str:
    """The name, if the model API accepts it."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"A tool cannot be named {name[:140]!r}.", hint="Use letters, digits, _ and -, 128 at most.")
    return name


def _read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """What a docstring says about the function and about each parameter, in any of the usual styles."""
    import docstring_parser

    whole = inspect.cleandoc(text)
    try:
        read = docstring_parser.parse(whole)
    except docstring_parser.ParseError:
        return whole, {}
    said = {one.arg_name: one.description for one in read.params if one.description}
    if not said:
        return whole, {}
    returns = read.returns.description if read.returns else None
    return "\n\n".join(filter(None, (read.description, returns and f"Returns: {returns}"))), said


def _wrong(error: ValidationError) -> str:
    return "; ".join(located(item["loc"], beginning(item["msg"], 200)) for item in error.errors()[:5])
