"""The other themes, at the states with the most colours."""

from __future__ import annotations

import pytest

from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import RunShot
from tests.ui.snapshots.story import NARROW, WIDE
from tests.ui.snapshots.test_failures import PARTIAL, broken_stream

THEMES = ["maverick-light", "maverick-ansi"]


@pytest.mark.parametrize("theme", sampled(THEMES, 2))
def test_done(run_shot: RunShot, theme: str) -> None:
    assert run_shot(tapes.done(), WIDE, theme=theme)


@pytest.mark.parametrize("theme", sampled(THEMES, 2))  # how the other one looks is seen above
def test_the_stream_breaks(run_shot: RunShot, theme: str) -> None:
    assert run_shot(tapes.failed(broken_stream(), PARTIAL), NARROW, theme=theme)


@pytest.mark.parametrize("theme", sampled(THEMES, 2))
def test_an_edit_that_asks(run_shot: RunShot, theme: str) -> None:
    assert run_shot(tapes.reproduced().ask("Edit", tapes.EDIT, grants=("Edit in this project",)), NARROW, theme=theme)
