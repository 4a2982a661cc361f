"""What runs and their first answer need, loaded in threads while the person is still choosing or typing.

All of it takes most of a second. A thread that imports gives the interpreter up after `SWITCH_INTERVAL`: a key that is
typed meanwhile must not wait.
"""

from __future__ import annotations

import importlib


def load_runs() -> None:
    """What a setup and a run are made of, without the SDK."""
    importlib.import_module("maverick_tui.events.kinds")
    for module in ("commands", "failures"):
        importlib.import_module(f"maverick_tui.runs.{module}")
    for module in ("serving", "transcript.entry_rows", "rendering.live"):
        importlib.import_module(f"maverick_tui.ui.{module}")
    importlib.import_module("maverick_tui.offline.processes")


def load_engine() -> None:
    """The SDK, and the parts of the renderer that are slow to load."""
    importlib.import_module("maverick_tui.runs.local")
    importlib.import_module("maverick_tui.agent.engine.claude.session")
    from maverick_tui.ui.rendering.markdown import preload

    preload()
