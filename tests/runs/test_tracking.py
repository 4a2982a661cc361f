"""A run keeps what is in its folder: what was changed by which call, whatever becomes of the run, git or the disk."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.executor import tool
from maverick_tui.executor.tools import FunctionTool
from maverick_tui.journal.folders import journal_of
from maverick_tui.offline.script import Answer, Scene
from maverick_tui.review.run_review import RunReview
from maverick_tui.runs import tracked_folder, tracking
from maverick_tui.runs.calls_at_work import CallsAtWork, Work, recalled
from maverick_tui.runs.commands import AnswerPermission, Interrupt
from maverick_tui.runs.forking import fork_of
from maverick_tui.runs.past import past_of
from maverick_tui.snapshots.shadow import Shadow, all_shadows, shadows_folder
from maverick_tui.snapshots.work_times import times_of
from tests.conftest import ServeModel
from tests.review.played import why
from tests.runs.tracked import RUN, taken, touched, tracked
from tests.runs.watching import Watched, watch
from tests.snapshots.folders import project
from tests.support.agents import Direct
from tests.support.model import call, say, scene
from tests.worktrees.projects import commit, git

PLACE = Path("place")
IS_FREE = asyncio.Event()


@tool
async def write(name: str, text: str = "x\n") -> str:
    """Write a file."""
    (PLACE / name).write_text(text)
    return "written"


@tool
async def linger(name: str) -> str:
    """Write a file, and another one when it may."""
    (PLACE / name).write_text("first\n")
    await IS_FREE.wait()
    (PLACE / f"{name}-2").write_text("then\n")
    return "done"


class Writer(Direct):
    """Writes without a CLI."""

    own_tools: Sequence[FunctionTool] = (write, linger)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the runs work in."""
    folder = project(tmp_path / "project")
    monkeypatch.setitem(globals(), "PLACE", folder)
    monkeypatch.setitem(globals(), "IS_FREE", asyncio.Event())
    return folder


def each(*calls: Answer) -> list[Scene]:
    """One call in each turn."""
    return [scene(one, say("done"), turn=number) for number, one in enumerate(calls, 1)]


def go(**options: Any) -> Any:
    return watch(Writer, **{"cwd": PLACE, "config": tracked(), "run_id": RUN, **options})


async def ended(run: Watched, turn: int = 1) -> ev.SnapshotTaken:
    return await run.until(ev.SnapshotTaken, where=lambda event: (event.when, event.turn) == ("end", turn))


async def written(name: str) -> None:
    async with asyncio.timeout(60):
        while not (PLACE / name).exists():
            await asyncio.sleep(0.01)


async def test_what_the_person_changes_between_calls_is_no_calls(serve: ServeModel) -> None:
    script = [call("write", name="a.txt", text="1\n2\n"), call("write", name="a.txt"), say("done")]
    async with serve(script), go() as run:
        run.prompt("go")
        first = await run.until(ev.PermissionAsked)
        begun = await run.until(ev.SnapshotTaken, 2)
        assert taken(run) == [("start", 0, []), ("turn", 1, [])]
        assert (begun.root, begun.files) == (str(PLACE), 0)
        (PLACE / "b.txt").write_text("while it asks\n")
        run.allows_everything = True
        run.send(AnswerPermission(first.request, "once"))
        last = await ended(run)
        assert touched(run, PLACE) == {"a.txt": [["write"]], "b.txt": [["you"]]}
        assert (last.files, last.added, last.deleted) == (1, 1, 3)


