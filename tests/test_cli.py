"""The command line: what it prints, and with which exit code it leaves."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from rich.cells import cell_len

from maverick_tui import DEFAULT_MODEL, ConfigError, __version__, paths
from maverick_tui.agent.catalog.trust import TrustStore, fingerprint
from maverick_tui.cli.text_run import run_text
from maverick_tui.cli.width import cut, wrap
from tests.support.command_line import Run, command_line
from tests.support.sampling import sampled

ROOT = Path(__file__).parents[1]

PYTHON = """from pathlib import Path
from maverick_tui import MaverickAgent

Path("ran").touch()

class Pilot(MaverickAgent):
    "Flies."
    system_prompt = "You fly."
    allowed_tools = ["Read"] + ["Bash"]
    async def execute(self, context): return await self.run("go", context)
"""


@pytest.fixture
def maverick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, without the agents that we ship."""
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "package")
    monkeypatch.setenv("COLUMNS", "80")
    return command_line(monkeypatch, capsys)


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def write(path: str | Path, text: str) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_agent(
    name: str, fields: str = "", description: str = "Reviews diffs.", folder: str = ".claude/agents"
) -> Path:
    text = f"---\nname: {name}\ndescription: {description}\n{fields}\n---\nYou are {name}.\n"
    return write(Path(folder) / f"{name}.md", text)


# -- the program as a whole ------------------------------------------------------------------------------------------


