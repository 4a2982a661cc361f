"""Hooks of agents, which Claude Code runs: what is wrong with their shape.

A guard that never fires is worse than none: the CLI passes over what it does not know without a word (measured).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.inputs import Mistake
from maverick_tui.shown import shown

_EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
    "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
    "MessageDisplay",
)  # fmt: skip

_TYPES = {
    "command": {"command": "./check.sh"},
    "prompt": {"prompt": "Is this harmless? $ARGUMENTS"},
    "agent": {"prompt": "Look whether this is harmless: $ARGUMENTS"},
    "http": {"url": "http://localhost:8080/check"},
    "mcp_tool": {"server": "audit", "tool": "check"},
}
"""The types of hooks, each with an example of what it cannot do without."""


def require_sound(hooks: object, agent: str) -> None:
    """ConfigError if the CLI would pass over some of an agent's hooks."""
    if mistake := next(mistakes_in(hooks), None):
        raise ConfigError(f"The agent {agent!r} cannot be made. {mistake.message}", hint=mistake.hint)


def mistakes_in(hooks: object) -> Iterator[Mistake]:
    """What is wrong with the hooks of an agent, as its file or its code says them."""
    if not isinstance(hooks, Mapping):
        yield Mistake((), f"hooks must be a map of events, not {shown(hooks)}.", _like())
        return
    for event, groups in hooks.items():
        if event not in _EVENTS:
            hint = did_you_mean(str(event), _EVENTS) or f"The events are: {', '.join(_EVENTS)}."
            yield Mistake((str(event),), f"hooks: there is no event named {shown(event)}.", hint)
        elif not isinstance(groups, (list, tuple)):
            yield Mistake((event,), f"hooks: {event} must be a list, not {shown(groups)}.", _like())
        else:
            for number, group in enumerate(groups):
                yield from _wrong_with_group(event, group, (event, number))


def _wrong_with_group(event: str, group: object, at: tuple[int | str, ...]) -> Iterator[Mistake]:
    if not isinstance(group, Mapping):
        yield Mistake(at, f"hooks: an entry of {event} must be a map, not {shown(group)}.", _like())
        return
    if not isinstance(matcher := group.get("matcher"), (str, type(None))):
        yield Mistake((*at, "matcher"), f"hooks: matcher of {event} must be text, not {shown(matcher)}.", "Quote it.")
    hooks = group.get("hooks")
    if not isinstance(hooks, (list, tuple)) or not hooks:
        yield Mistake(at, f"hooks: an entry of {event} has no list of hooks.", _like())
        return
    for number, hook in enumerate(hooks):
        yield from _wrong_with_hook(event, hook, (*at, "hooks", number))


def _wrong_with_hook(event: str, hook: object, at: tuple[int | str, ...]) -> Iterator[Mistake]:
    fields = hook if isinstance(hook, Mapping) else {}
    kind = fields.get("type")
    if not isinstance(kind, str):
        yield Mistake(at, f"hooks: a hook of {event} has no type.", _like())
    elif kind not in _TYPES:
        hint = did_you_mean(kind, _TYPES) or f"The types are: {', '.join(_TYPES)}."
        yield Mistake((*at, "type"), f"hooks: there is no type {shown(kind)}.", hint)
    else:
        lacking = [name for name in _TYPES[kind] if not isinstance(fields.get(name), str) or not fields[name]]
        yield from (Mistake(at, f"hooks: a hook of {event} has no {name}.", _like(kind)) for name in lacking[:1])


def _like(kind: str = "command") -> str:
    """An example of this type, as Python and YAML both read it."""
    hook = {"type": kind, **_TYPES[kind]}
    return f"Write it like {json.dumps({'PreToolUse': [{'matcher': 'Bash', 'hooks': [hook]}]})}."
