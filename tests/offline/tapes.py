"""Sessions that are recorded and replayed, compared."""

from __future__ import annotations

from pathlib import Path

from maverick_tui import AgentContext, ConfigError, MaverickConfig


def nowhere() -> AgentContext:
    """A context in which no CLI could be started."""
    return AgentContext(cwd=Path.cwd(), branch="main", config=MaverickConfig.load(cli_path=Path("/nowhere/claude")))


def config_error(error: BaseException | None) -> ConfigError:
    """The error of the cassette, however deep it is wrapped."""
    while error is not None and not isinstance(error, ConfigError):
        error = error.__cause__
    assert error is not None
    return error
