"""Which questions are open in which runs, and each of them as a line of the list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.inert import one_line, revealed
from maverick_tui.runs.choosing import parts_of
from maverick_tui.runs.digest import span
from maverick_tui.runs.own_questions import is_own
from maverick_tui.runs.tool_text import describe, key_argument
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cut, pad

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.runs.board import RunModel

_AGE = 7
_LEAST_NAME, _MOST_NAME = 12, 30
_IN_WORDS = {"AskUserQuestion": "asks you", "ExitPlanMode": "has a plan"}


class Asked(NamedTuple):
    """An open question, and the run that waits for its answer."""

    run: RunModel
    question: PermissionAsked

    @property
    def key(self) -> tuple[str, str]:
        """By which it is known again."""
        return self.run.run_id, self.question.request


def open_questions(runs: Iterable[RunModel]) -> list[Asked]:
    """All open questions of these runs, those that have waited longest first."""
    asked = (Asked(run, question) for run in runs if run.is_served for question in run.store.questions.values())
    return sorted(asked, key=lambda one: (one.question.at, one.key))


def line_of(asked: Asked, width: int, now: float) -> Line:
    """Since when it waits, whose it is, and what it is about."""
    run, question = asked
    name = min(max(width // 4, _LEAST_NAME), _MOST_NAME)
    whose = " ".join(filter(None, (run.title, f"on {run.machine}" if run.machine else "", _asked_first(run))))
    tool = _IN_WORDS.get(question.tool) or one_line(describe(question.tool))
    if question.tool == "AskUserQuestion":
        parts = parts_of(question.arguments)
        about = one_line(revealed(parts[0].question)) if parts else ""
        tool = "fuse" if is_own(question.call) else tool
    else:
        about = "" if question.tool in _IN_WORDS else _about(asked)
    return (
        (pad(span(now - question.at), _AGE), "muted"),
        (f"{pad(cut(one_line(whose), name), name)}  ", "text"),
        (tool, "warning"),
        (f"  {about}" if about else "", "text"),
    )


def _asked_first(run: RunModel) -> str:
    """What tells a run without a name from others of its agent."""
    return f"· {run.store.first_prompt}" if run.store.first_prompt and not run.store.name else ""


def _about(asked: Asked) -> str:
    """What the call is about, with all that is hidden in it."""
    loaded = asked.run.store.loaded
    arguments = {
        name: revealed(value) if isinstance(value, str) else value
        for name, value in asked.question.arguments.items()
        if name != "description"
    }
    return key_argument(asked.question.tool, arguments, loaded.cwd if loaded is not None else "")
