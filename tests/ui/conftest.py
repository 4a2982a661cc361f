"""What all tests of the interface share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
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
