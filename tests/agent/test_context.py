"""AgentContext: validated where it is made, the branch found through a real git."""

from __future__ import annotations

import dataclasses
import subprocess
import threading
from pathlib import Path

import pytest

from maverick_tui import AgentContext, ConfigError, MaverickConfig
from maverick_tui.agent import context as context_module

CONFIG = MaverickConfig()


def git(*arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    return subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git("init", "-b", "trunk")
    git("commit", "--allow-empty", "-m", "first")
    return Path.cwd()


@pytest.mark.req("000-FR-009", "001-CX-frozen", "001-CX-extra")
def test_fields(tmp_path: Path) -> None:
    one = AgentContext(cwd=tmp_path, branch="main", config=CONFIG)
    two = AgentContext(cwd=tmp_path, branch="main", config=CONFIG, extra={"prompt": "x"})
    assert (one.cwd, one.branch, one.config, one.extra) == (tmp_path, "main", CONFIG, {})
    assert one.extra is not AgentContext(cwd=tmp_path, branch="main", config=CONFIG).extra
    assert two.extra["prompt"] == "x"
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.branch = "other"  # type: ignore[misc]
    assert not hasattr(one, "__dict__")


@pytest.mark.req("001-CX-cwd")
@pytest.mark.parametrize("name", ["missing", "a-file"])
def test_the_working_directory_must_be_there(name: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("")
    with pytest.raises(ValueError, match=name):
        AgentContext(cwd=tmp_path / name, branch="main", config=CONFIG)
    with pytest.raises(ConfigError, match=name):
        AgentContext.from_cwd(tmp_path / name, CONFIG)


@pytest.mark.req("001-CX-branch")
@pytest.mark.parametrize("branch", ["", "  ", None])
def test_the_branch_must_have_a_name(branch: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="branch"):
        AgentContext(cwd=tmp_path, branch=branch, config=CONFIG)


@pytest.mark.req("001-CX-fromcwd")
def test_from_cwd_on_a_branch_in_a_subfolder_and_detached(repository: Path) -> None:
    assert AgentContext.from_cwd(repository).branch == "trunk"
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    context = AgentContext.from_cwd(below, CONFIG)
    assert (context.branch, context.cwd, context.config) == ("trunk", below, CONFIG)
    git("checkout", "--detach")
    branch = AgentContext.from_cwd(repository).branch
    assert len(branch) == 7
    assert git("rev-parse", "HEAD").startswith(branch)


@pytest.mark.req("001-CX-fromcwd")
def test_from_cwd_before_the_first_commit_in_a_worktree_and_on_a_branch_with_slashes(repository: Path) -> None:
    git("worktree", "add", "-b", "feature/x", "tree")
    assert AgentContext.from_cwd(repository / "tree").branch == "feature/x"
    git("checkout", "--orphan", "unborn")
    assert AgentContext.from_cwd(repository).branch == "unborn"


@pytest.mark.req("001-CX-fromcwd")
def test_outside_a_repository_the_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=str(tmp_path)) as raised:
        AgentContext.from_cwd(tmp_path)
    assert "git init" in str(raised.value)


@pytest.mark.req("001-CX-fromcwd")
def test_a_broken_repository_is_an_error_of_ours() -> None:
    Path(".git").mkdir()
    Path(".git/HEAD").write_bytes(b"\xff\x00 nonsense")
    with pytest.raises(ConfigError, match="git repository"):
        AgentContext.from_cwd(Path.cwd())


@pytest.mark.req("000-FR-013")
async def test_on_an_event_loop_git_is_read_in_a_thread(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    real = context_module.current_branch

    def watched(folder: Path) -> str:
        threads.append(threading.current_thread())
        return real(folder)

    monkeypatch.setattr(context_module, "current_branch", watched)
    context = await AgentContext.from_cwd_async(repository, extra={"a": 1})
    assert (context.branch, context.extra) == ("trunk", {"a": 1})
    assert threads[0] is not threading.main_thread()
