"""Unreported: what the model has written of answers that broke off. Nobody tells its tokens, but they are paid for."""

from __future__ import annotations

from dataclasses import replace

from maverick_tui.agent.engine.prices import estimate
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.usage import CHARACTERS_PER_TOKEN, Usage


class Unreported:
    """Takes what a turn tells; the tokens of an answer are reported at its end, until then its characters count."""

    def __init__(self) -> None:
        self.tokens = 0
        """Those of the turn that broken answers have written beyond what they have reported, by their characters."""
        self.reports: list[ev.UsageReported] = []
        """The last reports of those answers, with these tokens."""
        self._model = ""
        self._answer: ev.UsageReported | None = None
        self._characters = 0
        self._others: set[int] = set()
        """Blocks of subagents, whose answers are told as a whole."""

    def begin_turn(self) -> None:
        """Count from here."""
        self.tokens, self.reports, self._answer, self._characters = 0, [], None, 0

    def take(self, event: Event) -> None:
        """The next event."""
        match event:
            case ev.BlockGrew():
                if event.block not in self._others:
                    self._characters += len(event.text)
            case ev.BlockStarted() if event.parent:
                self._others.add(event.block)
            case ev.BlockEnded():
                self._others.discard(event.block)
            case ev.UsageReported() if not event.parent:
                self._reported(event)
            case ev.ModelNamed():
                self._model = event.model
            case ev.ReplyRestarted():
                self.break_off()

    def _reported(self, event: ev.UsageReported) -> None:
        before, self._answer = self._answer, event
        # Of an answer that was interrupted, Claude Code says once more what it began with.
        is_said_again = before is not None and before.message == event.message and before.usage == event.usage
        if not is_said_again:
            self._characters = 0

    def break_off(self) -> None:
        """Nothing more of the answer comes."""
        tokens, answer, self._characters = self._characters // CHARACTERS_PER_TOKEN, self._answer, 0
        if answer is None or not tokens:
            return
        more = estimate(self._model, Usage(output_tokens=tokens))
        cost = None if answer.cost_usd is None or more is None else answer.cost_usd + more
        self.tokens += tokens
        self.reports.append(replace(answer, output_tokens=answer.output_tokens + tokens, cost_usd=cost))
