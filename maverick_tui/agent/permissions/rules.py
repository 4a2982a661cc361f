"""Rules like `Bash(git log:*)`, `Edit(docs/**)`, `WebFetch(domain:example.org)`: which calls they cover."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from maverick_tui.agent.permissions.greed import why_greedy
from maverick_tui.agent.permissions.leading import LONGEST_PATH, is_folder, moved, real_paths
from maverick_tui.agent.permissions.named_paths import fits, place_of
from maverick_tui.agent.permissions.reading import (
    entered_by_git,
    name_of,
    only_reads,
    unwrapped,
    without_git_options,
)
from maverick_tui.agent.permissions.running import is_shim, runs_another
from maverick_tui.agent.permissions.shell import Words, all_commands, one_command, plain_words, words_within
from maverick_tui.agent.permissions.skill_arguments import mentioned_in
from maverick_tui.agent.permissions.wrapping import place_said
from maverick_tui.agent.permissions.written_out import before_query
from maverick_tui.agent.tools import PATHS, SUBAGENT_TOOLS, is_understood

_AS_BROWSERS_READ = str.maketrans("\\", "/", "\t\r\n")
"""In an address, tabs and ends of lines do not count, and backslashes are slashes."""
_FILE_ADDRESS = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_BLANKS = re.compile(r"^[\s\ufeff]+|[\s\ufeff]+$")
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^[\s\ufeff]|[\s\ufeff]$")
"""What one program cuts off a name, another one replaces, and a third leaves in it: they open different files."""
_SCREENSHOT = re.compile("[ \u202f](?=(?:AM|PM)\\.png$)")
"""A blank for which the CLI tries another one, where there is no such file."""
_BESIDES = frozenset({"command", "description", "timeout"})
_ADDRESS = re.compile(r"https?://([a-z0-9.-]+)(?::[0-9]+)?(?:[/?#][!-\[\]-~]*)?\Z")
_ENDS_IN_NUMBER = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.*$")
_MOST_PLACES = 20_000
"""Places that the texts of a call may name."""
_SIGN = re.compile(r"[*?\[{]")
_FROM_ROOT = re.compile(r"(?<=[{,])[/~][^*?\[\]{},]*")
_TO_FOLDER = re.compile(r"cd ([\"']?)(?P<folder>/[\w./+@%=,-]*)\1 && (?P<rest>\S.*)", re.DOTALL)
_FOR_COMMANDS = frozenset(
    "argv args bash cmd command command_line commandline commands exec input line script shell".split()
)
"""Names of arguments that are commands, or may be."""
_SPACE = "\x1f"
"""Between words, where a blank may be part of one."""


def covers(rule: str, tool: str, arguments: Mapping[str, Any], cwd: Path, base: Path | None = None) -> bool:
    """Whether a rule of this tool allows the call; its paths begin at `base`, if that is not the working directory."""
    if tool == "Bash":
        return is_plain(arguments) and covers_command(rule, str(arguments.get("command") or ""), cwd)
    if tool == "WebFetch":
        host, domain = host_of(arguments), rule.removeprefix("domain:").lower()
        is_below = domain.startswith("*.") and host.endswith(domain.removeprefix("*"))
        return rule.startswith("domain:") and (host == domain or is_below or (domain == "*" and host != ""))
    if tool in SUBAGENT_TOOLS:
        return arguments.get("subagent_type") in [name.strip() for name in rule.split(",")]
    if tool == "Skill":
        return arguments.get("skill") == rule
    named = paths_of(tool, arguments)
    return bool(named) and all(_is_at(path, rule, cwd, base or cwd) for path in named)


def is_absolute(rule: str) -> bool:
    """Whether a rule for paths says outright where on the disk: `//tmp/**`, `~/notes/**`."""
    return rule.startswith(("//", "~/"))


def covers_command(rule: str, command: str, cwd: Path) -> bool:
    """Whether the command is the rule's own, or one plain call that it allows."""
    words = call_made(command, cwd)
    return (command == rule and "*" not in rule) or (words is not None and covers_words(rule, words, cwd))


def call_made(command: str, cwd: Path) -> Words | None:
    """The words of the one plain call that a command is, without a `cd` to where it begins anyway: agents like to put
    one in front. None if it is more than that.
    """
    found = _TO_FOLDER.fullmatch(command)
    is_there = found is not None and found["folder"] == str(cwd)
    return one_command(found["rest"] if found is not None and is_there else command)


