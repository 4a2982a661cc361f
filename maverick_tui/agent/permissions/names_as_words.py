"""What commands become where the name of a file that a pattern stands for may be more to a program than that file: to
git a revision (`main:.env`, a hash), to `grep` what to look for, to `tail` an option (`+1f`).

Whoever reads the words of a command for more than files is to see these calls as well. Ordinary names are the files
that they are, and make no such call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from maverick_tui.agent.permissions.aliased import calls_by_aliases
from maverick_tui.agent.permissions.always_asked import SHELLS, Call, folders_of
from maverick_tui.agent.permissions.forbidden_files import hashes_in
from maverick_tui.agent.permissions.patterns import Limits, could_stand_for
from maverick_tui.agent.permissions.reading import without_git_options
from maverick_tui.agent.permissions.shell import LONGEST, Words, all_commands, inner_of
from maverick_tui.agent.permissions.wrapping import calls_meant

_PLAIN = re.compile(r"(?![+-])(?:[\w./ ,'&()!#;$\[\]-]|(?<![)}*+?])\+)*")
"""Names that are no option, no way from a revision to another or to a file, and that repeat nothing as a pattern."""
_LONGEST, _QUOTES = LONGEST // 2, 3
"""Characters of a command that is made here, and those around a name in it."""
_FEW = 2
"""Plain names that are left in a call of git: for how many there are says whether one of them is a revision."""
_UNQUOTED = re.compile(r"[\w./-]+", re.ASCII)


def calls_besides(call: Call) -> list[Call] | None:
    """The calls that a command makes by aliases, and what it and these become by names; None if that cannot be told."""
    by_aliases = calls_by_aliases(call)
    if by_aliases is None:
        return None
    by_names = [calls_by_names(one) for one in (call, *by_aliases)]
    return None if None in by_names else [*by_aliases, *(one for some in by_names for one in some or ())]


def calls_by_names(call: Call) -> list[Call] | None:
    """The calls that a command becomes by names which may be more than files; None if that cannot be told."""
    if call.tool not in SHELLS:
        return []
    key = call.command, call.here
    if key not in call.by_names:
        call.by_names[key] = _looked_up(call)
    return call.by_names[key]


def _looked_up(call: Call) -> list[Call] | None:
    calls = (*(all_commands(call.command) or ()), *inner_of(call.command).calls)
    with_patterns = [words for words in calls if any(map(_is_pattern, words))]
    limits, found = Limits(), list[Call]()
    for here in folders_of(call) if with_patterns else ():
        for words in with_patterns:
            texts = _written_out(words, here, limits)
            if texts is None:
                return None
            found += (replace(call, arguments={"command": text}, here=here) for text in texts)
    return found if all(all_commands(one.command) for one in found) else None


def _is_pattern(word: tuple[str, bool, bool]) -> bool:
    _, is_exact, may_expand = word
    return may_expand or not is_exact


def _written_out(words: Words, here: Path, limits: Limits) -> list[str] | None:
    """The commands that a call becomes, with some of the names in each; None if that cannot be told."""
    named = [could_stand_for(word.text, here, limits) if _is_pattern(word) else [] for word in words]
    if None in named:
        return None
    texts, fitting = [word.text for word in words], [names or [] for names in named]
    rest = _told_git(texts)
    if rest is not None and (_is_steered(texts, fitting, rest) or any(map(_is_option, _all(fitting)))):
        return None
    telling = [[name for name in names if _is_telling(name, is_of_git=rest is not None)] for names in fitting]
    is_counted = rest is not None and len(_all(fitting)) > 1
    if not any(telling) and not is_counted:
        return []
    plain = [[name for name in names if name not in some][:_FEW] for names, some in zip(fitting, telling, strict=True)]
    return [*_commands(texts, plain if rest is not None else [[] for _ in texts], telling)]


def _commands(texts: Sequence[str], plain: Sequence[Sequence[str]], telling: Sequence[Sequence[str]]) -> Iterator[str]:
    """The names in as many commands as there have to be for each to be read."""
    longest = max(map(len, _all(telling)), default=0) + _QUOTES
    at_once = max(1, (_LONGEST - len(" ".join(texts))) // (longest * max(1, sum(map(bool, telling)))))
    for start in range(0, max(1, *map(len, telling)), at_once):
        some = [[*few, *names[start : start + at_once]] for few, names in zip(plain, telling, strict=True)]
        yield " ".join(_quoted(one) for text, names in zip(texts, some, strict=True) for one in names or [text])


def _told_git(texts: Sequence[str]) -> list[str] | None:
    """What stands behind the command of git's that a call is, or may start; None if it is none."""
    meant = (without_git_options(some)[0] for some in calls_meant(texts) or ())
    return next((some[2:] for some in meant if some[0] == "git"), None)


def _is_steered(texts: Sequence[str], fitting: Sequence[Sequence[str]], rest: Sequence[str]) -> bool:
    """Whether names may say which command of git's a call is."""
    return any(names and texts.count(text) > rest.count(text) for text, names in zip(texts, fitting, strict=True))


def _is_telling(name: str, *, is_of_git: bool) -> bool:
    if not _PLAIN.fullmatch(name):
        return True
    return is_of_git and ("signature" in name.casefold() or bool(hashes_in([name])))


def _is_option(name: str) -> bool:
    return name.startswith("-")


def _all(fitting: Iterable[Sequence[str]]) -> list[str]:
    return [name for names in fitting for name in names]


def _quoted(text: str) -> str:
    if _UNQUOTED.fullmatch(text):
        return text
    return f"'{text}'" if "'" not in text else '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'
