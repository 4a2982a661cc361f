"""What the picker needs before its first frame: Textual, and nothing that takes long to import."""

from __future__ import annotations

import json
import subprocess
import sys

CODE = """
import json, sys
from pathlib import Path
from textual.app import App
from maverick_tui.ui.picker import reading
from maverick_tui.ui.picker.screen import PickerScreen

HEAVY = ["yaml", "pydantic", "git", "claude_agent_sdk", "pygments", "markdown_it", "maverick_tui.agent"]
found = {}

def look(cwd):
    found.update(at_reading=[name for name in HEAVY if name in sys.modules])
    app.call_from_thread(app.exit)
    return reading.Found()

reading.read_agents = look

class Host(App):
    def on_mount(self):
        self.push_screen(PickerScreen(Path.cwd()))

app = Host()
app.run(headless=True, size=(80, 24))
print(json.dumps(found))
"""


def test_nothing_heavy_is_loaded_before_the_agents_are_read() -> None:
    out = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, timeout=60).stdout
    assert json.loads(out) == {"at_reading": []}
