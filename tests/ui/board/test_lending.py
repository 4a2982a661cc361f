"""Which run is lent for a card: a machine may call its run as one of another machine is called."""

from __future__ import annotations

from typing import Any, cast

from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.card import RunCard
from maverick_tui.ui.board.lending import Lending


def test_runs_of_one_id_on_several_machines_are_told_apart() -> None:
    board, app = Board(lambda *_: None), cast("Any", None)
    attached: list[tuple[str, RunModel]] = []

    def attach_there(run: RunModel, machine: str) -> None:
        run.machine = machine
        attached.append((machine, run))

    lending = Lending(app, board, lambda run: attached.append(("", run)), attach_there, lambda *_: None)
    ours = RunModel("ours", "", board)
    board.add(ours)
    lent = {card.key: lending.lend(card) for card in (RunCard("ours"), RunCard("ours", "gpu"))}
    lent |= {card.key: lending.lend(card) for card in (RunCard("asks", "gpu"), RunCard("asks"), RunCard("asks", "box"))}
    assert lent["ours"] is ours
    others = [(key, run) for key, run in lent.items() if run is not ours]
    assert [(f"{machine}:{run.run_id}".lstrip(":"), run) for machine, run in attached] == others, "each its own"
    assert lending.lend(RunCard("asks", "box")) is lent["box:asks"]
