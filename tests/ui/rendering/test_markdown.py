"""What Markdown looks like, in every width."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.markup import grammar
from maverick_tui.ui.rendering import blocks
from maverick_tui.ui.rendering.markdown import Renderer
from tests.support.cases import each
from tests.support.sampling import examples, sampled
from tests.ui.rendering.documents import DOCUMENTS
from tests.ui.rendering.looks import DARK, assert_sound, palette, renderer, shown


def drawn(source: str, width: int = 40, gutter: int = 0) -> str:
    rows = renderer(width, gutter).markdown(source)
    assert_sound(rows, width)
    return shown(rows)


def screen(text: str) -> str:
    """What a test expects to see, indented as its own code is."""
    lines = text.strip("\n").split("\n")
    margin = len(lines[-1])
    return "\n".join(line[margin:] for line in lines[:-1])


def test_blocks_are_one_blank_row_apart() -> None:
    assert drawn("# Title\npara one\nsecond line\n\n\n\nSetext\n======\n***\nlast") == screen(
        """
        Title

        para one
        second line

        Setext

        ────────────────────────────────────────

        last
        """
    )


def test_newlines_stay() -> None:
    assert drawn("one\ntwo  \nthree") == "one\ntwo\nthree"


def test_lists_are_as_tight_or_loose_as_they_were_written() -> None:
    assert drawn(
        "1. one\n2. two\n\n   second para\n3. three\n   - a\n   - b\n\n     para in b\n10) other\n\n"
        "- [ ] open\n- [x] done\n- plain\n\n* loose\n\n* loose, too\n"
    ) == screen(
        """
        1. one
        2. two

           second para
        3. three
           ◦ a
           ◦ b

             para in b

        10) other

        ☐ open
        ☑ done
        • plain

        • loose

        • loose, too
        """
    )


def test_numbers_go_on_from_the_first() -> None:
    assert drawn("7. a\n7. b\n1. c\n") == "7. a\n8. b\n9. c"


def test_quotes_hold_everything_and_so_do_items() -> None:
    source = """\
> quote
> > nested quote that is long enough to wrap around
> 1. item
>    ```py
>    x = 1
>    ```
>
> after

- a
  > quoted in item
  >
  > second
-
- | a | b |
  |---|---|
  | 1 | 2 |
- # head in item
- - twice
"""
    assert drawn(source, 36, gutter=6) == screen(
        """
              │ quote
              │
              │ │ nested quote that is long
              │ │ enough to wrap around
              │
              │ 1. item
              │      x = 1
              │
              │ after

              • a
                │ quoted in item
                │
                │ second
              •
              •
                a │ b
                ──┼──
                1 │ 2
              • head in item
              • ◦ twice
        """
    )


def test_margins_give_way_where_there_is_little_room() -> None:
    source = "- one two three\n  - nested item words\n    - deeper words go on\n      - even deeper words\n"
    source += "> > > > > quoted deep"
    assert drawn(source, 12) == screen(
        """
        • one two
          three
          ◦ nested
            item
            words
            ▪ deeper
              words
              go on
            ▪ even
              deeper
              words

        │ │ │ quoted
        │ │ │ deep
        """
    )


def test_what_has_no_look_of_its_own_is_shown_as_it_is_written() -> None:
    assert drawn("<div>\n**b**\n</div>\n\n[ref]: http://x\n[other]: http://y") == screen(
        """
        <div>
        b
        </div>

        [ref]: http://x
        [other]: http://y
        """
    )


def test_code_is_set_apart_and_highlighted() -> None:
    rows = renderer(30).markdown("```python\ndef f():\n    return 1\n\n\n```\n\n    indented\n")
    assert shown(rows) == "  def f():\n      return 1\n\n  indented"
    assert {segment.style.bgcolor for segment in rows[0] if segment.style} == {DARK.block.bgcolor}
    assert DARK.syntax["Keyword"] in {segment.style for segment in rows[0]}
    assert {segment.style for segment in rows[2]} == {DARK.base}


def test_headings_have_the_style_of_their_level() -> None:
    for level in range(1, 7):
        row = renderer(20).markdown("#" * level + " head")[0]
        assert next(iter(row)).style == DARK.headings[level - 1]


def test_a_gutter_comes_first_and_gives_way_to_the_text() -> None:
    rows = renderer(30, gutter=8).markdown("text\n\n- item\n\n```\ncode\n```")
    for row in rows:
        first = next(iter(row))
        assert (first.text, first.style) == (" " * 8, DARK.base)
    narrow = renderer(14, gutter=10).markdown("some text")
    assert [row.gutter for row in narrow] == [4]
    assert shown(narrow) == "    some text"


@each("name", sorted(DOCUMENTS))
@pytest.mark.parametrize("width", sampled([10, 11, 17, 80, 40, 200], 3))
def test_every_document_fits_every_width(name: str, width: int) -> None:
    rows = renderer(width, gutter=6).markdown(DOCUMENTS[name])
    assert_sound(rows, width)
    assert bool(rows) == bool(DOCUMENTS[name].strip())


@pytest.mark.parametrize("theme", ["textual-light", "ansi-dark", "ansi-light", "nord"])
def test_every_theme_draws_the_same_text(theme: str) -> None:
    source = DOCUMENTS["answer"]
    rows = Renderer(60, palette(theme)).markdown(source)
    assert shown(rows) == shown(renderer(60).markdown(source))


@settings(max_examples=examples(40, 200))
@given(
    st.text(st.characters(exclude_categories=()))
    | st.text(st.sampled_from("ab *_`#->|:~[]()!\\\n\t1.日é\u200d\u0301😀&;<x"))
)
def test_any_text_can_be_drawn(source: str) -> None:
    for width in (10, 33):
        made = renderer(width, gutter=3)
        for rows in (made.markdown(source), made.plain(source, DARK.base), made.code(source, "python")):
            assert_sound(rows, width)


def test_no_word_is_lost_where_containers_are_too_deep() -> None:
    for source in (">" * 300 + " deep", "- " * 300 + "deep", "> - " * 100 + "deep"):
        assert "deep" in drawn(source)


def test_a_text_that_cannot_be_parsed_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(source: str) -> list[object]:
        raise RecursionError(source)

    monkeypatch.setattr(grammar, "blocks", fail)
    with caplog.at_level(logging.ERROR):
        assert drawn("# head\n\n- item") == "# head\n\n- item"
    assert "cannot be read as Markdown" in caplog.text


def test_a_block_that_cannot_be_drawn_is_shown_as_it_is_and_the_others_as_ever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: object, *_: object) -> None:
        raise ValueError("no table")

    monkeypatch.setattr(blocks.BlockRenderer, "_table", fail)
    with caplog.at_level(logging.ERROR):
        assert drawn("# head\n\n|a|b|\n|-|-|\n|1|2|\n\n- item") == "head\n\n|a|b|\n|-|-|\n|1|2|\n\n• item"
    assert "cannot be drawn" in caplog.text


def test_whatever_else_fails_the_text_is_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Renderer, unit: object) -> object:
        raise ValueError("nothing can be drawn")

    monkeypatch.setattr(Renderer, "unit", fail)
    with caplog.at_level(logging.ERROR):
        assert drawn("# head") == "# head"
    assert "cannot be drawn" in caplog.text
