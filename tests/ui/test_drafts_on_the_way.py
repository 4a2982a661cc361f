"""What is typed or sent to a run whose process has not said a word yet outlives the window, as what is typed later."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Static

from maverick_tui.events.kinds import PromptQueued, RunReopened
from maverick_tui.history.reading import read_run
from maverick_tui.host import remote
from maverick_tui.host.serving import RunServer
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.ui import far_runs, following
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs import leaving
from maverick_tui.ui.drafts import Drafts
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.serving import Serving
from maverick_tui.ui.unsent import Unsent
from maverick_tui.ui.widgets.prompt import Prompt
from tests.cli.agent_files import write_agent
from tests.history.kept import AT, keep_run
from tests.history.sessions.stored import ID, Session
from tests.host.far.fake_ssh import AWAY, GATEWAY, THERE, fake_ssh
from tests.host.served_run import RUN, serving
from tests.support.processes import kill_marked
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.kept_app import opened
from tests.ui.test_drafts import drafts_of_run, end, new_drafts
from tests.ui.waiting import on_screen, until


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "true")
    monkeypatch.setenv("MAVERICK_HOSTED_RUNS", "true")
    monkeypatch.setattr(following, "HEARD_WITHIN", 0.1)


@asynccontextmanager
async def window(launch: Launch) -> AsyncIterator[tuple[MaverickApp, Pilot[Any]]]:
    app = MaverickApp(launch, preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.is_mounted, "the run is shown")
        yield app, pilot


@pytest.fixture
def says_hello(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set once the host of the run may say who it is."""
    may_speak, welcome = asyncio.Event(), RunServer._serve

    async def wait_and_welcome(*met: Any) -> None:
        await may_speak.wait()
        await welcome(*met)

    monkeypatch.setattr(RunServer, "_serve", wait_and_welcome)
    return may_speak


async def is_there(*_: Any) -> bool:
    """There is a host for the run."""
    return True


@pytest.mark.parametrize("is_second", sampled([False, True], 2, ["resumed", "resumed by somebody else"]))
@pytest.mark.parametrize("is_heard", [False, True], ids=["not heard", "heard"])
async def test_a_run_that_is_resumed(
    is_second: bool, is_heard: bool, says_hello: asyncio.Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Serving, "_start_host", is_there)
    write_agent("reviewer")
    journal = keep_run(RUN, cwd=str(tmp_path))
    async with serving(read_run(RUN).events) as host:
        host.events.is_kept = True
        with ExitStack() as stack:
            if is_second:
                held = stack.enter_context(journal.open("rb"))
                fcntl.flock(held, fcntl.LOCK_EX)
            async with window(Launch(tmp_path, "reviewer", resumes=RUN)) as (app, pilot):
                await until(pilot, lambda: host.server._readers, "the window is at the door of its process")
                await pilot.press(*"first", "enter", *"second")
                await until(pilot, lambda: drafts_of_run() == ["second"], "it is kept though nobody has said hello")
                if is_heard:
                    says_hello.set()
                    await until(pilot, lambda: any(isinstance(one, SendPrompt) for one in host.commands))
                await end(app, pilot, 129)
        host.events.close()
        says_hello.set()
    assert drafts_of_run() == (["second"] if is_heard else ["first\nsecond"])
    assert new_drafts() == []


async def asked(app: MaverickApp, pilot: Pilot[Any]) -> str:
    """Quit as a person does; what is asked."""
    await pilot.press("ctrl+q")
    await until(pilot, lambda: isinstance(app.screen, leaving.LeavingScreen) and app.screen.is_mounted, "it is asked")
    return words(app)


def words(app: MaverickApp) -> str:
    return "\n".join(str(one.render()) for one in app.screen.query(Static))


@pytest.mark.explore
async def test_an_ended_run_that_was_sent_something_and_is_left_by_a_person_before_it_is_there(
    tmp_path: Path,
) -> None:
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):
        app._serving.go_on = lambda *_: None  # type: ignore[method-assign]
        await pilot.press(*"fix the login test", "enter", *"second")
        told = await asked(app, pilot)
        assert 'Not arrived yet, and a draft again if it does not:\n"fix the login test" (reviewer)' in told
        assert 'Not sent, and lost:\n"second" (reviewer, typed)' in told
        assert "at work" not in told
        assert [one.id for one in app.screen.query(Button) if one.display] == ["leave", "stay"]
        await pilot.press("escape", "f9")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert "What you have sent has not arrived yet; if it does not, it is lost." in words(app)
        await pilot.press("n")
        await until(pilot, lambda: app.top == "RunScreen")
        _ = await asked(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: app._exit, "it has ended")
    assert (drafts_of_run(), new_drafts(), app.farewell) == (["fix the login test"], [], []), (
        "whose end is no beginning of a secret"
    )


