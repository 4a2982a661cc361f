"""Recording: the events of a run on a line of time, in their own rhythm or without its long waits."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise

from maverick_tui.events.kinds import BlockGrew, Event, RunStarted, TurnEnded, TurnStarted

LONGEST_WAIT = 2.0
"""Seconds that a replay waits for the next event, unless somebody wants to wait as long as it took."""


class Rhythm:
    """When each event is shown, in seconds from the beginning, and what the clock said then."""

    def __init__(self, times: Sequence[float], longest_wait: float = float("inf")) -> None:
        """The rhythm of events at these times; no wait between two of them is longer than that."""
        waits = (min(after - before, longest_wait) for before, after in pairwise(times))
        self._times = times
        self._shown = array("d", accumulate(chain((0.0,), waits)))

    @property
    def length(self) -> float:
        """Seconds from the first event to the last."""
        return self._shown[-1]

    def count_at(self, moment: float) -> int:
        """How many events have been by then."""
        return bisect_right(self._shown, moment)

    def moment_of(self, count: int) -> float:
        """When that many events have been."""
        return self._shown[max(count, 1) - 1]

    def moment_after(self, count: int, time: float) -> float:
        """When that many events have been, and the clock on the wall says this."""
        if count >= len(self._shown):
            return self.length
        began, ended = self._times[max(count, 1) - 1], self._times[max(count, 1)]
        share = min(max((time - began) / (ended - began), 0.0), 1.0) if ended > began else 0.0
        return self.moment_of(count) + share * (self.moment_of(count + 1) - self.moment_of(count))

    def time_at(self, moment: float) -> float:
        """What the clock on the wall said; in a wait that is cut short it goes faster."""
        count = max(self.count_at(moment), 1)
        if count == len(self._shown):
            return self._times[-1]
        began, ended = self._shown[count - 1], self._shown[count]
        share = (max(moment, began) - began) / (ended - began)
        return self._times[count - 1] + share * (self._times[count] - self._times[count - 1])


class Recording:
    """What a run has told; `count` is how many of its events have been, and so names a moment of it."""

    def __init__(self, events: Sequence[Event], problem: str = "") -> None:
        """A recording of at least one event; `problem` is why there is no more of it, where that is not its end."""
        self.events = events
        self.problem = problem
        self.agent = next((event.agent for event in events if isinstance(event, RunStarted)), "")
        self.times = array("d", accumulate((event.at for event in events), max))  # somebody may set a clock back
        self.own_rhythm, self.short_rhythm = Rhythm(self.times), Rhythm(self.times, LONGEST_WAIT)
        self.prompts = [
            count
            for count, event in enumerate(events, 1)
            if isinstance(event, TurnStarted) and (event.origin != "background" or event.text)
        ]
        """The moments at which a prompt has just been sent."""
        self.failures = [
            count for count, event in enumerate(events, 1) if isinstance(event, TurnEnded) and event.failure is not None
        ]
        """The moments at which a turn has just failed."""
        self._joined = dict(_joined(events))

    def __len__(self) -> int:
        """How many events there are."""
        return len(self.events)

    def between(self, count: int, until: int) -> Iterator[tuple[int, Event]]:
        """What leads from one moment to a later one: an event, and how many have been after it.

        Most events are deltas, so those of a block that nothing else comes between are one.
        """
        while count < until:
            after, event = self._joined.get(count, (count + 1, self.events[count]))
            if after > until:
                after, event = count + 1, self.events[count]
            yield after, event
            count = after

    def prompt_at(self, count: int) -> int:
        """How many prompts have been sent."""
        return bisect_right(self.prompts, count)


def _joined(events: Sequence[Event]) -> Iterator[tuple[int, tuple[int, BlockGrew]]]:
    """By the number of the first: where deltas end that may be taken as one, and that one.

    They are of the same second: the store counts how much came in each.
    """
    first = 0
    while first < len(events):
        begins, after = events[first], first + 1
        if isinstance(begins, BlockGrew):
            texts, last = [begins.text], begins
            while (
                after < len(events)
                and isinstance(event := events[after], BlockGrew)
                and event.block == begins.block
                and int(event.at) == int(begins.at)
            ):
                texts.append(event.text)
                last, after = event, after + 1
            if after - first > 1:
                yield first, (after, BlockGrew(last.at, begins.block, "".join(texts)))
        first = after


def read_recording(run_id: str) -> Recording:
    """What is kept of a run; of one that is alive, what there is by now. In a thread: there may be much to read."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.reading import read_told

    told = read_told(run_id)
    events, problem = told.reading.events, told.reading.problem
    if not events:
        text = f"There is nothing of the run {run_id} to be played. {problem}".rstrip()
        raise ConfigError(text, hint="See `maverick runs list`.")
    return Recording(events if told.reading.is_cut else told.events, problem)  # of one that is cut, more is missing
