"""A diff made ready to be drawn: what belongs together, what differs within lines, and what is said of it."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.theme import Theme

from maverick_tui.markup.hunks import Hunk, hunks_between
from maverick_tui.review.kinds import ChangedFile, ChangedHunk, Texts
from maverick_tui.ui.changes.diff_text import LONGEST, RETURN, DiffText, coloured, prepared
from maverick_tui.ui.changes.drawing import DiffDrawing
from maverick_tui.ui.changes.layout import placed
from maverick_tui.ui.changes.words import notes_of
from maverick_tui.ui.rendering.diff_palette import DiffPalette
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.wrap import fold, folds, hang_of
from maverick_tui.ui.themes import THEMES
from tests.ui.changes.told_review import BASH, CART, CART_AFTER, EDIT


def diff_of(before: str, after: str, path: str = "a.py") -> DiffText:
    hunks = [
        ChangedHunk(hunk, (), (EDIT,), tuple(() if line[0] == " " else (EDIT,) for line in hunk.lines))
        for hunk in hunks_between(before, after)
    ]
    return prepared(ChangedFile(path, "changed"), hunks, ())


def marked(diff: DiffText) -> list[str]:
    """What differs within the lines."""
    return [line.text[first:last] for at, line in enumerate(diff.lines) for first, last in diff.words(at)]


def test_words_within_lines_that_belong_together() -> None:
    assert marked(diff_of("total = price * count\n", "total = price * amount\n")) == ["count", "amount"]
    assert marked(diff_of("a = 1\n", "something_else()\n")) == [], "hardly anything is the same"
    # Of three new lines the last one is what the old one has become.
    diff = diff_of("    return sum(prices, 2)\n", "    # one\n    # two\n    return round(sum(prices), 2)\n")
    assert diff.mates == {0: 3, 3: 0}
    assert diff.lines[3].new == 3


def test_two_columns_have_beside_each_other_what_belongs_together() -> None:
    diff = diff_of("a\nkept value one\nb\n", "x\ny\nkept value two\nb\n")
    rows = [
        (diff.lines[row.at].text if row.at >= 0 else "", diff.lines[row.other].text if row.other >= 0 else "")
        for row in placed(diff, 100, {}, is_split=True)
        if row.kind == "pair"
    ]
    assert rows == [("a", "x"), ("", "y"), ("kept value one", "kept value two"), ("b", "b")]


def test_what_a_terminal_would_not_show_is_shown() -> None:
    hunk = Hunk(1, 1, ("-one\x1b[31m", "+one\r", "\\ No newline at end of file"))
    diff = prepared(ChangedFile("a.txt", "changed"), [ChangedHunk(hunk, (), (EDIT,), ((), (), ()))], ())
    assert [(line.sign, line.text) for line in diff.lines] == [
        ("-", "one␛[31m"),
        ("+", f"one{RETURN}"),
        ("\\", "\\ No newline at end of file"),
    ]
    long = diff_of("", "x" * (LONGEST + 500) + "\n")
    assert long.lines[0].text.endswith("x… 500 more characters")


def test_secrets_are_masked_also_those_of_several_lines() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "A7b9" * 16 + "\n-----END RSA PRIVATE KEY-----\n"
    diff = diff_of("", f"token = 'ghp_{'a1B2' * 9}'\nplain = 1\n{key}")
    text = "\n".join(line.text for line in diff.lines)
    assert "a1B2a1B2" not in text
    assert "A7b9A7b9" not in text
    assert "plain = 1" in text
    assert len(diff.lines) == 5, "each line still has its number"


@pytest.mark.parametrize(
    ("file", "texts", "note"),
    [
        (ChangedFile("b\n.py", "renamed", "a\x1b.py"), Texts(b"", b""), "renamed from a␛.py"),
        (ChangedFile("a", "mode", permissions=(0o644, 0o755)), Texts(b"", b""), "permissions 644 → 755"),
        (ChangedFile("a", "changed", is_binary=True), Texts(b"\0", b"\0" * 2000), "binary, 1 bytes → 2,000 bytes"),
        (ChangedFile("a", "changed"), None, "line ends LF → CRLF"),
        (ChangedFile("a", "added"), Texts(b"", b""), "a new file with nothing in it"),
        (
            ChangedFile("a", "type", authors=(BASH,)),
            Texts(b"", b""),
            "by Bash ruff format shop  turn 2 “Format all of it”",
        ),
    ],
)
def test_what_a_diff_does_not_show_is_said(file: ChangedFile, texts: Texts | None, note: str) -> None:
    lines = Hunk(1, 1, ("-one", "-two", "+one\r", "+two\r"))
    hunks = [ChangedHunk(lines, (), (), ())] if texts is None else []
    assert notes_of(file, hunks, texts)[-1] == note


def test_lines_are_drawn_in_the_colours_of_their_language_and_of_what_became_of_them() -> None:
    diff = diff_of(CART.decode(), CART_AFTER.decode(), "shop/cart.py")
    diff.old_colours, diff.new_colours = coloured(diff, CART, CART_AFTER)
    theme = next(theme for theme in THEMES if theme.name == "maverick-dark")
    variables = theme.to_color_system().generate() | theme.variables
    shades = DiffPalette(variables, dark=True, ansi=False)
    palette = Palette.of(variables, dark=True, ansi=False)
    drawing = DiffDrawing(diff, 100, palette, shades, is_split=False)
    rows = placed(diff, 100, {}, is_split=False)
    at = next(at for at, line in enumerate(diff.lines) if line.text.strip().startswith("return round(sum"))
    (row,) = [row for row in rows if row.kind == "line" and row.at == at]
    segments = {segment.text: segment for segment in drawing.code(row, is_chosen=False)}
    assert _background(segments["return"]) == shades.lines["+"][""].bgcolor
    assert segments["return"].style == shades.lines["+"]["keyword"]
    assert segments["round"].style == shades.words["+"]["builtin"]
    assert "".join(segment.text for segment in drawing.code(row, is_chosen=True)).startswith("▸ 15 + ")


def _background(segment: Segment) -> object:
    assert segment.style is not None
    return segment.style.bgcolor


def test_a_hunk_of_several_says_whose_each_line_is() -> None:
    hunk = hunks_between("one\ntwo\n", "1\n2\n")[0]
    changed = ChangedHunk(hunk, (), (EDIT, BASH), ((EDIT,), (BASH,), (EDIT,), (BASH, EDIT)))
    diff = prepared(ChangedFile("a", "changed"), [changed], ())
    theme = next(theme for theme in THEMES if theme.ansi)
    variables = theme.to_color_system().generate() | theme.variables
    palette, shades = Palette.of(variables, dark=True, ansi=True), DiffPalette(variables, dark=True, ansi=True)
    drawing = DiffDrawing(diff, 40, palette, shades, is_split=False)
    rows = [row for row in placed(diff, 40, {}, is_split=False) if row.kind == "line"]
    drawn = ["".join(part.text for part in drawing.code(row, is_chosen=False))[:8].rstrip() for row in rows]
    assert drawn == [" a1 - on", " b2 - tw", " a1 + 1", " ?2 + 2"]


@pytest.mark.parametrize(
    "text", ["", "x" * 100, "    a word and another " * 9, "日本語のテキスト" * 12, "👩‍👩‍👧 family\u0301 " * 9]
)
def test_rows_are_counted_as_they_are_drawn(text: str) -> None:
    for width in (2, 7, 20, 76):
        hang = hang_of(text, width)
        assert folds(text, width, hang) == max(1, len(fold([(text, Style.null())], width, hang)))


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.ansi], ids=lambda theme: theme.name)
def test_what_has_come_is_green_and_what_has_gone_red_also_where_a_terminal_has_256_colours(theme: Theme) -> None:
    looks = DiffPalette(theme.to_color_system().generate(), dark=theme.dark, ansi=False, is_256=True)
    seen = set()
    for sign in "+-":
        for shades in (looks.lines[sign], looks.words[sign]):
            background = shades[""].bgcolor
            assert background is not None
            red, green, blue = background.downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
            assert (green > max(red, blue)) if sign == "+" else (red > max(green, blue))
            seen.add((red, green, blue))
    assert len(seen) == 4
