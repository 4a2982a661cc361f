"""Files of agents, written for a test in a few words."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


PYTHON = """from pathlib import Path
from maverick_tui import MaverickAgent

Path("ran").touch()

class Pilot(MaverickAgent):
    "Flies."
    system_prompt = "You fly."
    allowed_tools = ["Read"] + ["Bash"]
    async def execute(self, context): return await self.run("go", context)
"""


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
