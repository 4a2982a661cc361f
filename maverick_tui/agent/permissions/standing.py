"""Standing rules: what a person, or a project, has said once and for all of calls: `rules.toml`.

`deny` wins over `ask`, and `ask` over `allow`, whichever file they stand in. What is allowed is exactly what a rule
says; what is denied or asked about is that, and whatever may amount to it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from maverick_tui import paths
from maverick_tui.agent.permissions.rule_texts import EFFECTS, OWN, Effect, wrong_with
from maverick_tui.agent.permissions.same_files import SameFiles, folders_around
from maverick_tui.agent.tools import EDIT_TOOLS, LOOKING_TOOLS, ToolRule, parse_tool
from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.files.globs import names_in
from maverick_tui.git.repository import Repository, find_repository, read_small, worktrees_of
from maverick_tui.masking.redact import redact
from maverick_tui.real_paths import real_path
from maverick_tui.toml_text import read_toml
from maverick_tui.worktrees.records import Worktree, origin_of, worktree_at

FILE_NAME = "rules.toml"
PROJECT_FOLDER = ".maverick"
LARGEST = 150_000
"""Bytes of a file of rules."""

MOST, MOST_OF_PROJECT = 2_000, 200
"""Rules of a file: each is held against each call."""
MOST_NAMES_OF_PROJECT = 2_000


@dataclass(frozen=True, slots=True)
class StandingRule:
    """One rule of a file. Paths in it begin at `base`: a project's own at the project, others where the agent works."""

    effect: Effect
    entry: str
    file: Path
    agent: str = ""
    """The agent that it is for; empty for all."""
    base: Path | None = None
    counts: bool = True
    """Whether it is heeded: what a project allows is not, before a person has trusted its file."""
    elsewhere: tuple[Path, ...] = ()
    """Where its paths begin as well, if it forbids: the project and its worktrees have the same files."""

    @property
    def tool(self) -> ToolRule:
        """The tool, and what of it; older rules call a tool of a server the agent's own, where its engine is `api`."""
        tool = parse_tool(self.entry)
        own = tool._replace(name=tool.name.removeprefix(OWN))
        return own if own.is_mcp else tool

    @property
    def text(self) -> str:
        """The rule and its file, for a reason."""
        return f"{self.effect} {self.entry} in {self.file}"


@dataclass(frozen=True, slots=True)
class Standing:
    """All rules for an agent in a folder, and why some of them may be missing."""

    rules: tuple[StandingRule, ...] = ()
    problem: str = ""
    projects: tuple[tuple[Path, ...], ...] = ()
    """Projects, and behind each its worktrees: what is forbidden by its whole path is forbidden in those, too."""

    def of(self, effect: Effect) -> Iterator[StandingRule]:
        """Those with an effect that are heeded."""
        return (rule for rule in self.rules if rule.effect == effect and rule.counts)

    def held_with(self, others: Collection[Standing]) -> Standing:
        """These rules, and whatever those of others deny or ask about."""
        more = dict.fromkeys(rule for other in others for rule in other.rules if rule.effect != "allow")
        problems = dict.fromkeys((self.problem, *(other.problem for other in others)))
        projects = dict.fromkeys((*self.projects, *(project for other in others for project in other.projects)))
        rules = (*self.rules, *(rule for rule in more if rule not in self.rules))
        return Standing(rules, " ".join(filter(None, problems)), tuple(projects))

    def beginning_at(self, folder: Path) -> Standing:
        """These rules, with paths that begin there where they would begin wherever an agent works."""
        return replace(self, rules=tuple(replace(rule, base=rule.base or folder) for rule in self.rules))


NONE = Standing()


_forbidding: dict[tuple[Path, Path | None], list[StandingRule]] = {}
"""What each file of a project was last seen to deny or to ask about, for paths that begin there.

An agent may have git take the file away. It forbids as long as the process of the run lasts, in which several sessions
may follow each other.
"""

_folders: dict[Path, list[Path]] = {}
"""The folders whose rules hold in a working directory, those included that were above it in the same repository once:
an agent may have git begin another one there, and the project still denies what it has denied to the run.
"""


