"""The page in a real browser: it opens, searches, folds, changes its colours; nothing leaves it or runs in it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.history.export.kept import kept_run
from maverick_tui.history.export.page import as_page
from tests.history.export.browser import PROGRAM, Browser
from tests.history.export.hostile import HOSTILE, spoken
from tests.support.runs import PARAGRAPH, Tape

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")

LONG = "line\n" * 300 + " " * 200 + "the needle is here\n" + "line\n" * 300
ENTER, ESCAPE, SHIFT = ("Enter", 13), ("Escape", 27), 8


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    one = Browser(tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


def written(tape: Tape, name: str = "run.html") -> Path:
    path = Path(name).absolute()
    path.write_text("".join(as_page(kept_run("7f3a00c0ffee", [*tape.events, ev.RunEnded(tape.at)]))), encoding="utf-8")
    return path


@pytest.fixture
def page() -> Path:
    tape = Tape().connect().prompt("Review the cart").think("Hm, the hidden thought.").say(PARAGRAPH * 12)
    tape.tool("Bash", {"command": "pytest -q tests"}, LONG).say("```python\ndef total(): 1\n```")
    tape.say(f"| a | b |\n|---|---|\n| {'wide ' * 40} | {'x' * 300} |\n\n" + "y" * 400)
    return written(tape.done())


def test_search_finds_what_is_folded_and_what_is_coloured(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.see("document.querySelectorAll('details[open]').length") == 0
    assert browser.see("document.querySelector('nav').hidden") is False
    browser.click("nav input")
    browser.type("NEEDLE")
    browser.wait_for("document.querySelector('output').value === '1 of 1'")
    assert browser.see("document.querySelector('details.call').open")
    assert not browser.see("document.querySelector('details.thinking').open")
    assert browser.see("[...CSS.highlights.get('current')].map(String)") == ["needle"]
    middle = "((box) => [box.left + 5, box.top + 5])([...CSS.highlights.get('current')][0].getBoundingClientRect())"
    assert "needle" in browser.see(f"document.elementFromPoint(...{middle}).textContent")
    box = "document.querySelector('.result pre').getBoundingClientRect()"
    assert browser.see(
        f"(([x, y], box) => box.left < x && x < box.right && box.top < y && y < box.bottom)({middle}, {box})"
    )
    browser.press(*ESCAPE)
    browser.wait_for("document.querySelector('output').value === ''")
    browser.click("nav input")
    browser.type("def total()")  # which is several elements
    browser.wait_for("document.querySelector('output').value === '1 of 1'")


def test_matches_are_walked_through_in_both_directions(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("/", 191)
    browser.wait_for("document.activeElement === document.querySelector('nav input')")
    browser.see("document.querySelector('nav input').value = ''")
    browser.type("booked")
    browser.wait_for("document.querySelector('output').value === '1 of 12'")
    browser.press(*ENTER)
    assert browser.see("document.querySelector('output').value") == "2 of 12"
    browser.press(*ENTER, modifiers=SHIFT)
    browser.press(*ENTER, modifiers=SHIFT)
    assert browser.see("document.querySelector('output').value") == "12 of 12"
    browser.type(" for ever")
    browser.wait_for("document.querySelector('output').value === 'no match'")
    assert browser.see("CSS.highlights.get('found').size + CSS.highlights.get('current').size") == 0


def test_calls_fold_one_by_one_and_all_together(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("details.call summary")
    browser.wait_for("document.querySelector('details.call').open")
    browser.click("[data-do=fold]")
    assert browser.see("[...document.querySelectorAll('details')].every((one) => one.open)")
    assert browser.see("document.querySelector('[data-do=fold]').textContent") == "Fold all"
    browser.click("[data-do=fold]")
    assert browser.see("document.querySelectorAll('details[open]').length") == 0


def test_it_is_dark_or_light_as_its_reader_prefers_until_they_choose(browser: Browser, page: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(251, 250, 247)", "rgb(20, 23, 27)"
    browser.open(page, theme="dark")
    browser.see("localStorage.clear()")
    browser.open(page, theme="dark")
    assert browser.see(ground) == dark
    browser.open(page, theme="light")
    assert browser.see(ground) == light
    seen = []
    for _ in range(3):
        browser.click("[data-do=theme]")
        seen.append((browser.see("document.querySelector('[data-do=theme]').textContent"), browser.see(ground)))
    assert seen == [("Theme: dark", dark), ("Theme: light", light), ("Theme: auto", light)]


def test_on_a_phone_only_wide_things_scroll_sideways(browser: Browser, page: Path) -> None:
    browser.open(page, width=360, height=740)
    browser.click("[data-do=fold]")
    assert browser.see("document.documentElement.scrollWidth") <= 360
    boxes = "[...document.querySelectorAll('nav button')].map((one) => one.getBoundingClientRect())"
    assert browser.see(f"{boxes}.every((box) => box.left >= 0 && box.right <= 360)")


def test_nothing_of_hostile_texts_runs_and_nothing_leaves(browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        evil = "\n\n".join(HOSTILE.values()).replace("127.0.0.1:9", f"127.0.0.1:{listener.getsockname()[1]}")
        path = written(spoken(evil))
        browser.open(path)
        browser.click("[data-do=fold]")
        browser.click("nav input")
        browser.type("hacked")
        browser.wait_for("document.querySelector('output').value.startsWith('1 of')")
        for link in range(browser.see("document.querySelectorAll('.nowhere').length")):
            browser.see(f"document.querySelectorAll('.nowhere')[{link}].click()")
        assert browser.see("typeof window.hacked") == "undefined"
        assert browser.see("document.scripts.length") == 1
        assert browser.see("location.href") == path.as_uri()
        assert [one["request"]["url"] for one in browser.told("Network.requestWillBeSent")] == [path.as_uri()]
        assert browser.told("Page.javascriptDialogOpening") == []
        assert browser.told("Runtime.exceptionThrown") == []
        assert [entry["entry"]["text"] for entry in browser.told("Log.entryAdded")] == []
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_script_that_were_in_it_after_all_would_not_run(browser: Browser) -> None:
    path = written(Tape().connect().prompt("Go"))
    hole = "<script>window.hacked=1</script><img src='http://127.0.0.1:9/p.png' onerror='window.hacked=1'>"
    path.write_text(path.read_text(encoding="utf-8").replace("<main>", f"<main>{hole}"), encoding="utf-8")
    browser.open(path)
    assert browser.see("typeof window.hacked") == "undefined"
    assert "Content Security Policy" in json.dumps(browser.told("Log.entryAdded"))
    sent = [one["request"]["url"] for one in browser.told("Network.requestWillBeSent")]
    failed = {one["requestId"] for one in browser.told("Network.loadingFailed") if one.get("blockedReason") == "csp"}
    assert len(sent) - len(failed) == 1
