"""What is known of worktrees, where it cannot be written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from maverick_tui.cli import _report
from maverick_tui.worktrees import records


def test_a_note_that_a_full_disk_does_not_take_names_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(**_how: object) -> tuple[int, str]:
        return os.open("/dev/full", os.O_WRONLY), str(tmp_path / ".new")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(OSError, match="No space left") as caught:
        records.save(tmp_path / "run.json", {"path": "x"})
    assert _report(caught.value) == 1
    assert f"{tmp_path / 'run.json'} cannot be written: No space left on device." in capsys.readouterr().err
    assert (tmp_path / "run.json").read_text() == "{}"
