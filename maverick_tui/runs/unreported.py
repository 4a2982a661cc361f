"""Unreported: what the model has written of answers that broke off. Nobody tells its tokens, but they are paid for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from maverick_tui.agent.engine.prices import estimate
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.usage import CHARACTERS_PER_TOKEN, SAME_PRICE, Usage

PriceOf = Callable[[str, Usage], float | None]
"""Says what tokens of a model cost; None where no price is known."""


@dataclass(slots=True)
class Written:
    """What the agent's own answers have written in a turn beyond what they have reported, by its characters."""

    answer: str = ""
    """The one that has reported last."""
    characters: int = 0
    """What has come since then."""
    broken: dict[str, int] = field(default_factory=dict)
    """The tokens of answers that broke off."""
    others: list[int] = field(default_factory=list)
    """Open blocks of subagents, whose answers are told as a whole."""

    @property
    def tokens(self) -> int:
        """All of it, if nothing more comes."""
        return sum(self.broken.values()) + self._growing

    @property
    def _growing(self) -> int:
        return self.characters // CHARACTERS_PER_TOKEN if self.answer else 0

    def begin_turn(self) -> None:
        """Count from here."""
        self.answer, self.characters, self.broken = "", 0, {}

    def block_started(self, block: int, parent: str) -> None:
        """An answer begins to write."""
        if parent:
            self.others.append(block)

    def block_ended(self, block: int) -> None:
        """That is all of it."""
        if block in self.others:
            self.others.remove(block)

    def grew(self, block: int, characters: int) -> None:
        """So much more came."""
        if block not in self.others:
            self.characters += characters

    def reported(self, message: str, *, is_news: bool) -> None:
        """An answer of the agent's own has told its tokens; of an interrupted one, Claude Code says the first again."""
        self.answer = message
        if is_news:
            self.characters = 0
            self.broken.pop(message, None)  # it goes on after all

    def break_off(self) -> None:
        """The answer that was being written will tell nothing more."""
        if tokens := self._growing:
            self.broken[self.answer] = self.broken.get(self.answer, 0) + tokens
        self.characters = 0


class Unreported:
    """Takes what a turn tells; the tokens of an answer are reported at its end, until then its characters count."""

    def __init__(self, price: PriceOf = estimate) -> None:
        self._price = price
        self._model = ""
        self._reported: dict[str, ev.UsageReported] = {}
        """The last report of each answer, also those of subagents."""
        self._written = Written()

    def begin_turn(self) -> None:
        """Count from here."""
        self._reported = {}
        self._written.begin_turn()

    def take(self, event: Event) -> None:
        """The next event."""
        match event:
            case ev.BlockGrew():
                self._written.grew(event.block, len(event.text))
            case ev.BlockStarted():
                self._written.block_started(event.block, event.parent)
            case ev.BlockEnded():
                self._written.block_ended(event.block)
            case ev.UsageReported():
                before, self._reported[event.message] = self._reported.get(event.message), event
                if not event.parent:
                    is_news = before is None or before.usage != event.usage
                    self._written.reported(event.message, is_news=is_news)
            case ev.ModelNamed():
                self._model = event.model
            case ev.ReplyRestarted():
                self._written.break_off()

    def end_turn(self, outcome: ev.Outcome, billed: Usage) -> tuple[list[ev.UsageReported], Usage]:
        """The reports of broken answers with what they have written, and what the turn has used beyond its bill.

        A turn that was cut short has no bill, or one without the answer that broke.
        """
        if outcome != "done":
            self._written.break_off()
        broken = self._written.broken
        reports = [self._with_guess(message, tokens) for message, tokens in broken.items()]
        guess = Usage(output_tokens=sum(broken.values()))
        if outcome == "done":
            return reports, replace(guess, cost_usd=self._price(self._model, guess)) if reports else guess
        told = self._reported | {report.message: report for report in reports}
        more = sum(one.cost_usd or 0.0 for one in told.values()) - (billed.cost_usd or 0.0)
        return reports, replace(guess, cost_usd=more if more > SAME_PRICE else None)

    def _with_guess(self, message: str, tokens: int) -> ev.UsageReported:
        report = self._reported[message]
        more = self._price(self._model, Usage(output_tokens=tokens))
        cost = None if report.cost_usd is None or more is None else report.cost_usd + more
        return replace(report, output_tokens=report.output_tokens + tokens, cost_usd=cost)
