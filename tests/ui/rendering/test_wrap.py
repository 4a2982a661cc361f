"""Text is broken between words, never inside a character, and never loses anything."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size
from rich.style import Style

from maverick_tui.ui.rendering.wrap import WrappedLine, clean, clean_lines, cut, fold, is_simple, wrap, wrap_words
from tests.support.cases import each

PLAIN, BOLD = Style(color="red"), Style(bold=True)
ANY_TEXT = st.text(st.characters(exclude_categories=()))
ODD_TEXT = st.text(st.sampled_from("ab  \u200b\u0301日本。😀👩\u200d🔥❤\ufe0f-שـ\xa0"), max_size=60)
WIDTHS = st.integers(2, 30)


def texts(lines: list[WrappedLine]) -> list[str]:
    return ["".join(segment.text for segment in line.segments) for line in lines]


def test_all_characters_taken_for_simple_are_one_cell_wide() -> None:
    simple = [chr(code) for code in range(0x20, 0x30000) if code != 0x7F and is_simple(chr(code))]
    assert len(simple) > 8_000
    assert [character for character in simple if get_character_cell_size(character) != 1] == []


@each(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one   two", 5, ["one", "two"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 4, ["a", "bcde", "fgh"]),
        ("    abcdefgh", 6, ["    ab", "cdefgh"]),
        ("trailing   ", 8, ["trailing"]),
        ("", 5, [""]),
        ("a — “b” → c…", 7, ["a — “b”", "→ c…"]),
        ("日本語の文。", 6, ["日本語", "の文。"]),
        ("日本。語", 4, ["日", "本。", "語"]),
        ("word 日本語", 7, ["word 日", "本語"]),
        ("e\u0301e\u0301e\u0301 x", 3, ["e\u0301e\u0301e\u0301", "x"]),
        ("👩\u200d🔥👩\u200d🔥 x", 4, ["👩\u200d🔥👩\u200d🔥", "x"]),
    ],
)
def test_lines_are_broken_where_a_reader_expects_it(text: str, width: int, lines: list[str]) -> None:
    assert wrap_words(text, width) == lines


def test_code_is_broken_at_a_near_blank_or_where_it_is_full() -> None:
    assert texts(fold([("abcdef ghijkl", PLAIN)], 8)) == ["abcdef ", "ghijkl"]
    assert texts(fold([("ab cdefghijkl", PLAIN)], 8)) == ["ab cdefg", "hijkl"]
    assert texts(fold([("abcdefghijkl", PLAIN)], 6, 2)) == ["abcdef", "ghij", "kl"]


def test_styles_stay_with_their_text() -> None:
    lines = wrap([("one ", PLAIN), ("two three", BOLD), (" four", PLAIN)], 8)
    assert [[(segment.text, segment.style) for segment in line.segments] for line in lines] == [
        [("one ", PLAIN), ("two", BOLD)],
        [("three", BOLD)],
        [("four", PLAIN)],
    ]
    assert [line.glue for line in lines] == [None, " ", " "]


def test_a_newline_begins_a_line() -> None:
    lines = wrap([("a\n", PLAIN), ("\nb", BOLD)], 8)
    assert texts(lines) == ["a", "", "b"]
    assert [line.glue for line in lines] == [None, None, None]


@given(
    st.lists(st.tuples(ODD_TEXT | st.text(max_size=30), st.sampled_from([PLAIN, BOLD])), max_size=5),
    WIDTHS,
    st.booleans(),
)
@example([("aa", PLAIN), (" \u0301", PLAIN)], 2, True)
def test_no_line_is_too_wide_and_nothing_is_lost(runs: list[tuple[str, Style]], width: int, by_word: bool) -> None:
    runs = [(clean(text), style) for text, style in runs]
    lines = wrap(runs, width) if by_word else fold(runs, width, 3)
    for line in lines:
        assert line.cells == sum(cell_len(segment.text) for segment in line.segments) <= width
        assert all(segment.text for segment in line.segments)
    joined = "".join((line.glue or "") + text for line, text in zip(lines, texts(lines), strict=True))
    source = "".join(text for text, _ in runs)
    assert joined.rstrip(" ") == source.rstrip(" ")
    if not by_word:
        assert joined == source
        assert all(not line.glue for line in lines)


@given(ANY_TEXT)
def test_clean_text_has_a_width_that_is_the_sum_of_its_parts(text: str) -> None:
    for line in (clean(text), *clean_lines(text)):
        assert "\n" not in line
        assert "\t" not in line
        if is_simple(line):
            assert cell_len(line) == len(line)


def test_tabs_are_expanded_and_what_has_no_known_width_goes() -> None:
    assert clean_lines("a\tb\n\tc") == ["a   b", "    c"]
    assert clean("a\tb\nc") == "a   b c"
    assert clean("so\xadft \u2028 क\u094d\u200dष \u3164") == "so\ufffdft \ufffd क\u094dष \ufffd"
    assert clean("👩\u200d🔥") == "👩\u200d🔥"
    assert clean("\x1b[31m") == "␛[31m"


@each(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 8, ["one two", "three"]),
        ("  one two", 5, ["  one", "two"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("ab cdefghij k", 4, ["ab", "cdef", "ghij", "k"]),
        ("日本語日本語", 4, ["日本", "語日", "本語"]),
        ("日", 1, ["日"]),
    ],
)
def test_lines_end_between_words_where_they_can(text: str, width: int, lines: list[str]) -> None:
    assert wrap_words(text, width) == lines


@given(st.text(st.characters(exclude_categories=["C", "M"])), st.integers(2, 40))
def test_no_character_of_plain_words_is_lost(text: str, width: int) -> None:
    lines = wrap_words(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


def test_a_flag_is_never_cut_in_two() -> None:
    text = "ab🇩🇪🇫🇷 cd 🇫🇮x🇸"
    for width in range(1, 16):
        assert "".join(cut(text, width).rstrip("…").split()) in (
            "", "a", "ab", "ab🇩🇪", "ab🇩🇪🇫🇷", "ab🇩🇪🇫🇷c", "ab🇩🇪🇫🇷cd", "ab🇩🇪🇫🇷cd🇫🇮", "ab🇩🇪🇫🇷cd🇫🇮x", "ab🇩🇪🇫🇷cd🇫🇮x🇸",
        )  # fmt: skip
        assert cell_len(cut(text, width)) <= width
    for width in range(2, 16):
        for lines in (wrap_words(text, width), texts(fold([(text, PLAIN)], width))):
            assert all(flag in "\n".join(lines) for flag in ("🇩🇪", "🇫🇷", "🇫🇮")), lines
            assert all(cell_len(line) <= width for line in lines)
