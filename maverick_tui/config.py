"""MaverickConfig: the user's settings, from a file, the environment and arguments, validated once."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.fuse_amounts import SCOPES, UNITS, FuseScope, FuseUnit
from maverick_tui.masking.redact import conceal, redact, redact_data
from maverick_tui.masking.settings import secret_variables
from maverick_tui.modes import PermissionMode

DEFAULT_TIMEOUT = 300.0
DEFAULT_MAX_TOKENS = 32_000
DEFAULT_MAX_TURNS = 100
DEFAULT_HOST_IDLE_MINUTES = 60.0
DEFAULT_IDLE_AFTER = 600.0
DEFAULT_HOST_NICE = 5
DEFAULT_STALL_AFTER = 60.0

PREFIX = "MAVERICK_"

SettingSource = Literal["user", "project", "local"]


def _words(value: Any) -> Any:
    """A list may be written as words with commas between them, as in a variable."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def _command(value: Any) -> Any:
    """A program and its arguments; in a variable they are a list in JSON. No shell reads them."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError('write a list: ["notify-send", "{title}", "{text}"]')
    if value and not value[0].strip():
        raise ValueError("its first word names no program")
    if value and os.path.dirname(value[0]) and not os.path.isabs(os.path.expanduser(value[0])):  # noqa: PTH111, PTH117, PTH120
        raise ValueError("name the program by its whole path: else it would be another one in each folder")
    return value


class MaverickConfig(BaseSettings):
    """What applies to every agent that does not say otherwise.

    Order of precedence: arguments, `MAVERICK_*` variables, `config.toml` in the user's folder, the defaults.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    model: Annotated[str, Field(min_length=1)] | None = None
    """The model of agents that do not name one."""
    permission_mode: PermissionMode | None = None
    """The permission mode of agents that do not name one."""
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = DEFAULT_TIMEOUT
    """Seconds of silence after which a stream counts as dead; a running tool is not silence."""
    stall_after: Annotated[float, Field(ge=0, allow_inf_nan=False)] = DEFAULT_STALL_AFTER
    """Seconds of the model's silence after which you are asked whether to wait, interrupt or retry. 0: never."""
    idle_after: Annotated[float, Field(ge=0, allow_inf_nan=False)] = DEFAULT_IDLE_AFTER
    """Seconds after which the CLI of a run that nobody uses is ended; the next prompt resumes it. 0: never."""
    hosted_runs: bool = True
    """Whether a run of the application has a process of its own, which goes on when the application is left."""
    host_idle_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] = DEFAULT_HOST_IDLE_MINUTES
    """Minutes after which the process of a run ends that nobody reads and that has nothing to do. 0: never."""
    host_nice: Annotated[int, Field(ge=0, le=19)] = DEFAULT_HOST_NICE
    """How far the processes of runs stand back behind what else the machine does, as nice counts. 0: not at all."""
    max_runs: Annotated[int, Field(ge=0)] = 0
    """The most runs with processes of their own that work at once; others wait in the order of asking. 0: no limit."""
    notify_command: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_command)] = Field(default=(), repr=False)
    """A program and its arguments, run when a run asks, fails or is done and nobody looks; {title} and {text} tell."""
    max_tokens: Annotated[int, Field(gt=0)] = DEFAULT_MAX_TOKENS
    """The most tokens of one answer."""
    max_turns: Annotated[int, Field(gt=0)] = DEFAULT_MAX_TURNS
    """The most calls to the model for one prompt."""
    max_budget_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The most dollars that a run may cost until it rests or is resumed, or with `engine: api` each prompt; the CLI
    checks it after each call. A fuse counts the whole run."""
    fuses: dict[FuseScope, dict[FuseUnit, Annotated[float, Field(gt=0, allow_inf_nan=False)]]] = Field(
        default_factory=dict
    )
    """What a run, an agent's runs of a day, or all runs of a day may use before they hold and ask; by run, agent_day
    and day, in usd, tokens, turns and minutes."""
    api_retries: Annotated[int, Field(ge=0)] = 0
    """How often the CLI itself repeats a failed API call before the failure is reported."""
    tasks_url: Annotated[str, Field(min_length=1)] | None = Field(default=None, repr=False)
    """Where the to-do assistant keeps its tasks: a database URL. Without one it is SQLite in the user's folder."""
    keep_runs: bool = True
    """Whether runs are kept: everything that they tell, and what you have sent, without secrets, in the user's state
    folder."""
    track_changes: bool = True
    """Whether runs keep what is in their folder before and after what they change, to show it and to take it back."""
    continue_after_limit: bool = False
    """Whether a run that a limit has stopped goes on by itself when it resets, if that is known; else a key does it."""
    hosts: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], NoDecode, BeforeValidator(_words)] = ()
    """Machines whose runs are listed with those of this one, by the names that your SSH knows."""
    ssh: Annotated[str, Field(min_length=1)] = "ssh"
    """The command that leads to other machines, perhaps with options of its own."""
    remote_maverick: Annotated[str, Field(min_length=1)] = "maverick"
    """What Maverick is called on other machines: a path, if no login there finds it by its name."""
    cli_path: Path | None = None
    """A Claude Code CLI to use instead of the bundled one."""
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    """Variables for the CLI, in addition to those it inherits; they may contain keys. The engine `api` has its keys and
    its address from them, too, but its proxy only from Maverick's own environment."""
    setting_sources: Annotated[tuple[SettingSource, ...], NoDecode, BeforeValidator(_words)] = ()
    """Claude Code settings to load as well. They may contain hooks and rules that approve tools: none by default."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, file; the .env of the folder we happen to be in is not ours to read."""
        return (init_settings, env_settings, UserFile(settings_cls, config_file()))

    @classmethod
    def load(cls, **overrides: Any) -> MaverickConfig:
        """Read all sources; any mistake is one `ConfigError` that names every wrong setting."""
        _refuse_misspelt_variables()
        with _mistakes_named(config_file()):
            settings = cls(**overrides)
            conceal(secret_variables(settings.env))
            return settings


