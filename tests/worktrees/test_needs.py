"""What worktrees need besides what is committed: copied, linked and set up once a person has trusted the file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.host import worktrees
from maverick_tui.runs.placing import Wish, find_place, leave_place, make_filled
from maverick_tui.worktrees import brought, ending, records
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.needs import PLACE, log_of, needs_of
from maverick_tui.worktrees.removing import discard
from tests.support.command_line import Run, command_line
from tests.support.deep import dug
from tests.support.smith import write_smith
from tests.worktrees.projects import commit, git, project_in

RUN = ["run", "smith", "a.txt=better", "--worktree", "--output", "json"]
RUN_ID = "0123456789ab"


@pytest.fixture
def project(home: Path, tmp_path: Path, mark: str) -> Path:
    write_smith(home)
    folder = project_in(tmp_path / "shop")
    (folder / ".maverick").mkdir()
    commit(folder, __gitignore=".env\nnode_modules\n.maverick\ndeps\ncache/\n")
    (folder / ".env").write_text("KEY=1\n")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "left-pad.js").write_text("pad\n")
    return folder


@pytest.fixture
def maverick(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    run = command_line(monkeypatch, capsys)

    def here(*arguments: str) -> object:
        monkeypatch.chdir(project)
        return run(*arguments)

    return here  # type: ignore[return-value]


def says(project: Path, text: str) -> None:
    (project / ".maverick" / "worktree.toml").write_text(text)


def test_it_is_copied_linked_and_set_up_once_it_is_trusted(project: Path, maverick: Run) -> None:
    says(project, 'copy = [".env", "gone"]\nlink = ["node_modules"]\nsetup = ["sh", "-c", "cp .env made.txt"]\n')
    refused = maverick(*RUN)
    assert refused.code == 4
    assert "copies .env, gone, links node_modules, runs sh -c 'cp .env made.txt'" in refused.err
    assert "maverick worktree trust" in refused.err
    assert git(project, "worktree", "list").count("\n") == 0
    assert maverick("worktree", "trust").code == 4
    assert "Trusted." in maverick("worktree", "trust", "--yes").out
    ran = maverick(*RUN)
    worktree = records.worktree_of(json.loads(ran.out)["run_id"])
    assert worktree is not None
    assert (worktree.top / ".env").read_text() == (worktree.top / "made.txt").read_text() == "KEY=1\n"
    assert (worktree.top / "node_modules").readlink() == project / "node_modules"
    assert set(ending.loss_of(worktree).uncommitted) == {"a.txt", "made.txt"}
    maverick("worktree", "remove", "--yes", worktree.run_id)
    assert (project / "node_modules" / "left-pad.js").exists()
    says(project, 'setup = ["touch", "hacked"]\n')
    assert maverick(*RUN).code == 4


def test_a_set_up_that_the_run_has_changed_is_not_run_again_unasked(project: Path, maverick: Run) -> None:
    commit(project, setup__sh='echo ran >> "$MAVERICK_PROJECT/.env"\n')
    says(project, 'setup = ["sh", "./setup.sh"]\n')
    maverick("worktree", "trust", "--yes")
    find_place(Wish("0123456789ab", is_wanted=True), "smith", None, project)
    made = records.worktree_of("0123456789ab")
    assert made is not None
    for file, is_run, lines in (("a.txt", True, 3), ("setup.sh", False, 3)):
        (made.top / file).write_text("touch hacked\n")
        ending.keep(made, "m")
        placed = find_place(Wish(made.run_id, is_new=False), "smith", None, project)
        assert (project / ".env").read_text().count("\n") == lines
        assert (
            any("since the run has changed setup.sh. If that is fine, run it" in one for one in placed.told) != is_run
        )
        assert not (placed.cwd / "hacked").exists()


def test_the_set_up_of_a_fork_is_run_where_all_that_it_names_is_as_committed_in_the_project(project: Path) -> None:
    first = commit(project, setup__sh='echo ran >> "$MAVERICK_PROJECT/.env"\n')
    says(project, 'setup = ["sh", "./setup.sh"]\n')
    TrustStore().trust(project.joinpath(*PLACE), project.joinpath(*PLACE).read_bytes())
    git(project, "checkout", "--quiet", "-b", "runs")
    of_the_run = commit(project, setup__sh="touch hacked\n")
    git(project, "checkout", "--quiet", "main")
    commit(project, a__txt="two\n")

    def written(file: str) -> Callable[[records.Worktree], list[str]]:
        def fill(worktree: records.Worktree) -> list[str]:
            (worktree.top / file).write_text("touch hacked\n")
            return [file]

        return fill

    cases = (("a.txt", first, True), ("setup.sh", first, False), ("a.txt", of_the_run, False))
    for number, (file, at, is_run) in enumerate(cases):
        ran = (project / ".env").read_text()
        told = make_filled(f"{number}" * 12, "smith", project, at, written(file))
        made = records.worktree_of(f"{number}" * 12)
        assert made is not None
        assert ((project / ".env").read_text() != ran) == is_run
        assert any("not as committed in the project: setup.sh" in text for text in told) != is_run
        assert not (made.top / "hacked").exists()


def test_what_the_set_up_runs_is_not_edited_unasked_in_project_or_worktree(project: Path) -> None:
    says(project, 'setup = ["make", "-f", "tools/deps.mk"]\n')
    made = make("0123456789ab", "smith", project).worktree
    for folder in (project, made.cwd):
        places = Places(Surroundings(folder))
        assert places.why_not_to_edit("a.txt") == ""
        for file in ("Makefile", "tools/deps.mk", f"{folder}/tools/deps.mk"):
            assert "what the set-up of the project's worktrees runs" in places.why_not_to_edit(file)


def test_what_git_does_not_ignore_is_never_committed_by_us(project: Path, maverick: Run) -> None:
    commit(project, __gitignore="node_modules/\n.maverick\n")
    git(project, "rm", "--quiet", "--cached", ".env")
    git(project, "commit", "--quiet", "-m", "no secrets")
    says(project, 'copy = [".env"]\nlink = ["node_modules"]\n')
    maverick("worktree", "trust", "--yes")
    ran = maverick(*RUN)
    run_id = json.loads(ran.out)["run_id"]
    assert "1 uncommitted file" in ran.err
    assert (
        "Git does not ignore what came along, so an agent may commit it: .env, node_modules."
        in maverick("logs", run_id).out
    )
    maverick("worktree", "keep", run_id)
    assert git(project, "diff", "--name-only", "main", f"maverick/smith-{run_id[:8]}") == "a.txt"


def worktree_in(project: Path, needs: str) -> records.Worktree:
    """One that was given what it needs, in a project with two more folders; git ignores the first."""
    for folder in (project / "cache", project / "data"):
        folder.mkdir(exist_ok=True)
        (folder / "old.csv").write_text("old\n")
    says(project, needs)
    TrustStore().trust(project.joinpath(*PLACE), needs.encode())
    find_place(Wish(RUN_ID, is_wanted=True), "smith", None, project)
    worktree = records.worktree_of(RUN_ID)
    assert worktree is not None
    return worktree


def test_work_in_what_came_along_is_not_thrown_away(project: Path) -> None:
    sets_up = 'setup = ["sh", "-c", "mkdir deps; echo 1 > deps/a.js; echo 2 > deps/b.js"]'
    needs = f'copy = ["cache", ".env"]\nlink = ["node_modules"]\n{sets_up}\n'
    made = worktree_in(project, needs)
    (made.top / "node_modules" / "own.js").write_text("in the project itself\n")
    (made.top / "deps" / "b.js").unlink()
    (made.top / "deps" / "empty").mkdir()
    (made.top / "cache" / "__pycache__").mkdir()
    (made.top / "cache" / "__pycache__" / "a.pyc").write_text("made anew\n")
    assert leave_place(RUN_ID) is None, "nothing that was done is lost"
    assert not made.top.exists()
    discard(made)

    made = worktree_in(project, needs)
    written = ["cache/old.csv", "cache/result.csv", ".env", "deps/new/own.js"]
    for name in written:
        (made.top / name).parent.mkdir(exist_ok=True)
        (made.top / name).write_text("an hour of work\n")
    assert leave_place(RUN_ID) == made
    words = f"hat is new or changed in what came along ({', '.join(written)})"
    assert ending.loss_of(made).words == f"w{words}"
    (made.top / "a.txt").write_text("better\n")
    assert f"no commit has w{words}. `maverick" in worktrees.keep(made)
    assert (made.top / "deps/new/own.js").exists()
    assert worktrees.keep(made, loses=True).endswith(f" W{words} is gone with the worktree.")
    assert git(project, "diff", "--name-only", "main", made.branch) == "a.txt"
    assert [path.name for path in made.top.parent.parent.glob(f"{RUN_ID}*")] == [f"{RUN_ID}.json"]


def test_what_a_run_adds_to_a_folder_that_git_does_not_ignore_is_committed(project: Path) -> None:
    made = worktree_in(project, 'copy = ["data"]\n')
    assert not ending.loss_of(made)
    (made.top / "data" / "old.csv").write_text("newer\n")
    (made.top / "data" / "result.csv").write_text("an hour of work\n")
    loss = ending.loss_of(made)
    assert (loss.uncommitted, loss.brought) == (("data/result.csv",), ("data/old.csv",))
    git(made.top, "add", "data/old.csv")
    assert ending.loss_of(made).brought == ()
    git(made.top, "reset", "--quiet")
    ending.keep(made, "m")
    assert git(project, "diff", "--name-only", "main", made.branch) == "data/result.csv"


@pytest.mark.explore
def test_what_the_set_up_leaves_where_git_does_not_look_is_work_once_it_is_changed(project: Path) -> None:
    """In a repository that came along or was made, and in a file that git was told to overlook."""
    project_in(project / "lib")
    sets_up = (
        "git update-index --skip-worktree b.txt && echo 1 > b.txt && mkdir -p kit/.git && echo 1 > kit/.git/config"
    )
    made = worktree_in(project, f'copy = ["lib"]\nsetup = ["sh", "-c", "{sets_up}"]\n')
    assert not ending.loss_of(made)
    (made.top / "lib" / "new.txt").write_text("new\n")
    assert ending.loss_of(made).words == "what is new or changed in what came along (lib/new.txt)"
    (made.top / "b.txt").write_text("changed\n")
    assert ending.loss_of(made)[0] == ("b.txt",)
    with pytest.raises(ConfigError, match=r"as in submodules and closed folders: b\.txt"):
        ending.keep(made, "m")
    (made.top / "kit/.git/config").write_text("changed\n")
    with pytest.raises(ConfigError, match=r"there are repositories of their own in it: kit/\.git\."):
        ending.keep(made, "m")


def test_a_tag_that_is_committed_makes_no_cache_of_what_came_along(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    commit(project)
    (project / "src" / ".env").write_text("KEY=1\n")
    made = worktree_in(project, 'copy = ["src/.env"]\n')
    (made.top / "src" / ".env").write_text("an hour of work\n")
    assert ending.loss_of(made).brought == ("src/.env",)


def test_a_link_in_the_place_of_what_came_along_is_not_followed(project: Path, tmp_path: Path) -> None:
    (project / "cache" / "inner").mkdir(parents=True)
    (project / "cache" / "inner" / "a").write_text("a\n")
    made = worktree_in(project, 'copy = ["cache/inner"]\n')
    (made.top / "cache" / "inner" / "a").write_text("changed\n")
    assert ending.loss_of(made).brought == ("cache/inner/a",), "told once"
    (tmp_path / "away" / "inner").mkdir(parents=True)
    (tmp_path / "away" / "inner" / "b").write_text("not of the worktree\n")
    shutil.rmtree(made.top / "cache")
    (made.top / "cache").symlink_to(tmp_path / "away")
    assert ending.loss_of(made).words == "what is new or changed in what came along (cache)"


def test_where_more_came_along_than_is_noted_nobody_says_that_nothing_was_done(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brought, "MOST", 1)
    made = worktree_in(project, 'copy = [".env", "data", "node_modules"]\n')
    assert leave_place(RUN_ID) == made
    assert ending.loss_of(made).words == "what is new or changed in what came along (perhaps data)"


def test_a_set_up_that_fails_leaves_nothing_but_what_it_said(project: Path, maverick: Run) -> None:
    secret = "sk-ant-api03-" + "a1B2" * 24
    says(project, f'setup = ["sh", "-c", "echo {secret}; echo no network; exit 3"]\n')
    maverick("worktree", "trust", "--yes")
    ran = maverick(*RUN)
    assert ran.code == 1
    assert "has failed: it ended with code 3: no network." in ran.err
    log = log_of(json.loads(ran.out)["run_id"])
    assert log.read_text().endswith("no network\n")
    assert secret not in log.read_text()
    assert git(project, "worktree", "list").count("\n") == 0
    assert git(project, "branch", "--list", "maverick/*") == ""


@pytest.mark.parametrize(
    "text",
    [
        'copy = ["../secrets"]',
        'copy = ["/etc/passwd"]',
        'link = [".git/config"]',
        'link = [".maverick"]',
        'copy = [".."]',
        'copy = ["a\\nb"]',
        'copy = ".env"',
        'setup = "make deps"',
        r'setup = ["sh", "-c", "make # uses the cache,\ntouch x # if there is one"]',
        'setup = ["make\u200b"]',
        "steup = []",
        "copy = [",
        "x" * 30_000,
    ],
)
def test_what_leads_out_of_the_project_or_is_wrong_is_refused(project: Path, text: str) -> None:
    says(project, text)
    with pytest.raises(ConfigError, match=r"worktree\.toml cannot be used"):
        needs_of(project)


@pytest.mark.explore
def test_what_is_nested_too_deeply_to_be_copied_is_told_and_left(project: Path, maverick: Run) -> None:
    says(project, 'copy = ["deep"]\n')
    maverick("worktree", "trust", "--yes")
    with dug(project, "deep", 1_200):
        run_id = json.loads(maverick(*RUN).out)["run_id"]
    assert "deep is not in the worktree: its folders are nested too deeply." in maverick("logs", run_id).out
    (worktree,) = (Path(one["path"]) for one in json.loads(maverick("worktree", "list", "--json").out))
    assert not (worktree / "deep").exists()


def test_links_lead_nowhere_else(project: Path, maverick: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text("key\n")
    (project / "way").symlink_to(outside)
    (project / "key").symlink_to(outside / "key")
    (project / "dir").mkdir()
    (project / "dir" / "x").write_text("x\n")
    git(project, "add", "--force", "way")
    git(project, "commit", "--quiet", "-m", "a way")
    (project / "way").unlink()
    (project / "way").mkdir()
    (project / "way" / "y").write_text("y\n")
    says(project, 'copy = ["key", "way/y", "dir"]\n')
    maverick("worktree", "trust", "--yes")
    run_id = json.loads(maverick(*RUN).out)["run_id"]
    told = maverick("logs", run_id).out
    assert "key is not in the worktree: a link leads there." in told
    assert "way/y is not in the worktree: a link leads to its place." in told
    assert [path.name for path in outside.iterdir()] == ["key"]
    (project / ".maverick" / "worktree.toml").unlink()
    (project / ".maverick" / "worktree.toml").symlink_to(outside / "key")
    with pytest.raises(ConfigError, match="no plain file"):
        needs_of(project)
