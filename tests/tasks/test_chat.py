"""Conversations that are kept, and go on where they were."""

from __future__ import annotations

from datetime import UTC

import pytest
from sqlmodel import Session, create_engine

from maverick_tui.exceptions import ConfigError
from maverick_tui.tasks import AgentContext, AgentRunner, Chat, MCPToolServer
from maverick_tui.tasks.database import SessionFactory
from tests.support.model import call, say, scene
from tests.tasks.support import assistant

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
