"""Runs in worktrees, from the keyboard: started in the picker, merged or removed on their screen."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.host.orders import Order
from maverick_tui.host.places import hosted_runs
from maverick_tui.host.racing import Entrant, Race, Result, entrants_of
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.entries import NoticeEntry
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen
from maverick_tui.ui.dialogs.trust import TrustScreen
from maverick_tui.ui.dialogs.worktree import Left, WorktreeScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.race.deciding import DecideScreen
from maverick_tui.ui.race.form import RaceForm
from maverick_tui.ui.race.screen import RaceScreen
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.worktrees import records
from maverick_tui.worktrees.ending import Changed, Loss
from tests.host.served_run import until as eventually
from tests.support.hosts import end_hosts
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.support.smith import write_smith
from tests.ui.changes.looking import is_seen
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until
from tests.worktrees.projects import commit, git, project_in


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> Iterator[Path]:
    write_smith(home)
    folder = project_in(tmp_path / "shop")
    monkeypatch.chdir(folder)
    yield folder
    end_hosts(mark)


async def ask(pilot: Pilot[Any], run: RunModel, prompt: str) -> None:
    turns = run.store.figures.turns
    run.ask(prompt)
    await until(pilot, lambda: run.store.figures.turns == turns + 1 and not run.is_busy, "it has answered")


def picture(app: MaverickApp, name: str) -> None:
    """For eyes: a picture of the screen, where PICTURES names a folder."""
    if folder := os.environ.get("PICTURES"):
        Path(folder, f"{name}.svg").write_text(app.export_screenshot(simplify=True))


def told_by(app: MaverickApp) -> str:
    """What the dialog on the screen says."""
    parts = [str(app.screen.query_one(part).render()) for part in (".dialog--title", ".dialog--text")]
    return "\n".join((*parts, *(strip.text for strip in app.screen._compositor.render_strips())))


def said(app: MaverickApp) -> str:
    return " ".join(one.message for one in app._notifications)


async def test_an_agent_is_started_in_a_worktree_and_merged_on_its_screen(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_HOSTED_RUNS", "true")
    commit(project, __gitignore="*.py\n")
    app = MaverickApp(Launch(project), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        picker = app.screen
        assert isinstance(picker, PickerScreen)
        await until(pilot, lambda: picker._agents.found.items, "the agents are read")
        await pilot.press(*"smith")
        await pilot.press("alt+w")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "the run is shown")
        (run,) = app.board.runs.values()
        await ask(pilot, run, "a.txt=better;new.txt=new;model.py=an hour of work")
        worktree = records.worktree_of(run.run_id)
        assert worktree is not None
        assert (project / "a.txt").read_text() == "one\ntwo\nthree\n"
        picture(app, "run")
        await pilot.press("alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked")
        picture(app, "dialog")
        first, run_screen = app.screen, app.screen_stack[-2]
        (worktree.top / "late.sh").write_text("after the list was drawn\n")
        await pilot.press("m")
        await until(pilot, lambda: app.screen not in (first, run_screen) and is_seen(app), "it asks anew")
        assert "late.sh" in told_by(app)
        assert "Something has changed there since" in said(app)
        assert not (project / "new.txt").exists()
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it asks about what git ignores")
        picture(app, "ignored")
        await pilot.press("n")
        await until(pilot, lambda: "main is at " in said(app), "it is merged")
        assert "Its run has ended for that" in said(app)
        assert "no commit has what git ignores (model.py)" in said(app)
        noted = [entry.text for entry in run.store.entries if isinstance(entry, NoticeEntry)]
        assert any("main is at " in text for text in noted), "it stays when the toast has gone"
        assert (project / "new.txt").read_text() == "new\n"
        assert (worktree.top / "model.py").exists()
        header = app.screen.query_one(RunHeader)
        assert "◇ worktree" in header.render_line(0).text, "it is there"
        await pilot.press("alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked")
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(RunModel, "is_busy", True)  # another window has had it go on meanwhile
            app.clear_notifications()
            await pilot.press("m")
            await until(
                pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.is_mounted, "and about that"
            )
            await pilot.press("y")
            await until(pilot, lambda: "It is at work." in said(app), "it is left alone")
        assert (worktree.top / "model.py").exists()
        await pilot.press("alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked again")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.is_mounted, "and about that")
        (worktree.top / "late.py").write_text("saved while the question stands")
        await pilot.press("y")
        await until(pilot, lambda: "no commit has what git ignores (late.py, model.py)" in said(app), "it stays")
        assert (worktree.top / "late.py").exists()
        await pilot.press("alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked once more")
        app.clear_notifications()
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.is_mounted, "and about both")
        await pilot.press("y")
        await until(pilot, lambda: "All of it was there already." in said(app), "it is removed")
        assert not worktree.top.exists()
        await until(pilot, lambda: "worktree gone" in header.render_line(0).text, "the header says so")
        assert worktree.branch not in header.render_line(0).text
        await pilot.press("alt+w")
        await until(pilot, lambda: "works in the folder itself" in said(app), "there is none any more")


def test_what_no_commit_has_is_told_before_it_is_merged_or_kept() -> None:
    left = Left("smith", "maverick/smith-1", "main", in_no_commit="what git ignores (out/)")
    told = "What is not committed is committed first. What git ignores (out/) is in neither; you are asked"
    assert f"keeping leaves its branch. {told}" in left.text.plain
    assert "Neither" not in left._replace(in_no_commit="").text.plain


async def test_a_run_that_is_closed_is_asked_about_its_worktree_first(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_HOSTED_RUNS", "false")
    (project / ".maverick").mkdir()
    (project / ".maverick" / "worktree.toml").write_text('setup = ["touch", "made"]\n')
    app = MaverickApp(Launch(project, "smith", worktree=True), preferences=Preferences())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(
            pilot, lambda: isinstance(app.screen, TrustScreen) and app.screen.query("#source"), "it asks for trust"
        )
        picture(app, "trust")
        assert isinstance(app.screen, TrustScreen)
        _ = app.screen.dismiss(True)
        (run,) = app.board.runs.values()
        await ask(pilot, run, "a.txt=better")
        worktree = records.worktree_of(run.run_id)
        assert worktree is not None
        assert (worktree.top / "made").exists()
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked")
        picture(app, "narrow")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "back")
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, WorktreeScreen) and is_seen(app), "it is asked again")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.is_mounted, "are you sure?")
        asked = app.screen
        (worktree.top / "late.txt").write_text("saved while the question stands")
        await pilot.press("y")
        await until(
            pilot, lambda: app.screen is not asked and isinstance(app.screen, ConfirmScreen), "it has become more"
        )
        assert "late.txt" in [path.name for path in worktree.top.iterdir()]
        await until(pilot, lambda: app.screen.is_mounted)
        await pilot.press("y")
        await until(pilot, lambda: "are removed; lost: 3 uncommitted files" in said(app), "it is removed")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen), "the run is closed")
        assert git(project, "worktree", "list").count("\n") == 0


@pytest.mark.explore  # `tests/worktrees/test_race.py` has it without a screen
async def test_several_race_beside_each_other_and_one_is_merged(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_smith(home, "joiner")
    monkeypatch.setenv("MAVERICK_HOSTED_RUNS", "true")
    app = MaverickApp(Launch(project), preferences=Preferences())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, app._setup.ready.done, "it is ready")
        app.action_race()
        await until(pilot, lambda: isinstance(app.screen, RaceForm), "it asks")
        await pilot.press(*"smith, joinr", "enter", "enter", *"a.txt=NAME", "enter", *"grep joiner a.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "joiner" in str(app.screen.query_one("#problem").render()), "it says what is wrong")
        picture(app, "race-form")
        await pilot.press("shift+tab", "shift+tab", "shift+tab", "end", "backspace", *"er")
        await pilot.press("tab", "tab", "tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, RaceScreen), "they race")
        race = app.screen
        assert isinstance(race, RaceScreen)
        await until(pilot, lambda: all(lane.result is not None for lane in race._lanes), "all have finished")
        await pilot.pause()
        picture(app, "race")
        await pilot.press("down", "tab")
        picture(app, "race-diffs")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, DecideScreen) and app.screen.is_mounted, "it asks")
        picture(app, "race-merge")
        assert "Merge 2 joiner into main?" in told_by(app)
        assert "1 smith: done, 1 file, +1 -3" in told_by(app)
        await pilot.press("enter")
        await until(pilot, lambda: "main is at " in said(app), "it is merged")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen), "it is left")
        assert (project / "a.txt").read_text() == "joiner\n"
        assert git(project, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
        assert list(hosted_runs()) == []


class KeptInMind(Race):
    """A race that only tells what would become of one."""

    def hold(self, result: Result) -> None:
        pass

    def keep(self, result: Result) -> str:
        return "kept"

    def merge(self, result: Result, onto: str = "") -> str:
        return "merged"


async def test_what_was_chosen_when_a_race_was_decided_stays_whatever_is_chosen_then() -> None:
    race = KeptInMind(entrants_of(["smith", "joiner", "mason"], []))
    screen = RaceScreen(race, Order("", "", "/nowhere"), {}, has_test=False)
    screen.decide("keep", [Result(race.entrants[0], "done")])
    for _ in range(2):  # while the others end: to one that has finished, and to one that has not
        screen.action_choose(1)
        assert screen._carry_out() == ["1 smith: kept"]
    screen.decide("merge", [Result(race.entrants[1], "done")])
    assert screen._carry_out() == ["1 smith: kept"]


class Played(Race):
    """A race in which the first is finished at once, and the others only when it is over; what is done is noted."""

    def __init__(self) -> None:
        super().__init__(entrants_of(["smith", "joiner"], []))
        self.done: list[str] = []
        self.first: Result | None = None
        self.onto = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        yield
        self.done.append("over")

    def start(self, order: Order, inputs: Mapping[str, dict[str, Any]] | None = None) -> None:
        pass

    def finish(self, one: Entrant, word: str, stop: Callable[[], bool] = lambda: False) -> Result:
        while one.number > 1 and not stop():
            time.sleep(0.01)
        if one.number > 1:
            return Result(one, "done")
        return self.first or Result(one, "done", changed=Changed(files=1))

    def hold(self, result: Result) -> None:
        pass

    def keep(self, result: Result) -> str:
        self.done.append(f"{result.entrant.agent} is kept")
        return ""

    def merge(self, result: Result, onto: str = "") -> str:
        time.sleep(0.1)  # whoever leaves does not wait for it
        self.onto = onto
        self.done.append(f"{result.entrant.agent} is merged")
        return ""


@asynccontextmanager
async def racing(race: Played | None = None) -> AsyncIterator[tuple[FedApp, Pilot[Any], RaceScreen, Played]]:
    async with watching(Tape().connect()) as (app, pilot):
        race = race or Played()
        screen = RaceScreen(race, Order("", "", "/nowhere"), {}, has_test=False)
        _ = app.push_screen(screen)
        await until(pilot, lambda: screen._lanes[0].result is not None, "one has finished")
        yield app, pilot, screen, race


@pytest.mark.parametrize("typed", sampled(["please make it so", "ok", "m as in this"], 3))
async def test_what_is_typed_on_the_screen_of_a_race_decides_nothing(
    typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ArmedDialog, "armed_after", 60)
    async with racing() as (app, pilot, screen, race):
        await pilot.press(*typed, "enter")
        await until(pilot, lambda: isinstance(app.screen, DecideScreen) and app.screen.is_mounted, "it asks")
        question = app.screen
        assert isinstance(question, DecideScreen)
        question._arm()  # who comes back to it after a while finds that Enter is no
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen, "it is called off")
        assert screen.is_open
    await eventually(lambda: race.done == ["smith is kept", "over"], "nobody has decided")


@pytest.mark.explore
async def test_who_decides_a_race_is_told_what_becomes_of_each_as_things_are() -> None:
    race = Played()
    race.first = Result(race.entrants[0], "done", changed=Changed(2, 5, 1), loss=Loss(ignored=("out/",)))
    async with racing(race) as (app, pilot, screen, _):
        await pilot.press("right", "m")
        await until(pilot, lambda: "It has not settled yet." in said(app), "there is nothing to merge")
        await pilot.press("left", "m")
        await until(pilot, lambda: isinstance(app.screen, DecideScreen) and app.screen.is_mounted, "it asks")
        for words in (
            "Merge 1 smith into what is checked out?",
            "Done, 2 files, +5 -1.",
            "no commit has what git ignores",
        ):
            assert words in told_by(app)
        assert "2 joiner: is being committed and tested" in told_by(app)
        screen._lanes[1] = screen._lanes[1]._replace(phase="asks")
        screen._draw()
        assert "This one ends, and its worktree and branch are removed; only what was said is kept:" in told_by(app)
        assert "2 joiner: waits for your answer" in told_by(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "it is called off")
        await pilot.press("k")
        await until(pilot, lambda: isinstance(app.screen, DecideScreen) and app.screen.is_mounted, "it asks")
        assert "Keep 1 smith as a branch?" in told_by(app)
        await pilot.press("y")
        await until(pilot, lambda: race.done == ["smith is kept", "over"], "it is done")


async def click_on(pilot: Pilot[Any], words: str) -> None:
    rows = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
    y = next(number for number, row in enumerate(rows) if words in row)
    assert await pilot.click(offset=(rows[y].index(words) + 1, y))


async def test_a_race_is_decided_by_the_mouse_alone() -> None:
    async with racing() as (app, pilot, screen, race):
        await click_on(pilot, "joiner")
        await until(pilot, lambda: screen._chosen == 1, "its row is clicked on")
        await click_on(pilot, "Tab diffs")
        await until(pilot, lambda: screen._shows_diff, "the diffs")
        await click_on(pilot, "smith")
        await until(pilot, lambda: screen._chosen == 0, "the other row")
        await click_on(pilot, "k keep")
        await until(pilot, lambda: isinstance(app.screen, DecideScreen) and app.screen.is_mounted, "it asks")
        assert await pilot.click("#yes")
        await until(pilot, lambda: race.done == ["smith is kept", "over"], "it is done")


async def test_a_race_is_not_thrown_away_unasked() -> None:
    async with racing() as (app, pilot, screen, race):
        await pilot.press("alt+n")
        await until(pilot, lambda: "Decide the race first" in said(app), "it does not leave the race")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.is_mounted, "it asks")
        picture(app, "race-quit")
        assert "1 smith: done, 1 file, +0 -0" in told_by(app)
        await pilot.press("n")
        await until(pilot, lambda: app.screen is screen, "the race goes on")
        assert screen.is_open
        await pilot.press("ctrl+q", "y")
        await until(pilot, lambda: app._exit, "it has ended")
    await eventually(lambda: race.done == ["over"], "whoever was asked wanted none of them")


@pytest.mark.parametrize("is_decided", [False, True], ids=["closed", "decided"])
async def test_a_window_that_closes_decides_nothing_and_what_was_decided_counts(is_decided: bool) -> None:
    async with racing() as (app, pilot, screen, race):
        if is_decided:
            screen.decide("merge", [Result(race.entrants[0], "done")])  # both in one moment
            app._leaving.quit()
        else:
            app._leaving.end_now(129)
        await until(pilot, lambda: app._exit, "it has ended")
    did = "smith is merged" if is_decided else "smith is kept"
    await eventually(lambda: race.done == [did, "over"], "what was finished stays")


@pytest.mark.explore
async def test_what_git_ignores_is_work_of_a_race_as_well_when_its_window_closes() -> None:
    race = Played()
    race.first = Result(race.entrants[0], "done", loss=Loss(ignored=("out/",)))
    async with racing(race) as (app, pilot, _, _):
        app._leaving.end_now(129)
        await until(pilot, lambda: app._exit, "it has ended")
    await eventually(lambda: race.done == ["smith is kept", "over"], "what was finished stays")


async def test_a_race_that_has_ended_below_something_is_left_with_that() -> None:
    async with racing() as (app, pilot, screen, _):
        await pilot.press("f1")
        await until(pilot, lambda: app.top == "HelpScreen")
        screen.end()
        await until(pilot, lambda: screen._is_over)
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
