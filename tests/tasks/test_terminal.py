"""The to-do assistant as an agent of the terminal: what a run of it tells, and the list beside the chat."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from maverick_tui import MaverickAgent, load_agent
from maverick_tui.events.kinds import (
    AgentLoaded,
    BlockStarted,
    Connected,
    ListShown,
    Noticed,
    RequestStarted,
    ToolCalled,
    ToolFinished,
    TurnEnded,
)
from maverick_tui.offline.script import Answer, Pace, TextStep, ToolStep
from maverick_tui.runs.commands import Interrupt
from maverick_tui.runs.store import RunStore
from maverick_tui.tasks import TaskStore, open_database, texts
from maverick_tui.tasks.local import local_user
from maverick_tui.tasks.session import MOST_SHOWN, THROWN_AWAY
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import context
from tests.support.model import call, say, scene, stall


@pytest.fixture
def agent() -> type[MaverickAgent]:
    """The shipped one."""
    return load_agent("tasks")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TaskStore:
    """A database of this test's own, which the settings name."""
    url = f"sqlite:///{tmp_path / 'mine.db'}"
    monkeypatch.setenv("MAVERICK_TASKS_URL", url)
    return TaskStore(open_database(url))


def lists(run: Watched) -> list[list[tuple[str, bool]]]:
    return [[(item["text"], item["is_done"]) for item in shown.items] for shown in run.all(ListShown)]