@dataclass(slots=True)
class RuleBook:
    """The standing rules of an agent in a folder, as their files say at the moment: whoever forbids something forbids
    it to the runs that are at work, too. `is_trusted` knows which bytes of a project's file a person has trusted.
    """

    cwd: Path
    agent: str | None = ""
    """None for the rules of all agents."""
    is_trusted: Callable[[Path, bytes], bool] = lambda _path, _content: False
    _files: list[tuple[Path, Path | None, Path | None]] = field(init=False)
    """Each file with the project that it is of, and the folder that its paths begin at."""
    _worktree: Worktree | None = field(init=False, default=None)
    """The one that the agent works in, if it is in one."""
    _inside: list[Path] = field(init=False)
    """Where the agent works, and the outermost folder whose rules hold there: in one repository, or once they were."""
    _around: list[tuple[str, Path]] = field(init=False, default_factory=list)
    """The folders around what rules name by whole paths, behind what makes each the top of a repository."""
    _read: tuple[object, Standing] = field(init=False, default=(None, NONE))

    def __post_init__(self) -> None:
        # In the worktree of a run the project's own rules count, for all that it has there.
        self._worktree = worktree = worktree_at(self.cwd)
        folders = _folders_for(self.cwd if worktree is None else origin_of(self.cwd))
        self._files = [(user_file(), None, None), *((project_file(one), one, _base(one, worktree)) for one in folders)]
        outermost = self._files[-1][2] or self.cwd
        self._inside = list(dict.fromkeys(Path(real_path(place)) for place in (self.cwd, outermost)))

    def __call__(self) -> Standing:
        """What holds now."""
        state: list[object] = [_state(path) for path, _, _ in self._files]
        if not any(state) and not any(_forbidding.get((path, base)) for path, _, base in self._files):
            return NONE
        state.append(_state(paths.worktrees()))  # which changes with all that is known of those of runs
        # Whoever has made them; git moves one without a change of the folder in which it keeps them.
        around = (found for one in self._inside if (found := find_repository(one)) is not None)
        state += ((one, worktrees_of(one)) for one in dict.fromkeys((*around, *self._named())))
        # A file of rules that only deny and ask counts as it is; whether one that allows is trusted may change.
        known, standing = self._read
        if known != state or any(rule.base is not None and rule.effect == "allow" for rule in standing.rules):
            standing = self._look()
            self._read = state, standing
        return standing

    def _look(self) -> Standing:
        rules, problems = list[StandingRule](), list[str]()
        for path, project, base in self._files:
            try:
                content = content_of(path, project)
                if content is None:
                    rules += _forbidding.get((path, base), ())
                    continue
                counts = project is None or self.is_trusted(path, content)
                found = rules_of(path, content, base, is_trusted=counts)
                rules += found
                if project is not None:
                    _forbidding[path, base] = [rule for rule in found if rule.effect != "allow"]
            except ConfigError as error:
                problems.append(error.message)
        mine = [rule for rule in rules if self.agent is None or rule.agent in ("", self.agent)]
        if all(rule.effect == "allow" for rule in mine):  # which holds where the agent works alone
            return Standing(tuple(mine), " ".join(problems))
        self._around = [(str(one / ".git"), one) for one in folders_around(_paths_of(mine))]
        same = SameFiles(self._inside, self._worktree, self._named())
        elsewhere = {base: same.beside(base or self.cwd) for base in {rule.base for rule in mine}}
        held = (rule if rule.effect == "allow" else replace(rule, elsewhere=elsewhere[rule.base]) for rule in mine)
        return Standing(tuple(held), " ".join(problems), same.projects)

    def _named(self) -> list[Repository]:
        """The repositories in which rules name files by whole paths: an agent elsewhere may come to them, too."""
        tops = (one for pointer, one in self._around if os.path.lexists(pointer))  # for every call
        return list(dict.fromkeys(found for one in tops if (found := find_repository(one)) is not None))


def _paths_of(rules: Iterable[StandingRule]) -> set[str]:
    """The whole paths that those name which deny or ask."""
    tools = (rule.tool for rule in rules if rule.effect != "allow")
    said = (tool.rule for tool in tools if tool.rule is not None and tool.name in EDIT_TOOLS | LOOKING_TOOLS)
    return {one for one in said if one.startswith(("/", "~/"))}


def _folders_for(cwd: Path) -> list[Path]:
    """The folders whose rules hold in one, those above it last."""
    cwd = Path(real_path(cwd))
    _folders[cwd] = list(dict.fromkeys((*paths.project_folders(cwd), *_folders.get(cwd, ()))))
    return _folders[cwd]


def _base(folder: Path, worktree: Worktree | None) -> Path:
    """Where the paths of the rules in this folder begin."""
    if worktree is None:
        return folder
    return worktree.top / os.path.relpath(folder, real_path(worktree.project))


