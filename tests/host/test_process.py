"""A host for real: a process of its own with the bundled CLI, which goes on without us, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App

from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.engine.prices import list_price
from maverick_tui.config import MaverickConfig, config_file
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.index import RunIndex
from maverick_tui.history.opening import open_run
from maverick_tui.history.scanning import Summary
from maverick_tui.host import process, starting
from maverick_tui.host.live import live_runs
from maverick_tui.host.orders import Order
from maverick_tui.host.places import has_host
from maverick_tui.host.remote import RemoteRun
from maverick_tui.host.starting import WaitingHost, start_host
from maverick_tui.host.waiting_line import numbers_folder
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.offline.script import Pace
from maverick_tui.paths import PACKAGE
from maverick_tui.plain_settings import plain
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.commands import AnswerPermission, ClearConversation, CloseRun, Reconnect, SendPrompt
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.store import GONE
from maverick_tui.ui.in_process import make_run
from maverick_tui.ui.launch import RunSetup
from maverick_tui.usage import CHARACTERS_PER_TOKEN, Usage
from tests.conftest import ServeModel
from tests.host.served_run import RUN, until
from tests.support.cook import write_cook
from tests.support.hosts import end_hosts
from tests.support.hosts import until as until_so
from tests.support.model import bash, say, scene, stall
from tests.support.processes import marked, until_running, wait_until_gone
from tests.support.sampling import sampled

AGENT = "---\nname: worker\ndescription: Works.\ntools: Bash\n---\nYou work.\n"


@pytest.fixture
def order(mark: str) -> Iterator[Order]:
    """A run of an agent that has to ask before it runs a command; no host of it is left, whatever fails."""
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "worker.md").write_text(AGENT)
    yield Order(RUN, "worker", str(Path.cwd()))
    end_hosts(mark, signal.SIGKILL)


class Reader:
    """One who reads the run for a while, and goes."""

    def __init__(self, *, is_hidden: bool = False) -> None:
        self.remote = RemoteRun(RUN, is_hidden=is_hidden)
        self.task = asyncio.create_task(self.remote.serve())

    def told(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [event for event in self.remote.events.since(0) if isinstance(event, kind)]

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


def snapshots(reader: Reader) -> list[tuple[str, int, int]]:
    """When they were taken, in which turn, and in how many files something has changed."""
    found = [event for event in reader.told(ev.SnapshotTaken) if isinstance(event, ev.SnapshotTaken)]
    return [(event.when, event.turn, event.files) for event in found]


def installed(folder: Path) -> str:
    """A copy of the package there; the program that is its host."""
    # Compiled as it is: what is changed later is read anew all the same. Others may compile, too, and rename.
    shutil.copytree(PACKAGE, folder / "maverick_tui", ignore=shutil.ignore_patterns("*.pyc.*"))
    return (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from maverick_tui.host import process\n"
        f"assert process.__file__.startswith({str(folder)!r})\n"
        "sys.exit(process.main())"
    )


def put_another_version_in_its_place(folder: Path) -> None:
    for file in (folder / "maverick_tui").rglob("*.py"):
        if file.name != "keeper.py":  # it is started anew for each CLI, and stays what it is
            file.write_text("raise ImportError('This is another version.')\n")


@pytest.mark.slow
async def test_it_works_on_alone_is_read_by_several_and_goes_on_after_it_was_killed(
    serve: ServeModel, mark: str, order: Order, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Meanwhile another version is put in the place of its own: it has imported what it needs once it has connected.

    What is in its folder is kept, and after it was killed it goes on from there.
    """
    monkeypatch.setenv("MAVERICK_TRACK_CHANGES", "true")
    program = installed(tmp_path / "installed")
    nice = min(os.nice(0) + 7, 19)
    monkeypatch.setenv("MAVERICK_HOST_NICE", str(nice))
    words = say(" ".join(f"word{number}" for number in range(200)), pace=Pace(tokens_per_second=300))
    async with serve(
        [
            scene(bash("touch made.txt"), words, prompt="Make it"),
            scene(say("Once more."), prompt="And then"),
        ]
    ):
        with monkeypatch.context() as instead:
            instead.setattr(starting, "_PROGRAM", ("-c", program))
            pid = await asyncio.to_thread(start_host, order)
        assert os.getsid(pid) == pid != os.getsid(0), "no terminal is its own"
        first = Reader()
        await until(lambda: first.told(ev.Connected), "it is connected")
        put_another_version_in_its_place(tmp_path / "installed")
        first.remote.send(ClearConversation())  # it needs another CLI for that
        first.remote.send(SendPrompt("p1", "Make it"))
        await until(lambda: first.told(ev.PermissionAsked), "it asks")
        ours = {pid for pid, words in marked(mark).items() if "maverick_tui.host" in words or "claude" in words}
        assert len(ours) > 2
        assert nice_of(ours) == {nice}, "what a host starts stands back, too"
        assert listeners(ours) == [], "nothing listens at a port"
        await first.leave()
        second, third, hidden = Reader(), Reader(), Reader(is_hidden=True)
        readers = (second, third, hidden)
        await until(lambda: all(reader.told(ev.PermissionAsked) for reader in readers), "it asks everybody")
        (asked,) = second.told(ev.PermissionAsked)
        assert isinstance(asked, ev.PermissionAsked)
        second.remote.send(AnswerPermission(asked.request, "once"))
        third.remote.send(AnswerPermission(asked.request, "deny"))
        for count, is_hidden in ((30, False), (80, True), (130, False)):  # one looks away, and comes back
            await until(lambda: len(third.told(ev.BlockGrew)) > count, f"{count} of them")  # noqa: B023
            hidden.remote.set_hidden(is_hidden)
        await until(lambda: all(snapshots(reader)[-1:] == [("end", 1, 1)] for reader in readers), "it is done")
        assert [event.calls for event in second.told(ev.SnapshotTaken) if event.calls] == [(asked.call,)]  # type: ignore[attr-defined]
        told = read_journal(journal_of(RUN)).events
        assert [reader.remote.events.since(0) for reader in readers] == [told] * 3
        (turn,) = third.told(ev.TurnEnded)
        assert isinstance(turn, ev.TurnEnded)
        assert (turn.outcome, Path("made.txt").exists()) == ("done", True), "the first answer counts"
        (settled,) = third.told(ev.PermissionSettled)
        assert isinstance(settled, ev.PermissionSettled)
        assert second.remote.hello is not None
        assert settled.by == second.remote.hello.you, "everybody knows whose it was"
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait({reader.task for reader in readers})
        (ended,) = third.told(ev.RunEnded)
        assert isinstance(ended, ev.RunEnded)
        assert ended.reason == GONE
        assert await asyncio.to_thread(wait_until_gone, mark) == {}
        assert not has_host(RUN)
        pid = await asyncio.to_thread(start_host, Order(RUN, "worker", order.cwd, "And then?", resumes=True))
        again = Reader()
        await until(
            lambda: len(again.told(ev.TurnEnded)) == 2, lambda: f"it has gone on: {again.remote.events.since(0)[-6:]}"
        )
        assert "Once more." in "".join(
            event.text for event in again.told(ev.BlockGrew) if isinstance(event, ev.BlockGrew)
        )
        await until(lambda: snapshots(again)[-1] == ("end", 2, 1), "what it has changed is known")
        assert [when for when, *_ in snapshots(again)].count("start") == 1
        os.kill(pid, signal.SIGTERM)
        await asyncio.wait({again.task})
        assert again.told(ev.RunEnded)
    assert await asyncio.to_thread(wait_until_gone, mark) == {}


