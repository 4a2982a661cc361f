"""The folder of a batch: what is written there stays, half lines are mended, and one batch at a time has it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.batch.folder import StartedRun, opened
from maverick_tui.batch.items import Item
from maverick_tui.cli import _report
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.batches import ABOUT, FAILURES, RESULTS, RUNS
from maverick_tui.paths import user_state

ITEMS = [Item(number, str(number), f"prompt {number}", {}, "", f"k{number}") for number in range(1, 5)]
PLACE = Path("out")
DEEP = "[" * 100_000


def test_what_came_of_prompts_is_found_again_and_what_was_begun_is_looked_for() -> None:
    with opened(PLACE, "cook") as folder:
        assert folder.take_in(ITEMS) == (0, 0)
        for item in ITEMS[:3]:
            folder.begin(item, StartedRun(f"run-{item.line}", ""))
        folder.add("k1", {"run_id": "run-1"}, is_done=True)
        folder.add("k2", {"run_id": "run-2"}, is_done=False)
        batch = folder.batch_id
    with opened(PLACE, "cook") as folder:
        assert (folder.batch_id, set(folder.done), set(folder.failed)) == (batch, {"k1"}, {"k2"})
        assert folder.started == {"k3": StartedRun("run-3", "")}
        assert folder.take_in([*ITEMS[1:], ITEMS[0]._replace(key="other")]) == (1, 1)
        folder.forget_failures(["k2", "k1"])
        folder.give_up(["k3"])
    with opened(PLACE, "cook") as folder:
        assert (set(folder.done), folder.failed, folder.started) == ({"k1"}, {}, {})
    assert (PLACE / FAILURES).read_text() == ""


def test_half_a_line_is_cut_off_and_its_run_is_looked_at_again() -> None:
    with opened(PLACE, "cook") as folder:
        folder.take_in(ITEMS)
        for item in ITEMS[:2]:
            folder.begin(item, StartedRun(f"run-{item.line}", "there"))
            folder.add(item.key, {"run_id": f"run-{item.line}"}, is_done=True)
    for name in (RESULTS, RUNS):
        whole = (PLACE / name).read_bytes()
        (PLACE / name).write_bytes(whole[:-1] if name == RESULTS else whole + b'{"key": "k')
    with opened(PLACE, "cook") as folder:
        assert set(folder.done) == {"k1"}
        assert folder.started == {"k2": StartedRun("run-2", "there")}
    assert [json.loads(line)["key"] for line in (PLACE / RESULTS).read_text().splitlines()] == ["k1"]


def test_a_full_disk_is_told_with_the_file_that_it_did_not_take(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = tempfile.mkstemp
    with opened(PLACE, "cook") as folder:
        for file in (user_state() / "batches" / folder.batch_id, PLACE.resolve() / ABOUT):

            def make_one(full: Path = file.parent, **where: Any) -> tuple[int, str]:
                descriptor, name = make(**where)
                if where["dir"] == full:
                    os.close(descriptor)
                    descriptor = os.open("/dev/full", os.O_WRONLY)
                return descriptor, name

            monkeypatch.setattr(tempfile, "mkstemp", make_one)
            with pytest.raises(OSError, match="No space left") as caught:
                folder.take_in(ITEMS)
            assert caught.value.filename == str(file)
            assert _report(caught.value) == 1
            assert f"{file.name} cannot be written: No space left on device." in capsys.readouterr().err


def test_a_folder_that_is_in_use_or_of_something_else_is_refused() -> None:
    with (
        opened(PLACE, "cook") as folder,
        pytest.raises(ConfigError, match="Another batch is using"),
        opened(PLACE, "cook"),
    ):
        raise AssertionError
    with opened(PLACE, "cook") as folder:
        folder.take_in(ITEMS)
    with pytest.raises(ConfigError, match="of the agent 'cook', and not of 'baker'"), opened(PLACE, "baker"):
        pass
    wrong = ('{"key": "k3", "cost": "dear"}', '{"key": "k3", "usage": {"input_tokens": "many"}}')
    for damaged in ("nonsense", *wrong, DEEP):
        (PLACE / RESULTS).write_text(f'{{"key": "k1", "cost": null}}\n{damaged}\n{{"key": "k2"}}\n')
        with pytest.raises(ConfigError, match=r"results.jsonl is damaged in line 2"), opened(PLACE, "cook"):
            pass
    (PLACE / RESULTS).unlink()
    (PLACE / "batch.json").write_text(DEEP)
    with pytest.raises(ConfigError, match=r"batch.json cannot be read: it is nested too deeply"), opened(PLACE, "cook"):
        pass
    os.mkfifo(PLACE / RESULTS)
    with pytest.raises(ConfigError, match="is not a file"), opened(PLACE, "cook"):
        pass
    Path("else").mkdir()
    (Path("else") / RESULTS).write_text("mine\n")
    with pytest.raises(ConfigError, match="is the folder of no batch"), opened(Path("else"), "cook"):
        pass
    Path("file").write_text("")
    with pytest.raises(ConfigError, match="cannot be the folder of a batch"), opened(Path("file"), "cook"):
        pass


@pytest.mark.parametrize("batch", ["x\x1b]0;PWNED\x07", "../../trust", "0123abcd", ""])
def test_what_a_clone_brings_along_is_not_taken_for_a_batch_of_ours(batch: str) -> None:
    PLACE.mkdir()
    (PLACE / "batch.json").write_text(json.dumps({"version": 1, "batch": batch, "agent": "cook"}))
    (PLACE / RUNS).write_text('{"key": "k1", "run_id": "2d2bce9f6980", "machine": "git@attacker.example"}\n')
    with pytest.raises(ConfigError, match="was not begun here") as refused, opened(PLACE, "cook"):
        pass
    assert "\x1b" not in refused.value.message


def test_a_batch_of_ours_is_none_elsewhere_and_is_known_when_its_drive_is_back() -> None:
    with opened(PLACE, "cook") as folder:
        folder.take_in(ITEMS)
    PLACE.rename("away")
    with pytest.raises(ConfigError, match="was not begun here") as refused, opened(Path("away"), "cook"):
        pass
    assert "move it back there" in refused.value.hint
    assert str(PLACE.resolve()) in refused.value.hint
    with opened(Path("other"), "cook") as other:
        other.take_in(ITEMS)
    Path("away").rename(PLACE)
    with opened(PLACE, "cook") as again:
        assert again.batch_id == folder.batch_id
    assert {one.name for one in (user_state() / "batches").iterdir()} == {folder.batch_id, other.batch_id}


@pytest.mark.parametrize("name", [RESULTS, FAILURES, "batch.json", "."])
def test_nothing_is_written_or_cut_through_a_link(name: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    if name == ".":
        mine.mkdir()
        PLACE.symlink_to(mine)
    else:
        mine.write_text("no newline at its end")
        PLACE.mkdir()
        (PLACE / name).symlink_to(mine)
    with pytest.raises(ConfigError, match="is a link"), opened(PLACE, "cook"):
        pass
    assert not mine.is_file() or mine.read_text() == "no newline at its end"
    assert not mine.is_dir() or not list(mine.iterdir())


def test_a_folder_of_something_else_is_left_as_it_is() -> None:
    PLACE.mkdir()
    (PLACE / FAILURES).write_text("no newline at its end")
    with pytest.raises(ConfigError, match="of no batch"), opened(PLACE, "cook"):
        pass
    assert (PLACE / FAILURES).read_text() == "no newline at its end"
