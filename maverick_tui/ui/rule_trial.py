"""Has a rule tried out on all past calls, by a process of its own: what judges them is not kept in memory here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from maverick_tui.interpreter import python_environment

_TIMEOUT = 60.0


def tried_out(rule: str, agent: str, cwd: str) -> str:
    """What the rule would have allowed, in a sentence, or why it cannot be one. It blocks."""
    for_agent = [f"--agent={agent}"] if agent else []
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "maverick_tui", "rules", "add", "--dry-run", "--json", *for_agent, "--", rule],
            env=python_environment(),
            cwd=cwd if Path(cwd).is_dir() else None,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
        if done.returncode:
            return done.stderr.decode(errors="replace").strip().removeprefix("maverick: ").split("\n")[0]
        told = json.loads(done.stdout)["would_have"]
    except (OSError, subprocess.SubprocessError, ValueError, LookupError) as error:
        return f"It cannot be tried out: {error}"
    calls, denied = int(told["calls"]), int(told["denied"])
    if not calls:
        return f"It would have allowed none of your {int(told['of']):,} past calls."
    of_which = f", of which you denied {denied:,}" if denied else ", of which you denied none"
    return f"It would have allowed {calls:,} of your {int(told['of']):,} past calls{of_which}."
