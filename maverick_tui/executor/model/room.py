"""Room: how long an answer may be, thoughts included, and how much of that may be thought."""

from __future__ import annotations

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.limits import ended_by

LEAST_THINKING = 1_024
"""What the API takes."""
_ANSWER = 4_096
"""Tokens for the answer beside the thoughts, where nobody says how many."""
_LEAST_ANSWER = 1_024
"""What a limit leaves for it, before it is the thoughts that get less."""


def longest_answer(thinking: int, wanted: int | None, default: int | None) -> int | None:
    """The most that an answer may take: what is wanted, or the default with room for the thoughts."""
    if wanted is not None or default is None or not thinking:
        return default if wanted is None else wanted
    return max(default, thinking + _ANSWER)


def shared_out(thinking: int, wanted: int | None, default: int, most: int | None) -> tuple[int, int]:
    """Tokens for the whole answer, and those of them for thoughts; `most` is what limits leave.

    What cannot be is refused: thoughts that are left out would not be missed by anybody but the one who wants them.
    """
    whole = longest_answer(thinking, wanted, default) or default
    if thinking >= whole:
        raise AgentError(
            f"The model is to think for {thinking:,} tokens, but max_tokens, which they count towards, is {whole:,}.",
            kind="invalid",
            hint=f"Raise max_tokens above {thinking:,}, or let it think less.",
        )
    limited = whole if most is None else min(whole, most)
    if limited < 1:
        raise ended_by("no tokens are left for an answer", limit="max_tokens", needed=1)
    if not thinking or limited == whole:
        return limited, thinking
    less = min(thinking, limited - min(_LEAST_ANSWER, whole - thinking))
    if less < LEAST_THINKING:
        raise ended_by(
            f"{limited:,} tokens are left for an answer, of which the model needs {LEAST_THINKING:,} to think",
            limit="thinking",
            needed=LEAST_THINKING,
            left=max(0, less),
            hint="Raise the limits on tokens and dollars, or set thinking to 0.",
        )
    return limited, less
