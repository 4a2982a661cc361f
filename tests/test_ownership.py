"""Repositories of other users: git works in none, and nothing of them counts for the person below."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.engine.claude.options import options_of
from maverick_tui.agent.permissions.standing import RuleBook
from maverick_tui.config import MaverickConfig
from maverick_tui.doctor.files import check_folder
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.asking import ask
from maverick_tui.git.head import head_of
from maverick_tui.git.repository import find_repository, persons_repository, repository_of
from maverick_tui.ownership import is_persons, strangers_repository
from maverick_tui.paths import project_folders
from maverick_tui.programs import search_path
from maverick_tui.review.blame import blame
from maverick_tui.review.committing import uncommitted
from maverick_tui.snapshots.shadow import root_of
from maverick_tui.ui.mentions.files import read_names
from maverick_tui.worktrees.making import base_of
from maverick_tui.worktrees.needs import needs_of
from tests.doctor.situations import here
from tests.support.agents import Talker
from tests.support.command_line import command_line

MALLORY = 12345

pytestmark = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root can have files that are another user's"
)


def repository(top: Path) -> Path:
    top.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", top], check=True)
    return top


def give_away(*places: Path) -> None:
    for place in places:
        for path in (place, *place.rglob("*")):
            os.lchown(path, MALLORY, -1)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder where everybody may put things, in which another user has made a repository with agents and rules."""
    shared = repository(tmp_path / "shared")
    (shared / "mine").mkdir()
    agents = shared / ".maverick" / "agents"
    agents.mkdir(parents=True)
    (agents / "theirs.md").write_text("---\nname: theirs\ndescription: Another user's.\n---\nHi\n")
    (shared / ".maverick" / "rules.toml").write_text('deny = ["Bash(ls:*)"]\n')
    (shared / ".mcp.json").write_text("{}")
    give_away(shared / ".git", shared / ".maverick")
    return shared


def linked(top: Path) -> None:
    """A `.git` of ours that leads to a repository of theirs."""
    (top / ".git").rename(top.parent / "theirs.git")
    (top / ".git").write_text(f"gitdir: {top.parent / 'theirs.git'}\n")
    give_away(top.parent / "theirs.git")


def behind_a_link(top: Path) -> None:
    (top / ".git").rename(top.parent / "theirs")
    (top / ".git").symlink_to(top.parent / "theirs")
    give_away(top.parent / "theirs")


OWNERS: dict[str, Callable[[Path], None]] = {
    "ours": lambda top: None,
    "only what is in it": lambda top: give_away(top / ".git" / "config"),
    "git's own folder": lambda top: give_away(top / ".git"),
    "only the folder": lambda top: os.chown(top, MALLORY, -1),
    "a file that leads to theirs": linked,
    "a link to theirs": behind_a_link,
}


def git_works_in(top: Path) -> bool:
    return not subprocess.run(["git", "rev-parse", "--git-dir"], cwd=top, capture_output=True, check=False).returncode


@pytest.mark.parametrize("way", OWNERS)
def test_whose_it_is_is_what_git_says(way: str, tmp_path: Path) -> None:
    top = repository(tmp_path / "project")
    OWNERS[way](top)
    assert is_persons(str(top)) == git_works_in(top) == (way in ("ours", "only what is in it", "a link to theirs"))


def worktree_without_its_project(tmp_path: Path) -> Path:
    repository(tmp_path / "main")
    author = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", *author, "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=tmp_path / "main", check=True)
    subprocess.run(["git", "worktree", "add", "--quiet", "../copied"], cwd=tmp_path / "main", check=True)
    (tmp_path / "main").rename(tmp_path / "elsewhere")
    return tmp_path / "copied"


def leads_on(pointer: bytes) -> Callable[[Path], Path]:
    def made(tmp_path: Path) -> Path:
        (tmp_path / "copied").mkdir()
        (tmp_path / "copied" / ".git").write_bytes(pointer)
        return tmp_path / "copied"

    return made


