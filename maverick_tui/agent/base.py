"""MaverickAgent: what every agent has in common."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from maverick_tui.agent.asking_run import apart, asking_run, settings_here, widest_mode
from maverick_tui.agent.context import AgentContext
from maverick_tui.agent.engines import ENGINES, engine_named, load_module
from maverick_tui.agent.fields import MAX_PROMPT, agent_name
from maverick_tui.agent.made_with import MadeWith
from maverick_tui.agent.result import AgentResult
from maverick_tui.agent.tools import BUILTIN_TOOLS, validate_tools
from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.executor.model import DEFAULT_MODEL
from maverick_tui.fuse_amounts import WANTED, are_amounts
from maverick_tui.modes import DEFAULT_PERMISSION_MODE, PERMISSION_MODES, WIDEST, narrower

if TYPE_CHECKING:
    from claude_agent_sdk import CanUseTool, ClaudeAgentOptions, Message, Transport

    from maverick_tui.agent.engines import Listener, SdkEngine, SdkSession, Session
    from maverick_tui.config import MaverickConfig
    from maverick_tui.inputs import InputSpec, Value

__all__ = ["BUILTIN_TOOLS", "DEFAULT_MODEL", "DEFAULT_PERMISSION_MODE", "MaverickAgent"]

_config: ContextVar[MaverickConfig | None] = ContextVar("maverick_config", default=None)
"""The settings of the context that `run` was given, for the `query` that it makes."""


class MaverickAgent(MadeWith, ABC):
    """An agent: a system prompt, the tools it may use, and `execute()`.

    Class attributes are the defaults of the constructor. `allowed_tools` is all that the agent may use; an agent
    that names none talks, and nothing else. Limits that are None come from the settings. `inputs` declares what is to
    be asked for before it runs; `with_inputs` fills it in.
    """

    name: str = ""
    description: str = ""
    system_prompt: str = ""
    allowed_tools: Sequence[str] = ()
    model: str | None = None
    mcp_servers: Mapping[str, Any] = {}
    permission_mode: str | None = None
    timeout: float | None = None
    max_tokens: int | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    fuse: Mapping[str, float] = {}
    """What a run may use before it holds and asks: `usd`, `tokens`, `turns`, `minutes`."""
    effort: str | None = None
    skills: Sequence[str] | None = None
    hooks: Mapping[str, Any] | None = None
    initial_prompt: str = ""
    isolation: str | None = None
    """`worktree` for a git worktree of its own in each run."""
    inputs: Mapping[str, Any] = {}

    engine: str = "claude-code"
    """`claude-code`, or `api`: without a CLI, straight to the model API. What follows is for that one alone."""
    own_tools: Sequence[Any] = ()
    """Typed functions, or tools of `maverick_tui.executor`, that it may use beside `allowed_tools`."""
    subagents: Sequence[str] = ()
    """Names of registered agents that it may call like tools."""
    temperature: float | None = None
    thinking: int | None = None
    """Tokens that it may think before it answers."""
    limits: Mapping[str, Any] = {}
    """Fields of `maverick_tui.executor.Limits`."""
    tool_limits: Mapping[str, Any] = {}
    """`timeout_ms`, `max_result_chars`, `max_parallel` and `max_depth` of `maverick_tui.executor.ToolConfig`."""
    retries: int | None = None
    """How often a call of the model that failed in passing is tried again."""
    output_schema: Any = None
    """A pydantic model, or a JSON schema, that the last answer must fit."""
    repairs: int | None = None
    """How often the model is told what is wrong with its output, and asked again."""

    def __init__(
        self,
        name: str | None = None,
        system_prompt: str | None = None,
        allowed_tools: Sequence[str] | None = None,
        model: str | None = None,
        mcp_servers: Mapping[str, Any] | None = None,
        *,
        config: MaverickConfig | None = None,
        transport: Callable[[ClaudeAgentOptions], Transport] | None = None,
    ) -> None:
        """Check everything that can be known before a model is asked; `transport` replaces the way to the CLI."""
        self.name = type(self).name or agent_name(type(self).__name__) if name is None else name
        self.system_prompt = type(self).system_prompt if system_prompt is None else system_prompt
        self.allowed_tools = list(type(self).allowed_tools if allowed_tools is None else allowed_tools)
        self.mcp_servers = dict(type(self).mcp_servers if mcp_servers is None else mcp_servers)
        named = model or type(self).model
        self.model = named or (config.model if config else None) or DEFAULT_MODEL
        self._names_model = bool(named)
        self.config = config
        self._transport = transport
        self.input_values: dict[str, Value | None] = {}
        self._validate_text()
        self._validate_mode()
        self._validate_fuse()
        self._validate_engine()
        self._input_specs()

    def with_inputs(self, values: Mapping[str, object]) -> Self:
        """The same agent with its declared inputs filled into its prompts; they are meant for `context.extra`, too.

        Text is read by the input's type, and what is not given has its default. Raises `ConfigError` for what is wrong.
        """
        from maverick_tui.inputs import fill, validate
        from maverick_tui.masking.redact import conceal
        from maverick_tui.masking.settings import secret_inputs

        checked = validate(self._input_specs(), values)
        if checked.problems:
            wrong = "; ".join(f"{name} {problem}" for name, problem in checked.problems.items())
            raise ConfigError(
                f"The inputs of {self.name!r} cannot be used: {wrong}.", hint="Give each of them a value that fits."
            )
        conceal(secret_inputs(checked.values))
        filled = copy.copy(self)
        filled.__dict__.pop("options", None)  # they hold the prompt
        filled.input_values = checked.values
        filled.system_prompt = fill(self.system_prompt, checked.values)
        if (prompt := fill(self.initial_prompt or "", checked.values)) != self.initial_prompt:
            filled.initial_prompt = prompt
        filled._validate_text()
        return filled

    def _input_specs(self) -> tuple[InputSpec, ...]:
        if not self.inputs:
            return ()
        from maverick_tui.inputs import parse_inputs

        specs, mistakes = parse_inputs(self.inputs)
        if mistakes:
            raise ConfigError(f"The agent {self.name!r} cannot be made. {mistakes[0].message}", hint=mistakes[0].hint)
        return specs

    def _validate_text(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ConfigError(
                f"{type(self).__name__} has the name {self.name!r}.", hint="Give it one that is not empty."
            )
        if not isinstance(self.system_prompt, str) or not self.system_prompt.strip():
            raise ConfigError(
                f"The agent {self.name!r} has no system prompt.",
                hint=f"Set system_prompt in {type(self).__name__}, or pass it to the constructor.",
            )
        if (size := len(self.system_prompt.encode())) > MAX_PROMPT:
            raise ConfigError(
                f"The system prompt of {self.name!r} has {size:,} bytes; {MAX_PROMPT:,} can be passed on.",
                hint="Shorten it; let the agent read what is long from a file.",
            )

    def _validate_mode(self) -> None:
        if self.permission_mode is None:
            return
        if self.permission_mode not in PERMISSION_MODES:
            raise ConfigError(
                f"The agent {self.name!r} has the permission mode {self.permission_mode!r}.",
                hint=WIDEST,
            )

    def _validate_fuse(self) -> None:
        if not are_amounts(self.fuse):
            raise ConfigError(
                f"The fuse of {self.name!r} is {self.fuse!r}.", hint=f"Write {WANTED}, such as {{'usd': 2}}."
            )

    def _validate_engine(self) -> None:
        if self.engine not in ENGINES:
            raise ConfigError(
                f"The agent {self.name!r} has the engine {self.engine!r}.", hint=f"Choose one of {', '.join(ENGINES)}."
            )
        engine_named(self.engine).check(self)

    @staticmethod
    def _validate_tools(allowed_tools: Sequence[str], mcp_servers: Mapping[str, Any] | None) -> None:
        validate_tools(allowed_tools, mcp_servers)

    # -- what a concrete agent writes, and what it writes it with --------------------------------------------------

    @abstractmethod
    async def execute(self, context: AgentContext) -> AgentResult:
        """Do the agent's work. Failures are returned as `AgentResult.failure_result`, which `run` does by itself."""

    async def run(self, prompt: str, context: AgentContext) -> AgentResult:
        """Ask, wait for the end, and return what came: text, usage, and errors if it failed."""
        from maverick_tui.agent.record import Record

        record = Record(keeps_messages=False)
        token = _config.set(context.config)
        try:
            async for message in self.query(prompt, cwd=context.cwd):
                record.add(message)
        except AgentError as error:
            return AgentResult.failure_result([error], record.usage, self._metadata(record.metadata), record.text)
        finally:
            _config.reset(token)
        return AgentResult.success_result(record.text, record.usage, self._metadata(record.metadata))

    async def query(self, prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[Message, None]:
        """Yield the SDK's messages as they arrive, partial ones included.

        When the stream fails, everything received has been yielded, then `StreamingError` is raised from the specific
        error; before the first content it is the specific error itself. Nothing is retried.
        """
        run = asking_run()
        answers = None if run is None else run.answers(self, prompt, cwd)
        async with aclosing(answers or self._asked_apart(prompt, cwd)) as messages:
            async for message in messages:
                yield message

    async def _asked_apart(self, prompt: str, cwd: Path | str | None) -> AsyncGenerator[Message, None]:
        with apart():
            settings = await asyncio.to_thread(self._settings)
            try:
                engine = await self._sdk_engine(cwd)
            except ConfigError as error:  # to whoever asks it is one more failure
                raise AgentError(error.message, kind="invalid", hint=error.hint) from error
            async with aclosing(engine.query(self, settings, prompt, cwd)) as messages:
                async for message in messages:
                    yield message

    @asynccontextmanager
    async def session(
        self,
        context: AgentContext,
        *,
        can_use_tool: CanUseTool | None = None,
        on_background: Callable[[Message], None] | None = None,
        resume: str | None = None,
        may_schedule: bool = True,
    ) -> AsyncIterator[SdkSession]:
        """Keep one conversation open for many prompts; `resume` is the id of one that the CLI is to go on with.

        With `can_use_tool` there is a person: the read-only tools of the agent run, the others ask that callback.
        Without it they ask whoever attends the run in whose `execute` it is opened, if somebody does.
        `on_background` gets the messages of turns that the CLI starts by itself. Without `may_schedule` no job runs,
        neither a new one nor those of the conversation that is resumed.
        """
        with apart():
            engine = await self._sdk_engine(context.cwd, asks_run=can_use_tool is None)
            async with engine.sdk_session(
                self,
                self.config or context.config,
                context.cwd,
                can_use_tool=can_use_tool,
                on_background=on_background,
                resume=resume,
                may_schedule=may_schedule,
            ) as session:
                yield session

    async def _sdk_engine(self, cwd: Path | str | None, *, asks_run: bool = True) -> SdkEngine:
        """Its engine, and what says its answers in the SDK's messages where that does not know the SDK, or where the
        run in which it is asked has a person, who is to hear of its calls. ConfigError if it may not work there.
        """
        await self._require_trusted(Path(cwd or Path.cwd()))
        engine, run = engine_named(self.engine), asking_run()
        listener = run.listener(self, Path(cwd or Path.cwd())) if run is not None and run.is_attended else None
        if hasattr(engine, "sdk_session") and (listener is None or not asks_run):
            return cast("SdkEngine", engine)
        speaking = await load_module("maverick_tui.agent.sdk_messages")
        return cast("SdkEngine", speaking.InSdkMessages(engine, listener))

    def open_session(
        self, context: AgentContext, listener: Listener, *, resume: object | None = None, may_schedule: bool = True
    ) -> AbstractAsyncContextManager[Session]:
        """One conversation that is told in events, whichever engine has it."""
        settings, engine = self.config or context.config, engine_named(self.engine)
        opening = engine.open(self, settings, context.cwd, listener, resume=resume, may_schedule=may_schedule)
        return self._opened(opening, context.cwd)

    @asynccontextmanager
    async def _opened(self, opening: AbstractAsyncContextManager[Session], folder: Path) -> AsyncIterator[Session]:
        with apart():
            await self._require_trusted(folder)
            async with opening as session:
                yield session

    async def _require_trusted(self, folder: Path) -> None:
        """ConfigError if it would start hooks or servers in a folder where nobody has trusted them."""
        if self.hooks or self.mcp_servers:
            started_elsewhere = await load_module("maverick_tui.agent.catalog.started_elsewhere")
            await asyncio.to_thread(started_elsewhere.require_trusted, self, folder)

    def api_session(
        self, settings: MaverickConfig, cwd: Path, listener: Listener
    ) -> AbstractAsyncContextManager[Session]:
        """A session of the engine `api`; an agent that talks in a way of its own may open one of its own."""
        engine: Any = engine_named("api")
        return self._opened(engine.session(self, settings, cwd, listener), cwd)

    # -- how it is told to the SDK ----------------------------------------------------------------------------------

    @cached_property
    def options(self) -> ClaudeAgentOptions:
        """The SDK's options of a run in the current folder."""
        return self._build_options()

    def _settings(self) -> MaverickConfig:
        return self.config or _config.get() or settings_here()

    def _options_by(
        self, settings: MaverickConfig, cwd: Path | str | None, *, person: bool = False
    ) -> ClaudeAgentOptions:
        token = _config.set(settings)
        try:
            return self._build_options(cwd, person=True) if person else self._build_options(cwd)
        finally:
            _config.reset(token)

    def _build_options(self, cwd: Path | str | None = None, *, person: bool = False) -> ClaudeAgentOptions:
        """The SDK's options; `person` says that somebody will be asked about what is not read-only."""
        claude: Any = engine_named("claude-code")
        return cast("ClaudeAgentOptions", claude.options(self, self._settings(), cwd, person=person))

    def _wrap_sdk_error(self, error: Exception) -> AgentError:
        """Any exception of the SDK as one of ours."""
        claude: Any = engine_named("claude-code")
        return cast("AgentError", claude.wrap_error(error))

    # -- what holds for it under some settings -----------------------------------------------------------------------

    def _model_by(self, settings: MaverickConfig) -> str:
        return (self.model if self._names_model else settings.model or self.model) or DEFAULT_MODEL

    def _answer_by(self, model: str) -> None:
        """Have that model, whatever it had."""
        self.model, self._names_model = model, True
        self.__dict__.pop("options", None)  # they are made of what is changed here

    def _mode_by(self, settings: MaverickConfig) -> str:
        own = self.permission_mode or settings.permission_mode or DEFAULT_PERMISSION_MODE
        return narrower(widest_mode(person=True)(), own)

    def _tools_by(self, *, person: bool) -> Sequence[str]:
        """What it may use; `person` says that somebody can be asked about it."""
        return self.allowed_tools

    def _timeout_by(self, settings: MaverickConfig) -> float:
        return settings.timeout if self.timeout is None else self.timeout

    def _metadata(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        return {"agent": self.name, **metadata}
