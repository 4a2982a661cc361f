"""The executor: agents that talk to the model API themselves, with their own tools, hard limits and typed results.

Names are loaded on first use; the `anthropic` package only when a model is asked.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maverick_tui.executor.activity import Activity as Activity
    from maverick_tui.executor.activity import ContentChunk as ContentChunk
    from maverick_tui.executor.activity import ErrorOccurred as ErrorOccurred
    from maverick_tui.executor.activity import PartialOutput as PartialOutput
    from maverick_tui.executor.activity import Thinking as Thinking
    from maverick_tui.executor.activity import ToolCallFinished as ToolCallFinished
    from maverick_tui.executor.activity import ToolCallStarted as ToolCallStarted
    from maverick_tui.executor.activity import TurnEnded as TurnEnded
    from maverick_tui.executor.activity import TurnStarted as TurnStarted
    from maverick_tui.executor.calls import Approve as Approve
    from maverick_tui.executor.calls import Verdict as Verdict
    from maverick_tui.executor.cancel import CancelToken as CancelToken
    from maverick_tui.executor.definition import AgentDefinition as AgentDefinition
    from maverick_tui.executor.definition import InputConfig as InputConfig
    from maverick_tui.executor.definition import ModelConfig as ModelConfig
    from maverick_tui.executor.definition import OutputConfig as OutputConfig
    from maverick_tui.executor.definition import PromptConfig as PromptConfig
    from maverick_tui.executor.definition import RunConfig as RunConfig
    from maverick_tui.executor.definition import ToolConfig as ToolConfig
    from maverick_tui.executor.executor import AgentExecutor as AgentExecutor
    from maverick_tui.executor.executor import ExecutionStream as ExecutionStream
    from maverick_tui.executor.journal import write_log as write_log
    from maverick_tui.executor.limits import LimitError as LimitError
    from maverick_tui.executor.limits import Limits as Limits
    from maverick_tui.executor.limits import RequestLimits as RequestLimits
    from maverick_tui.executor.mcp.servers import ToolServers as ToolServers
    from maverick_tui.executor.model.claude import create_agent as create_agent
    from maverick_tui.executor.model.config import AgentConfig as AgentConfig
    from maverick_tui.executor.model.failures import RefusalError as RefusalError
    from maverick_tui.executor.model.failures import RetryPolicy as RetryPolicy
    from maverick_tui.executor.model.messages import Agent as Agent
    from maverick_tui.executor.model.messages import CountsTokens as CountsTokens
    from maverick_tui.executor.model.messages import Image as Image
    from maverick_tui.executor.model.messages import Message as Message
    from maverick_tui.executor.model.messages import Request as Request
    from maverick_tui.executor.model.messages import RequestConfig as RequestConfig
    from maverick_tui.executor.model.messages import Response as Response
    from maverick_tui.executor.model.messages import Role as Role
    from maverick_tui.executor.model.messages import StopReason as StopReason
    from maverick_tui.executor.model.messages import TakesTime as TakesTime
    from maverick_tui.executor.model.messages import Thought as Thought
    from maverick_tui.executor.model.messages import ToolCall as ToolCall
    from maverick_tui.executor.result import ExecutionMetrics as ExecutionMetrics
    from maverick_tui.executor.result import ExecutionResult as ExecutionResult
    from maverick_tui.executor.result import TerminateReason as TerminateReason
    from maverick_tui.executor.suspension import Suspension as Suspension
    from maverick_tui.executor.tools import Tool as Tool
    from maverick_tui.executor.tools import ToolContext as ToolContext
    from maverick_tui.executor.tools import ToolError as ToolError
    from maverick_tui.executor.tools import ToolRegistry as ToolRegistry
    from maverick_tui.executor.tools import tool as tool
    from maverick_tui.usage import Usage as Usage

_HOMES = {
    "activity": [
        "Activity",
        "ContentChunk",
        "ErrorOccurred",
        "PartialOutput",
        "Thinking",
        "ToolCallFinished",
        "ToolCallStarted",
        "TurnEnded",
        "TurnStarted",
    ],
    "calls": ["Approve", "Verdict"],
    "cancel": ["CancelToken"],
    "definition": [
        "AgentDefinition",
        "InputConfig",
        "ModelConfig",
        "OutputConfig",
        "PromptConfig",
        "RunConfig",
        "ToolConfig",
    ],
    "executor": ["AgentExecutor", "ExecutionStream"],
    "model.failures": ["RefusalError", "RetryPolicy"],
    "journal": ["write_log"],
    "limits": ["LimitError", "Limits", "RequestLimits"],
    "model.messages": [
        "Agent",
        "CountsTokens",
        "Image",
        "Message",
        "Request",
        "RequestConfig",
        "Response",
        "Role",
        "StopReason",
        "TakesTime",
        "Thought",
        "ToolCall",
        "Usage",
    ],
    "model.claude": ["create_agent"],
    "model.config": ["AgentConfig"],
    "result": ["ExecutionMetrics", "ExecutionResult", "TerminateReason"],
    "mcp.servers": ["ToolServers"],
    "suspension": ["Suspension"],
    "tools": ["Tool", "ToolContext", "ToolError", "ToolRegistry", "tool"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import the module that a public name lives in (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
