"""Which of many like cases every run of the tests tries; `make explore` tries them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest


def sampled(cases: Sequence[Any], every: int, ids: Sequence[str] | None = None) -> list[Any]:
    """The parameters of a test; all but the first and each so many after it are left to `make explore`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=ids[number] if ids else None,
            marks=[pytest.mark.explore] if number % every else [],
        )
        for number, case in enumerate(cases)
    ]


def examples(few: int, many: int) -> int:
    """How many examples a property is tried with; many only by `make explore`."""
    return many if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else few
