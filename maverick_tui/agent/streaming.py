"""How far an answer has come, and what a failure is called that comes after its first words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.events.kinds import BlockEnded, BlockGrew, BlockStarted, Event, ReplyRestarted, ToolCalled
from maverick_tui.exceptions import AgentError, ErrorKind, StreamingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claude_agent_sdk import Message


class UnaskedError(AgentError):
    """The CLI does not ask Maverick about what its tools do, or did not about one of them; it is ended at once."""

    kind_by_default: ErrorKind = "invalid"
    hint_by_default = (
        "Something switches the hooks of Claude Code off: look for CLAUDE_CODE_* variables, its managed settings, "
        "and a cli_path to another version; if you find nothing, please report it."
    )


class Heard:
    """Listens to the events of one answer: whether anything has come, and the agent's own text, block by block."""

    def __init__(self) -> None:
        self.has_content = False
        self._texts: dict[int, list[str]] = {}
        self._open: set[int] = set()

    @property
    def texts(self) -> list[str]:
        """What the agent itself has said; what was thrown away is not among it."""
        return ["".join(parts) for parts in self._texts.values()]

    def take(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, BlockGrew):
            self.has_content = True
            if (parts := self._texts.get(event.block)) is not None:
                parts.append(event.text)
        elif isinstance(event, BlockStarted):
            if event.kind == "text" and not event.parent:
                self._texts[event.block] = []
                self._open.add(event.block)
        elif isinstance(event, ToolCalled):
            self.has_content = True
        elif isinstance(event, ReplyRestarted):
            for block in self._open:
                self._texts.pop(block, None)
        elif isinstance(event, BlockEnded):
            self._open.discard(event.block)

    def failure(self, cause: AgentError) -> AgentError:
        """The error itself before the first words, afterwards a `StreamingError` that is caused by it."""
        if not self.has_content or isinstance(cause, StreamingError):
            return cause
        return streaming_error(cause, (), "\n\n".join(self.texts))


def streaming_error(cause: AgentError, partial: Sequence[Message], text: str) -> StreamingError:
    """A failure after the first content: the specific error becomes the cause, what came is kept."""
    from maverick_tui.executor.limits import LimitError
    from maverick_tui.executor.model.failures import RefusalError  # with all of pydantic, which a run begins without

    # Where a limit, the model itself or we have ended it, nothing was wrong with the stream.
    is_broken = not isinstance(cause, LimitError | RefusalError | UnaskedError)
    error = StreamingError(
        f"The stream failed after {len(text):,} characters: {cause.message}" if is_broken else cause.message,
        partial_messages=partial,
        kind=cause.kind,
        hint=f"{cause.hint} What came before is kept.",
    )
    error.__cause__ = cause
    return error
