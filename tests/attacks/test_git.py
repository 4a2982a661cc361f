"""Looking at a project runs nothing that its git configuration names: every place that asks git, every setting known.

Plain git falls into the same traps afterwards, so none of them is broken.
"""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import maverick_tui
from maverick_tui import AgentContext, ConfigError
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import ToolContext
from maverick_tui.git.head import Checkout, read_checkout
from maverick_tui.git.past_names import past_names
from maverick_tui.git.programs import agent_variables, programs_named
from maverick_tui.offline.demo.project import changed_files, make_project
from maverick_tui.runs.loading import branch_of
from maverick_tui.testing import Offline
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.making import make, make_again
from maverick_tui.worktrees.records import Worktree
from tests.attacks.git_traps import STATUS, TRAPS, Ground, Trap, fall_into, lay, make_base
from tests.conftest import ServeModel
from tests.support.agents import Talker, Worker, drain
from tests.support.model import bash, say
from tests.support.sampling import sampled

BY_ID = {trap.id: trap for trap in TRAPS}

TOGETHER = (
    "core.fsmonitor",
    "hooks",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.required",
    "includeIf gitdir",
    "diff.external",
    "core.pager",
    "gpg.program",
    "core.alternateRefsCommand",
    "alias of a command",
    "gc.auto",
    "credential.helper",
    "remote.origin.vcs",
    "GIT_EXTERNAL_DIFF",
    "GIT_CONFIG_COUNT",
    "a point in PATH",
)


def _all(ground: Ground) -> None:
    for name in TOGETHER:
        ground.mark = name.replace(" ", "-")
        BY_ID[name].set(ground)


ALL_TOGETHER = Trap("all together", _all, STATUS)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(folder)
    return folder


