"""The events of a run. Everything that is shown of a run follows from them alone.

A run is RunStarted, then anything, then RunEnded; one that goes on afterwards tells RunReopened, and ends once more.
What a fork has of another run stands between its RunStarted and RunForked: whole turns, without their figures.
Connecting is followed by Connected or ConnectFailed, and before the first turn there is an AgentLoaded. In it each
turn is TurnStarted ... TurnEnded, also when it fails, is interrupted, or the CLI dies; at most one is open. Each block
is BlockStarted ... BlockEnded; one that breaks off has no end of its own, ReplyRestarted or TurnEnded closes it. Each
tool call is ToolCalled and, if it comes to that, ToolFinished. Each PermissionAsked is settled once, each PromptQueued
becomes a turn or is dropped, each ContinuePlanned is due or called off. All are frozen and JSON-able. `at` is the time
on the wall in seconds. An event's number is its place in its run, from 0 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from maverick_tui.events.growth import Growth
from maverick_tui.events.typed import number, whole
from maverick_tui.events.wire import Tagged, from_json, kinds_of, to_json
from maverick_tui.usage import NO_USAGE
from maverick_tui.usage import Usage as Usage

SCHEMA = 1
"""Grows when a reader of today's events could not make sense of tomorrow's; fields and kinds may be added without."""
COMPACTING = "The conversation is being compacted."
LONGEST_NOTICE = 2_000
"""Characters of a notice."""


class NewerSchemaError(ValueError):
    """What a newer version has told, and this one would misunderstand."""


BlockKind = Literal["text", "thinking", "tool"]
Decision = Literal["once", "run", "deny", "withdrawn"]
Origin = Literal["person", "agent", "background"]
Outcome = Literal["done", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a turn failed; `causes` are the errors below it, outermost first, each as "Type: message"."""

    error: str
    kind: str
    message: str
    hint: str = ""
    causes: tuple[str, ...] = ()
    raw_response: str = ""
    stderr: str = ""
    status: int | None = None
    exit_code: int | None = None
    is_retryable: bool = False
    retry_at: float | None = None


@dataclass(frozen=True, slots=True)
class Event(Tagged):
    """What a run tells, at a time."""

    at: float


# -- the run -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """A run was opened; its agent is still to be loaded. `schema` is the version that all its events are written in."""

    run_id: str
    agent: str
    schema: int = SCHEMA
    forked_from: str = ""
    """The run that it goes on from by itself; empty for one that began with nothing."""
    forked_turn: int = 0
    """The turn of that run after which it does; 0 is before the first."""


@dataclass(frozen=True, slots=True)
class RunForked(Event):
    """What was told until here is of another run; here this one begins, and so do its figures.

    `conversation` is what the engine of that run knows the conversation by, and `place` the end of the turn in it; they
    are empty where it has told none. `counts` are the figures that an engine which goes on with the conversation may
    begin to count from. `model` is the one that answers from here on, if a person has chosen it.
    """

    conversation: str = ""
    place: str = ""
    counts: tuple[dict[str, Any], ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True)
class RunReopened(Event):
    """The run goes on after its end, perhaps in a newer schema than it began in; its agent is to be loaded again."""

    schema: int = SCHEMA


@dataclass(frozen=True, slots=True)
class AgentLoaded(Event):
    """The agent was found and made: what it is, where it works, and what it is asked if nobody asks anything else."""

    agent: str
    cwd: str
    branch: str = ""
    model: str = ""
    permission_mode: str = ""
    """Empty for an agent that has nothing to permit."""
    description: str = ""
    engine: str = "claude-code"
    is_offline: bool = False
    has_own_prompt: bool = False
    """Whether the agent may be started without a prompt, since its author wrote one."""
    max_turns: int | None = None
    draft: str = ""
    """A prompt to begin with: the agent's own, or one that the demo has an answer to."""
    repository: str = ""
    """The folder of the repository that `cwd` belongs to, also where `cwd` is another worktree of it."""
    tools: tuple[str, ...] | None = None
    """What it may use, in the words of its `allowed_tools`; None where nobody has told."""
    reaches: tuple[str, ...] | None = None
    """What else it may use, or have started: each is a kind, a name, and for what may change below it a digest."""
    limits: dict[str, Any] | None = None
    """What a prompt may take at most, by the names of its limits; None where nobody has told."""
    project: str = ""
    """The folder that it was started in, where `cwd` is a worktree of its own; else empty."""


@dataclass(frozen=True, slots=True)
class Connecting(Event):
    """The way to the model is being opened; `again` after it was lost."""

    again: bool = False


