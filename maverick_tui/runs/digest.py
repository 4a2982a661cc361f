"""What a run did while nobody looked: facts, counted along with its events. No model is asked about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.events.typed import MOST
from maverick_tui.masking.redact import beginning
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.tool_text import WRITING_TOOLS
from maverick_tui.usage import Usage

MOST_FILES = 20
"""Files that are told by name, those that were touched last."""
LONGEST_NAME = 500
"""Characters of such a name: it is what a model has said."""


class Digest(NamedTuple):
    """What happened since a moment."""

    since: float
    turns: int = 0
    """Those that have ended."""
    failures: int = 0
    """Turns that have failed, and ways to the model that were lost or never found."""
    asked: int = 0
    """Questions, whatever became of them."""
    files: int = 0
    """How many were written to."""
    file_names: tuple[str, ...] = ()
    """The last ones of them, as the tools were told."""
    tokens: int = 0
    cost_usd: float | None = None
    is_ended: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened that anybody would want to be told."""
        return not (self.turns or self.failures or self.asked or self.files or self.tokens or self.is_ended)

    def to_json(self) -> dict[str, Any]:
        """As a host tells it."""
        return {**self._asdict(), "file_names": list(self.file_names)}

    def in_words(self, waiting: int = 0) -> list[str]:
        """The facts, each in a few words; `waiting` is how many questions are open now."""
        return [
            *([counted(self.turns, "turn")] if self.turns else []),
            *([counted(self.files, "file")] if self.files else []),
            *([dollars(self.cost_usd)] if self.cost_usd else []),
            *([counted(self.failures, "failure")] if self.failures else []),
            *([f"{counted(waiting, 'question')} {'waits' if waiting == 1 else 'wait'}"] if waiting else []),
            *(["ended"] if self.is_ended else []),
        ]


def digest_from_json(told: object) -> Digest | None:
    """What a host has told; None if it has told nothing that means anything here."""
    if not isinstance(told, Mapping) or not _is_number(told.get("since")):
        return None
    names = told.get("file_names")
    cost = told.get("cost_usd")
    counts = {name: told.get(name) for name in ("turns", "failures", "asked", "files", "tokens")}
    return Digest(
        float(told["since"]),
        **{name: value if type(value) is int else 0 for name, value in counts.items()},
        file_names=tuple(map(str, names[:MOST_FILES])) if isinstance(names, list) else (),
        cost_usd=float(cost) if cost is not None and _is_number(cost) else None,
        is_ended=told.get("is_ended") is True,
    )


@dataclass(slots=True)
class Tally:
    """Counts what happens from one moment on; it costs the same whatever was before."""

    since: float | None = None
    """None as long as nobody has said from when on."""
    turns: int = 0
    failures: int = 0
    asked: int = 0
    is_ended: bool = False
    _before: Usage = field(default_factory=Usage)
    _files: dict[str, None] = field(default_factory=dict)
    _writing: dict[str, str] = field(default_factory=dict)
    """What calls that are open would write to, by call: one that began earlier may be done later."""

    def begin(self, at: float, used: Usage) -> None:
        """Count from this moment on; `used` is all that the run has used until then."""
        self.since, self._before, self._files = at, used, {}
        self.turns = self.failures = self.asked = 0
        self.is_ended = False

    def take(self, event: Event) -> None:
        """The next event."""
        match event:
            case ev.ToolCalled() if (name := WRITING_TOOLS.get(event.name)) and isinstance(
                path := event.arguments.get(name), str
            ):
                self._writing[event.call] = path
            case ev.ToolFinished() if (path := self._writing.pop(event.call, "")) and not event.is_error:
                self._files.pop(path, None)
                self._files[path] = None
            case ev.TurnEnded():
                self.turns += 1
                self.failures += event.outcome == "failed"
            case ev.ConnectFailed():
                self.failures += 1
            case ev.PermissionAsked():
                self.asked += 1
            case ev.RunEnded():
                self.is_ended = True
                self._writing.clear()
            case ev.RunReopened():
                self.is_ended = False

    def digest(self, used: Usage) -> Digest | None:
        """What has happened until now; `used` is all that the run has used."""
        if self.since is None:
            return None
        new = used - self._before
        return Digest(
            self.since,
            self.turns,
            self.failures,
            self.asked,
            len(self._files),
            tuple(beginning(name, LONGEST_NAME) for name in list(self._files)[-MOST_FILES:]),
            max(0, new.total),
            new.cost_usd,
            self.is_ended,
        )


def span(seconds: float) -> str:
    """How long somebody was away, as people say it: 40 s, 12 min, 3 h, 2 d."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def counted(number: int, what: str) -> str:
    """How many there are: `1 turn`, `2 turns`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and -MOST < value < MOST  # type: ignore[operator]
