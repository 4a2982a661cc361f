"""What a person writes to choose among runs."""

from __future__ import annotations

from datetime import datetime

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.filters import Filter, match_expression, moment, no_such_filter, parse_filter, span

NOW = datetime(2026, 11, 16, 12, 30).astimezone().timestamp()


def parsed(text: str) -> Filter:
    return parse_filter(text, lambda: NOW)


def test_words_and_fields_are_told_apart() -> None:
    assert parsed('agent:rev repo:"my shop" fix "the login" te') == Filter(
        agent="rev", repo="my shop", words=("fix", "the login", "te"), goes_on=True
    )
    assert parsed("state:failed tag:ci").words == ()
    assert parsed('"open phrase').words == ("open phrase",)
    assert parsed("  ") == parsed("agent:") == parsed("since:") == Filter()
    assert parsed("http://x y:z").words == ("http://x", "y:z")


@pytest.mark.parametrize(
    ("text", "seconds"), [("30m", 1_800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), ("today", 45_000)]
)
def test_times_are_counted_back(text: str, seconds: float) -> None:
    assert NOW - moment(text, NOW) == seconds
    assert parsed(f"since:{text}").since == NOW - seconds


def test_dates_are_local() -> None:
    assert moment("2026-11-16", NOW) == moment("today", NOW)
    assert moment("2026-11-15", NOW) == moment("yesterday", NOW)
    assert moment("2026-11-16T12:30", NOW) == NOW


@pytest.mark.parametrize("text", ["since:never", "since:9999999d9", "state:don", "since:99999-01-01"])
def test_what_cannot_be_meant_is_told(text: str) -> None:
    with pytest.raises(ConfigError) as told:
        parsed(text)
    assert told.value.hint


def test_a_span_is_a_number_and_a_unit() -> None:
    assert span("90d") == 90 * 86_400
    for text in ("90", "d", "-1d", "1y", ""):
        with pytest.raises(ConfigError, match="span of time"):
            span(text)


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        (("fix", "the login"), '"fix" "the login"'),
        (("OR", "a*", "NEAR(x)", 'say "hi"', "-x"), '"OR" "a*"* "NEAR(x)" "say ""hi""" "-x"'),
        (("--", "*", "…"), ""),
        (("text:x", "^a"), '"text:x" "^a"'),
    ],
)
def test_no_word_is_taken_for_the_language_of_the_index(words: tuple[str, ...], expression: str) -> None:
    assert match_expression(words) == expression


def test_the_last_word_may_go_on() -> None:
    assert match_expression(("fix", "log"), goes_on=True) == '"fix" "log"*'


def test_what_looks_like_a_filter_and_is_none_is_said() -> None:
    assert "Did you mean 'state'?" in no_such_filter(parsed("login stat:done").words)
    assert "There are agent, repo" in no_such_filter(parsed("foo:bar").words)
    assert not no_such_filter(parsed('http://x agent:y login "a: b"').words)
