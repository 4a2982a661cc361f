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
        # What tells of it may be undone, or be the value of an option.
        "unzip -l --l a.zip", "unzip -d -l a.zip", "unzip -ol a.zip", "unzip -T a.zip", "unzip -l *", "unzip a.zip -l",
        "git apply --stat --apply x.patch", "git apply --stat --ap x.patch", "git apply --directory --check x.patch",
        "git apply --check --build-fake-ancestor=x x.patch", "git apply --ch x.patch", "git apply -p1 x.patch",
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
        "cpio -o < names > x", "echo --apply | xargs git apply --check x.patch", "echo a.zip | xargs unzip -l",
        "git apply --check x.patch > out --apply", "X=--apply; git apply --check $X x.patch",
        "unzip -l a.zip; unzip a.zip",
        "git apply --check x.patch && git apply x.patch", "sh -c 'unzip -l a.zip; unzip a.zip'",
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


@pytest.mark.parametrize(
    "command",
    [
        "tar czf a.tgz src", "tar tf a.tgz", "tar tzvf a.tgz", "7z a a.7z src", "unzip -l a.zip", "unzip -tq a.zip",
        "unzip -p a.zip x.txt", "unzip -Z1 a.zip", "git apply --check x.patch", "git apply --stat -p1 x.patch",
        "git apply -R --check x.patch",
    ],
)  # fmt: skip
def test_an_archive_is_made_and_listed(command: str, project: Path) -> None:
    assert Judge(RULES, project, person=False).judge("Bash", {"command": command}).decision == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "gpatch -p1 x", "bsdunzip a.zip", "ar x a.a", "ar -x a.a", "dpkg -x a.deb .", "dpkg-deb -R a.deb .",
        "uudecode x", "aunpack a.zip", "dtrx a.zip", "unsquashfs a.img", "aria2c http://h/x", "http --download http://h/x",
        "gh run download 1", "gh release download v1", "curl -fsSLJO http://h/x", "curl --config x",
        "curl --conf x", "curl -sBK x", "curl -ZKx",
        "wget --conf=x http://h", "wget -m http://h",
        "wget -nvp http://h", "wget --input-file=x", "wget -e x=y http://h",
    ],
)  # fmt: skip
def test_so_do_others_that_unpack_or_fetch(command: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=False).judge("Bash", {"command": command}).decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "ar rcs a.a x.o",
        "ar t a.a",
        "dpkg -l",
        "dpkg-deb -c a.deb",
        "http GET :8000/x",
        "gh pr list",
        "curl -sSL http://h",
    ],
)
def test_what_only_lists_or_makes_is_not_asked_about(command: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=False).judge("Bash", {"command": command}).decision == "allow"


@pytest.mark.parametrize(
    "command",
    ["pigz -rc {}", "pcre2grep -r x {}", "python3 -m zipfile -c a.zip {}", "python -m http.server -d {}",
     "python3.12 -Im tarfile -c a.tar {}", "borg create x::y {}", "restic backup {}", "gitleaks dir {}"],
)  # fmt: skip
def test_home_is_not_packed_or_shown_as_a_whole(command: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=False)
    assert "home directory" in judge.judge("Bash", {"command": command.format(Path.home())}).reason
    assert judge.judge("Bash", {"command": command.format("src")}).decision == "allow"
