"""Rereading: what the CLI reads again by itself when it has summed a conversation up, without asking a hook.

It adds the files that were read before to the summary, as they are then. Meanwhile one may have become a link to a
key, or a rule may deny it. So each is judged anew before a summary is made, and what would not be read unasked now is
denied to the CLI by a setting, which it heeds there (measured), until the session ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from maverick_tui.agent.engine.judging import judged
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import path_of
from maverick_tui.agent.tools import EDIT_TOOLS
from maverick_tui.threads import in_thread

_READ = EDIT_TOOLS | {"Read"}
"""Tools whose files the CLI remembers."""
_SIGNS = frozenset("*?[]{}()!\\")


class Rereading:
    """Knows the files of one session; `write` sends a line to the CLI, and without it there may be no summary."""

    def __init__(self, judge: Judge, write: Callable[[str], Awaitable[None]] | None = None) -> None:
        self._judge = judge
        self._write = write
        self._files: dict[str, str] = {}
        """The folder from which each was named."""

    def note(self, tool: str, arguments: Mapping[str, Any], here: str | None) -> None:
        """A tool is called that may read a file."""
        if tool in _READ and (path := path_of(arguments)):
            self._files[path] = here or ""

    async def before_summary(self, given: Any, _call: str | None, _context: Any) -> dict[str, Any]:
        """Deny the CLI what it must not read again; where that cannot be said, there is no summary."""
        denied = [path for path, here in self._files.items() if not await self._may_be_read(path, here, given)]
        if not denied:
            return {}
        places = await in_thread(_places, denied)
        if self._write is None or any(_SIGNS & set(place) for place in places):
            return {"decision": "block", "reason": f"{denied[0]} would be read again, and may not be."}
        rules = [f"Read(/{place})" for place in places]
        request = {"subtype": "apply_flag_settings", "settings": {"permissions": {"deny": rules}}}
        said = {"type": "control_request", "request_id": f"rereading-{uuid4().hex}", "request": request}
        await self._write(f"{json.dumps(said)}\n")
        return {}

    async def _may_be_read(self, path: str, here: str, given: Any) -> bool:
        mode = given.get("permission_mode") if isinstance(given, dict) else None
        found = await judged(self._judge, "Read", {"file_path": path}, mode=mode, here=here or None)
        return found.decision == "allow"


def _places(paths: Sequence[str]) -> list[str]:
    """Where files are by their names, and where links lead."""
    return sorted({place for path in paths for place in (os.path.abspath(path), os.path.realpath(path))})  # noqa: PTH100
