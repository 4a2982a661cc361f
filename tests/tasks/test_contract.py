"""The values of the contract."""

from __future__ import annotations

import dataclasses
import inspect
from datetime import UTC, datetime, timedelta

import pytest

from maverick_tui.tasks import AgentContext, AgentResult, AgentRunner, MessageHistory, ToolCallRecord
from tests.tasks.support import NOON, said


def fields(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


@pytest.mark.req("004-MH")
def test_a_message_has_role_content_and_time_and_no_tool_calls_unless_given() -> None:
    message = MessageHistory("user", "Add milk", NOON)
    assert fields(MessageHistory) == ["role", "content", "timestamp", "tool_calls"]
    assert (message.role, message.content, message.timestamp, message.tool_calls) == ("user", "Add milk", NOON, None)


@pytest.mark.req("004-CX")
def test_a_context_has_a_user_a_conversation_and_the_history_oldest_first() -> None:
    first, second = said("user", "one"), said("assistant", "two")
    context = AgentContext(user_id="u", conversation_id="c", message_history=(first, second))
    assert fields(AgentContext) == ["user_id", "conversation_id", "message_history"]
    assert (context.user_id, context.conversation_id) == ("u", "c")
    assert context.message_history == (first, second)


@pytest.mark.req("004-CX-immutable")
def test_a_context_cannot_be_changed_neither_itself_nor_through_the_list_it_was_made_of() -> None:
    given = [said("user", "one")]
    context = AgentContext("u", "c", given)  # type: ignore[arg-type]
    given.append(said("user", "two"))
    assert [message.content for message in context.message_history] == ["one"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.user_id = "somebody else"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        context.message_history[0].content = "another"  # type: ignore[misc]


def test_nobody_is_no_user() -> None:
    with pytest.raises(ValueError, match="user_id"):
        AgentContext("", "c")


@pytest.mark.req("004-CX-from")
def test_a_context_of_plain_messages() -> None:
    calls = [{"tool_name": "add_task"}]
    context = AgentContext.from_request(
        user_id="u",
        conversation_id="c",
        messages=[
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two", "timestamp": NOON, "tool_calls": calls},
        ],
    )
    one, two = context.message_history
    assert datetime.now(UTC) - one.timestamp < timedelta(seconds=10)
    assert one == MessageHistory("user", "one", one.timestamp, None)
    assert two == MessageHistory("assistant", "two", NOON, calls)
    assert AgentContext.from_request("u", "c", []).message_history == ()


@pytest.mark.parametrize("wrong", [{"content": None}, {"content": [{"type": "text"}]}, {"content": 7}, {"role": None}])
def test_a_history_that_is_no_text_is_a_clear_error(wrong: dict[str, object]) -> None:
    [name] = wrong
    with pytest.raises(ValueError, match=f"needs a {name} that is text"):
        AgentContext.from_request("u", "c", [{"role": "user", "content": "one"} | wrong])


@pytest.mark.req("004-TC")
def test_a_record_of_a_tool_call() -> None:
    record = ToolCallRecord("add_task", {"title": "Buy milk"}, {"success": True}, 245)
    assert fields(ToolCallRecord) == ["tool_name", "parameters", "result", "duration_ms"]
    assert record.duration_ms == 245


@pytest.mark.req("004-RS", "004-RS-has")
def test_a_result_has_no_error_unless_given_and_knows_whether_tools_were_called() -> None:
    assert fields(AgentResult) == ["success", "response", "tool_calls", "error"]
    record = ToolCallRecord("list_tasks", {}, {}, 1)
    quiet, busy = AgentResult(True, "Hello.", []), AgentResult(False, "Oh.", [record], "Oh.")
    assert (quiet.success, quiet.error, quiet.has_tool_calls) == (True, None, False)
    assert (busy.tool_calls, busy.error, busy.has_tool_calls) == ([record], "Oh.", True)


@pytest.mark.req("004-run")
def test_a_runner_is_made_and_run_as_the_contract_says() -> None:
    made, run = inspect.signature(AgentRunner), inspect.signature(AgentRunner.run)
    positional = [name for name, one in made.parameters.items() if one.kind is not one.KEYWORD_ONLY]
    assert positional == ["session_factory", "mcp_server"]
    assert [name for name, one in run.parameters.items() if one.kind is not one.KEYWORD_ONLY][1:] == [
        "context",
        "message",
    ]
    assert inspect.iscoroutinefunction(AgentRunner.run)