def user_file() -> Path:
    """The person's own rules."""
    return paths.user_config() / FILE_NAME


def project_file(folder: Path) -> Path:
    """The rules of a project in this folder."""
    return folder / PROJECT_FOLDER / FILE_NAME


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - for every call
    except (OSError, ValueError):
        return None if is_absent(path) else (0,)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def is_absent(path: Path) -> bool:
    """Whether there is no such file of rules. One that cannot be looked for may forbid anything: in a folder that is
    closed to us, or behind a link that leads nowhere, as one to what git has just taken away.
    """
    for place in (path, *path.parents):
        try:
            is_link = stat.S_ISLNK(os.lstat(place).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return False
        return place != path and (not is_link or os.path.exists(place))  # noqa: PTH110
    return True


def content_of(path: Path, project: Path | None = None) -> bytes | None:
    """The bytes of a file of rules; None if there is none, ConfigError if it cannot be read.

    That of a project is no link: what is trusted is known by where it is, and would be another project's.
    """
    if is_absent(path):
        return None
    if project is not None:
        require_own(path, project)
    if (text := read_small(path, LARGEST)) is None:
        raise wrong(path, f"it is no plain file of at most {LARGEST:,} bytes that can be opened")
    return os.fsencode(text)


def require_own(path: Path, project: Path) -> None:
    """ConfigError if a link leads from a project's file of rules, or from its folder, to somewhere else."""
    if real_path(path) != os.path.join(real_path(project), PROJECT_FOLDER, FILE_NAME):  # noqa: PTH118
        raise wrong(path, "it is a link, and a project's rules are a file of its own")


def rules_of(path: Path, content: bytes, project: Path | None = None, *, is_trusted: bool = True) -> list[StandingRule]:
    """The rules in the bytes of a file; ConfigError if one of them is none."""
    try:
        data = read_toml(content.decode())
    except ValueError as error:
        raise wrong(path, str(error).removesuffix(".")) from error
    agents = data.pop("agents", {})
    if not isinstance(agents, dict) or not all(isinstance(table, dict) for table in agents.values()):
        raise wrong(path, "[agents.NAME] has the rules of one agent")
    if hidden := next((name for name in agents if not name.isprintable()), ""):
        raise wrong(path, f"{hidden!r} is no name of an agent")
    found = list[StandingRule]()
    for agent, table in [("", data), *agents.items()]:
        for effect, entry in _entries(path, table):
            counts = is_trusted or effect != "allow"
            found.append(StandingRule(effect, entry, path, agent, project, counts))
    if len(found) > (most := MOST if project is None else MOST_OF_PROJECT):
        raise wrong(path, f"it has {len(found):,} rules, and {most:,} are the most")
    if project is not None and sum(_weight(rule.tool) for rule in found) > MOST_NAMES_OF_PROJECT:
        raise wrong(path, f"its patterns for paths have more than {MOST_NAMES_OF_PROJECT:,} names, braces written out")
    return found


def _weight(tool: ToolRule) -> int:
    """How much it takes to hold a path against a rule: the names in its pattern, in all that its braces stand for."""
    is_of_paths = tool.rule is not None and tool.name in EDIT_TOOLS | LOOKING_TOOLS
    return names_in(f"base/{tool.rule}") if is_of_paths else 0


def _entries(path: Path, table: Mapping[str, Any]) -> Iterator[tuple[Effect, str]]:
    for name, entries in table.items():
        effect = next((one for one in EFFECTS if one == name), None)
        if effect is None:
            raise wrong(path, f"{name!r} is none of allow, ask and deny")
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
            raise wrong(path, f'{name} is a list of rules, like ["Bash(git status:*)"]')
        for entry in entries:
            if problem := wrong_with(entry, effect):
                raise wrong(path, f"{entry!r} in {name}: {problem}")
            yield effect, entry.strip()


def wrong(path: Path, why: str) -> ConfigError:
    """A file of rules that cannot be heeded; until it can, whatever would run by itself asks."""
    return ConfigError(
        f"The rules in {path} cannot be read: {why}.",
        path=str(path),
        hint="Correct the file: until then everything asks first. `maverick rules list` shows what is wrong.",
    )


def shown_rules(rules: Sequence[StandingRule]) -> list[dict[str, Any]]:
    """The rules as JSON, without secrets that somebody has written there."""
    return [
        {
            "decision": rule.effect,
            "rule": redact(rule.entry),
            "agent": rule.agent or None,
            "file": str(rule.file),
            "counts": rule.counts,
        }
        for rule in rules
    ]
