"""A run as Markdown."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from maverick_tui.events import kinds as ev
from maverick_tui.history.export.markdown import as_markdown
from maverick_tui.runs.store import RunStore
from tests.runs.story import told
from tests.support.cases import each
from tests.support.runs import STREAM_BROKE, Tape


def exported(tape: Tape) -> str:
    return as_markdown(told(*tape.events))


def kinds(text: str) -> list[str]:
    """What a reader of Markdown sees, from top to bottom."""
    return [token.type for token in MarkdownIt().parse(text) if token.level == 0 and token.nesting >= 0]


def test_a_run_that_has_not_begun() -> None:
    assert as_markdown(RunStore()) == "# Run\n"


def test_everything_that_was_asked_said_and_done() -> None:
    tape = Tape().connect().prompt("Look\nat it").think("Hm.\nYes.").say("Two *things*.")
    tape.tool("Bash", {"command": "ls"}, "a.py\nb.py").tool("Read", {"file_path": "x"}, "No such file", is_error=True)
    tape.put(ev.Noticed(tape.at, "compacted", "The context was compacted."))
    text = exported(tape.done())
    assert text.startswith("# reviewer\n\n- folder: /work/shop (main)\n- model: claude-sonnet-4-5\n- began: ")
    assert "\n- tokens: 9,200 in (8,000 from the cache), 480 out\n- cost: $0.021\n" in text
    assert "> Look\n> at it\n" in text
    assert "> *thinking*\n>\n> Hm.\n> Yes.\n" in text
    assert "\nTwo *things*.\n" in text
    assert "**Bash** (done)\n\n```bash\nls\n```\n\n```\na.py\nb.py\n```\n" in text
    assert "**Read** x (failed)\n\n```\nNo such file\n```\n" in text
    assert "*The context was compacted.*" in text
    assert text.endswith("*done: 9,200 tokens in, 480 out, $0.0214, 4.2 s*\n")


def test_what_broke_off_is_marked_and_the_failure_told() -> None:
    text = exported(Tape().connect().prompt("Go").say("This is").done("failed", failure=STREAM_BROKE))
    assert "This is\n\n*(partial: it broke off here)*\n" in text
    assert "**StreamingError**: The stream broke" in text
    assert "NetworkError: Connection closed" in text
    assert "*failed: " in text


def test_code_that_was_never_closed_does_not_swallow_what_follows() -> None:
    tape = Tape().connect().prompt("Go").say("See:\n```python\nx = 1").done("interrupted")
    tape.prompt("And then?").say("~~~\nmore").say("Done.").done()
    assert kinds(exported(tape)).count("heading_open") == 3, "the run, and two prompts"


@pytest.mark.parametrize("output", ["```\n# no heading\n```", "````\n```\n", "~~~\n"])
def test_output_stays_in_its_fence(output: str) -> None:
    text = exported(Tape().connect().prompt("Go").tool("Bash", {"command": "cat x"}, output).say("Done.").done())
    assert kinds(text).count("heading_open") == 2
    assert kinds(text).count("fence") == 2


def test_nothing_in_it_steers_a_terminal() -> None:
    evil = "\x1b[2J\x9b31m\u202e"
    tape = Tape(agent=f"a{evil}", cwd=f"/w{evil}", model=evil).connect().prompt(evil).say(evil).think(evil)
    tape.tool(f"T{evil}", {evil: evil}, evil).put(ev.Noticed(tape.at, "x", evil))
    failure = ev.Failure(evil, evil, evil, evil, (evil,))
    text = exported(tape.done("failed", failure=failure))
    assert not set("\x1b\x9b\u202e") & set(text)


def test_what_a_subagent_says_is_quoted() -> None:
    tape = Tape().connect().prompt("Go")
    agent = tape.call("Agent", {"description": "look", "prompt": "Look"})
    text = exported(tape.say("Inside.", parent=agent).answer(agent, "Found.").say("").done())
    assert "> Inside.\n" in text


def test_an_edit_is_a_diff_below_its_file() -> None:
    edit = {"file_path": "/work/shop/a_b.py", "old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3"}
    text = exported(Tape().connect().prompt("Go").tool("Edit", edit, "ok").done())
    assert "**Edit** a_b.py (done)\n\n```diff\n x = 1\n-y = 2\n+y = 3\n```\n" in text


def test_what_is_masked_is_masked_before_anything_is_written_in_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "*x*_y_<b>_z_*w*"
    monkeypatch.setenv("SHOP_PASSWORD", secret)
    tape = (
        Tape(cwd=f"/w/{secret}").connect().prompt(secret).say(f"`a` <i> {secret}").tool("Read", {"file_path": secret})
    )
    tape.put(ev.Noticed(tape.at, "x", secret)).tool(secret, {"a": secret}, secret)
    text = exported(tape.done("failed", failure=ev.Failure("E", "network", secret, secret, (secret,))))
    assert not re.search(r"y.{0,9}b.{0,9}z", text)
    assert text.count("[secret]") >= 9


def test_its_words_cannot_reach_back_to_text_above_by_defining_links() -> None:
    tape = Tape().connect().prompt("Go").say("See ![it][pixel]").say("[pixel]: https://a.example/p.png").done()
    assert "image" not in [inner.type for token in MarkdownIt().parse(exported(tape)) for inner in token.children or ()]


@each("before", ["- a", "1. a\n   ```", "- ```", "``` `a`", "- - a", "> ```", "```\n~~~", "~~~ `\na"], ids=repr)
@pytest.mark.parametrize("after", ["    <img src=x>", "```\n<img src=x>\n```", "    ```\n\n    <img src=x>"], ids=repr)
def test_no_text_makes_html_of_what_is_code_after_it(before: str, after: str) -> None:
    tape = Tape().connect().prompt("Go").say(before).say(after).tool("Bash", {"command": "cat x"}, "<img src=y>")
    tape.say(before).tool("Bash", {"command": "cat x"}, "<img src=z>").done()
    tape.put(ev.TurnStarted(tape.at, 2, after, origin="background"))
    text = exported(tape)
    tokens = MarkdownIt("commonmark", {"html": True}).parse(text)
    assert not [one.content for token in tokens for one in (token, *(token.children or ())) if "html" in one.type]
