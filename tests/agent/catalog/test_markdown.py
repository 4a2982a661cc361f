"""Agents in Claude Code's format: what is read, what is refused, and on which line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import AgentError, ConfigError
from maverick_tui.agent.catalog.loading import agent_class
from maverick_tui.agent.catalog.markdown import AgentFile, parse
from maverick_tui.agent.catalog.mcp_servers import Server
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.tools import DOCUMENTED_TOOLS
from tests.support.agents import context
from tests.support.cases import each
from tests.support.replay import assistant, init, replay, result

ALL_TOOLS = tuple(sorted(DOCUMENTED_TOOLS | {"AskUserQuestion"}))


def read(text: str | bytes, path: str = "agent.md") -> tuple[AgentFile | None, list[Problem]]:
    return parse(Path.cwd() / path, text if isinstance(text, bytes) else text.encode())


def read_fields(fields: str) -> tuple[AgentFile, list[Problem]]:
    """The fields start on line 4."""
    file, problems = read(f"---\nname: reviewer\ndescription: Reviews.\n{fields}\n---\nYou review.\n")
    assert file is not None
    return file, problems


def clean(fields: str) -> AgentFile:
    file, problems = read_fields(fields)
    assert problems == []
    return file


def only(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


def test_every_field_is_read() -> None:
    file, problems = read(
        """---
name: code-reviewer-2
description: >
  Reviews
  diffs.
tools: Read, Bash(git diff:*), mcp__files
disallowedTools: [Write]
model: opus
permissionMode: plan
maxTurns: 12
skills: [testing, style]
mcpServers:
  - files:
      command: files-server
      args: ["--root", "${HOME}"]
      env: {MODE: "ro"}
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - {type: command, command: ./check.sh, timeout: 5}
memory: project
background: false
effort: xhigh
isolation: worktree
color: blue
initialPrompt: Review the branch.
timeout: 2.5
maxTokens: 1000
maxBudgetUsd: 1
fuse: {usd: 2, minutes: 1.5}
---

You review.

