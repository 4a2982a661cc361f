"""Programs that are MCP servers."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A server of `.mcp.json` that runs this program."""

    def made(text: str, *args: str, **env: str) -> dict[str, Any]:
        path = tmp_path / "server.py"
        path.write_text(textwrap.dedent(text))
        return {"type": "stdio", "command": sys.executable, "args": [str(path), *args], "env": env}

    return made
