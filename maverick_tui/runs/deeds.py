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
    "artifact builder buildx checkpoint cloud compose config container context desktop farm generate healthcheck image"
    " kube machine manifest mcp model network node offload pass plugin pod quadlet sandbox scout secret service stack"
    " swarm system trust volume"
)
_OF_NPM = "access audit author cache ogr org owner profile rum run stage team token trust urn verison version"
_GROUPS: dict[str, str] = {
    "brew": "analytics autoupdate bundle cask developer services",
    "bun": "pm run",
    "bun pm": "cache version",
    "cargo": "audit deny dist fuzz hakari insta lambda leptos make miri nextest pgrx release report shuttle sqlx tauri"
    " vet xtask",
    "cargo sqlx": "database migrate",
    "composer": "repo repository",
    "conda": "pypi self tos",
    "docker": _CONTAINERS,
    "docker buildx": "history imagetools",
    "docker mcp": "catalog client config feature gateway oauth policy profile secret server tools",
    "docker scout": "cache integration",
    "docker trust": "key signer",
    "dotnet": "ef new nuget package project reference sdk sln solution workload",
    "dotnet ef": "database dbcontext migrations",
    "dotnet nuget": "config trust",
    "gh": "at attestation cache codespace copilot cs gist issue label models org pr preview project release repo rs"
    " ruleset run search secret skill variable workflow",
    **dict.fromkeys(("gh codespace", "gh cs"), "ports"),
    "gh repo": "autolink deploy-key gitignore license",
    "git": "annex bisect bundle credential crypt flow history imerge lfs maintenance notes p4 reflog refs remote repo"
    " rerere secret stash submodule subrepo subtree svn worktree",
    "git flow": "bugfix feature hotfix release support",
    "git lfs": "migrate",
    "go": "mod telemetry work",
    "kubectl": "alpha apply certificate krew plugin rollout top",
    "npm": _OF_NPM,
    "pip": "cache index",
    "pnpm": f"{_OF_NPM} licenses server store",
    "podman": _CONTAINERS,
    "podman machine": "os",
    "podman system": "connection",
    "poetry": "bundle cache debug plugin self source version",
    "terraform": "metadata providers stacks state workspace",
    "uv": "cache pip python self version",
    "yarn": f"{_OF_NPM} constraints licenses npm plugin policies tag",
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
_RUN_ANYTHING_THERE = frozenset(
    {"cargo vendor", "gradle wrapper", "npm c", "pnpm c", "pnpm m", "pnpm multi", "yarn plugin import"}
)
"""Those that do so of one program alone; or clear away what is in whichever folder they are told."""
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
