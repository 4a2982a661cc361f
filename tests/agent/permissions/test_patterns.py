"""Whatever real shells make of a pattern, with whatever options, is among what it could stand for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import patterns
from maverick_tui.agent.permissions.patterns import could_stand_for

NAMES = [
    b"a.py", b"B.PY", b".hidden.py", b"-o\xc3\xa9\xffx", b"k\xc3\xa9\xffy", "\u00e9".encode(), "\u0130.py".encode(),
    b"a[b].py", b"a^b", b"a#", b"aab", b"a b.py", b"sub/a.py", b"sub/.b/c.py", b"Sub2/deep/d.py", b".dots/x.py",
]  # fmt: skip
PATTERNS = [
    "*", ".*", "?", "??", "???", "*.py", "*.PY", "?o???x", "k???y", "k??y", ".?", ".??*", "*/*", "*/*.py", "**",
    "**/*.py", "**.py", "sub/**", "SUB*/*", "sub/*.py", "sub/.*/*", "./*", "../*/*.py", "[ab]*", "[!a]*", "[a-z]*",
    "a[[]*", "*a*b*", "*^b", "a*#", "a?b", "*/", "*//*.py", ".*/*", "?*.*", "\u00e9*", "[.]*", "*.*.py",
    "s*/a.py", "*b/a*", ".[dh]idden.py", "[ab].py", "[a-c].py", "[!b].py", "a'[b]'.py", "s[u]b/[a].py", "a[a]#b",
    "[B].PY", "a\\[b].p[xy]",
]  # fmt: skip
SURE = {
    "[ab].py",
    ".[dh]idden.py",
    "*",
    ".*",
    "*.py",
    "?o???x",
    "k???y",
    "**/*.py",
    "sub/*.py",
    "../*/*.py",
    "[ab]*",
    "s*/a.py",
}
EXACT = ["a^b", "a^x", "aa#b", "a{a}b", "sub/a^x"]
SHELLS = {
    "bash": [
        "",
        "shopt -s dotglob nocaseglob globstar extglob nullglob",
        "shopt -u globskipdots 2>/dev/null; shopt -s nullglob",
        "shopt -s failglob globstar nocaseglob",
    ],
    "zsh": ["setopt nullglob", "setopt nullglob extendedglob globdots globstarshort braceccl nocaseglob"],
}
_SCRIPT = """
{options}
show() {{ printf '%s\\0' "$@" end; }}
for pattern do eval "show $pattern" 2>/dev/null || printf 'end\\0'; done
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tree"
    for name in NAMES:
        path = made / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return made


@pytest.mark.parametrize("language", ["C", "C.UTF-8"])
@pytest.mark.parametrize(("shell", "options"), [(shell, options) for shell in SHELLS for options in SHELLS[shell]])
def test_no_shell_finds_more(shell: str, options: str, language: str, folder: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    quiet = ["--norc", "--noprofile"] if shell == "bash" else ["-f"]
    asked = [*PATTERNS, *EXACT]
    ran = subprocess.run(
        [shell, *quiet, "-c", _SCRIPT.format(options=options), shell, *asked],
        cwd=folder, capture_output=True, check=False, timeout=60, env={"LC_ALL": language, "PATH": os.defpath},
    )  # fmt: skip
    groups = os.fsdecode(ran.stdout).split("end\0")[:-1]
    assert len(groups) == len(asked), ran.stderr
    for pattern, group in zip(asked, groups, strict=True):
        seen = {os.path.normpath(name) for name in group.split("\0") if name and name != pattern}
        could = could_stand_for(re.sub(r"['\\]", "", pattern), folder)  # whoever asks has no quotes any more
        assert could is not None or pattern not in SURE
        assert could is None or seen <= set(map(os.path.normpath, could)), pattern


def test_names_are_told_as_they_would_be_written(folder: Path) -> None:
    assert could_stand_for("s*/a.py", folder) == ["sub/a.py"]
    assert could_stand_for(f"{folder}/sub/*.py", folder) == [f"{folder}/sub/a.py"]
    assert could_stand_for("sub/*.txt", folder) == []
    assert could_stand_for("a.py/*", folder) == []
    assert could_stand_for("\0*", folder) is not None


def test_a_choice_stands_for_one_character(folder: Path) -> None:
    def found(pattern: str) -> list[str]:
        return sorted(filter(str.isascii, could_stand_for(pattern, folder) or ()))

    assert found("[ab].py") == ["B.PY", "a.py"]
    assert found("a[b].py") == ["a[b].py"], "which it may be in quotes"
    assert found(".[dev]") == []
    assert "aab" in found("[a]#b"), "zsh may take it for any number of them"


@pytest.mark.explore
def test_work_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loop", "again"):
        (folder / name).symlink_to(".")
    assert could_stand_for("*/" * 40 + "*", folder) is None
    assert could_stand_for("**/*.py", folder) is None, "a link to a folder is followed by some shells"
    assert could_stand_for("***/*.py", folder) is None
    assert could_stand_for("*a" * 3_000, folder) is not None
    for name in ("loop", "again"):
        (folder / name).unlink()
    looks = 1 + len(list(folder.iterdir()))
    monkeypatch.setattr(patterns, "MOST_SEEN", looks)
    assert could_stand_for("*", folder) is not None
    assert could_stand_for("*/*", folder) is None, "looking into what is no folder counts, too"
    monkeypatch.setattr(patterns, "MOST_SEEN", looks - 1)
    assert could_stand_for("*", folder) is None
    monkeypatch.undo()
    monkeypatch.setattr(patterns, "MOST_FILES", 3)
    assert could_stand_for("*", folder) is None
