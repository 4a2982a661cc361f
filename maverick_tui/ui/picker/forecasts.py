"""What agents are likely to cost, read by a process that ends thereupon. Where no run is kept, there is none."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import TYPE_CHECKING

from maverick_tui.interpreter import python_environment

if TYPE_CHECKING:
    from maverick_tui.history.forecast import Forecast

log = logging.getLogger(__name__)

_READER = "maverick_tui.history.forecast"
_TIMEOUT = 60.0


def read_forecasts() -> dict[str, Forecast]:
    """All of them, by the names of agents; it blocks. That there is none is nothing to be told."""
    from maverick_tui.journal.folders import kept_journals

    if next(kept_journals(), None) is None:
        return {}
    from maverick_tui.history.forecast import from_json

    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", _READER],
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_TIMEOUT,
        )
        return from_json(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError) as error:
        log.warning("What agents are likely to cost cannot be read: %s", error)
        return {}
