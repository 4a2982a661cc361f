"""Checks `hooks` of a Markdown agent: Claude Code's settings format."""

from __future__ import annotations

from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.exceptions import did_you_mean

_EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
    "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
    "MessageDisplay",
)  # fmt: skip

_SHAPE = "Write it as event: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]."


def read_hooks(node: Node | None, log: ProblemLog) -> dict[str, Json]:
    """The hooks as they are, after their shape was checked; none if they are wrong."""
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        log.error(node.line, f"hooks must be a map of events, not {node.kind}.", _SHAPE)
        return {}
    hooks: dict[str, Json] = {}
    for event, groups in node.value.items():
        # A guard that never fires is worse than none, so a misspelt event is never let through.
        if event not in _EVENTS:
            hint = did_you_mean(event, _EVENTS) or f"The events are: {', '.join(_EVENTS)}."
            log.error(groups.line, f"hooks: there is no event named {event!r}.", hint)
        elif _check_groups(event, groups, log):
            hooks[event] = groups.to_json()
    return hooks


def _check_groups(event: str, node: Node, log: ProblemLog) -> bool:
    if not isinstance(node.value, tuple):
        log.error(node.line, f"hooks: {event} must be a list, not {node.kind}.", _SHAPE)
        return False
    checked = [_check_group(event, group, log) for group in node.value]  # all of them, to report every mistake
    return all(checked)


def _check_group(event: str, node: Node, log: ProblemLog) -> bool:
    if not isinstance(node.value, dict):
        log.error(node.line, f"hooks: an entry of {event} must be a map, not {node.kind}.", _SHAPE)
        return False
    matcher = node.value.get("matcher")
    if matcher is not None and not isinstance(matcher.value, (str, type(None))):
        log.error(matcher.line, f"hooks: matcher of {event} must be text, not {matcher.kind}.", "Quote it.")
        return False
    commands = node.value.get("hooks")
    if commands is None or not isinstance(commands.value, tuple) or not commands.value:
        log.error(node.line, f"hooks: an entry of {event} has no list of hooks.", _SHAPE)
        return False
    checked = [_check_command(event, command, log) for command in commands.value]
    return all(checked)


def _check_command(event: str, node: Node, log: ProblemLog) -> bool:
    fields = node.value if isinstance(node.value, dict) else {}
    kind = fields.get("type")
    if kind is None or not isinstance(kind.value, str):
        log.error(node.line, f"hooks: a hook of {event} has no type.", _SHAPE)
        return False
    command = fields.get("command")
    if kind.value == "command" and (command is None or not isinstance(command.value, str) or not command.value):
        log.error(node.line, f"hooks: a hook of {event} has no command.", _SHAPE)
        return False
    return True
