"""Which words of a command say what it does. Other commands that begin with them do the same to something else.

`git add a.py` adds, `gh repo view x` views, `uv run pytest -q` tests. Where nobody can say so, there are no such words,
and only the very command is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from maverick_tui.agent.permissions.checkers import CHECKERS
from maverick_tui.agent.permissions.running import names_a_program
from maverick_tui.agent.permissions.synonyms import names_begun
from maverick_tui.agent.permissions.wrapping import call_behind

_WITH_SUBCOMMANDS = frozenset(
    "apt brew bun cargo composer conda docker dotnet gh git go gradle kubectl make mvn npm pip pnpm podman poetry task"
    " terraform uv yarn".split()
)
_CONTAINERS = (
    "builder buildx checkpoint compose config container context image kube machine manifest network node plugin pod"
    " secret service stack swarm system trust volume"
)
_GROUPS: dict[str, str] = {
    "brew": "bundle services",
    "bun": "pm run",
    "cargo": "make nextest xtask",
    "docker": _CONTAINERS,
    "docker buildx": "history imagetools",
    "docker trust": "key signer",
    "dotnet": "ef nuget sln workload",
    "dotnet ef": "database dbcontext migrations",
    "gh": "at attestation cache codespace cs gist issue label org pr project release repo rs ruleset run search secret"
    " variable workflow",
    "gh repo": "autolink",
    "git": "bisect bundle flow lfs maintenance notes reflog remote stash submodule subtree svn worktree",
    "git flow": "bugfix feature hotfix release support",
    "go": "mod work",
    "kubectl": "apply certificate rollout top",
    "npm": "access author cache ogr org owner profile rum run stage team token trust urn",
    "pip": "cache index",
    "pnpm": "cache run store",
    "podman": _CONTAINERS,
    "poetry": "cache debug self source",
    "terraform": "metadata providers state workspace",
    "uv": "cache pip python self",
    "yarn": "cache npm plugin run",
    "yarn npm": "tag",
}
"""Words behind which another one says what is done, by what stands before them: `gh repo` views and deletes."""
_RUN_ANYTHING = frozenset(
    "bash dash debug deno dlx exec explore fish foreach irb node perl php pkg ruby sh shell ssh ts-node tsx unshare"
    " zsh".split()
)
"""Subcommands that may do anything, of whatever they are: the next word is a program, or makes one run."""
_RUN_ANYTHING_FIRST = frozenset(
    "alias api auth config create difftool env ext extension extensions fsi global hook init innit instaweb mergetool"
    " prof recursive run rustc rustdoc script set tool watch workspace workspaces x".split()
)
"""Those that do so of a program itself, at once or later: `gh pr create` and `cargo nextest run` are for one thing."""
_RUN_ANYTHING_THERE = frozenset({"gradle wrapper", "npm c", "pnpm c", "pnpm m", "pnpm multi", "yarn plugin import"})
"""Those that do so of one program alone."""
_MODULES = frozenset("basedpyright black flake8 isort mypy pylint pyright pytest ruff yamllint".split())
"""Checkers that are modules of Python as well."""
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_NAME = re.compile(r"[A-Za-z][\w:.-]*")
"""A subcommand of a subcommand, or a script of the project."""


def deed_of(words: Sequence[str]) -> list[str]:
    """The words with which a command begins and that say what it does, without those that say to what."""
    call = words
    while behind := call_behind(call):
        call = behind
    deed = _deed_itself(call)
    found = [*words[: len(words) - len(call)], *deed]
    return found if deed and all("*" not in word and word.split() == [word] for word in found) else []


def _deed_itself(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    program, *rest = words
    if _PYTHON.fullmatch(program):  # a module is a program; a script or a line of code may be anything
        return [*words[:3]] if rest[:1] == ["-m"] and rest[1:2] and rest[1] in _MODULES else []
    if program in _WITH_SUBCOMMANDS:
        return _subcommand(words)
    # Options of checkers that make them do more are never covered. Of any other program, arguments may do anything.
    return [program] if program in CHECKERS else []


def _subcommand(words: Sequence[str]) -> list[str]:
    """A program and its subcommand, with that of the subcommand where it has some itself."""
    count = 2
    while len(words) >= count and words[count - 1] in _GROUPS.get(" ".join(words[: count - 1]), "").split():
        count += 1
    if len(words) < count or names_a_program(words) or names_begun(words):
        return []
    said, last = words[:count], words[count - 1]
    if last in _RUN_ANYTHING or _PYTHON.fullmatch(last) or " ".join(said) in _RUN_ANYTHING_THERE:
        return []
    is_known = last.isidentifier() and last not in _RUN_ANYTHING_FIRST if count == 2 else _NAME.fullmatch(last)
    return [*said] if is_known else []
