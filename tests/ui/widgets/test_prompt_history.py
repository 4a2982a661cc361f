"""The file of earlier prompts: what is in it, who may read it, and what it survives."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.ui.widgets import prompt_history
from maverick_tui.ui.widgets.prompt_history import HistoryWalk, PromptHistory


async def remember(history: PromptHistory, *texts: str) -> None:
    for text in texts:
        history.add(text)
    await history.save()


def lines_of(history: PromptHistory) -> list[str]:
    return [json.loads(line)["text"] for line in history.path.read_text().splitlines()]


async def test_prompts_are_kept_for_each_project(tmp_path: Path) -> None:
    await remember(PromptHistory(tmp_path / "one"), "first", "two\nlines")
    await remember(PromptHistory(tmp_path / "two"), "other")
    assert await PromptHistory(tmp_path / "one").texts() == ["first", "two\nlines"]
    assert PromptHistory(tmp_path / "one").path.parent == paths.user_state() / "prompts"


async def test_only_the_user_can_read_them(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    await remember(history, "a")
    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(history.path.parent.stat().st_mode) == 0o700


async def test_what_could_not_be_written_is_written_with_the_next_one(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "project", tmp_path / "prompts")
    (tmp_path / "prompts").touch()  # where a folder is to be
    with pytest.raises(OSError, match="prompts"):
        await remember(history, "a")
    (tmp_path / "prompts").unlink()
    await remember(history, "b")
    assert lines_of(history) == ["a", "b"]


async def test_the_same_prompt_is_there_once_as_the_newest(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    await remember(history, "a", "b", "a", "  ", "")
    assert await history.texts() == ["b", "a"]
    assert await PromptHistory(tmp_path).texts() == ["b", "a"]
    await remember(history, "b")
    assert await history.texts() == ["a", "b"]


async def test_secrets_are_masked_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "hunter2hunter2")
    history = PromptHistory(tmp_path)
    await remember(history, "use hunter2hunter2", "b")
    assert "hunter2" not in history.path.read_text()
    assert await history.texts() == ["use hunter2hunter2", "b"]
    assert await PromptHistory(tmp_path).texts() == ["use [secret]", "b"]


async def test_a_huge_prompt_is_not_written(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    await remember(history, "x" * (prompt_history.LONGEST + 1), "b")
    assert lines_of(history) == ["b"]
    assert len(await history.texts()) == 2


async def test_broken_lines_lose_nothing_else(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    await remember(history, "a")
    with history.path.open("ab") as file:
        file.write(b'\xff\xfe\n[]\n{"text": 3}\n' + b"[" * 20_000 + b'\n{"text": "b"}\n{"text": "cut o')
    await remember(history, "c")
    assert await PromptHistory(tmp_path).texts() == ["a", "b", "c"]


async def test_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_history, "MOST", 5)
    history = PromptHistory(tmp_path)
    for number in range(23):
        await remember(history, str(number))
    assert await PromptHistory(tmp_path).texts() == await history.texts() == ["18", "19", "20", "21", "22"]
    assert len(lines_of(history)) <= 2 * 5
    assert stat.S_IMODE(history.path.stat().st_mode) == 0o600
    assert [path.name for path in history.path.parent.iterdir() if path.name != ".lock"] == [history.path.name]


async def test_the_file_stays_small_and_only_its_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_history, "MOST_BYTES", 4_000)
    history = PromptHistory(tmp_path)
    for number in range(12):
        await remember(history, f"{number} " + "x" * 600)
        assert history.path.stat().st_size <= 4_000
    texts = await PromptHistory(tmp_path).texts()
    assert [text.split()[0] for text in texts][-2:] == ["10", "11"]
    with history.path.open("ab") as file:
        file.write(b"y" * 10_000 + b'\n{"text": "last"}\n')
    assert await PromptHistory(tmp_path).texts() == ["last"]


async def test_reading_sees_what_was_added_before_it(tmp_path: Path) -> None:
    await remember(PromptHistory(tmp_path), "a", "b")
    history = PromptHistory(tmp_path)
    history.add("c")
    history.add("a")
    assert await history.texts() == ["b", "c", "a"]


@pytest.mark.explore
@pytest.mark.slow
async def test_several_applications_write_at_once(tmp_path: Path) -> None:
    writer = """
import asyncio, sys
from pathlib import Path
from maverick_tui.ui.widgets import prompt_history
prompt_history.MOST = 200
async def main():
    history = prompt_history.PromptHistory(Path(sys.argv[1]))
    for number in range(60):
        history.add(f"{sys.argv[2]}-{number}")
        await history.save()
asyncio.run(main())
"""
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", writer, str(tmp_path), name) for name in "ab"
    ]
    assert [await process.wait() for process in processes] == [0, 0]
    texts = await PromptHistory(tmp_path).texts()
    assert sorted(texts) == sorted(f"{name}-{number}" for name in "ab" for number in range(60))
    for name in "ab":
        own = [text for text in texts if text.startswith(name)]
        assert own == [f"{name}-{number}" for number in range(60)]


def test_nothing_is_read_or_written_before_it_is_asked_for(tmp_path: Path) -> None:
    PromptHistory(tmp_path)
    assert not paths.user_state().exists()


def test_textual_is_not_needed_for_it() -> None:
    code = "import sys, maverick_tui.ui.widgets.prompt_history; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_walk_ends_at_both_ends_and_keeps_what_was_changed() -> None:
    walk = HistoryWalk(["a", "b"], "draft")
    assert walk.step(1, "draft") is None
    assert walk.step(-1, "draft!") == "b"
    assert walk.step(-1, "b!") == "a"
    assert walk.step(-1, "a") is None
    assert walk.step(1, "a") == "b!"
    assert walk.step(1, "b!") == "draft!"
