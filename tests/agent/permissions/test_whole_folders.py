"""Commands that change a folder as a whole: what is protected in it is changed with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions import patterns
from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each


@pytest.fixture
def tree(project: Path) -> Path:
    """A project with settings of its own, and with tools that a hook runs."""
    for path in (".maverick/rules.toml", "sub/.hg/hgrc", "web/src/x.ts", "scripts/lib/fmt.sh", "tests/keys/id_rsa"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    for link in ("keys", "away"):
        (project / link).unlink()
    return project


@each(
    "command",
    [
        "rm -rf .", "rm -r sub", "rm -rf -- sub", "chmod -R 777 tests", "chown -R me sub", "chgrp -hR x .",
        "setfacl -R -m u:x:r .", "trash sub", "rsync -a --delete web/ .", "rsync -a --del web/ sub",
        "find sub -delete", "find . ! -path './sub/*' -delete", "find . '(' -name x ')' -o -delete",
        "find . -exec shred '{}' +", "find . -name '*.toml' -delete", "find . -name x , -delete",
        "fd -H . -x rm", "cd sub && rm -rf .", "cd web; rm -rf ../sub", "sudo chmod -R 777 .",
    ],
)  # fmt: skip
def test_it_asks_each_time_if_something_protected_is_in_it(command: str, tree: Path) -> None:
    judgement = Judge(["Bash"], tree, person=True).judge("Bash", bash(command))
    assert judgement.decision == "ask"
    assert judgement.is_asked_each_time


@each(
    "command",
    [
        "rm -rf web", "rm -f sub", "chmod 755 sub", "chmod --reference=x web", "chown -R me web", "trash web",
        "mv sub other", "rsync -a --delete web/ dist", "rsync -a --delete web/ host:x", "find web -delete", "fd -H x",
        "find . -name '*.pyc' -delete", "find sub -name '*.pyc' -exec rm '{}' +", "find . -exec sed -n 1p '{}' +",
        "find web -type f | xargs rm", "fd x -x rm",
        "find . -name '*.py' -not -path './.venv/*' -exec sed -i s/a/b/ '{}' +",
        "find . -name '*.py' ! -path './.venv/*' ! -name x | xargs sed -i s/a/b/",
    ],
)  # fmt: skip
def test_ordinary_folders_are_changed(command: str, tree: Path) -> None:
    assert Judge(["Bash"], tree, person=False).judge("Bash", bash(command)).reason == ""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    own = tmp_path / "repository" / ".git"
    own.mkdir(parents=True)
    (own / "config").touch()
    return own.parent


PASSED_OVER = [
    "find . -type f -not -path '*/.git/*' -exec sed -i s/a/b/ '{}' +",
    "find . -type f ! -path './.git/*' -print0 | xargs -0 sed -i s/a/b/",
    "find ./ -not -path './.git/*' -type f -exec sed -i s/a/b/ '{}' ';'",
]


@each("command", PASSED_OVER)
def test_a_repository_that_is_passed_over_is_not_changed(command: str, repository: Path) -> None:
    assert Judge(["Bash"], repository, person=False).judge("Bash", bash(command)).reason == ""


@each(
    "command",
    [
        "find . -type f ! -path './.git/*' | xargs sed -i s/a/b/",
        "find -L . -type f ! -path './.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -follow -type f ! -path './.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . ! -path './.git/*' ! -name x -exec rm -rf '{}' +",
        "find . -not -type f -not -path '*/.git/*' -exec rm -rf '{}' +",
        "find . -type d -not -path './.git/*' -exec rm -rf '{}' +",
        "find . -not -path './.git/*' -exec rm -rf '{}' +",
        "find . -type f -not -path './.gi/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path '.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path './.git' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path x -o -exec rm '{}' +",
        "find . -type f ! -not -path './.git/*' -exec rm '{}' +",
        "find . -name '*' -not -name x -exec rm '{}' +",
        "find . -not -name '*.py' -exec rm '{}' +",
        "find . -type f -exec sed -i s/a/b/ '{}' + -not -path './.git/*'",
        "find . -not -name 'x -name *.pyc' -exec sed -i s/a/b/ '{}' + > log",
        "find . -type f -not -path './.git/* -a -not -name x' -exec sed -i s/a/b/ '{}' + > log",
        "find . -type f '(' -not -path './.git/*' -o -name x ')' -exec sed -i s/a/b/ '{}' +",
    ],
)
def test_one_that_is_only_seemingly_passed_over_is(command: str, repository: Path) -> None:
    assert decide(Judge(["Bash"], repository, person=False), "Bash", bash(command)) == "deny"


@each("command", PASSED_OVER)
def test_keys_beside_it_are_not_passed_over(command: str, repository: Path) -> None:
    (repository / "sub" / ".ssh").mkdir(parents=True, exist_ok=True)
    assert decide(Judge(["Bash"], repository, person=False), "Bash", bash(command)) == "deny"


@pytest.mark.parametrize("command", ["rm -r scripts", "mv scripts old", "rm -rf scripts/lib", "mv -t web scripts"])
def test_what_the_agent_starts_is_not_taken_away_with_its_folder(command: str, tree: Path) -> None:
    judge = Judge(["Bash(rm:*)", "Bash(mv:*)"], tree, person=False, started=["./scripts/lib/fmt.sh"])
    assert "may be what a hook" in judge.judge("Bash", bash(command)).reason
    assert decide(judge, "Bash", bash(command.replace("scripts/lib", "web").replace("scripts", "web/src"))) == "allow"


def test_a_folder_elsewhere_with_too_much_in_it_asks(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / "far" / str(number)).mkdir(parents=True)
    judge = Judge(["Bash"], tree, person=False)
    command = bash(f"rm -rf {tmp_path / 'far'}")
    assert decide(judge, "Bash", command) == "allow"
    monkeypatch.setattr(patterns, "MOST_SEEN", 5)
    assert "too much" in judge.judge("Bash", command).reason
    assert decide(judge, "Bash", bash("rm -rf web")) == "allow"
