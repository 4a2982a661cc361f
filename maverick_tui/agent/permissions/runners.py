"""Programs that look into the folder that they are started in for what to run: a file that is missing is added here."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NODE = "package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml"
_TYPED = "tsconfig.json deno.json deno.jsonc"
_PYTHON = "pyproject.toml setup.py setup.cfg uv.toml Pipfile tox.ini noxfile.py"
_RUNNERS = (
    ("npx npm pnpm pnpx yarn yarnpkg corepack", _NODE),
    ("bun bunx", f"{_NODE} {_TYPED}"),
    ("tsx ts-node ts-node-esm deno", _TYPED),
    ("uv poetry pdm hatch rye pipenv tox nox", _PYTHON),
    ("make gmake", "GNUmakefile makefile Makefile"),
    ("just", "justfile Justfile .justfile"),
    ("rake bundle", "Rakefile rakefile Gemfile"),
    ("composer", "composer.json"),
    ("cargo", "Cargo.toml build.rs"),
    ("direnv mise", ".envrc mise.toml .mise.toml mise.local.toml .tool-versions"),
    ("pre-commit", ".pre-commit-config.yaml"),
)
_FILES = {program: files.split() for programs, files in _RUNNERS for program in programs.split()}
_VERSION = re.compile(r"[\d.]*(?:\.exe|\.cmd|\.bat)?$")


def program_name(word: str) -> str:
    """What a program is called, whichever version it is and wherever it lies."""
    return _VERSION.sub("", re.split(r"[/\\]", word)[-1].casefold()) or word


def deciding_files(words: Iterable[str]) -> list[str]:
    """The names of files that decide what the programs among these words run."""
    return list(dict.fromkeys(file for word in words for file in _FILES.get(program_name(word), ())))


def takes_from_node_modules(words: Iterable[str]) -> bool:
    """Whether a program among these words runs what is installed in the folder."""
    return any("package.json" in _FILES.get(program_name(word), ()) for word in words)
