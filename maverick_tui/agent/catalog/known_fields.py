"""Which fields an agent file may have; a field that we do not know is never dropped silently."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Node

FIELDS = (
    "name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills", "mcpServers",
    "hooks", "memory", "background", "effort", "isolation", "color", "initialPrompt",
    "timeout", "maxTokens", "maxBudgetUsd", "inputs", "engine", "temperature", "thinking", "limits", "agents", "output",
    "toolLimits", "retries", "repairs",
)  # fmt: skip

WITHOUT_EFFECT = ("memory", "background", "isolation")
"""Fields of Claude Code that are read and kept, but do nothing in Maverick yet."""

# What other programs call it. Lower case, without hyphens and underscores.
_OTHER_NAMES = {
    "allowedtools": "tools",
    "allowtools": "tools",
    "deniedtools": "disallowedTools",
    "denytools": "disallowedTools",
    "disabledtools": "disallowedTools",
    "excludedtools": "disallowedTools",
    "permissions": "permissionMode",
}
_BY_PLAIN_NAME = {name.lower(): name for name in FIELDS} | _OTHER_NAMES
_CLOSE = 0.75


def check_names(fields: Mapping[str, Node], log: ProblemLog) -> None:
    """Report the fields that have no effect.

    One that was probably meant to be another is an error: an agent whose `allowed_tools` were overlooked would have
    all of them.
    """
    for name, node in fields.items():
        if name in WITHOUT_EFFECT:
            log.warning(node.line, f"{name} has no effect in Maverick yet.", "It is kept for Claude Code.")
        elif name not in FIELDS:
            if meant := _meant(name):
                log.error(node.line, f"There is no field {name!r}.", f"Did you mean {meant!r}?")
            else:
                log.warning(node.line, f"The field {name!r} is unknown and has no effect.", "Remove it, if you can.")


def _meant(name: str) -> str:
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    close = difflib.get_close_matches(plain, list(_BY_PLAIN_NAME), n=1, cutoff=_CLOSE)
    if close:
        return _BY_PLAIN_NAME[close[0]]
    return "tools" if "tool" in plain else ""
