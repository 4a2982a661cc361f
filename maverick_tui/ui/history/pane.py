"""HistoryPane: what is typed, and below it one of three views on it, asked for in a thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.filters import Filter, no_such_filter, parse_filter
from maverick_tui.history.index import ORDERS
from maverick_tui.history.listed import NOT_READ
from maverick_tui.history.money import cost_of_all, unread_of
from maverick_tui.history.totals import Totals
from maverick_tui.inert import one_line
from maverick_tui.runs.moments import local_time
from maverick_tui.ui.history import questions
from maverick_tui.ui.history.asking import IndexThread
from maverick_tui.ui.history.drawing import RowDrawing, Status
from maverick_tui.ui.history.questions import Listing, Looking, Refreshed
from maverick_tui.ui.history.row_list import RowList
from maverick_tui.ui.history.rows import Found, Row, counted, found_rows, run_rows
from maverick_tui.ui.history.totals_page import MEASURES, measured, totals_lines
from maverick_tui.ui.lines import Line, LineView
from maverick_tui.ui.picker.agents_pane import FilterLine
from maverick_tui.ui.rendering.wrap import wrap_words

TICK = 1.0
REFRESH_EVERY = 2.0
_AT_LEISURE = 20
"""To look for changes takes at most one part in so many of the time."""
READING = "Reading runs …"
EMPTY = (
    "Nothing is here yet.\n\n"
    "Every run is kept: what you asked, what the agent said and did, and what it cost. Once an agent has worked, its "
    "run is listed here, to be read again, searched, continued and exported.\n\n"
    "Esc goes back. Choose an agent, and give it something to do."
)
NO_MATCH = "No run matches. Esc clears."
NOT_FOUND = "Nothing was found. Esc clears."
NOTHING_TYPED = (
    "Type what was said or done: a word of a prompt, an answer, a command, a file or what a tool returned.\n\n"
    'All words have to be there; "in quotes" they are found as they stand. agent:, repo:, state:, since:, tag: and '
    "source: choose among the runs."
)
PLACEHOLDERS = {
    "runs": "type to filter: words, agent: repo: state: since: tag:",
    "search": "search in everything that was said and done",
    "totals": "type to filter: agent: repo: since:7d tag:",
}


class HistoryPane(Vertical):
    """Rows stay as they are until there is an answer; while runs go on they are listed again and again."""

    def __init__(
        self,
        looking: Looking,
        index: Callable[[], IndexThread | None],
        status: Status,
        clock: Callable[[], float],
        *,
        typed: Callable[[], None],
        moved: Callable[[Row | None], None],
        chosen: Callable[[Row], None],
        say: Callable[[str], None],
    ) -> None:
        """What is heard: something was typed, a row is highlighted, or clicked twice, and what is to be said."""
        super().__init__(id="looking")
        self.looking = looking
        self.wanted = Filter()
        self._index = index
        self._clock = clock
        self._was_typed = typed
        self._say = say
        self.filter = FilterLine(self._type)
        self.filter.set_reactive(FilterLine.text, looking.text)
        self._drawing = RowDrawing(clock, status)
        self._drawing.order_by = looking.order_by
        self.rows = RowList(self._drawing.draw, moved, chosen)
        self.rows.set_reactive(RowList.notice, READING)
        self.totals = LineView(id="totals")
        self._mistake = ""
        """What is wrong with what is typed: it may be half a word yet."""
        self._listing = Listing([], is_whole=False, total=0)
        self._refresh_at: float | None = None
        """When to look for changes; None while nothing is known, or while somebody looks."""
        self._is_looking = False
        """Whether somebody does: to ask once more would drop what is found."""
        self._unread = 0
        """Sessions of Claude Code in which nothing is found yet."""

    def compose(self) -> ComposeResult:
        """One above the other; only one of the two below can be seen."""
        yield self.filter
        yield self.rows
        yield self.totals

    def on_mount(self) -> None:
        """Look for changes from time to time."""
        self.set_interval(TICK, self._tick)

    # -- asking -------------------------------------------------------------------------------------------------------

    def _type(self) -> None:
        self.looking.text, self.looking.key = self.filter.text, ""
        self._was_typed()
        self.ask()

    def show_view(self, view: str) -> None:
        """Show what is typed in another view."""
        self.looking.view = view
        self.filter.placeholder, self.filter.count = PLACEHOLDERS[view], ""
        self.filter.refresh()
        if view == "search":
            self.rows.notice = NOTHING_TYPED
        key = self.looking.key
        self.rows.show(())
        self.looking.key = key
        self.ask()

    def next_order(self) -> None:
        """List the runs in the next order, or add up the next figure."""
        if self.looking.view == "totals":
            self.looking.measure = _after(self.looking.measure, MEASURES)
        else:
            self.looking.order_by = self._drawing.order_by = _after(self.looking.order_by, tuple(ORDERS))
            self.looking.key = ""
        self.ask()

    def ask(self, least: int = questions.FIRST) -> None:
        """Ask for what is typed, and at once for so many runs."""
        if (index := self._index()) is None:
            return
        try:
            self.wanted = wanted = parse_filter(self.filter.text, self._clock)
        except ConfigError as error:
            self._say(one_line(str(error)))
            self.filter.count = self._mistake = one_line(error.message)
            if self.rows.rows:
                index.ask("view", lambda _: (), self._show_listing)  # what was asked before is no answer to this
            else:  # but better than nothing
                self.rows.notice = one_line(str(error))
            return
        self._mistake = ""
        if self.looking.view == "search":
            index.ask("view", partial(questions.ask_search, wanted=wanted), self._show_found)
        elif self.looking.view == "totals":
            index.ask("view", partial(questions.ask_totals, wanted=wanted), self._show_totals)
        else:
            ask = partial(questions.ask_runs, wanted=wanted, order_by=self.looking.order_by, least=least)
            index.ask("view", ask, self._show_listing)

    def refresh_soon(self) -> None:
        """Look for changes at the next tick."""
        self._refresh_at = 0.0

    def _tick(self) -> None:
        if self.looking.view == "runs":
            self.rows.refresh_live()
        index, is_due = self._index(), self._refresh_at is not None and time.monotonic() >= self._refresh_at
        if index is not None and is_due and not self._is_looking:
            self._refresh_at, self._is_looking = None, True
            index.ask("refresh", questions.ask_refresh, self._refreshed)
        elif index is not None and self._unread:
            index.ask("sessions", questions.ask_sessions, self._read_on)

    def _read_on(self, unread: int) -> None:
        if unread != self._unread:
            self._unread = unread
            self.ask(max(len(self._listing.runs), questions.FIRST))

    def _refreshed(self, done: Refreshed) -> None:
        self._is_looking = False
        if self._refresh_at is None:
            self._refresh_at = time.monotonic() + max(REFRESH_EVERY, done.seconds * _AT_LEISURE)
        has_live = any(run.is_live for run in self._listing.runs[: questions.FIRST])
        self._read_on(done.unread)
        if done.changed or (has_live and self.looking.view == "runs"):  # one that was killed has changed nothing
            self.ask(max(len(self._listing.runs), questions.FIRST))

    def failed(self, reason: str) -> None:
        """There is no answer; another question may have one."""
        self._is_looking = False
        self._refresh_at = time.monotonic() + REFRESH_EVERY
        if not self.rows.rows:
            self.rows.notice = f"✘ {reason}"

    def progress(self, done: int, total: int) -> None:
        """The index is being made."""
        self.rows.notice = f"{READING} {done:,} of {total:,}"

    # -- showing ------------------------------------------------------------------------------------------------------

    @property
    def _today(self) -> date:
        moment = local_time(self._clock())
        return moment.date() if moment is not None else date.max

    def _show_listing(self, listing: Listing) -> None:
        self._listing = listing
        self._answered()
        self._drawing.words = self.wanted.words
        self._drawing.measure(listing.runs)
        self.rows.notice = self._no_match(NO_MATCH) if listing.total or self.filter.text else EMPTY
        self.screen.set_class(not listing.total, "-empty")
        self.rows.show(run_rows(listing.runs, self.looking.order_by, self._today), self.looking.key)
        count = f"{len(listing.runs):,}{'' if listing.is_whole else '+'}"
        shown = [f"{count} of {listing.total:,}" if self.filter.text else counted(listing.total, "run")]
        if listing.is_whole and (spent := cost_of_all(listing.runs)):
            shown.append(spent)
        if listing.is_whole and (unread := unread_of(listing.runs)):
            shown.append(unread)
        if self.looking.order_by != "time":
            shown.append(f"by {self.looking.order_by}")
        self._count(" · ".join(shown) if listing.total else "")

    def _show_found(self, found: list[Found]) -> None:
        self._answered()
        self.rows.notice = self._no_match(NOT_FOUND) if self.wanted.words else NOTHING_TYPED
        self.rows.show(found_rows(found), self.looking.key)
        runs, places = len({one.run.run_id for one in found}), counted(len(found), "place")
        first = f"the best {places}" if len(found) == questions.MOST_PLACES else places
        where = f"{first} in {counted(runs, 'run')}" if found else ""
        left = f"{counted(self._unread, 'session')} to be read" if self._unread and self.wanted.words else ""
        self._count(" · ".join(filter(None, (where, left))))

    def _show_totals(self, totals: Totals) -> None:
        self._answered()
        measure, today, page = measured(totals, self.looking.measure), self._today, self.totals
        notice = self._no_match(NO_MATCH) if self.filter.text else EMPTY

        def lines(width: int) -> list[Line]:
            if totals.whole.runs:
                return totals_lines(totals, measure, today, width, page.page)
            return [((part, "muted"),) for part in wrap_words(notice, width)]

        page.show(lines, keep_place=True)
        missing = f"{counted(totals.unread, 'session')} {NOT_READ}" if totals.unread else ""
        self._count(" · ".join(filter(None, (missing, f"by {measure}"))) if totals.whole.runs else "")

    def _count(self, words: str) -> None:
        """Say how much there is, unless what is typed by now is a mistake."""
        self.filter.count = self._mistake or words

    def _no_match(self, words: str) -> str:
        return "\n\n".join(filter(None, (words, one_line(no_such_filter(self.wanted.words)))))

    def _answered(self) -> None:
        if self._refresh_at is None and not self._is_looking:
            self._refresh_at = time.monotonic() + REFRESH_EVERY


def _after(one: str, of: tuple[str, ...]) -> str:
    return of[(of.index(one) + 1) % len(of)]