def enter(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to look at, in a shell that has set its variables."""
    for name, value in ground.variables.items():
        monkeypatch.setenv(name, value)
    return ground.looked_at


async def use(tool: str, folder: Path, pattern: str = "*") -> str:
    tools = {one.name: one for one in file_tools(folder)}
    return str(await tools[tool].execute({"pattern": pattern}, ToolContext(cancel=CancelToken())))


@pytest.mark.parametrize("trap", sampled(TRAPS, 3, [trap.id for trap in TRAPS]))
async def test_looking_runs_nothing(trap: Trap, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    folder = enter(ground, monkeypatch)
    seen = read_checkout(folder)
    branch = branch_of(folder)
    with suppress(ConfigError):
        assert AgentContext.from_cwd(folder).branch == branch
    files = await use("Glob", folder)
    named = programs_named(folder)
    past_names(folder)
    assert ground.left() == []

    assert (seen is not None) is trap.is_told
    assert seen is None or (seen.branch == branch and seen.changed > 0)
    assert branch in ("main", "side")
    assert "Found" in files or folder.name == "sub"
    is_named = bool(trap.plain) if trap.is_named is None else trap.is_named
    assert bool(named) is is_named, named

    if trap.plain:
        fall_into(trap, ground)
        assert ground.left() != [], "the trap is broken: plain git does not fall into it"


def _all_of_worktrees(ground: Ground) -> None:
    """What is there for somebody who only looks, and what would be run by those who check out, commit and merge."""
    _all(ground)
    for name in ("diff.x.textconv", "merge.x.driver", "core.editor"):
        ground.mark = name
        BY_ID[name].set(ground)
    ground.mark = "smudge"
    ground.config('[filter "y"]\n smudge = {run}')  # beside a process it would not be asked
    ground.write(".git/info/attributes", "* filter=x diff=x merge=x\n*.txt filter=y\n")


# Each makes and ends three worktrees, with some hundred calls of git: what can be laid together is.
WORKTREE_TRAPS = [Trap("all together", _all_of_worktrees), *TRAPS]


@pytest.mark.parametrize(
    "trap",
    sampled(WORKTREE_TRAPS, len(WORKTREE_TRAPS), [trap.id for trap in WORKTREE_TRAPS]),
)
def test_worktrees_of_runs_run_nothing(trap: Trap, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    folder = enter(ground, monkeypatch)
    ways: list[Callable[[Worktree], object]] = [
        lambda worktree: ending.merge(worktree, "better"),
        lambda worktree: ending.keep(worktree, "better"),
        ending.remove,
    ]
    made = 0
    for number, end in enumerate(ways):
        with suppress(ConfigError):  # some repositories cannot be read, and then there is none
            worktree = make(f"{number}00000000000", "fixer", folder, brings_changes=number == 1).worktree
            made += 1
            (worktree.top / "a.txt").write_text("better\n")
            (worktree.top / "new.x").write_text("new\n")
            ending.loss_of(worktree)
            ending.commit_all(worktree, "better")
            ending.changed_by(worktree)
            ending.diff_of(worktree)
            with suppress(ConfigError):
                end(worktree)
            make_again(worktree)
    assert ground.left() == []
    assert made == len(ways) or trap is not WORKTREE_TRAPS[0]
    if trap.is_told and not made and trap.id != "core.worktree":  # files elsewhere are never ours to change
        config = (ground.project / ".git" / "config").read_text().casefold()
        assert "promisor" in config or "partialclone" in config, "only a partial clone lacks files"


def test_an_ordinary_repository_names_no_programs(base: Path, tmp_path: Path) -> None:
    ground = lay(Trap("none", lambda _: None), base, tmp_path / "ground")
    ground.git("config", "core.hooksPath", ".husky")
    ground.git("config", "core.fsmonitor", "true")
    ground.git("config", "pager.log", "false")
    ground.git("remote", "add", "origin", "https://example.org/x")
    ground.write(".husky/pre-commit", "#!/bin/sh\n").chmod(0o755)
    ground.write(".husky/post-index-change", "#!/bin/sh\n")  # nobody may execute it
    assert programs_named(ground.project) == []
    assert read_checkout(ground.project) == Checkout("main", 2)


@pytest.mark.parametrize(
    ("trap", "names"),
    [
        ("filter.x.required", ["filter.x.clean"]),
        ("include.path", ["core.fsmonitor"]),
        ("core.hooksPath", [".husky/post-index-change"]),
        ("submodule", ["submodule.recurse", "core.fsmonitor"]),
        ("url.x.insteadOf", ["remote.origin.promisor", "url.ext::{run} .insteadof", "protocol.allow"]),
        (".git/remotes", [".git/remotes/origin", "remote.origin.promisor", "protocol.ext.allow"]),
        ("log.diffMerges", ["log.diffmerges", "merge.x.driver"]),
        ("status.submoduleSummary", ["status.submodulesummary"]),
        ("diff.submodule", ["diff.submodule"]),
        ("log.diffMerges by submodule", ["log.diffmerges"]),
    ],
)
def test_programs_are_named_by_their_settings(trap: str, names: list[str], base: Path, tmp_path: Path) -> None:
    ground = lay(BY_ID[trap], base, tmp_path / "ground")
    named = [name.replace(f"{ground.project}/", "") for name in programs_named(ground.looked_at)]
    assert named == [name.replace("{run}", ground.program()) for name in names]


@pytest.mark.parametrize("trap", ["status.submoduleSummary", "diff.submodule", "log.diffMerges by submodule"])
def test_an_agents_git_looks_into_no_submodule_that_the_index_does_not_have(
    trap: str, base: Path, tmp_path: Path
) -> None:
    ground = lay(BY_ID[trap], base, tmp_path / "ground")
    ground.variables |= agent_variables(os.environ)  # also where the person has set it for all repositories
    fall_into(BY_ID[trap], ground)
    assert ground.left() == []


# -- repositories that we make -----------------------------------------------------------------------------------------


def hostile_home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Somebody whose own settings run programs in every new repository."""
    ground = Ground(tmp_path / "ground")
    run = ground.program()
    ground.hooks(ground.root / "template" / "hooks")
    ground.hooks(ground.root / "hooks")
    (ground.root / "attributes").write_text("* filter=x diff=x\n")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    (home / ".gitconfig").write_text(
        f"[init]\n templateDir = {ground.root / 'template'}\n[user]\n name = x\n email = x@example.org\n"
        f"[core]\n hooksPath = {ground.root / 'hooks'}\n fsmonitor = {run}\n editor = {run}\n pager = {run}\n"
        f' attributesFile = {ground.root / "attributes"}\n[filter "x"]\n clean = {run}\n smudge = {run}\n'
        f"[commit]\n gpgSign = true\n[gpg]\n program = {run}\n[gc]\n auto = 1\n[alias]\n commit = !{run}\n"
    )
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(ground.root / "template"))
    monkeypatch.setenv("GIT_EDITOR", run)
    return ground


