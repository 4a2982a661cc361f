"""What was looked up counts for as long as it would be found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions import looked_up as module
from maverick_tui.agent.permissions.looked_up import Seen, looked_up


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has changed just now, however fast the test is."""
    monkeypatch.setattr(module, "_SETTLES", -1_000_000_000)


@pytest.mark.usefixtures("settled")
def test_it_is_looked_up_again_once_something_has_changed(tmp_path: Path) -> None:
    looks: list[str] = []

    @looked_up
    def names(seen: Seen, folder: str) -> list[str]:
        looks.append(folder)
        place = Path(seen.see(folder))
        return sorted(one.name for one in place.iterdir()) if place.is_dir() else []

    inner = tmp_path / "inner"
    assert names(str(inner)) == names(str(inner)) == []
    inner.mkdir()
    assert names(str(inner)) == names(str(inner)) == []
    (inner / "a").touch()
    assert names(str(inner)) == names(str(inner)) == ["a"]
    assert len(looks) == 3


def test_what_has_just_changed_counts_for_no_other_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SETTLES", 3_600 * 1_000_000_000)
    looks: list[str] = []

    @looked_up
    def look(seen: Seen, folder: str) -> None:
        looks.append(seen.see(folder))

    (tmp_path / "a").touch()
    look(str(tmp_path))
    look(str(tmp_path))
    assert len(looks) == 2, "it may change again, and have the same time"
