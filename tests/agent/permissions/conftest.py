"""A project with links out of it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a")
    (folder / "away").symlink_to(tmp_path)
    (folder / "keys").symlink_to(Path.home() / ".ssh" / "id_rsa")
    return folder