@dataclass(frozen=True, slots=True)
class Connected(Event):
    """The way to the model is open; `context_size` is what the model can hold by the tables, if they know it."""

    context_size: int | None = None


@dataclass(frozen=True, slots=True)
class ConnectFailed(Event):
    """The way to the model could not be opened, or was lost between two prompts."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class ModelNamed(Event):
    """Which model answers, by its full name, and how much it can hold, if known."""

    model: str
    session_id: str = ""
    context_size: int | None = None


@dataclass(frozen=True, slots=True)
class ModeChanged(Event):
    """The permission mode is another one from now on."""

    mode: str


@dataclass(frozen=True, slots=True)
class RunNamed(Event):
    """The person calls the run by this name from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    """The last event of a run, unless it is reopened."""

    reason: str = ""


# -- prompts and turns -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptQueued(Event):
    """A prompt waits for its turn; told again of one that waits, its text is another one now."""

    prompt_id: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptDropped(Event):
    """A waiting prompt was taken back; it was never sent."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptsHeld(Event):
    """These waiting prompts are not sent by themselves any more: what they follow on was interrupted, or has failed."""

    prompt_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptsReleased(Event):
    """What was held is sent again, each prompt when its turn comes."""


@dataclass(frozen=True, slots=True)
class QueueChanged(Event):
    """The waiting prompts as they stand now: their order, and which of them are held.

    Those that are `urgent` do not wait for the end of the turn: the agent has them as soon as it takes something in.
    """

    prompt_ids: tuple[str, ...]
    held: tuple[str, ...] = ()
    urgent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptSteered(Event):
    """A prompt that waited was given to the agent in the middle of this turn."""

    turn: int
    prompt_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ShellStarted(Event):
    """The person runs a command of their own in the run's folder."""

    shell: str
    command: str


@dataclass(frozen=True, slots=True)
class ShellEnded(Event):
    """Such a command has ended: with a code, because somebody stopped it, or without having run."""

    shell: str
    output: str
    code: int | None = None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A prompt was sent (`text` is what the person wrote), or the CLI began a turn by itself."""

    turn: int
    text: str = ""
    prompt_id: str = ""
    origin: Origin = "person"
    is_command: bool = False
    """Whether it is for the engine, and no words for the model."""


@dataclass(frozen=True, slots=True)
class PromptSent(Event):
    """What the model was really asked, where that is not what the person wrote."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class InterruptRequested(Event):
    """Somebody wants the turn to stop; it has not stopped yet."""


@dataclass(frozen=True, slots=True)
class CallStopping(Event):
    """Somebody wants one call of a tool, or one subagent, to stop while the turn goes on, and what came of that.

    It is `asked` at first; then `stopped` once that took effect, or `failed` if it could not be done.
    """

    call: str
    state: Literal["asked", "stopped", "failed"]
    reason: str = ""
    """Why it could not."""


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """The turn is over; `usage` is what it has used, to the token."""

    turn: int
    outcome: Outcome
    usage: Usage
    api_ms: int = 0
    steps: int = 0
    """How often the model was asked."""
    is_estimate: bool = False
    """Whether the cost is a guess: the price of the model is not known, or an answer broke off."""
    failure: Failure | None = None
    place: str = ""
    """What the engine knows the end of the turn by in its conversation, if it has told."""
    value: Any = None
    """The answer as a value, where the agent has an output schema."""
    uncounted: Usage = NO_USAGE
    """What of the usage the engine has not counted, nor will: of answers that broke off, partly by their characters."""


@dataclass(frozen=True, slots=True)
class ContinuePlanned(Event):
    """The run goes on by itself at the time `due`: a limit has ended its turn, and resets then.

    `attempt` is more than 1 where it has tried before, and the limit still held.
    """

    due: float
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class ContinueCalledOff(Event):
    """It does not go on by itself after all: the `person` wants something else, or it was `closed`."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class ContinueDue(Event):
    """The time has come: the prompt that follows is the run's own."""


# -- what the model and its tools do -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestStarted(Event):
    """The model is being asked; nothing has come yet."""


@dataclass(frozen=True, slots=True)
class ReplyRestarted(Event):
    """The answer broke off and begins anew: its open blocks are thrown away by the CLI, and marked as partial."""


@dataclass(frozen=True, slots=True)
class BlockStarted(Event):
    """A block of the answer begins; `parent` is the tool call of the subagent whose it is."""

    block: int
    kind: BlockKind
    parent: str = ""
    name: str = ""
    """The tool's name, of a block that will be a tool call."""
    call: str = ""
    """The id of that call, as `ToolCalled` has it."""


