"""Which engines there are, by the name that agents give as their `engine`. Light: engines are imported when needed.

A further engine is a folder of `engine/`, with an `ENGINE` in the module that is named here; or a line of somebody
else's code: `ENGINES["name"] = an_engine`.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from maverick_tui.agent.engine.protocol import Engine

ENGINES: dict[str, str | Engine] = {
    "claude-code": "maverick_tui.agent.engine.claude.engine",
    "api": "maverick_tui.agent.engine.api.engine",
}
"""Each engine, or the module that has it."""


def engine_named(name: str) -> Engine:
    """The engine of that name."""
    found = ENGINES[name]
    return cast("Engine", importlib.import_module(found).ENGINE) if isinstance(found, str) else found


async def load_module(name: str) -> Any:
    """Import what takes a while where it does not hold up the event loop; engines know agents, and not the reverse."""
    import asyncio

    return sys.modules.get(name) or await asyncio.to_thread(importlib.import_module, name)
