"""What all tests of the interface share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual import _wait
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation


@pytest.fixture(autouse=True, scope="session")
def styles_parsed_once() -> Iterator[None]:
    """Hundreds of applications have the same styles. Textual keeps what it has parsed for one of them, this for all."""
    parse = Stylesheet._parse_rules
    known: dict[Any, list[RuleSet]] = {}

    def look_up(sheet: Stylesheet, css: str, read_from: CSSLocation, *rest: Any, **named: Any) -> list[RuleSet]:
        key = (css, read_from, rest, *named.items(), frozenset(sheet._variables.items()))
        if key not in known:
            known[key] = parse(sheet, css, read_from, *rest, **named)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", look_up)
        yield


@pytest.fixture(autouse=True, scope="session")
def idle_is_noticed_soon() -> Iterator[None]:
    """After each key Textual sleeps for 20 ms at least, to see whether the application has come to rest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_wait, "SLEEP_GRANULARITY", _wait.SLEEP_GRANULARITY / 5)
        patch.setattr(_wait, "SLEEP_IDLE", _wait.SLEEP_IDLE / 5)
        yield
