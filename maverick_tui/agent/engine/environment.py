"""The variables that an agent's programs and its way to the model are given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from maverick_tui.git.programs import agent_variables

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig


def environment_of(
    agent: MaverickAgent, settings: MaverickConfig, defaults: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Those of the settings, and what keeps git from running programs; what the user has set wins over `defaults`."""
    variables = dict(defaults or {})
    if settings.env.get("MAVERICK_OFFLINE") or os.environ.get("MAVERICK_OFFLINE"):
        # The scripted model chooses its answer by the agent, too; what the user has set is for real ones.
        name = agent.name.encode("ascii", "ignore").decode()
        variables |= {"ANTHROPIC_CUSTOM_HEADERS": f"x-maverick-agent: {name}", **settings.env}
    else:
        variables = {name: value for name, value in variables.items() if name not in os.environ} | settings.env
    return variables | agent_variables({**os.environ, **variables})
