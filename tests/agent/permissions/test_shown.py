"""What the X-ray says is what happens: with a person, and without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.xray import xray
from tests.support.cases import each
from tests.support.sampling import sampled

OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "Read": ("Read", {"file_path": "src/a.py"}),
    "Glob": ("Glob", {"pattern": "**/*.py"}),
    "Grep": ("Grep", {"pattern": "def", "path": "src"}),
    "Read(docs/**)": ("Read", {"file_path": "docs/deep/a.md"}),
    "Read(~/.ssh/**)": ("Read", {"file_path": "~/.ssh/id_rsa"}),
    "Edit": ("Edit", {"file_path": "src/a.py", "old_string": "a", "new_string": "b"}),
    "Edit(docs/**)": ("Edit", {"file_path": "docs/a.md", "old_string": "a", "new_string": "b"}),
    "Write(src/*.py)": ("Write", {"file_path": "src/b.py", "content": "b"}),
    "Write(.git/**)": ("Write", {"file_path": ".git/config", "content": "b"}),
    "NotebookEdit": ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "b"}),
    "LSP(src/**)": ("LSP", {"operation": "hover", "filePath": "src/a.py"}),
    "Bash": ("Bash", {"command": "npm install"}),
    "Bash(git log:*)": ("Bash", {"command": "git log --oneline -3"}),
    "Bash(git diff *)": ("Bash", {"command": "git diff HEAD~1"}),
    "Bash(ls)": ("Bash", {"command": "ls"}),
    "Bash(git add:*)": ("Bash", {"command": "git add src/a.py"}),
    "Bash(pytest:*)": ("Bash", {"command": "pytest -q src"}),
    "Bash(npm run *)": ("Bash", {"command": "npm run build"}),
    "WebFetch(domain:example.org)": ("WebFetch", {"url": "https://example.org/a", "prompt": "x"}),
    "WebSearch": ("WebSearch", {"query": "x"}),
    "Agent": ("Agent", {"description": "x", "prompt": "y", "subagent_type": "explorer"}),
    "TodoWrite": ("TodoWrite", {"todos": []}),
    "Skill(pdf)": ("Skill", {"skill": "pdf"}),
}
"""Each entry, and a call that it is plainly about."""

BEYOND: list[tuple[str, str, dict[str, Any]]] = [
    ("Bash(git log:*)", "Bash", {"command": "git status"}),
    ("Bash(git log:*)", "Bash", {"command": "echo x"}),
    ("Bash(git log:*)", "Bash", {"command": "git log --output=x"}),
    ("Bash(git log:*)", "Bash", {"command": "git log; make"}),
    ("Edit(docs/**)", "Edit", {"file_path": "src/a.py"}),
    ("Edit", "Edit", {"file_path": "/etc/hosts"}),
    ("Read(docs/**)", "Read", {"file_path": "src/a.py"}),
    ("Read", "Write", {"file_path": "src/a.py"}),
    ("WebFetch(domain:example.org)", "WebFetch", {"url": "https://example.com/"}),
]
"""Calls that an entry is not about."""
ALWAYS_ASK = ("Read(~/.ssh/**)", "Write(.git/**)")
"""Entries for places that no rule opens."""
MODES = ("default", "acceptEdits", "plan", "dontAsk")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("src", "docs", ".git", ".maverick/agents"):
        (tmp_path / "project" / name).mkdir(parents=True)
    return tmp_path / "project"


def decided(entry: str, call: tuple[str, dict[str, Any]], cwd: Path, mode: str, *, person: bool) -> str:
    return Judge([entry], cwd, person=person).judge(*call, mode=mode).decision


@pytest.mark.parametrize("mode", sampled(MODES, 2))
def test_what_is_said_to_ask_asks_and_everything_else_runs(mode: str, project: Path) -> None:
    lines = [
        "---",
        "name: shown",
        "description: x",
        f"permissionMode: {mode}",
        "tools:",
        *(f"  - {one}" for one in OWN),
    ]
    (project / ".maverick/agents/shown.md").write_text("\n".join([*lines, "---", "You work."]))
    seen = xray(discover(project).get("shown"), TrustStore())
    assert seen.may is not None
    assert seen.asks is not None
    assert set(seen.may) == set(OWN)
    happens = {entry: decided(entry, call, project, mode, person=True) for entry, call in OWN.items()}
    refusal = "deny" if mode == "dontAsk" else "ask"
    assert {entry for entry, decision in happens.items() if decision == "ask"} == set(seen.asks)
    assert set(happens.values()) == {"allow", refusal}
    if mode == "dontAsk":  # as much runs as in the default mode, and nobody is asked about the rest
        attended = {entry: decided(entry, call, project, "default", person=True) for entry, call in OWN.items()}
        assert {entry for entry, decision in happens.items() if decision == "allow"} == {
            entry for entry, decision in attended.items() if decision == "allow"
        }


@pytest.mark.parametrize("mode", sampled(MODES, 2))
@each("entry", OWN)
def test_without_a_person_what_it_may_use_runs_and_in_mode_plan_what_also_runs_unasked(
    entry: str, mode: str, project: Path
) -> None:
    runs_unasked = decided(entry, OWN[entry], project, "default", person=True) == "allow"
    runs = entry not in ALWAYS_ASK and (mode != "plan" or runs_unasked)
    assert decided(entry, OWN[entry], project, mode, person=False) == ("allow" if runs else "deny")


@pytest.mark.parametrize("mode", sampled(MODES, 2))
@each(("entry", "tool", "arguments"), BEYOND)
def test_nothing_else_runs_unasked(entry: str, tool: str, arguments: dict[str, Any], mode: str, project: Path) -> None:
    assert decided(entry, (tool, arguments), project, mode, person=True) != "allow"
    assert decided(entry, (tool, arguments), project, mode, person=False) == "deny"