async def test_a_call_that_is_interrupted_has_done_what_it_had_done(serve: ServeModel) -> None:
    async with serve(each(call("linger", name="half"), say("ok"))), go() as run:
        run.allows_everything = True
        run.prompt("go")
        await written("half")
        async with asyncio.timeout(60):
            while (known := times_of(Shadow(PLACE).place, RUN)) is None:
                await asyncio.sleep(0.01)
        assert [(one.until, one.paths) for one in known.times] == [(None, None)], "others learn that it is at work"
        run.send(Interrupt())
        assert (await ended(run)).files == 1
        (PLACE / "b.txt").write_text("by the person\n")
        await run.ask("more")
        await ended(run, 2)
        assert touched(run, PLACE) == {"b.txt": [["you"]], "half": [["linger"]]}
        known = times_of(Shadow(PLACE).place, RUN)
        assert known is not None
        assert [one.paths for one in known.times] == [["half"]]


async def test_what_you_save_after_a_call_and_before_its_snapshot_is_not_its_own(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracked_folder, "PROMPTLY", promptly := 0.05)
    (PLACE / "gone").mkdir()
    (PLACE / "gone" / "yours").write_text("1\n")
    async with serve(each(call("linger", name="half"))), go() as run:
        run.run.keep(journal_of(RUN))
        run.allows_everything = True
        run.prompt("go")
        await written("half")
        with Shadow(PLACE).alone():  # as another run does, while it takes a snapshot or tidies up
            IS_FREE.set()
            finished = await run.until(ev.ToolFinished)
            async with asyncio.timeout(60):
                while (PLACE / "b.txt").stat().st_ctime <= finished.at + promptly:
                    (PLACE / "b.txt").write_text("by the person\n")
                    await asyncio.sleep(0.01)
            shutil.rmtree(PLACE / "gone")
        await ended(run)
        assert [one.late for one in run.all(ev.SnapshotTaken) if one.calls] == [("b.txt", "gone/yours")]
        yours = "you may have changed it at the same time"
        assert why(RunReview(RUN)) == {"b.txt": yours, "gone/yours": yours, "half": "", "half-2": ""}


@pytest.mark.explore
async def test_a_run_that_was_killed_in_a_call_goes_on_from_its_first_snapshot(serve: ServeModel) -> None:
    writes = {"go": call("write", name="one"), "again": call("linger", name="two"), "more": call("write", name="three")}
    script = [scene(one, say("done"), prompt=f"{prompt}$") for prompt, one in writes.items()]
    async with serve(script):
        async with go() as run:
            run.run.keep(journal_of(RUN))
            run.allows_everything = True
            await run.ask("go")
            run.prompt("again")
            await written("two")
            killed = list(run.events)
            assert not any("linger" in calls for *_, calls in taken(run))
        (PLACE / "b.txt").write_text("by the person\n")
        again = past_of(killed)
        async with go(past=again) as run:
            run.run.keep(journal_of(RUN).with_name("again"))
            run.allows_everything = True
            at_once = await ended(run, 2)
            assert at_once is run.all(ev.SnapshotTaken)[-1]
            assert [named(run, one) for one in at_once.calls] == ["linger"]
            assert (at_once.files, at_once.added, at_once.deleted) == (3, 3, 1), "the person's may be the call's"
            await run.ask("more")
            last = await ended(run, 3)
            assert (last.files, last.added) == (4, 4)
            assert [one[0] for one in taken(run)].count("start") == 1
            assert touched(run, PLACE)["three"] == [["write"]]


def named(run: Watched, call_id: str) -> str:
    return next(event.name for event in run.all(ev.ToolCalled) if event.call == call_id)


async def test_a_fork_begins_its_own_and_a_run_that_is_not_kept_leaves_nothing(serve: ServeModel) -> None:
    script = each(call("write", name="one"), call("write", name="two"))
    async with serve(script), go() as run:
        run.allows_everything = True
        await run.ask("go")
        await ended(run)
        fork = fork_of(run.events, 1, "fork-1", at=run.events[-1].at)
        async with go(past=fork.past, run_id="fork-1") as other:
            other.allows_everything = True
            await other.ask("go")
            last = await ended(other, 2)
            assert [one[:2] for one in taken(other)][:2] == [("start", 0), ("turn", 2)]
            assert (last.files, last.added) == (1, 1), "what the other run had changed is not its own"
            assert {owner for shadow in all_shadows() for owner in shadow.owners()} == {RUN, "fork-1"}
    assert list(all_shadows()) == []


