"""Documents to draw: what models write, and what they hardly ever write."""

from __future__ import annotations

from hypothesis import strategies as st

_ANSWER = """\
I will look at the diff first. Two things stand out — `Cart.total()` **rounds per line**, the invoice *once*:

## What changes

1. `Cart.total()` now rounds per line, so for three lines of 0.333 the difference is visible
2. `discount` accepts negative values
   - see [the docs](https://example.com/docs/cart)
   - and `shop/cart.py`

     with a second paragraph

```python
def total(self, lines: list[Line]) -> Decimal:
    \"\"\"Sum of the lines,
    over more than one line.\"\"\"
    return sum(round(line.price, 2) for line in lines if line.active)  # 日本語 comment
```

| name | type | default |
|------|:----:|--------:|
| `price` | Decimal | 0.00 |
| `count` | int | 1 |
| a longer name | **bold** | 12345.67 |

> Rounding is a *policy*.
> - not a detail

### Next steps
- [x] read the diff
- [ ] run the tests
- [ ] write the report

---

Done.
"""

DOCUMENTS = {
    "answer": _ANSWER,
    "empty fence": "```\n```\n\n~~~ python\n~~~~\nafter",
    "open fence": 'text\n\n```rust\nfn main() {\n    println!("hi");\n',
    "indented fence": "  ```js\n  let a = 1;\n    let b = 2;\n  ```\n- item\n  ```\n  code\n  ```\n- next",
    "fence without end marker": "```py\na\n`````\nb\n``` x\nc\n",
    "wide": "日本語のテキストは単語の間に空白がありません。改行できます。\n\n| 名 | 値 |\n|-|-|\n| 日本 | 😀 |\n",
    "right to left": "שלום עולם, זה טקסט **מודגש** בעברית.\n\n- العربية أيضا\n",
    "long list": "\n".join(f"{n}. item number {n} with some words" for n in range(1, 60)),
    "loose list": "- a\n\n- b\n\n\n- c\n- d\n\n  para\n- e\n",
    "mixed lists": "- a\n* b\n+ c\n1. d\n2) e\n   - f\n     1. g\n\n        h\n",
    "tables": "a | b\n-|-\n1 | 2\n\n| x |\n|---|\n\nno | table\n\npara\na | b\n--|--\n1|2\ntext in table\n\nafter",
    "long table": "| n | square |\n|---|---:|\n" + "".join(f"| {n} | {n * n} |\n" for n in range(230)) + "\nend\n",
    "table like fence": "```a | b\n--|--\n1 | 2\n",
    "setext": "Title\n===\nSub\n---\ntext\n***\n- item\n---\npara\n- - -\n",
    "quotes": "> a\nlazy\n\n> b\n>\n> > c\n> d\n\ntext\n> e\n",
    "indented code": "    code\n\n    more\ntext\n\n\ttab\n",
    "long paragraph": "word and **bold words** again, " * 700,
    "long lines": "\n".join("line " + "x" * 120 for _ in range(300)),
    "long item": "- start\n" + "  - nested with `code` and words\n" * 400 + "- end\n",
    "blank": "\n\n   \n\t\n",
    "no newline at the end": "# a\n\ntext",
    "hard breaks": "one  \ntwo\\\nthree\n",
    "html": "<details>\n<summary>x</summary>\n\ntext & more\n\n</details>\n<!-- open\n\n# head\n",
    "definitions": "[a][b] and [c]\n\n[b]: http://x\n[c]: <y> 'title'\n",
    "carriage returns": "a\r\nb\r\n\r\n- c\r\n- d\r\n",
}

LINES = [
    *(
        "text",
        "more **bold** `code`",
        "",
        "",
        "  ",
        "lazy",
        "text  ",
        "text\\",
        "*a",
        "b*",
        "<div>",
        "[a]: http://x",
        "![i](u)",
    ),
    *(
        "- item",
        "- [ ] task",
        "  - nested",
        "    deep",
        "1. one",
        "2. two",
        "10. ten",
        "2) two",
        "1) par",
        "-",
        "*",
        "* star",
        "+ plus",
    ),
    *(
        "  continued",
        "   - three",
        "     para",
        "\t- tab",
        "\tcode",
        "    code",
        "> quote",
        ">",
        "> - in quote",
        "> ```",
    ),
    *("```", "```py", "~~~", "  ```", "- ```", "  x", "```x|y", "# head", "## h2", "#", "---", "===", "***"),
    *("| a | b |", "|---|:-:|", "| 1 | 2 |", "a | b", "--|--", "  | x | y |", "-|-", ":-:", "|", "||"),
    *("> | a | b |", "> |---|---|", "- | a | b |", "  |---|---|"),
]
"""Lines that mean something else depending on what stands around them."""


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document out of lines that interfere with one another."""
    lines = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=12))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


@st.composite
def chunks(draw: st.DrawFn, source: str) -> list[str]:
    """The document cut anywhere."""
    if draw(st.booleans()):
        size = draw(st.integers(1, 40)) * (1 + len(source) // 500)
        return [source[at : at + size] for at in range(0, len(source), size)]
    cuts = sorted(draw(st.lists(st.integers(0, len(source)), max_size=12)))
    return [source[start:end] for start, end in zip([0, *cuts], [*cuts, len(source)], strict=True)]
