"""allowed_tools: what is accepted, and what it means for the SDK."""

from __future__ import annotations

import pytest
from claude_agent_sdk import PermissionResultAllow, SystemMessage

from maverick_tui import BUILTIN_TOOLS, InvalidToolError
from maverick_tui.agent.tools import (
    READ_ONLY_TOOLS,
    ToolRule,
    grants,
    is_understood,
    may_use,
    parse_tool,
    validate_tools,
)
from tests.conftest import ServeModel
from tests.support.agents import Talker, context, drain
from tests.support.cases import each
from tests.support.model import say
from tests.support.sampling import sampled

DOCUMENTED = """Read Write Edit Bash Glob Grep NotebookEdit WebFetch WebSearch TodoWrite BashOutput KillBash Task
    ExitPlanMode ListMcpResources ReadMcpResource""".split()
SERVERS: dict[str, dict[str, str]] = {"git": {}, "my__odd": {}}


@pytest.mark.req("001-C-builtin")
def test_the_documented_tools_are_there() -> None:
    assert isinstance(BUILTIN_TOOLS, frozenset)
    assert len(DOCUMENTED) == 16
    assert set(DOCUMENTED) <= BUILTIN_TOOLS
    assert READ_ONLY_TOOLS <= BUILTIN_TOOLS
    assert not READ_ONLY_TOOLS & {"Write", "Edit", "Bash", "WebFetch", "WebSearch", "NotebookEdit", "Task"}


class Everything(Talker):
    """Lets the CLI offer whatever it has."""

    def _build_options(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        from dataclasses import replace

        return replace(super()._build_options(*args, **kwargs), tools=None, disallowed_tools=[])  # type: ignore[arg-type]


@pytest.mark.req("001-C-builtin")
@pytest.mark.parametrize("todo", sampled([False, True], 2))
async def test_every_tool_that_the_bundled_cli_reports_is_known(
    todo: bool, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object) -> PermissionResultAllow:
        return PermissionResultAllow()

    monkeypatch.setenv("ENABLE_TOOL_SEARCH", "0")  # it tells of all of them at once
    if todo:
        monkeypatch.setenv("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        monkeypatch.setenv("CLAUDE_CODE_ENABLE_TASKS", "0")
    else:
        monkeypatch.setenv("CLAUDE_CODE_ENABLE_TASKS", "1")
    async with serve(say("ok")) as model, Everything().session(context(), can_use_tool=ask) as session:
        got, _ = await drain(session.query("x"))
    init = next(m for m in got if isinstance(m, SystemMessage) and m.subtype == "init")
    reported = set(init.data["tools"])
    assert {"Read", "Bash", "Edit"} <= reported
    assert reported - BUILTIN_TOOLS <= {"Workflow"}, "which no agent here has"
    takes = {tool["name"]: tool["input_schema"].get("properties", ()) for tool in model.requests[0]["tools"]}
    assert {"Read", "Bash", "Edit"} <= takes.keys()
    handing_on = {name for name in takes.keys() & BUILTIN_TOOLS if not is_understood(name, takes[name])}
    assert handing_on <= {"Skill"}, "whose text may put its arguments behind an @"


@pytest.mark.req("001-MA-tools", "000-FR-002b")
@pytest.mark.parametrize(
    "entry", ["Read", "Bash(git diff:*)", "Bash(*)", "mcp__git__log", "mcp__git__*", "mcp__my__odd__tool", "Agent"]
)
def test_known_tools_are_accepted(entry: str) -> None:
    validate_tools([entry], SERVERS)


@pytest.mark.req("001-MA-tools", "000-FR-002b", "001-E-invalidtool")
@each(
    ("entry", "says"),
    [
        ("Raed", "Did you mean 'Read'"),
        ("read", "Did you mean 'Read'"),
        ("", "Name or Name(rule)"),
        ("Bash(git", "Name or Name(rule)"),
        ("Bash(echo:*),Bash(*)", "Name or Name(rule)"),
        ("mcp__git", "mcp__git__*"),
        ("mcp__git__", "mcp__git__*"),
        ("mcp__hub__log", "configured: git, my__odd"),
        ("mcp__", "no MCP server"),
        (7, "named by a string"),
    ],
)
def test_unknown_tools_are_refused_with_a_reason(entry: str, says: str) -> None:
    with pytest.raises(InvalidToolError) as raised:
        validate_tools(["Read", entry], SERVERS)
    assert says in str(raised.value)
    assert raised.value.tool_name in (entry, repr(entry))
    assert "Read" in raised.value.available_tools


def test_the_configured_servers_are_among_the_available_tools() -> None:
    with pytest.raises(InvalidToolError) as raised:
        validate_tools(["mcp__hub__log"], SERVERS)
    assert "mcp__git__*" in raised.value.available_tools


def test_rules_are_split_from_tools() -> None:
    assert parse_tool("Bash(git log:*)") == ToolRule("Bash", "git log:*")
    assert parse_tool(" Bash(echo (a) b) ") == ToolRule("Bash", "echo (a) b")
    assert parse_tool("Read()") == parse_tool("Read(*)") == ToolRule("Read")


def test_without_a_person_every_tool_that_is_listed_as_a_whole_is_approved_and_nothing_else_exists() -> None:
    listed = ["Read", "KillBash", "Bash(git diff:*)", "Bash(git log:*)", "Edit(*)", "mcp__git__*"]
    granted = grants(listed, person=False)
    assert granted.tools == ["Read", "TaskStop", "Bash", "Edit"]
    assert granted.allowed_tools == ["Read", "TaskStop", "Edit", "mcp__git"], "rules are the judge's"
    assert granted.disallowed_tools == ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]
    assert grants([], person=False).tools == []


def test_with_a_person_only_what_reads_is_approved() -> None:
    granted = grants(
        ["Read", "Grep", "Edit", "Bash(git diff:*)", "WebFetch", "mcp__git__*", "ExitPlanMode"], person=True
    )
    assert granted.allowed_tools == ["Read", "Grep"]
    assert granted.tools == ["Read", "Grep", "Edit", "Bash", "WebFetch", "ExitPlanMode"]
    assert "ExitPlanMode" not in granted.disallowed_tools


@each(
    ("tool", "may"),
    [
        ("Bash", True), ("Agent", True), ("Task", True), ("mcp__git__log", True), ("mcp__hub__one", True),
        ("Read", False), ("mcp__hub__two", False), ("mcp__gitlab__x", False), ("ListMcpResourcesTool", True),
    ],
)  # fmt: skip
def test_what_a_call_may_use(tool: str, may: bool) -> None:
    assert may_use(tool, ["Bash(ls)", "Task", "mcp__git__*", "mcp__hub__one", "ListMcpResources"]) is may
