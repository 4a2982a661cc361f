"""Which files commands start that run unasked: those of hooks, of MCP servers, and of git's settings.

Such a command is not judged but read as widely as anybody may mean it: what is taken for a started file too many asks
once more, and one too few would be run without a question.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.agent.permissions.quoting import without_quotes
from maverick_tui.agent.permissions.shell import LONGEST, words_within
from maverick_tui.agent.permissions.written_out import HOME
from maverick_tui.masking.key_files import compared_names, way_of
from maverick_tui.real_paths import real_path

_SEPARATORS = ";&|()<>\n"
INTERPRETERS = frozenset(
    "node nodejs deno bun tsx ts-node ts-node-esm python pythonw pypy py ruby perl php lua rscript sh bash zsh dash ksh"
    " fish pwsh powershell go uv run-parts".split()
)
"""They run the file, or the folder, that they are given first."""
_NEED_RUN = frozenset({"go", "deno", "uv"})
_IN_THE_SHELL = frozenset({"source", "."})
_WRAPPERS = frozenset(
    "env exec nohup time command sudo doas nice timeout xargs setsid stdbuf caffeinate npx pnpx bunx npm pnpm yarn"
    " poetry pipenv pdm hatch rye cross-env dotenv uvx pipx electron".split()
)
"""They run the program that they are given, which is of the folder if it is named by a path."""
_SUBCOMMANDS = frozenset({"run", "exec", "dlx", "x", "watch", "--"})
_LOADING = frozenset(
    "-r --require --import --loader --experimental-loader --preload --rcfile --init-file --with-editable"
    " -p --package --from --spec".split()
)
_VALUED = frozenset(
    "-W -X -C -o --conditions --config --import-map --tsconfig -exec -tags -ldflags --with --python"
    " --directory --project --env-file --extra --group --cwd --prefix".split()
)
_MODULE = re.compile(r"(?:-[A-Za-z]*?m|--module)=?(?P<name>[\w.]*)")
_KEYWORDS = frozenset("if then elif else do while until ! {".split())
_BESIDE = re.compile(r"\w+=.*|\d[\d.]*[smhd]?", re.DOTALL)
_PATTERN = re.compile(r"[*?\[]|(?<!\$)\{")
_IMPORTED = re.compile(r"\b(?:import|from)\s+([\w.]+)|([\w.]+):\w+\b")
"""Modules of Python in a text: of its code, and as servers are named (`server:app`)."""
_UNKNOWN = re.compile(r"^(?:|\$\w+|\$\{\w+\}|\{\})$")
"""What an interpreter is given that only the run itself tells: nothing, a variable, or what `find` puts there."""
_PROJECT = re.compile(r"\.|\$\{?(?:CLAUDE_PROJECT_DIR|PWD)\b")

# Files that pin packages are among them: they say where the code comes from that is installed, and run.
_NODE = (
    "package.json .npmrc .yarnrc .yarnrc.yml yarn.config.cjs .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs pnpm-workspace.yaml"
    " bunfig.toml package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb"
)
_TYPED = "tsconfig.json deno.json deno.jsonc deno.lock"
_PYTHON = (
    "pyproject.toml setup.py setup.cfg uv.toml hatch.toml Pipfile tox.ini toxfile.py noxfile.py requirements.txt"
    " requirements-dev.txt uv.lock poetry.lock pdm.lock Pipfile.lock"
)
# Programs that look into the folder that they are started in for what to run: a file that is missing is added here.
_RUNNERS = (
    ("npx npm pnpm pnpx yarn yarnpkg corepack", _NODE),
    ("bun bunx", f"{_NODE} {_TYPED}"),
    ("tsx ts-node ts-node-esm deno", _TYPED),
    ("pip pipx flit maturin uv poetry pdm hatch rye pipenv tox nox", _PYTHON),
    ("make gmake", "GNUmakefile makefile Makefile"),
    ("just", "justfile Justfile .justfile"),
    ("rake bundle", "Rakefile rakefile Rakefile.rb Gemfile gems.rb Gemfile.lock gems.locked"),
    ("composer", "composer.json composer.lock"),
    ("cargo", "Cargo.toml Cargo.lock build.rs"),
    ("direnv mise", ".envrc mise.toml .mise.toml mise.local.toml .tool-versions"),
    ("pre-commit", ".pre-commit-config.yaml"),
    ("lefthook", "lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook.toml lefthook.json"),
    ("task", "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml"),
    ("gulp", f"{_NODE} gulpfile.js gulpfile.cjs gulpfile.mjs gulpfile.ts"),
    ("grunt", f"{_NODE} Gruntfile.js Gruntfile.cjs Gruntfile.coffee"),
    ("turbo nx", f"{_NODE} turbo.json turbo.jsonc nx.json project.json"),
    ("invoke inv fab", f"{_PYTHON} tasks.py fabfile.py invoke.yaml"),
    ("mvn mvnw mvnd", "pom.xml .mvn"),
    (
        "gradle gradlew",
        (
            "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle.lockfile"
            " gradle-wrapper.properties"
        ),
    ),
    ("ant", "build.xml"),
    ("sbt", "build.sbt project/plugins.sbt project/build.properties"),
    ("bazel bazelisk", "MODULE.bazel WORKSPACE WORKSPACE.bazel BUILD BUILD.bazel .bazelrc"),
    ("swift", "Package.swift"),
    ("zig", "build.zig build.zig.zon"),
    ("dotnet msbuild", "Directory.Build.props Directory.Build.targets Directory.Packages.props nuget.config"),
    ("conan", "conanfile.py conanfile.txt"),
    ("waf", "wscript"),
    ("doit", "dodo.py"),
    ("snakemake", "Snakefile workflow/Snakefile"),
    ("premake5 xmake", "premake5.lua xmake.lua"),
    ("mage", "magefile.go"),
    ("honcho overmind foreman", "Procfile Procfile.dev"),
    ("devbox", "devbox.json devbox.lock"),
    ("tilt", "Tiltfile"),
    ("skaffold", "skaffold.yaml"),
    ("earthly", "Earthfile"),
    ("ansible-playbook", "ansible.cfg"),
    ("mix", "mix.exs"),
    ("scons", "SConstruct Sconstruct sconstruct"),
    ("meson", "meson.build meson_options.txt meson.options"),
    ("ninja", "build.ninja"),
    ("nix nix-shell nix-build", "flake.nix flake.lock shell.nix default.nix"),
    ("lein", "project.clj"),
    ("vagrant", "Vagrantfile"),
    ("cmake ctest", "CMakeLists.txt CMakePresets.json CMakeUserPresets.json"),
    (
        "docker docker-compose podman podman-compose",
        (
            "compose.yaml compose.yml compose.override.yaml compose.override.yml docker-compose.yml docker-compose.yaml"
            " docker-compose.override.yml docker-compose.override.yaml Dockerfile Containerfile"
        ),
    ),
)
_DECIDING = {program: files.split() for programs, files in _RUNNERS for program in programs.split()}
_VERSION = re.compile(r"[\d.]*(?:\.exe|\.cmd|\.bat)?$")


class ReadCommand(NamedTuple):
    """What is said by a command, in whichever way it may be meant."""

    words: set[str]
    """All that may be the very name of a file."""
    runs: set[str]
    """Files and folders that are run: with any extension, and with what is below."""
    modules: set[str]
    """Those of Python's `-m`, and others that are named."""
    folders: set[str]
    """Where it goes with `cd`."""


