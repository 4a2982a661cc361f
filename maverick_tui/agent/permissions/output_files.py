"""Options that say where a subcommand is to write, or what to clear away: a rule for it covers only the working
directory, and nothing that is to be cleared away.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from maverick_tui.real_paths import real_path

_OUTPUT: dict[str, str] = {
    "cargo": "target-dir artifact-dir out-dir logfile",
    "cargo install": "root",
    "docker": "iidfile metadata-file cidfile",
    "dotnet": "output results-directory o",
    "gh": "dir output D O",
    "git": "output output-directory",
    "git fast-export": "export-marks",
    "git format-patch": "o",
    "go": "o outputdir coverprofile cpuprofile memprofile blockprofile mutexprofile trace testlogfile gocoverdir",
    "pip": "target root prefix report log src dest wheel-dir cache-dir t d w",
    "podman": "iidfile metadata-file cidfile",
    "poetry": "output o",
    "terraform": "out state-out",
    "uv": "output-file out-dir cache-dir o",
}
"""Options by which programs, or commands of theirs, are told a file or a folder to write to."""

_CLEARED: dict[str, str] = {
    "cargo clean": "target-dir",
    **dict.fromkeys(("conda remove", "conda uninstall"), "prefix p"),
    **dict.fromkeys(("pip cache", "uv cache", "uv clean"), "cache-dir"),
    "uv venv": "clear c",
}
"""Options by which a command is told what to clear away: no rule for it covers that."""


def writes_elsewhere(words: Sequence[str], said: int, here: Path) -> bool:
    """Whether what stands behind the words that a rule says has a program write outside of the folder it is run in, or
    clear something away there.
    """
    if [*_values(words[said:], _CLEARED.get(" ".join(words[:2]), "").split())]:
        return True
    options = [*_OUTPUT.get(words[0], "").split(), *_OUTPUT.get(" ".join(words[:2]), "").split()]
    return any(not _is_inside(value, here) for value in _values(words[said:], options))


def _values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    """The values of these options, joined to them or as the next word; most programs take the beginning of a name."""
    letters = [option for option in options if len(option) == 1]
    for at, word in enumerate(words if options else ()):
        following = "".join(words[at + 1 : at + 2])
        name, is_joined, value = word.lstrip("-").removeprefix("test.").partition("=")
        if not word.startswith("-") or not name:
            continue
        if any(option.startswith(name) for option in options if len(name) > 1 or option == name):
            yield value if is_joined else following
        if not word.startswith("--"):
            yield from (rest.removeprefix("=") or following for rest in _behind(letters, word))


def _behind(letters: Collection[str], word: str) -> Iterator[str]:
    """What stands behind each of these letters in a word of several: `-qt` is `-q -t`. Others before it may have a
    value, too, which nobody knows here; what is no letter or number is part of one.
    """
    for at, sign in enumerate(word[1:], start=2):
        if not sign.isalnum():
            return
        if sign in letters:
            yield word[at:]


def _is_inside(value: str, here: Path) -> bool:
    if value in ("", os.devnull):
        return True
    top = real_path(here)
    place = real_path(os.path.join(top, value.replace("\0", "")))  # noqa: PTH118 - pathlib would drop a `..`
    return not value.startswith("~") and Path(place).is_relative_to(top)
