"""Grants: what a person has allowed for the rest of a run, and what could be allowed so."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maverick_tui.agent.engines import ToolQuestion
from maverick_tui.agent.permissions.always_asked import Call, why_always_asked
from maverick_tui.agent.permissions.leading import real_paths
from maverick_tui.agent.permissions.marking import marks_in
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.rule_texts import wrong_with
from maverick_tui.agent.permissions.rules import call_made, covers_command, host_of, is_plain, path_of, paths_of
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.agent.tools import EDIT_TOOLS, LOOKING_TOOLS, parse_tool
from maverick_tui.events.marks import Mark
from maverick_tui.masking.key_files import holds_secrets
from maverick_tui.runs.deeds import deed_of
from maverick_tui.runs.own_questions import ASKS_PERSON
from maverick_tui.runs.replaced import Replaced, replaced_by

_PATTERN_SIGNS = frozenset("*?[]{}()!\\")


@dataclass(frozen=True, slots=True)
class Grant:
    """Something that may run unasked: `text` says what, in words; `covers` knows it of a call."""

    text: str
    covers: Callable[[str, Mapping[str, Any]], bool]
    rule: str = ""
    """A standing rule that says about as much, in words that a person sees; empty where none can."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What there is to say of a call: the text of the grant that allows it; without one, what to ask a person with."""

    rule: str = ""
    offers: list[Grant] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    replaced: Replaced = field(default_factory=Replaced)


