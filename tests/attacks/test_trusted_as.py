"""What is trusted as one kind of file counts as no other: the same bytes may be rules and Python at once."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.catalog.trust import NotTrustedError
from maverick_tui.git import making
from tests.support.command_line import Run, command_line

# A backslash before a quote is one more character to TOML, and none to Python; at the end of a line it joins two for
# TOML, and is part of a comment for Python.
RULES_AND_PYTHON = r'''
allow = ["Bash(git status:*)"]
deny = ["Read(.env)", 'own:\', """Bash(']  # \
import pathlib  # \
from maverick_tui import AgentContext, AgentResult, MaverickAgent  # \
pathlib.Path("PWNED").touch()  # \
class ProjectHelper(MaverickAgent):  # \
    name = "reviewer"  # \
    "Explains this project."  # \
    system_prompt = "You explain."  # \
    allowed_tools = ["Read"]  # \
    async def execute(self, context):  # \
        return await self.run("x", context)  # \
# )"""]
'''


@pytest.mark.parametrize("kind", ["rules.toml", "worktree.toml"])
def test_who_trusts_rules_trusts_no_agent(
    kind: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = RULES_AND_PYTHON
    if kind == "worktree.toml":
        content = content.replace("allow", "copy").replace("deny", "link").replace("own:", "x")
    tomllib.loads(content)
    ast.parse(content)
    maverick: Run = command_line(monkeypatch, capsys)
    making.init(Path.cwd(), "main")
    (agents := Path(".maverick", "agents")).mkdir(parents=True)
    (agents.parent / kind).write_text(content)
    (agents / "project_helper.py").symlink_to(f"../{kind}")
    trusted = maverick(kind.removesuffix(".toml"), "trust", "--yes")
    assert trusted.code == 0, trusted.err
    assert not Path("PWNED").exists()
    with pytest.raises(NotTrustedError):
        load_agent("reviewer")
    assert maverick("agents", "show", "reviewer").code == 0
    assert not Path("PWNED").exists()
    assert maverick("agents", "trust", "reviewer", "--yes").code == 0
    load_agent("reviewer")
    assert Path("PWNED").exists(), "or this test shows nothing"
