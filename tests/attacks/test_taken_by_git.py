"""What git takes away without its being named: rules, agents, keys, and other repositories.

Each trick is run for real, to see that it does what it is feared for; then the judge is asked.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.agent.permissions import patterns, taken_by_git
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.patterns import MOST_SEARCHES
from maverick_tui.git.asking import ask
from tests.agent.permissions.deciding import bash
from tests.executor.files.support import IDENTITY, git, write

TAKEN: dict[str, tuple[str, str]] = {
    "stashed": ("git stash -u", ".maverick/rules.toml"),
    "stashed-bundled": ("git stash -qu", ".maverick/rules.toml"),
    "stashed-long": ("git stash --include-untracked", ".maverick/rules.toml"),
    "stashed-short": ("git stash push --inc -m wip", ".maverick/rules.toml"),
    "stashed-message": ("git stash push -u -m src", ".maverick/rules.toml"),
    "stashed-message-of-dashes": ("git stash push -u -m --", ".maverick/rules.toml"),
    "stashed-saved": ("git stash save -u src", ".maverick/rules.toml"),
    "stashed-all": ("git stash -a", ".claude/settings.local.json"),
    "stashed-all-long": ("git stash push --all", ".claude/settings.local.json"),
    "stashed-paths": ("git stash push -u -- src '.mav*'", ".maverick/rules.toml"),
    "stashed-below": ("cd src && git stash -u", ".maverick/rules.toml"),
    "stashed-elsewhere": ("git -C src stash -u", ".maverick/rules.toml"),
    "stashed-quoted": ("sh -c 'git stash -u'", ".maverick/rules.toml"),
    "cleaned": ("git clean -fd", ".maverick/rules.toml"),
    "cleaned-keys": ("git clean -fd src", "src/id_rsa"),
    "cleaned-all": ("git clean -fdx", ".claude/settings.local.json"),
    "cleaned-ignored": ("git clean -fdX", ".claude/settings.local.json"),
    "cleaned-paths": ("git clean -f .", ".maverick/rules.toml"),
    "cleaned-dashes": ("git clean -f -- '*.toml'", ".maverick/rules.toml"),
    "cleaned-tracked-folder": ("git clean -f", "docs/.claude/new.json"),
    "cleaned-with-value": ("git clean -fd -e -n", ".maverick/rules.toml"),
    "cleaned-with-value-joined": ("git clean -fd -en", ".maverick/rules.toml"),
    "cleaned-with-value-named": ("git clean -fd -e src", ".maverick/rules.toml"),
    "cleaned-repositories": ("git clean -ffd", "sub/.git/config"),
    "cleaned-repositories-long": ("git clean -f --force -d", "sub/.git/config"),
    "cleaned-after-all": ("git clean -n --no-dry-run -fd", ".maverick/rules.toml"),
    "cleaned-after-all-short": ("git clean -fd --dry --no-d", ".maverick/rules.toml"),
    "cleaned-behind-value": ("git clean -e -- -fd", ".maverick/rules.toml"),
    "cleaned-behind-long-value": ("git clean -f --exclude -- -d", ".maverick/rules.toml"),
    "stashed-behind-message": ("git stash push -m -- -u", ".maverick/rules.toml"),
    "stashed-behind-messages": ("git stash -qm -- -a", ".maverick/rules.toml"),
    "removed": ("git rm -rq .", "docs/.claude/old.json"),
    "removed-after-all": ("git rm -n --no-dry-run -r .", "docs/.claude/old.json"),
    "removed-not-only-from-index": ("git rm --cached --no-cached -rf .", "docs/.claude/old.json"),
    "removed-by-list": ("echo docs > ./-n && git rm -r --pathspec-from-file -n", "docs/.claude/old.json"),
    "removed-folder": ("git rm -r docs", "docs/.claude/old.json"),
    "removed-by-pattern": ("git rm '*.json'", "docs/.claude/old.json"),
}
"""They take away what they do not name."""
ORDINARY = (
    "git stash", "git stash -q", "git stash push -m wip", "git stash pop", "git stash show -p", "git stash list",
    "git stash push -u -- src/new.py", "git clean -n", "git clean -ndx", "git clean --dry-run -fd",
    "git clean -f build", "git clean -fdx build", "git clean -fd web", "git rm src/a.py", "git rm -r --cached docs",
    "git rm -rn docs", "git rm -r web",
)  # fmt: skip
RULES = [f"Bash(git {one}:*)" for one in ("stash", "clean", "rm")]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with rules that are not committed, and others that are."""
    project = tmp_path_factory.mktemp("taken") / "project"
    write(
        project,
        {
            "src/a.py": "a", "web/a.ts": "a", "docs/.claude/old.json": "{}", ".gitignore": "*.local.json\nbuild\n",
        },
    )  # fmt: skip
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, *IDENTITY, "commit", "-qm", "first")
    git(project, "init", "-q", "sub")
    for name, value in (("user.name", "a"), ("user.email", "a@example.org")):
        git(project, "config", name, value)
    write(
        project,
        {
            ".maverick/rules.toml": "deny = []", ".claude/settings.local.json": "{}", "docs/.claude/new.json": "{}",
            "src/id_rsa": "key", "src/new.py": "new", "web/new.ts": "new", "build/.claude/x": "x",
        },
    )  # fmt: skip
    return project


