"""`maverick agents list`: the table, its width, and what hostile files put into it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from maverick_tui import paths
from tests.cli.agent_files import PYTHON, environment, write, write_agent
from tests.support.command_line import Run
from tests.support.sampling import sampled


def test_list_is_a_table_by_source(maverick: Run, home: Path) -> None:
    write_agent("reviewer", "tools: Read, Grep\nmodel: opus")
    write_agent("everything", "memory: user", description="Does " + "everything " * 30, folder=".maverick/agents/deep")
    write_agent("reviewer", folder=str(home / ".claude/agents"))
    write_agent("mine", "tools: []", folder=str(home / ".claude/agents"))
    write("./.maverick/agents/pilot.py", PYTHON)
    write_agent("copilot", folder="shipped").rename(".maverick/agents/z.md")
    ran = maverick("agents", "list")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "    NAME        FORM  MODEL  TOOLS  DESCRIPTION\n"
        "\n"
        "PROJECT  .maverick/agents\n"
        "    copilot     md    -      17     Reviews diffs.\n"
        "*   pilot       py    -      ?      Flies.\n"
        "\n"
        "PROJECT  .maverick/agents/deep\n"
        "!   everything  md    -      17     Does everything everything everything every…\n"
        "\n"
        "PROJECT  .claude/agents\n"
        "*   reviewer    md    opus   2      Reviews diffs.\n"
        "\n"
        "YOURS  ~/.claude/agents\n"
        "    mine        md    -      0      Reviews diffs.\n"
        "\n"
        "HIDDEN  by nearer ones of the same name\n"
        "    reviewer    md    -      17     ~/.claude/agents/reviewer.md\n"
        "\n"
        "* not trusted yet: read the file, then run maverick agents trust NAME\n"
        "\n"
        ".claude/agents/reviewer.md: note: reviewer stands in for your own reviewer\n"
        "\n"
        "! 6 files checked: 0 errors, 1 warning.\n"
        ".maverick/agents/deep/everything.md:4: warning: memory has no effect in Maverick\n"
        "    yet. It is kept for Claude Code.\n"
    )
    assert not Path("ran").exists()


def test_what_is_shipped_has_the_same_heading_everywhere(maverick: Run, tmp_path: Path) -> None:
    write_agent("explorer", folder=str(tmp_path / "package" / "agents"))
    assert maverick("agents", "list").out == (
        "    NAME      FORM  TOOLS  DESCRIPTION\n"
        "\n"
        "SHIPPED  maverick_tui/agents\n"
        "    explorer  md    17     Reviews diffs.\n"
    )


def test_list_shows_a_few_problems_the_errors_first(maverick: Run) -> None:
    for number in range(4):
        write_agent(f"odd-{number}", "author: me")
    write_agent("wrong", "allowed_tools: Read")
    lines = maverick("agents", "list").out.partition("\n\n! ")[2].splitlines()
    assert lines[0] == "5 files checked: 1 error, 4 warnings."
    assert "wrong.md:4: error" in lines[1]
    assert lines[-1] == "... and 2 more: run maverick agents check"
    assert len([line for line in lines if ".md:4" in line]) == 3


@pytest.mark.parametrize("columns", [80, 100])
def test_the_table_fits_the_terminal(maverick: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    write_agent("a" * 60, "model: claude-something-with-a-very-long-name-4-5", description="評価する " * 30)
    lines = maverick("agents", "list").out.splitlines()
    assert max(cell_len(line) for line in lines) in (columns, columns - 1)


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("arguments", [["list"], ["check"], ["show", "a" * 60]])
def test_nothing_is_wider_than_a_small_terminal(
    maverick: Run, monkeypatch: pytest.MonkeyPatch, home: Path, columns: int, arguments: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    fields = f"model: claude-something-with-a-very-long-name-4-5\nmaxTurns: {'評価する' * 6}\n評価する: 1"
    for folder in (f".claude/agents/{'deep' * 20}", str(home / ".claude/agents")):
        write_agent("a" * 60, fields, description="評価する " * 30, folder=folder)
    write(".maverick/agents/pilot.py", PYTHON)
    lines = maverick("agents", *arguments).out.splitlines()
    assert [line for line in lines if cell_len(line) > columns] == []
    assert len(lines) > 5


def test_without_agents_list_says_so(maverick: Run) -> None:
    assert maverick("agents", "list") == (0, "There are no agents.\n", "")


def test_list_as_json_has_the_documented_keys(maverick: Run) -> None:
    write_agent("reviewer", "allowed_tools: Read", description="日本")
    ran = maverick("agents", "list", "--json")
    assert ran.out.isascii()
    data = json.loads(ran.out)
    assert list(data) == ["agents", "shadowed", "problems"]
    (agent,) = data["agents"]
    assert list(agent) == [
        "name", "description", "source", "form", "path", "model", "tools", "problems", "needs_trust",
        "stands_in_for", "inputs",
    ]  # fmt: skip
    assert agent["problems"] == data["problems"]
    assert list(data["problems"][0]) == ["path", "line", "severity", "message", "hint"]


def test_list_as_json_has_the_hidden_ones_apart(maverick: Run, home: Path) -> None:
    write_agent("reviewer")
    hidden = write_agent("reviewer", folder=str(home / ".claude/agents"))
    data = json.loads(maverick("agents", "list", "--json").out)
    assert [agent["source"] for agent in data["agents"]] == ["project"]
    assert [agent["path"] for agent in data["shadowed"]] == [str(hidden)]


def test_show_has_no_secret_of_a_server(maverick: Run) -> None:
    write_agent(
        "reviewer",
        "mcpServers: {gh: {command: npx, args: [--token, hush-hush-1]}, db: {type: http, url: 'https://me:hush-2@h/m'}}",
    )
    for ran in (maverick("agents", "show", "reviewer"), maverick("agents", "show", "reviewer", "--json")):
        assert ran.code == 0
        assert "npx" in ran.out
        assert "hush" not in ran.out


def test_a_projects_agent_in_the_place_of_ones_own_is_told_and_refused_until_it_is_trusted(maverick: Run) -> None:
    path = write_agent("reviewer")
    write(str(paths.user_config() / "agents/reviewer.md"), path.read_text())
    note = ".claude/agents/reviewer.md: note: reviewer stands in for your own reviewer"
    assert note in maverick("agents", "list").out
    assert "beware    stands in for your own reviewer" in maverick("agents", "show", "reviewer").out
    shown = json.loads(maverick("agents", "show", "reviewer", "--json").out)
    assert (shown["trust"], shown["stands_in_for"]) == ("not trusted", {"name": "reviewer", "source": "user"})
    checked = maverick("agents", "check", "--strict")
    assert (checked.code, note in checked.out, "no problems" in checked.out) == (0, True, True)
    refused = maverick("--agent", "reviewer", "--prompt", "go")
    assert refused.code == 4
    assert "is not trusted" in refused.err
    assert "maverick agents trust reviewer" in refused.err
    assert maverick("agents", "trust", "reviewer", "--yes").code == 0
    assert json.loads(maverick("agents", "show", "reviewer", "--json").out)["trust"] == "trusted"


EVIL = '"\\e]0;evil\\a\\e[31m\\u202eright\\x9b2J\\u200f\\u200b\\u2028\\uFEFF\\U000E0041\\u3164"'


@pytest.mark.parametrize(
    "arguments", sampled([["list"], ["show", "evil"], ["check"], ["list", "--json"], ["show", "evil", "--json"]], 5)
)
def test_no_byte_of_a_file_steers_the_terminal(arguments: list[str]) -> None:
    write_agent("evil", f"initialPrompt: {EVIL}\n{EVIL}: 1\nhooks: {{Stop: [{{hooks: [{{type: {EVIL}}}]}}]}}", EVIL)
    write(".claude/agents/\x1b]0;evil\x07\udcff.md", "no agent")
    prompt = Path(".claude/agents/evil.md")
    prompt.write_text(prompt.read_text() + "\x1b]0;evil\x07 \x9b2J \u202e\u061c\n")
    command = [sys.executable, "-m", "maverick_tui", "agents", *arguments]
    ran = subprocess.run(command, capture_output=True, env=environment(), check=False)
    assert ran.returncode == (1 if arguments == ["check"] else 0)
    assert b"evil" in ran.stdout
    for active in "\x1b\x07\x9b\u202e\u200f\u200b\u2028\ufeff\U000e0041\u3164\u061c":
        assert active.encode() not in ran.stdout + ran.stderr
