"""Foreign text cannot steer a terminal, reorder a line, or hide in one."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth.table_vs15 import VS15_WIDE_TO_NARROW
from wcwidth.table_vs16 import VS16_NARROW_TO_WIDE

from maverick_tui.inert import _PLAIN, InertStream, _out_of_place, _piled, cut_at, inert, one_line, spelled
from tests.support.cases import each

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # halves of surrogate pairs included
JOINERS = "\u200b\u200c\u200d\ufe0e\ufe0f"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
TRICKY = st.text(
    st.one_of(
        st.sampled_from(f"a1# \n{JOINERS}\u20e3\u202e👩💻❤😀🏽🏳🌈میक\u094dषไท{ENGLAND}"),
        st.characters(exclude_categories=()),
    )
)

HEAPS = st.text("aس\u0300\u064b\u094d\u1161\u200c\u200d\U00011001\U00011013", min_size=12, max_size=60)
"""More marks than anybody writes, with all that counts as one among them."""

GLYPHS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Of category Cf, and yet drawn: they stand before a number, or around it."""
FILLERS = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x16FE4, 0x1D159}
SELECTORS = {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


@cache
def hidden() -> list[int]:
    """What nobody sees, or what makes others be seen differently; found when it is asked for, for it takes a while."""
    unseen = {code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp", "Cs")}
    more = {0x2065, *range(0x13430, 0x13440), *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)}
    return sorted((unseen - GLYPHS | FILLERS | SELECTORS | more) - {ord("\t"), ord("\n")})


WRITTEN = [
    "👩\u200d💻 ❤\ufe0f ☎\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 👍🏽",
    "👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 🧑🏿\u200d❤\ufe0f\u200d🧑🏻",
    ENGLAND,
    "می\u200cخواهم کتاب\u200cها",  # noqa: RUF001 - Persian
    "क\u094d\u200dष श\u094d\u200cर ක\u0dca\u200dර ന\u0d4d\u200d.",
    "ภาษา\u200bไทย ភាសា\u200bខ្មែរ",
    "مرحبا שלום",
    "日本 é 😀 \u3000 ½",
    "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים ที่นี่ น้ำ Tiếng Việt e\u0302\u0323 ဂျွန်ုပ် ᄒ\u1161\u11ab",
    "\u0f67\u0f90\u0fb5\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f82 བསྒྲུབས",  # the highest that Tibetan piles up
    "\U00010330" * 40 + "\U0001d400" * 40 + "\U00012000" * 40,  # Gothic, mathematics, cuneiform
]
"""Text as people write it."""


@each(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b]0;evil\x07", "␛]0;evil␇"),
        ("\x00\r\x7f", "␀␍␡"),
        ("\x9b31m\x85", "\ufffd31m\ufffd"),
        ("a\u202eb\u2066c\u2069", "a\ufffdb\ufffdc\ufffd"),
        ("\udcff.md", "\ufffd.md"),
        ("pay\u200bpal so\u00adft \u061cx\u200f", "pay\ufffdpal so\ufffdft \ufffdx\ufffd"),
        ("a\u200db 1\ufe0f x\ufe0f 😀\ufe0f", "a\ufffdb 1\ufffd x\ufffd 😀\ufffd"),
        ("👩\u200d", "👩\ufffd"),
        ("\u200d💻 👩\u200d\u200d💻", "\ufffd💻 👩\ufffd\ufffd💻"),
        ("می\u200c خ\u200cx", "می\ufffd خ\ufffdx"),
        (ENGLAND[:-1], "\U0001f3f4" + "\ufffd" * 5),
        (f"{ENGLAND}\U000e0061", f"{ENGLAND}\ufffd"),
        ("x\U000e0041", "x\ufffd"),
        ("a" + "\u0300" * 13 + "b", "a" + "\u0300" * 10 + "\ufffd" * 3 + "b"),
        ("क" + "\u094d\u200d" * 6, "क" + "\u094d\u200d" * 5 + "\ufffd" * 2),
        ("ᄒ" + "\u1161\u0300" * 6, "ᄒ" + "\u1161\u0300" * 5 + "\ufffd" * 2),
        ("\U00011013" + "\U00011001" * 11, "\U00011013" + "\U00011001" * 10 + "\ufffd"),
        ("س" + "\u064b" * 9 + "\u200c\u064b", "س" + "\u064b" * 9 + "\ufffd" * 2),
    ],
)
def test_what_steers_or_hides_is_replaced_by_something_visible(text: str, shown: str) -> None:
    assert inert(text) == shown


@each("text", WRITTEN)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


def each_on_a_line(texts: Iterable[str], show: Callable[[str], str] = inert) -> list[tuple[str, str]]:
    """Texts and how they are shown, each on a line of its own; all at once, for there are a million characters."""
    given = list(texts)
    return list(zip(given, show("\n".join(given)).split("\n"), strict=True))


@pytest.mark.parametrize(("before", "after"), [("", ""), ("a", "b"), (" ", " "), ("漢", "字"), ("😀", "!")])
def test_nothing_hidden_passes_between_ordinary_characters(before: str, after: str) -> None:
    shown = each_on_a_line(f"{before}{chr(code)}{after}" for code in hidden())
    passed = [f"U+{code:04X}" for code, (_, line) in zip(hidden(), shown, strict=True) if chr(code) in line]
    assert passed == []