@pytest.mark.explore
@pytest.mark.parametrize("is_heard", [False, True], ids=["not heard", "heard"])
async def test_a_run_that_is_resumed_and_left_by_a_person(
    is_heard: bool, says_hello: asyncio.Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Serving, "_start_host", is_there)
    monkeypatch.setattr(leaving, "LOOK_EVERY", 0.05)
    write_agent("reviewer")
    keep_run(RUN, cwd=str(tmp_path))
    async with serving([*read_run(RUN).events, RunReopened(AT + 50)]) as host:
        async with window(Launch(tmp_path, "reviewer", resumes=RUN)) as (app, pilot):
            await until(pilot, lambda: host.server._readers, "the window is at the door of its process")
            await pilot.press(*"first", "enter")
            assert 'if it does not:\n"first" (reviewer)' in await asked(app, pilot)
            if is_heard:
                says_hello.set()
                await until(pilot, lambda: "Not arrived" not in words(app), "it has arrived")
                (sent,) = (one for one in host.commands if isinstance(one, SendPrompt))
                host.tell([PromptQueued(AT + 51, sent.prompt_id, sent.text)])
                await until(pilot, lambda: "Leave at work: it goes on without you" in words(app), "it is at work")
            await pilot.press("l")
            await until(pilot, lambda: app._exit, "it has ended")
        host.events.close()
        says_hello.set()
    kept, told = ([], [f"reviewer is still at work: maverick attach {RUN}"]) if is_heard else (["first"], [])
    assert (drafts_of_run(), new_drafts(), app.farewell) == (kept, [], told)


@pytest.mark.parametrize("is_told", sampled([False, True], 2, ["at once", "once it has failed"]))
async def test_a_new_run_whose_agent_is_not_there(is_told: bool, tmp_path: Path, mark: str) -> None:
    async with window(Launch(tmp_path, "nope")) as (app, pilot):
        if is_told:
            await until(pilot, lambda: "not connected" in on_screen(pilot), "it cannot begin")
        await pilot.press(*"first", "enter", *"second")
        await until(pilot, lambda: "not connected" in on_screen(pilot), "it cannot begin")
        await end(app, pilot, 129)
    assert new_drafts() == ["first\nsecond"]


@pytest.mark.explore
async def test_an_ended_run_whose_agent_is_not_there_any_more(tmp_path: Path, mark: str) -> None:
    keep_run(RUN, cwd=str(tmp_path), agent="nope")
    async with window(Launch(tmp_path, "", opens=RUN)) as (app, pilot):
        run = app.board.runs[RUN]
        await until(pilot, lambda: run.rest is not None and run.rest.may_go_on, "it is read")
        await pilot.press(*"first", "enter", *"second")
        await until(pilot, lambda: "not connected" in on_screen(pilot), "it cannot begin")
        assert 'Not arrived yet, and a draft again if it does not:\n"first" (nope)' in await asked(app, pilot)
        await pilot.press("l")
        await until(pilot, lambda: app._exit, "it has ended")
    assert (drafts_of_run(), new_drafts()) == (["first"], [])


@pytest.mark.explore
async def test_a_run_whose_process_ends_before_it_says_a_word(
    says_hello: asyncio.Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Serving, "_start_host", is_there)
    write_agent("reviewer")
    keep_run(RUN, cwd=str(tmp_path))
    async with AsyncExitStack() as host:
        served = await host.enter_async_context(serving(read_run(RUN).events))
        async with window(Launch(tmp_path, "reviewer", resumes=RUN)) as (app, pilot):
            await until(pilot, lambda: served.server._readers, "the window is at the door of its process")
            await pilot.press(*"first", "enter", *"second")
            for reader in served.server._readers:
                reader.cancel()
            await host.aclose()
            await until(pilot, lambda: drafts_of_run() == ["first\nsecond"], "what was sent is a draft again")
            await end(app, pilot, 129)
    assert drafts_of_run() == ["first\nsecond"]


@pytest.mark.explore
async def test_a_run_that_is_on_no_screen_when_nothing_comes_of_it() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        run = app.run_model
        await pilot.press(*"second", "ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen", "the picker is there")
        app._kept.give_back(run, "first")
        await until(pilot, lambda: drafts_of_run() == ["first\nsecond"])


