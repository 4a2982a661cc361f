"""What `xargs` makes of a call: it adds words, or puts them in, that another program prints and nobody knows before.

`echo push | xargs git` is `git push`. For rules that deny or ask alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from maverick_tui.agent.permissions.reading import (
    OF_XARGS,
    WRAPPERS,
    is_number,
    name_of,
    place_of_program,
    takes_names,
    without_git_options,
)
from maverick_tui.agent.permissions.synonyms import spellings
from maverick_tui.agent.permissions.targets import has_targets

_ANYTHING = "{}"
"""What stands for the words that are put in, unless another mark is chosen."""
_LONG_WITH_VALUE = re.compile(r"--(?:a|d|pr)[^=]*")
"""`--arg-file`, `--delimiter` and `--process-slot-var`, also shortened, if the value is the next word. Those of others
are numbers.
"""
_REPLACES = re.compile(r"(?:-[0oprtx]*i|--r[^=]*=)(?P<mark>.+)")
_MOST_WORDS = 20
"""Words of a call that are looked at, so that the time which it takes grows with their number alone."""


def may_become(own: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a call may have `xargs` make one that begins with these words, of what it is fed."""
    at = next((at for at, word in enumerate(words) if takes_names([name_of(word)])), len(words))
    place, marks = _program_behind(words[at + 1 :])
    started = words[at + 1 + place :]
    return any(_may_be(call, same, marks) for call in _calls(started) for same in (own, *spellings(own)))


def _program_behind(words: Sequence[str]) -> tuple[int, list[str]]:
    """Which word behind `xargs` is the program that it starts, and which marks stand for the words that it puts in."""
    at, marks = 0, [_ANYTHING]
    while at < len(words) and (words[at].startswith("-") or is_number(words[at])):
        option = words[at]
        valued, replaces = OF_XARGS.fullmatch(option), _REPLACES.fullmatch(option)
        is_apart = _LONG_WITH_VALUE.fullmatch(option) or (valued and not valued["value"])
        if valued and valued["letter"] in "IJ":
            marks += [valued["value"] or "".join(words[at + 1 : at + 2])]
        elif replaces:
            marks.append(replaces["mark"])
        at += 2 if is_apart else 1
    return at, [mark for mark in marks if mark]


def _calls(started: Sequence[str]) -> Iterator[list[str]]:
    """The calls that this may be. Behind `timeout -s KILL 5` any word may be the program, and the one added as well."""
    is_wrapped = bool(started) and _is_wrapper(started[0])
    for at in range(len(started) if is_wrapped else min(len(started), 1)):
        plain = [name_of(started[at]), *started[at + 1 : at + _MOST_WORDS]]
        yield plain
        yield from spellings(plain)
    if is_wrapped and _lacks_program(started):
        yield [_ANYTHING]


def _lacks_program(started: Sequence[str]) -> bool:
    """Whether a call of a program that starts others may not say which, so that it is the one added."""
    at = place_of_program(started)
    program, *behind = started[at:]
    is_value = at > 0 and started[at - 1].startswith("-")
    return _is_wrapper(program) or _is_setting(program) or (is_value and all(map(_is_setting, behind)))


def _is_wrapper(program: str) -> bool:
    return name_of(program) in WRAPPERS or takes_names([name_of(program)])


def _is_setting(word: str) -> bool:
    return word.startswith("-") or "=" in word or is_number(word.rstrip("smhd"))


def _may_be(call: Sequence[str], same: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether a call may be one that begins with these words, once others are added to it or put in for the marks."""

    def is_put_in(word: str) -> bool:
        return any(mark in word for mark in marks)

    program, *given = without_git_options(call)[0]
    if not is_put_in(program) and program.rstrip("0123456789.") != name_of(same[0]).rstrip("0123456789."):
        return False
    # Where an option is forbidden, what is added may be that one, whatever others there are.
    wanted = takewhile(lambda word: not word.startswith("-"), same[1:])
    said = takewhile(lambda word: not word.startswith("-"), given)
    return has_targets(program) or all(  # of which one more is done as well
        word == other or is_put_in(word) for word, other in zip(said, wanted, strict=False)
    )
