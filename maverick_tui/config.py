"""MaverickConfig: the user's settings, from a file, the environment and arguments, validated once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError, did_you_mean

DEFAULT_TIMEOUT = 300.0
DEFAULT_MAX_TOKENS = 32_000
DEFAULT_MAX_TURNS = 100

PermissionMode = Literal["default", "acceptEdits", "plan", "dontAsk"]
"""The modes that Maverick opens: the documented default and what is narrower."""

PERMISSION_MODES: tuple[str, ...] = get_args(PermissionMode)

SettingSource = Literal["user", "project", "local"]


class MaverickConfig(BaseSettings):
    """What holds for every agent that does not say otherwise.

    Order of precedence: arguments, `MAVERICK_*` variables, `config.toml` in the user's folder, the defaults.
    """

    model_config = SettingsConfigDict(env_prefix="MAVERICK_", extra="forbid", frozen=True)

    model: Annotated[str, Field(min_length=1)] | None = None
    """Model of agents that name none."""
    permission_mode: PermissionMode | None = None
    """Permission mode of agents that name none."""
    timeout: Annotated[float, Field(gt=0)] = DEFAULT_TIMEOUT
    """Seconds of silence after which a stream counts as dead; a running tool is not silence."""
    max_tokens: Annotated[int, Field(gt=0)] = DEFAULT_MAX_TOKENS
    """Most tokens of one model answer."""
    max_turns: Annotated[int, Field(gt=0)] = DEFAULT_MAX_TURNS
    """Most model calls for one prompt."""
    max_budget_usd: Annotated[float, Field(gt=0)] | None = None
    """Most dollars of one run; the CLI checks it after each call."""
    api_retries: Annotated[int, Field(ge=0)] = 0
    """How often the CLI itself repeats a failed API call before the failure is reported."""
    cli_path: Path | None = None
    """A Claude Code CLI to use instead of the bundled one."""
    setting_sources: tuple[SettingSource, ...] = ()
    """Claude Code settings to load as well. Those may hold hooks and rules that approve tools: none by default."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, file; a .env of the folder we happen to stand in is not ours to read."""
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, config_file()))

    @classmethod
    def load(cls, **overrides: Any) -> MaverickConfig:
        """Read all sources; any mistake is one `ConfigError` that names every wrong setting."""
        try:
            return cls(**overrides)
        except ValidationError as error:
            raise ConfigError(
                "The settings cannot be used: " + "; ".join(_mistakes(error)) + ".",
                path=str(config_file()),
                hint=f"Correct them in {config_file()}, in the MAVERICK_* variables or on the command line.",
            ) from error
        except (OSError, ValueError) as error:  # unreadable file, not UTF-8, not TOML, environment that is not JSON
            raise ConfigError(
                f"The settings cannot be read from {config_file()} and the environment: {error}.",
                path=str(config_file()),
                hint="Correct the file (it is TOML) or move it away; check the MAVERICK_* variables.",
            ) from error


def config_file() -> Path:
    """The user's settings file; it need not exist."""
    return paths.user_config() / "config.toml"


def _mistakes(error: ValidationError) -> list[str]:
    found = []
    for item in error.errors():
        name = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            suggestion = did_you_mean(name, MaverickConfig.model_fields)
            found.append(f"{name} is not a setting{'. ' + suggestion if suggestion else ''}")
        else:
            found.append(f"{name} = {item['input']!r}: {item['msg'].lower()}")
    return found