async def test_without_a_model_the_list_is_another_one_and_that_is_told(
    agent: type[MaverickAgent], store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(local_user(), "Mine")
    monkeypatch.setenv("MAVERICK_OFFLINE", "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "offline")
    async with watch(agent) as run:
        await run.until(Connected)
    assert lists(run) == [[]]
    assert [event.text for event in run.all(Noticed)] == [THROWN_AWAY]


async def test_it_adds_and_the_list_beside_the_chat_follows(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    store.add(local_user(), "Old one", priority="High", due="2026-12-01")
    scenes = [scene(call("add_task", first="Sure!", title="Buy milk"), say("I have added it, trust me."))]
    async with serve(scenes), watch(agent) as run:
        await run.until(Connected)
        assert lists(run)[0] == [("Old one", False)], "the list is there before anything was asked"
        ended = await run.ask("milk, please")
    assert ended.outcome == "done"
    assert run.all(AgentLoaded)[0].engine == "api"
    assert run.all(AgentLoaded)[0].permission_mode == "", "it has nothing to permit"
    assert run.text() == "Got it! Added 'Buy milk' to your list. Anything else?", "not the model's own words"
    assert [(event.name, event.arguments) for event in run.all(ToolCalled)] == [("add_task", {"title": "Buy milk"})]
    assert [event.output for event in run.all(ToolFinished)] == ["Buy milk"]
    assert lists(run)[-1] == [("Old one", False), ("Buy milk", False)]
    assert run.all(ListShown)[0].items[0]["detail"] == "high, Dec 1"
    assert ended.usage.output_tokens == 10
    told = RunStore()
    for event in run.events:
        told.apply(event)
    assert (told.figures.context_used, told.figures.context_size) == (15, 200_000)
    assert [task.title for task in store.list(local_user()).tasks] == ["Old one", "Buy milk"]


async def test_a_deletion_is_confirmed_in_the_next_message_and_asks_no_model(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    store.add(local_user(), "Buy milk")
    async with serve([scene(call("delete_task", task="milk"), say("Gone!"))]) as model, watch(agent) as run:
        await run.ask("delete the milk")
        assert store.count(local_user(), "all") == 1
        asked = len(model.requests)
        ended = await run.ask("yes delete")
        assert len(model.requests) == asked
    assert run.text().splitlines() == [
        "Do you really want to delete 'Buy milk'? Reply 'yes delete' to confirm.",
        "I've removed 'Buy milk' from your tasks.",
    ]
    assert ended.usage.output_tokens == 0
    assert store.count(local_user(), "all") == 0
    assert lists(run)[-1] == []


async def test_the_conversation_goes_on_where_it_was(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    async with serve([scene(say("Hello Ada."), prompt="Ada"), scene(say("You said it."), prompt="name")]) as model:
        async with watch(agent) as first:
            await first.ask("I am Ada")
        async with watch(agent) as second:
            await second.ask("What is my name?")
    said = [str(message["content"]) for message in model.requests[-1]["messages"]]
    assert [word in text for word, text in zip(("I am Ada", "Hello Ada.", "name?"), said, strict=True)] == [True] * 3


async def test_the_end_of_the_last_conversation_is_shown_and_its_question_can_be_answered(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    store.add(local_user(), "Buy milk")
    async with serve([scene(call("delete_task", task="milk"), say("ok"), prompt="milk"), scene(say("Hm."))]):
        async with watch(agent) as first:
            await first.ask("delete the milk")
            assert first.all(Noticed) == [], "it is the first one"
        async with watch(agent) as second:
            await second.until(Connected)
            notices = [event.text for event in second.all(Noticed)]
            assert notices[0].startswith("This goes on with the conversation of ")
            assert notices[1:] == [
                "You: delete the milk",
                "Assistant: Do you really want to delete 'Buy milk'? Reply 'yes delete' to confirm.",
            ]
            await second.ask("yes delete")
        assert store.count(local_user(), "all") == 0
        async with watch(agent) as third:
            await third.ask("/new")
        async with watch(agent) as fourth:
            await fourth.until(Connected)
            assert [event.text for event in fourth.all(Noticed)][1:] == [
                "You: /new",
                f"Assistant: {texts.NEW}",
            ]


async def test_the_list_follows_each_call_and_knows_how_much_is_open(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    for number in range(MOST_SHOWN + 5):
        store.add(local_user(), f"t{number}")
    store.complete(local_user(), 1)
    slow = say("One two three.", fault=stall(at="text"))
    async with serve([scene(call("complete_task", task="t7"), slow)]), watch(agent) as run:
        await run.until(Connected)
        assert run.all(ListShown)[0].total == MOST_SHOWN + 4
        run.prompt("t7 is done")
        await run.until(ListShown, where=lambda shown: shown.total == MOST_SHOWN + 3)
        assert run.all(TurnEnded) == [], "while the model still thinks"
        run.send(Interrupt())
        await run.until(TurnEnded)


async def test_a_model_that_cannot_be_asked_is_a_failure_that_says_why(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    refused = say("never", fault={"kind": "http", "status": 401, "message": "invalid key"})
    async with serve([scene(refused, prompt="go"), scene(call("add_task", title="Tea"), refused, prompt="tea")]):
        result = await agent().run("go", context())
        assert not result.success
        assert "invalid key" in str(result.errors[0])
        async with watch(agent) as run:
            ended = await run.ask("tea")
    assert ended.outcome == "failed"
    assert run.text().splitlines() == [texts.UNFINISHED_AFTER, "Got it! Added 'Tea' to your list. Anything else?"]
    kinds = [type(event) for event in run.events]
    assert kinds.index(BlockStarted) < kinds.index(TurnEnded), (
        "the friendly words come first, what has failed below them"
    )


async def test_whose_tasks_a_model_would_like_to_see_is_not_shown(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel
) -> None:
    async with serve([scene(call("add_task", title="Tea", user_id="bob"), say("ok"))]), watch(agent) as run:
        await run.ask("tea")
    assert [event.arguments for event in run.all(ToolCalled)] == [{"title": "Tea"}]


async def test_an_interrupt_ends_the_turn(agent: type[MaverickAgent], store: TaskStore, serve: ServeModel) -> None:
    slow = Answer(
        steps=(TextStep(text="word " * 400), ToolStep(tool="add_task", input={"title": "never"})),
        pace=Pace(tokens_per_second=50),
    )
    async with serve([scene(slow)]), watch(agent) as run:
        run.prompt("go")
        await run.until(RequestStarted)
        await asyncio.sleep(0.1)
        run.send(Interrupt())
        assert (await run.until(TurnEnded)).outcome == "interrupted"
    assert store.count(local_user(), "all") == 0


async def test_the_demo_never_touches_the_persons_tasks(
    agent: type[MaverickAgent], store: TaskStore, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_OFFLINE", "1")
    async with serve([scene(call("add_task", title="A scripted one"), say("done"))]):
        result = await agent().run("go", context())
    assert result.output == "Got it! Added 'A scripted one' to your list. Anything else?"
    assert store.count(local_user(), "all") == 0


async def test_a_database_that_cannot_be_opened_is_a_clear_failure(
    agent: type[MaverickAgent], serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_TASKS_URL", "nonsense://x")
    async with serve([scene(say("hello"))]):
        result = await agent().run("go", context())
    assert not result.success
    assert "cannot be opened" in str(result.errors[0])
