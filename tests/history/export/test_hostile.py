"""Whatever a model, a tool or a file says, no export lets it act: in no browser, viewer of Markdown, or terminal."""

from __future__ import annotations

import json
import re
from html import escape
from html.parser import HTMLParser

import pytest

from maverick_tui.cli.printer import Printer
from maverick_tui.events.kinds import event_from_json
from maverick_tui.history.export.cast import as_cast
from maverick_tui.history.export.harmless import acts, harmless, literal
from maverick_tui.history.export.jsonl import as_jsonl
from maverick_tui.history.export.kept import KeptRun, kept_run
from maverick_tui.history.export.markdown import as_markdown, kept_as_markdown
from maverick_tui.history.export.page import as_page
from maverick_tui.history.export.prose import prose
from maverick_tui.markup import grammar
from tests.history.export.hostile import HOSTILE, spoken
from tests.support.cases import each

TAGS = frozenset(
    "html head meta title style body nav input output button header h1 h2 h3 h4 h5 h6 dl div dt dd p main article"
    " details summary span b code pre section a ul ol li table thead tbody tr th td blockquote em strong s hr br"
    " script".split()
)
ATTRIBUTES = frozenset(
    "lang charset http-equiv content name hidden aria-label aria-live aria-pressed type placeholder autocomplete"
    " spellcheck data-do title class role id href rel target tabindex start".split()
)
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e0fff]")


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.fixture(params=HOSTILE, ids=str)
def run(request: pytest.FixtureRequest) -> KeptRun:
    return kept_run("7f3a00c0ffee", spoken(HOSTILE[request.param]).events)


def test_a_page_has_no_elements_but_its_own(run: KeptRun) -> None:
    page = "".join(as_page(run))
    seen = Seen(page)
    assert set(seen.tags) <= TAGS
    assert {name for name, _ in seen.attributes} <= ATTRIBUTES
    assert [seen.tags.count(tag) for tag in ("script", "style", "meta", "input", "title")] == [1, 1, 6, 1, 1]
    leading = [value or "" for name, value in seen.attributes if name == "href"]
    assert not [link for link in leading if not link.startswith(("#turn-", "http://a.example"))]
    assert not STEERING.search(page)


def test_markdown_acts_in_no_viewer(run: KeptRun) -> None:
    for text in (kept_as_markdown(run), as_markdown(run.store)):
        assert not acts(text)
        assert not STEERING.search(text)


def test_lines_of_events_are_what_was_told_and_nothing_but_ascii(run: KeptRun) -> None:
    lines = list(as_jsonl(run))
    assert all(line.isascii() and line.isprintable() for line in (line.removesuffix("\n") for line in lines))
    assert [event_from_json(json.loads(line)) for line in lines] == run.events
    assert [json.loads(line)["seq"] for line in lines] == [*range(len(run.events))]


def test_a_recording_only_changes_colours(run: KeptRun) -> None:
    lines = list(as_cast(run, lambda stream, width: Printer(stream, width, is_recorded=True)))
    written = "".join(json.loads(line)[2] for line in lines[1:])
    assert not STEERING.search(re.sub(r"\x1b\[[0-9;]*m|\r\n", "", written))
    assert not STEERING.search(json.loads(lines[0])["title"])
    for line in lines:
        assert line.isascii()


# -- Markdown that does nothing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2, `<b>` and a[0](x) [docs](https://docs.example/a) <https://a.example> [file](src/a.py)",
        "```html\n<b>bold</b>\n```\n\n    <i>indented</i>\n",
        "- [x] done\n- [ ] open: later",
    ],
)
def test_what_does_nothing_stays_as_it_was_written(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`<b>` <b>x</b>", "`<b>` &lt;b>x&lt;/b>"),
        ("```\n<b>\n```\n<i>", "```\n<b>\n```\n&lt;i>"),
        ("![p](https://a.example/p.png)", "&#33;[p]&#40;https://a.example/p.png)"),
        ("[a]: https://a.example/", "[a]&#58; https://a.example/"),
        ("\\<b> <b>", "\\&lt;b> &lt;b>"),
        ("> " * 120 + "<b>", "> " * 120 + "&lt;b>"),
    ],
)
def test_only_what_acts_is_written_out(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert not acts(shown)


@each(
    "text", ["a_b_c _x_ *y* [secret] `z` ~~s~~", "# h", "> q", "- l", "12. n", "![p](x) [a](b)", "<b> &lt; \\", "a < b"]
)
def test_what_is_no_markdown_is_shown_as_it_is(text: str) -> None:
    tokens = grammar.parsed(literal(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {token.type for token in children} <= {"text", "text_special"}
    assert "".join(token.content for token in children) == text


def test_a_lexer_that_fails_costs_the_colours_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name = "broken"

        def get_tokens_unprocessed(self, text: str) -> object:
            yield 0, ("Keyword",), "first\n"
            raise RuntimeError("no more")

    monkeypatch.setattr("maverick_tui.markup.code.lexer_of", lambda language: Broken())
    html = prose("```python\nfirst\n<second>\n```")
    assert '<span class="keyword">first</span>\n&lt;second&gt;</code>' in html


def test_a_lexer_that_would_never_end_costs_the_colours_only() -> None:
    source = 'x = "' + "\\" * 61
    assert f"<code>{escape(source)}</code>" in prose(f"```chapel\n{source}\n```")


def test_signs_that_were_written_out_are_shown_as_signs() -> None:
    assert prose("&lt;b&gt; \\* &copy; &#60;") == "<p>&lt;b&gt; * © &lt;</p>\n"


def test_an_address_is_followed_by_its_full_form_only() -> None:
    html = prose("[a](https://a.example/?x=1&y=2) [b](src/b.py) [c](//c.example) [d](mailto:d@e.example)")
    assert re.findall('href="([^"]*)"', html) == ["https://a.example/?x=1&amp;y=2", "mailto:d@e.example"]
    assert html.count("</a>") == 2
    assert html.count('<span class="nowhere"') == html.count("</span>")
