"""A folder full of things that are no agents: everything is reported, nothing is run, the good one is found."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.agent.catalog import folders
from maverick_tui.agent.catalog.discovery import discover, lint
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.exceptions import AgentNotFoundError
from tests.support.deep import dug

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
    "rot.py": b"# -*- coding: rot13 -*-\n",
    "zip.py": b"# -*- coding: zlib -*-\n",
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
    "braces.py": b"x = f'" + b"{a}" * 49_000 + b"'\n",
    "runs.py": b"import pathlib\npathlib.Path('ran').touch()\n",
    "syntax.py": b"def f(:\n",
    "wide.py": b"x = y" + b".z" * 200_000 + b"\n",
}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(folders, "MAX_SECONDS", 60.0)  # a busy machine must not make it give up
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
    started = time.process_time()
    catalog = discover(Path.cwd())
    took = time.process_time() - started

    # Of "good-again" and "good" the first by name counts, the other is reported.
    project = [agent for agent in catalog.agents if agent.source == "project"]
    assert [agent.name for agent in project if not agent.has_errors] == ["good"]
    reported = by_name(catalog.problems)
    odd = {"folder.md", "loop.md", "dangling.py", "pipe.md", "pipe.py", "huge.md", "device.md", "socket.md", "self"}
    assert reported.keys() >= {*FILES, *odd, "good.md"}
    assert not Path("ran").exists()
    assert took < 2, f"{took:.1f} s"


WRONG = {
    "folder.md": "Is a folder, not a file.",
    "pipe.md": "Is a named pipe, not a file.",
    "socket.md": "Is a socket, not a file.",
    "device.md": "Leads out of the project, to /dev/zero",
    "huge.md": "too large",
    "loop.md": "Cannot be read",
    "dangling.py": "Cannot be read",
    "bomb.md": "anchor",
    "deep-flow.md": "nested",
    "self": "Leads back",
    "braces.py": "takes too long to be read",
    "good.md": "defined already in",
}


def test_what_is_wrong_is_said(folder: Path) -> None:
    reported = by_name(discover(Path.cwd()).problems)
    assert {name: reported[name].message for name, why in WRONG.items() if why not in reported[name].message} == {}


def test_a_device_is_not_read_either_if_it_is_named_outright(tmp_path: Path) -> None:
    (tmp_path / "device.md").symlink_to("/dev/zero")
    (problem,) = lint(tmp_path / "device.md").problems
    assert problem.message == "Is a device, not a file."


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
    here = Path.cwd()
    assert [problem.path for problem in discover(here).problems] == [
        str(here / ".maverick/agents"),
        str(here / ".claude"),
    ]


def test_agents_with_names_too_long_for_us_hide_no_others() -> None:
    """Git checks such a folder out, since it goes from folder to folder."""
    agents = Path(".claude/agents")
    agents.mkdir(parents=True)
    (agents / "good.md").write_text(GOOD)
    with dug(agents.absolute(), "d" * 100, 40) as innermost:
        os.close(os.open("x.md", os.O_CREAT, dir_fd=innermost))
        found = discover(Path.cwd())
    assert "good" in {agent.name for agent in found.agents}
    assert [problem.message for problem in found.problems] == ["Cannot be read: File name too long."]


def test_a_link_that_leads_to_itself_hides_no_agents_beside_it() -> None:
    agents = Path(".claude/agents")
    agents.mkdir(parents=True)
    (agents / "good.md").write_text(GOOD)
    (agents / "loop").symlink_to("loop")
    assert "good" in {agent.name for agent in discover(Path.cwd()).agents}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_agents_that_may_be_named_and_not_looked_at_hide_no_others(folder: Path) -> None:
    named = folder / "named"
    named.mkdir()
    (named / "x.md").write_text(GOOD)
    named.chmod(0o444)
    found = discover(Path.cwd())
    named.chmod(0o700)
    assert "good" in {agent.name for agent in found.agents}
    assert "Permission denied" in by_name(found.problems)["x.md"].message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("closed", [".maverick", "."])
def test_a_folder_above_that_may_not_be_entered_is_reported(folder: Path, closed: str) -> None:
    here = Path.cwd()
    (here / closed).chmod(0)
    try:
        (problem,) = discover(here).problems
        assert (problem.path, problem.is_error) == (str(here / closed), True)
    finally:
        (here / closed).chmod(0o700)


@pytest.mark.parametrize("closed", [".maverick", "."])
def test_the_folder_that_does_not_let_us_in_is_named_once(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, for root as well: the system's answers are those for a folder of mode 000."""
    here = Path.cwd()
    lstat, scandir = Path.lstat, os.scandir

    def is_inside(path: Path | str) -> bool:
        return (here / closed) in Path(path).parents

    def closed_lstat(path: Path) -> os.stat_result:
        if is_inside(path):
            raise PermissionError(13, "Permission denied")
        return lstat(path)

    def closed_scandir(path: Path) -> os._ScandirIterator[str]:
        if is_inside(path):
            raise PermissionError(13, "Permission denied")
        return scandir(str(path))

    (here / ".maverick").mkdir()
    monkeypatch.setattr(Path, "lstat", closed_lstat)
    monkeypatch.setattr(os, "scandir", closed_scandir)
    catalog = discover(here)
    (problem,) = catalog.problems
    assert (problem.path, problem.message) == (str(here / closed), "Cannot be read: Permission denied.")
    assert catalog.checked == 1
    with pytest.raises(AgentNotFoundError, match="Not everything could be listed"):
        catalog.get("changelog")
    assert lint(here).problems == [problem]


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


def _chain(folder: Path) -> None:
    links = "".join(f"class C{i}(C{i - 1}): pass\n" for i in range(1, 2_000))
    (folder / "chain.py").write_text(f"from maverick_tui import MaverickAgent\nclass C0(MaverickAgent): ...\n{links}")


def _statements(folder: Path) -> None:
    for number in range(40):
        (folder / f"long{number}.py").write_text("a\n" * 74_000)


def _misspellings(folder: Path) -> None:
    fields = "".join(f"permissionMod{number}: x\n" for number in range(40))
    for number in range(990):
        (folder / f"m{number}.md").write_text(f"---\nname: m{number}\ndescription: d\n{fields}---\nbody\n")


@pytest.mark.explore
@pytest.mark.parametrize("make", [_chain, _statements, _misspellings])
def test_a_folder_that_is_made_to_be_slow_is_not_read_to_its_end(make: Callable[[Path], None]) -> None:
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    make(folder)
    problems = discover(Path.cwd()).problems
    assert any("the rest is not read" in problem.message for problem in problems)
