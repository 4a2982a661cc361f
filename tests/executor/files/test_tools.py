"""Read, Glob and Grep: what they take and give."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.executor import CancelToken
from maverick_tui.executor.files import tools as file_tools_module
from maverick_tui.executor.files.search import FileSearch, search
from maverick_tui.executor.files.tools import MOST_CHARACTERS, MOST_FILES, MOST_LINE, file_tools
from maverick_tui.executor.tools import ToolContext, ToolError
from maverick_tui.runs.tool_text import summary
from tests.executor.files.support import Call, git, write
from tests.support.processes import marked, until_running


def test_they_are_read_only_and_say_what_they_take(root: Path) -> None:
    tools: dict[str, Any] = {tool.name: tool for tool in file_tools(root)}
    assert {name: list(tool.parameters["properties"]) for name, tool in tools.items()} == {
        "Read": ["file_path", "offset", "limit"],
        "Glob": ["pattern", "path"],
        "Grep": ["pattern", "path", "glob", "output_mode", "case_insensitive", "context", "head_limit"],
    }
    assert all(tool.is_read_only and tool.description for tool in tools.values())


# -- Read ------------------------------------------------------------------------------------------------------------


async def test_lines_are_numbered_as_the_terminal_expects(call: Call, root: Path) -> None:
    write(root, {"a.txt": "one\r\ntwo\n\nfour"})
    text = await call("Read", file_path="a.txt")
    assert text == "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"
    assert summary("Read", {}, text) == ("4 lines", "")
    assert await call("Read", file_path=str(root / "a.txt")) == text


async def test_a_part_can_be_read_and_the_rest_is_announced(call: Call, root: Path) -> None:
    write(root, {"a.txt": "".join(f"line {number}\n" for number in range(1, 11))})
    text = await call("Read", file_path="a.txt", offset=4, limit=2)
    assert text == "     4\tline 4\n     5\tline 5\n\n[The file continues. Read on with offset 6.]"
    assert summary("Read", {}, text) == ("2 lines", "")
    assert await call("Read", file_path="a.txt", offset=10) == "    10\tline 10"
    with pytest.raises(ToolError, match=r"has no line 11: it has 10"):
        await call("Read", file_path="a.txt", offset=11)


async def test_a_huge_file_is_given_in_parts(call: Call, root: Path) -> None:
    write(root, {"long.txt": f"{'x' * 100_000}\nshort\n", "many.txt": f"{'y' * 50}\n" * 100_000})
    long = await call("Read", file_path="long.txt")
    assert long == f"     1\t{'x' * (MOST_LINE)} [... {100_000 - MOST_LINE:,} more characters]\n     2\tshort"
    many = await call("Read", file_path="many.txt", limit=100_000)
    assert MOST_CHARACTERS < len(many) < MOST_CHARACTERS + 500
    assert many.endswith(f"offset {many.count('y' * 50) + 1}.]")


@pytest.mark.parametrize("length", [MOST_LINE - 1, MOST_LINE, MOST_LINE + 1, MOST_LINE + 2])
async def test_no_character_of_a_cut_line_is_uncounted(call: Call, root: Path, length: int) -> None:
    write(root, {"a.txt": "x" * length + "\nend"})
    first, end = (await call("Read", file_path="a.txt")).split("\n")
    shown, _, left_out = first.removeprefix("     1\t").partition(" [... ")
    assert len(shown) + int(left_out.partition(" ")[0] or 0) == length
    assert end == "     2\tend"


async def test_other_encodings_are_read_and_binary_files_are_named(call: Call, root: Path) -> None:
    (root / "latin.txt").write_bytes("über\n".encode("latin-1"))
    (root / "wide.txt").write_bytes("über\n".encode("utf-16"))
    (root / "marked.txt").write_bytes("über\n".encode("utf-8-sig"))
    (root / "empty.txt").touch()
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert await call("Read", file_path="latin.txt") == "     1\t\N{REPLACEMENT CHARACTER}ber"
    assert await call("Read", file_path="wide.txt") == "     1\tüber"
    assert await call("Read", file_path="marked.txt") == "     1\tüber"
    assert await call("Read", file_path="empty.txt") == "The file is empty."
    with pytest.raises(ToolError, match=r"'picture.png' is a binary file \(16 bytes\)"):
        await call("Read", file_path="picture.png")


async def test_what_is_no_file_is_said(call: Call, root: Path) -> None:
    write(root, {"src/main.py": ""})
    with pytest.raises(ToolError, match=r"No such file or directory. Did you mean 'main.py'\?"):
        await call("Read", file_path="src/mian.py")
    with pytest.raises(ToolError, match=r"is a folder\. Find its files with Glob"):
        await call("Read", file_path="src")
    with pytest.raises(ToolError, match="is not a path"):
        await call("Read", file_path="a\0b")
    with pytest.raises(ToolError, match="File name too long"):
        await call("Read", file_path="x" * 1000)
    with pytest.raises(ToolError, match="file_path: Field required; path: Extra inputs"):
        await call("Read", path="src")


# -- Glob ------------------------------------------------------------------------------------------------------------


async def test_files_come_newest_first(call: Call, root: Path) -> None:
    write(root, {"old.py": "", "src/new.py": "", "src/deep/mid.py": "", "src/note.md": ""})
    for age, name in enumerate(["src/new.py", "src/deep/mid.py", "old.py"]):
        os.utime(root / name, (1_000_000 - age, 1_000_000 - age))
    text = await call("Glob", pattern="**/*.py")
    assert text == "Found 3 files\nsrc/new.py\nsrc/deep/mid.py\nold.py"
    assert summary("Glob", {}, text) == ("3 files", "")
    assert await call("Glob", pattern="*.py") == text
    assert await call("Glob", pattern="*.py", path="src/deep") == "Found 1 file\nsrc/deep/mid.py"
    assert await call("Glob", pattern=f"{os.path.realpath(root)}/src/*.md") == "Found 1 file\nsrc/note.md"
    none = await call("Glob", pattern="*.rs")
    assert (none, summary("Glob", {}, none)[0]) == ("No files found", "No files found")


async def test_more_files_than_can_be_listed_are_counted(call: Call, root: Path) -> None:
    for number in range(MOST_FILES + 5):
        (root / f"{number}.txt").touch()
    text = await call("Glob", pattern="*.txt")
    assert text.startswith(f"Found {MOST_FILES + 5} files; the {MOST_FILES} most recently changed:\n")
    assert len(text.splitlines()) == MOST_FILES + 1


@pytest.mark.parametrize("name", ["Glob", "Grep"])
async def test_what_git_ignores_is_left_out(call: Call, root: Path, name: str) -> None:
    git(root, "init", "-q")
    write(root, {".gitignore": "build/\n*.log\n", "build/out.py": "x", "a.log": "x", "kept.py": "x", "new/b.py": "x"})
    git(root, "add", "kept.py")
    write(root, {"nested/c.py": "x"})
    git(root / "nested", "init", "-q")

    async def found(**arguments: Any) -> set[str]:
        arguments["pattern"] = "*" if name == "Glob" else "x"
        return {line for line in (await call(name, **arguments)).splitlines() if line.endswith((".py", ".log"))}

    assert await found() == {"kept.py", "new/b.py", "nested/c.py"}
    assert await found(path="build") == {"build/out.py"}  # who names an ignored folder wants to see it
    (root / "kept.py").unlink()
    assert await found() == {"new/b.py", "nested/c.py"}


async def test_a_repository_cannot_make_us_run_something(call: Call, root: Path, tmp_path: Path) -> None:
    git(root, "init", "-q")
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(hook))
    write(root, {"a.py": ""})
    assert await call("Glob", pattern="*.py") == "Found 1 file\na.py"
    assert not (tmp_path / "ran").exists()


async def test_without_git_the_usual_folders_are_skipped(call: Call, root: Path) -> None:
    names = ["src/c.py", ".git/config", "node_modules/a.js", ".venv/b.py", "src/__pycache__/d.py"]
    write(root, dict.fromkeys(names, "x"))
    assert await call("Glob", pattern="**") == "Found 1 file\nsrc/c.py"
    assert await call("Glob", pattern="**", path="node_modules") == "Found 1 file\nnode_modules/a.js"


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "src/../../*"])
async def test_a_pattern_cannot_lead_out(call: Call, pattern: str) -> None:
    with pytest.raises(ToolError, match="leads out of"):
        await call("Glob", pattern=pattern)


@pytest.mark.parametrize("pattern", ["{a,b}" * 10, "", "./", "{" + "a," * 200 + "}"])
async def test_a_pattern_that_cannot_be_used_is_said(call: Call, pattern: str) -> None:
    with pytest.raises(ToolError, match="cannot be used"):
        await call("Glob", pattern=pattern)


# -- Grep ------------------------------------------------------------------------------------------------------------


async def test_the_three_ways_to_be_told(call: Call, root: Path) -> None:
    write(root, {"a.py": "def one():\n    pass\n\ndef two():\n", "b.md": "def in text\n", "c.py": "nothing\n"})
    files = await call("Grep", pattern=r"^def ")
    assert files == "Found 2 files\na.py\nb.md"
    assert summary("Grep", {}, files) == ("2 files", "")
    content = await call("Grep", pattern=r"def (\w+)\(", output_mode="content")
    assert content == "a.py:1:def one():\na.py:4:def two():"
    assert summary("Grep", {}, content) == ("2 matches", "")
    assert await call("Grep", pattern="def", output_mode="count") == "a.py:2\nb.md:1"
    assert await call("Grep", pattern="def", glob="*.py") == "Found 1 file\na.py"
    assert await call("Grep", pattern="def", glob="!*.py") == "Found 1 file\nb.md"
    assert await call("Grep", pattern="DEF IN") == "No matches found"
    assert await call("Grep", pattern="DEF IN", case_insensitive=True) == "Found 1 file\nb.md"
    assert await call("Grep", pattern="def", path="b.md", output_mode="content") == "b.md:1:def in text"


async def test_lines_around_a_match(call: Call, root: Path) -> None:
    write(root, {"a.txt": "".join(f"{number}\n" for number in range(1, 10)), "b.txt": "5\n"})
    assert await call("Grep", pattern="^[257]$", output_mode="content", context=1) == (
        "a.txt-1-1\na.txt:2:2\na.txt-3-3\na.txt-4-4\na.txt:5:5\na.txt-6-6\na.txt:7:7\na.txt-8-8\n--\nb.txt:1:5"
    )


async def test_an_empty_line_can_be_found_but_the_end_is_none(call: Call, root: Path) -> None:
    write(root, {"a.txt": "x\r\n\r\ny\r\n"})
    assert await call("Grep", pattern="^$", output_mode="content") == "a.txt:2:"
    assert await call("Grep", pattern="y$", output_mode="content") == "a.txt:3:y"


async def test_results_end_where_they_are_told_to(call: Call, root: Path) -> None:
    write(root, {"a.txt": "hit\n" * 50, "b.txt": "hit\n"})
    text = await call("Grep", pattern="hit", output_mode="content", head_limit=3)
    assert text.splitlines() == ["a.txt:1:hit", "a.txt:2:hit", "a.txt:3:hit", text.splitlines()[-1]]
    assert "head_limit (3) was reached" in text
    assert "head_limit (1)" in await call("Grep", pattern="hit", head_limit=1)


async def test_of_a_long_line_the_match_is_shown(call: Call, root: Path) -> None:
    write(root, {"c.txt": f"{'x' * 10_000}hit{'y' * 10_000}\n"})
    long = await call("Grep", pattern="hit", path="c.txt", output_mode="content")
    assert long == f"c.txt:1:[...] {'x' * 100}hit{'y' * 397} [...]"
    write(root, {"c.txt": f"hit{'y' * 498}\n"})
    assert await call("Grep", pattern="hit", output_mode="content") == f"c.txt:1:hit{'y' * 497} [...]"


async def test_binary_and_very_large_files_are_not_searched(call: Call, root: Path) -> None:
    (root / "a.bin").write_bytes(b"hit\0hit")
    with (root / "big.txt").open("wb") as big:
        big.write(b"hit\n")
        big.truncate(100_000_000)
    write(root, {"kept.txt": "hit\n"})
    assert await call("Grep", pattern="hit") == "Found 1 file\nkept.txt"


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(?P<x>a)(?P<x>b)", "[z-a]"])
async def test_a_pattern_that_is_none_is_said(call: Call, root: Path, pattern: str) -> None:
    write(root, {"a.txt": "x\n"})
    with pytest.raises(ToolError, match="not a Python regular expression"):
        await call("Grep", pattern=pattern)


@pytest.mark.explore
async def test_a_pattern_that_never_ends_is_ended_and_what_was_found_is_kept(mark: str, root: Path) -> None:
    write(root, {"a.txt": "b\n", "b.txt": "a" * 60 + "!\n"})
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.02)
            ticks += 1

    ticking = asyncio.create_task(tick())
    for seconds in (1, 3, 20):  # a busy machine may take longer than that until it begins
        wanted = FileSearch("^(?=.)(b|(a+)+$)", "files_with_matches", seconds=seconds)
        found = await search(wanted, [str(root / "a.txt"), str(root / "b.txt")], str(root))
        if found.files:
            break
    ticking.cancel()
    assert found.is_late
    assert [Path(file["path"]).name for file in found.files] == ["a.txt"]
    assert ticks > 10  # the program went on meanwhile
    assert marked(mark) == {}


async def test_cancelling_a_search_ends_its_process(mark: str, call: Call, root: Path) -> None:
    write(root, {"a.txt": "a" * 60 + "!\n"})
    searching = asyncio.ensure_future(call("Grep", pattern="^(?=.)(a+)+$"))
    await until_running(mark, "search_worker")
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert marked(mark) == {}


@pytest.mark.parametrize("is_told", [True, False], ids=["by its token", "by its task"])
@pytest.mark.parametrize("name", ["Glob", "Grep"])
async def test_cancelling_ends_git(
    name: str, is_told: bool, mark: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    write(tmp_path, {"bin/git": "#!/bin/sh\nexec sleep 9\n"})
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    tools, cancel = {tool.name: tool for tool in file_tools(root)}, CancelToken()
    looking = asyncio.ensure_future(tools[name].execute({"pattern": "x"}, ToolContext(cancel=cancel)))
    while not marked(mark):
        await asyncio.sleep(0.01)
    if is_told:
        cancel.cancel()
    else:
        looking.cancel()
    began = time.monotonic()
    while marked(mark):
        await asyncio.sleep(0.01)
    assert time.monotonic() - began < 3
    await asyncio.wait({looking})


async def test_reading_ends_when_it_is_cancelled(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a.txt": "x\n" * 50})
    read, cancel, parts = file_tools(root)[0], CancelToken(), list[str]()
    lines = file_tools_module._lines

    def slow(file: Any, stop: Callable[[], bool]) -> Iterator[str]:
        for line in lines(file, stop):
            parts.append(line)
            cancel.cancel()
            yield line

    monkeypatch.setattr(file_tools_module, "_lines", slow)
    with pytest.raises(ToolError):
        await read.execute({"file_path": "a.txt"}, ToolContext(cancel=cancel))
    assert len(parts) == 1


async def test_strange_names_are_searched_too(call: Call, root: Path) -> None:
    (root / "a\nb.txt").write_text("hit\n")
    (Path(os.fsdecode(os.fsencode(root) + b"/\xff.txt"))).write_text("hit\n")
    assert (await call("Grep", pattern="hit")).startswith("Found 2 files")
