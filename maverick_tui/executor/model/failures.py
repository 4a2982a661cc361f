"""Failures of the model API: how they become ours, and which of them are tried again."""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from maverick_tui.exceptions import (
    AgentError,
    ConfigError,
    ErrorKind,
    MalformedResponseError,
    NetworkError,
    TimeoutError,
)
from maverick_tui.masking.redact import redact, without
from maverick_tui.reset_times import reset_in_headers

_BUSY = ("overloaded_error", "api_error", "timeout_error")
"""What an endpoint calls its own failures when it reports them in the middle of a stream."""
_UNCONNECTED = ("ConnectTimeout", "PoolTimeout")
"""Timeouts before anything was sent, so that it can be tried again."""
RETRIED: frozenset[ErrorKind] = frozenset({"rate_limit", "network"})
"""A call that took too long is not repeated: it may already have been paid for, and would take as long again."""

T = TypeVar("T")


class UnansweredError(Exception):
    """No answer has begun; its cause says why."""


class StatusError(Exception):
    """What an endpoint answers instead: with a status of its own, or in the middle of a stream that has begun well."""

    def __init__(self, status: int, said: str, headers: Mapping[str, str]) -> None:
        try:
            body = json.loads(said)
        except (ValueError, RecursionError):
            body = None
        error = body.get("error") if isinstance(body, dict) else None
        about = error if isinstance(error, dict) else {}
        super().__init__(str(about.get("message") or said.strip() or f"no reason given, HTTP {status}"))
        self.status = status
        self.type = str(about.get("type") or "")
        self.headers = headers


class RefusalError(AgentError):
    """The model refuses to answer; what it had said until then must not be used."""

    hint_by_default = "Ask for something else, or put it another way."


def ours(error: BaseException, *, secrets: Collection[str] = ()) -> AgentError:
    """Any exception of a client, or of the libraries below it, as one of ours; the caller raises it from the error.

    `secrets` are masked in its message: an endpoint may repeat the key that it rejects.
    """
    failure = _ours(error)
    failure.message = without(failure.message, secrets)
    failure.args = (failure.message,)
    if isinstance(failure, MalformedResponseError):
        failure.raw_response = without(failure.raw_response, secrets)
    return failure


def _ours(error: BaseException) -> AgentError:
    if isinstance(error, AgentError):
        return error
    text = _text(error)
    if isinstance(error, StatusError):
        return _status(error, text)
    if any(_is_of_settings(one) for one in _causes(error)):
        # Not in its own words: they may contain the key.
        return AgentError(
            "The endpoint cannot be asked: its address or a header is invalid.",
            kind="invalid",
            hint="Check ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and the headers.",
        )
    if any(type(one).__name__ in _UNCONNECTED for one in _causes(error)):
        return NetworkError("The endpoint is out of reach: it did not accept a connection in time.")
    if isinstance(error, asyncio.TimeoutError):
        return TimeoutError(f"The endpoint did not answer in time: {text}.")
    if isinstance(error, UnansweredError):
        if any("Timeout" in type(one).__name__ for one in _causes(error)):
            return TimeoutError("The endpoint did not begin to answer in time.")
        return NetworkError(f"The endpoint is out of reach: {_deepest(error)}.")
    if isinstance(error, ValueError):  # also what is no JSON, or no text
        return MalformedResponseError(
            f"The endpoint's answer cannot be read: {text}.", raw_response=redact(_raw(error))[:10_000]
        )
    if type(error).__module__.split(".")[0] in ("httpx2", "httpcore2", "anyio", "ssl"):
        if "Timeout" in type(error).__name__:
            return TimeoutError(f"The endpoint has fallen silent: {type(error).__name__}.")
        return NetworkError(f"The connection was lost: {text or type(error).__name__}.")
    if isinstance(error, OSError):
        return NetworkError(f"The connection was lost: {text}.")
    return AgentError(f"The model could not be asked ({type(error).__name__}): {text or 'no details'}.")


def _is_of_settings(error: BaseException) -> bool:
    name = type(error).__name__
    is_header = name == "LocalProtocolError" and "header" in str(error)
    return is_header or name in ("UnsupportedProtocol", "InvalidURL")


