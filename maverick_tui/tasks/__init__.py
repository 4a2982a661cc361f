"""The to-do assistant: a task list that you keep by talking, in a real database.

Names are loaded on first use, and the database's library only with them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maverick_tui.tasks.chat import Chat as Chat
    from maverick_tui.tasks.contract import AgentContext as AgentContext
    from maverick_tui.tasks.contract import AgentResult as AgentResult
    from maverick_tui.tasks.contract import MessageHistory as MessageHistory
    from maverick_tui.tasks.contract import ToolCallRecord as ToolCallRecord
    from maverick_tui.tasks.database import open_database as open_database
    from maverick_tui.tasks.models import Task as Task
    from maverick_tui.tasks.runner import AgentRunner as AgentRunner
    from maverick_tui.tasks.server import MCPToolServer as MCPToolServer
    from maverick_tui.tasks.store import TaskStore as TaskStore

_HOMES = {
    "chat": ["Chat"],
    "contract": ["AgentContext", "AgentResult", "MessageHistory", "ToolCallRecord"],
    "database": ["open_database"],
    "models": ["Task"],
    "runner": ["AgentRunner"],
    "server": ["MCPToolServer"],
    "store": ["TaskStore"],
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
