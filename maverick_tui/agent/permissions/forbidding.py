"""Which calls a rule that denies or asks is about. It is read broadly, where one that allows is read strictly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from maverick_tui.agent.permissions.always_asked import MOST_WORDS, SHELLS, Call, named_to_change
from maverick_tui.agent.permissions.patterns import Limits, could_stand_for
from maverick_tui.agent.permissions.places import Places, real_paths
from maverick_tui.agent.permissions.reading import (
    folders_searched,
    read_below,
    searches,
    unwrapped,
    without_git_options,
)
from maverick_tui.agent.permissions.rules import fits, host_of, own_words, pattern_of, place_of, words_joined
from maverick_tui.agent.permissions.shell import Words, all_commands
from maverick_tui.agent.tools import EDIT_TOOLS, READING_TOOLS, SUBAGENT_TOOLS, ToolRule, is_same_tool

_SIGNS = frozenset("*?[{")
_MOST_FOUND = 200
"""Files that fit a rule which are looked for in what is searched."""


def is_about(rule: ToolRule, call: Call, places: Places, base: Path, *, only_reads: bool) -> bool | None:
    """Whether a rule forbids a call; None if that cannot be told. Paths in the rule begin at `base`.

    A rule for Read is about whatever reads files, one for Edit about whatever changes them, and one for Bash about
    every shell. `only_reads` says that a command is known to change nothing.
    """
    if rule.name in EDIT_TOOLS | READING_TOOLS and rule.rule is not None:
        is_harmless = call.tool in SHELLS and only_reads and rule.name in EDIT_TOOLS
        return False if is_harmless else _is_about_files(rule, call, places, base)
    if not _is_of(rule.name, call.tool):
        return False
    if rule.rule is None:
        return True
    if call.tool in SHELLS:
        return _is_about_command(rule.rule, call.command)
    if call.tool == "WebFetch":
        host, domain = host_of(call.arguments), rule.rule.removeprefix("domain:").lower()
        return f".{host}".endswith(f".{domain}") if host else None
    if call.tool in SUBAGENT_TOOLS:
        return call.arguments.get("subagent_type") == rule.rule
    return call.arguments.get("skill") == rule.rule if call.tool == "Skill" else None


def _is_of(named: str, called: str) -> bool:
    families = {"Bash": SHELLS, "Edit": EDIT_TOOLS, "Read": READING_TOOLS}
    return is_same_tool(named, called) or called in families.get(named, ())


# -- commands ----------------------------------------------------------------------------------------------------------


def _is_about_command(rule: str, command: str) -> bool | None:
    calls = all_commands(command)
    if calls is None:
        return None
    return _any(_is_about_words(rule, words) for words in calls)


def _is_about_words(rule: str, words: Words) -> bool | None:
    """By its words, also behind `env` and their like, and by git's command whatever stands before that."""
    texts = [word.text for word in words]
    plain = without_git_options(unwrapped(texts))[0]
    if any(pattern_of(rule).fullmatch(words_joined(some)) for some in (texts, plain)):
        return True
    own = own_words(rule)
    if not own:
        return False if all(word.is_exact for word in words) else None
    # A pattern may stand for any word, and whoever runs another program may run this one.
    text = " ".join(texts)
    is_named = all(re.search(rf"(?:(?<![\w-])|(?<=-\w)){re.escape(word)}(?![\w-])", text) for word in own[:2])
    return None if is_named or not all(word.is_exact for word in words[: len(own) + 1]) else False


# -- files -------------------------------------------------------------------------------------------------------------


def _is_about_files(rule: ToolRule, call: Call, places: Places, base: Path) -> bool | None:
    said = rule.rule or ""
    if call.tool in SHELLS:
        return _is_about_named(said, call, places, base) if rule.name in ("Read", "Edit", "Write") else False
    if not _is_of(rule.name, call.tool):
        return False
    if any(_is_at(path, said, call.here, base) for path in call.paths):
        return True
    if call.tool not in ("Glob", "Grep"):
        return False
    return None if _holds(call.paths or ["."], said, call.here, base) else False


def _is_about_named(said: str, call: Call, places: Places, base: Path) -> bool | None:
    """Of a command, the words that name files, what its patterns may stand for, and the folders that it searches."""
    named = named_to_change(call, places)
    if named is None:
        return None
    limits, found = Limits(), [*named]
    for path in named:
        if _SIGNS & set(path):
            fitting = could_stand_for(path, call.here, limits)
            if fitting is None:
                return None
            found += fitting
    if len(found) > MOST_WORDS * 10:
        return None
    if any(_is_at(path, said, call.here, base) for path in found):
        return True
    calls = [unwrapped([word.text for word in words]) for words in all_commands(call.command) or []]
    searched = {path for texts in calls for path in _searched(texts)} | {path for path in named if Path(path).is_dir()}
    return None if _holds(searched, said, call.here, base) else False


def _searched(texts: Sequence[str]) -> Iterator[str]:
    yield from read_below(texts)
    if searches(texts):
        yield from folders_searched(texts)


def _is_at(path: str, rule: str, here: Path, base: Path) -> bool:
    """Whether a path may be one of the rule's; on some systems its case makes no difference."""
    root = place_of(rule, base)
    return root is not None and any(
        fits(real, rule, root) or fits(Path(str(real).casefold()), rule.casefold(), Path(str(root).casefold()))
        for real in real_paths(path, here)
    )


def _holds(folders: Iterable[str], rule: str, here: Path, base: Path) -> bool:
    """Whether one of the folders holds a file that the rule is about, or so much that it cannot be told."""
    root = place_of(rule, base)
    below = "/".join(part for part in rule.removeprefix("~").split("/") if part not in ("", "."))
    found = [] if root is None else could_stand_for(below, root)
    if found is None:
        return True
    names = (str((root or Path("/")) / name) for name in islice(found, _MOST_FOUND))
    places = [place for name in names for place in real_paths(name, here)]
    tops = [top for folder in folders for top in real_paths(folder, here)]
    return len(found) > _MOST_FOUND or any(place.is_relative_to(top) for place in places for top in tops)


def _any(found: Iterable[bool | None]) -> bool | None:
    told = [*found]
    return True if True in told else None if None in told else False
