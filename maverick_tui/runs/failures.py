"""Exceptions as data: what a failure was, why, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from traceback import walk_tb

from maverick_tui.events.kinds import Failure
from maverick_tui.exceptions import AgentError, ConfigError, MaverickError, NetworkError
from maverick_tui.masking.redact import redact
from maverick_tui.shown import words_of

LONGEST = 100_000
"""Characters that are kept of a raw response, or of what a CLI wrote to its standard error."""
RAW = "the raw response"
"""What hints call it."""
_CORRECT = "Correct that line of the agent's file, and try again."


def failure_of(error: BaseException, *, retry_at: float | None = None) -> Failure:
    """The failure that an exception stands for, with the errors below it; secrets are masked.

    `retry_at` is when the limit resets that has refused it, where that is known from elsewhere.
    """
    chain = list(_chain(error))
    where = _line_of_agent(error)
    kind = error.kind if isinstance(error, AgentError) else "invalid" if isinstance(error, ConfigError) else "agent"
    return Failure(
        error=type(error).__name__,
        kind=kind,
        message=f"{where}: {type(error).__name__}: {_message(error)}" if where else _message(error),
        hint=redact(error.hint) if isinstance(error, MaverickError) else _CORRECT if where else "",
        causes=tuple(f"{type(cause).__name__}: {_message(cause)}" for cause in chain[1:]),
        raw_response=_text(chain, "raw_response"),
        stderr=_text(chain, "stderr"),
        status=_number(chain, "status"),
        exit_code=_number(chain, "exit_code"),
        is_retryable=isinstance(error, AgentError) and error.is_retryable,
        retry_at=(retry_at or _resets_at(chain)) if kind == "rate_limit" else None,
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__


def _message(error: BaseException) -> str:
    text = error.message if isinstance(error, MaverickError) else words_of(error)
    return redact(text)[:LONGEST] or type(error).__name__


def _line_of_agent(error: BaseException) -> str:
    """File and line in the code of an agent's author that an error of Python's came by; empty of any other error."""
    if isinstance(error, MaverickError):
        return ""
    from maverick_tui.agent.catalog.loading import MODULE_PREFIX

    frames = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__", "")).startswith(MODULE_PREFIX)
    ]
    return redact(frames[-1]) if frames else ""


def _text(chain: list[BaseException], name: str) -> str:
    """The first text of that name in the chain, outermost first; its end counts most."""
    found = (value for error in chain if isinstance(value := getattr(error, name, None), str) and value)
    return redact(next(found, ""))[-LONGEST:]


def _number(chain: list[BaseException], name: str) -> int | None:
    found = (value for error in chain if isinstance(value := getattr(error, name, None), int))
    return next(found, None)


def _resets_at(chain: list[BaseException]) -> float | None:
    found = (error.resets_at for error in chain if isinstance(error, NetworkError) and error.resets_at is not None)
    return next(found, None)
