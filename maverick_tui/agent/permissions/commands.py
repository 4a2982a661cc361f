"""What commands of a shell do: whether all of one is known to only read what the agent may read, and what git runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from maverick_tui.agent.permissions.always_asked import (
    SHELLS,
    TOO_LONG,
    Call,
    first_reason,
    folders_of,
    unknown_files,
    why_not_to_search,
)
from maverick_tui.agent.permissions.filters import is_filter
from maverick_tui.agent.permissions.greed import why_greedy
from maverick_tui.agent.permissions.leading import moved
from maverick_tui.agent.permissions.names_as_words import calls_by_names
from maverick_tui.agent.permissions.patterns import Limits, could_stand_for
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.reading import (
    entered_by_git,
    files_read,
    folders_searched,
    only_reads,
    searches,
    takes_many_files,
    without_git_options,
)
from maverick_tui.agent.permissions.rules import covers_words, is_plain
from maverick_tui.agent.permissions.running import is_shim
from maverick_tui.agent.permissions.shell import Word, Words, all_commands, is_one_pipeline
from maverick_tui.agent.permissions.wrapping import calls_meant
from maverick_tui.git.programs import links_searched

MOST_FOLDERS = 8
"""In how many folders a command may turn out to be, until it is taken for one that cannot be followed."""
_WANDERS = "It goes from folder to folder."
_CHOOSES_NAMES = re.compile(r"--(?:include|exclude|exclude-dir|glob|iglob)=")
"""Options with a pattern of their own: whatever a shell makes of it, it is still for that option."""


class Commands:
    """Looks at the commands of one run; `rules` are those for Bash, of which None covers all commands."""

    def __init__(
        self, rules: Sequence[str | None], places: Places, git_programs: Callable[[Path], Sequence[str]]
    ) -> None:
        self._rules = rules
        self._places = places
        self._git_programs = git_programs

    def doubt(self, call: Call) -> str:
        """Why a command is not known to do nothing but read what the agent may read; empty if it is."""
        found = all_commands(call.command) if is_plain(call.arguments) else None
        if found is None:
            return "It is more than plain commands that are known only to read."
        is_pipeline = is_one_pipeline(call.command)
        calls = [part for words in found for part in _going_first(words)]
        if len(found) > 1 and (unknown := list(dict.fromkeys(_program(words) for words in calls if does_more(words)))):
            # A part of it may be allowed, so all that is not harmless is named.
            are = "are" if len(unknown) > 1 else "is"
            return f"It is {len(found)} commands, of which {' and '.join(unknown)} {are} not known to only read."
        folders, limits = [call.here], Limits()
        patterns = [word.text for words in calls for word in words if not word.is_exact]
        if patterns and not is_pipeline:
            return f"{min(patterns)} may stand for other files by the time it is read."
        for words in calls:
            is_fed = is_pipeline and words is not calls[0]
            if doubt := self._doubt_of_words(words, folders, limits) or self._beyond_bash_rules(words, is_fed=is_fed):
                return doubt
            if words[0].text == "cd":
                reached = {moved(words[1].text, folder) for folder in folders}
                folders = [*folders, *(place for place in reached if place is not None and place not in folders)]
                if len(folders) > MOST_FOLDERS:
                    return _WANDERS
        if greed := why_greedy([word.text for word in words] for words in calls):
            return f"{greed}."
        if runs := self._what_git_runs([[word.text for word in words] for words in calls], folders):
            return runs
        by_names = calls_by_names(call)
        return (
            "What its patterns become cannot be told." if by_names is None else first_reason(map(self.doubt, by_names))
        )

    def _doubt_of_words(self, words: Words, folders: Sequence[Path], limits: Limits) -> str:
        texts, is_move = [word.text for word in words], _is_move(words)
        if does_more(words):
            return f"{_program(words)}, used like this, is not known to only read."
        patterns = [word.text for word in words if not word.is_exact]
        if patterns and (is_move or not takes_many_files(texts)):
            return unknown_files(min(patterns))
        for word, folder in product(dict.fromkeys(words), folders):
            if doubt := self._doubt_of_pattern(word, folder, limits):
                return doubt
        for named, folder in product(dict.fromkeys(texts[1:] if is_move else files_read(texts)), folders):
            if not limits.spend(files=1):
                return TOO_LONG
            if doubt := (_where_cd_leads(named, folder) if is_move else "") or self._doubt_of_file(named, folder):
                return doubt
        # A pattern that fits nothing may be left out by the shell, and then all that is here is searched.
        roots = [*folders_searched(texts), *(["."] if patterns else [])]
        for path, folder in product(dict.fromkeys(roots) if searches(texts) else (), folders):
            if reason := why_not_to_search(texts, path, folder, self._places, limits):
                return reason
        return ""

    def _doubt_of_pattern(self, word: Word, folder: Path, limits: Limits) -> str:
        """Why a word that stands for files, or might, is not to be read unasked: one of them is a danger, or none of
        them is certain. Only what is a pattern everywhere may stand for anything.
        """
        if word.is_exact and not word.may_expand:
            return ""
        found = could_stand_for(word.text, folder, limits)
        is_certain = _is_certain(word, found)
        if found is None or not is_certain or not all(map(_is_known_name, found)):
            return unknown_files(word.text)
        return first_reason(self._doubt_of_file(path, folder) for path in (word.text, *found))

    def _doubt_of_file(self, path: str, folder: Path) -> str:
        if not self._places.is_inside(path, folder):
            return f"{path} is outside of {self._places.cwd}."
        return self._places.why_not_to_read(path, folder)

    def _beyond_bash_rules(self, words: Words, *, is_fed: bool) -> str:
        texts = [word.text for word in words]
        # Where nothing is piped into a search, some look at all that is here.
        if texts[0] == "cd" or (is_filter(texts) and (is_fed or not searches(texts))):
            return ""
        if any(rule is None or covers_words(rule, words, self._places.cwd) for rule in self._rules):
            return ""
        return f"This agent may use {', '.join(f'Bash({rule})' for rule in self._rules)}."

    def greed(self, call: Call) -> str:
        """That a command would take more than reading does, which only a rule of its very words covers."""
        found = all_commands(call.command) if call.tool == "Bash" else None
        calls = [[word.text for word in words] for part in found or () for words in _going_first(part)]
        greed = why_greedy(filter(only_reads, calls))
        return f"{greed}." if greed else ""

    def what_git_would_run(self, call: Call) -> str:
        """Where a rule lets git look, and only look, it must not run what the repository names."""
        return "" if call.tool != "Bash" or None in self._rules else self.what_git_runs_reading(call)

    def what_git_runs_reading(self, call: Call) -> str:
        """The programs that git would run where it is only to look."""
        if call.tool not in SHELLS:
            return ""
        calls, folders = list[list[str]](), [call.here]
        for words in all_commands(call.command) or ():
            for meant in calls_meant([word.text for word in words]) or ():
                texts, entered = without_git_options(meant)
                if only_reads(texts):
                    calls.append(texts)
                    folders += [folder / name for name in filter(None, entered) for folder in folders[:MOST_FOLDERS]]
        return self._what_git_runs(calls, list(dict.fromkeys((*folders, *folders_of(call)))))

    def _what_git_runs(self, calls: Sequence[Sequence[str]], folders: Sequence[Path]) -> str:
        if not any(words[0] == "git" for words in calls):
            return ""
        if len(folders) > MOST_FOLDERS:
            return _WANDERS
        said = {word.lower() for words in calls for word in words}
        named = {name for folder in folders for name in self._git_programs(folder)}
        named -= {name for name in named if name.startswith("alias.") and name.split(".")[1] not in said}
        if named:
            return f"This repository makes git do more than read it: {', '.join(sorted(named))}."
        is_search = any(word == "grep" for words in calls for word in words)
        links = sorted({link for folder in folders if is_search for link in links_searched(folder)})
        return f"git grep would go where links of this repository lead: {', '.join(links)}." if links else ""


def _is_known_name(path: str) -> bool:
    """Whether every program takes a name that was found for a file, and none for an option; odd bytes are no name."""
    return not path.startswith("-") and not any("\ud800" <= one <= "\udfff" for one in path)


def _program(words: Words) -> str:
    return words[0].text


def _going_first(words: Words) -> list[Words]:
    """A call of git that goes to a folder, as the two that it is: `git -C src log` is `cd src` and `git log`."""
    before, folder = entered_by_git([word.text for word in words])
    if not folder:
        return [words]
    named = next(word for word in words[1:] if word.text == folder)
    return [(Word("cd"), named), (words[0], *words[1 + before :])]


def _is_move(words: Words) -> bool:
    return _program(words) == "cd" and len(words) == 2 and not words[1].text.startswith("-")


def does_more(words: Words) -> bool:
    """Whether a command may do more than change the folder, or read."""
    return not _is_move(words) and (is_shim(_program(words)) or not only_reads([word.text for word in words]))


def _is_certain(word: Word, found: Sequence[str] | None) -> bool:
    """Whether it is known what a shell makes of a word that may be a pattern: a pattern must fit something, or it
    stands for what somebody makes in the meantime; what only zsh may take for one must fit nothing.
    """
    if word.is_exact:
        return not found and not word.text.startswith("-")
    return bool(found) or _CHOOSES_NAMES.match(word.text) is not None


def _where_cd_leads(named: str, folder: Path) -> str:
    """Why `cd` may lead elsewhere than its word says: shells look in CDPATH and variables for what is not there."""
    if moved(named, folder) is None:
        return f"{named} leads through a link."
    is_path = named in (".", "..") or named.startswith(("./", "../", "/"))
    # Path.is_dir raises for what cannot be a name.
    is_here = is_path or os.path.isdir(folder / named)  # noqa: PTH112
    return "" if is_here else f"{named} is no folder here, and may be one elsewhere."
