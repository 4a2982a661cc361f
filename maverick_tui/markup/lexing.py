"""Lexing that ends: what code is made of, line by line, and plain text where its lexer takes too long.

The regexes of Pygments' lexers are no match for whoever means harm: sixty characters keep some of them busy for ever,
and a thousand blank lines keep those of common languages busy for seconds. A regex can be stopped by a signal alone,
which Python heeds in its main thread alone, so all lexing is done there, in small pieces and against a timer.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from math import inf
from time import thread_time
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

from maverick_tui.markup.code import Lexer, TokenType, lexer_for

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_AT_ONCE = 200
"""Tokens of a piece, a few milliseconds' work."""
_PATIENCE = 0.25
"""Seconds of the processor that a lexer may take before it has made any tokens: some read others first."""
_PER_TOKEN = 0.000_05
"""Seconds more for each token that it has made, several times what those of real code take."""
_MOST_SECONDS = 1.0
_MOST_FAILURES = 2
"""Texts that were too much for a lexer, after which it is asked no more."""
_LOOKS_AGAIN = 0.02
"""Seconds from one look at the time to the next, once it is up."""
_ANSWERED_WITHIN = 10.0
"""Seconds that a thread waits for the main one."""

LexedLine: TypeAlias = list[tuple[str, TokenType]]

log = logging.getLogger(__name__)

_loop: ContextVar[AbstractEventLoop | None] = ContextVar("loop", default=None)
_too_much: dict[str, set[int]] = {}
"""Which texts, by their hashes, were too much for which lexer: nobody waits for them a second time."""
_too_long: set[int] = set()
"""Those that are only too long for this machine."""


def lexed(lines: Sequence[str], language: str = "", *, path: str = "") -> Iterator[LexedLine]:
    """The pieces of each line, by their language or the name of their file, lexed as they are asked for.

    It ends early, or before the first line, where there is no lexer, or it fails, or takes too long. In a thread there
    are lines only if `lexed_at` says whose loop to lex in, on Windows there are none.
    """
    if (lexer := lexer_for(lines, language, path=path)) is None:
        return
    line: LexedLine = []
    for kind, part in _tokens(lexer, "\n".join(lines) + "\n"):
        first, *others = part.split("\n") if "\n" in part else (part,)
        if first:
            line.append((first, kind))
        for other in others:
            yield line
            line = [(other, kind)] if other else []


@contextmanager
def lexed_at(loop: AbstractEventLoop) -> Iterator[None]:
    """Have threads that are started meanwhile lex in this loop, which is the main thread's."""
    token = _loop.set(loop)
    try:
        yield
    finally:
        _loop.reset(token)


def _tokens(lexer: Lexer, text: str) -> Iterator[tuple[TokenType, str]]:
    lexing = _Lexing(lexer, text)
    while not lexing.is_done:
        yield from _advanced(lexing)


def _advanced(lexing: _Lexing) -> list[tuple[TokenType, str]]:
    """The next tokens, made in the main thread."""
    if (loop := _loop.get()) is None or threading.current_thread() is threading.main_thread():
        return lexing.advance()
    from concurrent.futures import Future

    made: Future[list[tuple[TokenType, str]]] = Future()
    try:
        loop.call_soon_threadsafe(lambda: made.set_result(lexing.advance()))
        return made.result(_ANSWERED_WITHIN)
    except (RuntimeError, TimeoutError):
        log.info("Nobody is there to lex.")  # the application ends
        lexing.is_done = True
        return []


class _Over(BaseException):
    """The time is up. No Exception: there are lexers that go on after those."""


class _Lexing:
    """A text on its way through a lexer."""

    def __init__(self, lexer: Lexer, text: str) -> None:
        self._name = lexer.name
        self._text = text
        self._source = ((kind, part) for source in _calls(lexer, text) for _, kind, part in source)
        failures = _too_much.get(self._name, ())
        self.is_done = len(failures) >= _MOST_FAILURES or hash(text) in _too_long.union(failures)
        # An answer may be hostile in any number of languages, so that all of them together must not take long.
        self._allowed = _PATIENCE / (1 + sum(map(len, _too_much.values())))
        self._taken = 0.0

    def advance(self) -> list[tuple[TokenType, str]]:
        """The next tokens; none in any thread but the main one, where nothing could stop their lexer."""
        made: list[tuple[TokenType, str]] = []
        if not _timer.is_ours():
            self.is_done = True
            return made
        begun = thread_time()
        left = min(self._allowed, _MOST_SECONDS) - self._taken
        is_over = False
        try:
            _timer.start(begun, left)
            try:
                for token in islice(self._source, _AT_ONCE):
                    made.append(token)  # noqa: PERF402 - those before the end of the time count
            finally:
                _timer.stop()
            self.is_done = len(made) < _AT_ONCE
        except _Over:
            is_over = True
        except Exception:
            log.exception("The lexer of %r has failed.", self._name)
            self.is_done = True
        self._taken += thread_time() - begun
        self._allowed += sum(bool(part) for _, part in made) * _PER_TOKEN
        if is_over or (not self.is_done and self._taken >= min(self._allowed, _MOST_SECONDS)):
            log.info("The lexer of %r takes too long for a text of %d characters.", self._name, len(self._text))
            is_hostile = self._taken >= self._allowed  # it has made few tokens for its time
            (_too_much.setdefault(self._name, set()) if is_hostile else _too_long).add(hash(self._text))
            self.is_done = True
        return made


def _calls(lexer: Lexer, text: str) -> Iterator[Iterator[tuple[int, TokenType, str]]]:
    """Calls the lexer when it is first asked for something: some do all of their work in that call."""
    yield iter(lexer.get_tokens_unprocessed(text))


class _Timer:
    """Stops a lexer: goes by the time that the process works, so that it is the same on a busy machine."""

    def __init__(self) -> None:
        self._end = inf

    def is_ours(self) -> bool:
        """Whether we can stop a lexer here: not in a thread, on Windows, or where somebody else uses the signal.

        Once it is ours it stays so, for the signal may still come when the timer is stopped, and would end us.
        """
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return False
        if (now := signal.getsignal(signal.SIGVTALRM)) in (signal.SIG_DFL, signal.SIG_IGN):
            signal.signal(signal.SIGVTALRM, self._look)
            return True
        return now == self._look

    def start(self, now: float, seconds: float) -> None:
        self._end = now + seconds
        signal.setitimer(signal.ITIMER_VIRTUAL, max(seconds, 0.001), _LOOKS_AGAIN)

    def stop(self) -> None:
        self._end = inf
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _look(self, _number: int, frame: FrameType | None) -> None:
        """Stop what Pygments does: nothing of ours, so that nothing is raised once a lexer has come back, and nothing
        that happens to be called in between, such as a clearing up or an import.

        The timer also counts what threads do meanwhile.
        """
        if thread_time() < self._end or frame is None:
            return
        if str(frame.f_globals.get("__name__")).partition(".")[0] in ("pygments", "re"):
            raise _Over


_timer = _Timer()
