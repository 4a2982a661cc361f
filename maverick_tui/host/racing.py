"""A race: the same prompt to several agents or models, each in a worktree of its own, to compare what comes of it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.history.reading import read_run
from maverick_tui.host.orders import Order
from maverick_tui.host.places import has_host
from maverick_tui.host.starting import start_host
from maverick_tui.host.stopping import stop_run
from maverick_tui.host.worktrees import is_worked_in, message_for, words_on_news, words_on_rest
from maverick_tui.masking.redact import redact
from maverick_tui.runs.answer import Answer
from maverick_tui.runs.holding import Holding, RunLimits
from maverick_tui.worktrees import ending, races, records, since, working
from maverick_tui.worktrees.commands import CommandEnd, run_command
from maverick_tui.worktrees.making import require_inside

log = logging.getLogger(__name__)

MOST = 8
"""How many may race."""
TEST_SECONDS = 1800.0
"""How long the test of one may take."""
_LONGEST_DIFF = 200_000


class Entrant(NamedTuple):
    """One of those that race."""

    number: int
    run_id: str
    agent: str
    model: str = ""

    @property
    def label(self) -> str:
        """What it is called."""
        return f"{self.agent} · {self.model}" if self.model else self.agent


class Result(NamedTuple):
    """What came of one of them."""

    entrant: Entrant
    word: str
    answer: str = ""
    cost_usd: float | None = None
    seconds: float = 0.0
    changed: ending.Changed = ending.Changed()
    diff: str = ""
    diff_more: int = 0
    """How many more lines that has than are kept of it."""
    test: CommandEnd | None = None
    problem: str = ""
    """Why what it has done could not be committed; its worktree stays then."""
    loss: ending.Loss = ending.Loss()
    """What was only in its worktree or on its branch, before the test made anything there."""
    left: since.Seen = since.Seen()
    """The same after the test: whatever else is there later, or otherwise, a person has made."""

    @property
    def is_passed(self) -> bool:
        """Whether it has done its work, and its test says so, too."""
        return self.word == "done" and (self.test is None or self.test.is_fine)

    def to_json(self) -> dict[str, Any]:
        """As a program is told; masked."""
        one, test = self.entrant, self.test
        told = {
            "number": one.number,
            "run_id": one.run_id,
            "agent": one.agent,
            "model": one.model,
            "outcome": self.word,
            "answer": redact(self.answer),
            "cost_usd": self.cost_usd,
            "seconds": round(self.seconds, 3),
            **self.changed._asdict(),
            "diff": redact(self.diff),
            "diff_more": self.diff_more,
            "test": None,
            "problem": self.problem,
            "ignored": [redact(path) for path in self.loss.ignored],
        }
        if test is not None:
            told["test"] = {"passed": test.is_fine, "code": test.code, "why": test.why, "output": test.output}
        return told


def entrants_of(agents: Sequence[str], models: Sequence[str]) -> list[Entrant]:
    """Each agent, with each of the models if there are any. ConfigError if those are too few, or too many."""
    pairs = list(dict.fromkeys((agent, model) for agent in agents for model in models or ("",)))
    if not 2 <= len(pairs) <= MOST:
        raise ConfigError(
            f"{len(pairs)} cannot race: 2 to {MOST} can.",
            hint="Name several agents with --agent, or several models with --model.",
        )
    return [Entrant(number, uuid.uuid4().hex[:12], *pair) for number, pair in enumerate(pairs, 1)]


class Race:
    """The process that has started a race. Whatever ends it, its runs end with it, and leave nothing."""

    def __init__(self, entrants: Sequence[Entrant], test: Sequence[str] = ()) -> None:
        self.race_id = uuid.uuid4().hex[:12]
        self.entrants = list(entrants)
        self._test = tuple(test)

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it goes on. What was not kept is gone at the end."""
        with races.running(self.race_id):
            try:
                yield
            finally:
                self._abandon()
        tidy_races()

    def start(self, order: Order, inputs: Mapping[str, dict[str, Any]] | None = None) -> None:
        """Start all of them: this is what each is told, with its own agent, model, id, and inputs by the agent."""
        for one in self.entrants:
            own = replace(order, run_id=one.run_id, agent=one.agent, takes=one.model, worktree=True)
            start_host(replace(own, race=self.race_id, inputs=(inputs or {}).get(one.agent, {})))

    def finish(self, one: Entrant, word: str, stop: Callable[[], bool] = lambda: False) -> Result:
        """One has settled: end its process, commit what it has done, and test that. It blocks for as long as that.

        Whatever goes wrong there is its problem: nobody waits for more than that.
        """
        try:
            return self._finished(one, word, stop)
        except Exception as error:
            log.exception("What came of %s in the race %s cannot be told", one.run_id, self.race_id)
            why = error.message if isinstance(error, MaverickError) else f"{type(error).__name__}: {error}"
            return Result(one, "failed", problem=redact(why))

    def _finished(self, one: Entrant, word: str, stop: Callable[[], bool]) -> Result:
        end_host(one.run_id)
        result = result_of(one, word)
        worktree = records.worktree_of(one.run_id)
        if worktree is None or not worktree.is_there:
            return result
        try:
            if unknown := ending.loss_of(worktree).unknown:
                raise ConfigError(unknown)  # to commit would take git as long again, and longer
            ending.commit_all(worktree, message_for(worktree))
            # Masked before it is cut: half a secret would not be known for one.
            whole = ending.diff_of(worktree)
            diff = redact(whole[: 2 * _LONGEST_DIFF])[:_LONGEST_DIFF]
            more = 0
            if len(whole) > _LONGEST_DIFF:
                diff = diff[: diff.rfind("\n") + 1]
                more = whole.count("\n") - diff.count("\n")
            loss = ending.loss_of(worktree)
            result = result._replace(changed=ending.changed_by(worktree), diff=diff, diff_more=more, loss=loss)
            result = result._replace(problem=result.problem or loss.unknown)
        except ConfigError as error:
            result = result._replace(problem=error.message)
        except OSError as error:
            result = result._replace(problem=f"What it has done cannot be noted: {error.strerror or error}.")
        if self._test and not stop():
            result = result._replace(test=self._tested(worktree, stop))
        left = ending.loss_of(worktree) if self._test else result.loss
        return result._replace(left=since.seen(worktree, left))

    def _tested(self, worktree: records.Worktree, stop: Callable[[], bool]) -> CommandEnd:
        try:
            require_inside(worktree)
        except ConfigError as error:
            return CommandEnd(None, error.message.rstrip("."))
        return run_command(self._test, worktree.cwd, TEST_SECONDS, stop=stop)

    def hold(self, result: Result) -> records.Worktree | None:
        """Have nothing of it be thrown away any more, whatever goes wrong from now on; its worktree."""
        worktree = records.worktree_of(result.entrant.run_id)
        return records.release(worktree) if worktree is not None else None

    def keep(self, result: Result) -> str:
        """Have what one has done stay: as a branch, and as its worktree if that lacks something. Where, in words."""
        worktree = self.hold(result)
        if worktree is None:
            return "It had no worktree."
        if result.problem:
            return f"It stays in {worktree.path}: {result.problem}"
        told = f"It is on the branch {worktree.branch}."
        with working.nobody_in(worktree) as is_free:
            if news := since.loss_since(worktree, result.left):
                return told + words_on_news(worktree, news)
            if is_free and not result.loss.in_no_commit:
                ending.keep_committed(worktree)
        return told + words_on_rest(worktree, result.loss, "keep --yes")

    def merge(self, result: Result, onto: str = "") -> str:
        """Have what one has done stay, and merge it; what came of it, in words. ConfigError if it cannot be merged.

        Nor is it if something else is checked out than `onto`, where a person was told that.
        """
        kept = self.keep(result)
        worktree = records.worktree_of(result.entrant.run_id)
        if worktree is None or result.problem:
            return kept
        told = ending.merge_committed(worktree, onto=onto).told
        if worktree.is_there and since.loss_since(worktree, result.left):
            return f"{told} {kept}"
        return told + words_on_rest(worktree, result.loss, "remove")

    def _abandon(self) -> None:
        """End what is still at work, and remove what was not kept."""
        for one in self.entrants:
            try:
                end_host(one.run_id)
            except MaverickError as error:  # it ends once we are gone, and sees to its worktree
                log.warning("A run of the race does not end: %s", error)
                continue
            worktree = records.worktree_of(one.run_id)
            if worktree is not None and worktree.race == self.race_id:
                races.throw_away(worktree)


