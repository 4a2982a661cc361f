"""Unreported: what the model has written of answers that broke off. Nobody tells its tokens, but they are paid for."""

from __future__ import annotations

from dataclasses import replace

from maverick_tui.agent.engine.prices import estimate
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.usage import CHARACTERS_PER_TOKEN, SAME_PRICE, Usage


class Unreported:
    """Takes what a turn tells; the tokens of an answer are reported at its end, until then its characters count."""

    def __init__(self) -> None:
        self._model = ""
        self._reported: dict[str, ev.UsageReported] = {}
        """The last report of each answer, also those of subagents."""
        self._tokens: dict[str, int] = {}
        """What answers of the agent's own that broke off have written beyond that, by their characters."""
        self._answer = ""
        self._characters = 0
        self._others: set[int] = set()
        """Blocks of subagents, whose answers are told as a whole."""

    def begin_turn(self) -> None:
        """Count from here."""
        self._reported, self._tokens, self._answer, self._characters = {}, {}, "", 0

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
            case ev.UsageReported():
                self._take_report(event)
            case ev.ModelNamed():
                self._model = event.model
            case ev.ReplyRestarted():
                self._break_off()

    def _take_report(self, event: ev.UsageReported) -> None:
        before = self._reported.get(event.message)
        self._reported[event.message] = event
        if event.parent:
            return
        self._answer = event.message
        # Of an answer that was interrupted, Claude Code says once more what it began with.
        if before is None or before.usage != event.usage:
            self._characters = 0
            self._tokens.pop(event.message, None)  # it goes on after all

    def _break_off(self) -> None:
        tokens, self._characters = self._characters // CHARACTERS_PER_TOKEN, 0
        if tokens and self._answer:
            self._tokens[self._answer] = self._tokens.get(self._answer, 0) + tokens

    def end_turn(self, outcome: ev.Outcome, billed: Usage) -> tuple[list[ev.UsageReported], Usage]:
        """The reports of broken answers with what they have written, and what the turn has used beyond its bill.

        A turn that was cut short has no bill, or one without the answer that broke.
        """
        if outcome != "done":
            self._break_off()
        reports = [self._with_guess(message, tokens) for message, tokens in self._tokens.items()]
        guess = Usage(output_tokens=sum(self._tokens.values()))
        if outcome == "done":
            return reports, replace(guess, cost_usd=estimate(self._model, guess)) if reports else guess
        told = self._reported | {report.message: report for report in reports}
        more = sum(one.cost_usd or 0.0 for one in told.values()) - (billed.cost_usd or 0.0)
        return reports, replace(guess, cost_usd=more if more > SAME_PRICE else None)

    def _with_guess(self, message: str, tokens: int) -> ev.UsageReported:
        report = self._reported[message]
        more = estimate(self._model, Usage(output_tokens=tokens))
        cost = None if report.cost_usd is None or more is None else report.cost_usd + more
        return replace(report, output_tokens=report.output_tokens + tokens, cost_usd=cost)
