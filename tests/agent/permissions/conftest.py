"""A project with links out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.permissions.deciding import write
from tests.executor.files.support import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a")
    (folder / "away").symlink_to(tmp_path)
    (folder / "keys").symlink_to(Path.home() / ".ssh" / "id_rsa")
    return folder


@pytest.fixture
def secretive(project: Path) -> Path:
    """A project with files that are not to be read or changed."""
    git(project, "init", "-q")
    (project / "conf").mkdir()
    for name in ("credentials", "secret.txt", "conf/prod.env"):
        (project / name).write_text("TOPSECRET")
    write('allow = ["Bash"]\ndeny = ["Read(credentials)", "Read(secret.txt)", "Read(conf/**)", "Edit(credentials)", '
          '"Edit(Makefile)"]')  # fmt: skip
    return project
