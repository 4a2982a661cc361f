"""What is asked before a race is decided: what becomes of the one that is chosen, and of all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from textual import events

from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen
from maverick_tui.ui.rendering.wrap import cut

if TYPE_CHECKING:
    from maverick_tui.host.racing import Result
    from maverick_tui.ui.race.rows import Lane

Decision = Literal["", "keep", "merge", "all", "none"]
_LONGEST_NAME = 36
_LONGEST_WORDS = 200
_NOT_SETTLED = {"asks": "waits for your answer", "finishing": "is being committed and tested"}


class DecideScreen(ConfirmScreen):
    """One letter has asked, and Enter agrees; unless the letter was one of many, which were meant for elsewhere."""

    AUTO_FOCUS = ""
    BOX = "-medium"

    def __init__(self, title: str, text: str, yes: str, *, is_one_of_many: bool) -> None:
        super().__init__(title, text, yes, no="Stay")
        self._is_one_of_many = is_one_of_many

    def on_mount(self) -> None:
        """Have Enter agree, or not."""
        self.set_focus(self.query_one("#no" if self._is_one_of_many else "#yes"))

    def on_key(self, event: events.Key) -> None:
        """Have Enter agree to nothing once somebody types on."""
        if event.is_printable and not (self.is_armed and event.key in self.active_bindings):
            self.set_focus(self.query_one("#no"))


def named(lane: Lane) -> str:
    """What one of them is called where others are, too."""
    return cut(f"{lane.entrant.number} {one_line(lane.entrant.label)}", _LONGEST_NAME)


def asked(decision: Decision, chosen: Sequence[Lane], others: Sequence[Lane], onto: str) -> tuple[str, str]:
    """What is asked before that is decided of the chosen ones, all of them finished; `onto` is what is merged into."""
    if decision == "all":
        return "Keep all as branches?", "\n".join(("The race is over then.", "", *map(_line, chosen)))
    (lane,) = chosen
    assert lane.result is not None
    title = f"Merge {named(lane)} into {onto}?" if decision == "merge" else f"Keep {named(lane)} as a branch?"
    return title, "\n".join((*_fate(lane.result, onto if decision == "merge" else ""), "", ended(others)))


def ended(lanes: Sequence[Lane]) -> str:
    """What becomes of those that are not kept."""
    several = "These end, and their worktrees and branches are"
    end = several if len(lanes) > 1 else "This one ends, and its worktree and branch are"
    return "\n".join((f"{end} removed; only what was said is kept:", *map(_line, lanes)))


def _line(lane: Lane) -> str:
    return f"{named(lane)}: {_state(lane)}"


def _state(lane: Lane) -> str:
    if lane.result is None:
        return _NOT_SETTLED.get(lane.word, "is still at work")
    return f"{lane.word}, {lane.result.changed.words}"


def _fate(result: Result, onto: str) -> list[str]:
    """What becomes of the chosen one: merged if there is something to merge into."""
    told = [f"{result.word.capitalize()}, {result.changed.words}."]
    if result.test is not None and not result.test.is_fine:
        told.append("Its test has failed.")
    if result.problem:
        left = "It is not merged, and stays" if onto else "It stays"
        told.append(f"{left} in its worktree: {_short(result.problem)}")
    elif result.loss.in_no_commit:
        told.append(f"Its worktree stays: no commit has {_short(result.loss.in_no_commit)}.")
    return told


def _short(words: str) -> str:
    """What git or a path says, without hiding by its length what becomes of the others."""
    return cut(one_line(redact(words)), _LONGEST_WORDS)