def test_making_repositories_runs_nothing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = hostile_home(home, tmp_path, monkeypatch)
    project = make_project(tmp_path / "shop")
    (project / "README.md").write_text("changed\n")
    assert changed_files(project) == [" M README.md"]
    offline = Offline(tmp_path / "plugin")
    assert branch_of(offline.cwd) == "main"
    assert ground.left() == []
    assert not (project / ".git" / "hooks").exists()

    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text("x\n")
    for command in (["init"], ["add", "."], ["commit", "-m", "x"]):
        subprocess.run(["git", *command], cwd=plain, capture_output=True, check=False)
    assert ground.left() == ["ran"]


# -- the CLI -----------------------------------------------------------------------------------------------------------

CLI_TRAPS = [ALL_TOGETHER, BY_ID["embedded bare repository"], BY_ID["nothing in PATH"]]


@pytest.mark.parametrize("trap", sampled(CLI_TRAPS, 4, [trap.id for trap in CLI_TRAPS]))
async def test_a_session_of_the_cli_runs_nothing_by_itself(
    trap: Trap, base: Path, tmp_path: Path, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    folder = enter(ground, monkeypatch)
    async with serve(say("Hello.")) as model, Talker().session(AgentContext.from_cwd(folder)) as session:
        _, failure = await drain(session.query("go"))
        assert (failure, len(model.requests)) == (None, 1)
    assert "Found" in await use("Grep", folder, ".")
    assert ground.left() == []
    fall_into(trap, ground)
    assert ground.left() != []


async def test_an_agents_own_git_takes_no_folder_of_a_clone_for_a_repository(
    base: Path, tmp_path: Path, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = lay(BY_ID["embedded bare repository"], base, tmp_path / "ground")
    folder = enter(ground, monkeypatch)
    async with serve([bash("git status"), say("Done.")]) as model:
        result = await Worker().execute(AgentContext.from_cwd(folder))
    assert result.success
    assert "safe.bareRepository" in str(model.requests[-1]["messages"])
    assert ground.left() == []


# -- the package -------------------------------------------------------------------------------------------------------


def runs_git(source: str) -> Iterator[int]:
    """The lines in which a module runs git, or imports a library that does."""
    for node in ast.walk(ast.parse(source)):
        names: list[ast.expr | str | None] = []
        if isinstance(node, ast.Import):
            names += [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [(node.module or "").partition(".")[0]] if not node.level else []
        elif isinstance(node, ast.List | ast.Tuple):
            names += node.elts[:1]
        elif isinstance(node, ast.Call):
            names += node.args[:1]
        for name in names:
            word = name.value if isinstance(name, ast.Constant) else name
            if isinstance(word, str) and Path(word.partition(" ")[0]).stem == "git":
                yield node.lineno  # type: ignore[attr-defined]


def test_git_is_run_in_one_place() -> None:
    package = Path(maverick_tui.__file__).parent
    sources = {
        path.relative_to(package): path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
        if package / "git" not in path.parents
    }
    found = [f"{path}:{line}" for path, text in sources.items() if "git" in text for line in runs_git(text)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import git",
        "from git import Repo",
        "run(['git', 'status'])",
        "run(('/usr/bin/git', 'x'))",
        "create_subprocess_exec('git', 'status')",
        "run('git status', shell=True)",
        "shutil.which('git.exe')",
    ],
)
def test_running_git_would_be_found(source: str) -> None:
    assert list(runs_git(source))
