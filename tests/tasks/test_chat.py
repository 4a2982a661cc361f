"""Conversations that are kept, and go on where they were."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC

import pytest
from sqlmodel import Session, create_engine

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor import CancelToken
from maverick_tui.executor.activity import Activity
from maverick_tui.tasks import AgentContext, AgentRunner, Chat, MCPToolServer, MessageHistory, ToolCallRecord, texts
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.toolbox import failed
from tests.masking.examples import RANDOM
from tests.support.model import call, say, scene, stall
from tests.tasks.support import NOON, assistant

SYSTEM_ERROR = "I'm having a bit of trouble right now. Please try again."


async def test_a_conversation_is_kept_and_goes_on_in_a_new_chat(factory: SessionFactory) -> None:
    script = [
        scene(call("add_task", title="Tea"), say("ok"), prompt="^Add"),
        scene(call("delete_task", task="Tea"), say("ok"), prompt="^Delete"),
    ]
    async with assistant(factory, script) as one:
        first = Chat(one.runner, "alice")
        assert (await first.send("Add tea")).success
        await first.send("Delete tea")
        later = Chat(one.runner, "alice")
        history = await later.history()
        assert later.conversation_id == first.conversation_id
        assert [(message.role, message.content) for message in history] == [
            ("user", "Add tea"),
            ("assistant", "Got it! Added 'Tea' to your list. Anything else?"),
            ("user", "Delete tea"),
            ("assistant", "Do you really want to delete 'Tea'? Reply 'yes delete' to confirm."),
        ]
        assert history[0].tool_calls is None
        assert history[1].tool_calls is not None
        assert history[1].tool_calls[0]["tool_name"] == "add_task"
        assert all(message.timestamp.tzinfo is UTC for message in history)
        assert (await later.send("yes delete")).response == "I've removed 'Tea' from your tasks."
        assert one.titles() == []


async def test_what_is_kept_of_a_conversation_is_masked_but_for_the_names_in_questions(factory: SessionFactory) -> None:
    title = f"Set API_KEY={RANDOM}"
    script = [
        scene(call("add_task", title=title), say("ok"), prompt="^Add"),
        scene(call("delete_task", task=title), say("ok"), prompt="^Delete"),
    ]
    async with assistant(factory, script) as one:
        chat = Chat(one.runner, "alice")
        assert RANDOM in (await chat.send(f"Add {title}")).response
        assert RANDOM not in repr(await chat.history())
        await chat.send(f"Delete {title}")
        assert [RANDOM in message.content for message in await chat.history()] == [False, False, False, True]
        assert (await chat.send("yes delete")).success
        assert one.titles() == []


@pytest.mark.req("004-run-steps", "004-stateless")
async def test_the_model_is_shown_what_was_said_before(factory: SessionFactory) -> None:
    async with assistant(factory, say("Fine.")) as one:
        await Chat(one.runner, "alice").send("My cat is Tom")
        await Chat(one.runner, "alice").send("Who is Tom?")
    sent = [block["text"] for message in one.requests[-1]["messages"] for block in message["content"]]
    assert sent == ["My cat is Tom", "Fine.", "Who is Tom?"]


async def test_each_conversation_and_each_user_has_its_own(factory: SessionFactory) -> None:
    async with assistant(factory, say("Fine.")) as one:
        for user, conversation in [("alice", "a"), ("alice", "b"), ("bob", "a"), ("bob", "")]:
            await Chat(one.runner, user, conversation).send(f"{user} {conversation}")
        assert [m.content for m in await Chat(one.runner, "alice", "a").history()] == ["alice a", "Fine."]
        latest = Chat(one.runner, "alice")
        assert [m.content for m in await latest.history()] == ["alice b", "Fine."]
        assert latest.conversation_id == "b"
        assert len(await Chat(one.runner, "bob", "a").history()) == 4, "without an id it is the latest"
        new = Chat(one.runner, "carol")
        assert await new.history() == []
        assert new.conversation_id


@pytest.mark.req("004-confirm-delete")
async def test_a_question_is_answered_where_it_was_shown(factory: SessionFactory) -> None:
    script = [
        scene(call("delete_task", task="milk"), say("ok"), prompt="milk"),
        scene(call("delete_task", task="rent"), say("ok"), prompt="rent"),
        scene(say("Hm."), prompt="."),
    ]
    async with assistant(factory, script) as one:
        one.add("Buy milk", "Pay rent")
        left, right = Chat(one.runner, "alice"), Chat(one.runner, "alice")
        await left.send("Delete milk")
        await right.send("Delete rent")
        assert right.conversation_id == left.conversation_id
        await left.send("yes delete")
        assert one.titles() == ["Buy milk", "Pay rent"], "what stands last was asked elsewhere"
        await right.send("Delete rent")
        await Chat(one.runner, "alice").send("yes delete")
        assert one.titles() == ["Buy milk", "Pay rent"], "and nobody was shown it here"
        await right.send("Delete rent")
        await right.send("yes delete")
        assert one.titles() == ["Buy milk"]


@pytest.mark.req("004-confirm-delete")
async def test_a_question_that_was_interrupted_is_not_kept(factory: SessionFactory) -> None:
    cancel = CancelToken()

    def stop(event: Activity) -> None:
        if event.type == "tool_call_end":
            cancel.cancel("the user left")

    slow = say("One two.", fault=stall(at="text"))
    script = [scene(call("delete_task", task="milk"), slow, prompt="^Delete"), scene(say("Hm."), prompt="^yes")]
    async with assistant(factory, script) as one:
        one.add("Buy milk")
        chat = Chat(one.runner, "alice")
        result = await chat.send("Delete milk", cancel=cancel, on_activity=stop)
        assert result.response == result.error == texts.INTERRUPTED
        assert (await chat.history())[-1].content == texts.INTERRUPTED
        assert (await chat.send("yes delete")).response == "Hm."
        assert one.titles() == ["Buy milk"]


@pytest.mark.req("004-confirm-delete", "004-confirm-bulk")
@pytest.mark.parametrize("phrase", ["yes delete", "yes delete all"])
async def test_a_question_that_no_tool_has_asked_is_none(factory: SessionFactory, phrase: str) -> None:
    """Whatever gets past the other checks: the history says which calls were made."""
    question = texts.confirm_delete("Tea") if phrase == "yes delete" else texts.confirm_bulk(phrase)
    listed = [{"tool_name": "list_tasks", "parameters": {}, "result": {"success": True, "data": {}}, "duration_ms": 1}]
    other = [asdict(ToolCallRecord("delete_task", {}, failed("confirm", "?", phrase="yes delete", title="Coffee"), 1))]
    async with assistant(factory, say("Hm.")) as one:
        one.add("Tea")
        for calls in ([], listed, other, ["nonsense"], [{"result": None}]):
            await one.say(phrase, [MessageHistory("assistant", question, NOON, calls)])  # type: ignore[arg-type]
            assert one.titles() == ["Tea"]
        right = ToolCallRecord("delete_task", {}, failed("confirm", question, phrase=phrase, title="Tea"), 1)
        await one.say(phrase, [MessageHistory("assistant", question, NOON, [asdict(right)])])
        assert one.titles() == []


async def test_a_new_conversation_can_be_begun(factory: SessionFactory) -> None:
    async with assistant(factory, say("Fine.")) as one:
        chat = Chat(one.runner, "alice")
        await chat.send("Hello")
        before = chat.conversation_id
        assert (await chat.begin_anew("/new")).response == texts.NEW
        assert chat.conversation_id != before
        assert [message.content for message in await Chat(one.runner, "alice").history()] == ["/new", texts.NEW]


async def test_a_database_that_is_gone_is_told_kindly_and_no_user_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    engine = create_engine("sqlite://")  # no tables, and an engine that would show its values
    runner = AgentRunner(lambda: Session(engine), MCPToolServer(lambda: Session(engine)))
    chat = Chat(runner, "secret-user-17")
    result = await chat.send("Hello")
    assert not result.success
    assert result.response == result.error == SYSTEM_ERROR
    assert "A message could not be answered" in caplog.text
    assert "A message could not be kept" in caplog.text
    assert "secret-user-17" not in caplog.text
    engine.dispose()


async def test_the_runner_itself_raises_what_the_chat_tells(factory: SessionFactory) -> None:
    class Broken(MCPToolServer):
        def for_user(self, user_id: str, **_: object) -> object:  # type: ignore[override]
            raise ConfigError("It cannot be made.")

    runner = AgentRunner(factory, Broken(factory))
    with pytest.raises(ConfigError):
        await runner.run(AgentContext("alice", "c"), "Hello")
    assert (await Chat(runner, "alice").send("Hello")).response == SYSTEM_ERROR
