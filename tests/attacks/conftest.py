"""The sandbox of each test of attacks, and the environment that everything in it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel


@pytest.fixture
def sandbox(tmp_path: Path, serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Where attacks are tried; this process is in it, too, and whatever it starts."""
    with Sandbox(tmp_path) as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(made.project)
        yield made
