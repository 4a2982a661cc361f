"""A folder full of things that are no agents: everything is reported, nothing is run, the good one is found."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.problems import Problem

GOOD = "---\nname: good\ndescription: The good one.\n---\nYou are good.\n"
BOMB = (
    "---\nname: bomb\ndescription: d\na: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "---\nx\n"
)

FILES: dict[str, bytes] = {
    "anchors.md": b"---\nname: &x anchors\ndescription: *x\n---\nx\n",
    "bomb.md": BOMB.encode(),
    "deep-flow.md": b"---\nname: deep\ndescription: " + b"[" * 50_000 + b"\n---\nx\n",
    "deep-block.md": b"---\nname: deep\nd:\n" + b"".join(b" " * i + b"-\n" for i in range(1, 340)) + b"---\nx\n",
    "empty.md": b"",
    "latin.md": b"---\nname: latin\ndescription: \xe9\n---\nx\n",
    "list.md": b"---\n- name: list\n---\nx\n",
    "many-fields.md": b"---\n" + b"".join(b"f%d: x\n" % i for i in range(5_000)) + b"---\nx\n",
    "many-tools.md": b"---\nname: many\ndescription: d\ntools: " + b"x, " * 20_000 + b"\n---\nx\n",
    "nul.md": b"---\nname: nul\ndescription: d\n---\n\0\n",
    "object.md": b"---\nname: !!python/object/apply:os.system ['touch ran']\n---\nx\n",
    "random.md": bytes(range(256)) * 100,
    "scalar.md": b"---\n42\n---\nx\n",
    "unclosed.md": b"---\nname: unclosed\n",
    "deep.py": b"x = " + b"-" * 200_000 + b"1\n",
    "nul.py": b"x = 1\0\n",
    "runs.py": b"import pathlib\npathlib.Path('ran').touch()\n",
    "syntax.py": b"def f(:\n",
    "wide.py": b"x = y" + b".z" * 200_000 + b"\n",
}


@pytest.fixture
def folder() -> Path:
    folder = Path.cwd() / ".maverick" / "agents"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text(GOOD)
    (folder / "good-again.md").write_text(GOOD)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "folder.md").mkdir()
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "dangling.py").symlink_to("nowhere")
    (folder / "up").symlink_to("..")
    (folder / "self").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    os.mkfifo(folder / "pipe.py")
    with (folder / "huge.md").open("wb") as file:
        file.truncate(50_000_000)
    (folder / "device.md").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket must be short
        server.bind("socket.md")
        os.chdir(here)
    return folder


def by_name(problems: list[Problem]) -> dict[str, Problem]:
    return {Path(problem.path).name: problem for problem in problems}


def test_everything_is_reported_and_the_good_one_is_found(folder: Path) -> None:
    started = time.perf_counter()
    catalog = discover(Path.cwd())
    took = time.perf_counter() - started

    # Of "good-again" and "good" the first by name counts, the other is reported.
    project = [agent for agent in catalog.agents if agent.source == "project"]
    assert [agent.name for agent in project if not agent.has_errors] == ["good"]
    reported = by_name(catalog.problems)
    odd = {"folder.md", "loop.md", "dangling.py", "pipe.md", "pipe.py", "huge.md", "device.md", "socket.md", "self"}
    assert reported.keys() >= {*FILES, *odd, "good.md"}
    assert not Path("ran").exists()
    assert took < 2, f"{took:.1f} s"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder.md", "Is a folder, not a file."),
        ("pipe.md", "Is a named pipe, not a file."),
        ("socket.md", "Is a socket, not a file."),
        ("device.md", "Is a device, not a file."),
        ("huge.md", "too large"),
        ("loop.md", "Cannot be read"),
        ("dangling.py", "Cannot be read"),
        ("bomb.md", "anchor"),
        ("deep-flow.md", "nested"),
        ("self", "Leads back"),
        ("good.md", "defined already in"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, name: str, message: str) -> None:
    assert message in by_name(discover(Path.cwd()).problems)[name].message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported(folder: Path) -> None:
    (folder / "list.md").chmod(0)
    closed = folder / "closed"
    closed.mkdir(mode=0)
    reported = by_name(discover(Path.cwd()).problems)
    assert "Permission denied" in reported["list.md"].message
    assert "Permission denied" in reported["closed"].message


def test_names_that_are_no_text_are_reported_too(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff\xfe.md")).write_bytes(b"")
    problems = discover(Path.cwd()).problems
    assert json.dumps([problem.to_json() for problem in problems]).isascii()


def test_an_agents_folder_that_is_a_file_or_a_loop_is_reported(tmp_path: Path) -> None:
    Path(".maverick").mkdir()
    Path(".maverick/agents").write_text("")
    Path(".claude").symlink_to(".claude")
    assert [Path(problem.path).parts[-2:] for problem in discover(Path.cwd()).problems] == [(".maverick", "agents")]


def test_listing_imports_no_agent_and_nothing_heavy(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from maverick_tui.agent.catalog.discovery import discover\n"
        "catalog = discover(Path.cwd())\n"
        "heavy = {'claude_agent_sdk', 'textual', 'git', 'pydantic', 'pydantic_settings', 'asyncio'}\n"
        "loaded = [n for n in sys.modules if n in heavy or n.startswith('maverick_agent_file_')]\n"
        "print(loaded, 'good' in [agent.name for agent in catalog.agents])\n"
    )
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert ran.stdout == "[] True\n"
    assert not Path("ran").exists()
