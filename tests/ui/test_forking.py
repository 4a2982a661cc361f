"""Forks in the application: from a prompt, from an answer, by a command, and from the command line."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.forking import to_fork
from maverick_tui.history.going_on import GoingOn
from maverick_tui.runs import commands
from maverick_tui.runs import forking as runs_forking
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.placing import Wish, find_place, make_filled
from maverick_tui.runs.store import RunStore
from maverick_tui.ui import forking
from maverick_tui.ui.dialogs.fork import ForkScreen
from maverick_tui.ui.dialogs.inputs import Choices
from maverick_tui.ui.widgets.prompt import Prompt
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.records import Worktree, worktree_of
from tests.history.kept import AT, begun, ended, keep, turn
from tests.review.played import PlayedRun
from tests.snapshots.folders import content, project
from tests.ui.kept_app import RUN, KeptApp
from tests.ui.running import FedApp, Kept
from tests.ui.waiting import PATIENCE, until
from tests.worktrees.projects import commit, git


class ForkApp(KeptApp):
    """Forks are none either."""

    def __init__(self) -> None:
        super().__init__()
        self._forks._serve = self.serve_again


@pytest.fixture
def kept(tmp_path: Path) -> None:
    events = [*begun(cwd=str(tmp_path)), *turn(), *turn(2, "Dig", "Deep.", AT + 3), *ended(AT + 3)]
    keep(RUN, events)


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[ForkApp, Pilot[Any]]]:
    app = ForkApp()
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_kept(RUN)
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted, "the run is shown")
        await until(pilot, lambda: "Deep." in app.shown(), "it is drawn")
        yield app, pilot


async def asks(app: ForkApp, pilot: Pilot[Any]) -> ForkScreen:
    await until(pilot, lambda: app.top == "ForkScreen" and app.screen.is_mounted, "it asks")
    assert isinstance(app.screen, ForkScreen)
    return app.screen


@pytest.mark.explore
@pytest.mark.usefixtures("kept")
async def test_what_is_said_to_a_fork_that_cannot_be_made_comes_into_the_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make = runs_forking.fork_of

    def refuse(events: Sequence[ev.Event], after: int, run_id: str, **how: Any) -> runs_forking.Fork:
        if run_id:
            raise ConfigError("There is no room for it.", hint="Make some.")
        return make(events, after, run_id, **how)

    monkeypatch.setattr(runs_forking, "fork_of", refuse)
    async with opened() as (app, pilot):
        await pilot.press(*"/fork", "enter")
        dialog = await asks(app, pilot)
        await pilot.press(*"Dig elsewhere")
        await until(pilot, lambda: dialog.query_one(Prompt).text == "Dig elsewhere")
        await pilot.press("enter")
        await until(pilot, lambda: any("no room" in note for note in app.notes), "why not")
        assert app.run_screen.prompt.text == "Dig elsewhere"


@pytest.mark.usefixtures("kept")
async def test_a_prompt_is_asked_anew_in_a_run_beside() -> None:
    async with opened() as (app, pilot):
        screen = app.run_screen
        (entry,) = [one for one in app.run_model.store.entries if isinstance(one, PromptEntry) and one.text == "Dig"]
        await pilot.press("tab")
        screen.transcript.choose(entry.number)
        await pilot.press("f")
        dialog = await asks(app, pilot)
        await until(pilot, lambda: dialog.query_one(Prompt).text == "Dig", "its own prompt is there to be edited")
        assert dialog.query_one(Prompt).selected_text == "Dig", "or to be replaced"
        await pilot.press("end", *"ger", "enter")
        await until(pilot, lambda: app.gone_on and app.top == "RunScreen" and "Forked from" in app.shown())
        (fork,) = app.gone_on
        assert (fork.agent, fork.past.turns, fork.size) == ("reviewer", 1, None)
        shown = app.shown()
        assert "I see." in shown
        assert "Deep." not in shown
        assert f"Forked from {RUN} after turn 1." in shown
        run = app.board.runs[fork.run_id]
        assert [command.text for command in run.handle.commands] == ["Digger"]  # type: ignore[union-attr]
        assert list(app.board.runs) == [RUN, fork.run_id]
        assert run.store.figures.usage.total == 0


@pytest.mark.usefixtures("kept")
async def test_by_a_command_it_goes_on_after_any_turn_with_another_agent_and_model() -> None:
    async with opened() as (app, pilot):
        await pilot.press(*"/fork 9", "enter")
        await until(pilot, lambda: app.notes, "it is said what is wrong")
        assert "cannot be forked after turn 9: it has 2" in app.notes[0]
        await pilot.press(*"/fork 01", "enter")
        dialog = await asks(app, pilot)
        assert "Fork after turn 1" in str(dialog.query_one(".dialog--title").render())
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen", "it is called off")
        await pilot.press(*"/fork", "enter")
        dialog = await asks(app, pilot)
        assert "Fork after turn 2" in str(dialog.query_one(".dialog--title").render())
        assert dialog.query_one(Prompt).text == ""
        await pilot.press("tab", "space", "up", "enter", "tab", *"opus", "enter")
        await until(pilot, lambda: app.gone_on, "it is forked")
        (fork,) = app.gone_on
        assert fork.agent != "reviewer"
        assert fork.past.model == "opus"


async def test_a_run_that_works_is_forked_after_the_last_turn_that_has_ended(tmp_path: Path) -> None:
    app, log = ForkApp(), EventLog()
    async with app.run_test(size=(100, 30)) as pilot:
        run = RunModel("aaaa00c0ffee", "reviewer", app.board)
        app.board.add(run)
        run.connect(Kept())
        app._navigation.show_run(run)
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted)
        app.run_screen.action_fork()
        await until(pilot, lambda: app.notes, "there is nothing yet")
        assert "nothing to fork" in app.notes[0]
        following = asyncio.create_task(run.follow(log))
        working = ev.TurnStarted(AT + 5, 2, "Dig"), ev.ModeChanged(AT + 5, "plan")
        for event in [*begun("aaaa00c0ffee", cwd=str(tmp_path)), *turn(), *working]:
            log.emit(event)
        await until(pilot, lambda: run.store.mode == "plan")
        app.run_screen.action_fork()
        dialog = await asks(app, pilot)
        assert "begins in mode plan" in str(dialog.query_one("#mode").render())
        await until(pilot, lambda: dialog.query_one(Prompt).text == "Dig", "what it works at may be asked otherwise")
        await pilot.press("enter")
        await until(pilot, lambda: app.gone_on, "it is forked")
        assert (app.gone_on[0].past.turns, app.gone_on[0].past.mode) == (1, "plan")
        log.close()
        await following


@pytest.mark.usefixtures("kept")
async def test_a_fork_that_is_closed_before_it_begins_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    may_read, made, fork = threading.Event(), RunStore(), to_fork(RUN, 1)

    def slowly(_events: object) -> RunStore:
        assert may_read.wait(PATIENCE)
        return made

    monkeypatch.setattr(forking, "store_of", slowly)
    app = ForkApp()
    async with app.run_test(size=(100, 30)) as pilot:
        run = RunModel(fork.run_id, fork.agent, app.board)
        app.board.add(run)
        app._forks.begin(run, fork)
        app.board.remove(run)
        may_read.set()
        await until(pilot, lambda: not any(worker.group == "forks" for worker in app.workers), "it has been read")
        assert not app.gone_on


@pytest.mark.usefixtures("kept")
async def test_whatever_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> list[str]:
        raise PermissionError(f"{folder} is not yours")

    monkeypatch.setattr(forking, "_agents_in", refuse)
    async with opened() as (app, pilot):
        await pilot.press(*"/fork", "enter")
        await until(pilot, lambda: app.notes, "it is said what is wrong")
        assert "PermissionError" in app.notes[0]


@pytest.mark.usefixtures("kept")
async def test_the_command_line_opens_a_fork() -> None:
    app, fork, served = FedApp("reviewer"), to_fork(RUN, 1), list[GoingOn]()

    def serve(run: RunModel, past: GoingOn) -> None:
        served.append(past)
        run.connect(Kept())

    app.launch = app.launch._replace(prompt="Instead", forks=fork)
    app._forks._serve = serve
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: served == [fork], "it is served")
        await until(pilot, lambda: f"Forked from {RUN} after turn 1." in app.shown(), "it is shown")
        (sent,) = app.kept.take()
    assert isinstance(sent, commands.SendPrompt)
    assert sent.text == "Instead"


@asynccontextmanager
async def forked_with_files() -> AsyncIterator[tuple[ForkApp, GoingOn, Worktree]]:
    """Fork a run whose second prompt is `Second` after its first turn, with the files as they were then."""
    app = ForkApp()
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_kept(RUN)
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted, "the run is shown")
        await until(pilot, lambda: "Second" in app.shown(), "it is drawn")
        await pilot.press(*"/fork 1", "enter")
        dialog = await asks(app, pilot)
        files = dialog.query_one("#files", Choices)
        assert files.value == "now", "nothing is brought back unasked"
        files.value = "then"
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: app.gone_on, "it is forked")
        (fork,) = app.gone_on
        worktree = worktree_of(fork.run_id)
        assert worktree is not None
        yield app, fork, worktree


async def test_a_fork_begins_with_the_files_of_its_turn_in_a_worktree(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, RUN, "First")
    run.edit("a.txt", "two", "2")
    run.write("new.txt", "new\n")
    run.end_turn()
    run.turn("Second")
    run.bash((folder / "b.txt").unlink, "rm b.txt")
    run.end_turn()
    run.close()
    before = content(folder)
    async with forked_with_files() as (app, fork, worktree):
        found = {path: what[2] for path, what in content(worktree.top).items()}
        assert found == {"a.txt": b"one\n2\nthree\n", "b.txt": b"b\n", "new.txt": b"new\n"}
        assert content(folder) == before, "the project is as it was"
        assert any("the files as they were after turn 1" in note for note in app.notes)
        assert find_place(Wish(fork.run_id, is_new=False), fork.agent, None, fork.folder).cwd == worktree.cwd


@pytest.mark.explore
async def test_merging_a_fork_with_earlier_files_takes_back_nothing_that_was_committed_since(
    tmp_path: Path, home: Path
) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, RUN, "First")
    run.write("x.txt", "turn 1\n")
    run.end_turn()
    then = git(folder, "rev-parse", "HEAD")
    run.turn("Second")
    run.write("x.txt", "turn 1\nturn 2\n")
    run.end_turn()
    run.close()
    commit(folder, "what the run did")
    commit(folder, "a fix", b__txt="fixed\n", first__txt="new\n")
    async with forked_with_files() as (app, _, worktree):
        assert worktree.base == then
        assert any(f"on the commit {then[:7]} of then" in note for note in app.notes)
    (worktree.top / "fork.txt").write_text("fork\n")
    with pytest.raises(ConfigError, match=r"conflicts in x\.txt"):  # both have one, and they differ
        ending.merge(worktree, "fork")
    (worktree.top / "x.txt").write_text("turn 1\nturn 2\n")
    ending.merge(worktree, "fork")
    found = {path: what[2] for path, what in content(folder).items() if path != "a.txt"}
    assert found == {
        "b.txt": b"fixed\n",
        "first.txt": b"new\n",
        "fork.txt": b"fork\n",
        "x.txt": b"turn 1\nturn 2\n",
    }


@pytest.mark.explore
async def test_the_set_up_of_a_fork_runs_nothing_that_the_run_had_written(tmp_path: Path, home: Path) -> None:
    folder, ran = project(tmp_path / "project"), tmp_path / "ran"
    commit(folder, Makefile=f"deps:\n\techo persons >> {ran}\n")
    run = PlayedRun(folder, RUN, "First")
    run.write("Makefile", f"deps:\n\techo agents >> {ran}\n")
    run.end_turn()
    run.turn("Second")
    run.end_turn()
    run.close()
    git(folder, "checkout", "--quiet", "--", "Makefile")
    (folder / ".maverick").mkdir()
    needs = folder / ".maverick" / "worktree.toml"
    needs.write_text('setup = ["make", "deps"]\n')
    TrustStore().trust(needs, needs.read_bytes())
    async with forked_with_files() as (app, _, worktree):
        assert "agents" in (worktree.top / "Makefile").read_text()
        assert not ran.exists()
        why = "Its set-up was not run, since these are not as committed in the project: Makefile."
        assert any(f"{why} If that is fine, run it in {worktree.top}: make deps" in note for note in app.notes)


def test_a_commit_that_is_gone_is_nothing_to_begin_a_fork_with(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    with pytest.raises(ConfigError, match=r"The commit 1111111, .* is not in the repository any more"):
        make_filled("f" * 12, "coder", folder, "1" * 40, lambda _: [])
    assert worktree_of("f" * 12) is None
