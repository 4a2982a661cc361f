"""Calls that clear away a folder which they are told: caches, what was built, environments, what is packed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from maverick_tui.agent.permissions.reading import name_of, read_below
from maverick_tui.agent.permissions.shell import values_in

_CLEARING = {
    **dict.fromkeys(("cargo clean", "cargo vendor", "uv clean", "conda remove", "conda uninstall", "mamba remove"), ""),
    **dict.fromkeys(("uv cache", "yarn cache", "pip cache"), "clean|prune|purge|remove"),
    "python pip": "(?:purge|remove)$",
    **dict.fromkeys(("conda env", "mamba env"), "create|remove"),
    **dict.fromkeys(("python venv", "virtualenv"), "--cl"),
    **dict.fromkeys(("tar", "gtar"), "--rem"),
    "uv venv": "-c|--cl",
    "zip": r"-\w*m|--mo",
}
"""Words with which programs, or commands of theirs, clear away whatever they are told, be it by an option."""
_WHERE = {
    **dict.fromkeys(("tar", "gtar"), "-C|--directory"),
    **dict.fromkeys(("python", "virtualenv"), "--prompt"),
    "cargo": "-C",
    "uv": "--directory|--project|--prompt",
    "yarn": "--cwd",
}
"""Options that say where they are to do so, or what a new folder is to call itself, and not what goes."""
_MOST_WHERE = 8
_CLEARED_BY_VARIABLES = re.compile(
    r"\b(?:CARGO_(?:BUILD_)?(?:BUILD|TARGET)_DIR|GOMODCACHE|(?:PIP|UV)_CACHE_DIR|YARN_CACHE_FOLDER)=([^\s;&|]+)"
)
_CLEARS = re.compile(r"\b(?:clean|prune|purge|cache remove)\b")
"""Variables that tell such commands what to clear away; and what those are called."""


def clears_away(words: Sequence[str]) -> bool:
    """Whether a call clears away what it is told."""
    return any(re.match(told, word) for told in _clearing(words) for word in words[1:])


def cleared_by(words: Sequence[str]) -> list[str]:
    """What a call that clears something away may name: here, or in the folder where it is to do so."""
    words = [part for word in words for part in _parted(word, _WHERE.get(_program(words), "(?!)"))]
    where = _where(words)
    if len(where) > _MOST_WHERE:
        return ["."]  # nobody says so many
    left = [word for at, word in enumerate(words) if at not in where]
    named = {value.strip("\"' {}") for word in read_below(left) or left[1:] for value in values_in(word)}
    folders = [""]
    for at in where:
        folders.append(os.path.join(folders[-1], words[at]))  # noqa: PTH118 - one may begin anew
    return sorted({os.path.join(folder, name) for folder in folders for name in named})  # noqa: PTH118


def cleared_by_variables(text: str) -> list[list[str]]:
    """What a text has cleared away because it sets a variable, as calls that remove it: `CARGO_TARGET_DIR=x`."""
    return [["rm", "-r", folder] for folder in _CLEARED_BY_VARIABLES.findall(text) if _CLEARS.search(text)]


def _program(words: Sequence[str]) -> str:
    return name_of(words[0]).rstrip("0123456789.")


def _clearing(words: Sequence[str]) -> list[str]:
    """The words by which this program, or any command of it that may be meant, is told to clear something away."""
    name = _program(words)
    calls = {name, *(f"{name} {command}" for command in _commands(words[1:]))}
    return [_CLEARING[call] for call in calls.intersection(_CLEARING)]


def _commands(words: Sequence[str]) -> Iterator[str]:
    """The words that may be the command of a program: behind an option each may be a value, the first other is it."""
    for before, word in pairwise(("", *words)):
        if not word.startswith(("-", "+")):
            yield word
            if not before.startswith("-"):
                return


def _parted(word: str, options: str) -> list[str]:
    """One of these options as two words, if its value is joined to it: `--directory=x`."""
    option, _, value = word.partition("=")
    return [option, value] if value and option.startswith("--") and re.fullmatch(options, option) else [word]


def _where(words: Sequence[str]) -> list[int]:
    """Which words certainly are the value of an option that says where. Behind another option such a word may be that
    one's value; so may any behind the letters with which a call of tar may begin: `tar cfX x -C y`.
    """
    if "tar" in _program(words) and not words[1].startswith("-"):
        return []
    end = words.index("--") if "--" in words else len(words)
    options = _WHERE.get(_program(words), "(?!)")
    flags = "|".join(told for told in _clearing(words) if told) or "(?!)"
    return [
        at
        for at, (before, option) in enumerate(pairwise(words[: end - 1]), start=2)
        if re.fullmatch(options, option) and (not before.startswith("-") or re.match(flags, before))
    ]
