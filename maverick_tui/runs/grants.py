"""Grants: what a person has allowed for the rest of a run, and what could be allowed so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maverick_tui.agent.permissions.judge import Call, why_always_asked
from maverick_tui.agent.permissions.places import Places, real_paths
from maverick_tui.agent.permissions.rules import covers_command, host_of, is_plain, path_of, paths_of
from maverick_tui.agent.permissions.shell import plain_words

_NEVER = ("AskUserQuestion", "EnterPlanMode", "ExitPlanMode")
"""Tools that ask the person something: an answer holds for one question."""
_WITH_SUBCOMMANDS = frozenset(
    "apt brew bun cargo composer conda docker dotnet gh git go gradle kubectl make mvn npm pip pnpm podman poetry task"
    " terraform uv yarn".split()
)
_RUN_ANYTHING = frozenset(
    "alias config create difftool dlx env exec explore extension foreach hook init mergetool node pkg run rustc set"
    " tool x".split()
)
"""Subcommands whose next word is a program, or makes one run, at once or later."""
_RUN_SCRIPTS = frozenset({"bun", "npm", "pnpm", "yarn"})
"""Where `run` means a script of the project, by its name."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Something that may run unasked: `text` says what, in words; `covers` knows it of a call."""

    text: str
    covers: Callable[[str, Mapping[str, Any]], bool]


class Grants:
    """The grants of one run. None reaches further than its text says."""

    def __init__(self, cwd: Path) -> None:
        self._places = Places(cwd)
        self._cwd = self._places.cwd
        self._given: list[Grant] = []

    def give(self, grant: Grant) -> None:
        """Allow it from now on."""
        self._given.append(grant)

    def rule_for(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """The text of the grant that allows this call; nothing if none does, or if it asks each time."""
        if self._is_asked_each_time(tool, arguments):
            return ""
        return next((grant.text for grant in self._given if grant.covers(tool, arguments)), "")

    def offer(self, tool: str, arguments: Mapping[str, Any]) -> Grant | None:
        """What can be allowed for the run at the occasion of this call."""
        if tool in _NEVER or self._is_asked_each_time(tool, arguments):
            return None
        if tool == "Bash":
            return _bash(_command(arguments)) if is_plain(arguments) else None
        if tool == "WebFetch":
            return _address(arguments)
        if path_of(arguments) and paths_of(tool, arguments):
            return self._at_path(tool, arguments)
        return Grant(f"every use of {tool}", lambda name, _given: name == tool)

    def _is_asked_each_time(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        return bool(why_always_asked(Call(tool, arguments, self._cwd), self._places))

    def _at_path(self, tool: str, arguments: Mapping[str, Any]) -> Grant:
        if self._is_in_folder(tool, arguments):
            return Grant(f"{tool} in this folder", lambda name, given: name == tool and self._is_in_folder(tool, given))
        places = self._places_of(tool, arguments)
        odd = next(path for path in paths_of(tool, arguments) if not self._is_ordinary(path))
        return Grant(
            f"{tool} of {min(real_paths(odd, self._cwd))}",
            lambda name, given: name == tool and self._places_of(tool, given) == places,
        )

    def _is_in_folder(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        named = paths_of(tool, arguments)
        return bool(named) and all(map(self._is_ordinary, named))

    def _places_of(self, tool: str, arguments: Mapping[str, Any]) -> list[set[Path]]:
        return [real_paths(path, self._cwd) for path in paths_of(tool, arguments)]

    def _is_ordinary(self, path: str) -> bool:
        """Whether it is in the folder and not hidden: .git, .claude and their like can make others run things."""
        if not self._places.is_inside(path):
            return False
        below = [place.relative_to(self._cwd) for place in real_paths(path, self._cwd)]
        return not any(part.startswith(".") for place in below for part in place.parts)


def _address(arguments: Mapping[str, Any]) -> Grant:
    """All of a host; or the very address, if readers might not agree on the host."""
    if host := host_of(arguments):
        return Grant(f"WebFetch from {host}", lambda name, given: name == "WebFetch" and host_of(given) == host)
    url = arguments.get("url")
    return Grant(f"WebFetch of {url}", lambda name, given: name == "WebFetch" and given.get("url") == url)


def _bash(command: str) -> Grant:
    """Every use of the same subcommand, where a program has such: `npm run a` is one; else the command as it stands."""
    words = plain_words(command) or []
    rule = f"{words[0]} {words[1]} *" if _has_subcommand(words) else ""
    if rule and covers_command(rule, command):
        return Grant(
            f"Bash: {rule}", lambda name, given: _is_command(name, given) and covers_command(rule, _command(given))
        )
    return Grant(f"Bash: {command}", lambda name, given: _is_command(name, given) and _command(given) == command)


def _has_subcommand(words: list[str]) -> bool:
    if len(words) < 3 or words[0] not in _WITH_SUBCOMMANDS or not words[1].isidentifier():
        return False
    return words[1] not in _RUN_ANYTHING or (words[1] == "run" and words[0] in _RUN_SCRIPTS)


def _is_command(tool: str, arguments: Mapping[str, Any]) -> bool:
    return tool == "Bash" and is_plain(arguments)


def _command(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("command") or "")
