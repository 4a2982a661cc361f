"""Everything Maverick raises.

MaverickError
├── AgentError                  an agent could not do its work (see `kind`)
│   ├── CLINotFoundError        no Claude Code CLI to run
│   ├── ProcessError            the CLI failed to start, died or was killed
│   ├── TimeoutError            nothing came for too long
│   ├── NetworkError            the endpoint is out of reach, overloaded or rate limiting
│   │   ├── AwayError           another machine cannot be reached (maverick_tui.host)
│   │   └── HostGoneError       nobody serves the run any more (maverick_tui.host)
│   ├── StreamingError          the stream broke after it had begun; keeps what came before
│   ├── MalformedResponseError  an answer that cannot be read
│   ├── InvalidToolError        allowed_tools names a tool that does not exist
│   ├── DuplicateAgentError     the name is registered already
│   ├── AgentNotFoundError      no agent of that name
│   ├── LimitError              a limit of the executor does not allow the next step (maverick_tui.executor)
│   ├── RefusalError            the model refuses to answer (maverick_tui.executor)
│   ├── UnaskedError            the CLI does not ask Maverick about what its tools do (maverick_tui.agent)
│   └── ToolError               a tool could not do what it was asked to (maverick_tui.executor)
├── WorkflowError               several agents could not do their work together
└── ConfigError                 a setting, an agent file or a folder is wrong
    ├── GitError                git could not change what it was asked to (maverick_tui.git)
    │   └── TookTooLongError    it was given up, because it took too long
    ├── NotTrackedError         there are no snapshots of a folder (maverick_tui.snapshots)
    ├── NotRestoredError        files could not be changed back, and all is as it was (maverick_tui.snapshots)
    ├── NotStartedError         a person who was asked first has thought better of it
    └── NotTrustedError         a project's agent file that nobody has approved yet (maverick_tui.agent.catalog)

`message` says what happened, to what and why; `hint` says what to do next; `str()` gives both.
"""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

if TYPE_CHECKING:
    from claude_agent_sdk import Message

ErrorKind = Literal["agent", "tool", "timeout", "rate_limit", "network", "invalid"]
"""Whose fault it was; `RETRYABLE_KINDS` may succeed when the same thing is tried again later."""

RETRYABLE_KINDS: frozenset[ErrorKind] = frozenset({"timeout", "rate_limit", "network"})


_MOST_KNOWN, _LONGEST_WORD = 1000, 40


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question with the closest known words, or nothing; what is too much to compare is not compared."""
    words = [name for name in islice(known, _MOST_KNOWN) if len(name) <= _LONGEST_WORD]
    close = difflib.get_close_matches(word, words, n=3, cutoff=0.6) if len(word) <= _LONGEST_WORD else []
    return f"Did you mean {' or '.join(repr(name) for name in close)}?" if close else ""


def _rebuild(cls: type[MaverickError], args: tuple[Any, ...]) -> MaverickError:
    return cls.__new__(cls, *args)


class MaverickError(Exception):
    """Base of every error that Maverick raises on purpose."""

    hint_by_default = "Run the command again with --debug to see more."

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.hint_by_default

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    @property
    def cause(self) -> BaseException | None:
        """The error this one wraps."""
        return self.__cause__

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses have keyword arguments of their own, so the default `cls(*args)` would fail.
        # A foreign cause may not survive pickling; its text is part of our message already.
        state = dict(self.__dict__)
        if isinstance(self.__cause__, MaverickError):
            state["__cause__"] = self.__cause__
        return _rebuild, (type(self), self.args), state


class AgentError(MaverickError):
    """An agent could not do its work; `kind` lets the caller decide about a retry."""

    kind_by_default: ErrorKind = "agent"
    hint_by_default = "Read the cause, then run the agent again."

    def __init__(self, message: str, *, kind: ErrorKind | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind: ErrorKind = kind or self.kind_by_default

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind in RETRYABLE_KINDS


class _More(TypedDict, total=False):
    """What every `AgentError` can be given."""

    kind: ErrorKind | None
    hint: str


class CLINotFoundError(AgentError):
    """There is no Claude Code CLI to run."""

    kind_by_default: ErrorKind = "invalid"
    hint_by_default = (
        "Reinstall claude-agent-sdk, which bundles the CLI, or install Claude Code "
        "(npm install -g @anthropic-ai/claude-code) and set cli_path to it."
    )

    def __init__(
        self,
        message: str = "The Claude Code CLI was not found.",
        *,
        cli_path: str | None = None,
        **more: Unpack[_More],
    ) -> None:
        super().__init__(message, **more)
        self.cli_path = cli_path


class ProcessError(AgentError):
    """The CLI's process failed to start, died or was killed."""

    hint_by_default = "Read what the CLI said last, then run the agent again."

    def __init__(
        self, message: str, *, exit_code: int | None = None, stderr: str | None = None, **more: Unpack[_More]
    ) -> None:
        super().__init__(message, **more)
        self.exit_code = exit_code
        self.stderr = stderr


