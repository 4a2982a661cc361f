"""What holds of every run's events: one beginning and one end of everything, in order, and all of it can travel."""

from __future__ import annotations

import json
from collections.abc import Sequence

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event, event_from_json
from maverick_tui.runs.log import numbered


class Grammar:
    """Reads the events of a run one by one, and does not accept what must not follow on what has come."""

    def __init__(self) -> None:
        self.is_loaded = False
        self.is_inheriting = False
        self.is_connecting = False
        self.open_turn: int | None = None
        self.last_turn = 0
        self.open_blocks: set[int] = set()
        self.known_blocks: set[int] = set()
        self.calls: set[str] = set()
        self.finished: set[str] = set()
        self.questions: set[str] = set()
        self.settled: set[str] = set()
        self.waiting: set[str] = set()
        self.is_planned = False

    def read(self, event: Event) -> None:
        match event:
            case ev.TurnStarted() | ev.TurnEnded():
                self._turn(event)
            case ev.BlockStarted() | ev.BlockGrew() | ev.BlockEnded() | ev.ReplyRestarted():
                self._block(event)
            case ev.ToolCalled():
                assert event.call not in self.calls
                assert event.block is None or event.block in self.open_blocks
                self.calls.add(event.call)
            case ev.ToolFinished():
                assert event.call in self.calls
                assert event.call not in self.finished
                self.finished.add(event.call)
            case ev.PermissionAsked() | ev.PermissionSettled():
                self._question(event)
            case _:
                self._beside(event)

    def _turn(self, event: ev.TurnStarted | ev.TurnEnded) -> None:
        if isinstance(event, ev.TurnEnded):
            assert event.turn == self.open_turn
            assert (event.failure is not None) == (event.outcome == "failed")
            assert event.usage.duration_ms >= 0
            assert not self.is_inheriting or not event.usage.total, "it counts where it comes from"
            self.open_turn = None
            self.open_blocks.clear()
            return
        assert self.is_loaded or self.is_inheriting, "nobody is there to answer"
        assert self.open_turn is None, "a turn began inside another"
        assert event.turn == self.last_turn + 1
        self.open_turn = self.last_turn = event.turn
        self.waiting.discard(event.prompt_id)

    def _block(self, event: ev.BlockStarted | ev.BlockGrew | ev.BlockEnded | ev.ReplyRestarted) -> None:
        match event:
            case ev.ReplyRestarted():
                assert self.open_blocks, "nothing was there to be thrown away"
                self.open_blocks.clear()
            case ev.BlockStarted():
                assert event.parent or self.open_turn is not None
                assert event.block not in self.known_blocks
                self.known_blocks.add(event.block)
                self.open_blocks.add(event.block)
            case _:
                assert event.block in self.open_blocks
                if isinstance(event, ev.BlockEnded):
                    self.open_blocks.remove(event.block)

    def _question(self, event: ev.PermissionAsked | ev.PermissionSettled) -> None:
        if isinstance(event, ev.PermissionAsked):
            assert event.request not in self.questions | self.settled
            self.questions.add(event.request)
            return
        assert event.request not in self.settled
        assert event.request in self.questions or event.by_rule, "only what was allowed before need not be asked"
        self.settled.add(event.request)

    def _beside(self, event: Event) -> None:
        match event:
            case ev.RunStarted():
                self.is_inheriting = bool(event.forked_from)
            case ev.RunForked():
                assert self.is_inheriting
                self.end()
                self.is_inheriting = False
                self.open_blocks.clear()
            case ev.RunReopened():
                self.end()
                self.is_loaded = self.is_connecting = False
                self.open_blocks.clear()
            case ev.AgentLoaded():
                assert self.open_turn is None, "it is at work already"
                self.is_loaded = True
            case ev.Connecting():
                assert not self.is_connecting
                self.is_connecting = True
            case ev.Connected():
                assert self.is_connecting
                assert self.is_loaded
                self.is_connecting = False
            case ev.ConnectFailed():
                self.is_connecting = False
            case ev.PromptQueued():
                self.waiting.add(event.prompt_id)
            case ev.PromptDropped():
                self.waiting.remove(event.prompt_id)
            case ev.QueueChanged():
                assert set(event.prompt_ids) == self.waiting
                assert {*event.held, *event.urgent} <= self.waiting
            case ev.PromptSteered():
                assert event.prompt_id not in self.waiting
            case ev.PromptsHeld():
                assert set(event.prompt_ids) <= self.waiting
            case ev.ContinuePlanned():
                assert not self.is_planned, "one plan at a time"
                self.is_planned = True
            case ev.ContinueCalledOff() | ev.ContinueDue():
                assert self.is_planned
                self.is_planned = False

    def end(self) -> None:
        assert self.open_turn is None
        assert self.questions <= self.settled
        assert not self.waiting
        assert not self.is_planned


def check_well_formed(events: Sequence[Event]) -> None:
    """Refuse a stream that no run may tell."""
    assert isinstance(events[0], ev.RunStarted)
    assert isinstance(events[-1], ev.RunEnded)
    assert sum(isinstance(event, ev.RunStarted) for event in events) == 1
    ended = [isinstance(event, ev.RunEnded) for event in events]
    assert ended[:-1] == [isinstance(event, ev.RunReopened) for event in events[1:]], "nothing comes in between"
    lines = [json.loads(json.dumps(numbered(number, event))) for number, event in enumerate(events)]
    assert [event_from_json(line) for line in lines] == list(events)
    assert [line["seq"] for line in lines] == list(range(len(events)))
    assert [event.at for event in events] == sorted(event.at for event in events)
    grammar = Grammar()
    for event in events:
        grammar.read(event)
    grammar.end()
