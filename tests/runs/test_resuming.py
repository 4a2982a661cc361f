"""A run goes on after its end, and after its process was gone: with its conversation, and all that it had told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui import MaverickAgent
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.commands import ReleasePrompts
from maverick_tui.runs.past import GONE, past_of
from tests.conftest import ServeModel
from tests.runs.grammar import check_well_formed
from tests.runs.story import told
from tests.runs.watching import Watched, blocks, watch
from tests.support.agents import Talker
from tests.support.model import say

RUN = "7f3a00c0ffee"


class ApiTalker(Talker):
    """The same without a CLI."""

    name = "api-talker"
    engine = "api"


def interrupted(path: Path) -> None:
    """Take the end of a journal away, as if its process had been killed."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + b'{"seq":')


async def go_on(agent: type[MaverickAgent], prompt: str) -> Watched:
    """Reopen the run, ask it something, and close it."""
    reading = read_journal(journal_of(RUN))
    past = past_of(reading.events)
    async with watch(agent, past=past) as run:
        run.run.keep(journal_of(RUN), reading.size)
        await run.ask(prompt)
    return run


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("agent", [Talker, ApiTalker])
async def test_a_run_goes_on_with_its_conversation(
    agent: type[MaverickAgent], is_killed: bool, serve: ServeModel
) -> None:
    async with serve(say("answered")) as server:
        async with watch(agent) as first:
            first.run.keep(journal_of(RUN))
            await first.ask("the first words")
        if is_killed:
            interrupted(journal_of(RUN))
        second = await go_on(agent, "the second words")
        last = json.dumps(server.requests[-1]["messages"])
    assert "the first words" in last
    assert "the second words" in last
    assert blocks(second.events) == ["answered", "answered"]
    assert [event.turn for event in second.all(ev.TurnStarted)] == [1, 2]
    assert not second.all(ev.Noticed)
    assert [event.reason for event in second.all(ev.RunEnded)] == [GONE if is_killed else "closed", "closed"]
    kept = read_journal(journal_of(RUN))
    assert not kept.problem
    assert kept.events == second.events
    check_well_formed(kept.events)
    assert told(*kept.events).is_ended
    ends = [event for event in second.events if isinstance(event, ev.TurnEnded)]
    assert ends[1].usage.input_tokens <= 2 * ends[0].usage.input_tokens + 1_000, "what was used before counts once"


async def test_a_conversation_that_is_gone_is_said_to_be_so(serve: ServeModel) -> None:
    async with serve(say("answered")) as server:
        async with watch(Talker) as first:
            first.run.keep(journal_of(RUN))
            await first.ask("the first words")
        path = journal_of(RUN)
        path.write_bytes(path.read_bytes().replace(first.all(ev.ModelNamed)[0].session_id.encode(), b"0" * 36))
        second = await go_on(Talker, "the second words")
        last = json.dumps(server.requests[-1]["messages"])
    assert "the first words" not in last
    assert [event.kind for event in second.all(ev.Noticed)] == ["session_lost"]


async def test_what_was_never_sent_waits_to_be_sent(serve: ServeModel) -> None:
    told_before: list[Event] = [
        ev.RunStarted(1, RUN, "talker"),
        ev.AgentLoaded(1, "talker", "."),
        ev.TurnStarted(2, 1, "go", "p1"),
        ev.BlockStarted(2, 7, "text"),
        ev.BlockGrew(3, 7, "Half an ans"),
        ev.UsageReported(3, "m1", 100, 7, cost_usd=0.25),
        ev.PermissionAsked(3, "r1", "c1", "Bash", {"command": "ls"}),
        ev.PromptQueued(4, "p2", "and then this"),
    ]
    past = past_of(told_before)
    check_well_formed(past.events)
    store = told(*past.events)
    assert (store.is_ended, store.last_outcome, store.figures.usage.cost_usd) == (True, "interrupted", 0.25)
    assert blocks(past.events) == ["Half an ans"]
    async with serve(say("answered")) as server, watch(Talker, past=past) as run:
        await run.until(ev.Connected)
        assert run.all(ev.PromptsHeld)[-1].prompt_ids == ("p2",)
        assert not server.requests
        run.send(ReleasePrompts())
        await run.until(ev.TurnEnded, 2)
    assert [event.text for event in run.all(ev.TurnStarted)] == ["go", "and then this"]
    assert run.all(ev.BlockStarted)[-1].block > 7


async def test_an_agent_comes_back_with_no_more_than_it_had(serve: ServeModel) -> None:
    class Grown(Talker):
        name = "talker"
        allowed_tools = ("Read", "Bash", "Write(docs/**)")
        max_turns = 50
        permission_mode = "acceptEdits"

    loaded = ev.AgentLoaded(1, "talker", ".", permission_mode="default", max_turns=7, tools=("Read", "Write", "Grep"))
    past = past_of([ev.RunStarted(1, RUN, "talker"), loaded, ev.ModeChanged(2, "plan"), ev.RunEnded(3)])
    async with serve(say("answered")), watch(Grown, past=past) as run:
        await run.until(ev.Connected)
        again = run.all(ev.AgentLoaded)[-1]
    assert again.tools == ("Read", "Write(docs/**)"), "what is less than it had stays"
    assert again.max_turns == 7
    assert told(*run.events).mode == "plan"
    assert [event.text for event in run.all(ev.Noticed)] == [
        "It comes back without Bash, which it did not have when this run began."
    ]


async def test_a_run_that_goes_on_elsewhere_is_not_written_to(serve: ServeModel) -> None:
    async with serve(say("answered")), watch(Talker) as run:
        run.run.keep(journal_of(RUN))
        await run.ask("go")
        reading = read_journal(journal_of(RUN))
        async with watch(Talker, past=past_of(reading.events)) as other:
            other.run.keep(journal_of(RUN), reading.size)
            await other.until(ev.Noticed)
    assert "in another process" in other.all(ev.Noticed)[0].text
    assert read_journal(journal_of(RUN)).events == run.events
