"""The MCP server: over memory and over standard input and output, as any client would use it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from maverick_tui import __version__
from maverick_tui.tasks import MCPToolServer
from maverick_tui.tasks.database import SessionFactory
from tests.tasks.support import call

TOOLS = {
    "add_task", "list_tasks", "complete_task", "update_task", "delete_task", "complete_all_tasks", "delete_all_tasks",
}  # fmt: skip

SERVE = """
import asyncio, sys
from mcp.server.stdio import stdio_server
from maverick_tui.tasks import MCPToolServer, open_database

async def main():
    server = MCPToolServer(open_database(sys.argv[1])).for_user(sys.argv[2], phrase=True)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""


@pytest.mark.req("004-run-steps")
async def test_tools_and_their_schemas(factory: SessionFactory) -> None:
    async with Client(MCPToolServer(factory).for_user("alice")) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    assert "user" not in str([tool.input_schema for tool in tools.values()])
    assert tools["add_task"].input_schema["required"] == ["title"]
    assert list(tools["add_task"].input_schema["properties"]) == ["title", "notes", "priority", "due", "tags"]
    assert tools["list_tasks"].annotations is not None
    assert tools["list_tasks"].annotations.read_only_hint
    assert all(tool.description for tool in tools.values())


async def test_a_life_of_a_task_in_memory(factory: SessionFactory) -> None:
    async with Client(MCPToolServer(factory).for_user("alice")) as client:
        made = await call(client, "add_task", title="Buy milk", notes="2", due="2026-12-31", tags=["home", "home"])
        assert made["data"]["tags"] == ["home"]
        changed = await call(client, "update_task", task="milk", title="Buy oat milk", completed=True)
        assert changed["data"]["before"] == "Buy milk"
        assert changed["data"]["completed"] is True
        again = await call(client, "complete_task", task="oat milk")
        assert again["success"], "that it is done already is what was wanted"
        assert (await call(client, "list_tasks"))["data"] == {"tasks": [], "total": 0}
        assert (await call(client, "list_tasks", status="completed", tag="HOME"))["data"]["total"] == 1
        question = await call(client, "delete_task", task="oat", confirmation="yes delete")
        assert question["error"]["code"] == "confirm", "here it is the conversation that confirms"
        unknown = await call(client, "drop_everything")
        assert unknown["error"]["code"] == "unknown"


@pytest.mark.req("004-confirm-delete", "004-confirm-bulk")
async def test_a_client_of_its_own_confirms_with_the_phrase_and_the_whole_title(factory: SessionFactory) -> None:
    server = MCPToolServer(factory)
    for title in ("Buy milk", "Tea", "Coffee"):
        server.store.add("alice", title)
    async with Client(server.for_user("alice", phrase=True)) as client:
        asked = await call(client, "delete_task", task="milk")
        assert asked["error"]["phrase"] == "yes delete"
        assert not (await call(client, "delete_task", task="milk", confirmation="yes delete"))["success"]
        assert not (await call(client, "delete_task", task="Buy milk", confirmation="yes"))["success"]
        assert server.store.count("alice", "all") == 3
        assert (await call(client, "delete_task", task="Buy milk", confirmation="Yes delete"))["success"]
        assert server.store.count("alice", "all") == 2
        for wrong in ("yes delete all", "", "yes", "yes delete", "yes delete open"):
            assert not (await call(client, "delete_all_tasks", which="all", confirmation=wrong))["success"]
        done = await call(client, "delete_all_tasks", which="all", confirmation="yes delete all")
        assert done["data"] == {"count": 2}


@pytest.mark.req("004-confirm-delete", "004-confirm-bulk")
async def test_a_client_cannot_confirm_what_it_was_not_asked_on_this_connection(factory: SessionFactory) -> None:
    server = MCPToolServer(factory)
    for title in ("Buy milk", "Tea"):
        server.store.add("alice", title)
    async with Client(server.for_user("alice", phrase=True)) as other:
        assert (await call(other, "delete_task", task="Tea"))["error"]["title"] == "Tea"
        assert not (await call(other, "delete_task", task="Buy milk", confirmation="yes delete"))["success"]
    async with Client(server.for_user("alice", phrase=True)) as client:
        assert not (await call(client, "delete_task", task="Tea", confirmation="yes delete"))["success"]
        assert not (await call(client, "delete_all_tasks", which="all", confirmation="yes delete all"))["success"]
        assert not (await call(client, "complete_all_tasks", confirmation="yes complete all"))["success"]
        assert server.store.count("alice", "open") == 2
        assert (await call(client, "delete_task", task="Tea", confirmation="yes delete"))["success"]


async def test_a_foreign_client_sees_errors_a_version_and_no_ids(factory: SessionFactory) -> None:
    async with Client(MCPToolServer(factory).for_user("alice", phrase=True)) as client:
        assert client.server_info is not None
        assert client.server_info.version == __version__
        assert not (await client.call_tool("add_task", {"title": "Tea"})).is_error
        assert (await client.call_tool("no_tool", {})).is_error
        assert (await client.call_tool("add_task", {"title": ""})).is_error
        assert (await client.call_tool("complete_task", {"task": "nothing"})).is_error
        assert not (await client.call_tool("delete_task", {"task": "Tea"})).is_error, "a question is none"
        [task] = (await call(client, "list_tasks"))["data"]["tasks"]
        assert "id" not in task


@pytest.mark.explore  # `test_commands.py` serves a client there, too
@pytest.mark.req("004-run-steps", "004-iso-inject", "004-iso-others")
async def test_over_standard_input_and_output(
    mark: str, database: str, factory: SessionFactory, tmp_path: Path
) -> None:
    script = tmp_path / "serve.py"
    script.write_text(SERVE)
    store = MCPToolServer(factory).store
    store.add("bob", "His")
    command = StdioServerParameters(
        command=sys.executable,
        args=[str(script), database, "alice"],
        env={"MAVERICK_TEST_MARK": mark, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    async with Client(command) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        assert (await call(client, "add_task", title="Buy milk", user_id="bob"))["success"]
        found = await call(client, "list_tasks", user_id="bob")
        assert [task["title"] for task in found["data"]["tasks"]] == ["Buy milk"]
        assert (await call(client, "delete_task", task="milk"))["error"]["code"] == "confirm"
        assert (await call(client, "delete_task", task="Buy milk", confirmation="yes delete"))["success"]
        assert not (await call(client, "complete_task", task="His"))["success"]
    assert [task.title for task in store.list("bob").tasks] == ["His"]
    assert store.count("alice", "all") == 0


@pytest.mark.req("004-TC-redact", "004-err-system")
async def test_a_database_that_fails_is_told_kindly_and_no_user_is_logged(
    factory: SessionFactory, caplog: pytest.LogCaptureFixture
) -> None:
    with factory() as session:
        session.connection().exec_driver_sql("DROP TABLE maverick_task")
        session.commit()
    async with Client(MCPToolServer(factory).for_user("secret-user-17")) as client:
        for tool, arguments in [
            ("add_task", {"title": "Tea"}),
            ("list_tasks", {}),
            ("complete_task", {"task": "Tea"}),
            ("complete_all_tasks", {}),
        ]:
            found = await call(client, tool, **arguments)
            assert found["error"]["message"] == "I'm having a bit of trouble right now. Please try again."
    assert caplog.text.count("A tool of the task list failed") == 4
    assert "no such table" in caplog.text
    assert "secret-user-17" not in caplog.text
    assert "Tea" not in caplog.text
