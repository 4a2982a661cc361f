"""Files of a project that links in the home directory lead to: they are not changed with the folder that they are in.

Each command is run for real, to see that it does what it is feared for; then the judge is asked.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash
from tests.executor.files.support import IDENTITY, git, write

TAKING = (
    "git mv bash other", "git mv bash docs/", "cd docs && git mv ../bash x", "git -C . mv -f bash other",
    "git rm -rq bash", "git rm -rqf .", "git rm -q 'bash/*'", "git rm -q '*rc'", "git rm -rqf :/",
    "git clean -fdq", "git clean -fdq new", "git stash -u -q", "git stash push -u -q -- new",
)  # fmt: skip
"""They take a start-up file away, with whatever else is there."""
PUTTING = (
    "git mv evil gone",
    "mv evil gone",
    "mv -T evil gone",
    "ln -s evil gone",
    "cp -r evil gone",
    "mv evil/ gone/",
)
"""They put one where there is none."""
ORDINARY = (
    "git mv docs texts", "git mv bash/README.md bash/NOTES.md", "git rm -rq docs", "git clean -fdq docs",
    "mv docs texts", "mv docs/a.md bash", "cp docs/a.md bash/", "git stash -q", "ln -s docs texts",
)  # fmt: skip
RULES = [f"Bash({one}:*)" for one in ("git mv", "git rm", "git clean", "git stash", "mv", "ln", "cp")]


@pytest.fixture
def project() -> Path:
    """Dotfiles, some of which are committed; one link leads to where nothing is any more."""
    project = Path.home() / "dotfiles"
    shutil.rmtree(project, ignore_errors=True)
    write(project, {"bash/bashrc": "", "bash/README.md": "", "docs/a.md": "", "evil/zshrc": "touch pwned"})
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, *IDENTITY, "commit", "-qm", "first")
    for name, value in (("user.name", "a"), ("user.email", "a@example.org")):
        git(project, "config", name, value)
    write(project, {"new/profile": "", "docs/new.md": ""})
    for name, place in {".bashrc": "bash/bashrc", ".profile": "new/profile", ".zshrc": "gone/zshrc"}.items():
        (Path.home() / name).unlink(missing_ok=True)
        (Path.home() / name).symlink_to(project / place)
    return project


@pytest.mark.explore  # `make attack` has it: it is about the tricks, and not about us
@pytest.mark.parametrize("command", [*TAKING, *PUTTING])
def test_each_of_them_does_what_it_is_feared_for(command: str, project: Path) -> None:
    subprocess.run(["bash", "-c", command], cwd=project, check=True)
    are_there = [(Path.home() / name).exists() for name in (".bashrc", ".profile", ".zshrc")]
    assert are_there != [True, True, False]


@pytest.mark.parametrize("person", [True, False])
def test_they_ask_each_time_whatever_the_rules_say(person: bool, project: Path) -> None:
    judge = Judge(RULES, project, person=person)
    judged = {command: judge.judge("Bash", bash(command), mode="acceptEdits") for command in (*TAKING, *PUTTING)}
    assert {one: what for one, what in judged.items() if what[0] != ("ask" if person else "deny")} == {}
    assert not person or all(what.is_asked_each_time for what in judged.values())


def test_what_changes_nothing_of_that_runs(project: Path) -> None:
    judge = Judge(RULES, project, person=False)
    assert {one: why for one in ORDINARY if (why := judge.judge("Bash", bash(one)).reason)} == {}
