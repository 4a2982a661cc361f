"""Turns: which turn is open, what comes in it, and what it has used. Exactly one end for each beginning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count

from maverick_tui.agent.engines import Answered, AskPerson, Begins, Hold
from maverick_tui.events.background import BY_ITSELF, ENDED_TASKS
from maverick_tui.events.kinds import (
    COMPACTING,
    LONGEST_NOTICE,
    AgentLoaded,
    BlockEnded,
    BlockGrew,
    BlockStarted,
    Event,
    Failure,
    JobsScheduled,
    ModeChanged,
    ModelNamed,
    Noticed,
    Origin,
    Outcome,
    RateLimited,
    TaskProgressed,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    Usage,
)
from maverick_tui.exceptions import AgentError
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning
from maverick_tui.modes import narrower
from maverick_tui.reset_times import reset_time
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import Past
from maverick_tui.runs.shown_pictures import ShownPictures
from maverick_tui.runs.unreported import Unreported

_KEPT = frozenset(
    kind.type
    for kind in (AgentLoaded, JobsScheduled, ModeChanged, ModelNamed, RateLimited, TaskProgressed, ToolFinished)
)
"""What the run has to know itself of all that is told."""
TASKS_STOPPED = "What ran in the background was stopped"
_OF_BLOCKS = frozenset(kind.type for kind in (BlockStarted, BlockGrew, BlockEnded))


class OpenTurn:
    """A turn that has not ended yet; `idle` is set while nothing is being answered in it."""

    def __init__(self, number: int, text: str, origin: Origin, began: float) -> None:
        self.number = number
        self.text = text
        self.origin: Origin = origin
        self.began = began
        self.prompt_id = ""
        self.is_command = False
        """Whether it is a command of the engine's, and not words for the model."""
        self.is_asked = False
        self.is_sent = False
        """Whether the engine was given the prompt."""
        self.is_cut = False
        """Whether somebody ended it on purpose."""
        self.is_past_fuse = False
        """Whether a fuse has stopped it: the prompt that asks about that waits already, whatever this ends with."""
        self.error: BaseException | None = None
        self.answered: Answered | None = None
        self.beside: list[Answered] = []
        """What the engine has answered by itself before it came to this turn."""
        self.before = ""
        """What the agent is told before the prompt: what the person has done meanwhile."""
        self.idle = asyncio.Event()
        self.idle.set()