@dataclass(frozen=True, slots=True)
class BlockGrew(Event):
    """More of a block: text, thoughts, or the JSON of a tool's arguments."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockEnded(Event):
    """Nothing more comes for the block."""

    block: int


@dataclass(frozen=True, slots=True)
class ToolCalled(Event):
    """The model calls a tool; `block` is the block that its arguments came in, if it was streamed.

    It does not run yet: calls wait for one another, and for a person.
    """

    call: str
    name: str
    arguments: dict[str, Any]
    parent: str = ""
    block: int | None = None


@dataclass(frozen=True, slots=True)
class ToolBegan(Event):
    """The call runs, without a question. One that was asked about runs when that is settled."""

    call: str


@dataclass(frozen=True, slots=True)
class ToolFinished(Event):
    """The tool has answered; `detail` is the CLI's structured account of it (the patch of an edit)."""

    call: str
    output: str
    is_error: bool = False
    detail: Any = None


@dataclass(frozen=True, slots=True)
class TaskProgressed(Event):
    """A subagent or background task has come further; `call` is the tool call that started it."""

    call: str
    state: str
    description: str = ""
    tokens: int = 0
    tool_uses: int = 0


@dataclass(frozen=True, slots=True)
class UsageReported(Event):
    """What one answer of the model has used until now; a later report for the same message replaces it.

    `cost_usd` is an estimate by list price; None where there is none.
    """

    message: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    parent: str = ""
    cost_usd: float | None = None

    @property
    def usage(self) -> Usage:
        """The figures alone."""
        cached = self.cache_read_tokens, self.cache_write_tokens
        return Usage(self.input_tokens, self.output_tokens, *cached, self.cost_usd)


@dataclass(frozen=True, slots=True)
class RetryScheduled(Event):
    """An API call failed and will be repeated after `delay` seconds."""

    attempt: int
    limit: int
    delay: float
    status: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RateLimited(Event):
    """Where the account stands: `allowed`, `allowed_warning` or `rejected`, until `resets_at`."""

    status: str
    resets_at: float | None = None
    window: str = ""
    utilization: float | None = None


@dataclass(frozen=True, slots=True)
class Noticed(Event):
    """Something worth a line: the context was compacted, another model answers, a call was refused."""

    kind: str
    text: str
    parent: str = ""
    scope: str = ""
    """Of a fuse that has ended the run: `run`, `agent_day` or `day`; on that day others have nothing left, either."""


@dataclass(frozen=True, slots=True)
class ListShown(Event):
    """A list that the agent keeps, as it is now, to be shown beside the conversation; of `total`, so many `items`.

    An item has its `text`, whether it `is_done`, and perhaps a `detail`.
    """

    title: str
    items: tuple[dict[str, Any], ...]
    total: int = 0


@dataclass(frozen=True, slots=True)
class JobsScheduled(Event):
    """What the agent is going to do by itself, all of it; a run that has ended has none.

    A job has an `id`, its `prompt`, `when` it comes in words, and `next_at`, the time of its first coming.
    """

    jobs: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class FusesSet(Event):
    """What the run may use before it holds and asks, all of it; told again when somebody has given it more.

    A fuse has its `scope` (`run`, `agent_day` or `day`), its `unit` (`usd`, `tokens`, `turns` or `minutes`), how much
    that is at `most`, how much of it others have used (`others`), and how much it was `extended` by.
    """

    fuses: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Stalled(Event):
    """Nothing has come from the model since the time `since`. Whatever comes next says that this is over."""

    since: float


@dataclass(frozen=True, slots=True)
class StallPutOff(Event):
    """Somebody waits on."""


# -- the folder that it works in ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SnapshotTaken(Event):
    """What is in the run's folder is kept under this id, in the snapshots of the folder `root`.

    That is done at the `start` of the run, before a `turn` and at its `end`, before a `call` that may write, once such
    are `done`. `calls` may have changed something since the run's last snapshot; if there are none, whatever has
    changed was changed by somebody else. `number` is the order of all snapshots of the folder, also those of others.
    """

    snapshot: str
    root: str
    number: int
    when: Literal["start", "turn", "call", "done", "end"]
    turn: int = 0
    calls: tuple[str, ...] = ()
    files: int = 0
    """In how many files its calls have changed something since the start that still stands, and how many lines;
    without what tools make anew, as `__pycache__`."""
    added: int = 0
    deleted: int = 0
    late: tuple[str, ...] = ()
    """Paths that were changed when all of the calls had ended, or may have been; `.` if that may be any."""
    commit: str = ""
    """What git had checked out in `root` just before; told at the `start` and the `end`, if there was a commit."""


@dataclass(frozen=True, slots=True)
class ChangesUntracked(Event):
    """There are no snapshots of the run's folder from here on, and why."""

    reason: str


