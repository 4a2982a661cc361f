"""The sandbox of each test of attacks, and the environment that everything in it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `.git` that all sandboxes have; the first makes it."""
    return tmp_path_factory.mktemp("repository") / "git"


@pytest.fixture
def sandbox(tmp_path: Path, repository: Path, serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Where attacks are tried; this process is in it, too, and whatever it starts."""
    with Sandbox(tmp_path, repository) as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(made.project)
        yield made
