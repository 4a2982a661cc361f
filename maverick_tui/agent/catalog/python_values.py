"""Checks the values that a Python agent class writes out, by the rules of Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from maverick_tui.agent.catalog.choices import EFFORTS, ENGINES, PERMISSION_MODES, wrong_model
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.python_classes import PythonAgent
from maverick_tui.agent.limits import MAX_PROMPT
from maverick_tui.exceptions import did_you_mean
from maverick_tui.shown import shown

_NEVER_NONE = (
    "system_prompt",
    "allowed_tools",
    "mcp_servers",
    "inputs",
    "engine",
    "own_tools",
    "subagents",
    "limits",
    "tool_limits",
)


class Rule(NamedTuple):
    """What a value must be, in words and as a test, and an example."""

    wanted: str
    fits: Callable[[object], bool]
    example: str


def check_values(agent: PythonAgent, log: ProblemLog, misspelt: Collection[str] = ()) -> None:
    """Report the values that cannot be used, and a prompt that is nowhere, not even under a misspelt name."""
    if "system_prompt" not in {*agent.settings, *agent.unknown, *misspelt}:
        log.error(agent.line, f"{agent.class_name} has no system prompt.", 'Write system_prompt = "..." in the class.')
    for setting, value in agent.settings.items():
        rule = RULES[setting]
        if (value is None and setting not in _NEVER_NONE) or rule.fits(value):
            continue
        message = f"{setting} must be {rule.wanted}, not {shown(value)}."
        log.error(agent.line_of(setting), message, _hint(setting, value) or f"Write {setting} = {rule.example}.")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_prompt(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip().encode(errors="replace")) <= MAX_PROMPT


def _is_model(value: object) -> bool:
    return value == "" or (isinstance(value, str) and value != "inherit" and not wrong_model(value))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value) and value > 0)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_thinking(value: object) -> bool:
    return value == 0 or (_is_whole(value) and int(str(value)) >= 1024)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


_TEXT = Rule("text", _is_text, '"..."')
_WHOLE = Rule("a whole number above 0", _is_whole, "10")
_NUMBER = Rule("a number above 0", _is_number, "1.5")
_MAP = Rule("a map", _is_map, "{}")

RULES = {
    "name": _TEXT,
    "description": _TEXT,
    "system_prompt": Rule(f"text of 1 to {MAX_PROMPT:,} bytes", _is_prompt, '"..."'),
    "allowed_tools": Rule("a list of tools", _is_list, '["Read", "Grep"]'),
    "model": Rule("an alias or a full model id", _is_model, '"sonnet"'),
    "mcp_servers": _MAP,
    "permission_mode": Rule(f"one of {', '.join(PERMISSION_MODES)}", PERMISSION_MODES.__contains__, '"default"'),
    "max_turns": _WHOLE,
    "timeout": _NUMBER,
    "max_tokens": _WHOLE,
    "max_budget_usd": _NUMBER,
    "effort": Rule(f"one of {', '.join(EFFORTS)}", EFFORTS.__contains__, '"high"'),
    "skills": Rule("a list", _is_list, '["..."]'),
    "hooks": _MAP,
    "initial_prompt": _TEXT,
    "inputs": Rule("a map of inputs", _is_map, '{"base": {"default": "main"}}'),
    "engine": Rule(f"one of {', '.join(ENGINES)}", ENGINES.__contains__, '"api"'),
    "own_tools": Rule("a list of tools", _is_list, "[my_tool]"),
    "subagents": Rule("a list of names", _is_list, '["helper"]'),
    "temperature": Rule("a number from 0 to 1", _is_share, "0.2"),
    "thinking": Rule("0, or a whole number from 1024 on", _is_thinking, "4096"),
    "limits": Rule("a map of limits", _is_map, '{"max_tool_calls": 50}'),
    "tool_limits": Rule("a map of limits", _is_map, '{"timeout_ms": 60000}'),
    "retries": Rule("a whole number from 0 on", _is_count, "3"),
    "repairs": Rule("a whole number from 0 on", _is_count, "1"),
    "output_schema": Rule("a JSON schema, or a pydantic model", _is_map, '{"type": "object"}'),
}


def _hint(setting: str, value: object) -> str:
    """What was probably meant, if that can be told."""
    if setting == "model" and isinstance(value, str):
        return wrong_model(value) or "Remove it, and the agent has the model of your settings."
    if setting == "permission_mode":
        return did_you_mean(str(value), PERMISSION_MODES)
    return did_you_mean(str(value), EFFORTS) if setting == "effort" else ""
