"""Findings: what a check has found out, and how all checks run side by side without one taking others down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact
from maverick_tui.paths import how_to_open

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig
    from maverick_tui.doctor.terminal_questions import TerminalAnswers
    from maverick_tui.exceptions import ConfigError

T = TypeVar("T")

State = Literal["fine", "warning", "wrong", "unknown"]
"""`wrong` keeps something from working, a `warning` does not, and what is `unknown` was not or cannot be asked."""

LONGEST = 20.0
"""Seconds after which a check is not waited for any more. Those that may take a while have shorter limits of their
own, and better words for it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact, and the one thing to do about it if it is not as it should be; `details` are for programs."""

    name: str
    state: State
    fact: str
    hint: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {"name": self.name, "state": self.state, "fact": self.fact, "hint": self.hint, **self.details}


@dataclass(frozen=True, slots=True)
class Situation:
    """What the checks look at."""

    cwd: Path
    settings: MaverickConfig
    """The defaults, if they cannot be used."""
    trouble: ConfigError | None
    """Why the settings cannot be used."""
    terminal: TerminalAnswers


@dataclass(frozen=True, slots=True)
class Check:
    """Something to find out; the name stands for its findings when it fails."""

    name: str
    look: Callable[[Situation], Iterable[Finding]]


def examine(checks: Sequence[Check], situation: Situation) -> Iterator[Finding]:
    """Run all checks at once, and tell what each finds, in their order, as soon as it is known."""
    started = [(check.name, in_background(partial(_found, check, situation))) for check in checks]
    until = time.monotonic() + LONGEST
    for name, answer in started:
        if not wait([answer], max(until - time.monotonic(), 0)).done:
            yield Finding(name, "wrong", f"not known after {LONGEST:g} s", "Run maverick doctor once more.")
            continue
        try:
            yield from answer.result()
        except Exception as error:  # one that fails is a finding, and hides no other
            yield _failed(name, error)


def _failed(name: str, error: Exception) -> Finding:
    if isinstance(error, PermissionError) and isinstance(error.filename, str):
        fact = one_line(redact(f"{error.filename} cannot be used: {error.strerror}"))
        return Finding(name, "wrong", fact, how_to_open(error.filename))
    why = one_line(redact(f"{type(error).__name__}: {error}"))
    return Finding(name, "wrong", f"cannot be checked: {why}", "Report this: a check must not fail.")


def _found(check: Check, situation: Situation) -> list[Finding]:
    return [*check.look(situation)]


def in_background(function: Callable[[], T]) -> Future[T]:
    """What the function will return. The program can end before that: nobody knows how long a name look-up takes."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # it becomes the exception of the one who waits
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future
