"""RuleTrial: has a rule tried out on all past calls, by a process: what judges them is not kept in memory here."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from maverick_tui.interpreter import python_environment

_TIMEOUT = 60.0


class RuleTrial:
    """Tries rules out for an agent that works in a folder, one at a time: a new one ends the one before."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def try_out(self, rule: str, agent: str) -> str:
        """What the rule would have allowed, in a sentence, or why it cannot be one. It blocks."""
        for_agent = [f"--agent={agent}"] if agent else []
        command = ["rules", "add", "--dry-run", "--json", *for_agent, "-"]
        try:
            with self._lock:
                self.stop()
                process = self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "maverick_tui", *command],
                    env=python_environment(),
                    cwd=self._cwd if Path(self._cwd).is_dir() else None,
                    stdin=subprocess.PIPE,  # others can read arguments, and a token may be in it
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            out, err = process.communicate(rule.encode(errors="surrogateescape"), timeout=_TIMEOUT)
            if process.returncode:
                return err.decode(errors="replace").strip().removeprefix("maverick: ").split("\n")[0]
            return _told(json.loads(out)["would_have"])
        except subprocess.TimeoutExpired:
            self.stop()
            return "You have too many past calls to try it out here: `maverick rules add --dry-run` takes its time."
        except (OSError, ValueError, LookupError, TypeError) as error:
            return f"It cannot be tried out: {error}"

    def stop(self) -> None:
        """End what is being tried out."""
        if self._process is not None:
            self._process.kill()  # whoever waits for it reaps it


def _told(told: dict[str, int]) -> str:
    calls, denied = int(told["calls"]), int(told["denied"])
    if not calls:
        return f"It would have allowed none of your {int(told['of']):,} past calls."
    of_which = f", of which you denied {denied:,}" if denied else ", of which you denied none"
    return f"It would have allowed {calls:,} of your {int(told['of']):,} past calls{of_which}."
