"""What tests of reviews share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.snapshots.folders import project


@pytest.fixture
def nested(tmp_path: Path, home: Path) -> Path:
    """A repository, and another one in its `lib`."""
    project(tmp_path / "project")
    project(tmp_path / "project" / "lib")
    return tmp_path / "project"
