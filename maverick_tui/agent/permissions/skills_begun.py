"""Skills that prompts begin: one that nobody has typed, as a job's, is a command to the CLI if it begins like one.

It runs the skill then without a call of the tool `Skill`, so without a hook (measured). Prompts of subagents, and what
agents send each other, are words to it, whatever they begin with.
"""

from __future__ import annotations

import re

_REPLACED = re.compile(r"\s*<<[\w.-]+>>\s*")
_COMMAND = re.compile(r"\s*/(?P<skill>[^\s/]+)(?:\s+(?P<args>.*))?", re.DOTALL)


def is_replaced(prompt: object) -> bool:
    """Whether the CLI would put something else in the place of a job's prompt: a file (`<<loop.md>>`), or orders of its
    own (`<<autonomous-loop>>`), which nobody has seen, and of which it asks no hook (measured).
    """
    return isinstance(prompt, str) and _REPLACED.fullmatch(prompt) is not None


def skill_begun_by(prompt: object) -> dict[str, str] | None:
    """The arguments with which `Skill` would do what the prompt does; None if it is no command."""
    found = _COMMAND.fullmatch(prompt) if isinstance(prompt, str) else None
    return found.groupdict("") if found else None
