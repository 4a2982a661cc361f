"""Roots: where the paths of a rule begin. The same files may be in many places, and few of them matter for a call."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from maverick_tui.agent.permissions.named_paths import folded, outright, place_of, said_of
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.taken_by_git import taken_by
from maverick_tui.git.asking import ask
from maverick_tui.git.past_names import past_names
from maverick_tui.git.reached import may_be_unreached
from maverick_tui.git.tips import names_of_others
from maverick_tui.real_paths import real_path


class Roots:
    """The bases of rules, whose links are followed once for all that is held against them; `bases` has one at least.
    `projects` are some, and behind each its worktrees.

    On some systems the case of a path makes no difference, so it makes none here: whoever asks looks closer.
    """

    def __init__(
        self, bases: Sequence[Path], projects: Sequence[Sequence[Path]] = (), *, are_elsewhere: bool = False
    ) -> None:
        """`are_elsewhere` says that the agent works in none of them."""
        self._bases = bases
        self._projects = projects
        self._are_elsewhere = are_elsewhere
        self._ways = dict[str, list[tuple[str, Roots]]]()
        self._of_worktrees = dict[tuple[Path, ...], Roots]()
        self._listed = dict[tuple[Path, bool], list[str] | None]()
        self._others = dict[Path, frozenset[str] | None]()
        self._unreached = dict[tuple[Path, str], bool]()
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
        """Those that are in one of these resolved folders, or around one; and the first one, if the agent works there.

        A link from there may lead into such a folder.
        """
        if not _begins_at_base(rule):
            return self._elsewhere(rule)
        within = tuple(_folded(top) for top in tops)
        around = {_folded(folder) for top in tops for folder in (top, *top.parents)}
        near = (
            root for name, some in self._by_name.items() if name in around or name.startswith(within) for root in some
        )
        return list(dict.fromkeys([*([] if self._are_elsewhere else self._roots[:1]), *near]))

    def known_to_git(self, top: Path, *, looks_back: bool) -> list[str] | None:
        """The paths that git has in a repository, with `looks_back` in any commit; None if it does not say.

        It is asked once for all rules.
        """
        if (top, looks_back) not in self._listed:
            with_last = ask(top, "ls-files", "-z", "--with-tree=HEAD")  # there may be no commit, or too much in it
            now = ask(top, "ls-files", "-z") if with_last is None else with_last
            past = past_names(top) if looks_back or with_last is None else frozenset()
            names = None if now is None or past is None else {*now.split(b"\0"), *past} - {b""}
            self._listed[top, looks_back] = None if names is None else [f"{top}/{os.fsdecode(name)}" for name in names]
        return self._listed[top, looks_back]

    def others_known_to_git(self, top: Path) -> frozenset[str] | None:
        """By what names git knows folders and files, and no commits; None if it does not say. It is asked once, too."""
        if top not in self._others:
            self._others[top] = names_of_others(top)
        return self._others[top]

    def may_be_unreached(self, top: Path, beginning: str) -> bool:
        """Whether a hash that begins so may be one of what no name leads to, asked once for all rules."""
        if (top, beginning) not in self._unreached:
            self._unreached[top, beginning] = may_be_unreached(top, beginning)
        return self._unreached[top, beginning]

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
            behind = ((Path(real_path(name)), name, rest) for name, rest in named)
            self._led[rule] = list(dict.fromkeys((real, rest) for real, name, rest in behind if real != name))
        return self._led[rule]

    def ways_of(self, rule: str) -> list[tuple[str, Roots]]:
        """A rule with its roots. What one that begins at the root or at home says of files of a project it says of the
        worktrees as well, where the same files have other paths.
        """
        if _begins_at_base(rule) or not self._projects:
            return [(rule, self)]
        if rule not in self._ways:
            self._ways[rule] = [*self._ways_below(rule)]
        return self._ways[rule]

    def _ways_below(self, rule: str) -> Iterator[tuple[str, Roots]]:
        begun = [(root, rule) for root in self._elsewhere(rule)]
        named = [*begun, *self.behind_links(rule)]
        is_held = False
        for project, *worktrees in self._projects:
            inside = {said for at, one in begun if _is_inside(at, one, project) for said in said_of(project, one, at)}
            for said in dict.fromkeys(found for place, one in named for found in said_of(project, one, place)):
                unsaid = [top for top in worktrees if all(said not in said_of(top, one, at) for at, one in named)]
                if unsaid:
                    yield said, self._roots_of((*([project] if said in inside else []), *unsaid))
                    is_held = is_held or said in inside
        if not is_held:  # as it is in the project itself
            yield rule, self

    def _roots_of(self, tops: tuple[Path, ...]) -> Roots:
        """Those of a project's worktrees, that of the agent before all others."""
        if tops not in self._of_worktrees:
            own = [top for top in tops if self._roots[0].is_relative_to(top)]
            self._of_worktrees[tops] = Roots([*own, *tops], are_elsewhere=not own)
        return self._of_worktrees[tops]

    def _elsewhere(self, rule: str) -> list[Path]:
        root = place_of(rule, self._roots[0])
        return [] if root is None else [root]


def _begins_at_base(rule: str) -> bool:
    return not rule.startswith(("//", "~/"))


def _is_inside(place: Path, rule: str, project: Path) -> bool:
    """Whether all that a rule says below a place is in a project, by plain names."""
    if not project.is_relative_to(place) or "{" in rule:  # braces may reach over several names
        return False
    inner = project.parts[len(place.parts) :]
    names = [part for part in rule.removeprefix("~").split("/") if part not in ("", ".")][: len(inner)]
    return tuple(names) == inner and not set("".join(names)) & set("*?[\\")


def _folded(folder: Path) -> str:
    """The name of a folder, so that all names in it begin with it."""
    return folded(f"{folder}/").replace("//", "/")