@pytest.fixture
def fresh(original: Path, tmp_path: Path) -> Callable[[], Path]:
    def copied() -> Path:
        project = tmp_path / "project"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(original, project, symlinks=True)
        return project

    return copied


@pytest.mark.explore  # `make attack` has it: it is about the tricks, and not about us
def test_each_of_them_does_what_it_is_feared_for(fresh: Callable[[], Path]) -> None:
    blunt = {}
    for name, (command, place) in TAKEN.items():
        project = fresh()
        done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
        if (project / place).exists():
            blunt[name] = done.stderr
    assert blunt == {}


@pytest.mark.parametrize("person", [True, False])
def test_it_asks_each_time_whatever_the_rules_say(person: bool, fresh: Callable[[], Path]) -> None:
    judge = Judge(["Bash", *RULES], fresh(), person=person)
    judged = {name: judge.judge("Bash", bash(command)) for name, (command, _) in TAKEN.items()}
    assert {name: what for name, what in judged.items() if what[0] != ("ask" if person else "deny")} == {}
    assert not person or all(what.is_asked_each_time for what in judged.values())


def test_where_nothing_of_that_is_taken_it_runs(fresh: Callable[[], Path]) -> None:
    project = fresh()
    judge = Judge(RULES, project, person=False)
    assert {one: why for one in ORDINARY if (why := judge.judge("Bash", bash(one)).reason)} == {}
    for name in (".maverick", "docs/.claude", "src/id_rsa", "sub"):
        place = project / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    git(project, *IDENTITY, "commit", "-qam", "second")
    usual = (
        "git stash -u",
        "git stash push -u -m wip",
        "git clean -fd",
        "git clean -ffd",
        "git rm -rq src",
        "git rm -r .",
    )
    assert {one: why for one in usual if (why := judge.judge("Bash", bash(one)).reason)} == {}


def test_a_worktree_of_another_run_is_found_by_the_end_of_its_path(fresh: Callable[[], Path]) -> None:
    project, others = fresh(), paths.worktrees() / "abc123" / "p"
    for place in (others, project.parent / "own"):
        git(project, "worktree", "add", "-q", "--detach", str(place))
    judge = Judge(["Bash(git worktree:*)", "Bash"], project, person=False)
    for command in (
        "git worktree remove --force abc123/p", "git worktree remove -f p/", "git worktree move abc123/p x",
        "cd src && git worktree remove abc123/p", "sh -c 'git worktree remove abc123/p'",
    ):  # fmt: skip
        assert "where Maverick" in judge.judge("Bash", bash(command)).reason, command
    for command in ("git worktree remove own", "git worktree remove ../own", "git worktree prune"):
        assert judge.judge("Bash", bash(command)).decision == "allow", command
    git(project, "worktree", "remove", "--force", "abc123/p")
    assert not others.exists(), "it is what is feared"


def test_git_is_asked_once_for_what_is_said_often(fresh: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[tuple[str, ...]]()

    def counted(folder: Path, *words: str) -> bytes | None:
        asked.append(words)
        return ask(folder, *words)

    monkeypatch.setattr(taken_by_git, "ask", counted)
    judge = Judge(["Bash"], fresh(), person=False)
    assert judge.judge("Bash", bash("; ".join(["git clean -fd web"] * 50))).decision == "allow"
    assert asked == [("ls-files", "-z", "--others", "--exclude-standard", "--", "web")]
    many = "; ".join(f"git clean -fd web/{number}" for number in range(200))
    assert judge.judge("Bash", bash(many)).reason == taken_by_git.TOO_MUCH
    assert len(asked) <= 1 + MOST_SEARCHES


def test_more_names_than_are_looked_at_ask(fresh: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    project = fresh()
    write(project / "node_modules", {f"{number}.js": "" for number in range(40)})
    judge = Judge(RULES, project, person=False)
    monkeypatch.setattr(patterns, "MOST_SEEN", 30)
    assert judge.judge("Bash", bash("git clean -fdx web node_modules")).decision == "allow", "others have made those"
    write(project / "web", {f"{number}.js": "" for number in range(40)})
    assert judge.judge("Bash", bash("git clean -fdx web")).reason == taken_by_git.TOO_MUCH


def test_what_cannot_be_known_asks(fresh: Callable[[], Path]) -> None:
    project = fresh()
    (project / ".git" / "index").write_text("no index")
    told = Judge(RULES, project, person=False).judge("Bash", bash("git stash -u"))
    assert (told.decision, told.reason) == ("deny", f"What git would take away from {project} cannot be known.")
