"""The programs that are measured, and what has to be known of their screens."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from maverick_tui.offline.processes import offline_environment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CLAUDE_PROMPT = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
NOWHERE = "http://127.0.0.1:9"
"""Where no model is: for runs that ask none."""


@dataclass(frozen=True)
class Program:
    """How to start it, and how its prompt looks: `prompt` matches that row, and its group is what was typed."""

    name: str
    command: Sequence[str]
    prompt: re.Pattern[str]
    ready: bytes
    """Written with the first frame: from then on it is typed to, whether it listens yet or not."""
    also: Sequence[re.Pattern[str]] = ()
    """What else the first frame shows."""
    prepare: Callable[[Path, Path], None] | None = None
    """Given its home and its working directory."""
    settle: float = 1.5
    """Seconds from the first frame until it is asked something."""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def frame(self) -> Sequence[re.Pattern[str]]:
        """What is on the screen when the first frame is."""
        return (self.prompt, *self.also)

    def environment(self, home: Path, url: str = NOWHERE) -> dict[str, str]:
        """A terminal of today, a home of its own, and the scripted model as the only one."""
        return {**environment(home, url), **self.variables}


def environment(home: Path, url: str) -> dict[str, str]:
    """The environment of every program of the benchmark."""
    kept = {name: value for name in ("PATH", "LANG", "PYTHONDONTWRITEBYTECODE") if (value := os.environ.get(name))}
    return {
        **kept,
        **offline_environment(url, home),
        "HOME": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }


def bare() -> Program:
    """A bare Textual application."""
    return Program(
        name="bare",
        command=(sys.executable, str(HERE / "bare.py")),
        prompt=re.compile(r"^  (\S+)$"),
        ready=b"bare Textual",
        also=(re.compile("^bare Textual"),),
    )


def claude() -> Program:
    """The full-screen interface of the CLI that the SDK brings along."""
    found = find_spec("claude_agent_sdk")
    assert found is not None
    assert found.origin is not None
    return Program(
        name="claude",
        command=(str(Path(found.origin).parent / "_bundled" / "claude"),),
        prompt=re.compile(rf"^{CLAUDE_PROMPT}\s?(.*)$"),
        ready=CLAUDE_PROMPT.encode(),
        also=(re.compile("Claude Code v"),),
        prepare=_accustom_claude,
    )


def maverick() -> Program:
    """Our application, with an agent as `maverick --agent` opens it."""
    return Program(
        name="maverick",
        command=(str(Path(sys.executable).parent / "maverick"), "--agent", "explorer"),
        prompt=re.compile(r"^\s*│\s?([^│]*?)\s*│$"),
        ready="╰".encode(),
        also=(re.compile("explorer"),),
        settle=3.0,
    )


def _accustom_claude(home: Path, work: Path) -> None:
    """What it would ask a new user has been answered."""
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "numStartups": 5,
        "customApiKeyResponses": {"approved": ["offline"], "rejected": []},
        "projects": {str(work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    settings = home / ".claude"
    settings.mkdir()
    (settings / ".claude.json").write_text(json.dumps(known), encoding="utf-8")
