"""Spans for OpenTelemetry, by its conventions for generative AI. Without that package they cost nothing."""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from maverick_tui.shown import words_of


class _NoSpan:
    def set(self, attributes: Mapping[str, Any]) -> None:
        """Nobody listens."""

    def fail(self, error: BaseException | str) -> None:
        """Nobody listens."""


class _Span:
    def __init__(self, span: Any) -> None:
        self._span = span

    def set(self, attributes: Mapping[str, Any]) -> None:
        """Add attributes, named as the conventions do below `gen_ai`; None is left out."""
        for name, value in attributes.items():
            if value is not None:
                self._span.set_attribute(f"gen_ai.{name}", value)

    def fail(self, error: BaseException | str) -> None:
        """Mark it as failed."""
        from opentelemetry.trace import Status, StatusCode

        self._span.set_status(Status(StatusCode.ERROR, words_of(error)[:200]))
        kind = getattr(error, "kind", None) or (type(error).__name__ if isinstance(error, BaseException) else "error")
        self._span.set_attribute("error.type", kind)


Span: TypeAlias = _NoSpan | _Span
NO_SPAN = _NoSpan()


@cache
def _tracer() -> Any:
    if importlib.util.find_spec("opentelemetry") is None:
        return None
    try:
        from opentelemetry import trace
    except ImportError:  # only a part of it is installed
        return None
    return trace.get_tracer("maverick_tui.executor")


@contextmanager
def span(name: str, attributes: Mapping[str, Any], *, is_remote: bool = False) -> Iterator[Span]:
    """A span around the block; an exception marks it as failed. `is_remote` if somebody else does the work."""
    tracer = _tracer()
    if tracer is None:
        yield NO_SPAN
        return
    from opentelemetry.trace import SpanKind

    kind = SpanKind.CLIENT if is_remote else SpanKind.INTERNAL
    with tracer.start_as_current_span(name, kind=kind, record_exception=False, set_status_on_exception=False) as opened:
        wrapped = _Span(opened)
        wrapped.set(attributes)
        try:
            yield wrapped
        except BaseException as error:
            wrapped.fail(error)
            raise


def trace_id() -> str:
    """An id for an execution: that of the trace around it, or a new one."""
    if _tracer() is not None:
        from opentelemetry import trace

        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            return f"{context.trace_id:032x}"
    return uuid.uuid4().hex