def end_host(run_id: str) -> None:
    """End the process of a run, if it has one, and wait until it is gone."""
    if has_host(run_id):
        asyncio.run(stop_run(run_id))


def result_of(one: Entrant, word: str) -> Result:
    """What a run has told that has settled."""
    answer, holding, began, ended = Answer(), Holding(RunLimits(), lambda _why: None), 0.0, 0.0
    try:
        events = read_run(one.run_id).events
    except (MaverickError, OSError) as error:
        return Result(one, word, problem=str(error))
    for event in events:
        answer.take(event)
        holding.take(event)
        if isinstance(event, ev.TurnStarted) and not began:
            began = event.at
        elif isinstance(event, ev.TurnEnded):
            ended = event.at
    usage = holding.figures.usage
    return Result(one, word, answer.last_words, usage.cost_usd, max(ended - began, 0.0) if began else 0.0)


def require_worktrees(folder: Path) -> None:
    """ConfigError if there can be no worktrees of the project around this folder."""
    from maverick_tui.runs.placing import trusted_needs
    from maverick_tui.worktrees.making import base_of

    base_of(folder)
    trusted_needs(folder)


def tidy_races() -> list[records.Worktree]:
    """Remove what races that were killed have left; what was removed."""
    return races.tidy_up(is_worked_in)
