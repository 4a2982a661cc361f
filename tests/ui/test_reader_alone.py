"""The application reads runs: what makes them is in processes of their own."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from pathlib import Path
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs import before_run
from maverick_tui.ui.launch import load_rest, load_runs, load_settings

load_runs()
load_settings()
load_rest()
assert before_run.find_agent("explorer", Path.cwd()).name == "explorer"
engines = ("claude_agent_sdk", "anthropic", "mcp", "maverick_tui.runs.local", "maverick_tui.executor")
print(*(name for name in sys.modules if name.startswith(engines)))
"""


def test_it_imports_neither_the_sdk_nor_an_engine() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