OTHER_TABLES = ("keys",)
"""What else is in the user's file: the interface reads its keys there itself, without the cost of this module."""


class UserFile(TomlConfigSettingsSource):
    """The settings that a file has, as they are written there."""

    def __call__(self) -> dict[str, Any]:
        """Their values by name, not checked yet."""
        return {name: value for name, value in super().__call__().items() if name not in OTHER_TABLES}


class _OneFile(MaverickConfig):
    """Settings of a file alone: what the environment and the user's own file say does not count."""

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def check_file(file: Path) -> None:
    """A `ConfigError` names every mistake in a file of settings, which need not be the user's own."""
    with _mistakes_named(file):
        _OneFile(**UserFile(MaverickConfig, file)())


@contextmanager
def _mistakes_named(file: Path) -> Iterator[None]:
    try:
        if file.exists() and not file.is_file():
            raise IsADirectoryError("it is not a file")
        yield
    except ValidationError as error:
        mistakes = [_mistake(item["loc"], item["type"], item["msg"], item["input"]) for item in error.errors()]
        raise ConfigError(
            f"The settings cannot be used: {'; '.join(mistakes)}.", path=str(file), hint=_hint(file)
        ) from None  # it has named all that pydantic tells
    except (OSError, ValueError) as error:  # unreadable, not UTF-8, not TOML; a variable that is not JSON
        why = f" ({error.__cause__})" if error.__cause__ is not None else ""
        raise ConfigError(f"The settings cannot be read: {error}{why}.", path=str(file), hint=_hint(file)) from error


def config_file() -> Path:
    """The user's settings file; it need not exist."""
    return paths.user_config() / "config.toml"


def _hint(file: Path) -> str:
    variables = f"the {PREFIX}* variables"
    try:
        is_there = file.exists()
    except OSError:  # it is closed to us
        return paths.how_to_open(str(file))
    return f"Correct them in {file} (TOML) or in {variables}." if is_there else f"Correct {variables}."


def _mistake(location: tuple[int | str, ...], kind: str, message: str, value: object) -> str:
    name = str(location[0]) if location else "settings"
    variable = f"{PREFIX}{name.upper()}"
    if name == "fuses" and len(location) > 1:
        return _fuse_mistake(location, variable, message, value)
    where = f"{name} ({variable})" if os.environ.get(variable) else name
    if kind == "extra_forbidden":
        known = [*MaverickConfig.model_fields, *OTHER_TABLES]
        return f"{where} is not a setting ({did_you_mean(name, known) or 'see the README'})"
    message = message.removeprefix("Value error, ")
    return f"{where} = {redact(repr(redact_data(value)))}: {message[:1].lower()}{message[1:]}"


def _fuse_mistake(location: tuple[int | str, ...], variable: str, message: str, value: object) -> str:
    """What is wrong with one of the fuses, by its whole name."""
    name = ".".join(str(part) for part in location if part != "[key]")
    where = f"{name} ({variable})" if os.environ.get(variable) else name
    if location[-1] == "[key]":
        known = SCOPES if len(location) == 3 else UNITS
        return f"{where} is no fuse (one of {', '.join(known)})"
    return f"{where} = {redact(repr(redact_data(value)))}: {message[:1].lower()}{message[1:]}"


def _refuse_misspelt_variables() -> None:
    """A variable that is nearly one of ours was meant to be it, and would be ignored silently."""
    for variable in os.environ:
        if variable.startswith(f"{PREFIX}FUSE") and variable != f"{PREFIX}FUSES":
            hint = f'Write all fuses as JSON: {PREFIX}FUSES=\'{{"run": {{"usd": 2}}}}\'.'
            raise ConfigError(f"The variable {variable} is not a setting.", hint=hint)
        name = variable.removeprefix(PREFIX).lower()
        if (
            variable.startswith(PREFIX)
            and name not in MaverickConfig.model_fields
            and variable not in paths.OTHER_VARIABLES
        ):
            close = difflib.get_close_matches(name, MaverickConfig.model_fields, n=1, cutoff=0.75)
            if close:
                meant = f"{PREFIX}{close[0].upper()}"
                raise ConfigError(f"The variable {variable} is not a setting.", hint=f"Did you mean {meant}?")
