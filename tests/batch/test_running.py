"""A batch whose runs are only told of: what it begins, what it leaves, and what it says of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maverick_tui.batch.folder import opened
from maverick_tui.batch.items import Item, read_items
from maverick_tui.batch.places import Place
from maverick_tui.batch.running import Batch
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.events import kinds as ev
from maverick_tui.host.orders import Order
from maverick_tui.runs.outcome import ReadOutcome
from maverick_tui.usage import Usage

WHY = "The fuse of all runs of today is at $1.50 of $1.00."


class Machine:
    """A place whose runs are done at once, as long as its day has something left."""

    jobs = 2

    def __init__(self, name: str, left: int) -> None:
        self.name = name
        self.left = left
        self.started: list[str] = []

    async def start(self, order: Order) -> None:
        self.started.append(order.prompt or "")

    async def follow(self, run_id: str, outcome: ReadOutcome) -> None:
        self.left -= 1
        told: list[ev.Event] = [ev.RunStarted(1.0, run_id, "cook"), ev.TurnStarted(1.0, 1, "go", "p")]
        if self.left < 0:
            told += [ev.Noticed(2.0, "limit", WHY, scope="day"), ev.TurnEnded(2.0, 1, "interrupted", Usage())]
        else:
            told.append(ev.TurnEnded(2.0, 1, "done", Usage()))
        for event in (*told, ev.RunEnded(2.0, "closed")):
            outcome.take(event)

    async def stop(self, run_id: str) -> None:
        raise AssertionError("nothing is stopped")


class Told:
    def __init__(self) -> None:
        self.words: list[str] = []

    def changed(self) -> None: ...

    def failed(self, item: Item, record: dict[str, Any]) -> None:
        raise AssertionError(record)

    def said(self, message: str, hint: str = "") -> None:
        self.words.append(message)


async def served(*places: Place) -> tuple[Batch, Told]:
    Path("p.txt").write_text("\n".join(f"prompt {number}" for number in range(8)))
    told = Told()
    with opened(Path("p.batch").absolute(), "cook") as folder:
        order_of = lambda item, place, run_id: Order(run_id, "cook", ".", item.prompt)  # noqa: E731
        items = read_items(Path("p.txt"), is_jsonl=False)
        folder.take_in(items)
        batch = Batch(folder, items, places, order_of, verdict_of, told)
        await batch.serve()
    return batch, told


async def test_at_the_fuse_of_a_day_nothing_more_begins_and_the_rest_is_left_for_the_same_command() -> None:
    here = Machine("", 3)
    batch, told = await served(here)
    assert (len(batch.done), batch.failures, batch.limit) == (3, [], WHY)
    assert told.words == [f"{WHY} Nothing more begins."]
    assert len(here.started) <= 3 + here.jobs, "those that were at work when it was found out"
    again, _ = await served(Machine("", 99))
    assert (len(again.done), again.failures, again.limit) == (8, [], "")


async def test_another_machine_whose_day_goes_on_does_the_rest() -> None:
    batch, told = await served(Machine("", 1), Machine("there", 99))
    assert (len(batch.done), batch.failures) == (8, [])
    assert told.words == [f"{WHY} Its prompts go elsewhere."]
