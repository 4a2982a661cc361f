"""Files of a project that the start-up files of shells read: `. ~/dotfiles/aliases.sh` in a .bashrc.

Who changes one changes what every shell runs, and agents work in such folders, too. Nothing is run to find out, and how
a shell comes to a file is not understood either: once a place of the project is spelled anywhere in a start-up file, or
in a file that is named there, all that a shell may read in the project counts, be it there or not.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, islice, product
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.permissions.looked_up import Seen, looked_up
from maverick_tui.agent.permissions.spelled import ANYTHING, Spelled
from maverick_tui.real_paths import real_path

_START_UP = (
    ".profile .bash_profile .bash_login .bashrc .bash_aliases .bash_logout .zshenv .zprofile .zshrc .zlogin .zlogout"
    " .kshrc .cshrc .tcshrc .login .config/fish/config.fish .config/fish/conf.d/*.fish"
).split()
_PLACE_OF_ZSH = "ZDOTDIR"
"""The variable that says where zsh has its own, which a first file may set for the shell alone."""
_MOST_READ = 256 * 1024
_MOST_FILES = 200
_MOST_NAMED = 5_000
_MOST_STARS = 6
_PROGRAMS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How files begin that only the system reads: what looks like a path in them is none."""
_DEPTH = 3
"""How far files that are named by others are followed."""
_SIGNS = re.compile(rf"[*?\[{ANYTHING}]")
_OF_SHELLS = re.compile(
    r"[^.]+|\.[^.]+|.*\.(?:[a-z]*sh|env|envrc|rc|profile|alias|aliases|functions?|exports|paths?|local|symlink|inc"
    r"|zsh-theme|zwc|plugin\.[^.]*)",
    re.IGNORECASE,
)
_OF_OTHERS = frozenset(
    "makefile gnumakefile dockerfile containerfile license licence copying notice authors contributors codeowners"
    " maintainers readme changelog changes news todo version gemfile rakefile pipfile procfile vagrantfile jenkinsfile"
    " justfile .gitignore .gitattributes .gitkeep .keep .mailmap .editorconfig .dockerignore .npmignore .ignore"
    " .prettierrc .prettierignore .eslintrc .eslintignore .stylelintrc .babelrc .nvmrc .node-version"
    " .python-version .ruby-version .flake8 .pylintrc .coveragerc .clang-format .clang-tidy .hgignore".split()
)
"""Names without a suffix that no shell reads."""


class Sourced(NamedTuple):
    """The files that shells may read when they start: those spelled out, those that fit, and whatever is of shells."""

    files: frozenset[str] = frozenset()
    patterns: tuple[re.Pattern[str], ...] = ()
    wide: tuple[re.Pattern[str], ...] = ()
    """What fits these counts if a shell may read it."""
    elsewhere: frozenset[str] = frozenset()
    """What is spelled out beyond the folder, and is none itself; commands may name it, to read it or to run it."""

    def names(self, place: Path) -> bool:
        """Whether it is spelled out, or fits what is."""
        path = str(place)
        return path in self.files or any(pattern.fullmatch(path) for pattern in self.patterns)

    def has(self, place: Path) -> bool:
        """Whether it is one of them."""
        return self.names(place) or (
            any(pattern.fullmatch(str(place)) for pattern in self.wide) and _is_of_shells(place)
        )


def sourced(home: Path | None, cwd: Path) -> Sourced:
    """What start-up files name in a folder, and what the files name that are named there."""
    if home is None:
        return Sourced()
    places = (str(home), *filter(None, [os.environ.get(_PLACE_OF_ZSH, "")]))
    return _sourced(places, str(cwd))


@looked_up
def _sourced(seen: Seen, places: tuple[str, ...], cwd: str) -> Sourced:
    home, spelled, read = places[0], Spelled(places[0], cwd), dict[str, None]()
    level, paths = [*_start_up_files(seen, places, cwd)], list[str]()
    for _ in range(_DEPTH):
        for file in level:
            read[file] = None
            spelled.read(_text(file), os.path.dirname(real_path(file)))  # noqa: PTH120
        paths = [*islice(spelled.paths(), _MOST_NAMED)]
        near = (path for path in paths if not _SIGNS.search(path) or path.startswith((f"{home}/", f"{cwd}/")))
        new = (file for path in near for file in _files(seen, path, cwd))
        begun = _start_up_files(seen, spelled.folders(_PLACE_OF_ZSH), cwd)  # of a shell that nobody has to tell
        level = [*islice(dict.fromkeys(file for file in chain(begun, new) if file not in read), _MOST_FILES)]
    return _found(paths, home, cwd, is_mentioned=spelled.is_mentioned)


def _start_up_files(seen: Seen, places: Iterable[str], cwd: str) -> Iterator[str]:
    for place, name in product(places, _START_UP):
        yield from _files(seen, f"{glob.escape(place)}/{name}", cwd)


