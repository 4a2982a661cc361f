"""A throw-away application around the history, and runs for it to find."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App
from textual.message import Message
from textual.pilot import Pilot

from maverick_tui.history.listed import ListedRun
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.ui.history.drawing import Status
from maverick_tui.ui.history.pane import READING, HistoryPane
from maverick_tui.ui.history.questions import Looking
from maverick_tui.ui.history.row_list import RowList
from maverick_tui.ui.history.rows import Found, Heading
from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.lines import LineView
from maverick_tui.ui.picker.edges import KeyHints
from tests.history.kept import AT, keep_run
from tests.ui.waiting import until

NARROW, BROAD = (80, 24), (120, 40)


class Host(App[None]):
    """Shows the history and keeps what it asks for; when told to go back it does."""

    def __init__(self, looking: Looking, status: Status = lambda _: None) -> None:
        super().__init__()
        self.board = Board(lambda _run, _event: None)
        self.history = HistoryScreen(looking, self.board, status, clock=lambda: AT + 3_600)
        self.asked: list[Message] = []

    async def on_mount(self) -> None:
        await self.push_screen(self.history)

    def on_history_screen_run_chosen(self, event: HistoryScreen.RunChosen) -> None:
        self.asked.append(event)

    async def on_history_screen_back_requested(self, event: HistoryScreen.BackRequested) -> None:
        self.asked.append(event)
        await self.pop_screen()

    def open_here(self, run_id: str) -> None:
        """Have a run on the board."""
        self.board.add(RunModel(run_id, "reviewer", self.board))

    # -- what a test looks at -----------------------------------------------------------------------------------------

    @property
    def pane(self) -> HistoryPane:
        return self.history.query_one(HistoryPane)

    @property
    def row_list(self) -> RowList:
        return self.history.query_one(RowList)

    @property
    def titles(self) -> list[str]:
        """The names or prompts of the runs that are listed."""
        return [row.title for row in self.row_list.rows if isinstance(row, ListedRun)]

    @property
    def headings(self) -> list[str]:
        return [
            "".join(text for text, _ in row.line) for row in self.row_list.rows if isinstance(row, Heading) and row.line
        ]

    @property
    def snippets(self) -> list[str]:
        """What was found."""
        return ["|".join(row.hit.snippet) for row in self.row_list.rows if isinstance(row, Found)]

    @property
    def notice(self) -> str:
        return self.history.query_one(KeyHints).notice

    @property
    def preview(self) -> str:
        return self.history.query_one("#preview", LineView).text

    @property
    def totals(self) -> str:
        return self.history.query_one("#totals", LineView).text

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(strip.text for strip in self.screen._compositor.render_strips())


@asynccontextmanager
async def opened(
    size: tuple[int, int] = NARROW, looking: Looking | None = None
) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """The history as soon as it shows what it was asked for."""
    app = Host(looking or Looking())
    async with app.run_test(size=size) as pilot:
        await until(
            pilot,
            lambda: app.row_list.rows or not app.row_list.notice.startswith(READING) or app.totals,
            "there is an answer",
        )
        yield app, pilot


def keep_some(count: int = 3) -> list[str]:
    """Runs of three agents, the last one the newest; their ids."""
    ids = [f"{number:012x}" for number in range(1, count + 1)]
    for number, run_id in enumerate(ids):
        agent = ("reviewer", "explorer", "tester")[number % 3]
        keep_run(
            run_id,
            AT + number * 10 - count * 10,
            prompt=f"Prompt {number} of {agent}",
            answer=f"Answer {number}",
            agent=agent,
        )
    return ids
