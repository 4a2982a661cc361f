"""Roots: where the paths of a rule begin. The same files may be in many places, and few of them matter for a call."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from maverick_tui.agent.permissions.named_paths import folded, outright, place_of
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.taken_by_git import taken_by
from maverick_tui.git.asking import ask
from maverick_tui.git.past_names import past_names


class Roots:
    """The bases of rules, whose links are followed once for all that is held against them; `bases` has one at least.

    On some systems the case of a path makes no difference, so it makes none here: whoever asks looks closer.
    """

    def __init__(self, bases: Sequence[Path]) -> None:
        self._bases = bases
        self._listed = dict[tuple[Path, bool], list[str] | None]()
        self._taken = dict[tuple[str, ...], list[str] | None]()
        self._led = dict[str, list[tuple[Path, str]]]()

    @cached_property
    def _roots(self) -> list[Path]:
        return list(dict.fromkeys(base.resolve() for base in self._bases))

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        found = dict[str, list[Path]]()
        for root in self._roots:
            found.setdefault(_folded(root), []).append(root)
        return found

    def around(self, place: Path, rule: str) -> Iterator[Path]:
        """Those that a resolved place is in, for this rule."""
        if not _begins_at_base(rule):
            yield from self._elsewhere(rule)
            return
        for folder in (place, *place.parents):
            yield from self._by_name.get(_folded(folder), ())

    def near(self, tops: Collection[Path], rule: str) -> list[Path]:
        """Those that are in one of these resolved folders, or around one; and the first one in any case.

        A link from there may lead into such a folder.
        """
        if not _begins_at_base(rule):
            return self._elsewhere(rule)
        within = tuple(_folded(top) for top in tops)
        around = {_folded(folder) for top in tops for folder in (top, *top.parents)}
        near = (
            root for name, some in self._by_name.items() if name in around or name.startswith(within) for root in some
        )
        return list(dict.fromkeys([self._roots[0], *near]))

    def known_to_git(self, top: Path, *, looks_back: bool) -> list[str] | None:
        """The paths that git has in a repository, with `looks_back` in any commit; None if it does not say.

        It is asked once for all rules.
        """
        if (top, looks_back) not in self._listed:
            now = ask(top, "ls-files", "-z", "--with-tree=HEAD") or ask(top, "ls-files", "-z")  # there may be no commit
            past = past_names(top) if looks_back else frozenset()
            names = None if now is None or past is None else {*now.split(b"\0"), *past} - {b""}
            self._listed[top, looks_back] = None if names is None else [f"{top}/{os.fsdecode(name)}" for name in names]
        return self._listed[top, looks_back]

    def taken_by_git(self, words: Sequence[str], here: Path, limits: Limits) -> list[str] | None:
        """The paths that a call of git takes away, asked once for all rules; None if it cannot be told."""
        if (call := (*words, str(here))) not in self._taken:
            self._taken[call] = taken_by(words, here, limits)
        return self._taken[call]

    def behind_links(self, rule: str) -> list[tuple[Path, str]]:
        """Where the files of a rule are if it names links, and what it says of them there: `.env` may lead to
        another file, and `secrets/**` into another folder.
        """
        if rule not in self._led:
            roots = self._roots if _begins_at_base(rule) else self._elsewhere(rule)
            named = [(root.joinpath(*literal), rest) for literal, rest in outright(rule) for root in roots]
            behind = ((Path(os.path.realpath(name)), name, rest) for name, rest in named)
            self._led[rule] = list(dict.fromkeys((real, rest) for real, name, rest in behind if real != name))
        return self._led[rule]

    def _elsewhere(self, rule: str) -> list[Path]:
        root = place_of(rule, self._roots[0])
        return [] if root is None else [root]


def _begins_at_base(rule: str) -> bool:
    return not rule.startswith(("//", "~/"))


def _folded(folder: Path) -> str:
    """The name of a folder, so that all names in it begin with it."""
    return folded(f"{folder}/").replace("//", "/")