def commands_of(hooks: Mapping[str, Any] | None, servers: Mapping[str, Any]) -> list[str]:
    """All that an agent's own hooks say, and the commands of those of its MCP servers that are processes."""
    return [*_texts(hooks), *lines_of(hooks), *lines_of(servers)]


HEADERS_HELPER = "headersHelper"
"""What Claude Code runs, in a shell, for the headers of a server that is reached by HTTP."""
_HELPERS = ("Helper", "AuthRefresh", "CredentialExport")
"""How the names of all settings of Claude Code end that are such a command."""


def lines_of(value: Any) -> Iterator[str]:
    """The command lines in hooks or servers, with the arguments that stand beside a command."""
    if isinstance(value, Mapping):
        yield from (one for name, one in value.items() if str(name).endswith(_HELPERS) and isinstance(one, str))
        if isinstance(command := value.get("command"), str):
            yield shlex.join([command, *_texts(value["args"])]) if value.get("args") else command
        value = list(value.values())
    for one in value if isinstance(value, list | tuple) else ():
        yield from lines_of(one)


def _texts(value: Any) -> list[str]:
    """Every text in a value as it is found in JSON, but for the names of its fields."""
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for one in value for text in _texts(one)] if isinstance(value, list | tuple) else [str(value or "")]


@lru_cache(maxsize=256)
def read(command: str) -> ReadCommand:
    """Read a command, and each of its words that may be a command."""
    words, runs, modules, folders = words_within(command), set[str](), set[str](), set[str]()
    is_open, waiting, seen = False, [command, *without_quotes(command)], set[str]()
    while waiting:
        if (text := waiting.pop()) in seen:
            continue
        seen.add(text)
        for call in _calls(text):
            words.update(call)
            runs.update(filter(None, _runs(call)))
            modules.update(_modules(call))
            folders.update(call[1:2] if call[0] in ("cd", "pushd") else ())
            is_open = is_open or any(map(_UNKNOWN.search, _interpreted(call)))
            waiting += [word for word in call if re.search(rf"[\s{_SEPARATORS}]", word)]
    modules.update(name for found in _IMPORTED.findall(command) for name in found if name)
    words.update(part for word in list(words) for part in word.split(":"))
    return ReadCommand(words, runs | set(filter(_is_path, words)) if is_open else runs, modules, folders)


