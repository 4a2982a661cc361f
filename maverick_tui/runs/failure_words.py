"""What a failure is called. Light: the first frame imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Failure

NOT_STARTED = "NotStartedError"
"""The error of a run that a person has thought better of."""
_TITLES = {
    "CLINotFoundError": "The Claude Code CLI was not found",
    "TimeoutError": "Nothing came for too long",
    "NetworkError": "The endpoint is out of reach",
    "MalformedResponseError": "The answer cannot be read",
    "ProcessError": "The CLI has failed",
    "ConfigError": "The settings are wrong",
    NOT_STARTED: "Nothing was run",
    "LimitError": "A limit was reached",
    "RefusalError": "The model refuses",
}
_OVERLOADED = (503, 529)
"""What an endpoint answers that is there, and has too much to do."""
CONTINUE = "Your last answer broke off. Continue exactly where it stopped; do not repeat what you have already said."
"""What a model is asked that is to go on where its answer broke off."""
GO_ON = "You were stopped while the user was asked whether you may use more. Go on where you were."
"""The same of one that was stopped at a fuse: it is sent only once that is allowed."""
_WHOLE = ("LimitError", "RefusalError")
"""Ends that leave the stream whole, also if they come in the middle of an answer."""


def title(failure: Failure, characters: int = 0) -> str:
    """What failed, in a few words; `characters` is how much had come."""
    if (ended_by := end_of(failure)) != failure.error:
        return _TITLES[ended_by]
    if failure.error == "StreamingError":
        return f"The stream broke after {characters:,} characters" if characters else "The stream broke"
    if failure.kind == "rate_limit":
        return "Rate-limited"
    if failure.error == "NetworkError" and failure.status is not None:
        return "The endpoint is overloaded" if failure.status in _OVERLOADED else "The endpoint has failed"
    return _TITLES.get(failure.error, "The agent failed")


def end_of(failure: Failure) -> str:
    """The name of the error that is to be told: the cause, where the stream itself was whole."""
    cause = failure.causes[0].partition(":")[0] if failure.causes else ""
    return cause if failure.error == "StreamingError" and cause in _WHOLE else failure.error
