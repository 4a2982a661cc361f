"""Claude Code as it is: the agent that goes on with its sessions unless a person chooses another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.fields import CLAUDE_CODE, CLAUDE_CODES_PROMPT
from maverick_tui.agent.tools import READ_ONLY_TOOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult


class ClaudeCode(MaverickAgent):
    """Claude Code with its own prompt. It asks before it writes, runs or sends anything, and else only reads."""

    name = CLAUDE_CODE
    description = "Claude Code with its own prompt: goes on with its sessions."
    system_prompt = CLAUDE_CODES_PROMPT
    allowed_tools = (
        "Read", "Glob", "Grep", "Edit", "Write", "Bash", "WebFetch", "WebSearch", "TodoWrite", "Task",
    )  # fmt: skip
    permission_mode = "default"

    def _tools_by(self, *, person: bool) -> Sequence[str]:
        """Of its own tools, those that only read where nobody can be asked; what a person has added by name stays.

        Other agents have in their tools what their authors let them do. These are only what Claude Code has.
        """
        tools = list(self.allowed_tools)
        for own in () if person else type(self).allowed_tools:
            if own in tools and own not in READ_ONLY_TOOLS:
                tools.remove(own)
        return tools

    async def execute(self, context: AgentContext) -> AgentResult:
        """Run `context.extra["prompt"]`."""
        return await self.run(str(context.extra.get("prompt") or ""), context)
