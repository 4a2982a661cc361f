"""Which of many like cases every run of the tests tries; `make explore` tries them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest


def examples(steady: int, explored: int) -> int:
    """How many examples a property has in every run of the tests, and how many in `make explore`."""
    return explored if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else steady


def sampled(cases: Sequence[Any], every: int, ids: Sequence[str] | None = None) -> list[Any]:
    """The parameters of a test; all but the first and each twice so many after it are left to `make explore`: the whole
    is to take less than ten minutes on two cores.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=ids[number] if ids else None,
            marks=[pytest.mark.explore] if number % (2 * every) else [],
        )
        for number, case in enumerate(cases)
    ]


def in_parts(cases: Sequence[Any], parts: int) -> list[Any]:
    """Cases that one test goes through, as so many parameters of it; all but the first are left to `make explore`."""
    ids = [f"part {number + 1} of {parts}" for number in range(parts)]
    return sampled([list(cases[number::parts]) for number in range(parts)], parts, ids)
