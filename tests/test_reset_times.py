"""When a limit resets: however it is told, and never at a time that cannot be meant."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from maverick_tui.reset_times import FARTHEST, JUST_PASSED, reset_in_headers, reset_in_words, reset_time
from tests.support.cases import each

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC).timestamp()
HOUR = 3600.0


@pytest.mark.parametrize(
    "said",
    [
        NOW + HOUR,
        int(NOW + HOUR),
        f"{NOW + HOUR:.0f}",
        (NOW + HOUR) * 1000,
        "2026-11-16T13:00:00Z",
        "2026-11-16T15:00:00+02:00",
        " 2026-11-16T08:00:00-05:00 ",
    ],
)
def test_a_time_in_any_form(said: object) -> None:
    assert reset_time(said, NOW) == NOW + HOUR


@each(
    "said",
    [
        None,
        True,
        "",
        "soon",
        [NOW + HOUR],
        NOW - JUST_PASSED - 1,
        0,
        -5.0,
        NOW + FARTHEST + 1,
        NOW + 3 * 365 * 86_400,
        math.nan,
        math.inf,
        "nan",
        "inf",
        "1e999",
        10**400,
        "2026-11-16T13:00:00",
        "2026-13-45T99:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_what_cannot_be_meant_is_no_time(said: object) -> None:
    assert reset_time(said, NOW) is None


@pytest.mark.parametrize("said", [NOW, NOW - 1, NOW - JUST_PASSED])
def test_a_time_that_has_just_passed_is_the_next_moment(said: float) -> None:
    assert reset_time(said, NOW) == NOW + 1


def test_headers_of_an_endpoint() -> None:
    unified = {"anthropic-ratelimit-unified-reset": f"{NOW + HOUR:.0f}"}
    minutes = {
        "anthropic-ratelimit-requests-reset": "2026-11-16T12:00:30Z",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-16T12:01:00Z",
        "anthropic-ratelimit-tokens-remaining": "7000",
    }
    assert reset_in_headers({**unified, **minutes}, NOW, 10.0) == NOW + HOUR
    assert reset_in_headers(minutes, NOW, 10.0) == NOW + 10
    assert reset_in_headers(minutes, NOW) == NOW + 30, "what is left need not be waited for"
    del minutes["anthropic-ratelimit-requests-remaining"]
    assert reset_in_headers(minutes, NOW) == NOW + 60
    assert reset_in_headers({"anthropic-ratelimit-unified-reset": "never", "content-length": "9"}, NOW) is None
    assert reset_in_headers({}, NOW, 1e12) is None


def test_words_of_an_older_cli() -> None:
    assert reset_in_words(f"Claude AI usage limit reached|{NOW + HOUR:.0f}", NOW) == NOW + HOUR
    assert reset_in_words(f"Claude AI usage limit reached|{NOW - HOUR:.0f}", NOW) is None
    assert reset_in_words("You've hit your limit", NOW) is None
