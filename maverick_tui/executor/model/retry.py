"""RetryPolicy: which failures are tried again, how often, and after how long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from maverick_tui.exceptions import AgentError, ConfigError, ErrorKind

T = TypeVar("T")

RETRIED: frozenset[ErrorKind] = frozenset({"rate_limit", "network"})
"""A call that took too long is not repeated: it may be paid for already, and would take as long again."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Waits twice as long each time, with jitter, so that many clients do not come back at the same moment.

    An endpoint that says how long to wait is believed, up to `longest_wait`.
    """

    max_retries: int = 3
    base_delay: float = 0.5
    max_delay: float = 30.0
    jitter: float = 0.25
    """The share of a delay that is left to chance."""
    longest_wait: float = 120.0
    """Seconds beyond which an endpoint's own wish is not waited for: the call has failed."""
    kinds: frozenset[ErrorKind] = RETRIED

    def __post_init__(self) -> None:
        """Refuse what cannot be waited for."""
        for name in ("max_retries", "base_delay", "max_delay", "longest_wait"):
            if not getattr(self, name) >= 0:  # nor is it what is not a number
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
    """What `call` returns, in as many attempts as the policy allows; `on_retry` is told before each wait."""
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
