"""Programs that do several things in one call: `make test deploy` does both, and a rule may say one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

ALSO_CALLED = {"gmake": "make", "gradlew": "gradle", "inv": "invoke", "mvnd": "mvn", "mvnw": "mvn"}
"""Programs by another name, or behind a script that fetches them."""
_NUMBER = r"[\d.]+"
_FLAGS = "[BLRSbdeikmnpqrstvw]*"
"""Short options of make's that have no value: behind one that has, the rest of a word is that."""
_MAKE = (
    rf"(?:-{_FLAGS}[jl]|--jobs|--load-average|--max-load) {_NUMBER}"
    rf"|(?:-{_FLAGS}[CfIoW]|--directory|--file|--makefile) .+"
)
_GRADLE = (
    r"(?:-x|--(?:exclude-task|tests|max-workers|console|warning-mode|priority|args|configuration|dependency|task)) .+"
)
_MAVEN = r"(?:-pl|-rf|-T|-P|--projects|--resume-from|--threads|--activate-profiles) .+"
_VALUES: dict[str, str] = {
    "ant": r"-(?:f|file|buildfile) .+",
    "gradle": _GRADLE,
    "grunt": "",
    "gulp": "",
    "invoke": "",
    "just": r"(?:-f|-d|--justfile|--working-directory) .+",
    "mage": "",
    "make": _MAKE,
    "mvn": _MAVEN,
    "ninja": rf"-[jkl] {_NUMBER}|-[Cf] .+",
    "nox": r"(?:-p|--python|--pythons|-f|--noxfile) .+",
    "rake": rf"(?:-j|--jobs) {_NUMBER}|(?:-f|--rakefile) .+",
    "task": rf"(?:-C|--concurrency) {_NUMBER}|(?:-t|-d|-o|--taskfile|--dir|--output) .+",
    "turbo": r"(?:-F|--(?:filter|concurrency|env-mode|output-logs|log-order|log-prefix|ui)) .+",
}
"""What an option and the value behind it are like: any other word that is no option is a target."""
_FOR_TARGETS = frozenset({"just", "nox", "task", "turbo"})
"""Programs which give what stands behind `--` to what they run."""


def has_targets(program: str) -> bool:
    """Whether a program does all that its words name."""
    return ALSO_CALLED.get(program, program) in _VALUES


def names_another_target(words: Sequence[str], said: int) -> bool:
    """Whether a call names a target by its first words, which a rule says, and another one behind them."""
    places = [*_targets(words)]
    return bool(places) and places[0] < said <= places[-1]


def _targets(words: Sequence[str]) -> Iterator[int]:
    """Where the targets of a call stand."""
    program = ALSO_CALLED.get(words[0], words[0])
    if program not in _VALUES:
        return
    at = 1
    while at < len(words):
        word, following = words[at], "".join(words[at + 1 : at + 2])
        if word == "--" and program in _FOR_TARGETS:
            return
        if not word.startswith("-"):
            yield at
        elif re.fullmatch(_VALUES[program], f"{word} {following}"):
            at += 1
        at += 1
