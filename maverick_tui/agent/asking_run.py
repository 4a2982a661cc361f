"""The run whose agent's own code is at work: whatever that code asks apart goes by the run's person, mode and rules.

Light: every agent imports it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from claude_agent_sdk import Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engines import Listener


class AskingRun(Protocol):
    """A run, to what its agent's `execute` asks. It may be asked from any thread."""

    @property
    def agent(self) -> str:
        """The name of the run's agent: what rules forbid it, it does not have others do."""
        ...

    @property
    def cwd(self) -> Path:
        """The folder that the run works in."""
        ...

    @property
    def mode(self) -> str:
        """The run's permission mode at the moment."""
        ...

    @property
    def is_attended(self) -> bool:
        """Whether there is a person."""
        ...

    def answers(
        self, agent: MaverickAgent, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None] | None:
        """What comes for a query that belongs into the run's own conversation; None if it is asked apart from that."""
        ...

    def listener(self, agent: MaverickAgent, cwd: Path) -> Listener:
        """What hears a conversation apart, and asks the person about its calls, if there is one."""
        ...


_run: ContextVar[AskingRun | None] = ContextVar("maverick_asking_run", default=None)
_at_work: list[tuple[AskingRun, asyncio.AbstractEventLoop]] = []
"""All such runs of this process, with their loops: a thread that an author has started knows of no context."""


@contextmanager
def asking_for(run: AskingRun) -> Iterator[None]:
    """Let whatever is asked meanwhile be asked for this run."""
    token, entry = _run.set(run), (run, asyncio.get_running_loop())
    _at_work.append(entry)
    try:
        yield
    finally:
        _at_work.remove(entry)
        _run.reset(token)


def asking_run() -> AskingRun | None:
    """The run for which something is asked now; in an author's thread without a context, the one that began last."""
    if (run := _run.get()) is not None or not _at_work or not _is_in_foreign_loop():
        return run
    return _at_work[-1][0]


def _is_in_foreign_loop() -> bool:
    """Whether this is a thread that has an event loop of its own: ours have none, and those of runs are known."""
    if threading.current_thread() is threading.main_thread():
        return False
    try:
        return asyncio.get_running_loop() not in [loop for _, loop in _at_work]
    except RuntimeError:
        return False


def widest_mode(*, person: bool) -> Callable[[], str]:
    """What tells the mode in which calls of what is opened now are judged at most; empty if in any.

    `person` says that its calls can be asked about. Where somebody attends the run and is not asked, it only reads.
    """
    run = asking_run()
    if run is None or not run.is_attended:
        return lambda: ""
    return (lambda: run.mode) if person else lambda: "plan"
