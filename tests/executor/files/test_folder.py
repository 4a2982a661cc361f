"""Nothing outside the folder is reached, whatever paths and links say."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.executor.files import folder as folder_module
from maverick_tui.executor.files.folder import Folder
from maverick_tui.executor.files.search import FileSearch, search
from maverick_tui.executor.files.search_worker import opened_path
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import ToolContext, ToolError
from tests.executor.files.support import IDENTITY, Call, git, write


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files")
@pytest.mark.parametrize("name", ["Read", "Grep"])
async def test_a_pipe_is_not_waited_for(call: Call, root: Path, name: str) -> None:
    os.mkfifo(root / "pipe")
    arguments = {"file_path": "pipe"} if name == "Read" else {"pattern": "x", "path": "pipe"}
    async with asyncio.timeout(5):
        with pytest.raises(ToolError, match="'pipe' is not a regular file"):
            await call(name, **arguments)
        assert await call("Glob", pattern="*") == "No files found"


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
@pytest.mark.parametrize("path", ["/proc/self/environ", "/dev/zero", "/sys/kernel", "/proc"])
async def test_the_kernels_files_are_none_even_below_the_root(path: str) -> None:
    read = file_tools(Path("/"))[0]
    with pytest.raises(ToolError, match="is not a regular file"):
        await read.execute({"file_path": path}, ToolContext())


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_the_kernels_folders_are_not_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    entered = ["proc", "etc", "sys", "dev"]
    monkeypatch.setattr(folder_module, "_listed_by_git", lambda _base, _stop: [])
    monkeypatch.setattr(folder_module, "walk", lambda _base: iter([("/", entered, [])]))
    assert list(Folder(Path("/")).files("/", lambda: False)) == []
    assert entered == ["etc"]


@pytest.mark.parametrize(
    "path", ["../secret.txt", "src/../../secret.txt", "/etc/passwd", "link.txt", "linked/secret.txt", ".."]
)
async def test_nothing_outside_is_read(call: Call, root: Path, path: str) -> None:
    (root / "src").mkdir()
    (root / "link.txt").symlink_to("../secret.txt")
    (root / "linked").symlink_to("..")
    for name, arguments in [
        ("Read", {"file_path": path}),
        ("Glob", {"pattern": "*", "path": path}),
        ("Grep", {"pattern": "outside", "path": path}),
    ]:
        with pytest.raises(ToolError, match="is outside the folder"):
            await call(name, **arguments)


async def test_a_sibling_whose_name_begins_alike_is_outside(call: Call, root: Path) -> None:
    (root.parent / "project-2").mkdir()
    (root.parent / "project-2" / "a.txt").write_text("x")
    with pytest.raises(ToolError, match="is outside the folder"):
        await call("Read", file_path="../project-2/a.txt")


async def test_links_are_followed_inside_but_not_out(call: Call, root: Path) -> None:
    write(root, {"src/a.py": "outside or not\n"})
    (root / "inside.py").symlink_to("src/a.py")
    (root / "out.py").symlink_to("../secret.txt")
    (root / "nothing.py").symlink_to("gone.py")
    (root / "folder").symlink_to("..")
    (root / "loop").symlink_to("loop")
    assert await call("Read", file_path="inside.py") == "     1\toutside or not"
    assert sorted((await call("Glob", pattern="**")).splitlines()[1:]) == ["inside.py", "src/a.py"]
    assert await call("Grep", pattern="outside") == "Found 1 file\nsrc/a.py"
    with pytest.raises(ToolError, match="symbolic links"):
        await call("Read", file_path="loop")


async def test_a_root_that_is_a_link_is_where_it_leads(tmp_path: Path, root: Path) -> None:
    write(root, {"a.txt": "x\n"})
    (tmp_path / "alias").symlink_to(root)
    read = file_tools(tmp_path / "alias")[0]
    assert await read.execute({"file_path": str(tmp_path / "alias" / "a.txt")}, ToolContext()) == "     1\tx"


@pytest.fixture
def swapped(root: Path, tmp_path: Path) -> Path:
    """A repository that knows files of folders which are links to the outside by now; the folder out there."""
    outside = tmp_path / "elsewhere"
    inner = {"a/secret.txt": "outside\n", "repo/secret.txt": "outside\n", "deep/repo/secret.txt": "outside\n"}
    write(outside, inner)
    write(root, {"data/a/secret.txt": "old\n", "gone/repo/x.txt": "old\n", "kept/a.txt": "outside?\n"})
    git(root / "gone/repo", "init")
    git(root / "gone/repo", *IDENTITY, "commit", "--allow-empty", "-m", "x")
    git(root, "init")
    git(root, "add", "-A")
    (root / "data").rename(tmp_path / "old-data")
    (root / "data").symlink_to(outside)
    (root / "gone").rename(tmp_path / "old-gone")
    (root / "gone").symlink_to(outside / "deep")
    (root / "alias").symlink_to("kept")
    return outside


async def test_a_folder_that_became_a_link_does_not_lead_out(call: Call, root: Path, swapped: Path) -> None:
    """Git goes by its index, and lists what is below it as if it were here."""
    listed = subprocess.run(["git", "ls-files", "-co"], cwd=root, capture_output=True, text=True, check=True).stdout
    assert {"data/a/secret.txt", "gone/repo"} <= set(listed.split())
    assert await call("Grep", pattern="outside") == "Found 1 file\nkept/a.txt"
    assert await call("Glob", pattern="**/*.txt") == "Found 1 file\nkept/a.txt"
    with pytest.raises(ToolError, match="is outside the folder"):
        await call("Read", file_path="data/a/secret.txt")


def test_a_repository_in_a_folder_that_became_a_link_is_not_even_entered(
    root: Path, swapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []

    def enter(base: str) -> Iterator[Any]:
        entered.append(base)
        return iter(())

    monkeypatch.setattr(os, "walk", enter)
    assert list(Folder(root).files(str(root), lambda: False)) == [str(root / "kept/a.txt")]
    assert entered == []


async def test_a_search_reads_nothing_outside_whatever_it_is_told(root: Path, swapped: Path) -> None:
    """Between finding a file and opening it, the folder that it is in may become a link."""
    inside = str(root / "kept/a.txt")
    (root / "link.txt").symlink_to("kept/a.txt")
    told = [str(root / "data/a/secret.txt"), str(swapped / "a/secret.txt"), str(root / "link.txt"), inside]
    findings = await search(FileSearch("outside", "files_with_matches"), told, str(root))
    assert [found["path"] for found in findings.files] == [inside]


def test_a_file_whose_folder_becomes_a_link_before_it_is_opened_is_not_read(
    root: Path, swapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open
    write(root, {"src/secret.txt": "inside\n"})

    def swap(path: str, *more: Any) -> int:
        (root / "src").rename(root / "was")
        (root / "src").symlink_to(swapped / "repo")
        return opened(path, *more)

    before = {entry.name for entry in Path("/proc/self/fd").iterdir()}
    monkeypatch.setattr(os, "open", swap)
    with pytest.raises(ToolError, match="is outside the folder"):
        Folder(root).open("src/secret.txt")
    assert {entry.name for entry in Path("/proc/self/fd").iterdir()} == before, "and it is closed again"


def test_where_an_open_file_is_can_be_told_without_the_kernels_help(
    root: Path, swapped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (root / "kept/a.txt").open() as file:
        assert opened_path(file.fileno(), "anything") == str(root / "kept/a.txt")
        monkeypatch.setattr(os, "readlink", raise_os_error)
        assert opened_path(file.fileno(), str(root / "kept/a.txt")) == str(root / "kept/a.txt")
        assert opened_path(file.fileno(), str(swapped / "a/secret.txt")) == "", "that is another file"
        assert opened_path(file.fileno(), str(root / "missing")) == ""


def raise_os_error(*_: Any) -> str:
    raise OSError("There is no such thing here.")


@given(st.text(alphabet="ab./\\~-\0\n ", max_size=30))
def test_no_path_at_all_leads_out(path: str) -> None:
    folder = Folder(Path("/usr/lib"))
    try:
        real = folder.path(path)
    except ToolError:
        return
    assert real == folder.root or real.startswith(f"{folder.root}/")
