"""Files of others that a repository has git tell: plain git tells each, and each is named before it does."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.git import making
from maverick_tui.git.asking import ask
from maverick_tui.git.programs import UNREADABLE, links_searched, programs_named, started_by_settings
from tests.support.sampling import sampled

SECRET = "hunter2-x!y"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    (folder / "src" / "id_rsa").write_text("one\n")
    making.init(folder, "main")
    making.commit_all(folder, "Begin", name="x", email="x@example.org")
    return folder


@pytest.fixture
def project(base: Path, tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "id_rsa").write_text(f"machine example.org login y password {SECRET}\n")
    return Path(shutil.copytree(base, tmp_path / "project"))


def git(project: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=project, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def link(path: str, **others: str) -> Callable[[Path], None]:
    """A link to a key where git reads lines, and plain files beside it."""

    def set_up(project: Path) -> None:
        place = project / ".git" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        for name, text in others.items():
            (place.parent / name).write_text(text)
        place.symlink_to(project.parent / "keys" / "id_rsa")

    return set_up


def config(text: str) -> Callable[[Path], None]:
    def set_up(project: Path) -> None:
        with (project / ".git" / "config").open("a") as file:
            file.write(text.replace("{keys}", str(project.parent / "keys")))

    return set_up


def sparse(project: Path) -> None:
    config("[core]\n sparseCheckout = true\n sparseCheckoutCone = true\n")(project)
    link("info/sparse-checkout")(project)


def worktree(project: Path) -> None:
    git(project, "update-index", "--force-remove", "a.txt", "src/id_rsa")
    blob = git(project, "rev-parse", "HEAD:a.txt").strip()
    git(project, "update-index", "--add", "--cacheinfo", f"100644,{blob},id_rsa")
    config("[core]\n worktree = {keys}\n")(project)


def ignored_commits(project: Path) -> None:
    config("[blame]\n ignoreRevsFile = revs\n")(project)
    (project / "revs").symlink_to("../keys/id_rsa")


def further_objects(project: Path) -> None:
    (project / "more" / "info").mkdir(parents=True)
    (project / "more" / "info" / "alternates").symlink_to("../../../keys/id_rsa")
    (project / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (project / ".git" / "objects" / "info" / "alternates").write_text("../../more\n")


def graphs_elsewhere(project: Path) -> None:
    """The link in a folder of the project's, to which a link of git's own leads."""
    (project / "graphs").mkdir()
    (project / "graphs" / "commit-graph-chain").symlink_to("../../keys/id_rsa")
    (project / "graphs" / "round").symlink_to(".")
    (project / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (project / ".git" / "objects" / "info" / "commit-graphs").symlink_to("../../../graphs")


def shared_elsewhere(project: Path) -> None:
    """All but HEAD in a folder that is named with an end of line as on Windows."""
    own = project / ".git"
    (own / "real").mkdir()
    for name in ("objects", "refs", "config"):
        (own / name).rename(own / "real" / name)
    (own / "commondir").write_bytes(b"real\r\n")
    link("real/shallow")(project)


HEAD = {"HEAD": "ref: refs/heads/main\n", "commondir": "../..\n"}
WAYS: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    "alternates": (link("objects/info/alternates"), ["log", "-1"], ".git/objects/info/alternates"),
    "further alternates": (further_objects, ["log", "-1"], ".git/objects/info/alternates"),
    "commit-graphs": (
        link("objects/info/commit-graphs/commit-graph-chain"),
        ["log", "-1"],
        ".git/objects/info/commit-graphs/commit-graph-chain",
    ),
    "commit-graphs elsewhere": (
        graphs_elsewhere,
        ["log", "-1"],
        ".git/objects/info/commit-graphs/commit-graph-chain",
    ),
    "shallow": (link("shallow"), ["log", "-1"], ".git/shallow"),
    "shallow in a shared folder": (shared_elsewhere, ["log", "-1"], ".git/real/shallow"),
    "grafts": (link("info/grafts"), ["log", "-1"], ".git/info/grafts"),
    "info/attributes": (link("info/attributes"), ["diff", "HEAD~0"], ".git/info/attributes"),
    "core.attributesFile": (config("[core]\n attributesFile = {keys}/id_rsa\n"), ["diff"], "core.attributesfile"),
    "sparse-checkout": (sparse, ["status"], ".git/info/sparse-checkout"),
    "packed-refs": (link("packed-refs"), ["branch", "-a"], ".git/packed-refs"),
    "a rebase": (
        link("rebase-merge/git-rebase-todo", done="x\n", interactive=""),
        ["status"],
        ".git/rebase-merge/git-rebase-todo",
    ),
    "a bisection": (link("BISECT_START", BISECT_LOG=""), ["status"], ".git/BISECT_START"),
    "another worktree": (link("worktrees/x/gitdir", **HEAD), ["worktree", "list"], ".git/worktrees/x/gitdir"),
    "core.worktree": (worktree, ["grep", "hunter"], "core.worktree"),
    "blame.ignoreRevsFile": (ignored_commits, ["blame", "a.txt"], "blame.ignorerevsfile"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_git_would_tell_is_named(way: str, project: Path) -> None:
    set_up, command, name = WAYS[way]
    set_up(project)
    (project / "a.txt").write_text("changed\n")
    also = [".git"] if set_up is shared_elsewhere else []  # it might share another folder's
    assert [named.removeprefix(f"{project}/") for named in programs_named(project)] == [name, *also]
    assert SECRET in git(project, *command), "the trap is broken: plain git does not tell it"


def test_git_grep_asks_where_a_folder_of_the_index_is_a_link(project: Path) -> None:
    judge = Judge(["Bash"], project, person=True, git_programs=programs_named)
    assert judge.judge("Bash", {"command": "git grep hunter"}).decision == "allow"
    shutil.rmtree(project / "src")
    (project / "src").symlink_to("../keys")
    assert SECRET in git(project, "grep", "hunter")
    assert links_searched(project) == ["src"]
    asked = judge.judge("Bash", {"command": "git --no-pager grep hunter"})
    assert (asked.decision, asked.reason) == (
        "ask",
        "git grep would go where links of this repository lead: src.",
    )
    assert judge.judge("Bash", {"command": "git log"}).decision == "allow"
    assert links_searched(project.parent) == []
    (project / ".git" / "index").write_text("broken")
    assert links_searched(project) == [UNREADABLE]


@pytest.mark.parametrize("person", [True, False])
def test_an_alias_asks_where_it_is_called_and_nowhere_else(person: bool, project: Path) -> None:
    judge = Judge(["Bash(git:*)"], project, person=person, git_programs=programs_named)
    config("[alias]\n whatchanged = !touch PWNED\n co = checkout\n")(project)
    assert judge.judge("Bash", {"command": "git log -1"}).decision == "allow"
    told = judge.judge("Bash", {"command": "git whatchanged -1"})
    reason = "This repository makes git do more than read it: alias.whatchanged."
    assert told[:2] == ("ask" if person else "deny", reason)


@pytest.mark.parametrize(
    "file",
    ["config", "HEAD", "packed-refs", "objects/info/alternates", "info/exclude", "refs/heads/deep/branch",
     "logs/refs/heads/main", "logs/refs/heads/deep/branch"],
)  # fmt: skip
def test_a_pipe_in_gits_own_folder_is_named_and_not_waited_for(file: str, project: Path) -> None:
    path = project / ".git" / file
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert ask(project, "status", seconds=600) is None
    assert programs_named(project) == [str(path), UNREADABLE]


def test_a_pipe_among_the_files_of_a_project_that_git_reads_is_not_waited_for(project: Path) -> None:
    (project / ".mailmap").symlink_to("a.txt")
    assert programs_named(project) == []
    os.mkfifo(project / ".gitignore")
    assert ask(project, "status", seconds=600) is None
    assert programs_named(project) == [str(project / ".gitignore"), UNREADABLE]


def test_links_and_files_that_are_ordinary_are_not_named(project: Path, tmp_path: Path) -> None:
    (project / "githooks").mkdir()
    (project / ".git" / "hooks").symlink_to("../githooks")
    (project / ".git" / "branches").mkdir()
    (project / "githooks" / "pre-commit").symlink_to("../a.txt")
    commit = git(project, "rev-parse", "HEAD").strip()
    (project / ".git-blame-ignore-revs").write_text(f"# Formatting\n\n{commit}  # all of it\n{commit}\r\n")
    config("[blame]\n ignoreRevsFile = .git-blame-ignore-revs\n[protocol]\n version = 2\n")(project)
    git(project, "worktree", "add", "-b", "side", str(tmp_path / "side"))
    git(project, "pack-refs", "--all")
    git(tmp_path, "clone", "--depth=1", f"file://{project}", "shallow")
    for folder in (project, tmp_path / "side", tmp_path / "shallow"):
        assert programs_named(folder) == []
    (project / ".git-blame-ignore-revs").write_text("PASSWORD=x\n")
    assert programs_named(project) == ["blame.ignorerevsfile"]


def test_a_link_among_refs_is_named(project: Path, tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(exist_ok=True)
    link = project / ".git" / "refs" / "heads" / "deep"
    link.symlink_to(tmp_path / "keys")
    assert programs_named(project) == [str(link)]
    link.unlink()
    refs = project / ".git" / "refs"
    refs.rename(tmp_path / "refs")
    refs.symlink_to(tmp_path / "refs")
    assert programs_named(project) == [str(refs)]


def test_a_link_among_packs_is_named(project: Path, tmp_path: Path) -> None:
    pack = project / ".git" / "objects" / "pack" / "multi-pack-index"
    pack.symlink_to(tmp_path / "keys" / "id_rsa")
    assert programs_named(project) == [str(pack)]


def test_the_repository_of_another_folder_is_named(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / ".git").write_text(f"gitdir: {project}/.git\n")
    assert programs_named(clone) == [str(clone / ".git")]


def test_a_folder_with_too_much_in_it_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.git.repository._MOST_ENTRIES", 3)
    assert programs_named(project) == [str(project / ".git")]


@pytest.mark.parametrize("person", sampled([True, False], 2))
def test_hooks_and_programs_that_settings_name_in_the_working_tree_are_not_edited_unasked(
    person: bool, project: Path
) -> None:
    judge = Judge(["Edit", "Write"], project, person=person, git_starts=started_by_settings)
    paths = (
        "src/git-hooks/pre-commit", "src/git-hooks/new", "tools/clean.sh", "src/pager", "tools/say.py", "tools/cred",
        "team/gitconfig", "team/other", "team/deeper", "template/hooks/post-checkout", "tools/mail", "tools/update.sh",
        "tools/transfer", "tools/shrink",
    )  # fmt: skip

    def decided(path: str) -> str:
        return judge.judge("Write", {"file_path": path}, mode="acceptEdits").decision

    assert {decided(path) for path in paths} == {"allow"}
    config(
        '[core]\n hooksPath = src/git-hooks\n pager = src/pager | less\n[filter "x"]\n clean = ./tools/clean.sh %f\n'
        "[alias]\n x = !python -m tools.say\n l = log --oneline\n[credential]\n helper = !tools/cred\n"
        '[include]\n path = ../team/gitconfig\n[includeIf "onbranch:other"]\n path = ../team/other\n'
        "[init]\n templateDir = template\n[imap]\n tunnel = tools/mail\n"
        '[submodule "x"]\n update = !tools/update.sh\n[submodule "y"]\n update = log.py\n'
        '[lfs "customtransfer.x"]\n path = tools/transfer\n[lfs "extension.x"]\n clean = tools/shrink %f\n'
    )(project)
    (project / "team").mkdir()
    (project / "team" / "gitconfig").write_text("[include]\n path = deeper\n")
    assert {decided(path) for path in paths} == {"ask" if person else "deny"}
    for path in ("src/other.py", "log", "log.py", "tools/README.md"):
        assert decided(path) == "allow", path
    (project / ".git" / "hooks").mkdir(exist_ok=True)
    assert decided("scripts/pre-commit") == "allow"
    (project / ".git" / "hooks" / "pre-commit").symlink_to("../../scripts/pre-commit")
    assert decided("scripts/pre-commit") == ("ask" if person else "deny"), "a usual way to share hooks"
    (project / "src" / "git-hooks").mkdir(parents=True)
    (project / "src" / "git-hooks" / "pre-push").symlink_to("../../scripts/pre-push")
    assert decided("scripts/pre-push") == ("ask" if person else "deny")
    nested = project / "nested"
    subprocess.run(["git", "init", "--quiet", nested], check=True)
    with (nested / ".git" / "config").open("a") as file:
        file.write("[core]\n hooksPath = hooks\n")
    assert decided("nested/hooks/pre-commit") == ("ask" if person else "deny"), "the folder is not there yet"
    assert decided("all-hooks/pre-push") == "allow"
    with (nested / ".git" / "config").open("a") as file:
        file.write("[core]\n hooksPath = ../all-hooks\n")
    assert decided("all-hooks/pre-push") == ("ask" if person else "deny"), "hooks that a repository below names"
    (nested / ".git" / "config").write_text("[core\n")
    assert decided("nested/any.py") == ("ask" if person else "deny"), "nobody knows what git would run"


def test_what_the_person_has_set_for_folders_below_counts_where_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "several"
    (work / "hooks").mkdir(parents=True)
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[includeIf "gitdir:{work}/"]\n path = {work}/of-work\n[core]\n hooksPath = {work}/hooks\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    judge = Judge(["Write"], work, person=False, git_starts=started_by_settings)
    for path, decision in (("of-work", "deny"), ("hooks/pre-commit", "deny"), ("notes", "allow")):
        assert judge.judge("Write", {"file_path": path}).decision == decision, path


def test_what_is_included_for_folders_below_is_read_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, settings, included = tmp_path / "several", tmp_path / "gitconfig", tmp_path / "of-work"
    subprocess.run(["git", "init", "--quiet", work / "one"], check=True)
    settings.write_text(f'[includeIf "gitdir:{work}/"]\n path = {included}\n')
    included.write_text(f"[core]\n hooksPath = {work}/hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    judge = Judge(["Write"], work, person=False, git_starts=started_by_settings)
    assert judge.judge("Write", {"file_path": "hooks/pre-commit"}).decision == "deny"
    assert judge.judge("Write", {"file_path": "notes"}).decision == "allow"


@pytest.mark.explore
def test_what_is_included_for_any_of_many_folders_below_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, settings, deeper = tmp_path / "several", tmp_path / "gitconfig", tmp_path / "deeper"
    for number in range(7):
        subprocess.run(["git", "init", "--quiet", work / "a" / f"r{number}"], check=True)
    (tmp_path / "of-b").write_text(
        f'[core]\n pager = {work}/b/pager.py | less\n[includeIf "gitdir:x/"]\n path = deeper\n'
    )
    settings.write_text(f'[includeIf "gitdir:{work}/b/"]\n path = of-b\n[includeIf "gitdir:y/"]\n path = nothing\n')
    deeper.write_text(f"[core]\n hooksPath = {work}/b/hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    judge = Judge(["Write"], work, person=False, git_starts=started_by_settings)
    for path, decision in (("b/hooks/pre-commit", "deny"), ("b/pager.py", "deny"), ("b/notes.py", "allow")):
        assert judge.judge("Write", {"file_path": path}).decision == decision, path
    deeper.write_text("[core\n")
    assert judge.judge("Write", {"file_path": "b/notes.py"}).decision == "deny", "nobody knows what git would run"
