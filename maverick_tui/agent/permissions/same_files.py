"""Same files: a project and its worktrees have them in several places, and what is forbidden in one is in all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from maverick_tui.agent.permissions.named_paths import outright, place_of
from maverick_tui.git.repository import Repository, find_repository, worktrees_of
from maverick_tui.real_paths import real_path
from maverick_tui.worktrees.records import Worktree, all_worktrees


class SameFiles:
    """Where the files are that an agent works on: its project and all worktrees of that, those of runs, and those that
    git has, whoever has made them.
    """

    def __init__(self, inside: Sequence[Path], worktree: Worktree | None, named: Iterable[Repository] = ()) -> None:
        """`inside` are the folder that the agent works in and the outermost one whose rules hold there; `worktree` is
        that of the run, if they are in one. `named` are repositories in which rules name files by their whole paths.
        """
        of_runs, around = _tops_of_runs(), [one for one in map(find_repository, inside) if one is not None]
        of_git = [tops for tops in map(_tops_of_git, around) if tops]
        self._groups = [*_group_of_run(inside[0], worktree, of_runs), *of_git]
        """The tops of each; that of the agent's folder is the first."""
        known = {one: [one, *tops] for one, tops in of_runs.items()}
        for first, *others in of_git:
            is_of_run = worktree is not None and first == real_path(worktree.path)
            project = real_path(worktree.project) if worktree is not None and is_of_run else first
            known.setdefault(project, [project]).extend((first, *others))
        for repository in dict.fromkeys((*around, *named)):  # an agent may work in a worktree of git, or elsewhere
            if (main := _main_of(repository)) and (tops := _tops_of_git(repository)):
                known.setdefault(main, [main]).extend(tops)
        self.projects = tuple(tuple(dict.fromkeys(map(Path, tops))) for tops in known.values())
        """Each project of which any worktrees are known, and those: of what a rule names in it by its whole path, the
        same file is in each. Not the other way round: who names the folder that worktrees are in does not mean the
        project.
        """

    def beside(self, base: Path) -> tuple[Path, ...]:
        """What is in the other tops where `base` is in the first of its group."""
        real, found = real_path(base), list[Path]()
        for first, *others in self._groups:
            if Path(real).is_relative_to(first):
                found += (Path(top, os.path.relpath(real, first)) for top in others)
        return tuple(dict.fromkeys(found))


def _tops_of_runs() -> dict[str, list[str]]:
    """The tops of the worktrees of runs, by their projects."""
    found = dict[str, list[str]]()
    for one in all_worktrees():
        if not one.became or one.is_there:
            found.setdefault(real_path(one.project), []).append(real_path(one.path))
    return found


def _group_of_run(cwd: Path, worktree: Worktree | None, of_runs: dict[str, list[str]]) -> list[list[str]]:
    if worktree is not None:
        project = real_path(worktree.project)
        return [list(dict.fromkeys((real_path(worktree.path), project, *of_runs.get(project, ()))))]
    around = [project for project in of_runs if cwd.is_relative_to(project)]
    return [[project := max(around, key=len), *of_runs[project]]] if around else []


def _tops_of_git(repository: Repository) -> list[str]:
    """The tops of all worktrees of a repository, its own first; empty if there is but one."""
    if not (others := worktrees_of(repository)):
        return []
    main = [one] if (one := _main_of(repository)) else []
    return list(dict.fromkeys((real_path(repository.top), *main, *map(real_path, others))))


def _main_of(repository: Repository) -> str:
    """The top that its other worktrees are worktrees of; empty where it is bare, for then there is none."""
    first = find_repository(repository.common.parent)
    if first is not None and first.common == repository.common:
        return str(first.top)
    # Git's own folder may be elsewhere, as that of a submodule.
    return str(repository.top) if real_path(repository.own) == str(repository.common) else ""


def folders_around(rules: Iterable[str]) -> list[Path]:
    """The folders around what rules name by whole paths, and around where links on the way there lead."""
    found = dict[Path, None]()
    for rule in rules:
        whole = rule if rule.startswith(("//", "~/")) else f"/{rule}"  # `/etc/x` counts as either
        place = place_of(whole, Path("/"))
        if place is None:
            continue
        for named in (place.joinpath(*names) for names, _ in outright(whole)):
            for one in (named, Path(real_path(named))):
                found.update(dict.fromkeys((one, *one.parents)))
    return list(found)
