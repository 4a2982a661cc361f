"""Diffs: found between texts, read from an edit's result, and readable without colours."""

from __future__ import annotations

import difflib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.inert import revealed
from maverick_tui.markup.hunks import CONTEXT, JOINED, PARTED, Hunk, hunks_between, hunks_of_patch
from tests.ui.rendering.looks import DARK, assert_sound, palette, renderer, shown

OLD = "\n".join(f"line {n}" for n in range(1, 31)) + "\n"


def test_changes_stand_between_a_little_of_what_is_equal() -> None:
    new = OLD.replace("line 5\n", "line five\n").replace("line 20\n", "").replace("line 28\n", "line 28\nmore\n")
    first, second, third = hunks_between(OLD, new)
    assert first == Hunk(
        2, 2, (" line 2", " line 3", " line 4", "-line 5", "+line five", " line 6", " line 7", " line 8")
    )
    assert second == Hunk(17, 17, (" line 17", " line 18", " line 19", "-line 20", " line 21", " line 22", " line 23"))
    assert third == Hunk(26, 25, (" line 26", " line 27", " line 28", "+more", " line 29", " line 30"))


def test_new_and_emptied_texts_are_one_hunk() -> None:
    assert hunks_between("", "a\nb\n") == [Hunk(1, 1, ("+a", "+b"))]
    assert hunks_between("a\nb", "") == [Hunk(1, 1, ("-a", "-b"))]
    assert hunks_between("same\n", "same\n") == []
    assert hunks_between("", "") == []


def test_near_changes_share_a_hunk() -> None:
    new = OLD.replace("line 5\n", "five\n").replace(f"line {5 + 2 * CONTEXT}\n", "x\n")
    assert len(hunks_between(OLD, new)) == 1


def test_texts_that_have_little_in_common_do_not_take_forever() -> None:
    old, new = ("\n".join(f"{word} {n % 7}" for n in range(6_000)) for word in ("a", "b"))
    hunks = hunks_between(f"head\n{old}\n", f"head\n{new}\n")
    assert [len(hunk.lines) for hunk in hunks] == [12_001]


@pytest.mark.explore
def test_lines_that_repeat_are_not_compared_for_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    find = difflib.SequenceMatcher.find_longest_match

    def counted(self: Any, *at: Any) -> difflib.Match:
        searches.append(at)
        return find(self, *at)

    monkeypatch.setattr(difflib.SequenceMatcher, "find_longest_match", counted)
    old, new = ("\n".join("x" if n % 2 else f"{word}{n}" for n in range(1_900)) for word in ("u", "v"))
    (hunk,) = hunks_between(old, new)
    assert len(hunk.lines) == 3_799, "all of it is shown, as one change; the last line is the same"
    assert len(searches) < 10, "a thousand searches through a million pairs would take a minute"


def test_a_structured_patch_is_read_and_what_has_another_shape_is_left_out() -> None:
    patch = [
        {"oldStart": 3, "oldLines": 1, "newStart": 3, "newLines": 2, "lines": [" a", "-b", "+c", "+d", 7]},
        {"oldStart": "3", "newStart": 3, "lines": []},
        "nonsense",
        {},
    ]
    assert hunks_of_patch(patch) == [Hunk(3, 3, (" a", "-b", "+c", "+d"))]
    hostile = [
        {"oldStart": 1, "newStart": 1, "lines": ["\x1b]0;x\x07", "\x9b2J", "\u202e+", "", "\\ No newline", "+a"]}
    ]
    signs = [line[:1] for line in hunks_of_patch(hostile)[0].lines]
    assert signs == [" ", " ", " ", "", "\\", "+"], "what stands there is drawn as it is"


def test_rows_have_number_sign_and_line() -> None:
    hunks = [
        Hunk(40, 40, (" def total(lines):", "-    return sum(lines)", "+    return sum(round(lines))", " ")),
        Hunk(99, 99, ("+x", "\\ No newline at end of file")),
    ]
    rows = renderer(44, gutter=4).diff(hunks)
    assert_sound(rows, 44)
    assert shown(rows).split("\n") == [
        "     40   def total(lines):",
        "     41 -     return sum(lines)",
        "     41 +     return sum(round(lines))",
        "     42",
        "      ⋯",
        "     99 + x",
        "    \\ No newline at end of file",
    ]
    assert [row.copied() for row in rows[:3]] == [
        "def total(lines):",
        "    return sum(lines)",
        "    return sum(round(lines))",
    ]


def test_numbers_can_be_left_out_and_give_way_where_there_is_no_room() -> None:
    hunk = Hunk(1, 1, ("-a", "+b"))
    assert shown(renderer(20).diff([hunk], numbered=False)) == "- a\n+ b"
    assert shown(renderer(10).diff([Hunk(12345, 1, ("-a", "+b"))])) == "- a\n+ b"


def test_colour_only_adds_to_the_signs() -> None:
    rows = renderer(30).diff([Hunk(1, 1, ("-a", "+b", " c"))])
    grounds = [{segment.style.bgcolor for segment in row if segment.style} for row in rows]
    assert DARK.removed.bgcolor in grounds[0]
    assert DARK.added.bgcolor in grounds[1]
    assert grounds[2] == {DARK.base.bgcolor}
    ansi = palette("ansi-light")
    assert ansi.added.color != ansi.removed.color != ansi.base.color


def test_long_and_hostile_lines_fit() -> None:
    hunk = Hunk(1, 1, ("+" + "word " * 20, "-\t日本語 \x1b[31m\u202e", "", "+two\nlines"))
    for width in (10, 17, 40):
        rows = renderer(width, gutter=3).diff([hunk])
        assert_sound(rows, width)
    text = "".join(row.glue + row.copied() for row in renderer(40).diff([hunk])[:4])
    assert text.startswith("word word")


def test_no_hunks_are_no_rows() -> None:
    assert renderer(20).diff([]) == []


TEXTS = st.lists(st.sampled_from(["a", "b", "", "<U+2028>", "\u2028", "x\r", "x␍"]), max_size=9).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "".join(f"{line}\n" for line in lines)])
)


@given(TEXTS, TEXTS)
def test_from_what_is_shown_of_an_edit_the_new_text_can_be_made(old: str, new: str) -> None:
    made, at, ends = list[str](), 0, old.endswith("\n")
    before = lines_of(old)
    for hunk in hunks_between(old, new):
        made, at = made + before[at : hunk.old_start - 1], hunk.old_start - 1
        for line in hunk.lines:
            ends = False if line == JOINED else True if line == PARTED else ends
            made += [line[1:]] if line[0] in " +" else []
            at += line[0] in " -"
    assert made + before[at:] == lines_of(new)
    assert ends == new.endswith("\n") or not old or not new


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def test_what_looks_alike_and_is_another_sign_is_a_change() -> None:
    (hunk,) = hunks_between("let a = 1\n// <U+2028>b()\n", "let a = 1\n// \u2028b()\n", show=revealed)
    assert hunk.lines == (" let a = 1", "-// <U+2028>b()", "+// <U+2028>b()")
