"""Rules that name a place of a project by its whole path: what they forbid is forbidden in its worktrees as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.named_paths import said_of
from maverick_tui.worktrees import records
from tests.agent.permissions.deciding import bash, decide, judge_in, write
from tests.executor.files.support import git
from tests.support.cases import each

BY = ("-c", "user.name=a", "-c", "user.email=a@b")


@pytest.fixture
def shop() -> Path:
    """A project at home, with a link to it and something that git knows."""
    folder = Path.home() / "code" / "shop"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a").touch()
    (folder / "src").mkdir()
    (Path.home() / "link").symlink_to(folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, *BY, "commit", "-qm", "x")
    return folder


def worktree(project: Path, number: int = 0) -> Path:
    """That of a run, which has a file that is not committed."""
    top = records.place_for(project, f"agent-{number}")
    git(project, "worktree", "add", "-q", str(top))
    (top / ".env").touch()
    records.write(records.Worktree(f"{number:012}", "agent", str(project), ".", str(top), "branch", "base"))
    return top


COMMANDS = (
    *("cat .env", "cat .e*", "cat src/x DOCS/a", "grep -r x .", "grep -r x src", "cd docs && cat a", "git log -p"),
    *("echo x > docs/new", "rm -r docs", "make"),
)


def test_a_rule_by_a_whole_path_forbids_in_worktrees_what_one_of_the_project_does(shop: Path) -> None:
    top, second = worktree(shop), worktree(shop, 1)

    def decided(*rules: str, effect: str) -> list[tuple[str, bool, object]]:
        write(f"{effect} = {json.dumps(rules)}")
        judges = [judge_in(top), judge_in(shop)]
        calls = [("Bash", bash(command)) for command in COMMANDS]
        for base in (top, second):
            calls += [("Bash", bash(f"cat {base}/{path}")) for path in (".env", "docs/a", "src/x")]
            calls += [("Read", {"file_path": f"{base}/{path}"}) for path in (".env", "docs/a", "src/x")]
            calls += [("Write", {"file_path": f"{base}/{path}"}) for path in ("docs/new", "src/new", ".env")]
            calls += [("Grep", {"pattern": "x", "path": str(base / path)}) for path in ("", "src", "docs")]
        return [
            (one.decision, one.is_asked_each_time, call)
            for judge in judges
            for call in calls
            for one in [judge.judge(*call, mode="acceptEdits")]
        ]

    ways = ("~/code/shop", str(shop), "~/link", "~/Code/{s*p,bank}")
    for effect, starts in (("deny", ways), ("ask", ways[:1])):
        plain = decided("Read(.env)", "Read(docs/**)", "Edit(docs/**)", effect=effect)
        assert {"allow", effect} <= {decision for decision, _, _ in plain}
        for start in starts:
            found = decided(f"Read({start}/.env)", f"Read({start}/docs/**)", f"Edit({start}/docs/**)", effect=effect)
            assert [one for one, other in zip(found, plain, strict=True) if one != other] == [], start


def test_a_pattern_forbids_in_worktrees_wherever_they_are(shop: Path, tmp_path: Path) -> None:
    beyond = tmp_path / "beyond"
    write('deny = ["Edit(~/**/docs/**)", "Read(~/code/*/.env)", "Edit(~/code/{shop/src,bank}/b)"]')
    judge = judge_in(shop)
    git(shop, "worktree", "add", "-q", str(beyond))  # meanwhile, by whomever
    for tool, path in (("Write", "docs/x"), ("Write", "src/docs/x"), ("Read", ".env"), ("Write", "src/b")):
        one = judge.judge(tool, {"file_path": str(beyond / path)})
        assert (one.decision, one.rule is not None) == ("deny", True), path
    assert judge.judge("Write", {"file_path": str(beyond / "src/a")}).rule is None
    assert decide(judge, "Read", {"file_path": str(beyond / "src/.env")}) == "allow"


def test_it_holds_for_runs_elsewhere_and_only_for_what_a_rule_names_in_the_project(shop: Path, project: Path) -> None:
    top = worktree(shop)
    state = top.parents[3].relative_to(Path.home())
    write(f'deny = ["Read(~/code/shop/.env)", "Edit(~/{state}/**)"]')
    assert decide(judge_in(project), "Read", {"file_path": str(top / ".env")}) == "deny"
    assert decide(judge_in(project), "Read", {"file_path": ".env"}) == "allow"
    # Who names the folder that worktrees are in means no project.
    assert decide(judge_in(top), "Write", {"file_path": "src/x"}) == "deny"
    assert decide(judge_in(shop), "Write", {"file_path": "src/x"}) == "allow"


def test_what_is_allowed_by_a_whole_path_is_allowed_there_alone(shop: Path) -> None:
    top = worktree(shop)
    write('allow = ["Write(~/code/shop/**)"]\nask = ["Read(~/code/shop/x)"]')
    for place, decision in ((shop, "allow"), (top, "ask")):
        assert judge_in(place).judge("Write", {"file_path": str(place / "src/x")}).decision == decision


def test_it_holds_in_worktrees_that_somebody_has_made_wherever_the_agent_works(
    shop: Path, project: Path, tmp_path: Path
) -> None:
    by_hand = tmp_path / "by-hand"
    git(shop, "worktree", "add", "-q", str(by_hand))
    run = worktree(by_hand)  # that of a run which was started there
    tops = (shop, by_hand, run)
    for start in ("~/code/shop", str(shop), "~/link"):
        write(f'deny = ["Read({start}/.env)", "Edit({start}/docs/**)"]')
        for place in (*tops, by_hand / "src", project):
            judge = judge_in(place)
            for top in tops:
                found = [
                    decide(judge, "Read", {"file_path": f"{top}/.env"}),
                    decide(judge, "Bash", bash(f"cat {top}/.env")),
                    decide(judge, "Write", {"file_path": f"{top}/docs/a"}),
                ]
                assert found == ["deny"] * 3, (start, place, top)
                assert decide(judge, "Read", {"file_path": f"{top}/src/x"}) == "allow"
        assert decide(judge, "Read", {"file_path": ".env"}) == "allow"


def test_it_holds_in_worktrees_that_are_made_meanwhile_of_what_was_no_repository(project: Path, tmp_path: Path) -> None:
    shop, by_hand = tmp_path / "shop", tmp_path / "by-hand"
    shop.mkdir()
    write(f'deny = ["Read(/{shop}/.env)"]')
    judge = judge_in(project)
    assert decide(judge, "Read", {"file_path": str(by_hand / ".env")}) == "allow"
    git(shop, "init", "-q")
    git(shop, *BY, "commit", "-qm", "x", "--allow-empty")
    git(shop, "worktree", "add", "-q", str(by_hand))
    assert decide(judge, "Read", {"file_path": str(by_hand / ".env")}) == "deny"


def test_it_holds_in_worktrees_of_a_project_whose_repository_lies_elsewhere(tmp_path: Path) -> None:
    shop, by_hand = tmp_path / "shop", tmp_path / "by-hand"
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "shop.git"), str(shop))
    git(shop, *BY, "commit", "-qm", "x", "--allow-empty")
    git(shop, "worktree", "add", "-q", str(by_hand))
    write(f'deny = ["Read({shop}/.env)"]')
    assert decide(judge_in(by_hand), "Read", {"file_path": ".env"}) == "deny"


def test_a_rule_that_names_a_worktree_is_not_about_the_project(shop: Path, project: Path, tmp_path: Path) -> None:
    by_hand = tmp_path / "by-hand"
    git(shop, "worktree", "add", "-q", str(by_hand))
    write(f'deny = ["Read(/{by_hand}/.env)"]')
    for place in (shop, project):
        assert decide(judge_in(place), "Read", {"file_path": str(by_hand / ".env")}) == "deny"
        assert decide(judge_in(place), "Read", {"file_path": str(shop / ".env")}) == "allow"


@each(
    "rule, said",
    [
        ("//home/me/shop/.env", ["./.env"]),
        ("//home/me/shop/docs/**", ["./docs/**"]),
        ("//Home/m?/{shop,x}/docs", ["./docs"]),
        ("//home/{me/shop,you}/a", ["./a"]),
        ("//home/me", ["./**"]),
        ("//home/me/**", ["./**"]),
        ("//home/me/*", []),
        ("//home/*/*", []),
        ("//home/me/*/x", ["./x"]),
        ("//**", ["./**"]),
        ("//**/**/.env", ["./**/.env"]),
        ("//**/shop/docs", ["./**/shop/docs", "./docs"]),
        ("//etc/**", []),
        ("//home/me/shopping/x", []),
    ],
)
def test_what_a_rule_says_of_a_folder(rule: str, said: list[str]) -> None:
    assert [*said_of(Path("/home/me/shop"), rule, Path("/"))] == said


def test_what_a_rule_says_of_a_folder_that_it_begins_in() -> None:
    shop = Path("/home/me/shop")
    assert said_of(shop, "x/**", shop / "[a] b") == (r"./\[a\]\ b/x/**",)
    assert said_of(shop, "~/shop/x", Path("/home/me")) == ("./x",)
