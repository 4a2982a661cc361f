"""What is nested deeper than Python calls itself: folders of a clone, and arguments of a model."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.engine.judging import judged
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import ToolContext
from tests.support.deep import dug

DEPTH = 1_200


def nested(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(depth):
        made = {"a": made}
    return made


async def test_deep_folders_are_searched_and_what_leads_out_of_them_is_found() -> None:
    judge = Judge(["Bash", "Grep"], Path.cwd(), person=True)
    with dug(Path.cwd(), "d", DEPTH) as innermost:
        assert (await judged(judge, "Bash", {"command": "rg needle"})).decision == "allow"
        with os.fdopen(os.open("notes.txt", os.O_WRONLY | os.O_CREAT, dir_fd=innermost), "w") as file:
            file.write("needle\n")
        grep = next(tool for tool in file_tools(Path.cwd()) if tool.name == "Grep")
        assert "notes.txt" in str(await grep.execute({"pattern": "needle"}, ToolContext()))
        os.symlink("/etc/passwd", ".ignore", dir_fd=innermost)
        assert "leads elsewhere" in (await judged(judge, "Bash", {"command": "rg needle"})).reason


async def test_folders_with_names_too_long_for_us_are_not_taken_for_looked_through() -> None:
    beside, inside = Path("beside").absolute(), Path("inside").absolute()
    beside.mkdir()
    inside.mkdir()
    with dug(beside, "d" * 100, 45):
        judge = Judge(["Bash"], beside, person=True)
        assert "too deep to be looked through" in (await judged(judge, "Bash", {"command": "rg needle"})).reason
        found = await judged(Judge(["Grep"], inside, person=True), "Grep", {"pattern": "x", "path": str(beside)})
        assert "too much" in found.reason


async def test_arguments_nested_too_deeply_are_refused_with_a_reason(caplog: pytest.LogCaptureFixture) -> None:
    judge = Judge(["Write", "mcp__a__*", "Agent"], Path.cwd(), person=True)
    with caplog.at_level(logging.WARNING):
        for tool in ("Write", "mcp__a__b", "Agent"):
            found = await judged(judge, tool, {"x": nested(DEPTH)})
            assert (found.decision, found.reason) == ("deny", "It is nested too deeply to be judged.")
    assert caplog.text == ""