def covers_words(rule: str, words: Words, cwd: Path) -> bool:
    """Whether a rule allows a plain call: `git diff:*`, `npm run *`, or its very words.

    A rule whose own words only read covers calls that only read: `find:*` does not cover `find -delete`. One for a
    subcommand covers no call in which that runs another program: `git fetch:*` does not cover `--upload-pack=x`. None
    covers a pattern, which becomes an option where a file is called like one, and only one of its very words covers
    reading that may take all memory. `git --no-pager log` is `git log`, and so is `git -C src log` in a folder of the
    same repository.
    """
    texts = [word.text for word in words]
    if not all(word.is_one_word for word in words):
        return False
    if "*" not in rule:
        return texts == plain_words(rule)
    own = own_words(rule)
    if (found := _without_harmless_options(texts, own, cwd)) is None:
        return False
    texts, here = found
    if not is_read_as_written(rule) or not _says(rule, texts):
        return False
    place = place_said(own) if own else 0
    if _adds_git_options(texts[place:], len(own) - place):
        return False
    whole = rule.removesuffix(":*").split()[: len(own)] == own
    said = len(own) if whole or len(own) <= 2 else len(own) - 1  # of an argument, a beginning says little
    call = unwrapped(texts[place:])
    said -= len(texts) - len(call)  # of what is in front of the program
    if said > 0 and runs_another(call, said, here):
        return False
    if _only_reads(texts[place:]):
        return not (why_greedy([call]) or (is_for_reading(rule) and is_shim(texts[place])))
    return not is_for_reading(rule)


def _without_harmless_options(texts: list[str], own: Sequence[str], cwd: Path) -> tuple[list[str], Path] | None:
    """A call of git without options that change nothing of what its command does, and where it does that; None if it
    goes where it may do something else. Whatever a rule says by words of its `own` stays.
    """
    before, folder = entered_by_git(texts)
    if not before or "".join(own[1:2]).startswith("-"):
        return texts, cwd
    here = moved(folder, cwd) if folder else cwd
    # Paths that a rule says begin in the working directory, and another repository has settings of its own.
    is_same = here == cwd or (len(own) <= 2 and here is not None and _is_of_same_repository(here, cwd))
    return ([texts[0], *texts[1 + before :]], here) if here is not None and is_same else None


def _is_of_same_repository(folder: Path, cwd: Path) -> bool:
    """Whether git takes a folder below the working directory for a part of the repository that is there.

    Nothing may look like a repository on the way, not even one that is broken, or bare.
    """
    if not folder.is_relative_to(cwd) or not os.path.isdir(folder):  # noqa: PTH112 - Path.is_dir raises for some
        return False
    way = [place for place in (folder, *folder.parents) if place != cwd and place.is_relative_to(cwd)]
    return not any(os.path.lexists(place / name) for place in way for name in (".git", "HEAD", "objects"))


def _adds_git_options(words: Sequence[str], said: int) -> bool:
    """Whether git is told more before its own command than a rule says: `-c alias.x=!sh` makes it run anything."""
    name = name_of(words[0])
    if said < 1 or name != "git":
        return False
    before = len(words) - len(without_git_options([name, *words[1:]])[0])
    return any(word.startswith("-") for word in words[said : 1 + before])


def falls_short(rule: str, command: str, cwd: Path) -> str:
    """Why a rule with wildcards does not cover a command that it says the words of; empty if it does, or does not."""
    if "*" not in rule:
        return ""
    if (words := call_made(command, cwd)) is None:
        is_part = any(covers_words(rule, call, cwd) for call in all_commands(command) or ())
        return "it covers one call by itself, and this is more than that" if is_part else ""
    if covers_words(rule, words, cwd):
        return ""
    texts = [word.text for word in words]
    if not is_read_as_written(rule) or not _says(rule, texts):
        return ""
    if patterns := [word.text for word in words if not word.is_one_word]:
        return f"{patterns[0]} may stand for several words, and become an option"
    if _only_reads(texts) and (greed := why_greedy([unwrapped(texts)])):
        return greed
    if is_for_reading(rule) and not _only_reads(texts[(place := place_said(own_words(rule))) :]):
        wider = " ".join((*texts[:2], "*"))
        is_of_program = texts[1:] and not place and not _adds_git_options(texts, 1)  # and not for all that one starts
        more = f"; Bash({wider}) would" if is_of_program and covers_words(wider, words, cwd) else ""
        return f"it covers only calls that are known to only read, and {command} is not{more}"
    return f"it covers no call in which {texts[0]} may run or write something else"


