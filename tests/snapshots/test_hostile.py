"""Snapshots of a repository that names programs in every way known run none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.snapshots.changes import changed_lines, changes, hunks
from maverick_tui.snapshots.planning import Span
from maverick_tui.snapshots.shadow import Shadow, root_of
from maverick_tui.snapshots.undoing import undo
from tests.attacks.git_traps import TRAPS, Trap, fall_into, lay, make_base
from tests.snapshots.folders import OWNER, content, kept
from tests.support.sampling import sampled


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(folder)
    return folder


@pytest.mark.parametrize("trap", sampled(TRAPS, 31, [trap.id for trap in TRAPS]))
def test_snapshots_run_nothing(trap: Trap, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    for name, value in ground.variables.items():
        monkeypatch.setenv(name, value)
    top = root_of(ground.looked_at)
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "a.txt").write_text("by the run\n")
    (top / "new.x").write_text("new\n")
    after = shadow.take(OWNER)
    found = changes(shadow, before, after)
    assert {"a.txt", "new.x"} == {change.path for change in found}
    assert all(hunks(shadow, change) for change in found)
    assert changed_lines(shadow, [before, after]) != [[]]
    assert kept(shadow, after) == content(top)
    undone = undo(shadow, [Span(before, after)], OWNER)
    assert undone.paths == {"a.txt", "new.x"}
    shadow.tidy()
    shadow.release(OWNER)
    assert ground.left() == []
    if trap.plain and not ground.variables:
        fall_into(trap, ground)
        assert ground.left() != []
