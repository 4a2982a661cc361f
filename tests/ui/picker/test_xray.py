"""The X-ray: everything is said, and it fits."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest
from rich.cells import cell_len

from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.ui.picker.items import Group, Item
from maverick_tui.ui.picker.reading import read_agents, read_xray
from maverick_tui.ui.picker.xray import Subject
from tests.ui.picker.host import PYTHON, write, write_agent

FIELDS = """tools: Read, Edit, Bash(git log:*)
model: haiku
permissionMode: acceptEdits
maxTurns: 7
maxBudgetUsd: 2.5
effort: high
skills: [style]
mcpServers: {gh: {command: npx, args: [-y, gh-mcp], env: {TOKEN: hush}}}
hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]}
inputs:
  base: {default: main, description: Where it starts.}
  depth: {choices: [quick, deep]}
initialPrompt: Compare with ${base}.
"""


def subject(name: str) -> Subject:
    found = read_agents(Path.cwd())
    item = next(item for item in found.items if item.name == name)
    view = read_xray(item.listing) if item.listing else None
    return Subject(item, view, Path.cwd(), found.hidden.get(item.agent, ()))


def shown(name: str, width: int = 100) -> list[str]:
    lines = subject(name).lines(width)
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def test_everything_about_an_agent_is_said() -> None:
    write_agent("reviewer", FIELDS, "You compare with ${base}, ${depth}.\n\n## How\n\n- Read ${HOME}.")
    assert shown("reviewer") == [
        "reviewer" + " " * 64 + ".claude/agents/reviewer.md:2",
        "Does reviewer things.",
        "",
        "! line 11: mcpServers: tools names none of the tools of the server 'gh', so it is of no use.",
        "  Add mcp__gh to tools, or remove the server.",
        "",
        "model    haiku",
        "mode     acceptEdits",
        "may      Read  Edit  Bash(git log:*)",
        "asks     only outside of the project  Edit",
        "limits   300 s without a sign of life  7 turns  32,000 tokens an answer  2.5 US$",
        "inputs   base  string, default main. Where it starts.",
        "         depth  quick | deep",
        "servers  gh  stdio npx -y gh-mcp",
        "hooks    PreToolUse Bash: command ./check.sh",
        "effort   high",
        "skills   style",
        "trust    ◇ untrusted: you are shown the file and asked before it runs",
        "",
        "STARTS WITH",
        "Compare with ${base}.",
        "",
        "PROMPT",
        "You compare with ${base}, ${depth}.",
        "",
        "## How",
        "",
        "- Read ${HOME}.",
    ]


def test_a_secret_is_not_shown() -> None:
    write_agent("reviewer", FIELDS, "You compare.")
    assert "hush" not in "\n".join(shown("reviewer"))


def test_the_places_of_inputs_are_set_apart_and_no_others() -> None:
    write_agent("reviewer", "inputs: {base: }", "From ${base} to ${HOME}.")
    (line,) = [line for line in subject("reviewer").lines(80) if any("From" in text for text, _ in line)]
    assert [span for span in line if span[0]] == [("From ", "text"), ("${base}", "accent"), (" to ${HOME}.", "text")]


def test_where_a_value_comes_from_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_MODEL", "opus")
    write_agent("talker", "tools: []")
    lines = shown("talker")
    assert "model    opus  (your settings)" in lines
    assert "mode     acceptEdits  (default)" in lines
    assert "may      nothing: no tools are named" in lines
    assert "asks     never" in lines
    assert "trust    not needed" in lines


def test_what_only_a_run_would_tell_is_said() -> None:
    path = write(".maverick/agents/pilot.py", PYTHON)
    lines = shown("pilot")
    assert "may      unknown: only running the file would tell" in lines
    assert "unknown  allowed_tools, inputs: only running the file would tell" in lines
    TrustStore().trust(path, path.read_bytes())
    assert "trust    ✔ trusted, as long as the file does not change" in shown("pilot")
    assert not Path("ran").exists()


def test_an_agent_with_sessions_of_its_own_says_that_its_tools_are_its_own(shipped: Path) -> None:
    copy(Path(__file__).parents[3] / "agents" / "tasks.py", shipped)
    lines = shown("tasks")
    assert "may      tools of its own, which its code chooses" in lines
    assert "asks     when its code does, in the conversation" in lines


def test_all_tools_are_said_to_be_all() -> None:
    write_agent("talker")
    assert any(line.startswith("may      all tools, as the file names none:") for line in shown("talker"))


def test_groups_of_what_asks_are_set_apart() -> None:
    write_agent("talker", "tools: AskUserQuestion, ExitPlanMode, Bash, Edit")
    asks = "AskUserQuestion  ExitPlanMode;  Bash  unless it only reads;  outside of the project also  Edit"
    assert f"asks     {asks}" in shown("talker", 120)


def test_a_mode_that_asks_nobody_is_said() -> None:
    write_agent("talker", "permissionMode: dontAsk")
    assert "asks     never: what would ask is refused" in shown("talker")


def test_an_agent_that_hides_another_one_says_so(shipped: Path) -> None:
    write_agent("reviewer")
    write_agent("reviewer", folder=shipped)
    assert "hides    reviewer of Maverick itself" in shown("reviewer")


def test_a_broken_agent_says_what_is_wrong_first() -> None:
    write_agent("reviewer", "allowed_tools: Read")
    lines = shown("reviewer")
    assert lines[3:5] == ["✘ line 4: There is no field 'allowed_tools'.", "  Did you mean 'tools'?"]
    assert "may      unknown: the file has errors" in lines


def test_a_file_without_an_agent_says_what_is_wrong() -> None:
    write(".claude/agents/notes.md", "no front matter")
    lines = shown("notes.md")
    assert lines[0].endswith(".claude/agents/notes.md")
    assert lines[2].startswith("✘ line 1: Has no front matter")


def test_an_agent_that_is_not_looked_into_yet_is_its_row() -> None:
    item = Item("agent:x", Group("PROJECT"), "x", description="Does x.", agent="x")
    lines = Subject(item, None, Path.cwd()).lines(40)
    assert ["".join(text for text, _ in line).strip() for line in lines] == ["x", "Does x.", ""]


@pytest.mark.parametrize("width", [5, 12, 20, 39, 78])
def test_no_line_is_wider_than_the_panel(width: int) -> None:
    write_agent("reviewer", FIELDS, "You compare with ${base}, ${depth}.\n\n- " + "word " * 50 + "x" * 200)
    widest = max(cell_len("".join(text for text, _ in line)) for line in subject("reviewer").lines(width))
    assert widest <= max(width, 28)  # below that there is no room for a label and a value


def test_hostile_texts_are_inert_and_no_markup() -> None:
    evil = '"[bold]x[/] \\e]0;evil\\a\\x9b2J \\u202eright"'
    path = write_agent("reviewer", f"initialPrompt: {evil}\nskills: [{evil}]\n{evil}: 1")
    path.write_text(path.read_text().replace("Does reviewer things.", evil) + "\x1b[2J \u202e [red]body[/red]\n")
    text = "\n".join(shown("reviewer"))
    assert not any(character in text for character in "\x1b\x07\x9b\u202e")
    assert "[bold]x[/] ␛]0;evil␇" in text
    assert "[red]body[/red]" in text


def test_to_draw_it_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a judge looks at the disk, and the event loop waits meanwhile")

    write_agent("worker", "tools: Read, Edit, Bash(git log:*), Bash(make:*)\n", "You work.")
    seen = subject("worker")
    monkeypatch.setattr(Judge, "__init__", refuse)
    lines = ["".join(text for text, _ in line).rstrip() for line in seen.lines(100)]
    assert "asks     Bash(make:*);  outside of the project also  Edit" in lines
