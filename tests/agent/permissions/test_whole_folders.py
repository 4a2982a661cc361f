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
    ],
)  # fmt: skip
def test_ordinary_folders_are_changed(command: str, tree: Path) -> None:
    assert Judge(["Bash"], tree, person=False).judge("Bash", bash(command)).reason == ""


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
