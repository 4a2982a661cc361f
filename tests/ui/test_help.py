"""HelpScreen: everything it says comes from the bindings below it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from maverick_tui.runs.status import _HEADLINES
from maverick_tui.ui.help import SIGNS, HelpScreen
from maverick_tui.ui.keys import KeyGroup, key_groups
from maverick_tui.ui.log_file import log_path
from tests.runs.story import ask, asked, call, end
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until
from tests.ui.widgets.host import Host


class Pane(Static, can_focus=True):
    BINDING_GROUP_TITLE = "The pane"
    BINDINGS = [
        Binding("j,down", "noop", "Down", id="pane.down"),
        Binding("ctrl+b", "noop_b", "Back", id="pane.back"),
        Binding("x", "hidden", "", id="pane.silent"),
    ]


class Talk(Input):
    BINDING_GROUP_TITLE = "Prompt"
    BINDINGS = [Binding("ctrl+g", "noop", "Edit", id="prompt.edit")]


GROUP = Binding.Group("Approvals")


class Below(Screen[None]):
    BINDING_GROUP_TITLE = "Run"
    BINDINGS = [
        Binding("ctrl+o", "more", "Show more", id="run.more"),
        Binding("ctrl+b", "panel", "Panel", id="run.panel", priority=True),
        Binding("slash", "find", "Find", id="run.find"),
        Binding("ctrl+y", "allow", "Allow", id="run.allow", group=GROUP),
        Binding("ctrl+d", "system", "Never shown", id="run.system", system=True),
    ]
    is_asked = False

    def compose(self) -> ComposeResult:
        yield Talk()
        yield Pane("pane")
        with Vertical(id="closed"):
            yield Pane("hidden")

    def on_mount(self) -> None:
        self.query_one("#closed").display = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.is_asked if action == "allow" else None if action == "more" else True


async def groups(keymap: dict[str, str] | None = None, focus: type[Widget] = Talk, **facts: Any) -> dict[str, Any]:
    app = Host(list)
    async with app.run_test() as pilot:
        if keymap:
            app.set_keymap(keymap)
        below = Below()
        vars(below).update(facts)
        await app.push_screen(below)
        below.query(focus).first().focus()
        await pilot.pause()
        found: list[KeyGroup] = key_groups(below)
        return {group.title: {row.text: (row.keys, row.is_enabled) for row in group.rows.values()} for group in found}


async def test_keys_are_grouped_by_where_they_act() -> None:
    found = await groups()
    assert list(found)[:3] == ["Run", "Approvals", "Prompt"]
    assert list(found)[-1] == "Everywhere"
    assert found["Run"]["Panel"] == (["^b"], True)
    assert found["Run"]["Show more"] == (["^o"], False), "what does nothing now is said to"
    assert found["Prompt"]["Edit"] == (["^g"], True)
    assert "Never shown" not in str(found)


async def test_what_another_widget_would_do_with_the_focus_is_told_too() -> None:
    found = await groups()
    assert found["The pane"] == {"Down": (["j", "↓"], True), "Find": (["/"], True)}
    assert "Find" not in found["Run"], "a slash is text while the prompt has the focus"
    there = await groups(focus=Pane)
    assert there["Run"]["Find"] == (["/"], True)
    assert there["The pane"] == {"Down": (["j", "↓"], True)}
    assert there["Prompt"]["Edit"] == (["^g"], True)


async def test_what_acts_only_sometimes_is_there_and_says_so() -> None:
    assert (await groups())["Approvals"] == {"Allow": (["^y"], False)}
    assert (await groups(is_asked=True))["Approvals"] == {"Allow": (["^y"], True)}


async def test_remapped_keys_are_shown_as_they_are_now() -> None:
    found = await groups({"run.panel": "f9", "pane.down": "n", "run.allow": "f2"})
    assert found["Run"]["Panel"] == (["f9"], True)
    assert found["The pane"]["Down"] == (["n"], True)
    assert found["Approvals"]["Allow"] == (["f2"], False)
    assert found["The pane"]["Back"] == (["^b"], True), "the key is free now"


class Opened:
    """A host with the help open over the screen above."""

    def __init__(self) -> None:
        self.app = Host(list)
        self.help = HelpScreen()

    async def open(self, pilot: Any) -> None:
        await self.app.push_screen(Below())
        await self.app.push_screen(self.help)
        await pilot.pause()

    @property
    def text(self) -> str:
        return self.help.view.text


@pytest.mark.parametrize("size", sampled([((40, 10),), ((80, 24),), ((120, 40),)], 3))
async def test_it_shows_keys_and_signs_at_any_size(size: tuple[int, int]) -> None:
    opened = Opened()
    async with opened.app.run_test(size=size) as pilot:
        await opened.open(pilot)
        drawn = "\n".join(opened.app.drawn())
        assert "Keys: Run" in drawn
        assert "^o" in drawn
        assert "esc close" in drawn
        for word in ("RUN", "PROMPT", "THE PANE", "EVERYWHERE", "SIGNS", "Allow  (not now)"):
            assert word in opened.text
        assert max(len(line) for line in opened.text.splitlines()) <= size[0]


async def test_typing_filters_by_key_words_and_group() -> None:
    opened = Opened()
    async with opened.app.run_test(size=(80, 24)) as pilot:
        await opened.open(pilot)
        await pilot.press(*"PANE down")
        await pilot.pause()
        assert opened.text.split("\n") == ["THE PANE", " j  ↓  Down"]
        for _ in range(9):
            await pilot.press("backspace")
        await pilot.press(*"zzz")
        await pilot.pause()
        assert opened.text == "Nothing matches."
        for _ in range(3):
            await pilot.press("backspace")
        await pilot.press(*"rate-lim")
        await pilot.pause()
        assert opened.text.split("\n")[-1].split() == ["‖", "Rate-limited"]


async def test_it_says_where_the_log_is() -> None:
    opened = Opened()
    async with opened.app.run_test(size=(80, 24)) as pilot:
        await opened.open(pilot)
        assert f" ~/{log_path().relative_to(Path.home())}" in opened.text.splitlines()
        await pilot.press(*"log")
        await pilot.pause()
        assert opened.text.startswith("TROUBLE\n")


async def test_it_scrolls_by_keys_while_one_types() -> None:
    opened = Opened()
    async with opened.app.run_test(size=(60, 14)) as pilot:
        await opened.open(pilot)
        view = opened.help.view
        places = []
        for key in ("down", "pagedown", "up", "ctrl+end", "pageup", "ctrl+home"):
            await pilot.press(key)
            await pilot.pause()
            places.append(view.top)
        page = view.page - 1
        assert places == [1, 1 + page, page, view.last_top, view.last_top - page, 0]


@pytest.mark.parametrize("how", sampled(["escape", "beside", "word"], 2))
async def test_it_closes(how: str) -> None:
    opened = Opened()
    async with opened.app.run_test(size=(120, 40)) as pilot:
        await opened.open(pilot)
        if how == "escape":
            await pilot.press("escape")
        elif how == "beside":
            await pilot.click(offset=(1, 20))
        else:
            await pilot.click(".overlay--close")
        await pilot.pause()
        assert isinstance(opened.app.screen, Below)


async def test_a_click_on_the_text_does_not_close() -> None:
    opened = Opened()
    async with opened.app.run_test(size=(120, 40)) as pilot:
        await opened.open(pilot)
        await pilot.click(".overlay--text", offset=(3, 3))
        await pilot.pause()
        assert opened.app.screen is opened.help


def test_every_sign_of_a_state_is_in_the_legend() -> None:
    signs = {sign for sign, _ in SIGNS}
    assert {one.glyph for one in _HEADLINES.values()} <= signs
    from maverick_tui.runs.status import run_status

    stores = (asked(), asked(call("Bash"), ask()), asked(end("failed")), asked(end("interrupted")), asked(end()))
    assert {run_status(store, 99.0).glyph for store in stores} <= signs


async def test_the_keys_of_a_run_are_told_in_one_case_and_none_that_does_nothing() -> None:
    async with watching(Tape("reviewer").connect()) as (app, pilot):
        await pilot.press("f1")
        await until(pilot, lambda: app.top == "HelpScreen" and app.screen.is_mounted)
        groups = key_groups(app.screen_stack[-2])
        texts = [row.text for group in groups for row in group.rows.values()] + [text for _, text in SIGNS]
        assert [text for text in texts if text[0] != text[0].upper()] == []
        assert "Scroll Left" not in texts
        assert "All commands" in texts


async def test_a_toast_lies_right_below_the_header_where_no_keys_are() -> None:
    app = FedApp()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        app.notify("Copied 547 characters.", timeout=60)
        await until(pilot, lambda: app.screen.query("Toast") and app.screen.query_one("Toast").region.height)
        assert app.screen.query_one("Toast").region.height == 1
        assert app.screen.query_one("Toast").region.y == 1
