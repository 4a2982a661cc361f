"""What the index answers with: a run of the list, and a place where words were found."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, cast

from rich.cells import cell_len

from maverick_tui.history.scanning import Summary
from maverick_tui.history.sessions.taking_in import THEIRS
from maverick_tui.history.updating import OURS
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.runs.store import fork_words

UNREAD = "unread"
NOT_READ = "not read yet"
_BEFORE = 3
"""The part of the room that what is before a match may take."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run as it stands in the list; its texts are as they were told, and not inert."""

    run_id: str
    state: str
    """`running` while a process writes to it, else `done`, `failed`, `interrupted` or `ended`.

    Of a session of Claude Code that is only listed yet, `unread`: its figures are not known.
    """
    name: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    size: int
    about: Summary
    source: str = OURS
    """`maverick`, or `claude` for a session that Claude Code has kept, and no run of ours has gone on with."""
    file: str = ""
    """Where its events are, if not in a journal of ours."""
    copied_usd: float = 0.0
    """What of its cost another session has as well: Claude Code copies one to go on from it."""

    @property
    def is_foreign(self) -> bool:
        """Whether it is a session of Claude Code."""
        return self.source == THEIRS

    @property
    def title(self) -> str:
        """What it is called, or was asked first."""
        return self.name or self.about.first_prompt

    @property
    def heading(self) -> str:
        """The title, or what there is to say where it has none; inert, on one line."""
        title = one_line(self.title) or fork_words(self.about.forked_from, self.about.forked_turn)
        return title or ("(the agent's own prompt)" if self.about.turns else "(nothing was asked)")

    @property
    def waiting(self) -> list[str]:
        """The beginnings of prompts that were never sent."""
        return cast("list[str]", json.loads(self.about.waiting))

    @property
    def why_it_stays(self) -> str:
        """Why it is not deleted, though somebody who has seen this of it wants that; empty if it may be."""
        journal = journal_of(self.run_id)
        if is_alive(journal):
            return "it is at work again"
        with suppress(FileNotFoundError):  # then nobody has gone on with it
            if journal.stat().st_size != self.size:
                return "it has gone on since it was listed"
        return ""

    def duration(self, now: float | None = None) -> float:
        """Seconds for which it was at work: those of its turns, the open one as far as it has come, or until now."""
        about = self.about
        until = about.last_at if now is None else now
        return about.worked + (max(0.0, until - about.working_since) if about.working_since is not None else 0.0)

    @property
    def is_unread(self) -> bool:
        """Whether it is a session that nothing is known of but its beginning."""
        return self.state == UNREAD

    @property
    def is_live(self) -> bool:
        """Whether a process writes to it."""
        return self.state == "running"

    @property
    def phase(self) -> str:
        """What is shown of it: its state, and of one that is alive what it is about.

        That is `asks`, `running`, at rest what its last turn came to, and before the first one `queued` or `ready`.
        """
        about = self.about
        if not self.is_live:
            return self.state
        if about.asks:
            return "asks"
        if about.working_since is not None:
            return "running"
        if about.outcome != "ended":
            return about.outcome
        return "queued" if self.waiting else "ready"

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        told = {**asdict(self.about), "is_estimate": bool(self.about.is_estimate)}
        told["waiting"], told["duration"] = self.waiting, round(self.duration(), 3)
        del (
            told["worked"],
            told["working_since"],
            told["outcome"],
            told["told_name"],
            told["told_name_at"],
            told["asks"],
        )
        head = {"run_id": self.run_id, "title": one_line(self.title), "state": self.state, "name": self.name}
        place = {"source": self.source, "journal": self.file or str(journal_of(self.run_id))}
        return {**head, **told, "tags": self.tags, "files": self.files, **place}


class Hit(NamedTuple):
    """A place where the words were found; `snippet` is inert, on one line, and every second part of it is a match."""

    run_id: str
    number: int
    """The event to open the run at."""
    turn: int | None
    kind: str
    """`prompt`, `answer`, `thinking`, `input`, `output` or `failure`."""
    snippet: tuple[str, ...]

    def fitting(self, width: int) -> tuple[str, ...]:
        """The snippet for a row of that width: what is before the first match leaves that in view."""
        before, *rest = self.snippet
        if cell_len(before) <= width // _BEFORE:
            return self.snippet
        while before and cell_len(before) > width // _BEFORE - 1:
            before = before.partition(" ")[2]
        return (f"…{before}", *rest)

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        matches, start = [], 0
        for place, part in enumerate(self.snippet):
            if place % 2:
                matches.append((start, start + len(part)))
            start += len(part)
        about = {"run_id": self.run_id, "event": self.number, "turn": self.turn, "kind": self.kind}
        return {**about, "snippet": "".join(self.snippet), "matches": matches}
