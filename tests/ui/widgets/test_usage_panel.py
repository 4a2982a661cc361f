"""UsagePanel and UsageLine on a screen."""

from __future__ import annotations

import pytest
from textual import on
from textual.geometry import Size

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Usage
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.widgets.painted import row_width
from maverick_tui.ui.widgets.usage_figures import Moment
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel, UsageView
from tests.runs.story import asked, call, end
from tests.ui.widgets.host import Host

USED = Usage(12_480, 1_932, 144_123, 21_000, 0.0612, 48_000)


def line(width: int, **figures: object) -> str:
    store = asked(
        ev.ModelNamed(1, "m", context_size=200_000),
        ev.UsageReported(2, "m1", 1_000, 732, 64_000, 2_300),
        end(usage=USED),
    )
    moment = Moment.of(store, 60.0)._replace(**figures)  # type: ignore[arg-type]
    rows = UsageLine(store).rows(moment, Size(width, 1))
    assert all(row_width(row) <= width for row in rows)
    return "\n".join("".join(text for text, _ in row) for row in rows)


def test_the_line_has_the_same_figures_in_short() -> None:
    assert line(80) == "in 12.5k · out 1.9k · cache 81 % · $0.061 · 0:48 · ctx 34 %"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (50, "in 12.5k · out 1.9k · $0.061 · 0:48 · ctx 34 %"),
        (40, "in 12.5k · out 1.9k · $0.061 · 0:48"),
        (30, "out 1.9k · $0.061 · 0:48"),
        (15, "$0.061 · 0:48"),
        (6, "$0.061"),
        (5, ""),
        (0, ""),
    ],
)
def test_where_it_is_narrow_the_least_important_goes_first(width: int, shown: str) -> None:
    assert line(width) == shown


def test_the_line_says_what_is_unknown() -> None:
    assert "cost no price" in line(80, cost=None, is_least=True)
    assert "· ~$0.061 ·" in line(80, is_running=True, is_live=True), "an estimate, not a lower bound"
    assert "· ≥$0.061 ·" in line(80, is_running=True)
    assert "ctx 67.2k of ?" in line(80, context_size=None, context_used=67_200)
    assert line(99, rates=(0, 30, 30, 30)).endswith("tok/s ~30")


async def test_the_panel_shows_the_figures_and_follows_them() -> None:
    store = asked()
    app = Host(lambda: [UsagePanel(store)])
    async with app.run_test(size=(36, 30)) as pilot:
        panel = app.query_one(UsagePanel)
        panel.refresh_figures(2.0)
        await pilot.pause()
        assert any("input            0" in row for row in app.drawn())
        store.apply(end(usage=USED))
        panel.refresh_figures(9.0)
        await pilot.pause()
        for figure in ("input       12,480", "output       1,932", "cached     144,123  81 %", "cost        $0.061"):
            assert any(figure in row for row in app.drawn()), figure


async def test_nothing_is_drawn_or_laid_out_for_figures_that_look_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    store = asked(call("Bash"))
    app = Host(lambda: [UsagePanel(store), UsageLine(store)])
    async with app.run_test(size=(80, 30)) as pilot:
        views = list(app.query(UsageView))
        for view in views:
            view.refresh_figures(5.0)
        await pilot.pause()
        drawn: list[object] = []
        laid_out = app.layouts
        for view in views:
            monkeypatch.setattr(view, "refresh", lambda *regions, **_: drawn.append(regions))
        for moment in range(20):
            for view in views:
                view.refresh_figures(5.0 + moment / 100)
        assert drawn == []
        for view in views:
            view.refresh_figures(6.0)
        await pilot.pause()
        assert len(drawn) == 2
        panel_rows = drawn[0]
        assert isinstance(panel_rows, tuple)
        assert len(panel_rows) == 3, "only the rows of the time are new"
        assert app.layouts == laid_out


async def test_new_figures_never_lay_out_the_screen() -> None:
    store = asked()
    app = Host(lambda: [UsagePanel(store), UsageLine(store)])
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        before = app.layouts
        for number in range(5):
            todos = [{"content": f"todo {index}", "status": "pending"} for index in range(number)]
            store.apply(call("TodoWrite", {"todos": todos}, id=f"t{number}"))
            store.apply(ev.UsageReported(2, f"m{number}", 10**number))
            for view in app.query(UsageView):
                view.refresh_figures(3.0 + number)
            await pilot.pause()
        assert any("todo 3" in row for row in app.drawn())
        assert app.layouts == before


async def test_another_size_is_filled_at_once() -> None:
    store = asked(end(usage=USED))
    app = Host(lambda: [UsagePanel(store)])
    async with app.run_test(size=(36, 30)) as pilot:
        app.query_one(UsagePanel).refresh_figures(9.0)
        await pilot.resize_terminal(36, 6)
        await pilot.pause()
        rows = [row.strip(" ▏│") for row in app.drawn()]
        assert [row.split()[0] for row in rows if row][:4] == ["input", "output", "cached", "cost"]


async def test_a_panel_that_was_hidden_is_up_to_date_when_it_is_shown() -> None:
    store = asked()
    app = Host(lambda: [UsagePanel(store)])
    async with app.run_test(size=(36, 30)) as pilot:
        panel = app.query_one(UsagePanel)
        panel.refresh_figures(2.0)
        panel.display = False
        await pilot.pause()
        store.apply(end(usage=USED))
        panel.refresh_figures(9.0)
        panel.display = True
        await pilot.pause()
        assert any("12,480" in row for row in app.drawn())


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_a_new_theme_draws_it_anew(theme: str) -> None:
    store = asked(end(usage=USED))
    app = Host(lambda: [UsagePanel(store)])
    async with app.run_test(size=(36, 30)) as pilot:
        panel = app.query_one(UsagePanel)
        panel.refresh_figures(9.0)
        await pilot.pause()
        app.theme = theme
        await pilot.pause()
        colour = panel.render_line(1)._segments[1].style
        assert colour is not None
        assert colour.color == app.screen.get_component_rich_style("painted--text").color


async def test_a_click_asks_for_the_other_shape() -> None:
    store, asked_for = asked(), []

    class Listening(Host):
        @on(UsagePanel.ToggleRequested)
        def _toggle(self) -> None:
            asked_for.append(1)

    app = Listening(lambda: [UsagePanel(store), UsageLine(store)])
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.click(UsagePanel)
        await pilot.click(UsageLine)
        assert len(asked_for) == 2
