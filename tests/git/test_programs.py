"""What agents' git is told, by variables that a real git reads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.git import making
from maverick_tui.git.asking import environment, read_settings
from maverick_tui.git.programs import (
    UNREADABLE,
    agent_variables,
    programs_named,
    run_by_commits,
    started_by_settings,
)
from maverick_tui.git.repository import find_repository
from tests.support.agents import Talker
from tests.support.cases import each


def test_settings_of_the_environment_stay_and_ours_are_added(tmp_path: Path) -> None:
    own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Somebody"}
    variables = {**os.environ, **own, **agent_variables({**os.environ, **own})}

    def setting(name: str) -> str:
        line = ["git", "config", name]
        return subprocess.run(line, env=variables, check=True, capture_output=True, text=True).stdout.strip()

    assert (setting("user.name"), setting("safe.bareRepository")) == ("Somebody", "explicit")


def test_a_path_that_depends_on_where_one_stands_is_left_out() -> None:
    told = agent_variables({"PATH": os.pathsep.join(["", ".", "/usr/bin", "bin", "/bin"]), "GIT_OPTIONAL_LOCKS": "1"})
    assert (told["PATH"], told["GIT_OPTIONAL_LOCKS"]) == (f"/usr/bin{os.pathsep}/bin", "1")


def test_an_agent_is_given_them_behind_those_of_its_settings() -> None:
    env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c", "PATH": ".:/opt/bin"}
    given = Talker(config=MaverickConfig(env=env)).options.env
    assert (given["GIT_CONFIG_COUNT"], given["GIT_CONFIG_KEY_0"], given["PATH"]) == ("5", "a.b", "/opt/bin")
    assert given["CDPATH"] == "", "it would take `cd src` elsewhere"
    assert (given["GIT_CONFIG_KEY_1"], given["GIT_CONFIG_VALUE_1"]) == ("safe.bareRepository", "explicit")


def test_no_object_stands_for_another_one(tmp_path: Path) -> None:
    making.init(tmp_path, "main")
    variables = {**os.environ, **agent_variables(os.environ)}

    def git(*words: str, by: Mapping[str, str] = variables) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, env=by, check=True, capture_output=True, text=True).stdout

    for name in ("README.md", ".env"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("replace", "-f", *(git("rev-parse", f":{name}").strip() for name in ("README.md", ".env")))
    assert git("cat-file", "-p", ":README.md", by=os.environ) == ".env", "it does by itself"
    assert git("cat-file", "-p", ":README.md") == "README.md"


def test_a_commit_works_with_them_and_hooks_of_the_person_still_run(tmp_path: Path) -> None:
    making.init(tmp_path, "main")
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\n: > {tmp_path}/checked\n")
    hook.chmod(0o755)
    variables = {**os.environ, **agent_variables(os.environ)}
    for line in (
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "--allow-empty", "-m", "x"],
        ["status"],
    ):
        subprocess.run(["git", *line], cwd=tmp_path, env=variables, check=True, capture_output=True)
    assert (tmp_path / "checked").exists()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("", [".git/hooks/pre-commit"]),
        ("[core] hooksPath = checks\n", ["checks/commit-msg"]),
        ("[core] hooksPath = /nowhere\n", []),
        ("[commit] gpgSign\n[gpg] program = x\n", [".git/hooks/pre-commit", "gpg.program"]),
        ("[commit] gpgSign = no\n[gpg] program = x\n", [".git/hooks/pre-commit"]),
        ('[filter "f"] clean = x\n[filter "g"] smudge = x\n', [".git/hooks/pre-commit", "filter.f.clean"]),
        ('[hook "h"] event = pre-commit\ncommand = x\n', [".git/hooks/pre-commit", "hook.h.command"]),
        ('[hook "h"] event = pre-push\ncommand = x\n', [".git/hooks/pre-commit"]),
        ('[includeIf "gitdir:**/by/.git"] path = more\n', [".git/hooks/pre-commit", "core.hookspath"]),
        ('[includeIf "gitdir:**/by/.git"] path = loop\n', [".git/hooks/pre-commit", UNREADABLE]),
        ("[gc] recentObjectsHook = x\n", [".git/hooks/pre-commit", "gc.recentobjectshook"]),
        ('[remote "r"] promisor\nuploadpack = x\n', ["remote.r.promisor", ".git/hooks/pre-commit"]),
        ('[remote "r"] partialCloneFilter =\n', ["remote.r.partialclonefilter", ".git/hooks/pre-commit"]),
    ],
)
def test_what_of_the_repository_a_commit_runs(tmp_path: Path, settings: str, named: list[str]) -> None:
    making.init(tmp_path, "main")
    for name, mode in (
        (".git/hooks/pre-commit", 0o755),
        (".git/hooks/post-commit", 0o644),
        ("checks/commit-msg", 0o755),
    ):
        hook = tmp_path / name
        hook.parent.mkdir(exist_ok=True)
        hook.touch()
        hook.chmod(mode)
    with (tmp_path / ".git" / "config").open("a") as file:
        file.write(settings)
    (tmp_path / ".git" / "more").write_text("[core] hooksPath = elsewhere\n")
    (tmp_path / ".git" / "loop").write_text("[include] path = loop\n")
    repository, found = find_repository(tmp_path), read_settings(tmp_path)
    assert repository is not None
    assert found is not None
    assert run_by_commits(repository, found[1]) == named


def test_a_broken_configuration_is_said_and_without_git_nothing_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    making.init(tmp_path, "main")
    (tmp_path / ".git" / "config").write_text("[broken")
    assert programs_named(tmp_path) == [UNREADABLE]
    assert programs_named(tmp_path.parent) == []
    monkeypatch.setenv("PATH", "")
    assert programs_named(tmp_path) == []


def not_a_pointer(project: Path) -> None:
    (project / "inner" / ".git").write_text("nothing of git's")


def too_long(project: Path) -> None:
    (project / "inner" / ".git").write_bytes(b"gitdir: ../.git".ljust(2 << 20, b"\n"))


def no_pointer(project: Path) -> None:
    (project / "inner" / ".git").mkdir()
    shutil.move(project / ".git" / "HEAD", project / ".git" / "head")


def shared_too_far_to_read(project: Path) -> None:
    (project / ".git" / "commondir").write_bytes(b"real".ljust(2 << 20, b"\n"))
    shutil.copytree(project / ".git", project / "real")
    (project / "real").rename(project / ".git" / "real")


def too_large_an_index(project: Path) -> None:
    with (project / ".git" / "sharedindex.a").open("wb") as file:
        file.truncate(10**12)  # no room on the disk


def no_branch(project: Path) -> None:
    (project / ".git" / "HEAD").write_text("nothing of git's")


@pytest.mark.parametrize(
    "spoil", [not_a_pointer, too_long, no_pointer, shared_too_far_to_read, too_large_an_index, no_branch]
)
def test_where_git_and_we_see_different_repositories_nobody_knows_what_it_runs(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    making.init(tmp_path, "main")
    (tmp_path / "inner").mkdir()
    assert programs_named(tmp_path / "inner") == []
    spoil(tmp_path)
    assert programs_named(tmp_path / "inner") == [UNREADABLE]


def test_objects_that_are_a_file_are_a_repository_for_git_and_so_for_us(tmp_path: Path) -> None:
    making.init(tmp_path, "main")
    objects = tmp_path / ".git" / "objects"
    shutil.rmtree(objects)
    objects.touch(mode=0o755)
    (tmp_path / ".git" / "remotes").mkdir()
    (tmp_path / ".git" / "remotes" / "origin").touch()
    assert programs_named(tmp_path) == [str(tmp_path / ".git" / "remotes" / "origin")]


def test_a_program_may_be_called_like_a_switch(tmp_path: Path) -> None:
    making.init(tmp_path, "main")
    with (tmp_path / ".git" / "config").open("a") as config:
        config.write('[filter "x"]\n clean = yes\n smudge =\n[core]\n fsmonitor = yes\n[pager]\n log = off\n')
    assert programs_named(tmp_path) == ["filter.x.clean"]


@pytest.mark.parametrize(
    ("key", "value", "is_named"),
    [
        ("log.showSignature", "true", True),
        ("log.showSignature", "false", False),
        ("tag.sort", "-*signature:grade", True),
        ("branch.sort", "-committerdate", False),
        ("diff.submodule", "diff", True),
        ("diff.submodule", "log", True),
        ("diff.submodule", "short", False),
        ("status.submoduleSummary", "no", False),
        ("submodule.active", ".", False),
        ("push.recurseSubmodules", "check", False),
        ("log.diffMerges", "first-parent", False),
        ("submodule.recurse", "true", True),
        ("blame.ignoreRevsFile", "/etc/passwd", True),
        ("blame.ignoreRevsFile", ".git-blame-ignore-revs", False),
    ],
)
def test_switches_that_make_git_run_something(key: str, value: str, is_named: bool, tmp_path: Path) -> None:
    making.init(tmp_path, "main")
    section, name = key.split(".")
    with (tmp_path / ".git" / "config").open("a") as config:
        config.write(f"[{section}]\n {name} = {value}\n")
    assert programs_named(tmp_path) == ([key.lower()] if is_named else [])


UP = "{up}"
"""As many ways up as there are folders above the project."""


@each(
    "settings",
    [
        "[core]\n hooksPath = %(prefix)/../proc/self/cwd/hooks\n",
        "[core]\n hooksPath = :(optional)hooks\n",
        "[blame]\n ignoreRevsFile = %(prefix)/../etc/passwd\n",
        '[includeIf "onbranch:other"]\n path = %(prefix)/../proc/self/cwd/more\n',
        '[includeIf "onbranch:other"]\n path = more\n',
        "[core]\n hooksPath = /proc/self/cwd/hooks\n",
        "[core]\n hooksPath = /usr/../proc/self/cwd/hooks\n",
        "[core]\n hooksPath = //proc/self/cwd/hooks\n",
        "[core]\n hooksPath = /./proc/self/cwd/hooks\n",
        f"[core]\n hooksPath = {UP}proc/self/cwd/hooks\n",
        f"[core]\n hooksPath = {UP}../proc/self/cwd/hooks\n",
        "[core]\n hooksPath = inner/to-git/hooks\n",
        "[core]\n hooksPath = link\n",
        "[core]\n hooksPath = filled\n",
        "[core]\n hooksPath = /dev/fd/5/hooks\n",
        "[blame]\n ignoreRevsFile = link\n",
        "[core]\n worktree = link\n",
        "[include]\n path = ../inner/to-git/more\n",
        "[include]\n path = link\n",
        "[core]\n hooksPath = " + "a/" * 500_000 + "\n",
        "",
    ],
)
def test_paths_that_we_cannot_spell_out_as_git_does_count_as_unknown(settings: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        making.init(folder, "main")
        for place in ("inner", "filled"):
            (folder / place).mkdir()
        to_git = UP.format(up="../" * len(folder.parents)) + "proc/thread-self/cwd"
        for link in ("inner/to-git", "link", ".git/link", ".git/hooks"):
            if link != ".git/hooks" or not settings:
                (folder / link).symlink_to(f"../{to_git}")
        (folder / "filled" / "post-index-change").symlink_to("/proc/self/cwd/hook")
        (folder / ".git" / "more").write_text("[core]\n fsmonitor =\n hooksPath = %(prefix)/x\n")
        with (folder / ".git" / "config").open("a") as config:
            config.write(settings.replace(UP, "../" * (len(folder.parents))))
        assert programs_named(folder), "it is not taken for an ordinary one"
        assert started_by_settings(folder) is None


@pytest.mark.parametrize("kind", ["link", "pointer", "common"])
def test_a_repository_that_each_process_finds_elsewhere_is_none(kind: str, tmp_path: Path) -> None:
    real = (project := tmp_path / "project") / "real"
    real.mkdir(parents=True)
    making.init(real, "main")
    if kind == "link":
        (project / ".git").symlink_to("/proc/self/cwd/real/.git")
    elif kind == "pointer":
        (project / ".git").write_text("gitdir: /proc/self/cwd/real/.git\n")
    else:
        making.init(project, "main")
        (project / ".git" / "commondir").write_text("/usr/../proc/self/cwd/real/.git\n")
    found = subprocess.run(
        [sys.executable, "-c", _FINDS, str(project)], cwd=project, check=True, capture_output=True, text=True
    )
    assert find_repository(real) is not None
    assert found.stdout == f"None ['{UNREADABLE}']\n"


_FINDS = """
import sys
from pathlib import Path
from maverick_tui.git.programs import programs_named
from maverick_tui.git.repository import find_repository
print(find_repository(Path(sys.argv[1])), programs_named(Path(sys.argv[1])))
"""


@pytest.mark.parametrize("condition", ["gitdir:**/by-link/", "onbranch:other", "onbranch:main"])
def test_what_is_named_on_a_condition_counts_whether_or_not_that_holds(condition: str, tmp_path: Path) -> None:
    """The agent's git may be on another branch by then, or be told its folder by another name."""
    project = tmp_path / "real" / "project"
    project.mkdir(parents=True)
    making.init(project, "main")
    (tmp_path / "by-link").symlink_to("real")
    with (project / ".git" / "config").open("a") as config:
        config.write(f'[includeIf "{condition}"]\n path = inner\n')
    inner = project / ".git" / "inner"
    inner.write_text("[user]\n name = me\n")
    assert programs_named(project) == []
    inner.write_text('[diff]\n external = ./trap\n[includeIf "gitdir:x/"]\n path = deeper\n')
    hook = project / "hooks" / "post-index-change"
    hook.parent.mkdir()
    hook.touch(0o755)
    (project / ".git" / "deeper").write_text("[core]\n hooksPath = hooks\n")
    for folder in (project, tmp_path / "by-link" / "project", hook.parent):
        assert programs_named(folder) == ["diff.external", str(hook)]
    inner.write_text("[broken")
    assert UNREADABLE in programs_named(project)


def test_git_is_told_the_one_name_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(".")
    monkeypatch.setenv("PWD", str(tmp_path / "link"))
    assert environment(tmp_path / "link", {})["PWD"] == str(tmp_path)
