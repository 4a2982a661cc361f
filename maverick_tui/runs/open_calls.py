"""OpenCalls: whether a run waits for a person and for nothing else. Plain: it follows from the events alone."""

from __future__ import annotations

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event


class OpenCalls:
    """Takes the events of a run, in their order; knows which calls have no result yet, and which are asked about."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._open: dict[str, str] = {}
        """Calls without a result, and by which call the subagent was begun that makes them; "" is the agent itself."""
        self._started: set[str] = set()
        """Those that run, or are asked about: others wait for their turn."""
        self._questions: dict[str, str] = {}
        """The calls that are asked about, by the request."""

    def take(self, event: Event) -> None:
        """The next event."""
        match event:
            case ev.ToolCalled():
                # Who is asked by an author's code has no call of its own: that waits for it.
                self._open[event.call] = event.parent if event.parent in self._known else ""
                self._known.add(event.call)
            case ev.ToolBegan():
                self._started.add(event.call)
            case ev.ToolFinished():
                self._open.pop(event.call, None)
                self._started.discard(event.call)
            case ev.PermissionAsked():
                self._questions[event.request] = event.call
                self._started.add(event.call)
            case ev.PermissionSettled():
                self._questions.pop(event.request, None)
            case ev.TurnEnded():  # what has no result by now gets none
                self._open = {call: by for call, by in self._open.items() if by}
            case ev.RunEnded():
                self._open.clear()
                self._started.clear()
                self._questions.clear()

    @property
    def only_wait(self) -> bool:
        """Whether a person is waited for, and nothing goes on meanwhile that the agent waits for, or does itself."""
        asked = set(self._questions.values())
        if not asked:
            return False
        # A question about no call that is open is one of the run's own, for which all of them wait.
        return not asked <= self._open.keys() or self._only_waits("", asked, set())

    def _only_waits(self, agent: str, asked: set[str], seen: set[str]) -> bool:
        """The same of one agent: it is at work itself if no call of it has begun."""
        seen.add(agent)
        begun = [call for call, by in self._open.items() if by == agent and call in self._started and call not in seen]
        return bool(begun) and all(call in asked or self._only_waits(call, asked, seen) for call in begun)
