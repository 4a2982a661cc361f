"""To ask who wrote a line, or what is committed, runs nothing, whatever programs a repository names, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.review.blame import blame
from maverick_tui.review.committed import committed_files
from maverick_tui.review.kinds import ChangedFile
from maverick_tui.snapshots.shadow import root_of
from tests.attacks.git_traps import TRAPS, Trap, lay, make_base
from tests.support.sampling import sampled


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(folder)
    return folder


@pytest.mark.parametrize("trap", sampled(TRAPS, 17, [trap.id for trap in TRAPS]))
def test_nothing_runs_by_asking(trap: Trap, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    for name, value in ground.variables.items():
        monkeypatch.setenv(name, value)
    (root_of(ground.looked_at) / "a.txt").write_text("by somebody\n")
    assert [line.text for line in blame(root_of(ground.looked_at) / "a.txt")] == [b"by somebody\n"]
    assert not committed_files(root_of(ground.looked_at), [ChangedFile("a.txt", "changed")])
    assert ground.left() == []
