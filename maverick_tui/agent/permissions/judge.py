"""Judge: decides of every call whether it runs, asks first, or is refused. Both engines and all modes go by it.

With a person, what only reads runs, and in mode acceptEdits edits inside the working directory; all else asks. Without
one, what `allowed_tools` plainly cover runs, in mode plan if it only reads, and all else is refused. Some places ask
whatever the rules say.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from maverick_tui.agent.permissions.ignore_files import why_not_to_heed
from maverick_tui.agent.permissions.patterns import could_stand_for
from maverick_tui.agent.permissions.places import Places, moved, real_paths
from maverick_tui.agent.permissions.plainest import plainest_call
from maverick_tui.agent.permissions.reading import (
    files_read,
    folders_searched,
    is_filter,
    only_reads,
    searches,
    takes_many_files,
)
from maverick_tui.agent.permissions.rules import (
    covers,
    covers_words,
    is_absolute,
    is_plain,
    paths_of,
    places_within,
    why_not_clear,
)
from maverick_tui.agent.permissions.running import sets_git
from maverick_tui.agent.permissions.shell import Word, Words, all_commands, is_one_pipeline, mentions, programs_of
from maverick_tui.agent.permissions.shims import is_shim
from maverick_tui.agent.tools import (
    EDIT_TOOLS,
    HARMLESS_TOOLS,
    READING_TOOLS,
    SUBAGENT_TOOLS,
    ToolRule,
    is_same_tool,
    may_use,
    parse_tool,
)
from maverick_tui.git.programs import links_searched

Decision = Literal["allow", "ask", "deny"]
SHELLS = frozenset({"Bash", "Monitor", "PowerShell"})
"""Tools whose argument is a command."""
MOST_WORDS = 300
"""Of a command, that are followed to where they lead."""
MOST_FOLDERS = 8
"""In how many folders a command may turn out to be, until it is taken for one that cannot be followed."""
ASKS = "It asks first."
"""The reason where there is nothing more to say: a tool that is not known to be harmless."""
_CHOOSES_NAMES = re.compile(r"--(?:include|exclude|exclude-dir|glob|iglob)=")
"""Options with a pattern of their own: whatever a shell makes of it, it is still for that option."""


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
    def paths(self) -> list[str]:
        """The files and folders that are named."""
        return paths_of(self.tool, self.arguments)


def why_always_asked(call: Call, places: Places) -> str:
    """Why the call asks each time, whatever the rules and a person have allowed; nothing if it need not."""
    if call.tool in SHELLS:
        return _why_command_asks(call, places)
    if reason := why_not_clear(call.tool, call.arguments):
        return reason
    named = call.paths
    if call.tool == "Grep" or (call.tool == "Glob" and named):
        return _first_reason(places.why_not_to_search(path, call.here) for path in named or [""])
    if call.tool in EDIT_TOOLS and (reason := _first_reason(places.why_not_to_edit(path, call.here) for path in named)):
        return reason
    look = places.why_not_to_read if call.tool in READING_TOOLS else places.why_not_to_write
    for some in (named, places_within(call.tool, call.arguments, call.here)):
        if some is None:
            return "It is too long to be looked through."
        is_long = len(some) > MOST_WORDS
        if reason := _first_reason(places.why_not_to_name(path) if is_long else look(path, call.here) for path in some):
            return reason
    return ""


def _why_command_asks(call: Call, places: Places) -> str:
    """By what it names and where that leads, or because it searches where keys are. What is too long to be followed
    asks, if somebody could take it for something that a rule covers; else only the names in it count.
    """
    plain, named = all_commands(call.command) or [], sorted(mentions(call.command))
    if plain and len(named) > MOST_WORDS:
        return "It is too long to be looked through."
    look = places.why_not_to_name if len(named) > MOST_WORDS else lambda word: places.why_not_to_write(word, call.here)
    for pattern in (word.text for words in plain for word in words if word.may_expand or not word.is_exact):
        found = could_stand_for(pattern, call.here)
        if found is None:
            return _unknown_files(pattern)
        named += found
    if reason := _first_reason(map(look, named)):
        return reason
    calls = [[word.text for word in words] for words in plain]
    if any(map(sets_git, calls)):
        return "It changes the configuration of git, which can make git run programs."
    for texts in filter(searches, calls):
        for path in folders_searched(texts):
            if reason := _why_not_to_search(texts, path, call.here, places):
                return reason
    return ""


def _first_reason(reasons: Iterable[str]) -> str:
    return next(filter(None, reasons), "")


def _why_not_to_search(words: Sequence[str], path: str, here: Path, places: Places) -> str:
    return places.why_not_to_search(path, here) or why_not_to_heed(words, path, here, places)


def _unknown_files(pattern: str) -> str:
    return f"{pattern} stands for files that are not known."


def _is_known_name(path: str) -> bool:
    """Whether a name that was found is a file's to every program, and not an option; one of odd bytes is nobody's."""
    return not path.startswith("-") and not any("\ud800" <= one <= "\udfff" for one in path)


def _program(words: Words) -> str:
    return words[0].text


def _is_move(words: Words) -> bool:
    return _program(words) == "cd" and len(words) == 2 and not words[1].text.startswith("-")


def _does_more(words: Words) -> bool:
    """Whether a command is not known to do nothing but go somewhere, or read."""
    return not _is_move(words) and (is_shim(_program(words)) or not only_reads([word.text for word in words]))


def _is_certain(word: Word, found: Sequence[str] | None) -> bool:
    """Whether it is known what a shell makes of a word that may be a pattern: a pattern must fit something, since else
    it stands for what somebody makes in the meantime; what zsh alone may take for one must fit nothing.
    """
    if word.is_exact:
        return not found and not word.text.startswith("-")
    return bool(found) or _CHOOSES_NAMES.match(word.text) is not None


def _where_cd_leads(named: str, folder: Path) -> str:
    """Why `cd` may lead elsewhere than its word says: what is not there, shells look for in CDPATH and variables."""
    if moved(named, folder) is None:
        return f"{named} leads through a link."
    is_path = named in (".", "..") or named.startswith(("./", "../", "/"))
    # Path.is_dir raises for what cannot be a name.
    is_here = is_path or os.path.isdir(folder / named)  # noqa: PTH112
    return "" if is_here else f"{named} is no folder here, and may be one elsewhere."


def asks_first(allowed_tools: Iterable[str], mode: str, cwd: Path) -> list[str]:
    """The entries whose plainest call asks where there is a person, as the judge says; in mode dontAsk nothing asks."""
    return [entry for entry in allowed_tools if _asks_first(entry, mode, cwd)]


def _asks_first(entry: str, mode: str, cwd: Path) -> bool:
    tool, arguments = plainest_call(parse_tool(entry))
    return Judge([entry], cwd, person=True).verdict(tool, arguments, mode=mode).decision == "ask"


def _more_than_a_start(call: Call) -> str:
    """Starting a subagent is not asked about, since what it does is; a worktree or a mode for it would be."""
    more = sorted(call.arguments.keys() - {"description", "prompt", "subagent_type", "model", "run_in_background"})
    return f"It wants more than to start a subagent: {', '.join(more)}." if more else ""


class Judge:
    """Judges the calls of one run or session; `person` says that somebody can be asked.

    `is_harmless` knows tools of the agent's own that only read; `git_programs` tells which settings of a repository
    make git run something, `git_starts` in which folders it has hooks and which commands its settings name; `started`
    are the commands of the agent's own hooks and servers, which run unasked.
    """

    def __init__(
        self,
        allowed_tools: Sequence[str],
        cwd: Path,
        *,
        person: bool,
        is_harmless: Callable[[str], bool] = lambda _tool: False,
        git_programs: Callable[[Path], Sequence[str]] = lambda _folder: (),
        git_starts: Callable[[Path], tuple[Sequence[Path], Sequence[str]]] = lambda _folder: ((), ()),
        started: Iterable[str] = (),
    ) -> None:
        self._allowed = tuple(allowed_tools)
        self._rules = [parse_tool(entry) for entry in allowed_tools]
        self._granted: list[ToolRule] = []
        self._places = Places(cwd, programs_of(started))
        self._cwd = self._places.cwd
        self._person = person
        self._is_harmless = is_harmless
        self._git_programs = git_programs
        self._git_starts = git_starts

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
        if self._person and mode != "dontAsk":
            return Verdict("ask", "" if reason == ASKS else reason)
        return Verdict("deny", f"{tool} asks first, and nobody can be asked." if reason == ASKS else reason)

    def grant(self, rule: ToolRule) -> None:
        """Allow what the rule covers from now on: a person has said so."""
        self._granted.append(rule)

    def _reason(self, call: Call, mode: str | None) -> str:
        """Why the call must not run unasked; empty if it may."""
        if call.tool in HARMLESS_TOOLS or self._is_harmless(call.tool):
            return ""
        doubt = self._doubt(call)
        if doubt and (reason := why_always_asked(call, self._places) or self._what_git_starts(call)):
            return reason
        if any(self._covers(rule, call) for rule in self._granted):
            return ""
        if call.tool in EDIT_TOOLS:
            is_free = mode == "acceptEdits" or not (self._person or mode == "plan")
            return self._beyond_rules(call) or self._outside(call) or ("" if is_free else ASKS)
        if call.tool in SUBAGENT_TOOLS:
            return self._beyond_rules(call) or _more_than_a_start(call)
        if self._person or mode == "plan":
            return doubt
        return self._beyond_rules(call) or self._what_git_would_run(call)

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
        # Rules for paths begin in the agent's folder, and commands where they are run.
        base = call.here if call.tool == "Bash" else self._cwd
        return rule.rule is None or covers(rule.rule, call.tool, call.arguments, base)

    def _outside(self, call: Call) -> str:
        """Why an edit is beyond the working directory, unless a rule says outright that it may be."""
        named = any(rule.rule and is_absolute(rule.rule) and self._covers(rule, call) for rule in self._rules)
        outside = [path for path in call.paths or [""] if not self._places.is_inside(path, call.here)]
        return f"{outside[0] or 'It'} is outside of {self._cwd}." if outside and not named else ""

    # -- what a call does -------------------------------------------------------------------------------------------

    def _doubt(self, call: Call) -> str:
        """Why the call is not known to do nothing but read what the agent may read; empty if it is."""
        if call.tool == "Bash":
            return self._doubt_of_command(call)
        if call.tool in READING_TOOLS:
            return why_always_asked(call, self._places) or self._beyond_rules(call)
        return ASKS

    def _doubt_of_command(self, call: Call) -> str:
        calls = all_commands(call.command) if is_plain(call.arguments) else None
        if calls is None:
            return "It is more than plain commands that are known to only read."
        if len(calls) > 1 and (unknown := list(dict.fromkeys(_program(words) for words in calls if _does_more(words)))):
            # A part of it may be allowed, so all that is not harmless is named.
            are = "are" if len(unknown) > 1 else "is"
            return f"It is {len(calls)} commands, of which {' and '.join(unknown)} {are} not known to only read."
        folders = [call.here]
        patterns = [word.text for words in calls for word in words if not word.is_exact]
        if patterns and not is_one_pipeline(call.command):
            return f"{min(patterns)} may stand for other files by the time that it is read."
        for words in calls:
            if doubt := self._doubt_of_words(words, folders) or self._beyond_bash_rules(words):
                return doubt
            if words[0].text == "cd":
                reached = {moved(words[1].text, folder) for folder in folders}
                folders = [*folders, *(place for place in reached if place is not None and place not in folders)]
                if len(folders) > MOST_FOLDERS:
                    return "It goes from folder to folder."
        return self._what_git_runs(calls, folders)

    def _doubt_of_words(self, words: Words, folders: Sequence[Path]) -> str:
        texts, is_move = [word.text for word in words], _is_move(words)
        if _does_more(words):
            return f"{_program(words)}, used like this, is not known to only read."
        patterns = [word.text for word in words if not word.is_exact]
        if patterns and (is_move or not takes_many_files(texts)):
            return _unknown_files(min(patterns))
        for word, folder in product(words, folders):
            if doubt := self._doubt_of_pattern(word, folder):
                return doubt
        for named, folder in product(texts[1:] if is_move else files_read(texts), folders):
            if doubt := (_where_cd_leads(named, folder) if is_move else "") or self._doubt_of_file(named, folder):
                return doubt
        # A pattern that fits nothing may be left out by the shell, and then all that is here is searched.
        roots = [*folders_searched(texts), *(["."] if patterns else [])]
        for path, folder in product(roots if searches(texts) else (), folders):
            if reason := _why_not_to_search(texts, path, folder, self._places):
                return reason
        return ""

    def _doubt_of_pattern(self, word: Word, folder: Path) -> str:
        """Why a word that stands for files, or might, is not to be read unasked: one of them is a danger, or none of
        them is certain. Only what is a pattern everywhere may stand for anything.
        """
        if word.is_exact and not word.may_expand:
            return ""
        found = could_stand_for(word.text, folder)
        is_certain = _is_certain(word, found)
        if found is None or not is_certain or not all(map(_is_known_name, found)):
            return _unknown_files(word.text)
        return _first_reason(self._doubt_of_file(path, folder) for path in (word.text, *found))

    def _doubt_of_file(self, path: str, folder: Path) -> str:
        if not self._places.is_inside(path, folder):
            return f"{path} is outside of {self._cwd}."
        return self._places.why_not_to_read(path, folder)

    def _beyond_bash_rules(self, words: Words) -> str:
        rules = [rule.rule for rule in self._rules if rule.name == "Bash"]
        if words[0].text == "cd" or is_filter([word.text for word in words]):
            return ""
        if any(rule is None or covers_words(rule, words, self._cwd) for rule in rules):
            return ""
        return f"This agent may use {', '.join(f'Bash({rule})' for rule in rules)}."

    def _what_git_starts(self, call: Call) -> str:
        """Why an edit changes what git runs: settings may name hooks and programs in the working tree."""
        for path in call.paths if call.tool in EDIT_TOOLS else ():
            for folder in {self._cwd, *(place.parent for place in real_paths(path, call.here))}:
                hooks, commands = self._git_starts(folder)
                if reason := self._places.why_git_runs(path, call.here, hooks, programs_of(commands)):
                    return reason
        return ""

    def _what_git_would_run(self, call: Call) -> str:
        """Where a rule lets git look, and only look, it must not run what the repository names."""
        if call.tool != "Bash" or any(rule.name == "Bash" and rule.rule is None for rule in self._rules):
            return ""
        calls = all_commands(call.command) or []
        return self._what_git_runs([words for words in calls if only_reads([word.text for word in words])], [call.here])

    def _what_git_runs(self, calls: Sequence[Words], folders: Sequence[Path]) -> str:
        if not any(words[0].text == "git" for words in calls):
            return ""
        said = {word.text.lower() for words in calls for word in words}
        named = {name for folder in folders for name in self._git_programs(folder)}
        named -= {name for name in named if name.startswith("alias.") and name.split(".")[1] not in said}
        if named:
            return f"This repository has git do more than read it: {', '.join(sorted(named))}."
        is_search = any(word.text == "grep" for words in calls for word in words)
        links = sorted({link for folder in folders if is_search for link in links_searched(folder)})
        return f"git grep would go where links of this repository lead: {', '.join(links)}." if links else ""