Kindly.
"""
    )
    servers: dict[str, Server] = {
        "files": {
            "type": "stdio",
            "command": "files-server",
            "args": ["--root", "${HOME}"],
            "env": {"MODE": "ro"},
        }
    }
    tools = ("Read", "Bash(git diff:*)", "mcp__files__*")
    assert file == AgentFile(
        path=Path.cwd() / "agent.md",
        line=2,
        name="code-reviewer-2",
        description="Reviews diffs.",
        model="opus",
        tools=tools,
        names_tools=True,
        inputs=(),
        mcp_servers=servers,
        mcp_json=None,
        settings={
            "name": "code-reviewer-2",
            "description": "Reviews diffs.",
            "system_prompt": "You review.\n\nKindly.",
            "allowed_tools": tools,
            "model": "opus",
            "permission_mode": "plan",
            "max_turns": 12,
            "skills": ("testing", "style"),
            "mcp_servers": servers,
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]},
                ]
            },
            "effort": "xhigh",
            "initial_prompt": "Review the branch.",
            "timeout": 2.5,
            "max_tokens": 1000,
            "max_budget_usd": 1.0,
            "fuse": {"usd": 2, "minutes": 1.5},
            "isolation": "worktree",
        },
    )
    assert [(problem.line, problem.severity) for problem in problems] == [
        (22, "warning"),  # memory
        (23, "warning"),  # background
    ]
    assert all("has no effect in Maverick yet" in problem.message for problem in problems)


def test_name_and_description_and_a_prompt_are_enough() -> None:
    file = clean("color: red")
    assert (file.name, file.description, file.settings["system_prompt"]) == ("reviewer", "Reviews.", "You review.")
    assert file.model is None
    assert not {"model", "permission_mode", "max_turns", "timeout"} & file.settings.keys()
    assert not file.reaches_out


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    file, problems = read("\ufeff---\r\nname: a\r\ndescription: d\r\nfoo: 1\r\n---\r\nHi\r\nyou\r\n")
    assert file is not None
    assert file.settings["system_prompt"] == "Hi\nyou"
    assert only(problems).line == 4


# -- the file as a whole ---------------------------------------------------------------------------------------------


@each(
    ("text", "line", "message"),
    [
        ("", 1, "no front matter"),
        ("# Just a note", 1, "no front matter"),
        ("---\nname: a\n", 1, "never closed"),
        ("---\n- name: a\n---\nx", 2, "front matter that is a list"),
        ("---\njust text\n---\nx", 2, "front matter that is 'just text'"),
        ("---\nname: a\ndescription: d\n---\n \n\n", 5, "no system prompt"),
        ("---\nname: a\ndescription: d\n---\n", 4, "no system prompt"),
        ("---\nname: a\ndescription: d\n---", 4, "no system prompt"),
        (b"---\nname: a\ndescription: \xff\n---\n", 3, "byte 25 is 0xFF"),
        (b"\xef\xbb\xbf---\n\xff", 2, "byte 7 is 0xFF"),
        ("---\nname: a\ndescription: d\n---\nx\n\0", 6, "NUL byte"),
        ("---\nname: a\ndescription: d\x07\n---\nx", 3, "U+0007"),
        ("---\nname: a\ndescription: d\nname: b\n---\nx", 4, "'name' twice, first on line 2"),
        ("---\nname: a\ndescription: d\n? [x]\n: y\n---\nx", 4, "a list for a key"),
        ("---\nname: a\nx: " + "y" * 70_000 + "\n---\nx", 1, "64,000 are allowed"),
        ("---\n" + "".join(f"x{i}: y\n" for i in range(60)) + "---\nx", 1, "50 are allowed"),
        ("---\nx: [" + "y, " * 3_000 + "]\n---\nx", 2, "too many values"),
        ("---\nname: a\nx: " + "[" * 40 + "]" * 40 + "\n---\nx", 3, "nested more than 16 levels"),
        ("---\nname: a\nx:\n" + "".join("  " * i + "- \n" for i in range(1, 100)) + "---\n", 19, "nested"),
        ("---\nname: a\nx: &anchor y\n---\nx", 3, "anchor (&)"),
        ("---\nname: a\nx: [*alias]\n---\nx", 3, "alias (*)"),
        ("---\nname: a\nx: !!python/object/apply:os.system [id]\n---\nx", 3, "tag"),
        ("---\nname: a\nx: !custom y\n---\nx", 3, "tag"),
    ],
    ids=lambda value: repr(value)[:30],
)
@pytest.mark.parametrize("libyaml", [True, False])
def test_a_file_that_cannot_be_read_says_why_and_where(
    text: str | bytes, line: int, message: str, libyaml: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not libyaml:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    _, problems = read(text)
    problem = only([problem for problem in problems if message in problem.message])
    assert (problem.severity, problem.hint != "") == ("error", True)
    assert problem.line == line or message == "too many values"


def test_a_tool_without_its_end_is_said_to_be_none_once() -> None:
    problem = only(read("---\nname: a\ndescription: d\ntools: Bash(git log\n---\nx")[1])
    assert str(problem).endswith("tools: 'Bash(git log' does not name a tool. Write it as Name or Name(rule).")


def test_a_readme_among_the_agents_is_only_a_warning() -> None:
    assert only(read("# These are our agents", "README.md")[1]).severity == "warning"


def test_a_front_matter_that_starts_late_is_explained() -> None:
    assert "first line" in only(read("\n\n---\nname: a\n---\nx")[1]).hint


@each(
    ("fields", "line", "hint"),
    [
        ("a: 'unclosed\nb: 1", 2, "quotation mark"),
        ("a: [1, 2\nb: 3", 2, "Close the list"),
        ("a: 1\nb:\n\t- c", 4, "spaces instead of tabs"),
        ("a: 1\nb: @home", 3, 'Quote the value (b: "...")'),
        ("tools: *", 2, 'Quote the value (tools: "...")'),
        ("a: x: y\n more: z", 2, 'Quote the value (a: "..."), or write it as a block (a: |)'),
        ("description: d\n<example>\nb: 1", 3, "description: |"),
        ("description: first\n  Examples: second", 3, "description: |"),
    ],
)
@pytest.mark.parametrize("libyaml", [True, False])
def test_a_syntax_error_is_on_its_own_line_and_says_what_to_do(
    fields: str, line: int, hint: str, libyaml: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not libyaml:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    file, problems = read(f"---\n{fields}\n---\nx")
    assert file is None
    problem = only(problems)
    assert (problem.line, problem.severity) == (line, "error")
    assert hint in problem.hint


def test_a_description_with_a_colon_is_read_as_claude_code_reads_it() -> None:
    text = "description: Use it when: a \"thing\" breaks.\\nExamples: <example>user: 'hi' 😀</example> # all of it"
    file, problems = read(f"---\nname: a\n{text}\ntools: Read\nfoo: 1\n---\nx")
    assert file is not None
    assert (
        file.description == "Use it when: a \"thing\" breaks.\nExamples: <example>user: 'hi' 😀</example> # all of it"
    )
    assert file.tools == ("Read",)
    assert [(problem.line, problem.severity) for problem in problems] == [(3, "warning"), (5, "warning")]
    assert "Quote the value" in problems[0].hint


# -- names of fields -------------------------------------------------------------------------------------------------


@each(
    ("field", "meant"),
    [
        ("allowed_tools", "tools"),
        ("allowed-tools", "tools"),
        ("allowedTools", "tools"),
        ("Tools", "tools"),
        ("tool", "tools"),
        ("my_tool_list", "tools"),
        ("disallowed_tools", "disallowedTools"),
        ("denied-tools", "disallowedTools"),
        ("max_turns", "maxTurns"),
        ("permission_mode", "permissionMode"),
        ("permissions", "permissionMode"),
        ("mcp_servers", "mcpServers"),
        ("modell", "model"),
    ],
)
def test_a_field_that_was_meant_to_be_another_is_an_error(field: str, meant: str) -> None:
    problem = only(read_fields(f"{field}: Read")[1])
    assert (problem.severity, problem.line) == ("error", 4)
    assert repr(meant) in problem.hint


@pytest.mark.parametrize("field", ["author", "version", "tags", "category", "x"])
def test_a_field_that_nobody_knows_is_a_warning(field: str) -> None:
    problem = only(read_fields(f"color: red\n{field}: 1")[1])
    assert (problem.severity, problem.line) == ("warning", 5)
    assert "has no effect" in problem.message


@each("name", ["Reviewer", "code reviewer", "code_reviewer", "-a", "a--b", "ä", "a" * 65, '"a\\nb"'])
def test_a_name_has_lower_case_letters_digits_and_hyphens(name: str) -> None:
    file, problems = read(f"---\nname: {name}\ndescription: d\n---\nx")
    assert file is None
    assert only(problems).line == 2


def test_what_is_missing_is_named() -> None:
    _, problems = read("---\ncolor: red\n---\nx")
    assert sorted(problem.message for problem in problems) == ["Has no description.", "Has no name."]


# -- values ----------------------------------------------------------------------------------------------------------


@each(
    "field",
    [
        "model: sonet",
        "model: two words",
        "model: [sonnet]",
        "permissionMode: everything",
        "effort: extreme",
        "isolation: container",
        "memory: global",
        "background: maybe",
        "maxTurns: 0",
        "maxTurns: 1.5",
        "maxTurns: yes",
        "maxTurns: many",
        "timeout: -1",
        "timeout: .nan",
        "timeout: .inf",
        "maxTokens: '5'",
        "maxBudgetUsd: free",
        "fuse: 2",
        "fuse: {dollars: 2}",
        "fuse: {usd: 0}",
        "initialPrompt: {a: b}",
        "skills: {a: b}",
        "skills: [[a]]",
        "tools: {Read: true}",
        "tools: [Read, ]\ndisallowedTools: [{a: b}]",
        "mcpServers: [[a]]",
        "mcpServers: nowhere",
        "mcpServers: {a: {type: carrier-pigeon}}",
        "mcpServers: {a: {command: [x]}}",
        "mcpServers: {a: {command: x, args: [1]}}",
        "mcpServers: {a: {command: x, env: {A: 1}}}",
        "mcpServers: {a: {type: http}}",
        "mcpServers: {a__b: {command: x}}",
        "mcpServers: [{a: {command: x}}, {a: {command: y}}]",
        "hooks: run",
        "hooks: {PreTooluse: []}",
        "hooks: {PreToolUse: {}}",
        "hooks: {PreToolUse: [x]}",
        "hooks: {PreToolUse: [{matcher: [a], hooks: [{type: command, command: x}]}]}",
        "hooks: {PreToolUse: [{matcher: a}]}",
        "hooks: {PreToolUse: [{hooks: [{command: x}]}]}",
        "hooks: {PreToolUse: [{hooks: [{type: command}]}]}",
        "hooks: {PreToolUse: [{hooks: [{type: comand, command: x}]}]}",
        "hooks: {PreToolUse: [{hooks: [{type: agent}]}]}",
        "hooks: {PreToolUse: [{hooks: [{type: http, url: ''}]}]}",
    ],
)
def test_a_wrong_value_is_an_error_on_its_line(field: str) -> None:
    failures = [problem for problem in read_fields(f"color: red\n{field}")[1] if problem.is_error]
    assert only(failures).line == 5 + field.count("\n")
    assert failures[0].hint


def test_what_a_hook_lacks_is_shown_by_an_example_of_its_type() -> None:
    (missing,) = read_fields("hooks:\n  Stop:\n  - hooks:\n    - {type: command, command: x}\n    - type: agent")[1]
    assert missing.line == 8
    assert '"type": "agent", "prompt": "' in missing.hint


@pytest.mark.parametrize("model", ["sonnet", "claude-opus-4-1-20250805", "us.anthropic.claude-x:0", "my/model@2"])
def test_an_alias_and_any_full_id_is_a_model(model: str) -> None:
    assert clean(f"model: {model}").model == model


def test_inherit_is_no_model_of_its_own() -> None:
    assert clean("model: inherit").model is None


@pytest.mark.parametrize(
    ("mode", "becomes", "warns"),
    [
        ("default", "default", False),
        ("manual", "default", False),
        ("dontAsk", "dontAsk", False),
        ("acceptEdits", "acceptEdits", False),
        ("auto", "acceptEdits", True),
        ("bypassPermissions", "acceptEdits", True),
    ],
)
def test_no_permission_mode_is_wider_than_ours(mode: str, becomes: str, warns: bool) -> None:
    file, problems = read_fields(f"permissionMode: {mode}")
    assert file.settings["permission_mode"] == becomes
    assert [problem.severity for problem in problems] == ["warning"] * warns


def test_numbers_and_truth_values_are_fine_as_text() -> None:
    file, problems = read("---\nname: 123\ndescription: yes\n---\nx")
    assert file is not None
    assert (file.name, file.description, problems) == ("123", "yes", [])


# -- tools -----------------------------------------------------------------------------------------------------------


@each(
    ("fields", "tools"),
    [
        ("color: red", ALL_TOOLS),
        ("tools: '*'", ALL_TOOLS),
        ("tools: []", ()),
        ("tools: Read, Grep", ("Read", "Grep")),
        ("tools: [Read, 'Grep, Glob']", ("Read", "Grep", "Glob")),
        ("tools: Bash(git diff:*, git log:*), Read", ("Bash(git diff:*, git log:*)", "Read")),
        ("tools: Read, Read", ("Read",)),
        ("tools: KillShell, ListMcpResourcesTool", ("KillBash", "ListMcpResources")),
        ("tools: Task, Agent(worker)", ("Task", "Agent(worker)")),
        ("disallowedTools: Bash, Write", tuple(t for t in ALL_TOOLS if t not in ("Bash", "Write"))),
        ("tools: Read, Bash(ls:*)\ndisallowedTools: Bash", ("Read",)),
        ("tools: Read, Task\ndisallowedTools: Agent", ("Read",)),
        ("tools: Read, KillBash\ndisallowedTools: KillShell", ("Read",)),
        ("tools: Read\ndisallowedTools: '*'", ()),
        ("mcpServers: {a: {command: x}}", (*ALL_TOOLS, "mcp__a__*")),
        ("mcpServers: {a: {command: x}}\ntools: mcp__a", ("mcp__a__*",)),
        ("mcpServers: {a: {command: x}}\ntools: mcp__a__*, Read", ("mcp__a__*", "Read")),
        ("mcpServers: {a: {command: x}}\ntools: mcp__a__get", ("mcp__a__get",)),
        ("mcpServers: {a: {command: x}}\ntools: mcp__a__get, Read\ndisallowedTools: mcp__a", ("Read",)),
    ],
)
def test_the_tools_are_those_named_less_those_denied(fields: str, tools: tuple[str, ...]) -> None:
    assert clean(fields).tools == tools


def test_whether_the_file_names_tools_is_known() -> None:
    assert [clean(fields).names_tools for fields in ("color: red", "tools: '*'", "tools: []", "tools: Read")] == [
        False,
        False,
        True,
        True,
    ]


def test_an_empty_tools_field_never_means_all_tools() -> None:
    file, problems = read_fields("tools:")
    assert (file.tools, only(problems).severity) == ((), "warning")


@pytest.mark.parametrize("field", ["tools", "disallowedTools"])
@each(
    ("entry", "hint"),
    [
        ("read", "'Read'"),
        ("Bsh", "'Bash'"),
        ("Xyzzy", "The tools are"),
        ("Read Grep", "'Read'"),
        ("Bash(x", "Name(rule)"),
        ("mcp__", "mcp__server"),
        ("mcp__*", "mcp__server"),
        ("mcp__a__get_*", "mcp__server"),
    ],
)
def test_an_unknown_tool_is_an_error_with_a_suggestion(field: str, entry: str, hint: str) -> None:
    problem = only(read_fields(f"{field}:\n  - Read\n  - {entry}")[1])
    assert (problem.severity, problem.line) == ("error", 6)
    assert hint in problem.hint


def test_a_tool_that_reads_before_anybody_is_asked_is_left_out() -> None:
    file, problems = read_fields("tools: Read, Workflow")
    problem = only(problems)
    assert file.tools == ("Read",)
    assert (problem.severity, "before anybody can be asked" in problem.message) == ("warning", True)


@pytest.mark.parametrize("tool", ["LS", "MultiEdit", "NotebookRead", "TodoRead", "SlashCommand"])
def test_a_tool_that_is_no_more_is_left_out_with_a_warning(tool: str) -> None:
    file, problems = read_fields(f"tools: Read, {tool}")
    assert file.tools == ("Read",)
    assert only(problems).severity == "warning"
    assert read_fields(f"tools: {tool}")[0].tools == ()


@pytest.mark.parametrize(
    ("tools", "denied"),
    [("Read, Bash", "Bash(rm:*)"), ("Read, Bash(git:*)", "Bash(git push:*)"), ("Read, mcp__a", "mcp__a__drop")],
)
def test_a_denial_of_a_part_denies_the_whole(tools: str, denied: str) -> None:
    file, problems = read_fields(f"mcpServers: {{a: {{command: x}}}}\ntools: {tools}\ndisallowedTools: {denied}")
    assert file.tools == ("Read",)
    assert any("denies whole entries" in problem.message for problem in problems)
    assert {problem.severity for problem in problems} == {"warning"}


# -- MCP servers -----------------------------------------------------------------------------------------------------


@pytest.fixture
def mcp_json() -> Path:
    servers: dict[str, Server] = {
        "github": {"command": "gh-mcp", "args": ["--token", "${GH_TOKEN}"], "env": {"MODE": "${MODE:-read}"}},
        "docs": {"type": "http", "url": "https://docs.invalid/${PART:-}mcp", "headers": {"X": "1"}, "oauth": {}},
        "broken": {"type": "http"},
    }
    path = Path.cwd() / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def test_a_server_is_found_by_name_and_not_expanded(mcp_json: Path) -> None:
    file = clean("mcpServers: github\ntools: mcp__github")
    assert file.mcp_servers["github"]["args"] == ["--token", "${GH_TOKEN}"]
    assert file.mcp_json is not None
    assert (file.mcp_json.path, file.mcp_json.content) == (mcp_json, mcp_json.read_bytes())


def test_naming_a_tool_is_enough_to_have_its_server(mcp_json: Path) -> None:
    assert set(clean("tools: Read, mcp__github__get_issue").mcp_servers) == {"github"}


def test_a_server_that_is_not_there_is_an_error(mcp_json: Path) -> None:
    problem = only(read_fields("mcpServers: [githob]")[1])
    assert (problem.severity, problem.line, problem.hint) == ("error", 4, "Did you mean 'github'?")


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"mcpServers": []}', b"\xff", b"[" * 100_000])
def test_a_broken_mcp_json_is_named(content: bytes) -> None:
    Path(".mcp.json").write_bytes(content)
    assert ".mcp.json: " in only(read_fields("mcpServers: [github]")[1]).message


def test_a_link_to_the_servers_of_another_project_is_not_read(mcp_json: Path, tmp_path: Path) -> None:
    """They may be trusted there, and their commands are other programs here."""
    mcp_json.rename(tmp_path / "trusted.json")
    mcp_json.symlink_to(tmp_path / "trusted.json")
    assert "Leads out of the project" in only(read_fields("mcpServers: [github]")[1]).message


def test_a_wrong_server_of_the_project_is_an_error(mcp_json: Path) -> None:
    assert "url of the server 'broken' must be text" in only(read_fields("mcpServers: [broken]")[1]).message


def test_a_setting_of_a_server_that_has_no_effect_is_reported(mcp_json: Path) -> None:
    assert "'oauth'" in only(read_fields("mcpServers: [docs]")[1]).message


def test_a_tool_of_a_server_that_nobody_configured_is_left_out_with_a_warning() -> None:
    file, problems = read_fields("tools: Read, mcp__context7__search")
    assert (file.tools, only(problems).severity) == (("Read",), "warning")


def test_a_server_whose_tools_are_not_allowed_is_reported() -> None:
    assert "of no use" in only(read_fields("mcpServers: {a: {command: x}}\ntools: Read")[1]).message


def test_variables_are_left_to_the_cli_since_a_command_line_is_no_place_for_secrets(mcp_json: Path) -> None:
    file, _ = read_fields("mcpServers: [github, docs]")
    servers = agent_class(file, {"GH_TOKEN": "secret"}).mcp_servers
    assert servers["github"] == {
        "type": "stdio",
        "command": "gh-mcp",
        "args": ["--token", "${GH_TOKEN}"],
        "env": {"MODE": "${MODE:-read}"},
    }


def test_a_variable_that_is_not_set_is_named(mcp_json: Path) -> None:
    with pytest.raises(ConfigError, match="GH_TOKEN") as caught:
        agent_class(clean("mcpServers: github"), {})
    assert caught.value.path == str(mcp_json)


# -- the class -------------------------------------------------------------------------------------------------------


def test_the_class_has_what_the_file_says_and_else_the_defaults() -> None:
    cls = agent_class(clean("tools: Read\neffort: low\nmaxTurns: 3"))
    agent = cls()
    assert (agent.name, agent.description, agent.system_prompt) == ("reviewer", "Reviews.", "You review.")
    assert (agent.allowed_tools, agent.effort, agent.max_turns) == (["Read"], "low", 3)
    assert (agent.timeout, agent.permission_mode, agent.skills, agent.hooks) == (None, None, None, None)
    assert (cls.__name__, cls.__doc__) == ("Reviewer", "Reviews.")
    assert agent_class(clean("tools: Grep")).allowed_tools == ("Grep",)
    assert cls.allowed_tools == ("Read",)


def test_the_class_of_a_file_with_all_tools_can_be_made() -> None:
    assert agent_class(clean("color: red"))().allowed_tools == list(ALL_TOOLS)


async def test_the_prompt_is_that_of_the_context() -> None:
    agent = agent_class(clean("initialPrompt: from the file"))(transport=replay(init(), assistant("ok"), result()))
    outcome = await agent.execute(context())
    assert (outcome.success, outcome.output) == (True, "ok")


async def test_without_a_prompt_the_result_says_how_to_give_one() -> None:
    outcome = await agent_class(clean("color: red"))().execute(context())
    assert not outcome.success
    error = outcome.errors[0]
    assert isinstance(error, AgentError)
    assert error.kind == "invalid"
    assert "prompt" in error.hint


# -- anything at all -------------------------------------------------------------------------------------------------

FRAGMENTS = st.sampled_from(
    [
        "name: a",
        "tools:",
        "- ",
        ": ",
        "[",
        "{",
        "&a",
        "*a",
        "!!x ",
        "'",
        '"',
        "|",
        ">",
        "\t",
        "\n",
        "---",
        "%",
        "#",
        "  ",
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=5)).map("".join), st.text(max_size=20))
def test_no_text_makes_the_parser_raise(header: str, body: str) -> None:
    file, problems = read(f"---\n{header}\n---\n{body}".encode("utf-8", "replace"))
    assert file is not None or problems
    assert all(problem.line is None or problem.line >= 1 for problem in problems)


@given(st.binary(max_size=200))
def test_no_bytes_make_the_parser_raise(content: bytes) -> None:
    read(content)
    read(b"---\nname: a\ndescription: " + content + b"\n---\nx")


@given(st.from_regex(r"(tools|model|hooks|mcpServers|skills|maxTurns|name): .{0,40}", fullmatch=True))
def test_no_value_makes_the_parser_raise(field: str) -> None:
    read(f"---\nname: a\ndescription: d\n{field}\n---\nx".encode("utf-8", "replace"))
