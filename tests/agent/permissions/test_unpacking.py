"""What a patch or an archive writes stands in it, and may change until it is read: it asks each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.support.cases import each

RULES = ["Bash(git apply:*)", "Bash(git am:*)", "Bash(git checkout-index:*)", "Bash(patch:*)", "Bash(tar:*)",
         "Bash(unzip:*)", "Bash(7z:*)"]  # fmt: skip


@each(
    "command",
    [
        "git apply x.patch", "git apply --unsafe-paths x.patch", "git apply", "git apply -", "git am x.patch", "git am",
        "git checkout-index -a --prefix=x/", "patch -p1 x.patch", "patch", "tar xf a.tar", "tar -xzf a.tar",
        "tar --extract -f a.tar", "tar --ext -f a.tar", "tar -C docs -x -f a.tar", "unzip a.zip", "unzip -d docs a.zip",
        "7z x a.7z", "7z e a.7z",
    ],
)  # fmt: skip
@pytest.mark.parametrize("person", [True, False])
def test_it_asks_each_time_whatever_the_rules_say(person: bool, command: str, project: Path) -> None:
    judgement = Judge(RULES, project, person=person).judge("Bash", {"command": command})
    assert judgement.decision == ("ask" if person else "deny")
    assert judgement.is_asked_each_time == person


@pytest.mark.parametrize(
    "command",
    [
        "patch -p1 < x.patch", "git apply < x.patch", "X=1 unzip a.zip", "tar xf a.tar > $OUT", "sh -c 'tar xf a.tar'",
        "for one in *.patch; do git am $one; done", "if true; then patch -p1 <<'END'\nx\nEND\nfi",
        "cpio -o < names > x",
    ],
)  # fmt: skip
def test_whatever_stands_around_it_where_all_commands_are_allowed(command: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=False).judge("Bash", {"command": command}).decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "ls patch > $OUT",
        "npm run patch",
        "python3 - <<'END'\npatch(x)\nEND\n",
        "git add x.patch > out",
        "tar czf a.tgz src > out",
    ],
)
def test_what_is_only_called_so_is_not_asked_about(command: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=False).judge("Bash", {"command": command}).decision == "allow"


@pytest.mark.parametrize("command", ["tar czf a.tgz src", "tar tf a.tgz", "7z a a.7z src"])
def test_an_archive_is_made_and_listed(command: str, project: Path) -> None:
    assert Judge(RULES, project, person=False).judge("Bash", {"command": command}).decision == "allow"
