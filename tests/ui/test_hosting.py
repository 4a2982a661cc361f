"""How runs of the application come to processes of their own, and what happens where they cannot."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.forking import told_by
from maverick_tui.history.going_on import GoingOn, to_go_on
from maverick_tui.host import starting
from maverick_tui.host.orders import Order, order_from_json
from maverick_tui.host.process import _past_of
from maverick_tui.host.starting import WaitingHost
from maverick_tui.masking.redact import redact
from maverick_tui.plain_settings import PlainSettings
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.forking import fork_of
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.hosting import HostedRuns, order_for
from maverick_tui.ui.launch import Launch, RunSetup
from maverick_tui.ui.preferences import Preferences
from tests.cli.agent_files import write_agent
from tests.history.kept import keep
from tests.host.served_run import RUN, until
from tests.runs.pretending import Pretender
from tests.support.processes import marked
from tests.support.runs import BEGAN, Tape
from tests.ui.waiting import until as until_shown

FORK = "f0f0f0f0f0f0"


def told(order: Order) -> Order:
    """The order as its host has it."""
    return order_from_json(json.loads(json.dumps(order.to_json())))


def ordered(run_id: str, goes_on: GoingOn | None, **setup: Any) -> Order:
    run = RunModel(run_id, "reviewer", Board(lambda *_: None))
    inputs = {} if goes_on is not None else {"base": "main"}
    return order_for(run, "reviewer", inputs, RunSetup(Path("/shop"), PlainSettings(), **setup), goes_on)


def test_a_host_is_told_all_that_a_new_run_needs() -> None:
    order = ordered(RUN, None, script=Path("/s.yaml"), shared=Path("/scratch"), is_demo=True)
    wanted = Order(RUN, "reviewer", "/shop", inputs={"base": "main"}, script="/s.yaml", shared="/scratch", is_demo=True)
    assert told(order) == wanted
    assert _past_of(told(order)) is None


def test_a_secret_that_a_host_is_given_is_masked_here_as_well() -> None:
    run = RunModel(RUN, "reviewer", Board(lambda *_: None))
    order_for(run, "reviewer", {"password": "Zq9-hosted-Xx"}, RunSetup(Path("/shop"), PlainSettings()), None)
    assert redact("It is Zq9-hosted-Xx.") == "It is [secret]."


def test_a_host_goes_on_from_the_very_past_that_is_on_the_screen() -> None:
    tape = Tape().connect().prompt("One").say("First.").done().prompt("Two").say("Second.").done()
    tape.events[0] = ev.RunStarted(BEGAN, RUN, "reviewer")
    keep(RUN, [*tape.events, ev.RunEnded(BEGAN + 60, "closed")])
    resumed = to_go_on(RUN)
    assert _past_of(told(ordered(RUN, resumed))) == resumed
    for turn, model in ((0, ""), (1, "opus")):
        fork = fork_of(told_by(RUN), turn, FORK, at=BEGAN + 90.125, model=model)
        goes_on = GoingOn(FORK, fork.agent, Path("/kitchen"), fork.past, None)
        order = told(ordered(FORK, goes_on))
        assert (order.forks, order.fork_turn, order.takes, order.cwd) == (RUN, turn, model, "/kitchen")
        assert _past_of(order) == goes_on


def hosted() -> HostedRuns:
    """It starts hosts, and shows nothing."""
    nothing = cast(Any, None)
    return HostedRuns(nothing, nothing, nothing, nothing, nothing)


async def test_who_thinks_better_of_a_run_leaves_no_host_behind(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    made: list[WaitingHost] = []

    class SlowHost(WaitingHost):
        def __init__(self) -> None:
            loop.call_soon_threadsafe(begun.set)
            assert may_go_on.wait(60), "the event loop waits for it"
            super().__init__()
            made.append(self)

    monkeypatch.setattr(starting, "WaitingHost", SlowHost)
    start = asyncio.create_task(hosted().start(Order(RUN, "reviewer", "/")))
    await begun.wait()
    start.cancel()
    await asyncio.wait({start})
    may_go_on.set()
    await until(lambda: made and not made[0].is_running, "it has ended")
    await until(lambda: not marked(mark), "nothing is left of it")


async def test_a_host_that_is_refused_its_run_ends(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = hosted()
    await asyncio.to_thread(runs.warm)
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", f"/tmp/{'long' * 30}")
    with pytest.raises(ConfigError, match="too long for a socket"):
        await runs.start(Order(RUN, "reviewer", "/"))
    await until(lambda: not marked(mark), "nothing is left of it")


async def test_a_run_that_cannot_have_a_host_lives_in_the_window_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    write_agent("neighbour")
    monkeypatch.setenv("MAVERICK_HOSTED_RUNS", "true")
    monkeypatch.setattr("maverick_tui.ui.in_process._make", lambda *_: Pretender())
    runtime = Path("readable")
    runtime.mkdir(mode=0o755)
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", str(runtime.absolute()))
    app = MaverickApp(Launch(Path.cwd(), "neighbour", "Show me around"), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        (run,) = app.board.runs.values()
        await until_shown(pilot, lambda: run.store.figures.turns == 1, "it has answered")
        said = [one.message for one in app._notifications]
        assert any(one.startswith("It lives in this window, and ends with it: ") for one in said), said
        assert run.attached is None