class Grants:
    """The grants of one run. None reaches further than its text says."""

    def __init__(self, cwd: Path) -> None:
        self._places = Places(Surroundings(cwd))
        self._cwd = self._places.cwd
        self._given: list[tuple[Grant, frozenset[str]]] = []
        """Each with what had it asked about when it was given: standing rules, or what git would run."""

    def give(self, grant: Grant, causes: frozenset[str] = frozenset()) -> None:
        """Allow it from now on, also what is asked about for causes that this was asked about for."""
        self._given.append((grant, causes))

    def weighed(self, about: ToolQuestion) -> Weighed:
        """All of it, with one look at what asks each time: that may start git, which no event loop should wait for."""
        tool, arguments = about.tool, about.arguments
        self._places.around.look_again()
        is_free = not about.is_asked_each_time and not self._is_asked_each_time(tool, arguments)
        if is_free and (rule := self._granted(tool, arguments, about.causes)):
            return Weighed(rule)
        offers = self._offered(tool, arguments, about.known_as) if is_free else []
        path = path_of(arguments) if tool in EDIT_TOOLS else ""  # of others nothing is read
        may_read = bool(path) and not (self._places.why_not_to_read(path) or holds_secrets(path))
        replaced = replaced_by(tool, arguments, self._cwd, may_read=may_read)
        return Weighed("", offers, marks_in(Call(tool, arguments, self._cwd), self._places), replaced)

    def rule_for(self, tool: str, arguments: Mapping[str, Any], causes: frozenset[str] = frozenset()) -> str:
        """The text of the grant that allows this call; nothing if none does, or if it asks each time.

        What standing rules ask about is allowed only by what was granted at a question of all of them: whoever allows
        every command has not thought of the one that they want to be asked about. So it is where git, asked only to
        look, runs what the repository names: whoever allows `git status` has not thought of a program.
        """
        return "" if self._is_asked_each_time(tool, arguments) else self._granted(tool, arguments, causes)

    def _granted(self, tool: str, arguments: Mapping[str, Any], causes: frozenset[str]) -> str:
        given = (grant for grant, known in self._given if causes <= known)
        return next((grant.text for grant in given if grant.covers(tool, arguments)), "")

    def offers(self, tool: str, arguments: Mapping[str, Any], known_as: str = "") -> list[Grant]:
        """What can be allowed for the run at the occasion of this call, from little to much.

        `known_as` is what rules call the tool, where that is not its name.
        """
        return [] if self._is_asked_each_time(tool, arguments) else self._offered(tool, arguments, known_as)

    def _offered(self, tool: str, arguments: Mapping[str, Any], known_as: str) -> list[Grant]:
        if tool in ASKS_PERSON:
            return []
        if tool == "Bash":
            return _commands(_command(arguments), self._cwd) if is_plain(arguments) else []
        if tool == "WebFetch":
            return _addresses(arguments)
        # Of any other tool nobody knows which of its arguments say what it does, and which to what.
        if tool in EDIT_TOOLS | LOOKING_TOOLS and path_of(arguments) and paths_of(tool, arguments):
            return self._at_path(tool, arguments)
        same = _exactly(arguments)
        return [
            Grant(f"{tool}, with these arguments", lambda name, given: name == tool and _exactly(given) == same),
            Grant(f"every use of {tool}", lambda name, _given: name == tool, _rule(known_as or tool)),
        ]

    def _is_asked_each_time(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        self._places.around.look_again()
        return bool(why_always_asked(Call(tool, arguments, self._cwd), self._places))

    def _at_path(self, tool: str, arguments: Mapping[str, Any]) -> list[Grant]:
        """The very files; and all of the folder, if they are ordinary ones of it."""
        places = self._places_of(tool, arguments)
        is_ordinary = self._is_in_folder(tool, arguments)
        named = paths_of(tool, arguments)
        path = path_of(arguments) if is_ordinary else next(one for one in named if not self._is_ordinary(one))
        place = min(real_paths(path, self._cwd))
        shown = place.relative_to(self._cwd) if self._places.is_inside(path) else place
        exact = Grant(
            f"{tool} of {shown}",
            lambda name, given: name == tool and self._places_of(tool, given) == places,
            _rule_at(tool, place) if len(named) == 1 else "",
        )
        if not is_ordinary:
            return [exact]
        folder = Grant(
            f"{tool} in this folder",
            lambda name, given: name == tool and self._is_in_folder(tool, given),
            _rule_at(tool, self._cwd, "/**"),
        )
        return [exact, folder]

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


def _rule(tool: str, said: str = "") -> str:
    """A standing rule; empty if it would say something else than it is to say."""
    entry = f"{tool}({said})" if said else tool
    if not entry.isprintable():  # it is shown on one line, and all of it must be seen
        return ""
    return "" if wrong_with(entry) or parse_tool(entry) != (tool, said or None) else entry


def _rule_at(tool: str, place: Path, below: str = "") -> str:
    """One for the very place on this disk: it is heeded in other folders, too."""
    return "" if _PATTERN_SIGNS & set(str(place)) else _rule(tool, f"/{place}{below}")


def _exactly(arguments: Mapping[str, Any]) -> str:
    """By which two calls are the same: in Python 1 is True."""
    return json.dumps(arguments, sort_keys=True)


def _addresses(arguments: Mapping[str, Any]) -> list[Grant]:
    """The very address; and all of its host, unless readers might not agree on which that is."""
    url = arguments.get("url")
    exact = Grant(f"WebFetch of {url}", lambda name, given: name == "WebFetch" and given.get("url") == url)
    if not (host := host_of(arguments)):
        return [exact]
    return [
        exact,
        Grant(
            f"WebFetch from {host}",
            lambda name, given: name == "WebFetch" and host_of(given) == host,
            _rule("WebFetch", f"domain:{host}"),
        ),
    ]


def _commands(command: str, cwd: Path) -> list[Grant]:
    """The command as it stands; every one that begins alike, if it is a plain one; and every command."""
    exact = Grant(
        f"Bash: {command}",
        lambda name, given: _is_command(name, given) and _command(given) == command,
        _rule("Bash", command) if "*" not in command and command == command.strip() else "",
    )
    everything = Grant("every Bash command", _is_command, "Bash")
    if not (words := deed_of([word.text for word in call_made(command, cwd) or ()])):
        return [exact, everything]
    rule = f"{' '.join(words)} *"
    if not covers_command(rule, command, cwd):
        return [exact, everything]
    alike = Grant(
        f"Bash: {' '.join(words)} …",
        lambda name, given: _is_command(name, given) and covers_command(rule, _command(given), cwd),
        _rule("Bash", f"{' '.join(words)}:*"),
    )
    return [exact, alike, everything]


def _is_command(tool: str, arguments: Mapping[str, Any]) -> bool:
    return tool == "Bash" and is_plain(arguments)


def _command(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("command") or "")
