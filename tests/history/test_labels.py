"""What a person calls a run survives everything but the run's end."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.labels import FILE, Labels, name_run, read_labels, tag_run
from tests.history.kept import keep_run

RUN = "7f3a00c0ffee"


@pytest.fixture
def folder() -> Path:
    return keep_run().parent


def test_tags_are_added_and_removed(folder: Path) -> None:
    assert tag_run(RUN, ["b", "a", "a"]).tags == ("a", "b")
    assert tag_run(RUN, ["c"], ["a", "never"]).tags == ("b", "c")
    name_run(RUN, " My\nrun ")
    assert read_labels(folder).tags == ("b", "c")
    assert read_labels(folder).name == "My run"
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["events.jsonl", FILE]


@pytest.mark.parametrize("tag", ["", "two words", "a,b", "x" * 41, "\x1b[31m", "a\nb"])
def test_a_tag_is_one_word(folder: Path, tag: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a tag"):
        tag_run(RUN, [tag])
    assert not (folder / FILE).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tags": 7}', '{"named_at": []}', "\xff"])
def test_a_file_that_makes_no_sense_says_nothing(folder: Path, text: str) -> None:
    (folder / FILE).write_bytes(text.encode("latin-1"))
    assert read_labels(folder) == Labels()


def test_what_cannot_be_written_is_told(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    with pytest.raises(ConfigError, match="cannot be written: No such file"):
        tag_run(RUN, ["a"])


def test_what_two_write_at_once_is_all_there(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda tag: tag_run(RUN, [tag]), map(str, range(40))))
    assert len(read_labels(folder).tags) == 40