@pytest.mark.explore
async def test_a_run_that_somebody_else_has_brought_back_while_we_leave(tmp_path: Path) -> None:
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, _):
        run = app.run_model
        run.come_back([])
        run.ask("first")
        app._leaving.begun.set()
        app._serving.attach(run)
        assert run.attached is None
        assert [*run.undelivered.values()] == ["first"], "else nobody would send it any more, nor keep it"


@pytest.mark.parametrize("is_called", [False, True], ids=["not called yet", "called"])
async def test_a_run_on_another_machine(
    is_called: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str
) -> None:
    may_call, make = threading.Event(), far_runs.FarRuns._reader_of

    def make_slowly(*asked: Any) -> Any:
        assert may_call.wait(60)
        return make(*asked)

    fake_ssh(monkeypatch, "touch called; read never")
    monkeypatch.setattr(far_runs.FarRuns, "_reader_of", make_slowly)
    async with window(Launch(tmp_path, "", attaches=RUN, machine=THERE)) as (app, pilot):
        if is_called:
            may_call.set()
            await until(pilot, Path("called").exists, "nobody answers")
        await pilot.press(*"first", "enter", *"second")
        await end(app, pilot, 129)
        may_call.set()
    assert new_drafts() == ["first\nsecond"]


@pytest.mark.explore
async def test_a_run_on_another_machine_that_has_told_who_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str
) -> None:
    fake_ssh(monkeypatch, f"{AWAY}\n{GATEWAY}")
    monkeypatch.setattr(remote, "AGAIN_FAR_AFTER", (0.1,))
    launch = Launch(tmp_path, "", attaches=RUN, machine=THERE)
    async with serving(Tape().connect().prompt("Go").say("I am at work.").events) as run:
        run.events.is_kept = True
        async with window(launch) as (app, pilot):
            await until(pilot, lambda: bool(app.board.runs[RUN].store.entries), "it is read")
            await pilot.press(*"typed")
            await until(pilot, lambda: new_drafts() == ["typed"])
            await end(app, pilot, 129)
        async with window(launch) as (app, pilot):
            await until(pilot, lambda: app.screen.query_one(Prompt).text == "typed", "it is there again")
            await until(pilot, lambda: bool(app.board.runs[RUN].store.entries), "it is read")
            Path("away").touch()
            kill_marked(mark, lambda command: "host --stdio" in command)
            await pilot.press("enter", *"more")
            queue = app.board.runs[RUN].store.queue
            await until(pilot, lambda: [*queue.values()] == ["typed"], "it is seen to wait")
            app.board.runs[RUN].edit_prompt(next(iter(queue)), "typed better")
            assert [*queue.values()] == ["typed better"], "as it is to be, though nobody has heard of it"
            await end(app, pilot, 129)
        assert new_drafts() == ["typed better\nmore"], "what was sent has not arrived"
        assert not journal_of(RUN).parent.exists(), "nothing of it is kept here"
        assert run.commands == []


@pytest.mark.explore
async def test_a_session_of_claude_code_which_has_no_journal_of_ours(tmp_path: Path) -> None:
    Session(cwd=str(tmp_path)).ask("Go").answer("Yes").write()
    async with opened(ID) as (app, pilot):
        await pilot.press(*"half a thou")
        await until(pilot, lambda: new_drafts() == ["half a thou"])
        assert not app.notes
        await end(app, pilot, 129)
    assert not journal_of(ID).parent.exists()
    another = RunModel("n3w", app.run_model.agent, Board(lambda *_: None))
    another.store.loaded = app.run_model.store.loaded
    window = Unsent()
    assert not await Drafts(tmp_path, window, print, bool).read(another, is_new=True), "it is no draft of new runs"
    window.let_go()
    async with opened(ID) as (app, pilot):
        await until(pilot, lambda: app.run_screen.prompt.text == "half a thou")


@pytest.mark.explore
async def test_a_run_that_was_removed_by_somebody_else() -> None:
    keep_run(RUN)
    async with opened() as (app, pilot):
        await pilot.press(*"half")
        await until(pilot, lambda: drafts_of_run() == ["half"])
        shutil.rmtree(journal_of(RUN).parent)
        await pilot.press(*" a thou")
        await end(app, pilot, 129)
    assert not journal_of(RUN).parent.exists()
    assert new_drafts() == [], "its words go with it"