def program_name(word: str) -> str:
    """What a program is called, whichever version it is and wherever it lies."""
    return _VERSION.sub("", re.split(r"[/\\]", word)[-1].casefold()) or word


def deciding_files(words: Iterable[str]) -> list[str]:
    """The names of files that decide what the programs among these words run."""
    return list(dict.fromkeys(file for word in words for file in _DECIDING.get(program_name(word), ())))


def files_of_module(name: str) -> list[str]:
    """The files that Python's `-m` runs, from the folder that it is started in."""
    names = name.split(".")
    inits = ["/".join([*names[: count + 1], "__init__.py"]) for count in range(len(names))]
    return ["/".join(names) + ".py", "/".join([*names, "__main__.py"]), *inits]


def path_of(word: str, folder: Path) -> Path:
    """Where a word of a command leads in this folder, or a pattern's folder; a variable is taken for the folder."""
    word = HOME.sub("~", _without_pattern(word), count=1)
    if word.startswith("~"):
        return Path(os.path.expanduser(word))  # noqa: PTH111 - Path.expanduser() raises for a user who does not exist
    return folder / "/".join(name for name in word.split("/") if not name.startswith("$"))


class Started:
    """The files that commands start in one folder, as far as the commands name them."""

    def __init__(self, commands: Collection[str], cwd: Path, *, are_all: bool = True) -> None:
        """`are_all` says that there are no others, of which nothing is known."""
        self._cwd, self._are_any = cwd, bool(commands) or not are_all
        files, below, roots = set[str](), set[str](), set[Path]()
        short = [command for command in commands if len(command) <= LONGEST]
        self._is_unknown = len(short) < len(commands) or not are_all
        for one in map(read, short):
            named = {*one.words, *deciding_files(one.words)}
            named |= {file for module in one.modules for file in files_of_module(module)}
            files.update(way for word in named for way in _ways(word, cwd))
            for word in one.runs:
                names = _names(word)
                if names:
                    below.add(re.escape(way_of(compared_names(names))[:-1]))
                folders = [path_of(folder, cwd) for folder in sorted(one.folders)]
                starts = [cwd, *folders] if names else (folders or [cwd]) if _PROJECT.match(word) else []
                reals = {Path(real_path(path_of(word, start))) for start in starts}
                roots |= {real for real in reals if not names or not cwd.is_relative_to(real)}
        self._files = tuple(files)
        self._below = _leading_to(below)
        self._roots = _leading_to(re.escape(way_of(compared_names(root.parts[1:]))[:-1]) for root in roots)

    def __bool__(self) -> bool:
        """Whether there are any commands."""
        return self._are_any

    def has(self, place: Path) -> bool:
        """Whether one of the commands may start the file at this place."""
        way = way_of(compared_names(place.parts[1:]))
        inner = way_of(compared_names(place.parts[len(self._cwd.parts) :])) if place.is_relative_to(self._cwd) else way
        return (
            self._is_unknown
            or way.endswith(self._files)
            or self._below.search(inner) is not None
            or self._roots.match(way) is not None
        )


