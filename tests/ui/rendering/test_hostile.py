"""Texts that nobody should send: they are drawn, in rows of the right width, and cost what their length allows.

There is no clock here. What keeps the cost down is that no piece of work is larger than a window, and that is counted
in `test_live.py`; a text that takes minutes would be seen by whoever runs the tests.
"""

from __future__ import annotations

import pytest

from maverick_tui.ui.rendering.live import LiveMarkdown
from tests.support.sampling import sampled
from tests.ui.rendering.looks import DARK, assert_sound, renderer, shown

TEXTS = {
    "one long word": "x" * 10_000,
    "backticks": "`" * 100_000,
    "backticks in text": "a" + "`" * 100_000,
    "runs of backticks": "a " + " ".join("`" * n for n in range(1, 300)),
    "quotes in quotes": ">" * 1_000 + " x",
    "lists in lists": "- " * 1_000 + "x",
    "deeper and deeper": "\n".join("  " * n + "- x" for n in range(150)),
    "brackets": "[" * 20_000,
    "images": "![" * 10_000,
    "links in links": "[" * 500 + "x" + "](y)" * 500,
    "asterisks": "*" * 20_000 + "a" + "*" * 20_000,
    "openers": "**a *b _c ~~d " * 1_000,
    "angles": "<" * 10_000 + "a@" * 5_000,
    "ampersands": "&" * 20_000,
    "many rows": "|a|b|\n|-|-|\n" + "|1|2|\n" * 700,
    "many columns": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + "|1\n" * 20,
    "a long row": "|a|b|\n|-|-|\n|" + "x" * 50_000 + "|y|\n",
    "fences that are none": "```a`b\n" * 600,
    "fences": "```\n" * 701,
    "tildes": "~" * 50_000,
    "right to left": "שלום עולם " * 1_000 + "\u202e\u2066",
    "zero width": "\u200b\u200c\ufeff" * 2_500,
    "joiners": "👩\u200d" * 3_000 + "a\u200db" * 1_000,
    "combining": "a" + "\u0301" * 10_000,
    "controls": "\x1b]0;x\x07\x9b2J\x00\x85\u2028" * 500,
    "surrogates": "\ud800\udc00\udfff" * 500,
    "tabs": "\t" * 5_000 + "x\ty",
    "newlines": "\n" * 6_000,
    "items": "- a\n" * 600,
    "empty items": "-\n" * 600,
    "rules": "---\n" * 400,
    "underlines": "a\n=\n" * 400,
    "definitions": "[a]: [b]: " * 2_000 + "x\ny",
    "entities": "&#27;&#x202e;&Tab;&NewLine;&zwj;" * 500,
    "minified": "```js\n" + "a=b;c(d);" * 5_000 + "\n```\n",
    "wide": "日本語😀" * 1_500,
    "emphasis around blanks": "** a **" * 1_500,
}


@pytest.mark.parametrize("name", sampled(sorted(TEXTS), 4))
@pytest.mark.parametrize("width", sampled([80, 10], 2))
def test_it_is_drawn(name: str, width: int) -> None:
    text = TEXTS[name]
    made = renderer(width, gutter=7)
    rows = made.markdown(text)
    assert_sound(rows, width)
    live = LiveMarkdown(made)
    for start in range(0, len(text), 10_000):
        live.feed(text[start : start + 10_000])
        while live.advance(0.001):
            pass
    live.finish()
    assert shown(live.frozen) == shown(rows)
    if width == 80:
        assert_sound(made.plain(text, DARK.base), width)
        assert_sound(made.code(text, "python"), width)
        assert_sound(made.code(text, "markdown"), width)


def test_what_steers_a_terminal_never_gets_there() -> None:
    made = renderer(60)
    text = shown(
        made.markdown(
            "\x1b[2J `\x1b]52;c;x\x07` &#27; [a](http://x/%1b\x1b)\n\n```\n\x9b31m\n```\n\n|\x1b|\n|-|\n|\x07|\n"
        )
    )
    assert "\x1b" not in text
    assert "␛[2J ␛]52;c;x␇" in text
