"""Where the failures of the model API become ours."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from maverick_tui.exceptions import AgentError, MalformedResponseError, NetworkError, TimeoutError
from maverick_tui.masking.redact import redact, without

_BUSY = ("overloaded_error", "api_error", "timeout_error")
"""What an endpoint calls its own failures when it tells of them in the middle of a stream."""


_UNCONNECTED = ("ConnectTimeout", "PoolTimeout")
"""Timeouts after which nothing was sent yet, so that it can be tried again."""


class RefusalError(AgentError):
    """The model does not want to answer; what it has said until then is not to be used."""

    hint_by_default = "Ask for something else, or in other words."


def ours(error: BaseException, *, secrets: Collection[str] = ()) -> AgentError:
    """Any exception of the SDK, or of what it stands on, as one of ours; the caller raises it from the error.

    `secrets` are masked in its words: an endpoint may repeat the key that it does not like.
    """
    failure = _ours(error)
    failure.message = without(failure.message, secrets)
    failure.args = (failure.message,)
    if isinstance(failure, MalformedResponseError):
        failure.raw_response = without(failure.raw_response, secrets)
    return failure


def _ours(error: BaseException) -> AgentError:
    import anthropic

    if isinstance(error, AgentError):
        return error
    text = _text(error)
    if isinstance(error, anthropic.APIStatusError):
        return _status(error, text)
    if any(_is_of_settings(one) for one in _causes(error)):
        # Not in its own words: they may hold the key.
        return AgentError(
            "The endpoint cannot be asked: its address or a header is none.",
            kind="invalid",
            hint="Check ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and the headers.",
        )
    if any(type(one).__name__ in _UNCONNECTED for one in _causes(error)):
        return NetworkError("The endpoint is out of reach: it takes no connection in time.")
    if isinstance(error, anthropic.APITimeoutError | asyncio.TimeoutError):
        return TimeoutError(f"The endpoint did not answer in time: {text}.")
    if isinstance(error, anthropic.APIResponseValidationError | ValueError):
        # json.JSONDecodeError and what pydantic raises are ValueErrors.
        return MalformedResponseError(
            f"The endpoint's answer cannot be read: {text}.", raw_response=redact(_raw(error))[:10_000]
        )
    if isinstance(error, anthropic.APIConnectionError):
        return NetworkError(f"The endpoint is out of reach: {_deepest(error)}.")
    if type(error).__module__.split(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2", "anyio", "ssl"):
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


def _status(error: Any, text: str) -> AgentError:
    status, kind = int(error.status_code), str(error.type or "")
    # A failure in the middle of a stream has the status of its beginning, so only its body says what it is.
    is_streaming = status < 400
    if status == 429 or (is_streaming and kind == "rate_limit_error"):
        failure = NetworkError(
            f"The endpoint limits the rate: {text}.",
            status=429,
            kind="rate_limit",
            hint="Wait until the limit resets, then try again.",
        )
        failure.retry_after = retry_after(error.response.headers)
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
        failure.retry_after = retry_after(error.response.headers)
        return failure
    if status >= 400:
        return AgentError(
            f"The endpoint refuses the request with HTTP {status}: {text}.",
            kind="invalid",
            hint="Read the reason above; the same request will be refused again.",
        )
    return AgentError(f"The endpoint failed: {text}.")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint wants to be left alone: a number of them, or a date."""
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
    said = getattr(error, "api_message", None) or str(error)
    return redact(str(said)).strip().rstrip(".")[:2_000]


def _raw(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        return error.doc
    body = getattr(error, "body", None)
    return str(body) if body is not None else str(error)


def _deepest(error: BaseException) -> str:
    """What the innermost error says: the outer ones only say that there was one."""
    *_, at = _causes(error)
    return redact(str(at) or type(at).__name__).rstrip(".")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from."""
    at: BaseException | None = error
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__
