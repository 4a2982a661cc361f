"""The outcome of an agent's work: AgentResult, and AgentUsage for what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from maverick_tui.exceptions import AgentError
from maverick_tui.usage import Usage

# The documented field order puts optional fields before required ones; this stands in for "no default".
_REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """Tokens, cost and time of one execution. Tokens read from or written to the cache are counted separately."""

    input_tokens: int
    output_tokens: int
    total_cost_usd: float | None = None
    duration_ms: int = cast(int, _REQUIRED)
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __post_init__(self) -> None:
        """Refuse a missing duration and negative figures."""
        if self.duration_ms is _REQUIRED:
            raise TypeError("AgentUsage needs duration_ms: how long the execution took, in milliseconds.")
        for name in ("input_tokens", "output_tokens", "duration_ms", "cache_read_tokens", "cache_write_tokens"):
            if getattr(self, name) < 0:
                raise ValueError(f"AgentUsage.{name} is {getattr(self, name)}: it cannot be negative.")
        if self.total_cost_usd is not None and self.total_cost_usd < 0:
            raise ValueError(f"AgentUsage.total_cost_usd is {self.total_cost_usd}: it cannot be negative.")

    @classmethod
    def of(cls, usage: Usage) -> AgentUsage:
        """The same figures, as results have them."""
        fresh, output, cache_read, cache_write = usage.tokens
        return cls(fresh, output, usage.cost_usd, usage.duration_ms, cache_read, cache_write)

    @property
    def figures(self) -> Usage:
        """The same figures, to be added and subtracted."""
        cached = self.cache_read_tokens, self.cache_write_tokens
        return Usage(self.input_tokens, self.output_tokens, *cached, self.total_cost_usd, self.duration_ms)

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The outcome of an execution; a failed one keeps its partial output and at least one error."""

    success: bool
    output: str
    metadata: dict[str, Any] = field(default_factory=dict)
    errors: list[AgentError] = field(default_factory=list)
    usage: AgentUsage = cast(AgentUsage, _REQUIRED)

    def __post_init__(self) -> None:
        """Refuse results that would leave a caller without usage, output or a reason."""
        if not isinstance(self.usage, AgentUsage):
            raise TypeError("AgentResult needs usage: an AgentUsage, also for a failure.")
        if not isinstance(self.output, str):
            raise TypeError(f"AgentResult.output is {self.output!r}: it must be a string; use '' for none.")
        for error in self.errors:
            if not isinstance(error, AgentError):
                raise TypeError(f"AgentResult.errors holds {error!r}: wrap it in an AgentError.")
        if not self.success and not self.errors:
            raise ValueError("AgentResult(success=False) needs at least one error that says what to do.")

    @classmethod
    def success_result(cls, output: str, usage: AgentUsage, metadata: Mapping[str, Any] | None = None) -> AgentResult:
        """A result of work that was done."""
        return cls(success=True, output=output, metadata=dict(metadata or {}), usage=usage)

    @classmethod
    def failure_result(
        cls,
        errors: Sequence[AgentError],
        usage: AgentUsage,
        metadata: Mapping[str, Any] | None = None,
        output: str = "",
    ) -> AgentResult:
        """A result of work that failed, with whatever output there was before it did."""
        return cls(success=False, output=output, metadata=dict(metadata or {}), errors=list(errors), usage=usage)
