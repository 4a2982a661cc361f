"""UsagePanel and UsageLine: on a screen, and their rows in any room."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.geometry import Region, Size
from textual.widget import Widget

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Usage
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.todos import Todo
from maverick_tui.ui.lines import Line
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.widgets.painted import row_width
from maverick_tui.ui.widgets.usage_figures import Moment, Subagent
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel, UsageView, panel_rows
from tests.runs.story import OPEN, asked, call, end, told
from tests.support.cases import each
from tests.support.sampling import examples, sampled
from tests.ui.waiting import until
from tests.ui.widgets.host import Host

USED = Usage(12_480, 1_932, 144_123, 21_000, 0.0612, 48_000)
NOTHING = Moment.of(told(*OPEN), 1.0)


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
    assert line(80) == "in 178k · out 1.9k · cache 81 % · $0.061 · 0:48 · ctx 34 %"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (50, "in 178k · out 1.9k · $0.061 · 0:48 · ctx 34 %"),
        (40, "in 178k · out 1.9k · $0.061 · 0:48"),
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
    assert "ctx ? ·" in line(99, context_used=None, rates=(9, 9, 9, 9)), "it has become another conversation"
    assert line(99, rates=(0, 5, 30, 30, 30)).endswith("tok/s ~30")
    for rates in ((30, 0, 0, 0), (30, 30, 30, 0), (0, 0, 0, 300), (0, 30, 30, 30), (30, 0, 30, 30), (30, 30, 30)):
        assert "tok/s" not in line(99, rates=rates), "too little, or nothing now, to say how fast it is"


def test_how_full_the_context_is_is_not_known_until_the_next_answer() -> None:
    moment = NOTHING._replace(context_used=None, context_size=200_000)
    rows = ["".join(text for text, _ in row) for row in panel_rows(moment, 32, 40)]
    assert "context          ?  of 200,000" in rows


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
        for figure in ("input      177,603", "output       1,932", "cached     144,123  81 %", "cost        $0.061"):
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
        await until(pilot, lambda: len(drawn) == 2)
        panel_rows = drawn[0]
        assert isinstance(panel_rows, tuple)
        assert len(panel_rows) == 3, "only the rows of the time are new"
        assert app.layouts == laid_out


async def test_new_figures_never_lay_out_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    store = asked()
    app = Host(lambda: [UsagePanel(store), UsageLine(store)])
    async with app.run_test(size=(80, 30)) as pilot:
        await until(pilot, lambda: any("input" in row for row in app.drawn()))
        refreshed: list[bool] = []
        refresh = Widget.refresh

        def noted(view: Widget, *regions: Region, layout: bool = False, **how: Any) -> Widget:
            refreshed.append(layout)
            return refresh(view, *regions, layout=layout, **how)

        monkeypatch.setattr(Widget, "refresh", noted)
        for number in range(5):
            todos = [{"content": f"todo {index}", "status": "pending"} for index in range(number)]
            store.apply(call("TodoWrite", {"todos": todos}, id=f"t{number}"))
            store.apply(ev.ToolFinished(2, f"t{number}", "fine"))
            store.apply(ev.UsageReported(2, f"m{number}", 10**number))
            for view in app.query(UsageView):
                view.refresh_figures(3.0 + number)
            await pilot.pause()
        await until(pilot, lambda: any("todo 3" in row for row in app.drawn()))
        assert refreshed
        assert not any(refreshed)


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
        await until(pilot, lambda: any("177,603" in row for row in app.drawn()))


@pytest.mark.parametrize("theme", sampled([theme.name for theme in THEMES], 2))
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
    store = asked()
    app = Host(lambda: [UsagePanel(store), UsageLine(store)])
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.click(UsagePanel)
        await pilot.click(UsageLine)
        assert app.acted == ["toggle_panel"] * 2


def text(rows: list[Line]) -> list[str]:
    return ["".join(part for part, _ in row).rstrip() for row in rows]


def busy() -> RunStore:
    return asked(
        ev.ModelNamed(1, "m", context_size=200_000),
        ev.UsageReported(2, "m1", 1_000, 732, 64_000, 2_300),
        end(usage=Usage(11_480, 1_200, 80_123, 9_000, 0.0612, 19_000), at=20.0),
        ev.TurnStarted(30, 2, "More"),
        ev.UsageReported(31, "m2", 1_000, 732, 64_000, 2_300),
        ev.BlockStarted(31, 1, "text"),
        *(ev.BlockGrew(second, 1, "x" * 200) for second in range(31, 35)),
        ev.BlockEnded(36, 1),
        call("Bash", at=36),
    )


def test_every_figure_is_there_in_full() -> None:
    assert text(panel_rows(Moment.of(busy(), 39.5), 32, 40)) == [
        "USAGE",
        "input      167,903",
        "output      ~2,132",
        "cached     144,123  85 %",
        "written     11,300  to cache",
        "cost       ≥$0.061  so far",
        "",
        "time          0:28",
        "model         0:25  89 %",
        "tools         0:03  11 %",
        "turns            2  step 1/30",
        "",
        "context ━━━━━━────────────  34 %",
        "            68,032  of 200,000",
        "tok/s   ▁▁▁▁▁▁▁▁████▁▁▁▁  -",
    ]


def test_a_run_that_has_not_begun() -> None:
    rows = text(panel_rows(NOTHING, 32, 40))
    assert "cost             -" in rows
    assert "context          0  of ?" in rows
    assert "turns            0  step 0/30" in rows
    assert "tok/s   ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  -" in rows


def test_the_time_that_the_person_took_is_shown_once_there_is_some() -> None:
    assert not any(row.startswith("you") for row in text(panel_rows(NOTHING, 32, 40)))
    moment = NOTHING._replace(model_seconds=10, person_seconds=30)
    assert "you           0:30  75 %" in text(panel_rows(moment, 32, 40))


def test_a_context_that_is_nearly_full_says_so() -> None:
    moment = NOTHING._replace(context_used=161_000, context_size=200_000)
    rows = panel_rows(moment, 32, 40)
    assert "           161,000  nearly full" in text(rows)
    assert any(role == "warning" for row in rows for _, role in row)


def test_todos_are_a_checklist_by_sign_and_not_only_by_colour() -> None:
    todos = (
        Todo("read the diff", "completed"),
        Todo("run the cart tests and look at what fails in there, then read on", "in_progress"),
        Todo("write", "pending"),
    )
    rows = text(panel_rows(NOTHING._replace(todos=todos), 32, 40))
    assert rows[rows.index("TODOS  1 of 3 done") :] == [
        "TODOS  1 of 3 done",
        "✔ read the diff",
        "● run the cart tests and look at",
        "  what fails in there, then rea…",
        "○ write",
    ]


def test_subagents_stand_with_what_they_used() -> None:
    tasks = (
        Subagent("explore the \x1b[31mrepository and all its tests", "running", 12_480),
        Subagent("write tests", "completed", 7),
        Subagent("broke", "failed", 0),
        Subagent("ended", "killed", 1),
    )
    rows = text(panel_rows(NOTHING._replace(tasks=tasks), 32, 40))
    assert rows[rows.index("SUBAGENTS") :] == [
        "SUBAGENTS",
        "● explore the ␛[31mrepos… 12,480",
        "✔ write tests                  7",
        "✘ broke                        0",
        "■ ended                        1",
    ]


def test_older_subagents_are_added_up_where_there_is_no_room() -> None:
    tasks = tuple(Subagent(f"task {number}", "completed", 10) for number in range(20))
    rows = text(panel_rows(NOTHING._replace(tasks=tasks), 32, 24))
    more = next(row for row in rows if "more" in row)
    shown = [row for row in rows if row.startswith("✔ task")]
    assert more.split() == [str(20 - len(shown)), "more", str(10 * (20 - len(shown)))]
    assert shown[-1].startswith("✔ task 19")


@pytest.mark.parametrize("current", [0, 1, 7, 18, 19])
def test_of_many_todos_those_around_the_current_one_are_shown(current: int) -> None:
    todos = tuple(
        Todo(f"todo {n}", "completed" if n < current else "in_progress" if n == current else "pending")
        for n in range(20)
    )
    rows = text(panel_rows(NOTHING._replace(todos=todos), 32, 18))
    assert f"● todo {current}" in rows
    shown = [row for row in rows if " todo " in row]
    above = next((int(row.split()[1]) for row in rows if row.endswith("above")), 0)
    more = next((int(row.split()[1]) for row in rows if row.endswith("more")), 0)
    assert above + len(shown) + more == 20


@pytest.mark.parametrize("height", [24, 18, 14, 11])
def test_what_matters_most_stays_where_it_is_low(height: int) -> None:
    todos = tuple(Todo(f"todo {number}", "pending") for number in range(9))
    rows = text(panel_rows(NOTHING._replace(todos=todos), 32, height))
    for word in ("input", "output", "cached", "cost", "TODOS", "○"):
        assert any(row.startswith(word) for row in rows), f"{word} in {height} rows"


def test_it_shows_how_much_of_each_fuse_is_used_and_what_each_subagent_has_cost() -> None:
    fuses = (
        {"scope": "run", "unit": "usd", "most": 2.0, "others": 0.0, "extended": 0.0},
        {"scope": "day", "unit": "tokens", "most": 1_000_000, "others": 500_000.0, "extended": 0.0},
        {"scope": "nobody's", "unit": "pounds", "most": "many"},
    )
    store = asked(
        ev.FusesSet(1, fuses),
        call("Agent", {"description": "Find all roundings"}, id="a"),
        ev.UsageReported(2, "m1", 1_000, 100, cost_usd=1.2),
        ev.UsageReported(2, "m2", 9_000, 100, parent="a", cost_usd=0.1),
        ev.UsageReported(2, "m2", 9_000, 1_000, parent="a", cost_usd=0.4),
    )
    rows = text(panel_rows(Moment.of(store, 3.0), 32, 40))
    at = next(place for place, row in enumerate(rows) if row.startswith("fuse"))
    assert rows[at].endswith(" 80 %")
    assert rows[at + 1].split() == ["~$1.60", "of", "$2.00"]
    assert (rows[at + 2].split()[0], rows[at + 3].split()) == ("today", ["511k", "of", "1.0M", "tok"])
    assert rows[-2:] == ["SUBAGENTS", "● Find all round… 10.0k  ~$0.400"]
    assert "fuse 80 %" in line(80, fuses=Moment.of(store, 3.0).fuses)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60)
TODOS = st.lists(st.builds(Todo, WORDS, st.sampled_from(["pending", "in_progress", "completed"])), max_size=30)
TASKS = st.lists(
    st.builds(Subagent, WORDS, st.sampled_from(["running", "failed", ""]), st.integers(0, 10**9)), max_size=12
)


@settings(deadline=None, max_examples=examples(30, 120))
@given(TODOS, TASKS, st.integers(0, 60), st.integers(0, 60))
def test_the_panel_never_outgrows_its_room(todos: list[Todo], tasks: list[Subagent], width: int, height: int) -> None:
    moment = NOTHING._replace(todos=tuple(todos), tasks=tuple(tasks), context_used=9, context_size=10)
    rows = panel_rows(moment, width, height)
    assert len(rows) <= height
    if width >= 32:
        assert max((row_width(row) for row in rows), default=0) <= width


# -- a list that the agent keeps ---------------------------------------------------------------------------------------


def kept(height: int, items: int = 3, width: int = 30) -> list[str]:
    details = {1: "high"}
    shown = ({"text": f"Task number {at}", "is_done": at == 0, "detail": details.get(at, "")} for at in range(items))
    store = asked(ev.ListShown(1, "Tasks", tuple(shown), items))
    rows = panel_rows(Moment.of(store, 60.0), width, height)
    assert len(rows) <= height
    assert all(row_width(row) <= width for row in rows)
    return ["".join(text for text, _ in row).rstrip() for row in rows]


def test_the_list_stands_above_the_figures_what_is_open_first() -> None:
    rows = kept(30)
    assert rows[:5] == ["TASKS  2 open", "☐ Task number 1           high", "☐ Task number 2", "✓ Task number 0", ""]
    assert rows[5] == "USAGE"


def test_a_long_list_leaves_room_for_figures() -> None:
    rows = kept(24, items=100)
    assert "  … 87 more" in rows
    assert any(row.startswith("input") for row in rows)
    assert any(row.startswith("cost") for row in rows)


def test_what_is_open_and_not_here_counts_too() -> None:
    here = tuple({"text": f"Task number {at}", "is_done": False} for at in range(20))
    rows = panel_rows(Moment.of(asked(ev.ListShown(1, "Tasks", here, 350)), 60.0), 30, 24)
    assert "".join(text for text, _ in rows[0]).rstrip() == "TASKS  350 open"


def test_an_empty_list_says_so() -> None:
    assert kept(20, items=0)[:2] == ["TASKS  0 open", "nothing on the list"]


@each("height", range(1, 12))
def test_a_list_in_a_low_panel(height: int) -> None:
    assert kept(height, items=40)