def _status(error: StatusError, text: str) -> AgentError:
    status, kind = error.status, error.type
    # A failure in the middle of a stream has the status of its beginning, so only its body says what it is.
    is_streaming = status < 400
    if status == 429 or (is_streaming and kind == "rate_limit_error"):
        failure = NetworkError(
            f"The endpoint limits the rate: {text}.",
            status=429,
            kind="rate_limit",
            hint="Wait until the limit resets, then try again.",
        )
        headers = error.headers
        failure.retry_after = retry_after(headers)
        failure.resets_at = reset_in_headers(headers, time.time(), failure.retry_after)
        return failure
    if status in (401, 403) or kind in ("authentication_error", "permission_error"):
        return AgentError(
            f"The endpoint refuses the credentials: {text}.",
            kind="invalid",
            hint="Check ANTHROPIC_API_KEY, then try again.",
        )
    if status == 404 or kind == "not_found_error":
        return AgentError(
            f"The endpoint does not serve this: {text}.",
            kind="invalid",
            hint="Check the model's name, and that ANTHROPIC_BASE_URL is right.",
        )
    if status >= 500 or status in (408, 409) or (is_streaming and kind in _BUSY):
        shown = None if is_streaming else status
        what = f"failed with HTTP {shown}" if shown else "failed"
        failure = NetworkError(f"The endpoint {what}: {text}.", status=shown)
        failure.retry_after = retry_after(error.headers)
        return failure
    if status >= 400:
        return AgentError(
            f"The endpoint refuses the request with HTTP {status}: {text}.",
            kind="invalid",
            hint="Read the reason above; the same request will be refused again.",
        )
    return AgentError(f"The endpoint failed: {text}.")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint asks to be left alone, given as a number or a date."""
    if value := headers.get("retry-after-ms"):
        return _seconds(value, 0.001)
    value = headers.get("retry-after")
    if not value:
        return None
    if (seconds := _seconds(value, 1.0)) is not None:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value).timestamp()
    except ValueError:
        return None
    return max(0.0, moment - time.time())


def _seconds(value: str, unit: float) -> float | None:
    try:
        seconds = float(value) * unit
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _text(error: BaseException) -> str:
    return redact(str(error)).strip().rstrip(".")[:2_000]


def _raw(error: BaseException) -> str:
    return error.doc if isinstance(error, json.JSONDecodeError) else str(error)


def _deepest(error: BaseException) -> str:
    """What the innermost error says: the outer ones only say that there was one."""
    *_, at = _causes(error)
    return redact(str(at) or type(at).__name__).rstrip(".")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what caused it."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


# -- trying again ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits twice as long each time, with jitter, so that many clients do not come back at once.

    An endpoint that says how long to wait is believed, up to `longest_wait`.
    """

    max_retries: int = 3
    base_delay: float = 0.5
    max_delay: float = 30.0
    jitter: float = 0.25
    """The share of a delay that is random."""
    longest_wait: float = 120.0
    """The most seconds to wait because an endpoint says so; if it asks for more, the call has failed."""
    kinds: frozenset[ErrorKind] = RETRIED

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        for name in ("max_retries", "base_delay", "max_delay", "longest_wait"):
            if not getattr(self, name) >= 0:  # so that NaN is refused as well
                raise ConfigError(f"RetryPolicy.{name} is {getattr(self, name)}.", hint="It cannot be negative.")
        if not 0 <= self.jitter <= 1:
            raise ConfigError(f"RetryPolicy.jitter is {self.jitter}.", hint="It is a share: from 0 to 1.")

    def delay(self, error: AgentError, attempt: int) -> float | None:
        """Seconds to wait before the given retry (1 is the first); None if there is to be none."""
        if attempt > self.max_retries or error.kind not in self.kinds:
            return None
        wanted = getattr(error, "retry_after", None)
        if wanted is not None:
            return wanted if wanted <= self.longest_wait else None
        delay = min(self.max_delay, self.base_delay * 2.0 ** min(attempt - 1, 100))
        return delay * (1 - self.jitter * random.random())


NO_RETRIES = RetryPolicy(max_retries=0)

OnRetry = Callable[[AgentError, float, int], None]


async def with_retries(policy: RetryPolicy, call: Callable[[], Awaitable[T]], on_retry: OnRetry) -> T:
    """What `call` returns, after as many attempts as the policy allows; `on_retry` is called before each wait."""
    attempt = 0
    while True:
        try:
            return await call()
        except AgentError as error:
            attempt += 1
            delay = policy.delay(error, attempt)
            if delay is None:
                raise
            on_retry(error, delay, attempt)
        await asyncio.sleep(delay)
