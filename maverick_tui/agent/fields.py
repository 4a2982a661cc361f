"""What an agent may say of itself: each field once, with its names, what it must be, and how it is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from maverick_tui.agent.engines import ENGINES as ENGINES
from maverick_tui.exceptions import did_you_mean
from maverick_tui.fuse_amounts import WANTED, are_amounts
from maverick_tui.modes import PERMISSION_MODES

DEFAULT_ENGINE = "claude-code"
EFFORTS = ("low", "medium", "high", "xhigh", "max")
MODEL_ALIASES = ("sonnet", "opus", "haiku", "inherit")

MAX_PROMPT = 120 * 1024
"""Longest system prompt, in bytes: it travels on a command line."""

PLAIN_NAME = re.compile(r"\w[\w.-]{0,63}")
"""What an agent in a Python file may be called: it is typed on command lines, or copied there from our hints."""

CLAUDE_CODE = "Claude Code"
"""The agent that goes on with sessions of Claude Code; with its blank and capitals, no file's agent has that name."""
CLAUDE_CODES_PROMPT = "Claude Code's own system prompt."
"""What stands in the place of a system prompt where the CLI is to use its own."""

_MODEL = re.compile(r"[A-Za-z0-9][\w.:/@\[\]-]{0,255}")
_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


def agent_name(class_name: str) -> str:
    """The class name in kebab-case, without an ending `Agent`: `CodeReviewAgent` is `code-review`."""
    stem = class_name.removesuffix("Agent").strip("_") or class_name
    return "-".join(word for word in _WORD_STARTS.split(stem) if word).lower() or class_name.lower()


def wrong_model(model: str) -> str:
    """What to write instead of this model, empty if it may be one."""
    if model not in MODEL_ALIASES and (close := did_you_mean(model, MODEL_ALIASES)):
        return f"{close} A full model id works, too."
    return "" if _MODEL.fullmatch(model) else "Write an alias or a full model id."


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value must be: in words, as a test, and by an example."""

    shape: Literal["text", "words", "number", "flag", "map"]
    """How Markdown writes it."""
    description: str
    fits: Callable[[object], bool]
    """Whether a value that a Python class writes out may be used."""
    example: str
    """In Python; numbers are the same in Markdown."""
    choices: Collection[str] = ()
    is_float: bool = False

    @property
    def wanted(self) -> str:
        """What it must be, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else self.description


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that an agent may say. It is known everywhere once it is here, and its default in `MaverickAgent`."""

    name: str
    """The attribute of the class; empty for what only Markdown says."""
    markdown: str
    """The field of the front matter; empty for what only Python says."""
    kind: Kind
    engine: str = ""
    """The only engine that it has an effect on; empty for all of them."""
    may_be_none: bool = True
    unit: str = ""
    """What a limit counts; the X-ray shows what has a unit among the limits."""
    label: str = ""
    """What the X-ray calls it, unless it has a row of its own there."""
    is_idle: bool = False
    """Whether it is Claude Code's, and does nothing here."""


def _one_of(choices: Collection[str], example: str = "") -> Kind:
    def fits(value: object) -> bool:
        return isinstance(value, str) and value in choices

    return Kind("text", "", fits, f'"{example}"', choices)


def _words(wanted: str, example: str) -> Kind:
    return Kind("words", wanted, lambda value: isinstance(value, (list, tuple)), example)


def _map(wanted: str, example: str) -> Kind:
    return Kind("map", wanted, lambda value: isinstance(value, dict), example)


def _is_prompt(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip().encode(errors="replace")) <= MAX_PROMPT


def _is_model(value: object) -> bool:
    return value == "" or (isinstance(value, str) and value != "inherit" and not wrong_model(value))


def _number(wanted: str, fits: Callable[[float], bool], example: str, *, is_float: bool = False) -> Kind:
    kinds = (int, float) if is_float else (int,)

    def is_one(value: object) -> bool:
        return isinstance(value, kinds) and not isinstance(value, bool) and value != math.inf and fits(value)

    return Kind("number", wanted, is_one, example, is_float=is_float)


