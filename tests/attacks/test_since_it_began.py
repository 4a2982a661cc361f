"""What has come to be protected since a session began: it lives for hours, and its judge with it."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.agent.engines import ToolQuestion
from maverick_tui.agent.permissions import looked_up, surroundings
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.links import Alias, aliases
from maverick_tui.agent.permissions.standing import RuleBook, user_file
from maverick_tui.runs.grants import Grants
from tests.executor.files.support import git


def decision(judge: Judge, path: str, tool: str = "Write") -> str:
    return judge.judge(tool, {"file_path": path, "content": "x"}, mode="acceptEdits").decision


def asks_each_time(grants: Grants, path: str) -> bool:
    return not grants.offers("Write", {"file_path": path, "content": "x"})


def test_what_a_set_up_runs_that_came_since_is_not_edited_unasked() -> None:
    git(Path.cwd(), "init", "-q")
    judge, grants = Judge(["Write"], Path.cwd(), person=True), Grants(Path.cwd())
    assert (decision(judge, "prepare.sh"), asks_each_time(grants, "prepare.sh")) == ("allow", False)
    Path(".maverick").mkdir()
    Path(".maverick/worktree.toml").write_text('setup = ["sh", "prepare.sh"]')
    assert decision(judge, "prepare.sh") == "ask"
    Path(".maverick/worktree.toml").write_text('setup = ["sh", "other.sh"]')
    assert (decision(judge, "prepare.sh"), decision(judge, "other.sh")) == ("allow", "ask")


def test_what_is_a_start_up_file_by_now_is_not_edited_unasked(home: Path) -> None:
    judge, grants = Judge(["Write"], Path.cwd(), person=True), Grants(Path.cwd())
    for path in ("sh/mine.sh", "fish/functions/x.fish"):
        assert (decision(judge, path), asks_each_time(grants, path)) == ("allow", False)
    (home / ".bashrc").write_text(f"source {Path.cwd()}/sh/mine.sh\n")
    (home / ".config").mkdir()
    (home / ".config" / "fish").symlink_to(Path.cwd() / "fish")
    for path in ("sh/mine.sh", "fish/functions/x.fish"):
        assert (decision(judge, path), asks_each_time(grants, path)) == ("ask", True), path


def test_a_start_up_file_that_is_not_there_yet_is_where_links_lead_by_now(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looked_up, "_SETTLES", -1_000_000_000)  # as if all else had been there for long
    judge = Judge(["Write"], Path.cwd(), person=True)
    (home / ".bashrc").write_text(f". {home}/dots/main.json\n")
    for name in ("a", "b"):
        Path(name).mkdir()
    (home / "dots").symlink_to(Path.cwd() / "now")
    Path("now").symlink_to("a")
    assert (decision(judge, "a/main.json"), decision(judge, "b/x.json")) == ("ask", "allow")
    Path("now").unlink()
    Path("now").symlink_to("b")
    assert decision(judge, "b/main.json") == "ask"


def test_what_a_link_of_home_leads_to_by_way_of_others_is_known_by_now(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looked_up, "_SETTLES", -1_000_000_000)
    judge, deep = Judge(["Write"], Path.cwd(), person=True), Path("1/2/3/4/5/now").absolute()
    deep.parent.mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        Path(name).touch()
    deep.symlink_to(Path("a.txt").absolute())
    (home / ".theirs").symlink_to(deep)
    assert (decision(judge, "a.txt"), decision(judge, "b.txt")) == ("ask", "allow")
    deep.unlink()
    deep.symlink_to(Path("b.txt").absolute())
    assert (decision(judge, "a.txt"), decision(judge, "b.txt")) == ("allow", "ask")


def test_where_keys_are_by_now_is_not_read_unasked(home: Path) -> None:
    judge = Judge(["Read"], Path.cwd(), person=True)
    Path("dots").mkdir()
    Path("dots/work").write_text("a key")
    assert decision(judge, "dots/work", "Read") == "allow"
    (home / ".ssh").symlink_to(Path.cwd() / "dots")
    assert decision(judge, "dots/work", "Read") == "ask"


async def test_where_keys_are_by_now_claude_code_reads_nothing_again_by_itself(home: Path) -> None:
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    rereading = Rereading(Judge(["Read", "Write"], Path.cwd(), person=True), write)
    file = Path("dots/work").absolute()
    file.parent.mkdir()
    await rereading.note("Write", {"file_path": str(file)}, None)
    await rereading.before_request({}, None, None)
    assert told == []
    (home / ".ssh").symlink_to(file.parent)
    await rereading.before_request({}, None, None)
    assert str(file) in told[-1]


def test_what_leads_to_what_a_hook_runs_by_now_is_not_edited_unasked() -> None:
    judge = Judge(["Write"], Path.cwd(), person=True, started=["./format"])
    assert (decision(judge, "format"), decision(judge, "other.py")) == ("ask", "allow")
    Path("format").symlink_to("other.py")
    assert decision(judge, "other.py") == "ask"


def test_what_another_call_has_looked_up_before_does_not_count(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge, has_looked, goes_on = Judge(["Read"], Path.cwd(), person=True), Event(), Event()
    Path("dots").mkdir()
    Path("dots/work").write_text("a key")

    def look(base: Path, folder: Path | None) -> list[Alias]:
        found = aliases(base, folder)
        if not has_looked.is_set():
            has_looked.set()
            assert goes_on.wait(60)
        return found

    monkeypatch.setattr(surroundings, "aliases", look)
    other = Thread(target=decision, args=(judge, "notes.md", "Read"))
    other.start()
    assert has_looked.wait(60)
    (home / ".ssh").symlink_to(Path.cwd() / "dots")
    before = decision(judge, "dots/work", "Read")
    goes_on.set()
    other.join()
    assert (before, decision(judge, "dots/work", "Read")) == ("ask", "ask")


def test_thousands_of_links_to_links_are_followed_once_each(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many, read = Path("many"), list[str]()
    many.mkdir()
    Path("tools").mkdir()
    (many / "l0").symlink_to("../tools")
    for number in range(1, 400):  # the system follows some forty
        (many / f"l{number}").symlink_to(f"l{number - 1}")
    Path(".vscode").symlink_to("many/l20")
    readlink = os.readlink

    def counted(path: str, **options: int) -> str:
        read.append(path)
        return readlink(path, **options)

    judge = Judge(["Write"], Path.cwd(), person=True)
    monkeypatch.setattr(os, "readlink", counted)
    assert decision(judge, "tools/tasks.json") == "ask"
    (many / "new").touch()
    assert decision(judge, "tools/tasks.json") == "ask"
    assert len(read) < 2 * 400


@pytest.mark.parametrize("flood", ["files", "folders"])
def test_no_number_of_harmless_files_hides_a_link_of_the_project(flood: str) -> None:
    deep = Path("packages/apps/web/site/.vscode")
    deep.mkdir(parents=True)
    Path("shared").mkdir()
    Path("shared/vs.json").write_text("{}")
    (deep / "settings.json").symlink_to("../" * 5 + "shared/vs.json")
    Path(".devcontainer").mkdir()
    Path(".devcontainer/devcontainer.json").symlink_to("../shared/dev.json")  # which git does not have
    git(Path.cwd(), "init", "-q")
    git(Path.cwd(), "add", "packages")
    judge = Judge(["Write"], Path.cwd(), person=True)
    for number in range(600):
        Path(f"notes{number}").mkdir() if flood == "folders" else Path(f"notes{number}").touch()
    for name in ("shared/vs.json", "shared/dev.json"):
        assert decision(judge, name) == "ask", name
    assert decision(judge, "shared/other.json") == "allow"


@pytest.mark.parametrize("including", ["include.path", "includeIf.onbranch:evil.path"])
def test_an_alias_of_git_is_what_it_stands_for_by_now(including: str) -> None:
    git(Path.cwd(), "init", "-q", "-b", "main")
    git(Path.cwd(), "config", "user.name", "a")
    git(Path.cwd(), "config", "user.email", "a@b")
    is_always = including == "include.path"
    Path("shared.inc").write_text("[alias]\n\tst = status -s\n" if is_always else "[alias]\n\tst = push origin\n")
    git(Path.cwd(), "add", ".")
    git(Path.cwd(), "commit", "-qm", "first")
    git(Path.cwd(), "checkout", "-qb", "evil")
    Path("shared.inc").write_text("[alias]\n\tst = push origin\n")
    git(Path.cwd(), "commit", "-qam", "second", "--allow-empty")
    git(Path.cwd(), "checkout", "-q", "main")
    git(Path.cwd(), "config", including, "../shared.inc")
    user_file().parent.mkdir(parents=True)
    user_file().write_text('allow = ["Bash(git:*)"]\ndeny = ["Bash(git push:*)"]\n')
    judge = Judge(["Bash"], Path.cwd(), person=True, standing=RuleBook(Path.cwd()))
    assert judge.judge("Bash", {"command": "git st"}).decision == "allow"
    assert judge.judge("Bash", {"command": "git checkout evil"}).decision == "allow"
    git(Path.cwd(), "checkout", "-q", "evil")
    assert judge.judge("Bash", {"command": "git st"}).decision == "deny"


def test_what_is_of_keys_by_now_is_not_shown_as_what_an_edit_replaces(home: Path) -> None:
    Path("dots").mkdir()
    Path("dots/work").write_text("a key")
    edit = ToolQuestion("Write", {"file_path": "dots/work", "content": "x"}, "call", is_asked_each_time=True)
    grants = Grants(Path.cwd())
    assert grants.weighed(edit).replaced.patch
    (home / ".ssh").symlink_to(Path.cwd() / "dots")
    assert not grants.weighed(edit).replaced.patch
