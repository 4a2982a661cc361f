"""The commands that an agent which is not the project's starts by itself in a folder: its hooks and its MCP servers.

The folder may be anybody's clone, and nobody can say what `npx`, `cargo` or `make` find there. So the commands are
trusted once for each folder, before they are started in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maverick_tui import paths
from maverick_tui.agent.permissions.leading import home_folder
from maverick_tui.agent.permissions.started import lines_of


def started_in(folder: Path, name: str, settings: Mapping[str, Any]) -> tuple[Path, bytes] | None:
    """What is to be trusted there of an agent's `hooks` and `mcp_servers`, under a name that no file has.

    It is no name in the folder, where a link could lead to another one that is trusted. None if nothing is started, or
    in the home directory, which is its user's own.
    """
    hooks, servers = settings.get("hooks") or {}, settings.get("mcp_servers") or {}
    commands = [
        *(f"hook {event}: {line}" for event, groups in hooks.items() for line in lines_of(groups)),
        *(f"MCP server {server}: {line}" for server, how in servers.items() for line in lines_of(how)),
    ]
    folder = folder.resolve()
    if not commands or folder == home_folder():
        return None
    text = "".join(f"{command}\n" for command in commands)
    return paths.user_state() / "commands" / folder.relative_to(folder.anchor) / name, text.encode()
