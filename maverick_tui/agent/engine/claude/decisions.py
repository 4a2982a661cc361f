"""Answers to the question whether a tool may run, for those who do not import the SDK."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import PermissionResult, PermissionResultAllow, PermissionResultDeny


def allow(arguments: dict[str, Any] | None = None) -> PermissionResult:
    """Let it run, with other arguments if they are given."""
    return PermissionResultAllow(updated_input=arguments)


def deny(reason: str, *, interrupt: bool = False) -> PermissionResult:
    """Do not let it run, and tell the model why; or end its turn."""
    return PermissionResultDeny(message=reason, interrupt=interrupt)
