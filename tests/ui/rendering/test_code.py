"""Code: highlighted where a lexer is known, whole where none is, and never slower than it is long."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from maverick_tui.markup import code
from maverick_tui.markup.code import language_of, lexer_of
from maverick_tui.ui.rendering.live import LiveMarkdown
from maverick_tui.ui.rendering.markdown import COMMON_LANGUAGES, preload
from maverick_tui.ui.rendering.row import Row
from tests.support.cases import each
from tests.ui.rendering.looks import DARK, assert_sound, renderer, shown


def styles(row: Row) -> dict[str, object]:
    return {segment.text: segment.style for segment in row if segment.text.strip()}


def test_tokens_have_the_style_of_their_type_or_of_the_type_above() -> None:
    row = renderer(60).code("def total(x): return 'a' + 1  # sum", "python")[0]
    found = styles(row)
    assert found["def"] == DARK.syntax["Keyword"]
    assert found["total"] == DARK.syntax["Name.Function"]
    assert found["a"] == DARK.syntax["Literal.String"] or found["'a'"] == DARK.syntax["Literal.String"]
    assert found["1"] == DARK.syntax["Literal.Number"]
    assert found["# sum"] == DARK.syntax["Comment"]
    assert found["x"] == DARK.block


def test_a_string_over_several_lines_is_one() -> None:
    rows = renderer(40).code('"""one\nreturn\n"""\n', "python")
    assert styles(rows[1])["return"] != DARK.syntax["Keyword"]
    assert DARK.syntax["Literal.String"] == styles(rows[1])["return"]


def test_a_diff_is_coloured_and_has_its_signs() -> None:
    rows = renderer(40).code("-old\n+new\n same", "diff")
    assert shown(rows) == "  -old\n  +new\n   same"
    assert styles(rows[0]) == {"-old": DARK.syntax["Generic.Deleted"]}
    assert styles(rows[1]) == {"+new": DARK.syntax["Generic.Inserted"]}


@pytest.mark.parametrize("language", ["", "nonsense", "text", "../../etc", "x" * 5_000, "mermaid"])
def test_unknown_languages_are_plain(language: str) -> None:
    rows = renderer(40).code("def f():\n\treturn 1", language)
    assert shown(rows) == "  def f():\n      return 1"
    assert {segment.style for row in rows for segment in row} == {DARK.block}


@each(
    ("info", "language"),
    [
        ("python", "python"),
        ("  Python title=x", "python"),
        ("{.js}", "js"),
        ("rust,ignore", "rust"),
        ("ts:src/a.ts", "ts"),
        ("c++", "c++"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_the_language_is_the_first_word_of_a_fence(info: str, language: str) -> None:
    assert language_of(info) == language


def test_long_lines_are_indented_where_they_go_on() -> None:
    rows = renderer(30).code("    return first_value + second_value * third_value", "")
    assert shown(rows) == "      return first_value +\n        second_value *\n        third_value"
    assert [row.continues for row in rows] == [False, True, True]
    assert "".join(row.copied() for row in rows) == "    return first_value + second_value * third_value"


def test_code_fits_narrow_screens() -> None:
    for width in (10, 11, 24, 25):
        assert_sound(renderer(width).code("\tdef f(日本語): return '😀' * 10\n\n", "python"), width)


def test_no_code_is_one_empty_row() -> None:
    assert len(renderer(20).code("", "python")) == 1
    assert len(renderer(20).code("\n\n", "")) == 1


def test_what_no_lexer_should_see_stays_plain() -> None:
    rows = renderer(100).code("x = 1;" * 1_000, "javascript")
    assert {segment.style for row in rows for segment in row} == {DARK.block}
    assert "".join(row.copied() for row in rows) == "x = 1;" * 1_000


def test_a_lexer_that_fails_costs_the_colours_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        name = "broken"

        def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
            yield 0, ("Keyword",), "first\n"
            raise RuntimeError("no more")

    monkeypatch.setattr(code, "lexer_of", lambda language: Broken())
    with caplog.at_level(logging.ERROR):
        rows = renderer(30).code("first\nsecond\nthird", "python")
    assert shown(rows) == "  first\n  second\n  third"
    assert styles(rows[0]) == {"first": DARK.syntax["Keyword"]}
    assert styles(rows[1]) == {"second": DARK.block}
    assert "has failed" in caplog.text


def test_warming_up_loads_the_common_lexers() -> None:
    lexer_of.cache_clear()
    preload()
    assert lexer_of.cache_info().currsize == len(COMMON_LANGUAGES)
    assert all(lexer_of(language) is not None for language in COMMON_LANGUAGES)


def test_code_that_keeps_its_lexer_busy_for_ever_is_shown_plain() -> None:
    source = 'x = "' + "\\" * 61
    rows = renderer(100).code(source, "chapel")
    assert shown(rows) == f"  {source}"
    assert {segment.style for row in rows for segment in row} == {DARK.block}


@pytest.mark.explore
def test_it_is_shown_plain_also_while_it_is_told() -> None:
    live = LiveMarkdown(renderer(100))
    told = 'Here:\n\n```chapel\nx = "' + "\\" * 61 + "\n```\n\nDone."
    for letter in told:
        live.feed(letter)
        live.advance(1)
    live.finish()
    text = shown(live.frozen)
    assert "\\" * 61 in text
    assert text.endswith("Done.")
