"""Places that the texts of shells spell, wherever they stand: no grammar, only paths with what variables may hold.

It finds more than any shell would read, and should: what it takes for a path too many asks once more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice, product

ANYTHING = "\1"
"""What a variable stands for whose value is not known."""
_MARK = "\0"
"""Stands before and behind the name of a variable in a text that is prepared."""
_OWN = frozenset({"", "0", "BASH_SOURCE"})
"""Variables by which a file finds the folder that it is in."""
_OF_THIS_SHELL = frozenset({"PWD", "OLDPWD", "VIRTUAL_ENV", "CONDA_PREFIX", "_"})
"""They tell where Maverick was started, and nothing of where a shell begins."""
_MOST_VALUES = 16
_MOST_SPELLINGS = 64
_MOST_VARIABLES = 12
_DEEPEST = 20
_NESTED = 4
_LONGEST = 4096
# Each of these passes once over a text of any kind: they hold up everything else.
_DROPPED = re.compile(r"[\"'\\\0\1]")
_BRACES = re.compile(r"\$\{(?:\([^(){}]*\))?[!#^=~]*(?P<name>\0?\w*\0?)(?P<rest>[^{}]*)\}")
_VARIABLE = re.compile(r"\$(?P<name>\w+|[@*#!?-])")
_CHOICE = re.compile(r"\{([^{}\s]*)\}")
_CLOSED = re.compile(r"[)`}]+(?=/)")
_ASSIGNED = re.compile(
    r"(?<![\w\0])(?:set(?:env)?[ \t]++(?:-\w++[ \t]++)*+(?P<set>\w++)[ \t]++|(?P<name>[A-Za-z_]\w*+)\+?=)"
    r"(?P<value>[^\s;&|]*+)"
)
_ANY_VALUE = re.compile(r"\b(?:for|foreach|read)[ \t]++(\w++)")
_DEFAULT = re.compile(r":?[-=+](.*)", re.DOTALL)
_WORD = re.compile(r"[^\s;&|<>()`=:{},]+")
_BEFORE = "-+?!@$^#%"


class Spelled:
    """The places that are spelled in some texts; `is_mentioned` once one of them has named the folder in question."""

    def __init__(self, home: str, cwd: str) -> None:
        self._home, self._cwd = home, cwd
        self._given = {
            name: {value: None} for name, value in os.environ.items() if name not in _OF_THIS_SHELL and ":" not in value
        }
        self._given["HOME"] = {home: None}
        self._words: dict[str, None] = {}
        self._values: dict[str, list[str]] = {}
        below = [f"{start}/{os.path.relpath(cwd, home)}" for start in ("~", f"{_MARK}HOME{_MARK}")]
        spellings = "|".join(map(re.escape, [cwd, *below]))
        self._plainly = re.compile(rf"(?:{spellings})(?![\w.-])")
        self.is_mentioned = False

    def read(self, text: str, folder: str) -> None:
        """Take in a text that was found in a folder."""
        text = self._prepared(_DROPPED.sub("", text), folder)
        for one in _ASSIGNED.finditer(text):
            value = one["value"].strip("()")
            self._give(one["set"] or one["name"], *([folder, ANYTHING] if value[:1] in ("$", "`") else [value]))
        for name in _ANY_VALUE.findall(text):
            self._give(name, ANYTHING)
        words = dict.fromkeys(_WORD.findall(text))
        self._words |= dict.fromkeys(word for word in words if "/" in word or _MARK in word or word.startswith("~"))
        self.is_mentioned = self.is_mentioned or self._plainly.search(text) is not None

    def paths(self) -> Iterator[str]:
        """The absolute paths that the words may be, with signs of patterns; what is named by its end alone is noted."""
        self._values.clear()
        seen = set[str]()
        for word in self._words:
            for path in (path for part in _parts(word) for path in self._filled(part)):
                if path in seen:
                    continue
                seen.add(path)
                path = self._from_home(path)  # noqa: PLW2901
                if path.startswith("/"):
                    yield os.path.normpath(path)
                    if "//" in path:  # `file://$HOME/x`
                        yield os.path.normpath(path[path.rfind("//") + 1 :])
                elif "/" in path:
                    self.is_mentioned = self.is_mentioned or self._ends_like(path)

    def folders(self, variable: str) -> list[str]:
        """The whole paths that a variable may hold, as far as they are known."""
        self._values.clear()
        values = map(self._from_home, self._values_of(variable, 0))
        return [path for path in values if path.startswith("/") and ANYTHING not in path]

    def _from_home(self, path: str) -> str:
        if re.match(rf"~{re.escape(os.path.basename(self._home))}(?:/|$)|~(?:/|$)", path):  # noqa: PTH119
            return self._home + path.lstrip("~").partition("/")[1] + path.partition("/")[2]
        return path

    def _prepared(self, text: str, folder: str) -> str:
        """With variables in one form, and what a file says for its own folder replaced."""
        beside: list[str] = []

        def braces(found: re.Match[str]) -> str:
            name, rest = found["name"].strip(_MARK), found["rest"]
            if default := _DEFAULT.match(rest):
                beside.append(default[1])
                self._give(name, default[1])
            if not name and rest.startswith("/"):
                return rest.partition(":")[0]
            return folder if name in _OWN else f"{_MARK}{name}{_MARK}"

        def choice(found: re.Match[str]) -> str:
            beside.append(found[1])
            return ANYTHING if "," in found[1] or ".." in found[1] else f" {found[1]} "

        text = _VARIABLE.sub(lambda one: folder if one["name"] in _OWN else f"{_MARK}{one['name']}{_MARK}", text)
        for _ in range(_NESTED):
            text = _BRACES.sub(braces, text)
        text = _CHOICE.sub(choice, _CHOICE.sub(choice, text))
        return _CLOSED.sub(lambda _: f" {folder}", "\n".join([text, *beside]))

    def _give(self, name: str, *values: str) -> None:
        given = self._given.setdefault(name, {})
        if len(given) <= _MOST_VALUES:
            given |= dict.fromkeys(filter(None, values))

    def _values_of(self, name: str, depth: int) -> list[str]:
        """What a variable may hold; one that is set too often, or by itself alone, may hold anything."""
        if depth > _DEEPEST:
            return [ANYTHING]
        if name not in self._values:
            self._values[name] = []  # what it holds by way of itself is nothing new
            given = [*self._given.get(name, ())]
            found = dict.fromkeys(path for value in given for path in self._filled(value, depth + 1))
            is_known = found and len(given) <= _MOST_VALUES >= len(found)
            self._values[name] = [*found] if is_known else [ANYTHING]
        return self._values[name]

    def _filled(self, word: str, depth: int = 0) -> Iterator[str]:
        parts = word.split(_MARK)
        if len(word) > _LONGEST or len(parts) > 2 * _MOST_VARIABLES:
            yield from ["/" + ANYTHING] * ("/" in word)  # too much to be understood, so it may be any place
            return
        choices = [self._values_of(part, depth) if at % 2 else [part] for at, part in enumerate(parts)]
        filled = map("".join, islice(product(*choices), _MOST_SPELLINGS))
        yield from (path for path in filled if len(path) <= _LONGEST)

    def _ends_like(self, path: str) -> bool:
        """Whether a path that begins anywhere goes on as the way to the folder ends: `$root/project`, `src/project`."""
        names, own = path.split("/"), self._cwd.split("/")[1:]
        while names and names[0] in ("", ".", "..", "*", "**", ANYTHING):
            names.pop(0)
        return any(names[:count] == own[-count:] for count in range(1, min(len(names), len(own)) + 1))


def _parts(word: str) -> Iterator[str]:
    """A word, and what stands in it behind an option's letters: `-I$HOME/x`."""
    word = word.lstrip(_BEFORE)
    yield word
    begins = [at for at in (word.find("/"), word.find(_MARK)) if at > 0]
    if begins and not word.startswith((_MARK, "~", "/")):
        yield word[min(begins) :]
