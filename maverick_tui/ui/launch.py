"""How the application is started: what was asked for on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Launch(NamedTuple):
    """Where, with which agent and prompt, and on which model: a real one, a script's, or the demo's."""

    cwd: Path
    agent: str | None = None
    prompt: str | None = None
    is_demo: bool = False
    script: Path | None = None
    is_fast: bool = False
    """The demo without pauses."""

    @property
    def folder(self) -> str:
        """What the screen calls the folder, if not by its path: that of the demo is a temporary one."""
        return "demo: shop" if self.is_demo else ""

    @property
    def badge(self) -> str:
        """What the screen says about the model."""
        return "OFFLINE DEMO" if self.is_demo else "OFFLINE" if self.script is not None else ""
