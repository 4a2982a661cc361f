"""QuestionWords: what was typed for questions on other screens than their run's own, and not sent.

It is kept with the draft of the run, waits on those screens for whoever comes back, and comes into the run's prompt
when that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel

LEFT = "This question is gone. What you have typed waits in the prompt of its run."


class Said(NamedTuple):
    """Words that nobody has sent: for the agent, and reasons to deny by the question that they are for."""

    text: str = ""
    reasons: Mapping[str, str] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.text.strip() or self.reasons)

    @property
    def whole(self) -> str:
        """All of them, one below the other."""
        return "\n".join(filter(None, (self.text, *self.reasons.values())))

    def __add__(self, other: Said) -> Said:  # type: ignore[override]
        """Both."""
        return Said("\n".join(filter(None, (self.text, other.text))), {**self.reasons, **other.reasons})


class QuestionWords:
    """By runs, and within one by the question for which they were typed, or "" where that does not matter."""

    def __init__(self, changed: Callable[[RunModel], None]) -> None:
        """`changed` hears that there are other words for a run."""
        self._changed = changed
        self._said: dict[str, dict[str, Said]] = {}

    @property
    def run_ids(self) -> set[str]:
        """The runs for which there are some."""
        return {*self._said}

    def note(self, run: RunModel, request: str, said: Said) -> None:
        """This is all that stands there for a question now."""
        if said == self.about(run, request) or not (said or self.about(run, request)):
            return
        words = self._said.setdefault(run.run_id, {})
        words.pop(request, None)
        if said:
            words[request] = said
        elif not words:
            del self._said[run.run_id]
        self._changed(run)

    def about(self, run: RunModel, request: str) -> Said:
        """What stands there for a question."""
        return self._said.get(run.run_id, {}).get(request, Said())

    def of(self, run: RunModel) -> Said:
        """All that there is for a run, as it may stand in a prompt: what was typed as an answer is no command there."""
        said = sum(self._said.get(run.run_id, {}).values(), Said())
        return Said(
            still_prompt(said.text), {request: still_prompt(reason) for request, reason in said.reasons.items()}
        )

    def leave(self, run: RunModel, request: str, text: str) -> None:
        """The question is gone for which this was typed: it waits until the run is shown."""
        gone = f"{request} is gone"
        self.note(run, request, Said())
        self.note(run, gone, self.about(run, gone) + Said(text))

    def take(self, run: RunModel) -> Said:
        """All that there is for a run: it stands in its prompt from now on."""
        said = self.of(run)
        self._said.pop(run.run_id, None)
        return said
