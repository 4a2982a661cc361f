"""Grants: what a person has allowed for the rest of a run, and what could be allowed so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_PATHS = ("file_path", "notebook_path", "path")
_NEVER = ("AskUserQuestion", "EnterPlanMode", "ExitPlanMode")
"""Tools that ask the person something: an answer holds for one question."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Something that may run unasked: `text` says what, in words; `covers` knows it of a call."""

    text: str
    covers: Callable[[str, Mapping[str, Any]], bool]


class Grants:
    """The grants of one run. None reaches further than its text says."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd.resolve()
        self._given: list[Grant] = []

    def give(self, grant: Grant) -> None:
        """Allow it from now on."""
        self._given.append(grant)

    def rule_for(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text of the grant that allows this call; nothing if none does."""
        return next((grant.text for grant in self._given if grant.covers(tool, arguments)), "")

    def offer(self, tool: str, arguments: Mapping[str, Any], suggestions: Iterable[Any] = ()) -> Grant | None:
        """What can be allowed for the run at the occasion of this call; the CLI's suggestions say how wide."""
        if tool in _NEVER:
            return None
        if tool == "Bash":
            return _bash(str(arguments.get("command") or ""), suggestions)
        if tool == "WebFetch":
            host = _host(arguments)
            return Grant(f"WebFetch from {host}", lambda name, given: name == tool and _host(given) == host)
        if path := _path(arguments):
            return self._at_path(tool, path)
        return Grant(f"every use of {tool}", lambda name, _given: name == tool)

    def _at_path(self, tool: str, path: str) -> Grant:
        if self._is_ordinary(path):
            return Grant(
                f"{tool} in this folder",
                lambda name, given: name == tool and self._is_ordinary(_path(given)),
            )
        place = self._resolved(path)
        return Grant(f"{tool} of {place}", lambda name, given: name == tool and self._resolved(_path(given)) == place)

    def _is_ordinary(self, path: str) -> bool:
        """Whether it is in the folder and not hidden: .git, .claude and their like can make others run things."""
        place = self._resolved(path)
        if not path or not place.is_relative_to(self._cwd):
            return False
        return not any(part.startswith(".") for part in place.relative_to(self._cwd).parts)

    def _resolved(self, path: str) -> Path:
        return (self._cwd / path).resolve()


def _bash(command: str, suggestions: Iterable[Any]) -> Grant:
    """The rules that the CLI suggests, if they allow this very command; else the command as it stands."""
    from maverick_tui.agent.engine.guard import is_covered

    rules = [
        rule.rule_content
        for update in suggestions
        if update.type == "addRules" and update.behavior == "allow"
        for rule in update.rules or ()
        if rule.tool_name == "Bash" and rule.rule_content and rule.rule_content.strip("* :")
    ]
    rules = [rule for rule in rules if is_covered(command, [rule])]
    if rules and rules != [command]:
        return Grant(
            f"Bash: {', '.join(rules)}",
            lambda name, given: _is_plain(name, given) and is_covered(str(given.get("command") or ""), rules),
        )
    return Grant(f"Bash: {command}", lambda name, given: _is_plain(name, given) and given.get("command") == command)


def _is_plain(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether it is a command and nothing besides: one without a sandbox, or in the background, is another thing."""
    return tool == "Bash" and set(arguments) <= {"command", "description", "timeout"}


def _path(arguments: Mapping[str, Any]) -> str:
    return next((str(arguments[name]) for name in _PATHS if arguments.get(name)), "")


def _host(arguments: Mapping[str, Any]) -> str:
    try:
        return urlsplit(str(arguments.get("url") or "")).hostname or ""
    except ValueError:  # no address at all; such a call fails by itself
        return ""
