"""Inline Markdown: the quick way and the parser agree, links say where they lead, and nothing active comes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.markup import grammar
from maverick_tui.ui.rendering.inline import Inline, read_quickly
from maverick_tui.ui.rendering.wrap import Styled
from tests.support.cases import each
from tests.support.sampling import examples
from tests.ui.rendering.looks import DARK, palette

INLINE = Inline(DARK)
ATOMS = [
    *("a", "word", "1", "é", "日", " ", "  ", "\n", "\t", "\xa0", ".", ":", "-", "=", "#", "“"),
    *("*", "**", "***", "_", "__", "`", "``", "[", "]", "(", "](", "!", "<", "&", "~", "~~", "\\"),
    *(
        "`c`",
        "**b**",
        "*e*",
        "~~s~~",
        "a_b",
        "[t](u/v_w.py)",
        "[x](javascript:alert)",
        "<http://a.b>",
        "&amp;",
        "(x.py)",
    ),
]


def text(content: str) -> str:
    return "".join(part for part, _ in INLINE.runs(content, DARK.base))


def joined(runs: list[Styled]) -> list[Styled]:
    """Neighbours of one style as one run."""
    out: list[Styled] = []
    for part, style in runs:
        if out and out[-1][1] == style:
            out[-1] = (out[-1][0] + part, style)
        elif part:
            out.append((part, style))
    return out


@settings(max_examples=examples(60, 400))
@given(st.lists(st.sampled_from(ATOMS), max_size=9).map(lambda atoms: "".join(atoms).strip()))
def test_the_quick_way_sees_what_the_parser_sees(content: str) -> None:
    pieces = read_quickly(content)
    quick = None if pieces is None else INLINE._quick(pieces, DARK.base)
    if quick is not None:
        assert joined(quick) == joined(INLINE._parsed(grammar.inline(content), DARK.base))


@pytest.mark.parametrize(
    "content",
    [
        'plain text, with punctuation: (some) more; and "quotes" - it\'s fine!',
        "a **bold** word, **Two words:** and `code`, *em* [link](https://a.b/c_d?e=f#g)",
        "snake_case_name and [brackets] & a < b ~ c",
        "line\nnext line",
        "**`code` in bold** and [`code`](x.py)",
    ],
)
def test_what_models_write_most_goes_the_quick_way(content: str) -> None:
    assert read_quickly(content) is not None


@each(
    ("content", "shown"),
    [
        ("[docs](https://a.b/c)", "docs (https://a.b/c)"),
        ("[https://a.b](https://a.b)", "https://a.b"),
        ("[https://a.b](https://evil.example)", "https://a.b (https://evil.example)"),
        ("<https://a.b/%20c>", "https://a.b/%20c"),
        ("<me@a.b>", "me@a.b"),
        ("[a](docs/файл.md)", "a (docs/файл.md)"),
        ("[docs/файл.md](docs/файл.md)", "docs/файл.md"),
        ("<https://\u0430pple.com>", "https://\u0430pple.com (https://xn--pple-43d.com)"),
        ("[**b** `c`](x 'title')", "b c (x)"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("![a *chart*](c.png)", "[image: a *chart*] (c.png)"),
        ("[![badge](b.svg)](https://ci)", "[image: badge] (b.svg) (https://ci)"),
        ("a <b>c</b> <!-- d -->", "a <b>c</b> <!-- d -->"),
        ("<https://a.b/ä>", "https://a.b/ä"),
        ("&amp; &lt; \\* &#x1b; &#x202e; &Tab;|", "& < * \ufffd \ufffd     |"),
        ("[a][b] and [c]", "[a][b] and [c]"),
        ("~~gone~~ `` a`b ``", "gone a`b"),
        ("one  \ntwo\\\nthree\nfour", "one\ntwo\nthree\nfour"),
    ],
)
def test_links_show_their_target_and_everything_else_what_it_says(content: str, shown: str) -> None:
    assert text(content) == shown


def test_emphasis_is_combined() -> None:
    runs = dict(INLINE.runs("**a *b* `c`** d", DARK.base))
    assert runs["a "] == DARK.strong
    assert (runs["b"].bold, runs["b"].italic) == (True, True)
    assert runs["c"].bold
    assert runs["c"].bgcolor == DARK.code.bgcolor
    assert runs[" d"] == DARK.base


@pytest.mark.parametrize("name", ["textual-dark", "ansi-light"])
def test_no_style_carries_a_link(name: str) -> None:
    made = palette(name)
    for _, style in Inline(made).runs("[a](https://x) <https://y> ![z](w)", made.base):
        assert style.link is None