@pytest.mark.explore
@pytest.mark.slow
async def test_what_its_answer_had_written_when_it_was_killed_is_counted_and_once(
    serve: ServeModel, mark: str, order: Order
) -> None:
    (Path(".maverick/agents") / "worker.md").write_text(
        "---\nname: worker\ndescription: Works.\nengine: api\ntools: []\nmodel: haiku\n---\nYou work.\n"
    )
    words = say(" ".join(f"word{number}" for number in range(2_000)), fault=stall(after_bytes=200_000))

    def kept() -> str:
        told = read_journal(journal_of(RUN)).events if journal_of(RUN).exists() else []
        return "".join(event.text for event in told if isinstance(event, ev.BlockGrew))

    def counted() -> Summary:
        with RunIndex() as index:
            return index.run(RUN).about

    async with serve([scene(words, prompt="Write"), scene(say("Short.", usage=(20, 3)), prompt="And then")]):
        pid = await asyncio.to_thread(start_host, replace(order, prompt="Write"))
        await until(lambda: len(kept()) > 4_000, "it writes")
        os.kill(pid, signal.SIGKILL)
        assert await asyncio.to_thread(wait_until_gone, mark) == {}
        told = read_journal(journal_of(RUN)).events
        began = next(event for event in told if isinstance(event, ev.UsageReported))
        cut = counted()
        assert cut.output_tokens == began.output_tokens + len(kept()) // CHARACTERS_PER_TOKEN > 1_000
        assert cut.is_estimate
        more = list_price(cut.model, Usage(output_tokens=len(kept()) // CHARACTERS_PER_TOKEN))
        assert cut.cost_usd == pytest.approx((began.cost_usd or 0.0) + (more or 0.0))
        assert cut.cost_usd == pytest.approx(open_run(RUN).store.figures.usage.cost_usd)
        pid = await asyncio.to_thread(start_host, replace(order, prompt="And then?", resumes=True))
        again = Reader()
        await until(lambda: len(again.told(ev.TurnEnded)) == 2, "it has gone on")
        os.kill(pid, signal.SIGTERM)
        await asyncio.wait({again.task})
        _, last = again.told(ev.TurnEnded)
        assert isinstance(last, ev.TurnEnded)
        whole, shown = counted(), open_run(RUN).store.figures.usage
        assert whole.output_tokens == shown.output_tokens == cut.output_tokens + last.usage.output_tokens
        assert whole.cost_usd == pytest.approx((cut.cost_usd or 0.0) + (last.usage.cost_usd or 0.0))
        assert shown.cost_usd == pytest.approx(whole.cost_usd)
    assert await asyncio.to_thread(wait_until_gone, mark) == {}


@pytest.mark.explore  # as what any process of ours has started, in tests of sessions and of attacks
@pytest.mark.slow
async def test_what_it_has_started_ends_with_it_in_the_middle_of_a_command(
    serve: ServeModel, mark: str, order: Order
) -> None:
    command = "python3 -c 'import time; time.sleep(300)'"
    async with serve(bash(command)):
        pid = await asyncio.to_thread(start_host, Order(RUN, "worker", order.cwd, "Wait", allowed=("Bash(python3:*)",)))
        reader = Reader()
        await until(
            lambda: reader.told(ev.PermissionAsked) or any("time.sleep(300)" in c for c in marked(mark).values())
        )
        for asked in reader.told(ev.PermissionAsked):
            assert isinstance(asked, ev.PermissionAsked)
            reader.remote.send(AnswerPermission(asked.request, "once"))
        await until_running(mark, "time.sleep(300)")
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait({reader.task})
    assert await asyncio.to_thread(wait_until_gone, mark) == {}


@pytest.mark.explore
@pytest.mark.slow
async def test_above_the_limit_the_next_waits_for_its_turn_and_the_person_hears_of_what_nobody_looks_at(
    mark: str, order: Order, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path
) -> None:
    other, told = "aaaa00000001", tmp_path / "told"
    write_cook(home)
    command = ["/bin/sh", "-c", 'echo "$MAVERICK_RUN_ID $0" >> "$1"', "{text}", str(told)]
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", json.dumps(command))
    monkeypatch.setenv("MAVERICK_MAX_RUNS", "1")
    monkeypatch.setenv("MAVERICK_HOST_IDLE_MINUTES", "0.01")
    first = await asyncio.to_thread(start_host, Order(RUN, "cook", order.cwd, "ask"))
    await asyncio.to_thread(start_host, Order(other, "cook", order.cwd, "And then", max_seconds=600))
    await until(lambda: told.exists() and told.read_text().endswith("\n"), "it asks, and nobody looks")
    live = {run.run_id: run for run in await live_runs()}
    assert (live[RUN].phase, live[other].phase, live[other].needs_person) == ("asks", "queued", False)
    hello = live[RUN].host
    assert (hello is not None, first) == (True, hello.pid if hello is not None else 0)
    os.kill(first, signal.SIGTERM)
    await until(lambda: f"{other} done" in told.read_text(), "the other one has had its turn")
    await until(lambda: not has_host(other), "nobody needs it, so it ends")
    assert await asyncio.to_thread(wait_until_gone, mark) == {}
    said = told.read_text().splitlines()
    assert [line for line in said if " needs you" in line] == [f"{RUN} needs you: Bash wants permission"]
    assert len([line for line in said if line.startswith(f"{other} done in")]) == 1
    notices = [event for event in read_journal(journal_of(other)).events if isinstance(event, ev.Noticed)]
    assert [notice.kind for notice in notices] == ["waits_for_turn", "turn_comes", "idle"]
    assert f"`maverick runs resume {other}`" in notices[-1].text
    assert not list(numbers_folder().iterdir())


@pytest.mark.slow
async def test_what_only_the_window_knows_to_be_secret_is_not_kept_by_a_host_without_that_variable(
    order: Order, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    write_cook(home)
    await asyncio.to_thread(start_host, replace(order, agent="cook"))
    monkeypatch.setenv("SHOP_PASSWORD", 'only\\the-window"knows')
    reader = Reader()
    reader.remote.send(SendPrompt("p1", 'Log in with only\\the-window"knows'))
    await until(lambda: reader.told(ev.TurnEnded), "it has answered")
    await reader.leave()
    kept = journal_of(RUN).read_text()
    assert "Log in with [secret]" in kept
    assert "the-window" not in kept


async def test_a_secret_input_is_kept_nowhere_though_the_prompt_comes_before_the_agent(
    order: Order, home: Path
) -> None:
    write_cook(home)
    secret = {"token": "of-the-input-9f3c"}  # which the cook has not asked for, so no agent ever comes
    asked = replace(order, agent="cook", prompt="Log in with of-the-input-9f3c", inputs=secret)
    await asyncio.to_thread(start_host, asked)
    reader = Reader()
    await until(lambda: reader.told(ev.ConnectFailed), "there is no such input")
    await reader.leave()
    kept = journal_of(RUN).read_text()
    assert "Log in with [secret]" in kept
    assert "of-the-input" not in kept


@pytest.mark.parametrize("event", [ev.Connected(2.0), ev.ConnectFailed(2.0, ev.Failure("AgentError", "agent", "No."))])
async def test_garbage_is_collected_from_the_moment_that_all_is_imported(event: ev.Event) -> None:
    run = LocalRun(asyncio.Event().wait, run_id=RUN, name="worker")  # type: ignore[arg-type]
    run.events.emit(ev.Connected(1.0))  # of the time before, if it goes on
    gc.disable()
    try:
        collecting = asyncio.create_task(process._collect_garbage(run, len(run.events)))
        await asyncio.sleep(0)
        assert not gc.isenabled()
        run.events.emit(event)
        await collecting
        assert gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("has_host", [True, False])
async def test_whoever_tries_again_has_the_settings_read_anew(has_host: bool, order: Order) -> None:
    def say_where_the_cli_is(path: str) -> None:
        config_file().parent.mkdir(parents=True, exist_ok=True)
        config_file().write_text(f"cli_path = '{path}'\n")

    def told() -> list[str]:
        return [event.failure.message for event in run.events.since(0) if isinstance(event, ev.ConnectFailed)]

    say_where_the_cli_is("/nowhere")
    async with AsyncExitStack() as stack:
        run = process._run(order, MaverickConfig.load(), None) if has_host else in_the_window(stack)
        serving = run.start()
        await until(told)
        say_where_the_cli_is("/elsewhere")
        run.send(Reconnect())
        await until(lambda: len(told()) == 2)
        run.send(CloseRun())
        await serving
    first, second = told()
    assert "/nowhere" in first
    assert "/elsewhere" in second


def in_the_window(stack: AsyncExitStack) -> LocalRun:
    """The run where it has no process of its own."""
    ready: asyncio.Future[RunSetup] = asyncio.get_running_loop().create_future()
    ready.set_result(RunSetup(Path.cwd(), plain(MaverickConfig.load())))
    worker, model = discover(Path.cwd()).get("worker"), RunModel(RUN, "worker", Board(lambda *_: None))
    return make_run(App(), model, worker, {}, lambda **_: ready, stack)


def nice_of(pids: set[int]) -> set[int]:
    found = set()
    for pid in pids:
        with suppress(ProcessLookupError):  # what the CLI starts may have ended
            found.add(os.getpriority(os.PRIO_PROCESS, pid))
    return found


def listeners(pids: set[int]) -> list[str]:
    """The ports at which these processes listen, as the system lists them."""
    links = []
    for pid in pids:
        with suppress(FileNotFoundError):
            for path in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    links.append(str(path.readlink()))
    sockets = {link[len("socket:[") : -1] for link in links if link.startswith("socket:[")}
    assert sockets, "a host has a socket"
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and row[9] in sockets]


@pytest.mark.parametrize(
    ("folder", "resumes", "why"), sampled([("nowhere", False, "No such file"), ("", True, "no journal")], 2)
)
def test_what_cannot_begin_says_why(folder: str, resumes: bool, why: str, order: Order) -> None:
    with pytest.raises(ConfigError, match=why):
        start_host(replace(order, cwd=str(Path(order.cwd, folder)), resumes=resumes))


def test_a_waiting_host_that_is_not_taken_leaves_nothing_behind(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, unwanted = WaitingHost(), WaitingHost()
    unwanted.give_up()
    with monkeypatch.context() as moved:
        moved.setenv("MAVERICK_RUNTIME_DIR", f"/tmp/{'long' * 30}")
        with pytest.raises(ConfigError, match="too long for a socket"):
            refused.take(Order(RUN, "worker", "/"))
    assert wait_until_gone(mark) == {}
    # Whoever waits for a process in a thread hears of its end a moment later.
    until_so(lambda: not refused.is_running and not unwanted.is_running, "they have been waited for")
