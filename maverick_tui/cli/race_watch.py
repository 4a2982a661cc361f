"""Watches a race to its end, shows what came of it, and does what the person chooses."""

from __future__ import annotations

import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal, NamedTuple

import typer

from maverick_tui.cli.asking import answer_to, is_anybody_there, says_yes
from maverick_tui.cli.layout import Paper, cut, pad, say_error, terminal_width
from maverick_tui.cli.runs import print_json
from maverick_tui.cli.settled import Watched
from maverick_tui.exceptions import ConfigError
from maverick_tui.host.orders import Order
from maverick_tui.host.racing import Entrant, Race, Result
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.worktrees import records

_LOOK_EVERY = 0.1
_LINES = 4
"""Lines of an answer that are shown."""
_SIGNS = {"done": ("✔", "green"), "asks": ("⚑", "yellow"), "limit": ("■", "yellow"), "timeout": ("■", "yellow")}
_FAILED = ("✘", "red")


Kept = Literal["one", "passed", "all", "none"]
_BY_WORD: dict[str, Kept] = {"passed": "passed", "all": "all", "none": "none"}


class Choice(NamedTuple):
    """Which is kept."""

    kind: Kept
    number: int = 0


def parse_choice(text: str | None, most: int) -> Choice | None:
    """What was named; None if nothing was. BadParameter if there is no such one."""
    if text is None:
        return None
    word = text.strip().lower()
    if word in _BY_WORD:
        return Choice(_BY_WORD[word])
    if word.isascii() and word.isdigit() and 1 <= int(word) <= most:
        return Choice("one", int(word))
    raise typer.BadParameter(f"{text!r} is none of 1 to {most}, passed, all and none.", param_hint="--keep")


def run_race(
    entrants: Sequence[Entrant],
    order: Order,
    test: Sequence[str],
    choice: Choice | None,
    *,
    merges: bool,
    as_json: bool,
) -> int:
    """Run it, show what came of it and keep what is chosen; 1 if none has passed, or a merge has failed."""
    race, paper = Race(entrants, test), Paper(sys.stderr, terminal_width())
    with _ended_by_signals(), race.running():
        race.start(order)
        results = _Finishing(race, paper, is_seen=sys.stderr.isatty()).results()
        if not as_json:
            _print(results, Paper(sys.stdout, terminal_width()), has_test=bool(test))
        if choice is None:
            choice = _ask(len(results)) if is_anybody_there() and not as_json else Choice("all")
            merges = merges or (choice.kind == "one" and is_anybody_there() and not as_json and _says_merge())
        branches = {one.run_id: found.branch for one in entrants if (found := records.worktree_of(one.run_id))}
        kept = _kept(results, choice)
        told, failed = _carry_out(race, kept, merges=merges)
    if as_json:
        numbers = {result.entrant.number for result in kept}
        print_json(
            {
                "race": race.race_id,
                "results": [
                    {
                        **result.to_json(),
                        "branch": branches.get(result.entrant.run_id, ""),
                        "kept": result.entrant.number in numbers,
                    }
                    for result in results
                ],
                "told": told,
            }
        )
    else:
        for line in told or ["None of them is kept: worktrees and branches are removed."]:
            typer.echo(one_line(line))
    if failed is not None:
        say_error(failed.message, failed.hint, sys.stderr)
    return int(failed is not None or not any(result.is_passed for result in results))