@pytest.mark.parametrize(
    "made",
    [
        worktree_without_its_project,
        leads_on(b"gitdir: ../../.git/modules/copied\n"),
        leads_on(b"gitdir: .git/x\n"),
        leads_on(b"gitdir: /nowhere\0else\n"),
    ],
)
def test_a_repository_that_is_not_there_is_not_another_users(made: Callable[[Path], Path], tmp_path: Path) -> None:
    """A worktree mounted into a container, a submodule copied alone: the project's rules count there as before."""
    top = made(tmp_path)
    (below := top / "sub").mkdir()
    (top / ".maverick").mkdir()
    (top / ".maverick" / "rules.toml").write_text('deny = ["Bash(git push:*)"]\n')
    assert not git_works_in(top)
    assert strangers_repository(below) is None
    assert project_folders(below) == [below, top]
    assert [rule.entry for rule in RuleBook(below, None, lambda *_: False)().rules] == ["Bash(git push:*)"]
    assert persons_repository(below) is None
    os.chown(top, MALLORY, -1)
    assert strangers_repository(below) is not None, "what is there of it is another user's"


SETTINGS = {
    "all": ("[safe]\n\tdirectory = *\n", True),
    "this one": ("[core]\n[Safe] Directory={top}\n", True),
    "quoted, with a comment": ('[safe]\n  directory = "{top}" ; of the team\n', True),
    "in two lines": ("[safe]\n  directory = {half}\\\n{rest}\n", True),
    "another one": ("[safe]\n\tdirectory = {top}/x\n", False),
    "taken back": ("[safe]\n\tdirectory = *\n\tdirectory =\n", False),
    "commented out": ("[safe]\n\t# directory = *\n[other]\n\tdirectory = *\n", False),
    "of a subsection": ('[safe "x"]\n\tdirectory = *\n', False),
    "included": ('[include]\n\tpath = "more"\n', True),
    "included on a condition": ('[includeIf "gitdir:{top}/"]\n\tpath = more\n', False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(
    ("way", "of"), [*((way, "home") for way in SETTINGS), ("all", "GIT_CONFIG_GLOBAL"), ("all", "GIT_CONFIG_SYSTEM")]
)
def test_safe_directories_count_as_git_counts_them(
    way: str, of: str, shared: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, expected = SETTINGS[way]
    file = home / ".gitconfig"
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    if of != "home":
        monkeypatch.setenv(of, str(file := home / "settings"))
    half = len(str(shared)) // 2
    file.write_text(text.format(top=shared, half=str(shared)[:half], rest=str(shared)[half:]))
    (home / "more").write_text("[safe]\n\tdirectory = *\n")
    assert is_persons(str(shared)) == git_works_in(shared) == expected


@pytest.mark.parametrize("value", ["{top}/", "{top}/../*", "{top}/../link"])
def test_safe_directories_count_as_newer_git_counts_them(
    value: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(shared)
    (settings := tmp_path / "settings").write_text(f"[safe]\n\tdirectory = {value.format(top=shared)}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    version = subprocess.run(["git", "version"], capture_output=True, check=True, text=True).stdout.split()[2]
    is_newer = tuple(map(int, version.split(".")[:2])) >= (2, 46)
    assert is_persons(str(shared))
    assert git_works_in(shared) == is_newer


def test_what_only_the_environment_calls_safe_does_not_count(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The git that we ask is not given it: a variable may name programs."""
    for name, value in {"COUNT": "1", "KEY_0": "safe.directory", "VALUE_0": "*"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert git_works_in(shared)
    assert (is_persons(str(shared)), ask(shared, "status")) == (False, None)
    (settings := shared.parent / "settings").write_text("[safe]\n\tdirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert (is_persons(str(shared)), ask(shared, "status") is not None) == (True, True)


def test_whoever_has_become_root_keeps_what_is_theirs(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(shared)
    for before, expected in ((str(MALLORY), True), ("1", False), ("x", False), ("", False)):
        monkeypatch.setenv("SUDO_UID", before)
        assert is_persons(str(shared)) == expected
        if before != "x":
            assert git_works_in(shared) == expected


def test_nothing_of_another_users_repository_counts_below_it(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = shared / "mine"

    def counts() -> list[object]:
        return [
            project_folders(mine) == [mine, shared],
            "theirs" in [agent.name for agent in discover(mine).agents],
            bool(RuleBook(mine, None, lambda *_: False)().rules),
            root_of(mine) == shared,
            repository_of(mine) == str(shared),
            head_of(mine) == "main",
            strangers_repository(mine) is None,
        ]

    assert counts() == [False] * 7
    assert project_folders(mine) == [mine]
    told = f"The git repository in {shared} belongs to another user: git does not work there, and its agents, rules"
    about, here = strangers_repository(mine), strangers_repository(shared)
    assert about is not None
    assert about.what.startswith(told)
    assert here is not None
    assert "do not count" not in here.what, "whoever works in that very folder has chosen it"
    for wants_one in (lambda: base_of(mine), lambda: uncommitted(mine, [])):
        with pytest.raises(ConfigError) as refused:
            wants_one()
        hint = f"If you trust it, run: git config --global --add safe.directory {shared}"
        assert (refused.value.message, refused.value.hint) == (f"{about.what}.", hint)
    # What agents may do is judged by what they might have git do, and its programs are nobody's of ours.
    assert (persons_repository(mine), find_repository(mine) is not None) == (None, True)
    (shared / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{shared / 'bin'}:/usr/bin")
    assert search_path(mine) == ["/usr/bin"]

    (settings := tmp_path / "settings").write_text(f"[safe]\n\tdirectory = {shared}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert counts() == [True] * 7


def test_the_persons_own_repository_counts_through_one_that_is_not(shared: Path, tmp_path: Path) -> None:
    """Else its rules could be put out of force by a `.git` in a folder of it where others may write."""
    repository(tmp_path)
    assert project_folders(shared / "mine") == [shared / "mine", tmp_path]
    assert root_of(shared / "mine") == shared / "mine", "git looks no further"


@pytest.mark.parametrize("whose", [lambda top: None, lambda top: give_away(top / ".git")])
def test_no_program_is_found_in_any_repository_around_a_folder(
    whose: Callable[[Path], None], shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in another user's, nor in the person's own project that this lies in."""
    whose(repository(tmp_path))
    places = (tmp_path / "bin", shared / "bin", shared / "mine" / "bin")
    for place in places:
        place.mkdir()
    monkeypatch.setenv("PATH", ":".join(map(str, (*places, "/usr/bin"))))
    for folder in (shared / "mine", shared):
        monkeypatch.chdir(folder)
        assert search_path() == ["/usr/bin"]


def test_lists_say_why_something_is_not_there(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = command_line(monkeypatch, capsys)
    why = f"maverick: The git repository in {shared} belongs to another user"
    assert why not in run("agents", "list").err
    monkeypatch.chdir(shared / "mine")
    for line in (["agents", "list"], ["agents", "show", "theirs"], ["rules", "list"], ["run", "theirs", "go"]):
        ran = run(*line)
        assert ran.err.startswith(why), line
        assert why not in ran.out
    (told,) = check_folder(here())
    command = f"If you trust it, run: git config --global --add safe.directory {shared}"
    assert (told.state, told.hint) == ("warning", command)


def test_the_doctor_cuts_no_path_in_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = repository(tmp_path / "My. Folder")
    give_away(top / ".git")
    monkeypatch.chdir(top)
    (told,) = check_folder(here())
    assert told.fact.endswith("belongs to another user: git does not work there")
    assert told.hint.endswith(f"git config --global --add safe.directory '{top}'")


def test_what_is_asked_of_a_repository_goes_without_there(shared: Path) -> None:
    (shared / ".maverick" / "worktree.toml").write_text('setup = ["make"]\n')
    assert needs_of(shared / "mine") is None
    file = shared / "mine" / "file"
    file.write_text("line\n")
    assert read_names(shared / "mine") == ["file"]
    assert [line.commit for line in blame(file)] == [""]


@pytest.mark.parametrize("name", ["CLAUDE.md", ".claude"])
def test_claude_code_is_not_started_where_it_would_go_by_what_another_user_has_put_above(
    name: str, tmp_path: Path
) -> None:
    above, mine = tmp_path / name, tmp_path / "shop" / "src"
    mine.mkdir(parents=True)
    above.mkdir() if name == ".claude" else above.touch()
    sources = MaverickConfig.load().model_copy(update={"setting_sources": ("user", "project")})
    assert options_of(Talker(), sources, mine, person=True).cwd == mine, "it is the person's own"
    give_away(above)
    with pytest.raises(ConfigError, match=r"belongs to another user.*setting_sources") as refused:
        options_of(Talker(), sources, mine, person=True)
    assert "take project and local out of setting_sources" in refused.value.hint
    assert options_of(Talker(), MaverickConfig.load(), mine, person=True).cwd == mine, "nothing of it is read"
    assert options_of(Talker(), sources, tmp_path, person=True).cwd == tmp_path, "the folder itself was chosen"
