"""`maverick tasks` and `maverick mcp tasks`, as programs."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from maverick_tui.tasks import TaskStore, open_database
from maverick_tui.tasks.local import default_url, local_user
from maverick_tui.ui.log_file import log_path
from tests.support.command_line import Run, command_line

MAVERICK = str(Path(sys.executable).parent / "maverick")


Said = Callable[..., list[str]]
Refused = Callable[..., str]


@pytest.fixture
def maverick(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return command_line(monkeypatch, capsys)


@pytest.fixture
def said(maverick: Run) -> Said:
    """Runs a command that works; the lines of its output."""

    def run(*arguments: str) -> list[str]:
        ran = maverick(*arguments)
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    return run


@pytest.fixture
def refused(maverick: Run) -> Refused:
    """Runs a command that does not work; what it says."""

    def run(*arguments: str) -> str:
        ran = maverick(*arguments)
        assert (ran.code, ran.out) == (1, "")
        return ran.err

    return run


def test_a_list_from_its_first_task_to_its_last(said: Said, refused: Refused) -> None:
    assert said("tasks", "list") == ["Your list is empty."]
    given = ("Buy", "oat", "milk", "--priority", "high", "--due", "2026-12-01", "--tag", "home")
    assert said("tasks", "add", *given) == ["☐ Buy oat milk"]
    assert said("tasks", "add", "Pay rent") == ["☐ Pay rent"]
    assert said("tasks", "list") == ["☐ Buy oat milk (high, due 2026-12-01, #home)", "☐ Pay rent"]
    assert said("tasks", "done", "oat") == ["✓ Buy oat milk"]
    assert said("tasks", "list") == ["☐ Pay rent"]
    tasks = json.loads("\n".join(said("tasks", "list", "--all", "--json")))
    assert [(task["title"], task["completed"]) for task in tasks] == [("Pay rent", False), ("Buy oat milk", True)]
    assert "--yes" in refused("tasks", "rm", "rent"), "nobody can be asked"
    assert said("tasks", "rm", "rent", "--yes") == ["removed Pay rent"]
    assert "couldn't find a task about 'rent'" in refused("tasks", "done", "rent")
    assert "Low, Medium or High" in refused("tasks", "add", "x", "--priority", "silly")
    assert "2026-12-31" in refused("tasks", "add", "x", "--due", "next week")
    assert said("tasks", "add", "Call Ann", "--due", "Tomorrow") == ["☐ Call Ann"]
    due = [task["due"] for task in json.loads("\n".join(said("tasks", "list", "--json")))]
    assert due in ([(datetime.now().astimezone().date() + timedelta(days=days)).isoformat()] for days in (0, 1)), (
        "midnight may come between"
    )


def test_json_has_all_tasks_and_a_person_sees_fifty(said: Said) -> None:
    store = TaskStore(open_database())
    for number in range(60):
        store.add(local_user(), f"t{number}")
    assert len(json.loads("\n".join(said("tasks", "list", "--json")))) == 60
    assert len(json.loads("\n".join(said("tasks", "list", "--json", "--limit", "3")))) == 3
    shown = said("tasks", "list")
    assert (len(shown), shown[-1]) == (51, "…and 10 more; --limit shows them.")
    assert said("tasks", "list", "--tag", "none") == ["There are no such tasks in your list."]


def test_what_is_removed_does_not_stay_in_the_file(said: Said) -> None:
    file = Path(default_url().removeprefix("sqlite:///"))
    said("tasks", "add", "Buy the axolotl")
    said("tasks", "add", "Pay rent")

    def kept() -> bytes:
        return b"".join(one.read_bytes() for one in file.parent.glob(f"{file.name}*"))

    assert b"axolotl" in kept()
    said("tasks", "rm", "axolotl", "--yes")
    assert b"axolotl" not in kept()
    assert b"Pay rent" in kept()


@pytest.mark.explore
def test_what_is_removed_is_what_was_asked_about() -> None:
    store = TaskStore(open_database())
    for title in ("Buy milk", "Sell the milk farm"):
        store.add(local_user(), title)
    store.complete(local_user(), 2)
    ours, theirs = os.openpty()
    process = subprocess.Popen([MAVERICK, "tasks", "rm", "milk"], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while not seen.endswith(b"[y/N]: "):
        seen += os.read(ours, 1000)
    assert b"Delete 'Buy milk'?" in seen
    store.delete(local_user(), 1)
    os.write(ours, b"y\n")
    try:
        while True:
            if not os.read(ours, 1000):
                break
    except OSError:  # how the end of a pty reads
        pass
    os.close(ours)
    assert process.wait(30) == 1
    assert [task.title for task in store.list(local_user(), status="all").tasks] == ["Sell the milk farm"]


def test_a_wrong_database_is_one_clear_line(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_TASKS_URL", "postgresql://me:geheim@127.0.0.1:9/tasks")
    error = refused("tasks", "list")
    assert "cannot be opened" in error
    assert "geheim" not in error


def test_a_database_that_somebody_else_writes_to_is_told_in_a_line_and_logged(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_database()
    monkeypatch.setattr("maverick_tui.tasks.database.BUSY_SECONDS", 0.01)
    with sqlite3.connect(default_url().removeprefix("sqlite:///")) as lock:
        lock.execute("BEGIN IMMEDIATE")
        error = refused("tasks", "add", "Tea")
        lock.rollback()
    assert error.splitlines()[0] == "maverick: I'm having a bit of trouble right now. Please try again."
    assert "maverick.log" in error
    assert len(error.splitlines()) == 2
    assert "database is locked" in log_path().read_text()


@pytest.mark.parametrize("command", [("list",), ("list", "--tag", "x")])
def test_a_table_that_is_gone_is_told_without_the_statement(refused: Refused, command: tuple[str, ...]) -> None:
    open_database()
    with sqlite3.connect(default_url().removeprefix("sqlite:///")) as connection:
        connection.execute("DROP TABLE maverick_task")
    first, hint = refused("tasks", *command).splitlines()
    assert first.endswith(": no such table: maverick_task.")
    assert "SELECT" not in first
    assert "Its tables are gone" in hint


def test_a_guess_is_not_removed_unasked(said: Said, refused: Refused) -> None:
    said("tasks", "add", "Call")
    said("tasks", "add", "Buy groceries")
    assert "Did you mean 'Call'?" in refused("tasks", "rm", "Call the bank about the loan", "--yes")
    assert "Did you mean 'Buy groceries'?" in refused("tasks", "rm", "grocries", "--yes")
    assert said("tasks", "list") == ["☐ Call", "☐ Buy groceries"]


def test_in_quotes_a_title_means_that_one_only(said: Said, refused: Refused) -> None:
    for title in ("Pay the rent", "Pay the rent for the garage"):
        said("tasks", "add", title)
    assert "Which one: 'Pay the rent', 'Pay the rent for the garage'?" in refused("tasks", "done", "pay the rent")
    assert said("tasks", "done", "'pay the rent'") == ["✓ Pay the rent"]


def test_the_list_is_shown_without_what_it_does_not_take(said: Said) -> None:
    said("tasks", "add", "Tea")
    code = (
        "import sys; sys.argv = ['maverick', 'tasks', 'list']\n"
        "from maverick_tui.cli import main\n"
        "try: main()\n"
        "finally: assert not {'sqlalchemy', 'sqlmodel', 'mcp', 'httpx2', 'textual'} & set(sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr) == ("☐ Tea\n", "")


async def test_any_mcp_client_can_use_it(mark: str, said: Said) -> None:
    server = StdioServerParameters(command=MAVERICK, args=["mcp", "tasks"], env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        names = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(names) >= {"add_task", "list_tasks", "complete_task", "update_task", "delete_task"}
        offered = [name for tool in names.values() for name in tool.input_schema["properties"]]
        assert not any("user" in name for name in offered), "whose tasks they are is not for a client to say"
        await client.call_tool("add_task", {"title": "From outside", "user_id": "somebody else"})
        assert said("tasks", "list") == ["☐ From outside"]
        first = json.loads(_text(await client.call_tool("delete_task", {"task": "outside"})))
        assert first["error"]["code"] == "confirm"
        sure = {"task": "From outside", "confirmation": first["error"]["phrase"]}
        assert json.loads(_text(await client.call_tool("delete_task", sure)))["success"]
    assert said("tasks", "list", "--all") == ["Your list is empty."]


def test_a_request_that_cannot_be_read_is_answered_and_the_next_one_served(mark: str) -> None:
    begin = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    half = {"name": "add_task", "arguments": {"title": "\ud800"}}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": half},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/call", "params": 5},
        {"jsonrpc": "2.0", "id": "\ud800", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": half},  # nobody waits for an answer to it
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5},
        {"jsonrpc": "2.0", "id": 3, "result": 5},
    ]
    last = {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": begin}
    lines = [*map(json.dumps, sent), "", "[" * 2_000, json.dumps(last)]
    ran = subprocess.run(
        [MAVERICK, "mcp", "tasks"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(one["id"], one.get("error", {}).get("code")) for one in told] == [
        *((1, -32700), ("two", -32600), (None, -32700), (None, -32700), (4, None)),
    ]
    assert told[0]["error"]["message"].startswith("The request cannot be read: Invalid JSON")
    assert ran.stderr == ""


def _text(result: object) -> str:
    return str(result.content[0].text)  # type: ignore[attr-defined]
