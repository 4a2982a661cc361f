"""Judge: decides of every call whether it runs, asks first, or is refused. Both engines and all modes go by it.

With a person, what only reads runs, and in mode acceptEdits edits inside the working directory; all else asks. Without
one, what `allowed_tools` plainly cover runs, and all else is refused. Some places ask whatever the rules say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from maverick_tui.agent.permissions import places
from maverick_tui.agent.permissions.reading import files_read, only_reads, searches
from maverick_tui.agent.permissions.rules import covers, covers_words, is_for_reading, is_plain, path_of
from maverick_tui.agent.permissions.shell import Words, all_commands, mentions
from maverick_tui.agent.tools import (
    EDIT_TOOLS,
    HARMLESS_TOOLS,
    READ_ONLY_TOOLS,
    READING_TOOLS,
    SUBAGENT_TOOLS,
    ToolRule,
    is_same_tool,
    may_use,
    parse_tool,
)

Decision = Literal["allow", "ask", "deny"]
SHELLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools whose argument is a command."""
MOST_FOLDERS = 8
"""In how many folders a command may turn out to be, until it is taken for one that cannot be followed."""


class Verdict(NamedTuple):
    """What is to happen with a call, and why, in words for a person and for the model."""

    decision: Decision
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `here` is the folder in which its relative paths begin."""

    tool: str
    arguments: Mapping[str, Any]
    here: Path

    @property
    def command(self) -> str:
        """What a shell is to run."""
        return str(self.arguments.get("command") or "")

    @property
    def path(self) -> str:
        """The file or folder that is named."""
        return path_of(self.arguments)


def why_always_asked(call: Call, cwd: Path) -> str:
    """Why the call asks each time, whatever the rules and a person have allowed; nothing if it need not."""
    if call.tool in SHELLS:
        found = (places.why_not_to_write(word, cwd, call.here) for word in sorted(mentions(call.command)))
        return next(filter(None, found), "") or _why_not_searched(call, cwd)
    if call.tool == "Grep":
        return places.why_not_to_search(call.path, cwd, call.here)
    if not call.path:
        return ""
    look = places.why_not_to_read if call.tool in READING_TOOLS else places.why_not_to_write
    return look(call.path, cwd, call.here)


def _why_not_searched(call: Call, cwd: Path) -> str:
    """Why a command that searches folders asks: one of them is where keys are."""
    for words in all_commands(call.command) or ():
        texts = [word.text for word in words]
        for path in (files_read(texts) or ["."]) if searches(texts) else ():
            if reason := places.why_not_to_search(path, cwd, call.here):
                return reason
    return ""


def asks_first(allowed_tools: Iterable[str], mode: str) -> list[str]:
    """The entries of which not everything runs unasked where there is a person; in mode dontAsk nothing asks."""
    return [] if mode == "dontAsk" else [entry for entry in allowed_tools if not _runs_unasked(parse_tool(entry), mode)]


def _runs_unasked(rule: ToolRule, mode: str) -> bool:
    if rule.name == "Bash":
        return rule.rule is not None and is_for_reading(rule.rule)
    free = READ_ONLY_TOOLS | SUBAGENT_TOOLS | (EDIT_TOOLS if mode == "acceptEdits" else frozenset())
    return rule.name in free


def _more_than_a_start(call: Call) -> str:
    """Starting a subagent is not asked about, since what it does is; a worktree or a mode for it would be."""
    more = sorted(call.arguments.keys() - {"description", "prompt", "subagent_type", "model", "run_in_background"})
    return f"It wants more than to start a subagent: {', '.join(more)}." if more else ""


class Judge:
    """Judges the calls of one run or session; `person` says that somebody can be asked.

    `is_harmless` knows tools of the agent's own that only read; `git_programs` tells which settings of a repository
    make git run something.
    """

    def __init__(
        self,
        allowed_tools: Sequence[str],
        cwd: Path,
        *,
        person: bool,
        is_harmless: Callable[[str], bool] = lambda _tool: False,
        git_programs: Callable[[Path], Sequence[str]] = lambda _folder: (),
    ) -> None:
        self._allowed = tuple(allowed_tools)
        self._rules = [parse_tool(entry) for entry in allowed_tools]
        self._granted: list[ToolRule] = []
        self._cwd = cwd.resolve()
        self._person = person
        self._is_harmless = is_harmless
        self._git_programs = git_programs

    def verdict(
        self, tool: str, arguments: Mapping[str, Any], *, mode: str | None = None, here: str | Path | None = None
    ) -> Verdict:
        """What is to happen with the call. What would ask is refused where nobody can be, or is to be, asked."""
        call = Call(tool, arguments, Path(here or self._cwd).resolve())
        if not may_use(tool, self._allowed):
            return Verdict("deny", f"{tool} is not among the tools that this agent may use.")
        if arguments.get("durable") and tool == "CronCreate":
            return Verdict("deny", "Jobs end with the run that has made them: leave durable out.")
        reason = self._reason(call, mode)
        if not reason:
            return Verdict("allow")
        return Verdict("ask" if self._person and mode != "dontAsk" else "deny", reason)

    def grant(self, rule: ToolRule) -> None:
        """Allow what the rule covers from now on: a person has said so."""
        self._granted.append(rule)

    def _reason(self, call: Call, mode: str | None) -> str:
        """Why the call must not run unasked; empty if it may."""
        if call.tool in HARMLESS_TOOLS or self._is_harmless(call.tool):
            return ""
        doubt = self._doubt(call)
        if doubt and (reason := why_always_asked(call, self._cwd)):
            return reason
        if any(self._covers(rule, call) for rule in self._granted):
            return ""
        if call.tool in EDIT_TOOLS and (not self._person or mode == "acceptEdits"):
            return self._beyond_rules(call) or self._outside(call)
        if call.tool in SUBAGENT_TOOLS:
            return self._beyond_rules(call) or _more_than_a_start(call)
        if self._person:
            return doubt
        return self._beyond_rules(call) or (doubt if call.tool == "Bash" and self._makes_git_run(call) else "")

    # -- what the rules say -----------------------------------------------------------------------------------------

    def _beyond_rules(self, call: Call) -> str:
        """Why the agent's own rules do not cover the call; empty if they do."""
        rules = [rule for rule in self._rules if is_same_tool(rule.name, call.tool)]
        if any(self._covers(rule, call) for rule in rules):
            return ""
        only = ", ".join(f"{rule.name}({rule.rule})" for rule in rules)
        plainly = ", one plain command at a time" if call.tool == "Bash" else ""
        return f"This agent may use {only}{plainly}."

    def _covers(self, rule: ToolRule, call: Call) -> bool:
        if not is_same_tool(rule.name, call.tool):
            return False
        return rule.rule is None or covers(rule.rule, call.tool, call.arguments, self._cwd)

    def _outside(self, call: Call) -> str:
        return "" if places.is_inside(call.path, self._cwd, call.here) else f"{call.path} is outside of {self._cwd}."

    # -- what a call does -------------------------------------------------------------------------------------------

    def _doubt(self, call: Call) -> str:
        """Why the call is not known to do nothing but read what the agent may read; empty if it is."""
        if call.tool == "Bash":
            return self._doubt_of_command(call)
        if call.tool in READING_TOOLS:
            return why_always_asked(call, self._cwd) or self._beyond_rules(call)
        return f"{call.tool} is not known to only read."

    def _doubt_of_command(self, call: Call) -> str:
        calls = all_commands(call.command) if is_plain(call.arguments) else None
        if calls is None:
            return "It is not made of plain commands that only read."
        folders = [call.here]
        for words in calls:
            if doubt := self._doubt_of_words(words, folders) or self._beyond_bash_rules(words):
                return doubt
            if words[0].text == "cd":
                reached = {places.moved(words[1].text, folder) for folder in folders}
                folders = [*folders, *(place for place in reached if place is not None and place not in folders)]
                if len(folders) > MOST_FOLDERS:
                    return "It goes from folder to folder."
        if named := self._programs_of_git(calls, folders):
            return f"The configuration of this repository makes git run programs: {', '.join(named)}."
        return ""

    def _doubt_of_words(self, words: Words, folders: Sequence[Path]) -> str:
        texts = [word.text for word in words]
        is_move = texts[0] == "cd" and len(texts) == 2 and not texts[1].startswith("-")
        if not all(word.is_exact for word in words) or not (is_move or only_reads(texts)):
            return f"{texts[0]} may do more than read here."
        for path, folder in product(texts[1:] if is_move else files_read(texts), folders):
            if is_move and places.moved(path, folder) is None:
                return f"{path} leads through a link."
            if not places.is_inside(path, self._cwd, folder):
                return f"{path} is outside of {self._cwd}."
            if reason := places.why_not_to_read(path, self._cwd, folder):
                return reason
        for folder in folders if searches(texts) else ():
            for path in files_read(texts) or ["."]:
                if reason := places.why_not_to_search(path, self._cwd, folder):
                    return reason
        return ""

    def _beyond_bash_rules(self, words: Words) -> str:
        rules = [rule.rule for rule in self._rules if rule.name == "Bash"]
        if words[0].text == "cd" or any(rule is None or covers_words(rule, words) for rule in rules):
            return ""
        return f"This agent may use {', '.join(f'Bash({rule})' for rule in rules)}."

    def _makes_git_run(self, call: Call) -> bool:
        calls = all_commands(call.command) or []
        reading = [words for words in calls if only_reads([word.text for word in words])]
        return bool(self._programs_of_git(reading, [call.here]))

    def _programs_of_git(self, calls: Sequence[Words], folders: Sequence[Path]) -> list[str]:
        """Settings of the repositories in these folders that make git run something, also where it only reads."""
        if not any(words[0].text == "git" for words in calls):
            return []
        return sorted({name for folder in folders for name in self._git_programs(folder)})
