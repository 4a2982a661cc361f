"""The entries of a transcript: what a run consists of on the screen, without saying how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.inert import InertStream

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Failure, PermissionAsked, ShellEnded, TurnEnded

ToolState = Literal["writing", "waiting", "asking", "running", "done", "failed", "denied", "cut"]
TextState = Literal["open", "done", "partial"]
PERSONS_OWN = "You ran"
"""What stands in the place of a tool's name where a person has run a command."""


def told_by(ended: ShellEnded) -> str:
    """What came of such a command, as a tool would tell it."""
    return f"Exit code {ended.code}\n{ended.output}" if ended.code else ended.output


class Entry:
    """One thing in the transcript; `version` grows whenever it would look different."""

    __slots__ = ("at", "depth", "ended_at", "number", "parent", "turn", "version")
    kind: str = ""

    def __init__(self, number: int, at: float, turn: int, parent: str = "", depth: int = 0) -> None:
        self.number = number
        self.at = at
        self.turn = turn
        self.parent = parent
        self.depth = depth
        self.ended_at: float | None = None
        self.version = 0

    @property
    def seconds(self) -> float | None:
        """How long it took, once that is known."""
        return None if self.ended_at is None else max(0.0, self.ended_at - self.at)


class PromptEntry(Entry):
    """What a person asked; `sent` is what the agent made of it, where that is something else."""

    __slots__ = ("is_command", "origin", "prompt_id", "sent", "text")
    kind = "prompt"

    def __init__(
        self, number: int, at: float, turn: int, text: str, origin: str, prompt_id: str, is_command: bool = False
    ) -> None:
        super().__init__(number, at, turn)
        self.text = text
        self.origin = origin
        self.prompt_id = prompt_id
        self.is_command = is_command
        self.sent = ""


class TextEntry(Entry):
    """What the agent said or thought. It grows by parts, which become one string at the end; all of it is inert."""

    __slots__ = ("_raw", "kind", "parts", "state")

    def __init__(self, number: int, at: float, turn: int, kind: str, parent: str, depth: int) -> None:
        super().__init__(number, at, turn, parent, depth)
        self.kind = kind
        self.parts: list[str] = []
        self.state: TextState = "open"
        self._raw = InertStream()

    @property
    def text(self) -> str:
        """All of it, until now."""
        if len(self.parts) > 1 and self.state != "open":
            self.parts = ["".join(self.parts)]
        return self.parts[0] if len(self.parts) == 1 else "".join(self.parts)

    @property
    def is_open(self) -> bool:
        """Whether more may come."""
        return self.state == "open"

    def grow(self, text: str) -> None:
        """Take the next piece as it came, which may end anywhere."""
        self.parts.append(self._raw.feed(text))

    def close(self, state: TextState, at: float) -> None:
        """Nothing more comes."""
        self.parts = ["".join([*self.parts, self._raw.end()])]
        self.state, self.ended_at = state, at


class ToolEntry(Entry):
    """A tool call, from the first byte of its arguments to its result."""

    __slots__ = (
        "answered_by",
        "arguments",
        "by_rule",
        "call",
        "decision",
        "detail",
        "has_run",
        "input_size",
        "is_edited",
        "name",
        "output",
        "question",
        "reason",
        "state",
        "stop_state",
        "task_state",
        "task_words",
        "tokens",
        "tool_uses",
    )
    kind = "tool"

    def __init__(self, number: int, at: float, turn: int, name: str, parent: str, depth: int) -> None:
        super().__init__(number, at, turn, parent, depth)
        self.call = ""
        self.name = name
        self.arguments: dict[str, Any] = {}
        self.input_size = 0
        self.state: ToolState = "writing"
        self.has_run = False
        """Whether it has begun; what was denied or stopped before that took no time."""
        self.output = ""
        self.detail: Any = None
        self.question: PermissionAsked | None = None
        self.decision = ""
        self.reason = ""
        self.by_rule = ""
        self.answered_by = ""
        """The reader who has answered its question, if somebody else was looking, too."""
        self.is_edited = False
        """Whether a person has changed what is called before it ran."""
        self.stop_state = ""
        """Set once somebody wants it to stop by itself: `asked`, then `stopped` or `failed`."""
        self.task_state = ""
        self.task_words = ""
        """What was last said of how far that has come."""
        self.tokens = 0
        self.tool_uses = 0

    @property
    def is_open(self) -> bool:
        """Whether its result is still to come."""
        return self.state in ("writing", "waiting", "asking", "running")

    def begin(self, at: float) -> None:
        """It runs from this moment on."""
        self.state, self.at, self.has_run = "running", at, True

    @property
    def is_stopped(self) -> bool:
        """Whether somebody wants it to stop by itself, or has stopped it so."""
        return self.stop_state in ("asked", "stopped")

    @property
    def cut_words(self) -> str:
        """What is said of one that was cut short."""
        return "stopped" if self.is_stopped else "no result" if self.has_run else "not run"

    @property
    def seconds(self) -> float | None:
        """How long it took; of one that goes on in the background nobody knows that yet."""
        return None if self.is_task_alive else super().seconds

    @property
    def is_task_alive(self) -> bool:
        """Whether the subagent or background task that it started goes on."""
        return bool(self.task_state) and self.task_state not in ENDED_TASKS


class NoticeEntry(Entry):
    """A line that is nobody's text: the context was compacted, another model answers."""

    __slots__ = ("notice", "text")
    kind = "notice"

    def __init__(self, number: int, at: float, turn: int, notice: str, text: str, parent: str, depth: int) -> None:
        super().__init__(number, at, turn, parent, depth)
        self.notice = notice
        self.text = text


class StallEntry(NoticeEntry):
    """The banner of a model that is silent; its keys act until something comes, or somebody waits on."""

    __slots__ = ("is_current", "since")

    def __init__(self, number: int, at: float, turn: int, text: str, since: float) -> None:
        super().__init__(number, at, turn, "stalled", text, "", 0)
        self.since = since
        self.is_current = True


class EndEntry(Entry):
    """The end of a turn: what came of it and what it cost; of one that is `is_inherited`, the other run tells that."""

    __slots__ = ("is_inherited", "result")
    kind = "end"

    def __init__(self, number: int, result: TurnEnded, began: float, *, is_inherited: bool = False) -> None:
        super().__init__(number, began, result.turn)
        self.ended_at = result.at
        self.result = result
        self.is_inherited = is_inherited


class FailureEntry(Entry):
    """The banner of a failure; `characters` is how much of the answer had come."""

    __slots__ = ("characters", "due", "failure", "is_current")
    kind = "failure"

    def __init__(self, number: int, at: float, turn: int, failure: Failure, characters: int) -> None:
        super().__init__(number, at, turn)
        self.failure = failure
        self.characters = characters
        self.is_current = True
        """Whether its keys act: it is, until something else is asked."""
        self.due: float | None = None
        """When the run goes on by itself, if it does."""

    def may_wait(self, now: float) -> bool:
        """Whether the run goes on by itself, or could at a time that is still to come."""
        is_to_come = self.failure.retry_at is not None and self.failure.retry_at > now
        return self.failure.kind == "rate_limit" and (is_to_come or self.due is not None)