def _leading_to(stems: Iterable[str]) -> re.Pattern[str]:
    """A way to one of these, with any extension, or below one."""
    return re.compile(rf"(?:{'|'.join(stems) or '(?!)'})(?:/|\.[^/]+/$)")


def _names(word: str) -> list[str]:
    """The names that a word consists of, up to a pattern."""
    found = [name for name in re.split(r"[/\\]", _without_pattern(word)) if name not in ("", ".", "..", "~")]
    return [name for name in found if not name.startswith("$") and not re.fullmatch("[A-Za-z]:", name)]


def _without_pattern(word: str) -> str:
    """The folder that a pattern is looked for in; any other word as it is."""
    found = _PATTERN.search(word)
    return word[: found.start()].rpartition("/")[0] or "." if found else word


def _ways(word: str, cwd: Path) -> Iterator[str]:
    """How the paths of all files end that a word may name: by its name, or where its links lead."""
    names = [] if _PATTERN.search(word) else _names(word)
    if names:
        yield way_of(compared_names(names))
        yield way_of(compared_names(Path(real_path(cwd / "/".join(names))).parts[1:]))


def _calls(text: str) -> list[list[str]]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        words = [word.strip("`") for word in lexer]
    except ValueError:  # a quote without its other half
        words = text.split()
    calls: list[list[str]] = [[]]
    for word in words:
        if word and set(word) <= set(_SEPARATORS):
            calls.append([])
        elif word and (calls[-1] or not (word in _KEYWORDS or _BESIDE.fullmatch(word))):
            calls[-1].append(word)
    return [call for call in calls if call]


def _runs(call: Sequence[str]) -> Iterator[str]:
    if _is_path(call[0]):
        yield call[0]
    if call[0] in _IN_THE_SHELL:
        yield from call[1:2]
    yield from _interpreted(call)
    for index, word in enumerate(call):
        if program_name(word) in _WRAPPERS:
            given = (one.removeprefix("file:") for one in _given(call[index + 1 :]))
            yield from (one for one in given if one == "." or _is_path(one))


def _interpreted(call: Sequence[str]) -> Iterator[str]:
    """What interpreters are given to run; nothing for one that runs what it reads."""
    for index, word in enumerate(call):
        name, rest = program_name(word), call[index + 1 :]
        if name in INTERPRETERS and (name not in _NEED_RUN or "run" in rest):
            found = list(_given(rest[rest.index("run") :] if name in _NEED_RUN else rest))
            yield from found or ([] if any(map(_MODULE.fullmatch, rest)) else [""])


def _given(words: Sequence[str]) -> Iterator[str]:
    """The first word that is no option, and what options load."""
    waiting = iter(words)
    for word in waiting:
        option, is_joined, value = word.partition("=")
        if _MODULE.fullmatch(word):
            return
        if option in _LOADING:
            yield value if is_joined else next(waiting, "")
        elif option in _VALUED:
            _ = None if is_joined else next(waiting, "")
        elif not word.startswith("-") and word not in _SUBCOMMANDS and not _BESIDE.fullmatch(word):
            yield word
            return


def _modules(call: Sequence[str]) -> Iterator[str]:
    for word, following in zip(call, [*call[1:], ""], strict=True):
        if found := _MODULE.fullmatch(word):
            yield from filter(re.compile(r"\w[\w.]*").fullmatch, [found["name"] or following])


def _is_path(word: str) -> bool:
    return "/" in word or "\\" in word
