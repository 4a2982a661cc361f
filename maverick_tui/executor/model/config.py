"""AgentConfig: which model is asked, where, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.model import DEFAULT_MODEL
from maverick_tui.executor.model.failures import RetryPolicy
from maverick_tui.executor.model.tokens import LEAST_THINKING
from maverick_tui.executor.settings import wrong_with_headers, wrong_with_key, wrong_with_url
from maverick_tui.masking.settings import custom_headers, given_to_server, secret_variables
from maverick_tui.masking.values import LEAST_GIVEN
from maverick_tui.shown import located

DEFAULT_MAX_TOKENS = 16_000
DEFAULT_REQUEST_TIMEOUT = 600.0
DEFAULT_IDLE_TIMEOUT = 120.0


class AgentConfig(BaseModel):
    """Which model is asked, where, and how; a request's own settings come first. None is the provider's default."""

    # What is refused may be a key, and errors are shown.
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, hide_input_in_errors=True)

    provider: Literal["claude"] = "claude"
    model: Annotated[str, Field(min_length=1)] = DEFAULT_MODEL
    max_tokens: Annotated[int, Field(gt=0)] = DEFAULT_MAX_TOKENS
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    thinking: Annotated[int, Field(ge=0)] = 0
    """Tokens that it may spend thinking before it answers; 0 for none."""
    request_timeout: Annotated[float, Field(gt=0)] = DEFAULT_REQUEST_TIMEOUT
    """Seconds for one call, however much arrives."""
    idle_timeout: Annotated[float, Field(gt=0)] = DEFAULT_IDLE_TIMEOUT
    """Seconds without a byte after which a call has failed."""
    api_key: SecretStr | None = None
    """Without one, `ANTHROPIC_API_KEY` is used, or `ANTHROPIC_AUTH_TOKEN` as a bearer token."""
    base_url: str | None = None
    """Without one, `ANTHROPIC_BASE_URL` is used, or the vendor's address."""
    headers: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """Sent with each call, in addition to those in `ANTHROPIC_CUSTOM_HEADERS`."""
    cache: bool = True
    """Whether the provider keeps the beginning of a conversation, so that it costs less the next time."""
    retry: RetryPolicy = RetryPolicy()
    env: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """Variables that take precedence over those of the process."""

    @model_validator(mode="after")
    def _thinking_fits(self) -> Self:
        if self.thinking and not LEAST_THINKING <= self.thinking < self.max_tokens:
            raise ValueError(
                f"thinking must be 0, or at least {LEAST_THINKING} and less than max_tokens, which it counts towards"
            )
        if self.thinking and self.temperature not in (None, 1.0):
            raise ValueError("temperature cannot be set together with thinking")
        return self

    @field_validator("api_key", "base_url", "headers")
    @classmethod
    def _can_be_sent(cls, value: Any) -> Any:
        if isinstance(value, SecretStr):
            wrong = wrong_with_key(value.get_secret_value())
        elif isinstance(value, str):
            wrong = wrong_with_url(value) if value else ""
        else:
            wrong = wrong_with_headers(value or {})
        if wrong:
            raise ValueError(wrong)
        return value

    @classmethod
    def checked(cls, **values: Any) -> AgentConfig:
        """A configuration from plain values; all mistakes are in one `ConfigError`."""
        try:
            return cls(**values)
        except ValidationError as error:
            wrong = "; ".join(
                located(item["loc"], item["msg"].removeprefix("Value error, ")) for item in error.errors()
            )
            raise ConfigError(f"The model cannot be configured: {wrong}.") from error

    def variable(self, name: str) -> str:
        """A variable from `env` or from the process; empty if it is in neither."""
        return self.env.get(name) or os.environ.get(name) or ""

    @property
    def credentials(self) -> tuple[str, str]:
        """The key and the bearer token, at most one of which is not empty."""
        if self.api_key is not None and (key := self.api_key.get_secret_value()):
            return key, ""
        if key := self.variable("ANTHROPIC_API_KEY"):
            return key, ""
        return "", self.variable("ANTHROPIC_AUTH_TOKEN")

    @property
    def address(self) -> str:
        """Where the endpoint is; empty for the vendor's own."""
        return self.base_url or self.variable("ANTHROPIC_BASE_URL")

    @property
    def all_headers(self) -> dict[str, str]:
        """Those in the variable, one `name: value` per line, and those given here."""
        return {**custom_headers(self.variable("ANTHROPIC_CUSTOM_HEADERS")), **self.headers}

    @property
    def secrets(self) -> set[str]:
        """What an endpoint may repeat but nobody may read: keys, headers, and variables that are named like secrets."""
        found = given_to_server({"headers": self.all_headers, "url": self.address})
        found |= {value for value in secret_variables(self.env) if len(value) >= LEAST_GIVEN}
        return found | set(filter(None, self.credentials))