class Turns:
    """The turns of one run: at most one is open. It is the listener of the run's sessions.

    `on_change` is called when a turn has begun or ended; `remark` is asked what to say to a prompt before its answer.
    """

    def __init__(
        self, log: EventLog, ask: AskPerson | None, on_change: Callable[[], None], past: Past | None = None
    ) -> None:
        self.ask = ask
        self.hold: Hold | None = None
        """Waited for before each call and each request; see `runs/fuses.py`."""
        self.passed: Callable[[str], None] = lambda _call: None
        """Told of each call that has a result, and that nothing waited for; "" where that is a request."""
        self.begins: Begins | None = None
        """Waited for before each call that may write; see `runs/tracking.py`."""
        self.returned: Callable[[str], None] = lambda _call: None
        """Told of each call that has run, where the engine knows before its result is told."""
        self.now = log.now
        self.next_block = count(past.blocks + 1 if past is not None else 1).__next__
        self.calls = past.calls if past is not None else set[str]()
        """The ids of all calls of the run; see `calls_of` of `engines.py`."""
        self.answers = past.answers if past is not None else set[str]()
        """Those of its answers, likewise."""
        self.current: OpenTurn | None = None
        self.pictures = ShownPictures()
        self.overhears: Callable[[Event], None] | None = None
        """Takes the events of an answer as they are told, for an author's code that has asked for it."""
        self.remark: Callable[[TurnStarted], str] = lambda _turn: ""
        self.on_end: Callable[[OpenTurn, Failure | None], None] = lambda _turn, _failure: None
        """Takes each turn that has ended, and what it has failed with."""
        self.mode = past.mode if past is not None else ""
        """The permission mode of the moment: it was set, or the engine has left planning."""
        self._is_mode_chosen = False
        """Whether it was set since the run has begun, or was gone on with: another load of the agent leaves it then."""
        self._before_plan = "default" if past is not None else ""
        """The mode in which a turn has ended last, or a narrower one that was chosen since: on the way to plan, others
        are only passed by. A run that comes back is given no more than it had."""
        self.has_jobs = False
        self.tasks: dict[str, str] = {}
        """What the subagents and background tasks that go on are about, by their calls."""
        self._behind: set[str] = set()
        """Those of them that the agent does not wait for: their calls have a result already."""
        self._own_blocks: dict[int, OpenTurn | None] = {}
        """In which turn each block of the agent itself has begun."""
        self._unreported = Unreported()
        self._log = log
        self._on_change = on_change
        self._count = past.turns if past is not None else 0
        self._rejected_until: float | None = None
        """When the rate limit that refuses us ends, if one does."""
        self._conversation = ""
        self._next_model = ""
        """The model that was chosen while another one was answering."""

    # -- what sessions tell -------------------------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        """Let an event out; what is known of the run by it is kept."""
        if event.type in _KEPT:
            self._keep(event)
        if isinstance(event, Noticed) and event.kind == "compacting" and self.current and self.current.is_command:
            return  # it was told when somebody wanted it
        if event.type in _OF_BLOCKS and not self._is_in_turn(event):
            return
        self._log.emit(event)
        self._unreported.take(event)
        if self.overhears is not None:
            self.overhears(event)

    def _is_in_turn(self, event: Event) -> bool:
        """Whether a block, or more of one, belongs to the open turn; the rest of what was given up belongs to none."""
        if isinstance(event, BlockStarted):
            if event.parent:
                return True  # a subagent may outlast the turn
            if self.current is None:
                self.began("")
            self._own_blocks[event.block] = self.current
            return True
        assert isinstance(event, BlockGrew | BlockEnded)
        find = self._own_blocks.pop if isinstance(event, BlockEnded) else self._own_blocks.get
        return find(event.block, self.current) is self.current

    def _keep(self, event: Event) -> None:
        if isinstance(event, ModeChanged):
            self.mode, self._is_mode_chosen = event.mode, True
            if event.mode in ("default", "dontAsk"):
                self._before_plan = "default"
        elif isinstance(event, AgentLoaded):
            loaded = event.permission_mode
            self._before_plan = narrower(self._before_plan or loaded, loaded or self._before_plan)
            if not self._is_mode_chosen:
                self.mode = loaded or self.mode
        elif isinstance(event, RateLimited):
            self._rejected_until = event.resets_at if event.status == "rejected" else None
        elif isinstance(event, JobsScheduled):
            self.has_jobs = bool(event.jobs)
        elif isinstance(event, TaskProgressed):
            about = self.tasks.pop(event.call, "")
            if event.state in ENDED_TASKS:
                self._behind.discard(event.call)
            else:
                self.tasks[event.call] = about or event.description
        elif isinstance(event, ToolFinished) and event.call in self.tasks:
            self._behind.add(event.call)
        elif isinstance(event, ModelNamed):
            self._conversation = event.session_id

    def mode_after_plan(self) -> str:
        """The permission mode in which a plan is carried out that is agreed to now."""
        modes = (self.mode, self._before_plan, "default")
        return next(mode for mode in modes if mode not in ("", "plan"))

    def began(self, prompt: str) -> None:
        """The engine answers what nobody has asked: in a turn of its own, unless one is open already."""
        if self.current is None:
            self.begin(prompt, origin="background").idle.clear()
        elif prompt:
            self._log.emit(Noticed(self.now(), "job", beginning(f"{BY_ITSELF}: {prompt}", LONGEST_NOTICE)))

    def ended(self, answered: Answered) -> None:
        """Such an answer has ended."""
        turn = self.current or self.begin(origin="background")
        if turn.origin != "background":
            turn.beside.append(answered)
            return
        turn.answered, turn.is_cut, turn.error = answered, answered.is_cut, answered.error
        self.end(turn)

    # -- turns --------------------------------------------------------------------------------------------------------

    def begin(
        self, text: str = "", prompt_id: str = "", origin: Origin = "person", *, is_command: bool = False
    ) -> OpenTurn:
        """Open the next turn."""
        self._count += 1
        at = self.now()
        turn = self.current = OpenTurn(self._count, text, origin, at)
        turn.is_command, turn.prompt_id = is_command, prompt_id
        self._unreported.begin_turn()
        started = TurnStarted(at, turn.number, text, prompt_id, origin, is_command)
        self._log.emit(started)
        if is_command:
            self._log.emit(Noticed(at, "compacting", COMPACTING))
        elif note := self.remark(started):
            self._log.emit(Noticed(at, "demo", note))
        self._on_change()
        return turn

    def change_model(self, model: str, doubt: str = "") -> None:
        """Tell that another model answers: at once, or when what is being answered has ended or that model speaks.

        `doubt` is what is to be known of it.
        """
        if self.current is None:
            self._log.emit(ModelNamed(self.now(), model, self._conversation))
            text = f"{model} answers from here on."
        else:
            self._next_model = model
            text = f"{model} takes over, at the latest with the next prompt."
        self._log.emit(Noticed(self.now(), "model", beginning(f"{text} {doubt}".strip(), LONGEST_NOTICE)))

    def end_jobs(self) -> bool:
        """The session is gone, and its jobs with it; whether there were any."""
        had_jobs = self.has_jobs
        if had_jobs:
            self.tell(JobsScheduled(self.now()))
        return had_jobs

    def end_tasks(self) -> None:
        """The session is gone, and with it what went on in the background."""
        if stopped := [one_line(about or call) for call, about in self.tasks.items() if call in self._behind]:
            text = f"{TASKS_STOPPED}: {', '.join(stopped)}"
            self._log.emit(Noticed(self.now(), "tasks", beginning(text, LONGEST_NOTICE)))
        self.tasks.clear()
        self._behind.clear()

    def end_background(self, error: AgentError | None = None) -> None:
        """End an open turn of the engine's own, since its session is gone: by an error, or because we have ended it."""
        turn = self.current
        if turn is not None and turn.origin == "background":
            turn.error, turn.is_cut = error, error is None
            self.end(turn)

    def end(self, turn: OpenTurn) -> None:
        """Close the turn, if it is the open one."""
        if turn is not self.current:
            return
        self.current = None
        turn.idle.set()
        self._before_plan = self._before_plan if self.mode in ("", "plan") else self.mode
        outcome: Outcome = "interrupted" if turn.is_cut else "failed" if turn.error is not None else "done"
        failure: Failure | None = None
        if outcome == "failed" and turn.error is not None:
            failure = failure_of(turn.error, retry_at=reset_time(self._rejected_until, self.now()))
        answered, billed = turn.answered or Answered(), self._usage(turn)
        reports, guess = self._unreported.end_turn(outcome, billed)
        for report in reports:
            self._log.emit(replace(report, at=self.now()))
        usage = billed + guess
        self._log.emit(
            TurnEnded(
                self.now(),
                turn.number,
                outcome,
                usage,
                api_ms=answered.api_ms,
                steps=answered.steps + sum(other.steps for other in turn.beside),
                is_estimate=guess != Usage() or usage.cost_usd is None or answered.is_estimate,
                failure=failure,
                place=answered.place,
                value=answered.output,
                uncounted=sum((one.uncounted for one in (answered, *turn.beside)), guess),
            )
        )
        self.on_end(turn, failure)
        if self._next_model:
            model, self._next_model = self._next_model, ""
            self.change_model(model)
        self._on_change()

    def _usage(self, turn: OpenTurn) -> Usage:
        """What the turn has used, in its own time, as whoever looks has seen it go by.

        An engine counts from when it is asked, and a fuse may have held the prompt before that.
        """
        used = (turn.answered.usage if turn.answered is not None else None) or Usage()
        usage = replace(used, duration_ms=max(used.duration_ms, round((self.now() - turn.began) * 1000)))
        for other in turn.beside:
            usage += replace(other.usage or Usage(), duration_ms=0)
        return usage
