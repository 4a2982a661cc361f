"""`maverick agents show`: all of one agent, as text and as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from maverick_tui import DEFAULT_MODEL, paths
from maverick_tui.agent.catalog.trust import TrustStore
from tests.cli.agent_files import PYTHON, ROOT, write, write_agent
from tests.support.command_line import Run


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--agent", "reviewer"], "Give it a prompt"), (["--offline", "--script", "x"], "Name an agent with --agent")],
)
def test_what_is_missing_without_a_terminal_is_named(
    maverick: Run, given: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    ran = maverick(*given)
    assert ran.code == 2
    assert told in ran.err
    assert ("Name an agent" in ran.err) == ("Name" in told)


def test_show_is_the_whole_agent(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MAX_TURNS", "7")
    servers = 'mcpServers: {gh: {command: npx, args: [gh-mcp], env: {TOKEN: "hush"}}}'
    hooks = "hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]}"
    write_agent("reviewer", f"tools: Read, Bash(git:*), mcp__gh\n{servers}\n{hooks}\ntimeout: 60\nskills: a, b")
    ran = maverick("agents", "show", "reviewer")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "reviewer\n"
        "  Reviews diffs.\n"
        "\n"
        "form      markdown, from the project\n"
        "file      .claude/agents/reviewer.md\n"
        "trust     NOT TRUSTED: read the file, then run maverick agents trust reviewer\n"
        f"model     {DEFAULT_MODEL} (default)\n"
        "mode      acceptEdits (default)\n"
        "may       Read, Bash(git:*), mcp__gh__*\n"
        "          without a person: exactly these run, nothing else\n"
        "asks      Bash(git:*), mcp__gh__*\n"
        "limits    60 s without a sign of life, 7 turns (your settings), 32,000 tokens an\n"
        "          answer (default), no budget\n"
        "server    gh: stdio npx gh-mcp\n"
        "hook      PreToolUse Bash: command ./check.sh\n"
        "skills    a, b\n"
        "\n"
        "prompt\n"
        "  You are reviewer.\n"
    )


def test_show_says_that_a_file_without_tools_has_all(maverick: Run) -> None:
    write_agent("reviewer")
    out = maverick("agents", "show", "reviewer").out
    assert "may       all tools (the file names none): AskUserQuestion, Bash, BashOutput" in out
    assert "exactly these run but AskUserQuestion, ExitPlanMode, nothing else" in " ".join(out.split())


@pytest.mark.parametrize(
    ("mode", "asks"),
    [
        ("default", "Edit; Bash unless it only reads"),
        ("plan", "Edit; Bash unless it only reads"),
        ("acceptEdits", "Bash unless it only reads; outside of the project also Edit"),
        ("dontAsk", "never: what would ask is refused"),
    ],
)
def test_show_tells_what_asks_in_the_agents_mode(maverick: Run, mode: str, asks: str) -> None:
    write_agent("reviewer", f"tools: Read, Edit, Bash\npermissionMode: {mode}")
    assert f"\nasks      {asks}\n" in maverick("agents", "show", "reviewer").out


def test_nothing_asks_if_there_is_nothing_to_ask_about(maverick: Run) -> None:
    write_agent("reviewer", "tools: Read")
    assert (
        "\nasks      only for more than that, and where keys are kept\n" in maverick("agents", "show", "reviewer").out
    )
    write_agent("talker", "tools: []")
    out = maverick("agents", "show", "talker").out
    assert "may       nothing: no tools are named\nasks      never\n" in out


def test_show_says_that_an_agent_with_sessions_of_its_own_chooses_its_tools(maverick: Run) -> None:
    (folder := paths.user_config() / "agents").mkdir(parents=True)
    copy(ROOT / "agents" / "tasks.py", folder)
    out = maverick("agents", "show", "tasks").out
    assert (
        "may       tools of its own, which its code chooses\nasks      when its code does, in the conversation\n" in out
    )
    shown = json.loads(maverick("agents", "show", "tasks", "--json").out)
    assert (shown["may"], shown["asks"]) == (None, None)


def test_show_does_not_say_nothing_where_tools_are_not_known(maverick: Run) -> None:
    path = Path(".maverick/agents/counter.py")
    path.parent.mkdir(parents=True)
    path.write_text(
        "from maverick_tui import MaverickAgent\n\ndef count(text: str) -> int: return len(text)\n\n"
        "class Counter(MaverickAgent):\n    'Counts.'\n    system_prompt = 'Count.'\n    engine = 'api'\n"
        "    own_tools = [count]\n    async def execute(self, context): return await self.run('go', context)\n"
    )
    assert "may       unknown: only running the file would tell\n" in maverick("agents", "show", "counter").out


def test_show_wraps_the_prompt_but_not_its_code(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    path = write_agent("reviewer")
    code = "x = " + "1 + " * 12 + "1"
    path.write_text(
        path.read_text() + f"Read the diff file by file, from the first to the last.\n"
        f"1. Settle the scope with the user before you start.\n```\n{code}\n```\n    {code}\n| {code} |\n"
    )
    assert maverick("agents", "show", "reviewer").out.partition("prompt\n")[2] == (
        "  You are reviewer.\n"
        "  Read the diff file by file, from the\n"
        "  first to the last.\n"
        "  1. Settle the scope with the user\n"
        "     before you start.\n"
        f"  ```\n  {code}\n  ```\n      {code}\n  | {code} |\n"
    )


def show_json(maverick: Run, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(maverick("agents", "show", name, "--json").out)
    return data


def test_show_as_json(maverick: Run) -> None:
    write_agent("reviewer", 'tools: Read, Bash\nmcpServers: {gh: {command: npx, env: {TOKEN: "hush"}}}\nmaxTurns: 3')
    data = show_json(maverick, "reviewer")
    assert list(data) == [
        "name", "description", "source", "form", "path", "trust", "stands_in_for", "engine",
        "engine_settings", "model",
        "permission_mode", "names_tools", "may", "asks", "limits", "mcp_servers", "hooks", "skills", "effort", "inputs",
        "initial_prompt", "prompt", "unknown", "problems", "forecast",
    ]  # fmt: skip
    assert data["model"] == {"value": DEFAULT_MODEL, "from": "default"}
    assert (data["may"], data["asks"]) == (["Read", "Bash"], ["Bash"])
    assert data["limits"]["max_turns"] == {"value": 3, "from": "agent"}
    assert data["mcp_servers"] == {"gh": {"type": "stdio", "command": "npx", "env": ["TOKEN"]}}


def test_show_lists_what_is_asked_for_before_a_run(maverick: Run) -> None:
    write_agent("reviewer", "inputs: {base: {default: main, description: Where it starts.}, deep: {type: boolean}}")
    path = Path(".claude/agents/reviewer.md")
    path.write_text(path.read_text() + "Compare with ${base}, ${deep}.\n")
    data = show_json(maverick, "reviewer")
    assert [spec["name"] for spec in data["inputs"]] == ["base", "deep"]
    out = maverick("agents", "show", "reviewer").out
    assert "input     base: string, default main. Where it starts.\n" in out
    assert "input     deep: boolean\n" in out


def test_an_agent_whose_inputs_are_missing_is_not_run_as_text(maverick: Run) -> None:
    path = write_agent("reviewer", "inputs: {base: }")
    path.write_text(path.read_text() + "From ${base}.\n")
    for arguments in (["--agent", "reviewer", "--prompt", "go"], ["run", "reviewer", "go"]):
        ran = maverick(*arguments)
        assert ran.code == 2
        assert "'reviewer' cannot be used: base is needed" in " ".join(ran.err.split())


def test_a_file_that_is_not_trusted_is_only_read(maverick: Run) -> None:
    path = write(".maverick/agents/pilot.py", PYTHON)
    data = show_json(maverick, "pilot")
    assert (data["trust"], data["unknown"], data["may"], data["prompt"]) == (
        "not trusted",
        ["allowed_tools"],
        None,
        "You fly.",
    )
    assert data["problems"] == []
    assert "only running the file would tell" in maverick("agents", "show", "pilot").out
    assert not Path("ran").exists()
    TrustStore().trust(path, path.read_bytes())
    data = show_json(maverick, "pilot")
    assert (data["trust"], data["unknown"], data["may"], data["asks"]) == ("trusted", [], ["Read", "Bash"], ["Bash"])
    assert Path("ran").exists()


def test_a_trusted_file_that_cannot_be_run_is_shown_with_the_reason(maverick: Run) -> None:
    path = write(".maverick/agents/pilot.py", PYTHON + "raise ValueError('\\x1b[31m')\n")
    TrustStore().trust(path, path.read_bytes())
    data = show_json(maverick, "pilot")
    assert data["unknown"] == ["allowed_tools"]
    assert "ValueError: \x1b" in data["problems"][0]["message"]
    assert "ValueError: ␛[31m" in maverick("agents", "show", "pilot").out


def test_the_place_of_a_file_that_cannot_be_run_is_told_once(maverick: Run) -> None:
    path = write(".maverick/agents/pilot.py", PYTHON + "raise ValueError('no fuel.')\n")
    TrustStore().trust(path, path.read_bytes())
    (problem,) = show_json(maverick, "pilot")["problems"]
    assert (problem["path"], problem["line"]) == (str(path.resolve()), 11)
    assert problem["message"] == "Cannot be loaded: ValueError: no fuel."


def test_what_a_trusted_file_prints_is_not_in_the_json(maverick: Run) -> None:
    constructor = "    def __init__(self): super().__init__(); print('constructed')\n"
    path = write(".maverick/agents/pilot.py", f"print('imported')\n{PYTHON}{constructor}")
    TrustStore().trust(path, path.read_bytes())
    ran = maverick("agents", "show", "pilot", "--json")
    assert json.loads(ran.out)["may"] == ["Read", "Bash"]
    assert ran.err == "imported\nconstructed\n"


def test_the_default_is_marked_after_the_file_was_run_too(maverick: Run) -> None:
    path = write(".maverick/agents/pilot.py", PYTHON)
    TrustStore().trust(path, path.read_bytes())
    assert show_json(maverick, "pilot")["model"] == {"value": DEFAULT_MODEL, "from": "default"}
    path.write_text(PYTHON + f"    model = {DEFAULT_MODEL!r}\n")
    TrustStore().trust(path, path.read_bytes())
    assert show_json(maverick, "pilot")["model"] == {"value": DEFAULT_MODEL, "from": "agent"}


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ("max_turns = 'many'", "'many' turns"),
        ("timeout = [1, 2]", "[1, 2] s without"),
        ("max_tokens = 0x" + "f" * 9_000, "<int>"),
        ("max_budget_usd = 1e999", "inf US$"),
        ("model = {'a': 1}", "model     {'a': 1}"),
        ("permission_mode = 5", "mode      5"),
        ("mcp_servers = {'a': {'command': 3, 'env': 5, 'args': 7}, 'b': 6}", "server    a: stdio 3"),
        ("hooks = {'Stop': 5}", "error: allowed_tools"),
        ("skills = {'a'}", "skills    {'a'}"),
        ("system_prompt = 5", "prompt\n  5"),
        ("system_prompt = None", "prompt\n  (none)"),
    ],
    ids=lambda value: value[:20],
)
def test_odd_values_are_shown_as_they_are(maverick: Run, settings: str, shown: str) -> None:
    write(".maverick/agents/pilot.py", PYTHON.replace("allowed_tools", f"{settings}\n    allowed_tools = 'x' #"))
    ran = maverick("agents", "show", "pilot")
    assert (ran.code, ran.err) == (0, "")
    assert shown in ran.out
    assert "allowed_tools must be a list of tools" in ran.out
    strict = json.loads(maverick("agents", "show", "pilot", "--json").out, parse_constant=pytest.fail)
    assert strict["name"] == "pilot"


def test_an_agent_that_gives_its_settings_odd_objects_is_shown(maverick: Run) -> None:
    odd = (
        "class Odd:\n    def __repr__(self): raise RuntimeError\n"
        "loop = []\nloop.append(loop)\n"
        "Pilot.hooks, Pilot.skills, Pilot.effort = {'Stop': loop}, loop, Odd()\n"
        "Pilot.allowed_tools = ['Bash(', 5]\n"
    )
    path = write(".maverick/agents/pilot.py", PYTHON + odd)
    TrustStore().trust(path, path.read_bytes())
    data = show_json(maverick, "pilot")
    assert (data["effort"], data["may"], data["asks"]) == ("<Odd>", ["Bash(", "5"], ["Bash(", "5"])
    ran = maverick("agents", "show", "pilot")
    assert (ran.code, "<Odd>" in ran.out) == (0, True)


def test_show_does_not_claim_tools_for_a_file_with_errors(maverick: Run) -> None:
    write_agent("reviewer", "allowed_tools: Read")
    ran = maverick("agents", "show", "reviewer")
    assert "may       unknown: the file has errors" in ran.out
    assert "reviewer.md:4: error:" in ran.out


def test_no_such_agent_leaves_with_three(maverick: Run) -> None:
    write_agent("reviewer")
    for command in ("show", "trust"):
        ran = maverick("agents", command, "reviewr")
        assert (ran.code, ran.out) == (3, "")
        assert ran.err == (
            "maverick: There is no agent named 'reviewr'.\n  Did you mean 'reviewer'? Known agents: reviewer.\n"
        )


def test_a_broken_file_is_named_when_its_agent_is_asked_for(maverick: Run) -> None:
    write(".claude/agents/reviewer.md", "---\nname: [\n---\n")
    ran = maverick("agents", "show", "reviewer")
    assert ran.code == 1
    assert ran.err.startswith("maverick: The agent 'reviewer' cannot be read. .claude/agents/reviewer.md:2: ")


def test_a_file_is_not_its_agent(maverick: Run) -> None:
    write_agent("reviewer", "allowed_tools: Read").rename(".claude/agents/security.md")
    ran = maverick("agents", "show", "security")
    assert ran.code == 3
    assert ran.err == (
        "maverick: There is no agent named 'security'.\n"
        "  .claude/agents/security.md defines 'reviewer'. Known agents: reviewer.\n"
    )


def test_paths_are_short_in_text_and_whole_in_json(maverick: Run, home: Path) -> None:
    first = write_agent("reviewer", folder=str(home / ".claude/agents"))
    first.with_name("z.md").write_bytes(first.read_bytes())
    write_agent("pilot", "allowed_tools: Read")
    assert maverick("agents", "check").out == (
        ".claude/agents/pilot.md:4: error: There is no field 'allowed_tools'. Did you\n"
        "    mean 'tools'?\n"
        "~/.claude/agents/z.md:2: error: Has the name 'reviewer', which is defined\n"
        "    already in ~/.claude/agents/reviewer.md. Give one of them another name.\n"
        "3 files checked: 2 errors, 0 warnings.\n"
    )
    assert ". .claude/agents/pilot.md:4: " in maverick("agents", "trust", "pilot").err
    data = json.loads(maverick("agents", "check", ".claude", "--json").out)
    assert [problem["path"] for problem in data["problems"]] == [str(Path(".claude/agents/pilot.md").resolve())]