def test_every_other_character_passes() -> None:
    others = sorted({*range(0x110000)} - {*hidden(), ord("\n")})
    changed = [ord(one) for one, shown in each_on_a_line(map(chr, others)) if one != shown]
    assert all(code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF for code in changed), "only what is no character"
    alone = [chr(code) for code in (ord("\n"), *others[::101]) if code not in {*changed}]
    assert [one for one in alone if inert(one) != one] == [], "neither where nothing stands beside it"


def test_what_is_taken_for_plain_passes_the_thorough_look_as_well() -> None:
    plain = "".join(chr(code) for code in range(0x10000) if _PLAIN.fullmatch(chr(code)))
    assert len(plain) > 3_000
    assert _out_of_place().search(plain) is None
    assert _piled().search(plain) is None
    assert not any(unicodedata.category(one).startswith("M") for one in plain)


def test_no_more_marks_stand_on_a_character_than_any_script_writes() -> None:
    marks = [chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code)).startswith("M")]
    drawn_into = [*map(chr, range(0x1161, 0x1200)), *map(chr, range(0xD7B0, 0xD7C7))]
    piled = [mark for mark in marks + drawn_into if inert(mark) == mark and inert(mark * 11)[-1] != "\ufffd"]
    assert piled == []


def test_a_selector_stands_after_what_has_two_looks() -> None:
    tables = (VS15_WIDE_TO_NARROW, VS16_NARROW_TO_WIDE)
    twofold = {code for table in tables for ranges in table.values() for a, b in ranges for code in range(a, b + 1)}
    shown = each_on_a_line(f"{chr(code)}\ufe0f" for code in range(0x20000) if chr(code) != "\n")
    taken = {ord(text[0]) for text, line in shown if line.endswith("\ufe0f")}
    assert inert("\n\ufe0f") == "\n\ufffd"
    assert taken == twofold - set(map(ord, "0123456789#*"))


def test_one_line_has_no_line_breaks_of_any_kind() -> None:
    assert one_line("a\nb\r\nc\u2028d\x85e\x0bf  g\t") == "a b c d e f g"


@given(st.one_of(ANY_TEXT, TRICKY, HEAPS))
@example("😀\ufe0f\u200d💻")
def test_nothing_active_is_left(text: str) -> None:
    result = inert(text)
    assert {c for c in result if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")} <= {"\n", "\t"}
    assert not set(result) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert inert(result) == result
    assert len(result) == len(text)
    result.encode()


@given(st.one_of(ANY_TEXT, TRICKY))
def test_one_line_is_inert_too(text: str) -> None:
    line = one_line(text)
    assert line == inert(line) == one_line(line)
    assert len(line.splitlines()) <= 1


@given(st.one_of(TRICKY, HEAPS), st.lists(st.integers(0, 40)))
@example("".join(WRITTEN), list(range(200)))
@example(f"1\ufe0f\u20e3{ENGLAND}👩\u200d💻", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
def test_however_a_text_is_cut_into_pieces_it_is_shown_the_same(text: str, places: list[int]) -> None:
    cuts = sorted({0, len(text), *(place for place in places if place < len(text))})
    stream = InertStream()
    shown = ""
    for start, end in pairwise(cuts):
        shown += stream.feed(text[start:end])
        assert inert(text).startswith(shown), "what is shown once stays"
    assert shown + stream.end() == inert(text)


@given(TRICKY)
def test_spelled_text_has_nothing_hidden_at_all(text: str) -> None:
    shown = spelled(text)
    assert not {ord(character) for character in shown} & set(hidden())
    assert inert(shown) == shown


def test_spelled_text_names_what_is_hidden() -> None:
    assert spelled("a\u202eb 👩\u200d💻 ❤\ufe0f\x1b") == "a<U+202E>b 👩<U+200D>💻 ❤<U+FE0F>␛"
    assert spelled("rm\u2800x") == "rm<U+2800>x", "drawn, but as nothing"


def test_spelled_text_has_nothing_that_a_terminal_may_make_wider_than_we_count() -> None:
    from rich.cells import cell_len

    everything = map(chr, (*range(0x20, 0xD800), *range(0xE000, 0x20000)))
    unseen = ("Cc", "Cf", "Cn", "Co", "Mn", "Me")
    alone = dict(each_on_a_line((one for one in everything if unicodedata.category(one) not in unseen), spelled))
    wider = [one for one, shown in alone.items() if one == shown and cell_len(one) < _most_columns(one)]
    assert [hex(ord(one)) for one in wider] == []
    assert alone["\u093e"] == "<U+093E>"


def _most_columns(one: str) -> int:
    return 2 if unicodedata.east_asian_width(one) in "WF" or "\u3248" <= one <= "\u324f" else 1


@given(st.sampled_from(WRITTEN), st.integers(0, 60))
def test_a_cut_leaves_nothing_that_holds_on_to_what_is_gone(text: str, most: int) -> None:
    at = cut_at(text, most)
    assert at <= most
    assert inert(text[:at]) == text[:at]
    assert inert(text[at:]) == text[at:]
