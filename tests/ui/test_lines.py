"""LineView: what is in view is drawn, by keys of its owner, by wheel and by dragging its bar."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.pilot import Pilot

from maverick_tui.paths import shipped
from maverick_tui.ui.lines import Line, LineView, RoleLooks


def numbered(width: int) -> list[Line]:
    return [((f"line {number} of width {width}", "text"),) for number in range(100)]


class Host(App[None]):
    CSS_PATH = shipped("styles") / "lines.tcss"

    def compose(self) -> ComposeResult:
        yield RoleLooks(LineView())

    @property
    def view(self) -> LineView:
        return self.query_one(LineView)

    @property
    def shown(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


async def shown(pilot: Pilot[Any]) -> list[str]:
    await pilot.pause()
    assert isinstance(pilot.app, Host)
    return pilot.app.shown


async def test_only_what_is_in_view_is_drawn() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        lines = await shown(pilot)
        assert lines[0] == "line 0 of width 39" + " " * 21 + "┃"
        assert lines[9].startswith("line 9")
        app.view.go_by(5)
        assert (await shown(pilot))[0].startswith("line 5")
        app.view.go_by(1_000)
        assert (await shown(pilot))[9].startswith("line 99")
        app.view.go_by(-1_000)
        assert (await shown(pilot))[0].startswith("line 0")


async def test_a_text_that_fits_has_no_bar() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(lambda _: [(("one", "text"),)])
        assert (await shown(pilot))[:2] == ["one", ""]


async def test_another_width_lays_the_text_out_again() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        app.view.top = 90
        await pilot.resize_terminal(60, 20)
        lines = await shown(pilot)
        assert lines[0].startswith("line 80 of width 59")
        app.screen._refresh_layout(Size(50, 20))
        assert app.shown[0].startswith("line 80 of width 49"), "in the first frame, before it is told of its size"


async def test_another_text_starts_at_its_beginning_and_the_same_one_stays_where_it_is() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        app.view.top = 20
        app.view.show(numbered, keep_place=True)
        assert (await shown(pilot))[0].startswith("line 20")
        app.view.show(numbered)
        assert (await shown(pilot))[0].startswith("line 0")


async def test_the_wheel_moves_the_text() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        for kind, top in ((events.MouseScrollDown, 3), (events.MouseScrollDown, 6), (events.MouseScrollUp, 3)):
            await pilot._post_mouse_events([kind], widget=app.view, offset=(1, 1))
            await pilot.pause()
            assert app.view.top == top


async def test_the_bar_can_be_dragged() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        await pilot.pause()
        await pilot.mouse_down(app.view, offset=(39, 0))
        await pilot.hover(app.view, offset=(39, 9))
        assert app.view.top == 90
        await pilot.mouse_up(app.view, offset=(39, 9))
        await pilot.hover(app.view, offset=(39, 0))
        assert app.view.top == 90
        await pilot.mouse_down(app.view, offset=(5, 0))
        assert app.view.top == 90


async def test_a_theme_gives_the_lines_another_look() -> None:
    app = Host()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(numbered)
        await pilot.pause()
        before = app.view.look("text")
        app.theme = "textual-light"
        await pilot.pause()
        assert app.view.look("text") != before
