"""Calls that make a program run another one which they name, or make git do so later.

What somebody allows of a subcommand is what that does by itself: `git fetch` is to fetch, and not to run what stands
behind `--upload-pack`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Runner:
    """What makes a program run something else: names of long options, letters of short ones, and other words."""

    options: str = ""
    letters: str = ""
    words: str = ""
    operands: str = ""
    """A regular expression for words that do."""
    is_for_scripts: bool = False
    """Whether everything behind `--` is for a script of the project."""

    def runs(self, words: Sequence[str]) -> bool:
        """Whether one of these words makes it."""
        if self.is_for_scripts and "--" in words:
            words = words[: words.index("--")]
        return any(map(self._is_told, words))

    def _is_told(self, word: str) -> bool:
        if not word.startswith("-") or word in ("-", "--"):
            return word in self.words.split() or (self.operands != "" and re.search(self.operands, word) is not None)
        name = word.lstrip("-").partition("=")[0]
        if word.startswith("--"):  # most programs take the beginning of a name for the name
            return any(option.startswith(name) for option in self.options.split())
        return name in self.options.split() or any(letter in word for letter in self.letters)


def runs_another(words: Sequence[str]) -> bool:
    """Whether a call of a subcommand runs more than that: `git fetch --upload-pack=x`, `make test SHELL=x`."""
    program, subcommand, *rest = words
    runner = _RUNNERS.get(f"{program} {subcommand}") or _RUNNERS.get(program)
    return runner is not None and runner.runs(rest)


def sets_git(words: Sequence[str]) -> bool:
    """Whether a call may change what git does later; who the commits are by is nobody's danger."""
    if words[0] != "git":
        return False
    # Behind an option of git itself, which may have a value, any word may be the subcommand.
    places = range(1, len(words)) if words[1:] and words[1].startswith("-") else [1]
    return any(_sets(words[place:]) for place in places)


def _sets(words: Sequence[str]) -> bool:
    command, *rest = words or [""]
    if command == "config":
        return _configures(rest)
    if command == "clone" and any(re.match(r"-[^-]*c|--c", word) for word in rest):
        return True
    return command in ("clone", "init") and any(word.startswith(("--t", "--se")) for word in rest)


def _configures(words: Sequence[str]) -> bool:
    """By the place of the words: what tells about a setting in one place is a value in another."""
    rest = _behind_scopes(words)
    if not rest or rest[0] in _TELLING:
        return False
    if rest[0] == "set":
        rest = _behind_scopes(rest[1:])
    is_plain = bool(rest) and "." in rest[0] and not any(word.startswith("-") for word in rest)
    return not (is_plain and (len(rest) == 1 or rest[0].lower() in ("user.name", "user.email")))


def _behind_scopes(words: Sequence[str]) -> Sequence[str]:
    first = next((number for number, word in enumerate(words) if word not in _SCOPES), len(words))
    return words[first:]


_TELLING = frozenset("--get --get-all --get-regexp --get-urlmatch --list -l get list".split())
_SCOPES = frozenset("--global --local --system --worktree --show-origin --show-scope --name-only -z --null".split())
_HELPED = "::"
"""In an address, that names a program to be asked for it."""
_ELSEWHERE = r"@.*:|::|://|^[./~]|\.git/?$"
"""Another repository than a remote of this one: it has hooks of its own."""
_SCRIPTS = Runner(
    "script-shell shell node-options node-arg prefix userconfig globalconfig cwd dir git", "C", is_for_scripts=True
)
_CONTAINERS = Runner("file project-directory config", "fH", "create exec run")
_RUNNERS: dict[str, Runner] = {
    "apt": Runner("option config-file", "oc"),
    "bun": _SCRIPTS,
    "cargo": Runner("config manifest-path", "ZC", is_for_scripts=True),
    "composer": Runner("working-dir", "d"),
    "docker": _CONTAINERS,
    "dotnet": Runner("settings property test-adapter-path", "p", operands="^/p"),
    "gh": Runner("upload-pack config", "cu"),
    "git": Runner("exec extcmd receive-pack template upload-pack open-files-in-pager sendmail-cmd smtp-server"),
    "git bisect": Runner(words="run"),
    "git clone": Runner("config template upload-pack", "cu", operands=_HELPED),
    "git fetch": Runner("upload-pack", operands=_HELPED),
    "git pull": Runner("upload-pack", operands=_HELPED),
    "git push": Runner("receive-pack exec repo", operands=_ELSEWHERE),
    "git rebase": Runner("exec", "x"),
    "git submodule": Runner("template", words="foreach"),
    "go": Runner("exec toolexec vettool overlay modfile ldflags gcflags gccgoflags compiler", "Cw"),
    "gradle": Runner("init-script build-file project-dir settings-file include-build", "IbpcDP"),
    "kubectl": Runner("kubeconfig", words="exec run"),
    "make": Runner("eval file makefile directory include-dir", "EfCI", operands="="),
    "mvn": Runner("define file settings global-settings", "Dfs", operands=":"),
    "npm": _SCRIPTS,
    "pip": Runner("python"),
    "pnpm": _SCRIPTS,
    "podman": _CONTAINERS,
    "poetry": Runner("directory project", "CP"),
    "task": Runner("taskfile dir", "td", operands="="),
    "terraform": Runner("chdir from-module plugin-dir"),
    "uv": Runner("python project directory config-file", "p"),
    "yarn": _SCRIPTS,
}
