"""What a run without a terminal is left with: an exit code, and why, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED, NOBODY_TO_ASK, OVER_LIMIT, TIMED_OUT
from maverick_tui.runs.failure_words import end_of
from maverick_tui.runs.tool_text import describe, key_argument

if TYPE_CHECKING:
    from maverick_tui.runs.outcome import RunOutcome

_NEXT = {
    "timeout": "Give it more with --timeout, or give it less to do.",
    "limit": "Raise --max-turns, --max-cost or --fuse, or give it less to do.",
}
_CODES = {"timeout": TIMED_OUT, "limit": OVER_LIMIT, "interrupted": INTERRUPTED}
_ALLOW = (
    "If it may, say so with --allow and a rule, such as 'Bash(make test:*)' or Edit. "
    "What is always asked about needs a person: run the agent in the application."
)


class Verdict(NamedTuple):
    """How a run has ended; `kind` is empty if all is fine."""

    code: int = 0
    kind: str = ""
    message: str = ""
    hint: str = ""

    @property
    def error(self) -> dict[str, Any] | None:
        """As JSON has it."""
        return {"kind": self.kind, "message": self.message, "hint": self.hint} if self.kind else None


def verdict_of(run: RunOutcome) -> Verdict:
    """What came of it: what we have ended it for counts before what it has failed with, and that before refusals."""
    if run.cut:
        return Verdict(_CODES[run.cut], run.cut, run.why, _NEXT.get(run.cut, ""))
    if (failure := run.failure) is not None:
        is_limit = end_of(failure) == "LimitError"
        return Verdict(OVER_LIMIT if is_limit else FAILED, "limit" if is_limit else failure.kind, *_words(failure))
    if run.unanswered:
        asked = run.unanswered[0]
        what = f"{describe(asked.tool)} {key_argument(asked.tool, asked.arguments, '')}".strip()
        more = f" So were {len(run.unanswered) - 1} more." if len(run.unanswered) > 1 else ""
        why = asked.reason.rstrip(".") or "it asks first"
        message = f"A call was refused, and there was nobody to ask: {what} ({why}).{more}"
        return Verdict(NOBODY_TO_ASK, "permission", message, _ALLOW)
    return Verdict()


def _words(failure: Any) -> tuple[str, str]:
    return failure.message, failure.hint
