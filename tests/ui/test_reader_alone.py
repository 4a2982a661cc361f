"""The application reads runs: what makes them is in processes of their own, with all the memory that it takes."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from pathlib import Path
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.masking.redact import redact
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs import before_run
from maverick_tui.ui.launch import load_rest, load_runs, load_settings
from maverick_tui.ui.picker.reading import read_xray

load_runs()
load_settings()
load_rest()
listing = before_run.find_agent("explorer", Path.cwd())
assert before_run.trust_question(listing) is None
assert before_run.declared_inputs(listing) == ()
assert read_xray(listing).may is not None
redact("a prompt")
engines = ("claude_agent_sdk", "httpx2", "mcp", "maverick_tui.runs.local", "maverick_tui.executor.plan")
others = ("pydantic", "re2", "sqlite3", "typer")
print(*(name for name in sys.modules if name.startswith(engines) or name.partition(".")[0] in others))
"""


def test_it_imports_neither_an_engine_nor_what_only_others_need() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
