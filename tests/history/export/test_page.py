"""The page of a run: what is where in it, what is folded, and that it allows itself nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.history.export.kept import kept_run
from maverick_tui.history.export.page import as_page
from tests.support.runs import PARAGRAPH, STREAM_BROKE, Tape


def page(tape: Tape, *, is_ended: bool = True) -> str:
    return "".join(as_page(kept_run("7f3a00c0ffee", [*tape.events, *[ev.RunEnded(tape.at)] * is_ended])))


def inner(text: str, start: str, end: str) -> list[str]:
    """What stands between these, each time."""
    return re.findall(f"{re.escape(start)}(.*?){re.escape(end)}", text, re.DOTALL)


def test_the_head_says_which_run_it_is() -> None:
    text = page(Tape().connect().prompt("Look at <it>").say("Yes.").done())
    assert inner(text, "<title>", "</title>") == inner(text, "<h1>", "</h1>") == ["Look at &lt;it&gt;"]
    facts = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", text))
    assert facts.pop("began")
    assert facts == {
        "agent": "reviewer",
        "folder": "/work/shop (main)",
        "model": "claude-sonnet-4-5",
        "turns": "1, 4.2 s",
        "tokens": "9,200 in (8,000 from the cache), 480 out",
        "cost": "$0.021",
        "state": "done",
        "run": "7f3a00c0ffee",
    }
    assert 'class="note"' not in text


def test_only_its_own_style_and_script_are_allowed_by_their_hashes() -> None:
    text = page(Tape().connect().prompt("Look"))
    (policy,) = inner(text, 'http-equiv="Content-Security-Policy" content="', '">')
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in ("style", "script"):
        (own,) = inner(text, f"<{name}>", f"</{name}>")
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.findall(r"url\(|@import|@font-face|fetch\(|XMLHttp|\bsrc=|<link", text)


def test_what_is_asked_said_and_done_stands_in_its_order() -> None:
    tape = Tape().connect().prompt("One").think("Hm.").say(PARAGRAPH).tool("Bash", {"command": "ls"}, "a.py").done()
    text = page(tape.prompt("Two").say("Fine.").done())
    order = ['id="turn-1"', "Thought for", "<strong>once</strong>", "<b>Bash</b>", 'id="turn-2"', "Fine."]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


def test_thinking_and_calls_are_folded_and_text_is_not() -> None:
    text = page(Tape().connect().prompt("One").think("Hm.").say("Said.").tool("Bash", {"command": "ls"}, "a.py").done())
    folded = "".join(inner(text, "<details", "</details>"))
    assert "Hm." in folded
    assert "a.py" in folded
    assert "Said." not in folded
    assert "<details open" not in text


def test_a_call_says_what_it_was_about_and_what_came_of_it() -> None:
    tape = Tape().connect().prompt("One").tool("Bash", {"command": "pytest -q"}, "Exit code 1\n1 failed", is_error=True)
    text = page(tape.ask("Bash", {"command": "rm x"}).decide("deny", "No."))
    first, second = inner(text, "<summary>", "</summary>")
    assert 'class="about">pytest -q</code>' in first
    assert "exit code 1: 1 failed" in first
    assert "denied: No." in second
    assert '<details class="call failed">' in text
    assert '<details class="call denied">' in text


def test_what_the_agent_says_of_a_command_is_marked_as_its_words() -> None:
    call = {"command": "ls", "description": "Look <around>", "timeout": 5}
    text = page(Tape().connect().prompt("One").tool("Bash", call, "a.py"))
    assert '<p class="notice">the agent says: Look &lt;around&gt;</p>' in text
    assert "&quot;timeout&quot;" in text
    assert "&quot;description&quot;" not in text


def test_an_edit_is_a_diff_by_its_patch_or_by_its_arguments() -> None:
    edit = {"file_path": "/work/shop/a.py", "old_string": "x = 1\ny = 2", "new_string": "x = 1\ny = 3"}
    patch = {"structuredPatch": [{"oldStart": 12, "newStart": 12, "lines": [" x = 1", "-y = 2", "+y = 3"]}]}
    tape = Tape().connect().prompt("One").tool("Edit", edit, "ok", detail=patch).tool("Edit", edit, "ok")
    first, second = inner(page(tape), "<pre", "</pre>")
    for text in (first, second):
        assert '<span class="removed">-y = 2</span>\n<span class="added">+y = 3</span>' in text
    assert "@@ -12,2 +12,2 @@" in first
    assert "@@" not in second


def test_what_a_subagent_does_stands_in_its_call() -> None:
    tape = Tape().connect().prompt("One")
    agent = tape.call("Agent", {"description": "look", "prompt": "Look at *it*"})
    tape.say("Inside.", parent=agent).tool("Read", {"file_path": "b.py"}, "     1\tx", parent=agent)
    text = page(tape.answer(agent, "**Found.**").say("After.").done())
    call = text[text.index('<details class="call done">') : text.index("After.")]
    assert call.index("Look at <em>it</em>") < call.index("Inside.") < call.index("<b>Read</b>")
    assert call.index("<b>Read</b>") < call.index("<strong>Found.</strong>")
    assert call.count("<details") == call.count("</details>") == 2


def test_code_is_coloured_by_what_its_parts_are() -> None:
    text = page(Tape().connect().prompt("One").say("```python\ndef f(): return 'a'  # why\n```\n").done())
    for role, word in (("keyword", "def"), ("function", "f"), ("comment", "# why")):
        assert f'<span class="{role}">{word}</span>' in text


def test_a_failure_says_what_why_and_what_next() -> None:
    text = page(Tape().connect().prompt("Go").say("This is").done("failed", failure=STREAM_BROKE))
    (failure,) = inner(text, '<section class="failure">', "</section>")
    assert [*re.findall("<dt>(.*?)</dt>", failure)] == ["what", "why", "next"]
    assert "It broke off here." in text
    assert '<p class="end failed">failed' in text


def test_text_that_is_nested_too_deep_to_be_read_is_shown_as_it_was_written() -> None:
    assert "the very end" in page(Tape().connect().prompt("Go").say("> " * 90 + "the very end").done())


@pytest.mark.parametrize("parent", ["call-1", "nobody"])
def test_an_entry_whose_call_is_unknown_or_its_own_is_there_once(parent: str) -> None:
    tape = Tape().connect().prompt("Go").tool("Bash", {"command": "odd one"}, "out", parent=parent)
    assert page(tape.done()).count("odd one</code>") == 2, "in its line, and as its command"