def test_the_version_is_told(maverick: Run) -> None:
    assert maverick("--version") == (0, f"maverick {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["agents"], ["agents", "-h"]])
def test_help_is_told(maverick: Run, arguments: list[str]) -> None:
    ran = maverick(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "agents" in ran.out


def test_exit_codes_are_documented(maverick: Run) -> None:
    out = maverick("agents", "--help").out
    for line in ("0  fine", "1  problems found", "2  wrong usage", "3  no such agent", "4  not trusted"):
        assert line in out


def test_help_cuts_no_summary_and_tells_where_errors_go(maverick: Run) -> None:
    summaries = maverick("agents", "--help").out.partition("Commands:")[2]
    assert "..." not in summaries
    assert [line.split()[0] for line in summaries.splitlines()[1:5]] == ["list", "show", "check", "trust"]
    for command in ("list", "show", "check", "trust"):
        out = maverick("agents", command, "--help").out
        assert "errors are text on stderr" in out
        assert "JSON: {" in out


@pytest.mark.parametrize(
    "arguments", [["fly"], ["agents", "fly"], ["--fast"], ["agents", "show"], ["agents", "check", "x"]]
)
def test_wrong_usage_leaves_with_two(maverick: Run, arguments: list[str]) -> None:
    ran = maverick(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error" in ran.err


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; sys.argv = ['maverick', '--help']\n"
        "from maverick_tui.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'yaml', 'pydantic', 'rich', 'claude_agent_sdk', 'textual', 'git', 'asyncio', 'importlib.metadata'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment())
    assert ran.stderr == "[]\n"


def test_an_unexpected_error_is_one_line_and_a_traceback_only_if_wanted(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(cwd: Path) -> None:
        raise RuntimeError("\x1b[31mred\nalert")

    monkeypatch.setattr("maverick_tui.agent.catalog.discovery.discover", fail)
    ran = maverick("agents", "list")
    assert ran.code == 1
    assert ran.err.splitlines()[0] == "maverick: unexpected RuntimeError: ␛[31mred alert"
    assert "--debug" in ran.err
    assert "Traceback" not in ran.err
    debugged = maverick("--debug", "agents", "list")
    assert "Traceback" in debugged.err
    assert "\x1b" not in debugged.err


def test_an_interrupt_leaves_with_130(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(cwd: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("maverick_tui.agent.catalog.discovery.discover", interrupt)
    assert maverick("agents", "list") == (130, "", "")


def test_a_reader_that_has_gone_is_no_reason_to_complain() -> None:
    for number in range(200):
        write_agent(f"agent-{number}")
    command = f"{sys.executable} -m maverick_tui agents list --json | head -n 1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), check=True)
    assert (ran.stdout, ran.stderr) == ("{\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("command", sampled([["list"], ["check"], ["list", "--json"], ["--help"]], 3))
def test_output_that_cannot_be_written_is_one_line(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "maverick_tui", "agents", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (1, b"maverick: The output cannot be written: No space left on device.\n")


def test_output_that_is_closed_is_one_line() -> None:
    command = f"{sys.executable} -m maverick_tui agents list >&-"
    ran = subprocess.run(command, shell=True, stderr=subprocess.PIPE, env=environment(), check=False)
    assert (ran.returncode, ran.stderr) == (
        1,
        b"maverick: The output cannot be written: standard output is closed.\n",
    )


def test_a_reader_that_was_never_there_is_none_either() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "maverick_tui", "agents", "list"]
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment(), check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_terminal_that_cannot_show_a_character_still_gets_the_rest() -> None:
    write_agent("reviewer", description="日本")
    ran = subprocess.run(
        [sys.executable, "-m", "maverick_tui", "agents", "list"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=True,
    )
    assert b"reviewer" in ran.stdout
    assert ran.stderr == b""


@pytest.mark.parametrize("arguments", sampled([["agents", "list"], ["--agent", "explorer", "--prompt", "Go"]], 2))
def test_a_working_directory_that_is_gone_is_said_to_be(arguments: list[str]) -> None:
    script = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); from maverick_tui.cli import main; "
    script += "import sys; sys.argv = ['maverick', *sys.argv[1:]]; main()"
    command = [sys.executable, "-c", script, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("maverick: The working directory is gone.\n  ")


# -- list ------------------------------------------------------------------------------------------------------------


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
    "arguments", sampled([["list"], ["show", "evil"], ["check"], ["list", "--json"], ["show", "evil", "--json"]], 3)
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


# -- show ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--agent", "reviewer"], "Say what it is to do"), (["--offline", "--script", "x"], "Name an agent with --agent")],
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
        "initial_prompt", "prompt", "unknown", "problems",
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
    with pytest.raises(ConfigError, match="'reviewer' cannot be used: base is needed"):
        run_text("reviewer", "go", None)


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


# -- check -----------------------------------------------------------------------------------------------------------


def test_check_leaves_with_one_if_there_are_errors(maverick: Run) -> None:
    write_agent("reviewer", "allowed_tools: Read")
    ran = maverick("agents", "check")
    assert ran.code == 1
    assert ran.out == (
        ".claude/agents/reviewer.md:4: error: There is no field 'allowed_tools'. Did you\n"
        "    mean 'tools'?\n"
        "1 file checked: 1 error, 0 warnings.\n"
    )


def test_warnings_fail_only_if_wanted(maverick: Run) -> None:
    write_agent("reviewer", "author: me")
    assert maverick("agents", "check").code == 0
    assert maverick("agents", "check", "--strict").code == 1


@pytest.mark.parametrize("path", [".", ".claude", ".claude/agents", ".claude/agents/reviewer.md"])
def test_check_takes_a_file_or_a_folder(maverick: Run, path: str) -> None:
    write_agent("reviewer", "author: me")
    ran = maverick("agents", "check", path, "--json")
    data = json.loads(ran.out)
    assert (ran.code, data["checked"]) == (0, 1)
    assert data["problems"][0]["line"] == 4


def test_check_says_when_all_is_well(maverick: Run) -> None:
    write_agent("reviewer")
    assert maverick("agents", "check") == (0, "1 file checked: no problems.\n", "")


# -- trust -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pilot() -> Path:
    return write(".maverick/agents/pilot.py", PYTHON)


def test_without_a_terminal_trust_needs_a_yes(maverick: Run, pilot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: PTH123, SIM115
    ran = maverick("agents", "trust", "pilot")
    sys.stdin.close()
    assert ran.code == 4
    assert fingerprint(pilot.read_bytes()) in ran.out
    assert "trust pilot --yes" in ran.err
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_trust_with_a_yes_and_back(maverick: Run, pilot: Path) -> None:
    ran = maverick("agents", "trust", "pilot", "--yes")
    size = len(PYTHON)
    assert ran == (
        0,
        f".maverick/agents/pilot.py\n  sha256 {fingerprint(PYTHON.encode())}, {size} bytes\npilot is trusted.\n",
        "",
    )
    assert maverick("agents", "trust", "pilot").out == "pilot is trusted already.\n"
    assert "*" not in maverick("agents", "list").out
    assert not Path("ran").exists()
    assert maverick("agents", "trust", "pilot", "--revoke").code == 0
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_what_was_never_trusted_is_said_to_be(maverick: Run, pilot: Path) -> None:
    assert maverick("agents", "trust", "pilot", "--revoke") == (0, "pilot was not trusted.\n", "")


QUESTION = b"Have you read .maverick/agents/pilot.py, and may it run on this machine? [y/N]: "


@contextmanager
def question(*options: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command, which waits for an answer, and the terminal to give it on."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "maverick_tui", "agents", "trust", "pilot", *options]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), start_new_session=True
    )
    os.close(theirs)
    assert process.stderr is not None
    asked = b""
    while asked != QUESTION:
        assert QUESTION.startswith(asked)
        assert process.poll() is None
        asked += os.read(process.stderr.fileno(), 100)
    yield process, ours
    os.close(ours)


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 4), (b"\n", 4), (b"\x04", 4)])
def test_a_person_is_asked(pilot: Path, answer: bytes, code: int) -> None:
    with question() as (process, terminal):
        os.write(terminal, answer)
        process.communicate(timeout=10)
    assert process.returncode == code
    assert TrustStore().is_trusted(pilot, pilot.read_bytes()) == (code == 0)


def test_the_question_is_not_in_the_json(pilot: Path) -> None:
    with question("--json") as (process, terminal):
        os.write(terminal, b"yes\n")
        out, err = process.communicate(timeout=10)
    assert (json.loads(out)["files"][0]["trusted"], out[:1], err) == (True, b"{", b"")


def test_an_interrupt_at_the_question_trusts_nothing(pilot: Path) -> None:
    with question() as (process, _):
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, b"\n")
    assert not TrustStore().is_trusted(pilot, pilot.read_bytes())


def test_what_needs_no_trust_is_said_to(maverick: Run) -> None:
    write_agent("reviewer")
    assert maverick("agents", "trust", "reviewer") == (0, "reviewer needs no trust.\n", "")


def test_a_broken_list_of_trusted_files_is_named(maverick: Run, pilot: Path) -> None:
    write(TrustStore().path, "{")
    for command in (["list"], ["show", "pilot"], ["trust", "pilot", "--yes"]):
        ran = maverick("agents", *command)
        assert ran.code == 1
        assert "trusted.json" in ran.err


def test_trust_as_json(maverick: Run, pilot: Path) -> None:
    data = json.loads(maverick("agents", "trust", "pilot", "--yes", "--json").out)
    assert data == {
        "name": "pilot",
        "files": [{"path": str(pilot.resolve()), "sha256": fingerprint(PYTHON.encode()), "trusted": True}],
    }


# -- width -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("評価する", 8, "評価する"),
        ("評価する", 7, "評価す…"),
        ("評価する", 6, "評価…"),
    ],
)
def test_text_is_cut_by_the_columns_it_takes(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["-"]),
        ("one two", ["-one two"]),
        ("word " * 12, ["-" + " ".join(["word"] * 8), "  " + " ".join(["word"] * 4)]),
        ("x" * 50, ["-" + "x" * 39, "  " + "x" * 11]),
        ("a " + "評" * 25, ["-a", "  " + "評" * 19, "  " + "評" * 6]),
    ],
    ids=lambda value: str(value)[:10],
)
def test_text_is_wrapped_by_the_columns_it_takes(monkeypatch: pytest.MonkeyPatch, text: str, lines: list[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert wrap(text, "-", "  ") == lines
