"""Limits: what one execution may use at most."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from maverick_tui.exceptions import AgentError

Count: TypeAlias = Annotated[int, Field(gt=0)]
Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]

DEFAULT_MAX_TURNS = 50


class RequestLimits(BaseModel):
    """What one call to the model may use; None is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timeout_ms: Amount | None = None
    max_input_tokens: Count | None = None
    max_output_tokens: Count | None = None
    max_cost_usd: Amount | None = None


class Limits(BaseModel):
    """What an execution may use; None is no limit. `per_request` applies to each single call to the model.

    Tokens, dollars, tool calls and time include those of its subagents; turns are its own, and `per_request` applies to
    its own calls: a subagent has such limits in its own definition.

    What a request gives the model to read is counted before it is sent, and priced as if nothing came from the cache. A
    request that does not fit is not sent; an answer that takes more than was counted ends the execution.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_turns: Count | None = DEFAULT_MAX_TURNS
    timeout_ms: Amount | None = None
    max_tool_calls: Annotated[int, Field(ge=0)] | None = None
    max_input_tokens: Count | None = None
    max_output_tokens: Count | None = None
    max_total_tokens: Count | None = None
    max_cost_usd: Amount | None = None
    per_request: RequestLimits = RequestLimits()

    @property
    def needs_price(self) -> bool:
        """Whether it can only be kept if the price of a token is known."""
        return self.max_cost_usd is not None or self.per_request.max_cost_usd is not None


class LimitError(AgentError):
    """A limit does not allow the next step, or was exceeded by the last one. What came before is complete.

    `limit` is its name, `needed` what the step takes, and `left` what was left for it, where that is known.
    """

    hint_by_default = "Raise the limit, or give the agent a smaller task."

    def __init__(self, message: str, *, limit: str = "", needed: float = 0, left: float = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.limit = limit
        self.needed = needed
        self.left = left


def ended_by(why: str, *, limit: str, needed: float = 0, left: float = 0, hint: str = "") -> LimitError:
    """The error of an execution that one of its own limits has ended."""
    return LimitError(
        f"The execution was ended by its limits: {why}.",
        limit=limit,
        needed=needed,
        left=left,
        hint=hint or f"Raise {limit}, or ask for less.",
    )
