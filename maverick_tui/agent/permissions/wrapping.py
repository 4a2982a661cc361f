"""What a call may start: behind `timeout -s KILL 5` stands another program, and only `timeout` knows which word it is.

So behind a program that starts others, or that is not known, every word which is the name of a program that matters
is taken for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from maverick_tui.agent.permissions.reading import (
    WRAPPERS,
    may_read_below,
    name_of,
    of_git,
    only_reads,
    place_of_program,
    reads_lists,
    starts_others,
    takes_names,
    unwrapped,
)
from maverick_tui.agent.permissions.running import has_arguments_of_its_own
from maverick_tui.agent.permissions.unpacking import is_unpacker

_MOST_MEANT = 30
"""Programs that one call may start, until nobody can tell what it does."""
_READ_INPUT = frozenset({"patch", "cpio", "pax"})
"""Programs that write what they are fed, without a word of where to."""
_BEHIND_OPERAND = frozenset("chroot flock nsenter setarch taskset".split())
"""Programs that start what stands behind their own first word."""
_EXECUTE = ("-exec", "-ok", "--exec", "-x", "-X")
"""Options by which those that find files start a program for each."""
_START_NOTHING = frozenset(
    "alias apk brew cd chgrp chmod chown code conda dd deno dnf export gem hash hg kill killall less ln local lua mamba"
    " man more node nodejs open pacman perl pgrep php pipx pkill printf ps pypy python rm rmdir ruby rustup set snap"
    " svn tee type unset vi vim winget yum zypper".split()
)
"""Programs whose words name packages, files or texts, or are for a script: it may do anything, whatever it is told."""
_START_WHAT_FOLLOWS = frozenset(
    {
        *(f"{program} run" for program in "conda hatch mamba pdm pipenv poetry rustup rye uv".split()),
        *(f"{program} exec" for program in "bundle npm pnpm yarn".split()),
        "npx",
        "uvx",
    }
)
"""Programs, with that command of theirs where they have others as well, which start what stands behind."""


def calls_meant(words: Sequence[str], *, is_text: bool = False) -> list[list[str]] | None:
    """The call that a call is, and all that it may start; None if those are too many.

    In a text, which may be prose, only what certainly starts something counts: `time to patch it` is no command.
    """
    found = [call := unwrapped(words)]
    while behind := call_behind(call):
        words = ["env", *behind]
        found.append(call := unwrapped(words))
        if len(found) > _MOST_MEANT:
            return None
    place = place_of_program(words)
    is_certain, is_wrapped = not any(word.startswith("-") for word in words[:place]), place > 0
    if is_certain and not _may_start(call, is_text=is_text):
        return found
    for at in range(1, len(words)):
        program, *command = of_git(words[at])
        name = name_of(program)
        is_told = at < len(words) - 1 or (is_wrapped and name in _READ_INPUT)
        if is_told and _matters(name):
            found.append([name, *command, *words[at + 1 :]])
        if len(found) > _MOST_MEANT:
            return None
    return found


def call_behind(call: Sequence[str]) -> Sequence[str]:
    """What a call starts by its first words, `uv run`, say: its other words, which may begin with options for it. Empty
    if it is no such call.
    """
    return next((call[count:] for count in (1, 2) if " ".join(call[:count]) in _START_WHAT_FOLLOWS), ())


def place_said(words: Sequence[str]) -> int:
    """Which of the words with which a rule begins is the program that it is for."""
    place = place_of_program(words)
    if not any(word.startswith("-") for word in words[:place]):
        return place
    return next((at for at in range(1, len(words)) if _matters(name_of(of_git(words[at])[0]))), place)


def _may_start(call: Sequence[str], *, is_text: bool) -> bool:
    name = call[0]
    if name in _BEHIND_OPERAND or takes_names(call):
        return True
    if starts_others(name) and name not in WRAPPERS:
        return any(word.startswith(_EXECUTE) for word in call)
    is_plain = name.rstrip("0123456789.") in _START_NOTHING or has_arguments_of_its_own(name)
    return not (is_text or is_plain or _matters(name) or only_reads(call))


def _matters(name: str) -> bool:
    return may_read_below([name]) or reads_lists(name) or is_unpacker(name)
