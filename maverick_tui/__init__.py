"""Maverick: mission control for coding agents, in the terminal.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from maverick_tui.agent import AgentMessage as AgentMessage
    from maverick_tui.agent.base import DEFAULT_MODEL as DEFAULT_MODEL
    from maverick_tui.agent.base import DEFAULT_PERMISSION_MODE as DEFAULT_PERMISSION_MODE
    from maverick_tui.agent.base import MaverickAgent as MaverickAgent
    from maverick_tui.agent.catalog.loading import load_agent as load_agent
    from maverick_tui.agent.context import AgentContext as AgentContext
    from maverick_tui.agent.registry import AgentRegistry as AgentRegistry
    from maverick_tui.agent.registry import registry as registry
    from maverick_tui.agent.result import AgentResult as AgentResult
    from maverick_tui.agent.result import AgentUsage as AgentUsage
    from maverick_tui.agent.text import extract_all_text as extract_all_text
    from maverick_tui.agent.text import extract_text as extract_text
    from maverick_tui.agent.tools import BUILTIN_TOOLS as BUILTIN_TOOLS
    from maverick_tui.config import MaverickConfig as MaverickConfig
    from maverick_tui.exceptions import AgentError as AgentError
    from maverick_tui.exceptions import AgentNotFoundError as AgentNotFoundError
    from maverick_tui.exceptions import CLINotFoundError as CLINotFoundError
    from maverick_tui.exceptions import ConfigError as ConfigError
    from maverick_tui.exceptions import DuplicateAgentError as DuplicateAgentError
    from maverick_tui.exceptions import InvalidToolError as InvalidToolError
    from maverick_tui.exceptions import MalformedResponseError as MalformedResponseError
    from maverick_tui.exceptions import MaverickError as MaverickError
    from maverick_tui.exceptions import NetworkError as NetworkError
    from maverick_tui.exceptions import ProcessError as ProcessError
    from maverick_tui.exceptions import StreamingError as StreamingError
    from maverick_tui.exceptions import TimeoutError as TimeoutError
    from maverick_tui.exceptions import WorkflowError as WorkflowError

_HOMES = {
    "agent": ["AgentMessage"],
    "agent.base": ["DEFAULT_MODEL", "DEFAULT_PERMISSION_MODE", "MaverickAgent"],
    "agent.context": ["AgentContext"],
    "agent.catalog.loading": ["load_agent"],
    "agent.registry": ["AgentRegistry", "registry"],
    "agent.result": ["AgentResult", "AgentUsage"],
    "agent.text": ["extract_all_text", "extract_text"],
    "agent.tools": ["BUILTIN_TOOLS"],
    "config": ["MaverickConfig"],
    "exceptions": [
        "AgentError",
        "AgentNotFoundError",
        "CLINotFoundError",
        "ConfigError",
        "DuplicateAgentError",
        "InvalidToolError",
        "MalformedResponseError",
        "MaverickError",
        "NetworkError",
        "ProcessError",
        "StreamingError",
        "TimeoutError",
        "WorkflowError",
    ],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Import the module that a public name lives in (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What can be imported from here."""
    return sorted(__all__)
