"""Which parts of a call are marked for the person who has to allow it."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.always_asked import Call
from maverick_tui.agent.permissions.marking import MOST, marks_in
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.events.marks import OUTSIDE, marks_of

RUNS = "runs a command inside of another"
ASKS = "not known to only read"
UNKNOWN = "stands for what is not known here"


def marked(project: Path, command: str) -> list[tuple[str, str]]:
    call = Call("Bash", {"command": command}, project)
    told = marks_of([mark.to_json() for mark in marks_in(call, Places(Surroundings(project)))], call.arguments)
    return [(part.text, part.why) for part in told]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git status", []),
        ("ls src | head -3", [("|", "")]),
        ("ls && rm -rf build", [("&&", ""), ("rm", ASKS)]),
        ("make > out.txt 2>&1", [("make", ASKS), ("> out.txt", "writes a file")]),
        ("cat a > /etc/motd", [("> /etc/motd", f"writes a file {OUTSIDE}")]),
        ("cat < ../key", [("< ../key", f"reads a file {OUTSIDE}")]),
        ("cat /etc/passwd ~/notes", [("/etc/passwd", OUTSIDE), ("~/notes", OUTSIDE)]),
        ("cat --x=/etc/passwd https://a.b/c", [("cat", ASKS), ("--x=/etc/passwd", OUTSIDE)]),
        ("echo $(id) `make`", [("$(id)", RUNS), ("`make`", RUNS), ("make", ASKS)]),
        ('echo "é $HOME"', [("$HOME", UNKNOWN)]),
        ("sleep 9 &", [("sleep", ASKS), ("&", "goes on in the background")]),
        ("A=1 make", [("make", ASKS), ("A=1", "sets a variable")]),
        ("ls > /dev/null", []),
    ],
)
def test_parts_of_a_command(tmp_path: Path, command: str, expected: list[tuple[str, str]]) -> None:
    project = tmp_path / "shop"  # home is beside it
    project.mkdir()
    assert marked(project, command) == expected


def test_whatever_is_asked_about_there_are_never_too_many(tmp_path: Path) -> None:
    assert len(marked(tmp_path, "; ".join(["rm x"] * 500))) == MOST
    assert marked(tmp_path, "rm x; " * 5_000) == []
    assert marked(tmp_path, "rm \ud800 'x") is not None


def test_a_path_that_leaves_the_folder(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "link").symlink_to(tmp_path)
    places = Places(Surroundings(tmp_path / "shop"))

    def paths(tool: str, **arguments: str) -> list[tuple[str, str]]:
        return [(mark.argument, mark.why) for mark in marks_in(Call(tool, arguments, places.cwd), places)]

    assert paths("Write", file_path="a.py", content="/etc/passwd") == []
    assert paths("Edit", file_path="link/a.py") == [("file_path", OUTSIDE)]
    assert paths("Read", file_path="/etc/passwd") == [("file_path", OUTSIDE)]
    assert paths("WebFetch", url="https://a.b/") == []
