"""What a patch or an archive writes is known by what stands in it, or it asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge

GOOD = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
NEW = "diff --git a/docs/n.md b/docs/n.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/n.md\n@@ -0,0 +1 @@\n+y\n"
BAD = {
    "hook": GOOD.replace("src/a.py", ".git/hooks/pre-commit"),
    "settings": NEW.replace("docs/n.md", ".vscode/launch.json"),
    "package": NEW.replace("docs/n.md", "x.dist-info/entry_points.txt"),
    "home": GOOD.replace("src/a.py", "../home/.bash_profile"),
    "elsewhere": GOOD.replace("src/a.py", "../other/a.py"),
    "copied": "diff --git a/x b/y\nsimilarity index 100%\ncopy from ../home/.ssh/id_rsa\ncopy to leak.txt\n",
    "renamed": "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to .envrc\n",
    "quoted": GOOD.replace("b/src/a.py", '"b/.git/config"'),
    "absolute": GOOD.replace("+++ b/src/a.py", "+++ /etc/profile.d/x.sh"),
    "octal": GOOD.replace("b/src/a.py", '"b/\\056envrc"'),
    "old spelling": "diff --git a/x b/x\nsimilarity index 100%\nrename old x\nrename new .mcp.json\n",
    "second": GOOD + GOOD.replace("src/a.py", ".envrc"),
}
RULES = ["Bash(git apply:*)", "Bash(git am:*)", "Bash(patch:*)", "Bash(tar:*)", "Bash(unzip:*)", "Bash(7z:*)"]


def decide(project: Path, command: str) -> str:
    return Judge(RULES, project, person=False).judge("Bash", {"command": command}).decision


@pytest.mark.parametrize("program", ["git apply", "git apply -p1 -v", "/usr/bin/git apply"])
@pytest.mark.parametrize("patch", [GOOD, NEW, GOOD + NEW])
def test_a_patch_of_ordinary_files_is_applied(program: str, patch: str, project: Path) -> None:
    (project / "x.patch").write_text(patch)
    judge = Judge([*RULES, "Bash(/usr/bin/git apply:*)"], project, person=False)
    assert judge.judge("Bash", {"command": f"{program} x.patch"}).decision == "allow"


@pytest.mark.parametrize("program", ["git apply", "git apply --check"])
@pytest.mark.parametrize("name", BAD)
def test_one_of_others_is_not(program: str, name: str, project: Path) -> None:
    (project / "x.patch").write_text(BAD[name])
    assert decide(project, f"{program} x.patch") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "git apply --unsafe-paths x.patch", "git apply --uns x.patch", "git apply --directory=.git x.patch",
        "git apply", "git apply -", "git apply missing.patch", "git apply --cached x.patch",
        "git apply x.patch big.patch", "patch -p1 x.patch", "patch", "git am x.patch", "git am",
        "git checkout-index -a --prefix=x/",
        "tar xf a.tar", "tar -xzf a.tar", "tar --extract -f a.tar", "tar --ext -f a.tar", "tar -C docs -x -f a.tar",
        "unzip a.zip", "unzip -d docs a.zip", "7z x a.7z", "7z e a.7z",
    ],
)  # fmt: skip
def test_what_is_not_known_is_not_written(command: str, project: Path) -> None:
    (project / "x.patch").write_text(GOOD)
    (project / "big.patch").write_text(GOOD + "+" * 5_000_000)
    assert decide(project, command) == "deny"


def test_an_archive_is_made_and_listed(project: Path) -> None:
    assert decide(project, "tar czf a.tgz src") == "allow"
    assert decide(project, "tar tf a.tgz") == "allow"
