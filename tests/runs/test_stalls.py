"""A model that is silent: when it is told, and when silence is none."""

from __future__ import annotations

import asyncio

from maverick_tui import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.host.state import LiveState
from maverick_tui.runs.commands import Interrupt, WaitOn
from maverick_tui.runs.stalls import Silence
from maverick_tui.runs.store import store_of
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Direct
from tests.support.cases import each
from tests.support.model import say, stall

ASKED = ev.PermissionAsked(3, "q", "c", "Bash", {})
CALLED = ev.ToolCalled(3, "c", "Bash", {})


@each(
    ("events", "seconds"),
    [
        ([], 0),
        ([ev.TurnStarted(1, 1)], 9),
        ([ev.TurnStarted(1, 1), ev.BlockGrew(4, 1, "x")], 6),
        ([ev.TurnStarted(1, 1), ev.Noticed(4, "model", "x")], 9),
        ([ev.TurnStarted(1, 1), CALLED], 0),
        ([ev.TurnStarted(1, 1), CALLED, ev.ToolFinished(5, "c", "")], 5),
        ([ev.TurnStarted(1, 1), ASKED], 0),
        ([ev.TurnStarted(1, 1), ASKED, ev.PermissionSettled(6, "q", "c", "deny")], 4),
        ([ev.TurnStarted(1, 1, "/compact", is_command=True)], 0),
        ([ev.TurnStarted(1, 1), ev.Noticed(4, "compacting", "x")], 0),
        ([ev.TurnStarted(1, 1), ev.Noticed(4, "compacting", "x"), ev.RequestStarted(5)], 5),
        ([ev.TurnStarted(1, 1), ev.RetryScheduled(2, 1, 3, 6.0)], 2),
        ([ev.TurnStarted(1, 1), ev.TurnEnded(2, 1, "done", ev.Usage())], 0),
    ],
)
def test_a_tool_a_person_and_a_summary_may_take_their_time(events: list[Event], seconds: float) -> None:
    silence = Silence()
    for event in events:
        silence.take(event)
    assert silence.seconds(10) == seconds


async def test_it_is_told_put_off_told_again_and_over_when_something_comes(serve: ServeModel) -> None:
    config = MaverickConfig.load(stall_after=0.2)
    async with serve([say("one two three", fault=stall(at="text"))]), watch(Direct, config=config) as run:
        run.prompt("go")
        first = await run.until(ev.Stalled)
        assert first.at - first.since >= 0.2
        store, state = store_of(run.events), LiveState()
        for event in run.events:
            state.take(event)
        assert (store.stall is not None, state.to_json()["silent_since"]) == (True, first.since)
        run.send(WaitOn())
        await run.until(ev.StallPutOff)
        assert store_of(run.events).stall is None
        second = await run.until(ev.Stalled, 2)
        assert second.at - run.all(ev.StallPutOff)[0].at >= 0.2
        run.send(Interrupt())
        await run.until(ev.TurnEnded)
        entry = store_of(run.events).entries[-2]
        assert store_of(run.events).stall is None
        assert getattr(entry, "text", "").startswith("Nothing came from the model for ")
        run.send(WaitOn())  # there is nothing to put off
    assert len(run.all(ev.StallPutOff)) == 1


async def test_it_can_be_switched_off(serve: ServeModel) -> None:
    config = MaverickConfig.load(stall_after=0)
    async with serve([say("one two three", fault=stall(at="text"))]), watch(Direct, config=config) as run:
        run.prompt("go")
        await run.until(ev.BlockGrew)
        await asyncio.sleep(0)
        assert run.run._stalls._timer is None
        run.send(Interrupt())
        await run.until(ev.TurnEnded)