@lru_cache(maxsize=256)
def is_read_as_written(rule: str) -> bool:
    """Whether no shell makes anything else of the words of a rule: they are held against those behind its quoting."""
    words = rule.removesuffix(":*").replace("*", "x")
    return plain_words(words) == words.split()


def is_for_reading(rule: str) -> bool:
    """Whether a rule for commands covers nothing but calls that only read."""
    own = own_words(rule)
    own = own[place_said(own) :] if own else []
    return _only_reads(own) or (own[:2] == ["sed", "-n"] and _only_reads([*own, "1p"]))  # which reads once it is whole


def is_plain(arguments: Mapping[str, Any]) -> bool:
    """Whether it is a command and nothing more: one without a sandbox, or in the background, is something else."""
    return {name for name, value in arguments.items() if value is not None and value is not False} <= _BESIDES


def why_not_clear(tool: str, arguments: Mapping[str, Any]) -> str:
    """Why it is not certain which file a call means; nothing if it is, or if any text of the tool may be one."""
    names = (*PATHS, "pattern") if tool == "Glob" else PATHS
    given = [str(arguments[name]) for name in names if arguments.get(name)] if is_understood(tool, arguments) else []
    is_odd = any(map(_ODD.search, given))
    return "It names a file with characters that programs read differently." if is_odd else ""


def path_of(arguments: Mapping[str, Any]) -> str:
    """The file that a call names, without the blanks around it, which the CLI does not take for part of it either."""
    return next((_BLANKS.sub("", str(arguments[name])) for name in PATHS if arguments.get(name)), "")