class TimeoutError(AgentError, builtins.TimeoutError):
    """Nothing came for too long."""

    kind_by_default: ErrorKind = "timeout"
    hint_by_default = "Check the network and the endpoint, or raise the agent's timeout."


class NetworkError(AgentError):
    """The endpoint is out of reach, overloaded or rate limiting.

    `status` is its HTTP status, `retry_after` the number of seconds it asks to be left alone, and `resets_at` the time
    at which a limit resets, in seconds; both if it says so.
    """

    kind_by_default: ErrorKind = "network"
    hint_by_default = "Check the network and ANTHROPIC_BASE_URL, then try again in a moment."

    def __init__(self, message: str, *, status: int | None = None, **more: Unpack[_More]) -> None:
        if status is not None and not more.get("hint"):  # it has answered, so it is where it should be
            more["hint"] = "Try again in a moment: the failure is on its side."
        super().__init__(message, **more)
        self.status = status
        self.retry_after: float | None = None
        self.resets_at: float | None = None


class StreamingError(AgentError):
    """The stream broke after it had begun; `partial_messages` holds everything that came, the cause says why."""

    hint_by_default = "What came before is kept: continue from there, or run the prompt again."

    def __init__(self, message: str, *, partial_messages: Sequence[Message] = (), **more: Unpack[_More]) -> None:
        super().__init__(message, **more)
        self.partial_messages: list[Message] = list(partial_messages)


class MalformedResponseError(AgentError):
    """An answer that cannot be read; `raw_response` is its text."""

    hint_by_default = "Look at the raw response: a proxy or gateway may have changed the answer."

    def __init__(self, message: str, *, raw_response: str = "", **more: Unpack[_More]) -> None:
        super().__init__(message, **more)
        self.raw_response = raw_response


class InvalidToolError(AgentError):
    """`allowed_tools` names a tool that does not exist."""

    kind_by_default: ErrorKind = "invalid"

    def __init__(self, tool_name: str, available_tools: Iterable[str] = (), *, why: str = "") -> None:
        available = sorted(available_tools)
        message = f"Tool {tool_name!r} cannot be allowed: {why or 'there is no tool of that name'}."
        listed = f"Available tools: {', '.join(available)}." if available else "No tools are available."
        super().__init__(message, hint=f"{did_you_mean(tool_name, available)} {listed}".strip())
        self.tool_name = tool_name
        self.available_tools = available


class DuplicateAgentError(AgentError):
    """The name is registered already; the first registration stands."""

    kind_by_default: ErrorKind = "invalid"

    def __init__(self, agent_name: str, *, registered: str = "") -> None:
        by = f" by {registered}" if registered else ""
        super().__init__(
            f"An agent named {agent_name!r} is registered already{by}.",
            hint="Choose another name, or unregister the first one.",
        )
        self.agent_name = agent_name


class AgentNotFoundError(AgentError):
    """No agent of that name is known."""

    kind_by_default: ErrorKind = "invalid"

    def __init__(self, agent_name: str, known: Iterable[str] = ()) -> None:
        names = sorted(known)
        listed = f"Known agents: {', '.join(names)}." if names else "No agents are known."
        super().__init__(
            f"There is no agent named {agent_name!r}.",
            hint=f"{did_you_mean(agent_name, names)} {listed}".strip(),
        )
        self.agent_name = agent_name


class WorkflowError(MaverickError):
    """Several agents could not do their work together."""

    hint_by_default = "Read the cause: it names the agent and the step that failed."


class ConfigError(MaverickError, ValueError):
    """A setting, an agent file or a folder is wrong; `path` and `line` say where, if it is in a file."""

    hint_by_default = "Correct the setting and start again."

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line


class NotStartedError(ConfigError):
    """Nothing was run, since a person who was asked first has thought better of it."""
