"""The run whose agent's own code is at work: whatever that code asks apart goes by the run's person, mode and rules.

Light: every agent imports it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from maverick_tui.modes import narrower

if TYPE_CHECKING:
    from claude_agent_sdk import Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engines import Listener
    from maverick_tui.config import MaverickConfig


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
    def config(self) -> MaverickConfig:
        """The run's settings: which endpoint is asked, say."""
        ...

    @property
    def mode(self) -> str:
        """The run's permission mode at the moment."""
        ...

    @property
    def is_attended(self) -> bool:
        """Whether there is a person."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether its own conversation is open; until then that is what is opened, and nothing is asked apart."""
        ...

    def answers(
        self, agent: MaverickAgent, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None] | None:
        """What comes for a query that belongs into the run's own conversation; None if it is asked apart from that."""
        ...

    def listener(self, agent: MaverickAgent, cwd: Path) -> Listener:
        """What hears a conversation apart, and asks the person about its calls, if there is one."""
        ...

    def apart(self) -> AbstractContextManager[None]:
        """Meanwhile the current task has a conversation apart, which ends with the run. AgentError if that is over."""
        ...


_run: ContextVar[AskingRun | None] = ContextVar("maverick_asking_run", default=None)
_mode_above: ContextVar[Callable[[], str]] = ContextVar("maverick_mode_above", default=lambda: "")
"""The mode of the agent whose code is at work: it need not be the run's own, nor asked by that one directly."""
_connected: list[tuple[AskingRun, asyncio.AbstractEventLoop]] = []
"""All runs of this process that have had a conversation, with their loops: a thread that an author has started knows of
no context, and may outlast what has started it.
"""


@contextmanager
def asking_for(run: AskingRun) -> Iterator[None]:
    """Let whatever is asked meanwhile, and by what is begun meanwhile, be asked for this run."""
    token = _run.set(run)
    try:
        yield
    finally:
        _run.reset(token)


@contextmanager
def connected(run: AskingRun) -> Iterator[None]:
    """Let threads without a context ask for this run meanwhile."""
    entry = (run, asyncio.get_running_loop())
    _connected.append(entry)
    try:
        yield
    finally:
        _connected.remove(entry)


def asking_run() -> AskingRun | None:
    """The run for which something is asked now; in an author's thread without a context, the one that began last, and
    of those first one that somebody attends.
    """
    run = _run.get()
    if run is None and (others := _connected.copy()) and _is_in_foreign_loop([loop for _, loop in others]):
        runs = [one for one, _ in reversed(others)]
        run = next((one for one in runs if one.is_attended), runs[0])
    return run if run is not None and run.is_open else None


def settings_here() -> MaverickConfig:
    """Those of the run for which something is asked now, else the person's: what a script plays asks no real model."""
    if (run := asking_run()) is not None:
        return run.config
    from maverick_tui.config import MaverickConfig

    return MaverickConfig.load()


def apart() -> AbstractContextManager[None]:
    """Meanwhile the current task has a conversation, which ends with the run that it is asked for, if there is one."""
    run = asking_run()
    return nullcontext() if run is None else run.apart()


def _is_in_foreign_loop(known: Sequence[asyncio.AbstractEventLoop]) -> bool:
    """Whether this is a thread that has an event loop of its own: ours have none, and those of runs are known."""
    if threading.current_thread() is threading.main_thread():
        return False
    try:
        return asyncio.get_running_loop() not in known
    except RuntimeError:
        return False


def act_in(mode: Callable[[], str]) -> None:
    """Let whatever code asks from here on, in this task, be in no wider mode than this one: that of the agent whose
    tool the code is.
    """
    above = _mode_above.get()
    _mode_above.set(lambda: narrower(above(), mode()))


def widest_mode(*, person: bool) -> Callable[[], str]:
    """What tells the mode in which calls of what is opened now are judged at most; empty if in any.

    `person` says that its calls can be asked about. Where somebody attends the run and is not asked, it only reads.
    """
    above, run = _mode_above.get(), asking_run()
    if run is None:
        return above
    if not run.is_attended:
        return lambda: narrower(above(), "plan" if run.mode == "plan" else "")
    return lambda: narrower(above(), run.mode if person else "plan")
