"""The picker as somebody uses it: every key, every click, at both sizes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual import events

from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.history.forecast import Forecast
from maverick_tui.ui.picker import reading, xray
from maverick_tui.ui.picker.items import run_item
from maverick_tui.ui.picker.screen import PickerScreen
from tests.support.sampling import sampled
from tests.ui.picker.host import BROAD, NARROW, RUNS, Host, opened, write, write_agent
from tests.ui.waiting import until


@pytest.fixture
def agents(shipped: Path) -> None:
    """Four agents, the second of which is broken."""
    write_agent("api-guardian", "tools: Read, Grep\nmodel: opus", "\n".join(f"line {i}" for i in range(100)))
    write_agent("broken", "allowed_tools: Read")
    write_agent("explorer", folder=shipped)
    write_agent("reviewer", folder=shipped)


# -- starting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_keys_are_taken_before_the_agents_are_read(
    size: tuple[int, int], agents: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read = threading.Event(), reading.read_agents

    def slowly(cwd: Path) -> object:
        go.wait(10)
        return read(cwd)

    monkeypatch.setattr(reading, "read_agents", slowly)
    app = Host(PickerScreen(Path.cwd(), badge="OFFLINE DEMO"))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "reading agents …" in app.text)
        assert "Maverick" in app.lines[0]
        assert "OFFLINE DEMO" in app.lines[0]
        await pilot.press("r", "e", "v", "enter")
        assert app.filter.text == "rev"
        assert "still being read" in app.notice
        go.set()
        await until(pilot, lambda: app.rows)
        assert app.rows == ["reviewer"]


async def test_without_a_folder_it_waits_for_one(agents: None) -> None:
    app = Host(PickerScreen(None))
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press("ctrl+r", "r")
        assert "reading agents …" in app.text
        app.picker.set_cwd(Path.cwd())
        await until(pilot, lambda: "reviewer" in app.rows)
        assert "work" in app.lines[0]


async def test_what_the_list_says_when_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(cwd: Path) -> object:
        raise PermissionError(13, "no [bold]way[/]\x1b[2J")

    async with opened() as (app, pilot):
        with monkeypatch.context() as patch:
            patch.setattr(reading, "read_agents", fail)
            await pilot.press("ctrl+r")
            await until(pilot, lambda: app.list.notice.startswith("✘"))
        assert "✘ The agents cannot be read: PermissionError: [Errno 13] no" in app.text
        assert "[bold]way[/]␛[2J. Ctrl+R tries again." in app.text
        write_agent("reviewer")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.rows == ["reviewer"])


async def test_what_the_list_says_when_there_is_nothing() -> None:
    async with opened() as (app, pilot):
        assert "There are no agents." in app.text
        await pilot.press("enter", "space", "down", "end", "ctrl+e")
        assert app.notice == "There is no file to edit."
        assert not app.picker.shows_xray


async def test_the_header_tells_folder_branch_and_changes(agents: None, home: Path) -> None:
    import subprocess

    project = home / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    write(project / "x.txt", "1")
    async with opened(cwd=project) as (app, pilot):
        await until(pilot, lambda: "main" in app.lines[0])
        assert app.lines[0].split() == ["Maverick", "~/shop", "main", "±1"]
        await pilot.resize_terminal(30, 10)
        await pilot.pause()
        assert app.lines[0].split() == ["Maverick", "~/shop", "main", "±1"]
        await pilot.resize_terminal(24, 10)
        await pilot.pause()
        assert app.lines[0].strip().startswith("Maverick")
        write(project / "y.txt", "1")  # in another window, to which somebody has gone
        app.post_message(events.AppBlur())
        await until(pilot, lambda: not app.app_focus)
        app.post_message(events.AppFocus())
        await pilot.resize_terminal(30, 10)
        await until(pilot, lambda: app.lines[0].split() == ["Maverick", "~/shop", "main", "±2"], "they come back")


# -- what is shown ---------------------------------------------------------------------------------------------------


async def test_at_80_columns_the_list_has_descriptions_and_problems_in_place(agents: None) -> None:
    async with opened(NARROW) as (app, _):
        assert [line[3:60].rstrip() for line in app.lines[4:11]] == [
            "PROJECT  .claude/agents",
            "▸ api-guardian  opus        2 tools   Does api-guardian t",
            "  broken        ✘ line 4: There is no field 'allowed_tool",
            "",
            "SHIPPED",
            "  explorer      sonnet 4.5  17 tools  Does explorer thing",
            "  reviewer      sonnet 4.5  17 tools  Does reviewer thing",
        ]
        assert "4 agents" in app.lines[2]
        assert not app.xray.display


async def test_at_120_columns_the_xray_stands_beside_the_list(agents: None) -> None:
    async with opened(BROAD) as (app, pilot):
        assert app.find("▸ api-guardian")[0] < app.find("model    opus")[0]
        assert ".claude/agents/api-guardian.md:2" in app.text
        assert "model    opus" in app.text
        assert "17 tools" in app.text
        await pilot.press("end")
        await until(pilot, lambda: "You are reviewer." in app.text)


@pytest.mark.parametrize("key", sampled(["space", "tab", "f2"], 3))
async def test_the_xray_takes_the_place_of_the_list_and_gives_it_back(agents: None, key: str) -> None:
    async with opened(NARROW) as (app, pilot):
        await pilot.press(key)
        assert app.xray.display
        await until(pilot, lambda: app.list.region.width == 0 and "model    opus" in app.text, "it has its place")
        await pilot.press("down", "pagedown")
        assert app.highlighted == "api-guardian"
        await until(pilot, lambda: app.xray.top > 1, "it is scrolled")
        await pilot.press("end")
        await until(pilot, lambda: "line 99" in app.text, "its end")
        await pilot.press("home")
        await until(pilot, lambda: app.xray.top == 0, "its beginning")
        await pilot.press(key)
        await until(pilot, lambda: not app.xray.display)
        await pilot.press(key, "escape")
        await until(pilot, lambda: not app.xray.display)


async def test_typing_while_the_xray_is_shown_goes_back_to_the_list(agents: None) -> None:
    async with opened(NARROW) as (app, pilot):
        await pilot.press("space", "r")
        await until(pilot, lambda: not app.xray.display)
        assert app.filter.text == "r"


async def test_the_xray_can_be_read_beside_the_list(agents: None) -> None:
    async with opened(BROAD) as (app, pilot):
        for key, top in (("shift+down", 1), ("shift+down", 2), ("shift+up", 1), ("ctrl+d", 19), ("ctrl+u", 1)):
            await pilot.press(key)
            assert (key, app.xray.top) == (key, top)
        assert app.highlighted == "api-guardian"
        await pilot._post_mouse_events([events.MouseScrollDown], widget=app.xray, offset=(5, 5))
        await until(pilot, lambda: app.xray.top == 4)


async def test_the_old_xray_stays_until_the_new_one_is_there(agents: None, monkeypatch: pytest.MonkeyPatch) -> None:
    go, read = threading.Event(), reading.read_xray
    looked_into: list[str] = []

    def slowly(listing: AgentListing) -> object:
        looked_into.append(listing.name)
        go.wait(10)
        return read(listing)

    async with opened(BROAD) as (app, pilot):
        monkeypatch.setattr(reading, "read_xray", slowly)
        await pilot.press("end")
        await until(pilot, lambda: looked_into == ["reviewer"])
        assert "model    opus" in app.text
        go.set()
        await until(pilot, lambda: "You are reviewer." in app.text)


async def test_what_an_agent_is_likely_to_cost_is_said_once_it_is_known(
    agents: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, asked = threading.Event(), list[bool]()

    def read() -> dict[str, Forecast]:
        asked.append(go.wait(10))
        return {"reviewer": Forecast(12, 0.12, 0.4, 80.0, 245.0)}

    monkeypatch.setattr(xray, "read_forecasts", read)
    async with opened(BROAD) as (app, pilot):
        await pilot.press("end")
        await until(pilot, lambda: "You are reviewer." in app.text)
        assert "forecast" not in app.text
        go.set()
        await until(pilot, lambda: "forecast half ~$0.120 in 1:20  9 of 10 ~$0.400 in 4:05" in app.text)
        await pilot.press("home")
        await until(pilot, lambda: "model    opus" in app.text)
        assert "forecast" not in app.text
        assert asked == [True], "they are all known at once"


async def test_wrong_settings_are_told_and_the_list_stays(agents: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "many")
    async with opened(BROAD) as (app, pilot):
        await until(pilot, lambda: app.notice.startswith("✘ The settings cannot be used: max_turns"))
        assert app.rows == ["api-guardian", "broken", "explorer", "reviewer"]
        assert "Does api-guardian things." in app.text


# -- moving and filtering --------------------------------------------------------------------------------------------


async def test_the_highlight_moves_over_headings_and_stops_at_the_ends(agents: None) -> None:
    async with opened() as (app, pilot):
        for key, name in (
            ("up", "api-guardian"),
            ("down", "broken"),
            ("down", "explorer"),
            ("down", "reviewer"),
            ("down", "reviewer"),
            ("home", "api-guardian"),
            ("pagedown", "reviewer"),
            ("pageup", "api-guardian"),
            ("end", "reviewer"),
        ):
            await pilot.press(key)
            assert (key, app.highlighted) == (key, name)


async def test_typing_filters_and_highlights_the_best_match(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press("r", "v")
        assert (app.rows, app.highlighted) == (["reviewer"], "reviewer")
        assert "1 of 4" in app.text
        await pilot.press("backspace")
        assert app.rows == ["api-guardian", "broken", "explorer", "reviewer"]
        assert app.highlighted == "reviewer"
        await pilot.press("escape")
        assert (app.filter.text, app.highlighted) == ("", "reviewer")
        assert "4 agents" in app.text


async def test_descriptions_are_filtered_by_too(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press(*"thngs", "space", *"expl")
        assert app.rows == ["explorer"]


async def test_the_key_that_is_named_is_one_that_acts(agents: None) -> None:
    async with opened() as (app, pilot):
        assert "space x-ray" in app.text.lower()
        await pilot.press("r")
        await until(pilot, lambda: "f2 x-ray" in app.text.lower())  # a space is text now


async def test_what_matches_is_set_apart(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press(*"gd")
        await pilot.pause()
        _, y = app.find("api-guardian")
        line = app.screen._compositor.render_strips()[y]
        assert "".join(text for text, style, _ in line if style and style.underline) == "gd"


async def test_nothing_matches(agents: None) -> None:
    async with opened(BROAD) as (app, pilot):
        await pilot.press(*"zzz")
        assert "No agent matches 'zzz'. Esc clears." in app.text
        await until(pilot, lambda: app.xray.line_count == 0)
        await pilot.press("enter", "down", "space")
        assert not app.intents(PickerScreen.AgentChosen)
        await pilot.press("escape")
        assert len(app.rows) == 4


async def test_keys_that_edit_the_filter(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press("backspace", "slash", *"one", "space", *"two")
        assert app.filter.text == "one two"
        await pilot.press("ctrl+w")
        assert app.filter.text == "one"
        await pilot.press("ctrl+w")
        assert app.filter.text == ""
        app.filter.post_message(events.Paste("rev\x1b[2J\nmore"))
        await until(pilot, lambda: app.filter.text == "rev␛[2J")
        app.filter.post_message(events.Paste("x" * 500))
        await until(pilot, lambda: len(app.filter.text) == 80)
        await pilot.press("y")
        assert len(app.filter.text) == 80
        assert "x ▕" not in app.text
        assert app.lines[2].rstrip().endswith("│")


# -- choosing --------------------------------------------------------------------------------------------------------


async def test_enter_chooses(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.intents(PickerScreen.AgentChosen))
        (chosen,) = app.intents(PickerScreen.AgentChosen)
        assert (chosen.listing.name, chosen.inputs) == ("api-guardian", {})


async def test_what_is_broken_cannot_be_chosen_and_says_why(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press(*"broken", "enter")
        assert app.notice == "✘ broken cannot run: line 4: There is no field 'allowed_tools'. Did you mean 'tools'?"
        await until(pilot, lambda: "Did you mean 'tools'?" in " ".join(" ".join(app.lines[-2:]).split()))
        assert not app.intents(PickerScreen.AgentChosen)
        await pilot.press("x")
        assert app.notice == ""


async def test_a_file_without_an_agent_says_why(agents: None) -> None:
    write(".claude/agents/notes.md", "no front matter")
    async with opened() as (app, pilot):
        await pilot.press(*"notes", "enter")
        assert app.notice.startswith("✘ notes.md cannot run: line 1: Has no front matter")


async def test_a_file_that_has_gone_meanwhile_says_so(agents: None) -> None:
    async with opened() as (app, pilot):
        Path(".claude/agents/api-guardian.md").unlink()
        await pilot.press("enter")
        await until(pilot, lambda: "cannot be loaded" in app.notice)


# -- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sampled([(NARROW,), (BROAD,)], 2))
async def test_runs_come_first_and_can_be_gone_back_to(agents: None, size: tuple[int, int]) -> None:
    async with opened(size, runs=RUNS) as (app, pilot):
        assert app.find("RUNS")[1] < app.find("PROJECT")[1]
        assert app.find("● running")[1] == app.find("▸ reviewer")[1]
        assert "4 agents" in app.text
        await pilot.press(*"reviewer")
        assert len(app.rows) == 2
        assert "1 of 4" in app.text, "a run is no agent"
        await pilot.press("escape", "home", "down", "enter")
        await until(pilot, lambda: app.intents(PickerScreen.RunChosen))
        assert app.intents(PickerScreen.RunChosen)[0].run_id == "run-2"
        await pilot.press("escape")
        await until(pilot, lambda: app.intents(PickerScreen.BackRequested))


async def test_the_xray_of_a_run_is_that_of_its_agent(agents: None) -> None:
    async with opened(BROAD, runs=[RUNS[0], run_item("x", "unknown-agent", "done", "✔")]) as (app, pilot):
        await until(pilot, lambda: "You are reviewer." in app.text)
        await pilot.press("down")
        await until(pilot, lambda: "You are reviewer." not in app.text)
        assert "unknown-agent" in app.xray.text


async def test_runs_can_change_while_the_highlight_stays(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.press("end")
        app.picker.runs = RUNS
        await pilot.pause()
        assert app.highlighted == "reviewer"
        assert "⚑ needs you" in app.text
        assert [run.run_id for run in app.picker.runs] == ["run-1", "run-2"]
        app.picker.runs = ()
        await pilot.pause()
        assert "RUNS" not in app.text
        await pilot.press("escape")
        assert not app.intents(PickerScreen.BackRequested)


# -- the mouse -------------------------------------------------------------------------------------------------------


async def test_a_click_highlights_and_another_one_chooses(agents: None) -> None:
    async with opened() as (app, pilot):
        await pilot.click(offset=app.find("reviewer"))
        await until(pilot, lambda: app.highlighted == "reviewer")
        assert not app.intents(PickerScreen.AgentChosen)
        await pilot.click(offset=app.find("SHIPPED"))
        assert app.highlighted == "reviewer"
        await pilot.click(offset=app.find("reviewer"))
        await until(pilot, lambda: app.intents(PickerScreen.AgentChosen))
        await pilot.press("e")
        assert app.filter.text == "e"


async def test_the_hints_can_be_clicked(agents: None) -> None:
    async with opened(NARROW, runs=RUNS[:1]) as (app, pilot):
        await pilot.click(offset=app.find("X-ray"))
        await until(pilot, lambda: app.picker.shows_xray)
        await pilot.click(offset=app.find("Esc back"))
        await until(pilot, lambda: not app.picker.shows_xray)
        await pilot.click(offset=app.find("Enter run"))
        await until(pilot, lambda: app.intents(PickerScreen.RunChosen))
        await pilot.click(offset=app.find("F1 help"))
        await until(pilot, lambda: app.asked[-1].__class__.__name__ == "Message")


async def test_a_click_takes_a_notice_away(agents: None) -> None:
    async with opened(BROAD) as (app, pilot):
        await pilot.press(*"broken", "enter")
        await until(pilot, lambda: "cannot run" in app.text)
        await pilot.click(offset=app.find("✘ broken cannot run"))
        await until(pilot, lambda: app.notice == "")
        assert "Enter run" in app.lines[-1]


async def test_the_key_that_goes_back_is_shown_where_there_is_something_to_go_back_to(agents: None) -> None:
    async with opened() as (app, pilot):
        assert "Esc" not in app.lines[-1]
        await pilot.press("r")
        await until(pilot, lambda: "Esc back" in app.lines[-1])
        await pilot.press("backspace")
        await until(pilot, lambda: "Esc back" not in app.lines[-1])


# -- reading again ---------------------------------------------------------------------------------------------------


async def test_reload_finds_what_is_new_and_keeps_the_place(agents: None) -> None:
    async with opened(BROAD) as (app, pilot):
        await pilot.press("end")
        write_agent("brand-new")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "brand-new" in app.rows)
        assert app.highlighted == "reviewer"


async def test_many_agents_are_scrolled_and_filtered() -> None:
    for number in range(500):
        write_agent(f"agent-{number:03}", "tools: Read")
    async with opened(NARROW) as (app, pilot):
        assert len(app.rows) == 500
        assert "┃" in app.text
        await pilot.press("end")
        assert "▸ agent-499" in app.text
        await pilot.press("pageup")
        assert app.highlighted == "agent-483"
        await pilot.press("home")
        assert "PROJECT" in app.text
        await pilot._post_mouse_events([events.MouseScrollDown], widget=app.list, offset=(5, 5))
        await until(pilot, lambda: app.list.top == 3)
        assert app.highlighted == "agent-000"
        await pilot.press("down")
        assert app.list.top == 2
        await pilot.press(*"4 7 1".split())
        assert (app.rows, app.highlighted) == (["agent-471"], "agent-471")
        assert "1 of 500" in app.text


@pytest.mark.parametrize("size", sampled([((3, 2),), ((20, 5),), ((200, 60),)], 3))
async def test_any_size_will_do(agents: None, size: tuple[int, int]) -> None:
    async with opened(NARROW, runs=RUNS, badge="OFFLINE DEMO") as (app, pilot):
        await pilot.resize_terminal(*size)
        await pilot.press("r", "down", "space", "tab", "end", "escape", "escape")
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert "Agents" in app.text


async def test_every_binding_can_be_remapped_and_is_described() -> None:
    bindings = [binding for bindings in PickerScreen._merged_bindings.key_to_bindings.values() for binding in bindings]  # type: ignore[union-attr]
    own = [binding for binding in bindings if not binding.action.startswith(("app.", "screen."))]
    assert all(binding.id and binding.id.startswith("picker.") and binding.description for binding in own)


async def test_a_remapped_key_works_and_is_shown(agents: None) -> None:
    async with opened() as (app, pilot):
        app.set_keymap({"picker.reload": "f5", "picker.edit": "f6"})
        app.picker.refresh_bindings()
        await until(pilot, lambda: "f6 edit" in app.lines[-1].lower())
        write_agent("brand-new")
        await pilot.press("f5")
        await until(pilot, lambda: "brand-new" in app.rows)
