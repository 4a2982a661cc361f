"""A project with agents of every kind, for the picker to find; its folders are called the same on every machine."""

from __future__ import annotations

from pathlib import Path

GUARDIAN = """\
---
name: api-guardian
description: Watches over the public interface and says what a change would break for others.
tools: Read, Grep, Glob, Bash(git diff:*)
model: opus
permissionMode: plan
inputs:
  base: {description: The branch to compare with, default: main}
  depth: {type: integer, description: How many commits to look back, default: 10}
  style: {description: How to report, choices: [short, full], default: short}
---
You guard the public interface of this project.

Compare it with ${base}, at most ${depth} commits back, and report in a ${style} form:

1. what was removed or renamed
2. what means something else than before
3. what callers have to change
"""
LEAD = """\
---
name: lead
description: Plans a change, sends subagents ahead, and decides.
tools: Read, Agent
---
You lead. Let others look, and decide when you have seen what they found.
"""
BROKEN = """\
---
name: schema-keeper
description: Keeps the schema and its migrations together.
alowed_tools: Read
permissionMode: alwaysAsk
---
You keep the schema.
"""
DEPLOYER = '''\
"""Puts the shop online."""

import subprocess

from maverick_tui import AgentContext, AgentResult, MaverickAgent


class Deployer(MaverickAgent):
    """Builds, checks and deploys the branch that is checked out."""

    name = "deployer"
    system_prompt = "You deploy what is checked out, one step after the other."
    allowed_tools = ["Read", "Bash(make:*)"]

    async def execute(self, context: AgentContext) -> AgentResult:
        """Build first: what does not build is not deployed."""
        subprocess.run(["make", "build"], cwd=context.cwd, check=True)
        return await self.run("Deploy it.", context)
'''
NOTES = """\
---
name: release-notes
description: Writes release notes from the commits since the last tag.
tools: Read, Bash(git log:*)
model: haiku
---
You write release notes.
"""
SHIPPED = {
    "explorer": "Explains how this code works; reads only.",
    "implementer": "Makes a change, and shows that it works.",
    "reviewer": "Reads the diff of this branch and reports what would break.",
}


def make_shop(home: Path, shipped: Path) -> Path:
    """The project below a home, with agents of its own, of the person, and shipped ones."""
    shop = home / "shop"
    files = {
        shop / ".claude/agents/api-guardian.md": GUARDIAN,
        shop / ".claude/agents/lead.md": LEAD,
        shop / ".claude/agents/schema-keeper.md": BROKEN,
        shop / ".maverick/agents/deployer.py": DEPLOYER,
        home / ".claude/agents/release-notes.md": NOTES,
    }
    for name, about in SHIPPED.items():
        text = f"---\nname: {name}\ndescription: {about}\ntools: Read, Grep, Glob\n---\nYou are the {name}.\n"
        files[shipped / f"{name}.md"] = text
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return shop
