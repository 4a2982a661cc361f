"""A project's folder, with something outside it, and the tools for its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.tools import Tool, ToolContext
from tests.executor.files.support import Call


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("outside\n")
    return folder


@pytest.fixture
def call(root: Path) -> Call:
    tools: dict[str, Tool] = {tool.name: tool for tool in file_tools(root)}

    async def run(name: str, **arguments: Any) -> str:
        result = await tools[name].execute(arguments, ToolContext())
        assert isinstance(result, str)
        return result

    return run
