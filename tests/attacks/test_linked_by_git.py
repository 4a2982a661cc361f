"""Links that come with a clone: what one leads to is obeyed by its name, wherever that is, and an agent that edits sees
an ordinary file.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import linked_by_git, links
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.git import asking, index
from tests.attacks.test_since_it_began import decision
from tests.executor.files.support import git

BY = ("-c", "user.name=a", "-c", "user.email=a@b")
DEEP = "a/b/c/d/e"


def lay(top: Path, link: str = f"{DEEP}/.vscode") -> None:
    """A repository with a link to its folder `shared`, which git has, deeper than anybody looks."""
    (top / link).parent.mkdir(parents=True, exist_ok=True)
    (top / "shared").mkdir()
    (top / "shared" / "tasks.json").write_text("{}")
    (top / link).symlink_to("../" * link.count("/") + "shared")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, *BY, "commit", "-qm", "first")


def judge_at(folder: Path) -> Judge:
    return Judge(["Read", "Write"], folder.resolve(), person=True)


def test_links_of_repositories_in_the_project_are_known_however_deep() -> None:
    lay(Path("lib"))
    lay(Path("deep/er/lib"))
    lay(Path("x/y/z/0/1/2/submodule/its"))  # of a submodule's submodule, deeper than anybody looks for repositories
    for folder in ("x/y/z/0/1/2/submodule", "."):
        git(Path(folder), "init", "-q")
        git(Path(folder), "add", "its" if folder != "." else "x")
        git(Path(folder), *BY, "commit", "-qm", "first")
    tops = ("lib", "deep/er/lib", "x/y/z/0/1/2/submodule/its")
    judge = judge_at(Path())
    for top in tops:
        assert decision(judge, f"{top}/shared/tasks.json") == "ask", top
        assert decision(judge, f"{top}/other/tasks.json") == "allow", top
    for number in range(600):
        Path(f"made{number}").mkdir()
    assert decision(judge, "lib/shared/tasks.json") == "ask", "folders that an agent makes hide none"
    shutil.rmtree("lib")
    assert decision(judge, "lib/shared/tasks.json") == "allow"


def test_no_depth_and_no_folders_beside_them_hide_repositories(monkeypatch: pytest.MonkeyPatch) -> None:
    tops = ("deep/er/lib", "1/2/3/4/5/lib", "objects/lib")
    for top in tops:
        lay(Path(top))
    judge = judge_at(Path())
    for number in range(links._MOST_ENTERED + 1):
        Path(f"deep/er/made{number}").mkdir()
    for top in tops:
        assert decision(judge, f"{top}/shared/tasks.json") == "ask", top
    assert decision(judge, "a.py") == "allow"
    for limit in ("_MOST_SEARCHED", "_MOST_NAMES"):
        links._known.clear()
        with monkeypatch.context() as patched:
            patched.setattr(links, limit, 100)
            Path(f"less{limit}").touch()  # so that it is looked up again
            assert decision(judge, "a.py") == "ask", limit


def test_links_around_the_working_directory_that_lead_into_it_are_known() -> None:
    app = Path("app")
    (app / "its").mkdir(parents=True)
    lay(app / "submodule")
    for link, target in {
        ".vscode": "app/cfg", "tools/bazel": "../app/bazel", f"{DEEP}/.husky": f"{'../' * 5}app/hooks",
        ".claude/agents/x.md": "../../app/x.md", ".envrc": "app/env", ".aws": "app/its",
    }.items():  # fmt: skip
        Path(link).parent.mkdir(parents=True, exist_ok=True)
        Path(link).symlink_to(target)
    git(Path(), "init", "-q")
    git(Path(), "add", ".vscode", "tools", "a", "app")
    git(Path(), *BY, "commit", "-qm", "first")
    judge = judge_at(app)
    for name in ("cfg/tasks.json", "bazel", "hooks/pre-commit", "x.md", "env", "submodule/shared/tasks.json"):
        assert decision(judge, name) == "ask", name
    assert decision(judge, "its/x", "Read") == "ask"
    assert (decision(judge, "a.py"), decision(judge, "its.py", "Read")) == ("allow", "allow")
    Path("a/.zed").symlink_to("../app/submodule/zed")
    git(Path(), "add", "a")
    assert decision(judge_at(app / "submodule"), "zed/tasks.json") == "ask", (
        "of the repository that it is a submodule of"
    )


def test_links_are_known_where_git_tells_very_much(monkeypatch: pytest.MonkeyPatch) -> None:
    lay(Path())
    for number in range(40):
        Path(f"f{number}").touch()
    git(Path(), "add", ".")
    monkeypatch.setattr(asking, "_MOST_TOLD", 2_000)
    monkeypatch.setattr(linked_by_git, "_MOST_NAMES", 0)
    judge = judge_at(Path())
    assert (decision(judge, "shared/tasks.json"), decision(judge, "a.py")) == ("ask", "allow")


@pytest.mark.parametrize("failing", ["git", "index"])
def test_links_are_looked_for_where_git_tells_nothing_and_edits_ask_where_they_are_too_many(
    failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(Path())
    if failing == "git":
        monkeypatch.setattr(index, "ask", lambda *_words, **_options: None)
    else:
        monkeypatch.setattr(index, "_LARGEST", 0)
    judge = judge_at(Path())
    for limit, most in (("_MOST_NAMES", 5), ("_MOST_REPOSITORIES", 0)):
        assert (decision(judge, "shared/tasks.json"), decision(judge, "a.py")) == ("ask", "allow")
        with monkeypatch.context() as patched:
            patched.setattr(linked_by_git, limit, most)
            linked_by_git._known.clear()
            Path(f"less{limit}").touch()  # so that it is looked up again
            assert decision(judge, "a.py") == "ask", limit
        linked_by_git._known.clear()
        Path(f"more{limit}").touch()
