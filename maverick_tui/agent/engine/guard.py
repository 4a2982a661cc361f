"""Guard: sees to it that what the agent may use is all that runs unasked.

The CLI approves more than `allowed_tools` says: in mode acceptEdits every mkdir, touch, rm, rmdir, mv, cp, sed and
every redirection inside the project (measured), and a listed edit tool everywhere on the disk. The guard stands before
each such call and makes it ask; where nobody can be asked, the CLI refuses it.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import HookMatcher, PermissionResult, PermissionResultAllow

from maverick_tui.agent.tools import EDIT_TOOLS, parse_tool

_CHANGES_FILES = re.compile(r"\b(mkdir|touch|rm|rmdir|mv|cp|sed)\b|>")
_SUBSTITUTION = re.compile(r"[`\n]|\$\(|\$\{|<\(")
_WRITES = re.compile(r"^--output(=|$)")


class Guard:
    """Stands before the tools of one run or session; `person` says that somebody can be asked."""

    def __init__(self, allowed_tools: Sequence[str], cwd: Path, *, person: bool) -> None:
        parsed = [parse_tool(entry) for entry in allowed_tools]
        whole = {tool.name for tool in parsed if tool.rule is None}
        rules = [(tool.name, tool.rule) for tool in parsed if tool.rule is not None and tool.name not in whole]
        self._bash_rules = None if "Bash" in whole else [rule for name, rule in rules if name == "Bash"]
        self._paths = {name: [rule for other, rule in rules if other == name] for name, _ in rules if name != "Bash"}
        self._granted: list[str] = []
        self._cwd = cwd.resolve()
        self._person = person

    @property
    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """What the SDK is given."""
        matcher = "|".join(("Bash", *sorted(EDIT_TOOLS | self._paths.keys())))
        return {"PreToolUse": [HookMatcher(matcher=matcher, hooks=[cast(Any, self._before)])]}

    async def _before(self, call: dict[str, Any], _tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        reason = self.objection(str(call.get("tool_name")), call.get("tool_input") or {}, call.get("permission_mode"))
        if not reason:
            return {}
        decision = {"permissionDecision": "ask", "permissionDecisionReason": reason}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}

    def objection(self, tool: str, arguments: dict[str, Any], mode: str | None = None) -> str:
        """Why this call must not run unasked; nothing if it may, or if the CLI asks anyway."""
        path = str(arguments.get("file_path") or arguments.get("notebook_path") or arguments.get("path") or "")
        if tool in EDIT_TOOLS and not self._is_inside(path):
            return f"{path} is outside of {self._cwd}."
        if tool in self._paths and not any(self._is_at(path, rule) for rule in self._paths[tool]):
            return f"This agent may use {', '.join(f'{tool}({rule})' for rule in self._paths[tool])}."
        if tool != "Bash":
            return ""
        command = str(arguments.get("command") or "")
        if self._person:
            if mode == "acceptEdits" and _CHANGES_FILES.search(command) and not is_covered(command, self._granted):
                return "It changes files by a command."
            return ""
        if self._bash_rules is None or is_covered(command, self._bash_rules):
            return ""
        rules = ", ".join(f"Bash({rule})" for rule in self._bash_rules)
        return f"This agent may run {rules}, one plain command at a time."

    def remember(self, decision: PermissionResult) -> None:
        """Take note of rules that a person has granted for the rest of the session."""
        if isinstance(decision, PermissionResultAllow):
            for update in decision.updated_permissions or ():
                if update.behavior == "allow":
                    rules = [rule for rule in update.rules or () if rule.tool_name == "Bash"]
                    self._granted += [rule.rule_content or "*" for rule in rules]

    def _is_at(self, path: str, rule: str) -> bool:
        """Whether the path is one of the rule's: `docs/**` below the project, `//etc/*` anywhere."""
        absolute = (self._cwd / path).resolve()
        pattern = rule[1:] if rule.startswith("//") else str(self._cwd / rule.removeprefix("./").lstrip("/"))
        return fnmatch.fnmatch(str(absolute), pattern)

    def _is_inside(self, path: str) -> bool:
        return bool(path) and (self._cwd / path).resolve().is_relative_to(self._cwd)


def is_covered(command: str, rules: Sequence[str]) -> bool:
    """Whether the command is a single plain one that a rule allows: `git diff:*`, `npm run *`, or the exact words."""
    words = _plain_words(command)
    if words is None:
        return "*" in rules
    if words[0] == "git" and any(_WRITES.match(word) for word in words):
        return False
    text = " ".join(words)
    return any(_matches(text, rule) for rule in rules)


def _matches(text: str, rule: str) -> bool:
    if rule.endswith(":*"):
        prefix = rule[:-2].strip()
        return text == prefix or text.startswith(f"{prefix} ")
    pattern = ".*".join(re.escape(part) for part in rule.split("*"))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _plain_words(command: str) -> list[str] | None:
    """The words of a command without operators, redirections and substitutions; None if it has any."""
    if _SUBSTITUTION.search(command):
        return None
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation that is never closed
        return None
    is_operator = any(word and set(word) <= set("();<>|&") for word in words)
    return None if is_operator or not words else words