def _found(paths: list[str], home: str, cwd: str, *, is_mentioned: bool) -> Sourced:
    files, elsewhere, patterns, wide = set[str](), set[str](), dict[str, None](), dict[str, None]()
    mentioned = {cwd} if is_mentioned else set[str]()
    for path in paths:
        fixed = _SIGNS.split(path, maxsplit=1)[0]
        if fixed == path:
            real = real_path(path)
            if _is_at_or_in(real, cwd):
                mentioned.add(real)
            if not os.path.isdir(real):  # noqa: PTH112
                (files if _is_at_or_in(real, cwd) else elsewhere).add(real)
            continue
        folder = os.path.dirname(fixed)  # noqa: PTH120
        real = real_path(folder).rstrip("/")
        if not _is_at_or_in(real, cwd) and not _is_at_or_in(cwd, real or "/"):
            continue
        is_of_home = _is_at_or_in(home, real or "/")
        # Nobody has a whole home directory read: there, what is not known is one name.
        pattern = (real + path[len(folder.rstrip("/")) :]).replace(ANYTHING, "*" if is_of_home else "**")
        (wide if path.endswith(ANYTHING) else patterns)[pattern] = None
        if _is_at_or_in(real, cwd):
            mentioned.add(real)
        elif not is_of_home and (_compiled(pattern).fullmatch(cwd) or _folders_in(cwd, pattern)):
            mentioned.add(cwd)
    # A working directory with all of the home directory in it is named by every start-up file.
    roots = {cwd} if mentioned and not _is_at_or_in(home, cwd) else {_folder(place) for place in mentioned}
    everything = (f"{glob.escape(root)}/**" for root in roots if not _is_at_or_in(home, root))
    found, fitting = map(_compiled, patterns), map(_compiled, (*wide, *everything))
    return Sourced(frozenset(files), tuple(found), tuple(fitting), frozenset(elsewhere))


def _text(file: str) -> str:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123
            text = opened.read(_MOST_READ)
    except (OSError, ValueError):
        return ""
    return "" if text.startswith(_PROGRAMS) else text.decode(errors="replace")


def _files(seen: Seen, path: str, cwd: str) -> list[str]:
    """The files that a path may mean, but for those that an agent can make, unasked, until there are too many."""
    pattern = path.replace(ANYTHING, "*")
    if glob.has_magic(pattern):
        folder = os.path.dirname(pattern)  # noqa: PTH120
        while glob.has_magic(folder):
            for one in islice(glob.iglob(folder), _MOST_FILES):  # noqa: PTH207
                seen.see(one)
            folder = os.path.dirname(folder)  # noqa: PTH120
        seen.see(folder)
        fitting = glob.iglob(pattern)  # noqa: PTH207
        if path.endswith(ANYTHING):
            real_folder = cache(real_path)
            fitting = (one for one in fitting if _counts(one, cwd, real_folder))
        found = [*islice(fitting, _MOST_FILES)]
    else:
        found = [path]
    return [one for one in found if os.path.isfile(seen.see(one))]  # noqa: PTH113


def _counts(file: str, cwd: str, real_folder: Callable[[str], str]) -> bool:
    """Whether a file counts that fits a path whose end is not known: of those in the folder, if a shell may read it."""
    folder = os.path.dirname(file)  # noqa: PTH120
    return not _is_at_or_in(real_folder(folder), cwd) or os.path.islink(file) or _is_of_shells(Path(file))  # noqa: PTH114


def _folders_in(cwd: str, pattern: str) -> bool:
    """Whether a pattern fits a folder of the working directory's."""
    found = (real_path(one) for one in islice(glob.iglob(pattern), _MOST_FILES) if os.path.isdir(one))  # noqa: PTH112, PTH207
    return any(_is_at_or_in(one, cwd) for one in found)


def _folder(place: str) -> str:
    return place if os.path.isdir(place) else os.path.dirname(place)  # noqa: PTH112, PTH120


def _is_at_or_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(f"{folder.rstrip('/')}/")


def _is_of_shells(place: Path) -> bool:
    """Whether a shell may read it: by its name, or since it can be run."""
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError):
        mode = 0
    is_named = _OF_SHELLS.fullmatch(place.name) is not None and place.name.casefold() not in _OF_OTHERS
    return not stat.S_ISDIR(mode) and (is_named or bool(mode & 0o111))


@lru_cache(maxsize=_MOST_NAMED)
def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern.count("*") > _MOST_STARS:  # more of them take ages to be compared
        pattern = f"{pattern.partition('*')[0]}**{pattern.rpartition('*')[2]}"
    parts = re.split(r"(\*\*+/?|\*|\?|\[[^\]/]*\])", pattern)
    return re.compile("".join(map(_as_expression, parts)), re.DOTALL)


def _as_expression(part: str) -> str:
    if part.startswith("*"):
        return ".*" if part.startswith("**") else "[^/]*"
    return "[^/]" if part.startswith(("?", "[")) else re.escape(part)