async def refused(run: Watched) -> str:
    """Why nothing is tracked; the run does what it is asked all the same."""
    run.allows_everything = True
    assert (await run.ask("go")).outcome == "done"
    assert (PLACE / "one").read_text() == "x\n"
    (told,) = run.all(ev.ChangesUntracked)
    (notice,) = [event for event in run.all(ev.Noticed) if event.kind == "untracked"]
    assert notice.text.startswith(f"Changes are not tracked here, because {told.reason}. ")
    return told.reason


WRITES = [call("write", name="one"), say("done")]


async def test_a_home_directory_is_not_tracked_and_the_run_says_so(
    serve: ServeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PLACE", home)
    async with serve(WRITES), go() as run:
        assert "home directory" in await refused(run)
        assert run.all(ev.SnapshotTaken) == []
    assert not shadows_folder().exists()


async def test_a_state_folder_that_cannot_be_written_to(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    (PLACE.parent / "file").touch()
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(PLACE.parent / "file" / "state"))
    async with serve(WRITES), go() as run:
        assert "Not a directory" in await refused(run)


async def test_a_disk_that_gets_full(serve: ServeModel, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(small_disk))
    async with serve(WRITES), go() as run:
        await run.until(ev.SnapshotTaken)
        with suppress(OSError), (small_disk / "filling").open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        assert await refused(run)


async def test_a_call_that_waits_for_a_snapshot_which_fails_runs_at_once(serve: ServeModel) -> None:
    async with serve(WRITES), go() as run:
        run.prompt("go")
        asked = await run.until(ev.PermissionAsked)
        await run.until(ev.SnapshotTaken, 2)
        shadows_folder().rename(shadows_folder().with_name("away"))
        shadows_folder().touch()
        run.send(AnswerPermission(asked.request, "once"))
        assert (await run.until(ev.ChangesUntracked)).reason == "they cannot be kept: File exists"
        assert (await run.until(ev.TurnEnded)).outcome == "done"


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Git that is asked for snapshots does nothing while this file is there."""
    folder, blocks, git = tmp_path / "bin", tmp_path / "blocks", shutil.which("git")
    folder.mkdir()
    waits = f"case $GIT_DIR in */snapshots/*) while [ -e {blocks} ]; do sleep 0.02; done; esac"
    (folder / "git").write_text(f'#!/bin/sh\n{waits}\nexec {git} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return blocks


async def test_git_that_takes_too_long(serve: ServeModel, slow_git: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracking, "PATIENCE", 0.2)
    async with serve(WRITES), go() as run:
        await run.until(ev.SnapshotTaken)
        slow_git.touch()
        assert await refused(run) == "it takes more than 0.2 s to look at this folder"
        slow_git.unlink()
    assert len(run.all(ev.ChangesUntracked)) == 1


async def test_a_run_that_is_closed_while_a_snapshot_is_taken(
    serve: ServeModel, slow_git: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "CLOSING", 0.1)
    async with serve(WRITES):
        async with go() as run:
            await run.until(ev.SnapshotTaken)
            slow_git.touch()
            run.allows_everything = True
            run.prompt("go")
            await run.until(ev.PermissionSettled)  # the call waits for its snapshot
        assert slow_git.exists()
        assert not (PLACE / "one").exists()
        slow_git.unlink()


async def test_the_event_loop_is_never_held_up(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    here, elsewhere = threading.get_ident(), set[str]()

    def watched(name: str) -> Callable[..., Any]:
        does = getattr(Shadow, name)

        def work(*arguments: Any, **more: Any) -> Any:
            assert threading.get_ident() != here, name
            elsewhere.add(name)
            return does(*arguments, **more)

        return work

    names = ("__init__", "take", "tidy", "release", "alone")
    for name in names:
        monkeypatch.setattr(Shadow, name, watched(name))
    async with serve(WRITES), go() as run:
        run.allows_everything = True
        await run.ask("go")
        await ended(run)
    assert elsewhere == set(names)
    assert run.all(ev.ChangesUntracked) == []


async def test_it_is_off_by_its_setting_and_for_who_only_talks(serve: ServeModel) -> None:
    async with serve(say("hi")):
        for agent, config in ((Writer, tracked(track_changes=False)), (Direct, tracked())):
            async with watch(agent, cwd=PLACE, config=config, run_id=RUN) as run:
                await run.ask("hello")
            assert not run.all(ev.SnapshotTaken)
            assert not run.all(ev.ChangesUntracked)
    assert not shadows_folder().exists()


def test_calls_are_at_work_until_a_snapshot_has_seen_all_that_they_did() -> None:
    calls = CallsAtWork()
    calls.begin(Work("a"))
    assert calls.end("a"), "it has ended, and no snapshot has seen all of it"
    calls.seen({})
    assert calls.hear(ev.ToolFinished(1.0, "a", ""))
    calls.seen(dict(calls.ended))
    assert not calls.hear(ev.ToolFinished(1.0, "a", ""))
    assert not calls.hear(ev.ToolFinished(1.0, "somebody else's", ""))
    calls.begin(Work("b"))
    calls.end("b")
    calls.hear(ev.TaskProgressed(2.0, "b", "running"))
    assert (calls.going, calls.ended) == ({"b": Work("b")}, {}), "it goes on in the background"
    assert not calls.hear(ev.ToolFinished(2.1, "b", ""))
    assert not calls.hear(ev.TurnEnded(2.2, 1, "done", ev.Usage()))
    assert calls.hear(ev.TaskProgressed(2.3, "b", "completed"))
    calls.begin(Work("c"))
    assert calls.hear(ev.Connecting(3.0)), "with the session all has ended"
    assert set(calls.ended) == {"b", "c"}


def test_what_a_run_has_told_says_which_calls_no_snapshot_has_seen() -> None:
    def asks(call_id: str, decision: Any) -> list[ev.Event]:
        called = ev.ToolCalled(1.0, call_id, "Edit", {"file_path": f"{call_id}.txt"})
        return [called, ev.PermissionSettled(1.0, f"q-{call_id}", call_id, decision)]

    snapshot = ev.SnapshotTaken(1.0, "a" * 40, "/p", 1, "done")
    told: list[ev.Event] = [
        *asks("seen", "once"),
        ev.ToolFinished(1.0, "seen", ""),
        snapshot,
        *asks("refused", "deny"),
        *asks("at-work", "run"),
        ev.ToolCalled(1.0, "reads", "Read", {}),
        ev.ToolBegan(1.0, "reads"),
    ]
    found = recalled(told)
    assert found.left == {"at-work": Work("at-work", "at-work.txt")}
    assert found.snapshots == [snapshot]
    assert recalled([*told, ev.RunForked(2.0)]) == ([], {}, {})
    early = [ev.ToolBegan(3.0, "early"), ev.ToolCalled(3.0, "early", "Bash", {"command": "make"})]
    assert recalled(early).left == {"early": Work("early")}


async def test_the_end_of_a_turn_tells_which_commit_was_checked_out(serve: ServeModel) -> None:
    first = git(PLACE, "rev-parse", "HEAD")
    async with serve(each(call("write", name="a"), call("write", name="b"))), go() as run:
        run.allows_everything = True
        await run.ask("go")
        await ended(run)
        second = commit(PLACE, "by the person")
        await run.ask("again")
        await ended(run, 2)
        found = [one.commit for one in run.all(ev.SnapshotTaken) if one.when in ("start", "end")]
    assert found == [first, first, second]
