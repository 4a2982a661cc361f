"""The accepted pictures themselves: nothing of a machine, nothing from elsewhere, and not too much of it."""

from __future__ import annotations

import re
from pathlib import Path

PICTURES = sorted((Path(__file__).parent / "__snapshots__").rglob("*.svg"))
MOST_BYTES = 4_000_000
_MACHINE = re.compile(r"/tmp/|/root/|/Users/|/work/|pytest-of|@font-face|\burl\(['\"]?http")


def test_they_show_no_machine_and_load_nothing() -> None:
    assert PICTURES
    found = {path.name: match[0] for path in PICTURES if (match := _MACHINE.search(path.read_text(encoding="utf-8")))}
    assert found == {}


def test_they_are_small_enough_for_a_repository() -> None:
    assert sum(path.stat().st_size for path in PICTURES) < MOST_BYTES
