"""Texts that calls give to a shell, or to git for one: commands within a command, which have quotes of their own.

Only where they are looked for does more become known to be dangerous; nothing is taken for harmless by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from maverick_tui.agent.permissions.reading import (
    WRAPPERS,
    name_of,
    only_reads,
    starts_others,
    takes_names,
    unwrapped,
    without_git_options,
)
from maverick_tui.agent.permissions.running import names_a_program
from maverick_tui.agent.permissions.wrapping import calls_meant

_HOLD_COMMANDS = (
    "SHELL", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "EDITOR", "VISUAL", "PAGER", "LESSOPEN", "SSH_ASKPASS",
    "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
)  # fmt: skip
COMMAND_VARIABLES = (*_HOLD_COMMANDS, "NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PERL5OPT", "RUBYOPT")
"""Variables that hold a command, or what is loaded by one."""
_SHELL = re.compile(r"(?:|a|ba|c|da|fi|k|mk|pdk|rba|tc|ya|z)sh(?:-?[\d.]+)?")
_TAKE_TEXTS = frozenset(
    "alias at batch compgen complete entr eval flock mapfile parallel readarray rsh runuser sched screen script sg ssh"
    " su tmux trap watch".split()
)
"""Programs, and words of shells, that take what they are given for commands."""
_READ_TEXTS = frozenset({"at", "batch", "parallel", "su"})
"""Programs that take what they read for commands."""
_WITHOUT_PROGRAM = frozenset({"sudo", "doas"})
"""Programs that do so unless they are given one."""
_OPTION = re.compile(r"[-+][\w=-]*")
"""And not a text that begins like one: `-v; rm x`."""
_RUNNERS = frozenset("bunx nix nix-shell npm npx pnpm".split())
_BEFORE_TEXT = re.compile(r"(?:-c|--call|--run|--command)(?:=(?P<text>.*))?", re.DOTALL)
"""Options by which these take a text instead of a program's name."""
_WITH_FILTER = frozenset({"split", "gsplit"})
_FILTER = re.compile(r"--f[a-z]*(?:=(?P<text>.*))?", re.DOTALL)
_WITH_NAME = re.compile(r"[^{]\{\}|\{\}.")
"""In a text: what `find` and their like put the name of a file in place of."""
_SOURCE = frozenset({"source", "."})
_WITH_FILE = frozenset({"--rcfile", "--init-file"})
_INPUT = ("-", "/dev/", "/proc/")
_SPLIT = re.compile(r"(?:-[A-Za-z0]*S|--s[a-z-]*=?)(?P<text>.*)", re.DOTALL)
_OF_ENV = frozenset({"-u", "-C", "-a"})
_SPLIT_OTHERWISE = re.compile(r"[\\$#]")
"""What `env -S` reads in a way of its own."""


def texts_for_shells(words: Sequence[str], *, is_fed: bool) -> Iterator[str | None]:
    """What a call gives to a shell; None for a text that only the run itself tells.

    `is_fed` says that the call may read what another one prints. A shell may be started by any program, so its name
    counts wherever it stands, but in calls that only read.
    """
    if only_reads(words):
        return
    names = [name_of(word) for word in words]
    program = unwrapped(words)
    is_replaced = any(map(_WITH_NAME.search, words))
    for at, name in enumerate(names):
        rest = words[at + 1 :]
        is_replaced = is_replaced or takes_names([name])
        if _SHELL.fullmatch(name):
            yield from _of_shell(rest, is_fed=is_fed, is_replaced=is_replaced)
        elif name in _TAKE_TEXTS and (not at or starts_others(names[0])):
            given = [word.partition("=")[2] if name == "alias" else word for word in _behind_options(rest)]
            yield from (" ".join(given), *(word for word in given if " " in word))
        elif name == "env":
            yield from _split_by_env(rest)
        elif name in _WITH_FILTER:
            yield from _behind(_FILTER, rest)
        elif name in _RUNNERS:
            yield from _behind(_BEFORE_TEXT, rest)
        if is_fed and (name in _READ_TEXTS or (name in _WITHOUT_PROGRAM and not _behind_options(rest))):
            yield None
    if program[0] in _SOURCE and is_fed and any(word.startswith(_INPUT) for word in program[1:]):
        yield None
    meant = calls_meant(words)
    for call in meant or ():
        if call[0] == "git":
            yield from _of_git(call)
    if meant is None:
        yield None
    for word in words if names[0] in WRAPPERS else ():
        name, is_assigned, value = word.partition("=")
        if is_assigned and (name in _HOLD_COMMANDS or name.startswith("GIT_CONFIG")):
            yield value.removeprefix("!")


def _of_shell(words: Sequence[str], *, is_fed: bool, is_replaced: bool) -> Iterator[str | None]:
    """What stands behind the name of a shell: a text behind `-c`, else a script, and without one it reads commands."""
    is_text, is_reading, given = False, False, list[str]()
    waiting = iter(words)
    for word in waiting:
        option, _, value = word.partition("=")
        if word in ("--version", "--help"):
            return
        if option in ("--command", "--init-command"):
            is_text = True
            given.append(value or next(waiting, ""))
        elif option in _WITH_FILE:
            _ = value or next(waiting, "")
        elif word in ("-", "--") or not _OPTION.fullmatch(word):
            given += [next(waiting, "")] if word == "--" else [word]
            break
        elif not word.startswith("--"):
            is_text, is_reading = is_text or "c" in word.lower(), is_reading or "s" in word
            given += [next(waiting, "")] if "o" in word.lower() else []  # the name of an option, or what is to be run
    given = [*filter(None, given)]
    if is_text:
        yield from given
        yield from [None] if is_replaced or not given else ()
    elif is_fed and (is_reading or not given or given[-1].startswith(_INPUT)):
        yield None


def _behind(before: re.Pattern[str], words: Sequence[str]) -> Iterator[str]:
    """The values of an option, joined to it or as the next word."""
    options = ((before.fullmatch(word), following) for word, following in pairwise((*words, "")))
    return (option["text"] or following for option, following in options if option)


def _behind_options(words: Sequence[str]) -> Sequence[str]:
    first = next((at for at, word in enumerate(words) if not _OPTION.fullmatch(word)), len(words))
    return words[first:]


def _split_by_env(words: Sequence[str]) -> Iterator[str | None]:
    """What `env -S` makes words of, by nearly the rules of a shell."""
    for at, (before, word) in enumerate(pairwise(("", *words))):
        if found := _SPLIT.fullmatch(word):
            text = " ".join(filter(None, (found["text"], *words[at + 1 :])))
            yield text
            yield from [None] if _SPLIT_OTHERWISE.search(text) else ()
        if not word.startswith("-") and before not in _OF_ENV:
            return


def _of_git(words: Sequence[str]) -> Iterator[str | None]:
    """What git runs for a call: values of settings, among them aliases, and of options that name a program."""
    for at, (option, setting) in enumerate(pairwise(words)):
        name, _, value = setting.partition("=")
        if option == "-c" and name.casefold().startswith("alias."):
            behind = words[at + 2 :]
            yield " ".join((value.removeprefix("!"), *behind) if value.startswith("!") else (words[0], value, *behind))
        elif option == "-c" and not name.startswith("user."):
            yield value.removeprefix("!")
        if option.startswith("--config-e"):
            yield None
    plain = without_git_options(words)[0]
    if names_a_program(plain) and plain[1] != "remote":  # which keeps an address for later
        yield from (part for word in plain[2:] for part in (word, word.partition("=")[2]) if part)