class _Finishing:
    """Waits for all of them; each that has settled is committed and tested by a thread, one after the other."""

    def __init__(self, race: Race, paper: Paper, *, is_seen: bool) -> None:
        self._race = race
        self._paper = paper
        self._is_seen = is_seen
        self._settled: queue.SimpleQueue[tuple[Entrant, str] | None] = queue.SimpleQueue()
        self._results: list[Result] = []
        self._is_over = False

    def results(self) -> list[Result]:
        """What came of each, in their order."""
        worker = threading.Thread(target=self._work, name="maverick-race", daemon=True)
        worker.start()
        try:
            self._watch()
            self._settled.put(None)
            while worker.is_alive():  # in short steps, so that a signal is heard
                worker.join(_LOOK_EVERY)
        finally:
            self._is_over = True
            self._settled.put(None)
            worker.join()
        return sorted(self._results, key=lambda result: result.entrant.number)

    def _watch(self) -> None:
        watched = {one: Watched(one.run_id) for one in self._race.entrants}
        asking: set[Entrant] = set()
        while watched:
            for one, run in list(watched.items()):
                settled = run.look()
                if settled is None:
                    continue
                if settled.word == "asks" and is_anybody_there():
                    if one not in asking:
                        asking.add(one)
                        self._say(f"{one.number} {one.label} asks something: `maverick attach {one.run_id}`")
                    continue
                del watched[one]
                self._say(f"{one.number} {one.label}: {settled.word}{f', {settled.why}' if settled.why else ''}")
                self._settled.put((one, settled.word))
            time.sleep(_LOOK_EVERY)

    def _work(self) -> None:
        while (found := self._settled.get()) is not None and not self._is_over:
            self._results.append(self._race.finish(*found, lambda: self._is_over))

    def _say(self, text: str) -> None:
        if self._is_seen:
            self._paper.line((one_line(redact(text)), "dim"))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """While signals that want us to end do so in good order, as Ctrl+C does."""

    def end(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = {}
    for number in (signal.SIGTERM, signal.SIGHUP):
        with suppress(ValueError):  # not in the main thread
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- what is shown, and chosen -----------------------------------------------------------------------------------------


def _print(results: Sequence[Result], paper: Paper, *, has_test: bool) -> None:
    rows = [_cells(result, has_test=has_test) for result in results]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for result, cells in zip(results, rows, strict=True):
        sign, colour = _SIGNS.get(result.word, _FAILED)
        label, *facts = (pad(cell, width) for cell, width in zip(cells, widths, strict=True))
        last = facts.pop() if has_test else ""
        style = "green" if result.test is not None and result.test.is_fine else "red"
        paper.line(
            f"{result.entrant.number:>2} ", (f"{sign} ", colour), (label, "bold"),
            *((f"  {fact}", "dim") for fact in facts), (f"  {last}" if last else "", style),
        )  # fmt: skip
        answer = [line for line in redact(result.answer).splitlines() if line.strip()]
        for line in answer[:_LINES]:
            paper.line("     ", cut(one_line(line), max(paper.width - 5, 20)))
        if len(answer) > _LINES:
            paper.line((f"     ... {len(answer) - _LINES} more lines: maverick logs {result.entrant.run_id}", "dim"))
        if result.problem:
            paper.line("     ", (one_line(redact(result.problem)), "yellow"))
        if result.test is not None and not result.test.is_fine:
            paper.line("     ", (one_line(result.test.last_words), "red"))


def _cells(result: Result, *, has_test: bool) -> list[str]:
    cost = dollars(result.cost_usd) if result.cost_usd is not None else ""
    cells = [one_line(result.entrant.label), result.word, result.changed.words, cost, clock(result.seconds)]
    return [*cells, _test_words(result)] if has_test else cells


def _test_words(result: Result) -> str:
    test = result.test
    if test is None:
        return "not tested"
    return "test passed" if test.is_fine else f"test failed: {test.why or f'code {test.code}'}"


def _ask(most: int) -> Choice:
    """Ask which is kept, until that can be understood; nothing typed keeps all."""
    while True:
        answer = answer_to(f"Keep which? 1 to {most}, passed, all or none", "[all]")
        try:
            return parse_choice(answer.strip() or "all", most) or Choice("all")
        except typer.BadParameter as error:
            typer.echo(error.message, err=True)


def _says_merge() -> bool:
    return says_yes("Merge it into what is checked out?")


def _kept(results: Sequence[Result], choice: Choice) -> list[Result]:
    if choice.kind == "one":
        return [result for result in results if result.entrant.number == choice.number]
    if choice.kind == "passed":
        return sorted((one for one in results if one.is_passed), key=lambda one: (one.cost_usd or 0, one.seconds))[:1]
    return list(results) if choice.kind == "all" else []


def _carry_out(race: Race, kept: Sequence[Result], *, merges: bool) -> tuple[list[str], ConfigError | None]:
    """Keep them, and merge the only one; what came of it, and why it could not be merged, or kept as it should be."""
    told: list[str] = []
    failed: ConfigError | None = None
    is_merged = merges and len(kept) == 1
    for result in kept:
        race.hold(result)  # all of them, before the first that may fail
    for result in kept:
        one = result.entrant
        try:
            words = race.merge(result) if is_merged else race.keep(result)
        except ConfigError as error:
            failed = failed or error
            words = "it is kept, and not merged." if is_merged else f"it stays as it is: {error.message}"
        told.append(f"{one.number} {one.label}: {words}")
    if len(kept) > 1:
        told.append("`maverick worktree merge RUN` merges one of them, `remove` removes it.")
    return told, failed