_TEXT = Kind("text", "text", lambda value: isinstance(value, str), '"..."')
_FLAG = Kind("flag", "true or false", lambda value: isinstance(value, bool), "true")
_WHOLE = _number("a whole number above 0", lambda value: value > 0, "10")
_COUNT = _number("a whole number from 0 on", lambda value: value >= 0, "3")
_NUMBER = _number("a number above 0", lambda value: value > 0, "10", is_float=True)
_SHARE = _number("a number from 0 to 1", lambda value: 0 <= value <= 1, "0.2", is_float=True)
_THINKING = _number("0, or a whole number from 1024 on", lambda value: value == 0 or value >= 1024, "4096")
_FUSE = Kind("map", WANTED, are_amounts, '{"usd": 2}')
_PROMPT = Kind("text", f"text of 1 to {MAX_PROMPT:,} bytes", _is_prompt, '"..."')
_MODEL_KIND = Kind("text", "an alias or a full model id", _is_model, '"sonnet"')

FIELDS = (
    Field("name", "name", _TEXT),
    Field("description", "description", _TEXT),
    Field("system_prompt", "", _PROMPT, may_be_none=False),
    Field("allowed_tools", "tools", _words("a list of tools", '["Read", "Grep"]'), may_be_none=False),
    Field("", "disallowedTools", _words("a list of tools", '["Bash"]')),
    Field("model", "model", _MODEL_KIND),
    Field("mcp_servers", "mcpServers", _map("a map", "{}"), may_be_none=False),
    Field("permission_mode", "permissionMode", _one_of(PERMISSION_MODES, "default")),
    Field("timeout", "timeout", _NUMBER, unit="s without a sign of life"),
    Field("max_turns", "maxTurns", _WHOLE, unit="turns"),
    Field("max_tokens", "maxTokens", _WHOLE, unit="tokens an answer"),
    Field("max_budget_usd", "maxBudgetUsd", _NUMBER, unit="US$"),
    Field("fuse", "fuse", _FUSE, may_be_none=False, label="fuse"),
    Field("inputs", "inputs", _map("a map of inputs", '{"base": {"default": "main"}}'), may_be_none=False),
    Field("initial_prompt", "initialPrompt", _TEXT),
    Field("engine", "engine", _one_of(ENGINES, "api"), may_be_none=False),
    Field("effort", "effort", _one_of(EFFORTS, "high"), "claude-code", label="effort"),
    Field("skills", "skills", _words("a list", '["..."]'), "claude-code", label="skills"),
    Field("hooks", "hooks", _map("a map", "{}"), "claude-code"),
    Field("own_tools", "", _words("a list of tools", "[my_tool]"), "api", may_be_none=False),
    Field("limits", "limits", _map("a map of limits", '{"max_tool_calls": 50}'), "api", may_be_none=False),
    Field("temperature", "temperature", _SHARE, "api", label="temperature"),
    Field("thinking", "thinking", _THINKING, "api", label="thinking"),
    Field(
        "tool_limits", "toolLimits", _map("a map of limits", '{"timeout_ms": 60000}'), "api", may_be_none=False,
        label="tool limits",
    ),
    Field("retries", "retries", _COUNT, "api", label="retries"),
    Field("repairs", "repairs", _COUNT, "api", label="repairs"),
    Field("subagents", "agents", _words("a list of names", '["helper"]'), "api", may_be_none=False, label="calls"),
    Field(
        "output_schema", "output", _map("a JSON schema, or a pydantic model", '{"type": "object"}'), "api",
        label="output",
    ),
    Field("", "color", _TEXT),
    Field("", "memory", _one_of(("user", "project", "local")), is_idle=True),
    Field("", "background", _FLAG, is_idle=True),
    Field("isolation", "isolation", _one_of(("worktree",), "worktree"), label="isolation"),
)  # fmt: skip

SETTINGS = {field.name: field for field in FIELDS if field.name}
"""By attribute of a class."""
MARKDOWN = {field.markdown: field for field in FIELDS if field.markdown}
"""By field of a Markdown file."""


def only_for_others(engine: str) -> list[Field]:
    """The fields that have no effect on this engine."""
    return [field for field in FIELDS if field.engine not in ("", engine)]
