"""Names that are easily taken for one another."""

from __future__ import annotations

import pytest

from maverick_tui.agent.catalog.discovery import look
from tests.support.cases import each


@each(
    "twin",
    [
        "Reviewer",
        "REVIEWER",
        "rev1ewer",
        "revIewer",
        "r\u0435viewer",
        "revi\u0435w\u0435\u0433",
        "r\u00e9viewer",
        "revievver",
    ],
)
def test_twins_look_the_same(twin: str) -> None:
    assert look(twin) == look("reviewer")


@pytest.mark.parametrize(
    ("one", "other"), [("test-writer", "test_writer"), ("implementer", "irnplementer"), ("lo", "10")]
)
def test_so_do_these(one: str, other: str) -> None:
    assert look(one) == look(other)


def test_names_of_agents_do_not() -> None:
    names = (
        "explorer",
        "reviewer",
        "implementer",
        "test-writer",
        "documenter",
        "planner",
        "tasks",
        "lead",
        "previewer",
    )
    assert len({look(name) for name in names}) == len(names)