def paths_of(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """All that a call names as files. Where its arguments are not known, any text may be one."""
    if is_understood(tool, arguments):
        given = [str(arguments[name]) for name in PATHS if arguments.get(name)]
        if tool == "Glob":
            given += _beginnings(str(arguments.get("pattern") or ""), path_of(arguments))
    else:
        given = [path for text in _texts(arguments) for path in _local(text) if len(path) <= LONGEST_PATH]
    given += [_SCREENSHOT.sub(blank, text) for text in given if _SCREENSHOT.search(text) for blank in " \u202f"]
    return list(dict.fromkeys(path for text in given for path in (_BLANKS.sub("", text), text) if path.strip()))


def places_within(tool: str, arguments: Mapping[str, Any], here: Path) -> list[str] | None:
    """What else a tool whose arguments are not known may make of its texts: each word of one, as in a command, and one
    text below a folder that another names or may name. None if it is too much.
    """
    if is_understood(tool, arguments):
        return []
    texts = list(dict.fromkeys(_texts(arguments)))
    words = {word for text in texts for word in words_within(text)}
    words |= {before_query(word) for word in words if "file:" in word.casefold()}
    if tool == "Skill":
        words |= {name for text in texts for name in mentioned_in(text)}
    if len(words) > _MOST_PLACES:
        return None  # before the disk is asked about each text
    short = [text for text in texts if len(text) <= LONGEST_PATH]
    folders = [text for text in short if text.startswith(("/", "~", ".")) or is_folder(text, here)]
    if len(words) + len(folders) * len(short) > _MOST_PLACES:
        return None
    return sorted(words | {f"{folder}/{text}" for folder, text in product(folders, short)})


def _beginnings(pattern: str, folder: str) -> list[str]:
    """Where a pattern for names begins to look: what stands before its first sign, and absolute alternatives."""
    literal = _SIGN.split(pattern, maxsplit=1)[0]
    first = literal if literal == pattern else literal[: literal.rfind("/") + 1]
    # pathlib would take a home directory, and a slash at the end, for names.
    below = [first] if first.startswith("~") else []
    return [*([*below, os.path.join(folder, first)] if first else []), *_FROM_ROOT.findall(pattern)]  # noqa: PTH118


def host_of(arguments: Mapping[str, Any]) -> str:
    """The host of the address that a call names; empty unless the address is so plain that all readers agree on it:
    `127.1`, `0x7f000001` and `127.0.0.001` are 127.0.0.1 for those who read them as browsers do.
    """
    found = _ADDRESS.match(str(arguments.get("url") or "").lower())
    if found is None or not _ENDS_IN_NUMBER.search(found[1]):
        return found[1] if found else ""
    try:
        IPv4Address(found[1].rstrip("."))
    except ValueError:
        return ""
    return found[1]


def commands_in(arguments: Mapping[str, Any]) -> Iterable[str]:
    """What a tool whose arguments are not known is told to run, by the names of those: each text, and a list as one."""
    return dict.fromkeys(_commands_within(arguments, is_told=False))


def _commands_within(value: object, *, is_told: bool) -> Iterator[str]:
    """`is_told` says that it is within what is to be run: its texts have been told then."""
    value = _from_json(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if is_named := not is_told and str(name).casefold() in _FOR_COMMANDS:
                yield from (*(texts := list(_texts(inner))), " ".join(texts))
            yield from _commands_within(inner, is_told=is_told or is_named)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if is_told:
            yield " ".join(inner for inner in value if isinstance(inner, str))
        for inner in value:
            yield from _commands_within(inner, is_told=is_told)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if _FILE_ADDRESS.match(address := value.translate(_AS_BROWSERS_READ).strip()):
            yield address
        if not isinstance(inner := _from_json(value), str):
            yield from _texts(inner)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (str(key), *_texts(inner))
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _texts(inner)


def _from_json(text: str) -> object:
    """What a text is that is an object or a list in JSON; any other one as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _local(text: str) -> Iterator[str]:
    """A path, also where it is told as an address, or is long only because it goes back and forth."""
    found = _FILE_ADDRESS.match(text)
    address = text[found.end() :] if found else ""
    # A folder may be called `file:`, too.
    for path in dict.fromkeys((text, *map(unquote, (address, before_query(address))))) if found else (text,):
        yield path if len(path) <= LONGEST_PATH else os.path.normpath(path)


def _is_at(path: str, rule: str, cwd: Path, base: Path) -> bool:
    """Whether the path is one of the rule's, or in a folder that is: `docs/**` and `docs` below the base, `~/notes/**`
    at home, `//etc/*` anywhere.
    """
    place = place_of(rule, base)
    return place is not None and all(fits(real, rule, place) for real in real_paths(path, cwd))


def _says(rule: str, texts: Sequence[str]) -> bool:
    """Whether a rule with wildcards says the words of a call, each by one of its own.

    A wildcard stays in its word, and in its folder; only the last one, if it is a word of its own, stands for any
    number of words, and for none.
    """
    words = (f"{rule[:-2]} *" if rule.endswith(":*") else rule).split()
    if words[-1:] == ["*"]:
        words, texts = words[:-1], texts[: len(words) - 1]
    return len(words) == len(texts) and all(
        _is_like(word, text) and not ("/" in word and "*" in word and ".." in text.split("/"))
        for word, text in zip(words, texts, strict=True)
    )


def matches(rule: str, texts: Sequence[str]) -> bool:
    """Whether the words of a call are like those of a rule, read broadly; in time that grows with their length alone.

    A wildcard stands for anything, also for several words, and the last one for none, if it is a word of its own.
    """
    words = (f"{rule[:-2]} *" if rule.endswith(":*") else rule).split()
    joined = _SPACE.join(texts)
    if words[-1:] == ["*"] and _is_like(_SPACE.join(words[:-1]), joined):
        return True
    return _is_like(_SPACE.join(words), joined)


def _is_like(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern says, in which only `*` is a sign. Each part is found at its first place."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in filter(None, middle):
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def own_words(rule: str) -> list[str]:
    """The words of a rule that are the same for every call it covers."""
    words = rule.removesuffix(":*").split()
    fixed = next((index for index, word in enumerate(words) if "*" in word), len(words))
    partial = words[fixed].partition("*")[0] if fixed < len(words) else ""
    return [*words[:fixed], *([partial] if partial else [])]


def _only_reads(words: Sequence[str]) -> bool:
    """Whether it would, if the program that is named by a path is the one of that name, whatever starts it."""
    return bool(words) and only_reads(without_git_options(unwrapped(words))[0])