# -- permissions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PermissionAsked(Event):
    """A tool call waits for a person; `grants` say in words what "for this run" can allow, from little to much.

    `rules` are those that would allow it for good, likewise, `rules_file` is where they would be written, and
    `rules_agent` the agent that they would be for, where that is not the run's own.
    """

    request: str
    call: str
    tool: str
    arguments: dict[str, Any]
    agent: str = ""
    reason: str = ""
    grants: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    rules_file: str = ""
    marks: tuple[dict[str, Any], ...] = ()
    """Parts of its arguments that are to be looked at, and why: see `events/marks.py`."""
    rules_agent: str = ""
    replaces: str = ""
    """What a call changes of what is there: what a Write replaces, how many places an Edit, and what of a cell."""
    patch: tuple[dict[str, Any], ...] = ()
    """What it changes there: hunks as a `structuredPatch` has them."""


@dataclass(frozen=True, slots=True)
class PermissionSettled(Event):
    """The question is answered, or withdrawn by an interrupt. `by_rule` if a grant answered it (`run`), or a standing
    rule that somebody has written meanwhile.

    `by` is the reader who did, by the name of its terminal, where several were looking at the run.
    """

    request: str
    call: str
    decision: Decision
    reason: str = ""
    by_rule: str = ""
    by: str = ""
    arguments: dict[str, Any] | None = None
    """What is called instead, if the person has changed it."""


EVENTS: Mapping[str, type[Event]] = kinds_of(Event)
_END_OF_TIME = 1e12
"""Seconds that no clock tells: what is between two events can be told in milliseconds, and added."""


def is_readable(event: Event) -> bool:
    """Whether those who read a run would take this event: what others have told may stand in it as it came."""
    if isinstance(event, BlockGrew):  # of which there are by far the most
        return type(event.text) is str
    try:
        event_from_json(to_json(event))
    except (TypeError, ValueError):
        return False
    return True


def event_from_json(data: Mapping[str, Any]) -> Event:
    """The event that a JSON object stands for; what begins a run, or goes on with it, in a newer schema is refused."""
    require_schema(data)
    event = from_json(data, EVENTS)
    time_of(event.at)
    return event


def time_of(told: object) -> float:
    """When an event has happened. ValueError if that is no time."""
    if -_END_OF_TIME < (at := number(told)) < _END_OF_TIME:
        return at
    raise ValueError("at is no time")


def require_schema(data: Mapping[str, Any]) -> None:
    """NewerSchemaError for what begins in a newer schema. It is looked at first: the rest may be anything there."""
    if data.get("type") in (RunStarted.type, RunReopened.type):
        schema = data.get("schema")  # a float that is a whole number is read as one, too
        if isinstance(schema, int | float) and schema > SCHEMA:
            run = f"The run {data['run_id']!r}" if isinstance(data.get("run_id"), str) else "The run"
            raise NewerSchemaError(
                f"{run} is written in schema {float(min(schema, 1e99)):g}; {SCHEMA} can be read here."
            )


def grown_from_json(data: Mapping[str, Any]) -> list[BlockGrew]:
    """What a block grows by, where a line tells many pieces of it in lists, each with its milliseconds after `at`.

    ValueError if they are not what they must be, KeyError if something is missing.
    """
    block, times, texts = _pieces(data)
    return [BlockGrew(at, block, text) for at, text in zip(times, texts, strict=True)]


def growth_from_json(data: Mapping[str, Any]) -> Growth:
    """The same as one value."""
    return Growth(*_pieces(data))


def _pieces(data: Mapping[str, Any]) -> tuple[int, list[float], list[str]]:
    """The block, when each piece came, and its text. There may be thousands: they are looked at as a whole."""
    at, block, late, texts = time_of(data["at"]), whole(data["block"]), data["ms"], data["text"]
    if not (type(late) is type(texts) is list and {*map(type, late)} <= {int} and {*map(type, texts)} <= {str}):
        raise ValueError("ms and text are lists of numbers and of texts")
    if len(late) != len(texts):
        raise ValueError("ms and text are not of the same length")
    began = round(at * 1000)  # in whole numbers it takes a fifth, and comes to the same
    if late and not -_END_OF_TIME * 1000 < began + min(late) <= began + max(late) < _END_OF_TIME * 1000:
        raise ValueError("ms has a number that cannot be")
    return block, [(began + ms) / 1000 for ms in late], texts


def whole_block(number: int, kind: BlockKind, text: str, at: float, parent: str = "") -> list[Event]:
    """A block that comes in one piece."""
    return [BlockStarted(at, number, kind, parent), BlockGrew(at, number, text), BlockEnded(at, number)]
