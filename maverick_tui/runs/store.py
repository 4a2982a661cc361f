"""RunStore: the state of a run, as it follows from its events. Plain Python, without a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, cast

from maverick_tui.inert import inert, one_line
from maverick_tui.runs.admission import TURN_COMES, WAITS_FOR_TURN
from maverick_tui.runs.calls import RunCalls
from maverick_tui.runs.entries import (
    PERSONS_OWN,
    EndEntry,
    FailureEntry,
    NoticeEntry,
    PromptEntry,
    StallEntry,
    TextEntry,
    ToolEntry,
    told_by,
)
from maverick_tui.runs.entry_list import ChangeReader, EntryList
from maverick_tui.runs.figures import Figures
from maverick_tui.runs.log import joined
from maverick_tui.runs.moments import moment
from maverick_tui.runs.reader_names import Reader, whose
from maverick_tui.runs.todos import KeptItem, KeptList

if TYPE_CHECKING:  # the first frame is painted before there is any event, and their classes take a while to make
    from maverick_tui.events import kinds as ev
    from maverick_tui.events.background import Job
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.entries import ToolState

Phase = Literal[
    "starting", "queued", "connecting", "ready", "sending", "thinking", "writing", "calling", "tool", "retrying",
    "asking", "interrupting", "waiting", "done", "interrupted", "failed", "disconnected", "ended",
]  # fmt: skip
"""What the run is doing. In each there is exactly one thing that it waits for."""

_SETTLED: dict[ev.Outcome, Phase] = {"done": "done", "interrupted": "interrupted", "failed": "failed"}
GONE = "its process was gone"
"""Why a run has ended that has told no end."""
CUT = "what follows cannot be read"
"""Why what is known of a run ends, where its journal is damaged."""
_OTHER_CONTEXT = ("cleared", "compact_boundary")
"""Notices after which the model is given something else than before."""
_AT_END = ("prompt_dropped", "run_ended")
_BLOCK_PHASES: dict[str, Phase] = {"text": "writing", "thinking": "thinking", "tool": "calling"}


_HEARD = frozenset(
    "run_started turn_started request_started block_started block_ended tool_called tool_began tool_finished"
    " task_progressed usage_reported retry_scheduled permission_settled".split()
)
"""Events by which something is heard of the model or its tools."""


_ENDS_STALL = frozenset(
    "stall_put_off interrupt_requested permission_asked turn_ended connect_failed run_reopened run_ended".split()
)
"""Events after which nobody waits for the model any more."""
_MINUTE = 60


def forked_words(run_id: str, turn: int) -> str:
    """Where a fork comes from; inert, on one line."""
    return f"{one_line(run_id)} {f'after turn {turn}' if turn else 'before its first turn'}"


def fork_words(run_id: str, turn: int) -> str:
    """What a fork is called that was asked nothing yet; empty for a run that is none."""
    return f"fork of {forked_words(run_id, turn)}" if run_id else ""


class RunStore:
    """Applies events one by one; whoever draws asks it what has changed since the last time."""

    def __init__(self, last_number: int = 0) -> None:
        """Its entries are numbered from the one after `last_number` on; a number is never less than 1."""
        self._list = EntryList(last_number)
        self.entries = self._list.items
        self.calls = RunCalls(self._list)
        self.questions, self.running, self.tasks = self.calls.questions, self.calls.running, self.calls.tasks
        self.todos = self.calls.todos
        self.began_at = 0.0
        """When the run began."""
        self.heard_at = 0.0
        """When something came from the model or its tools for the last time."""
        self.turn: ev.TurnStarted | None = None
        """The turn that is running."""
        self.loaded: ev.AgentLoaded | None = None
        self.mode = ""
        self.model = ""
        self._chosen: set[str] = set()
        """Which of them has been told by itself: another load of the agent leaves that as it is."""
        self.queue: dict[str, str] = {}
        """Prompts that wait for their turn, by id."""
        self.urgent: frozenset[str] = frozenset()
        """Prompts that the agent is to have before its turn has ended."""
        self.shells: dict[str, ToolEntry] = {}
        """Commands of the person's own that run."""
        self.held: set[str] = set()
        """Those of them that wait until somebody sends them, by id."""
        self._dropped: dict[str, str] = {}
        """Those that were dropped last: with the end of the run they were never sent, and it still has them."""
        self.name = ""
        """What the person calls the run."""
        self.forked_from = ""
        """The run that it goes on from by itself, and the turn of it after which it does."""
        self.forked_turn = 0
        self.is_inheriting = False
        """Whether what is told is of that run: it is shown, and does not count."""
        self.first_prompt = ""
        """What it was asked first, on one line."""
        self.figures = Figures()
        self.kept: KeptList | None = None
        """A list that the agent keeps, and wants to be seen."""
        self.jobs: tuple[Job, ...] = ()
        """What the agent is going to do by itself."""
        self.fuses: tuple[dict[str, Any], ...] = ()
        """What it may use before it holds and asks."""
        self.snapshot: ev.SnapshotTaken | None = None
        """The last one of its folder, with how much the run has changed."""
        self.untracked = ""
        """Why its changes are not tracked, if they are not."""
        self.stall: StallEntry | None = None
        """The banner of a model that is silent."""
        self.planned: ev.ContinuePlanned | None = None
        """That it goes on by itself, and when."""
        self.phase: Phase = "starting"
        self.phase_since = 0.0
        self.retry: ev.RetryScheduled | None = None
        self.limit: ev.RateLimited | None = None
        self.last_outcome: ev.Outcome | None = None
        self.ended: ev.RunEnded | None = None
        """The end of the run, once it has one."""
        self.reader = Reader()
        """What we are to the run's host, who read it: what others have answered is told."""
        self.looked_at: float | None = None
        """When it stood so, where the run goes on in another process, and nothing of that comes here."""
        self.streaming: TextEntry | ToolEntry | None = None
        """The block of the agent's own answer that grows at the moment."""
        self._blocks: dict[int, TextEntry | ToolEntry] = {}
        self._is_interrupting = False
        self._is_in_line = False
        """Whether it waits until others rest: a machine has room for so many."""
        self._is_ended = False
        self._link: Literal["", "connecting", "open", "lost"] = ""
        self._lost: ev.Failure | None = None
        self._failed: ev.Failure | None = None
        self._characters = 0
        self._banner: FailureEntry | None = None

    def become(self, other: RunStore, renumbered_by: int = 0) -> None:
        """Be the other one from now on, for all who look at this one; who reads changes has to begin anew.

        Its entries are renumbered first, so that those which were here already are known again.
        """
        other.renumber(renumbered_by)
        vars(self).update(vars(other))

    def renumber(self, by: int) -> None:
        """Count entries from another number on."""
        self._list.renumber(by)

    # -- for those who draw -------------------------------------------------------------------------------------------

    def changes(self) -> ChangeReader:
        """What tells one reader which entries look different since it has last asked; there may be many readers."""
        return ChangeReader(self._list)

    @property
    def is_running(self) -> bool:
        """Whether a turn is open."""
        return self.turn is not None

    @property
    def is_ended(self) -> bool:
        """Whether nothing more can come."""
        return self.phase == "ended"

    @property
    def needs_person(self) -> bool:
        """Whether somebody has to decide something."""
        return bool(self.questions)

    @property
    def failure(self) -> ev.Failure | None:
        """Why it cannot go on: the way to the model is lost, or the last turn failed."""
        return self._lost if self._link == "lost" else self._failed

    @property
    def current_failure(self) -> FailureEntry | None:
        """The banner whose keys act."""
        return self._banner

    @property
    def _turn_number(self) -> int:
        return self.turn.turn if self.turn else 0

    # -- applying -----------------------------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Take the next event: by the method that is called like its tag."""
        if self._dropped and event.type not in _AT_END:
            self._dropped = {}
        if event.type == "block_grew":
            self._block_grew(cast("ev.BlockGrew", event))
            return
        if event.type in _HEARD:
            self.heard_at = event.at
        if self.stall is not None and (event.type in _HEARD or event.type in _ENDS_STALL):
            self._end_stall(event.at)
        getattr(self, f"_{event.type}")(event)
        self._set_phase(event.at)

    def _block_grew(self, event: ev.BlockGrew) -> None:
        self.heard_at = event.at
        if self.stall is not None:
            self._end_stall(event.at)
        entry = self._blocks.get(event.block)
        if entry is None:
            return
        if isinstance(entry, TextEntry):
            entry.grow(event.text)
            if not entry.parent:
                self._characters += len(event.text)
        else:
            entry.input_size += len(event.text)
        if not self.is_inheriting:
            self.figures.grew(event.at, len(event.text), is_own=not entry.parent)
        self._list.touch(entry)

    def _set_phase(self, at: float) -> None:
        phase = self._phase()
        if phase != self.phase:
            if not self.is_inheriting:
                self.figures.spent(self.phase, max(0.0, at - self.phase_since))
            self.phase, self.phase_since = phase, at

    def _phase(self) -> Phase:
        if self._is_ended:
            return "ended"
        if self._is_interrupting:
            return "interrupting"
        if self.questions:
            return "asking"  # also between two turns, where a background task may ask
        if self.turn is None:
            return self._idle_phase()
        if self.retry is not None:
            return "retrying"
        if self.streaming is not None:
            return _BLOCK_PHASES[self.streaming.kind]
        return "tool" if self.running else "sending"

    def _idle_phase(self) -> Phase:
        if self._is_in_line:
            return "queued"
        if self.planned is not None:
            return "waiting"
        if self._link == "lost":
            return "disconnected"
        if self._link == "connecting":
            return "connecting"
        if self.last_outcome is not None:
            return _SETTLED[self.last_outcome]
        return "ready" if self._link == "open" else "starting"

    # -- the run ------------------------------------------------------------------------------------------------------

    def _run_started(self, event: ev.RunStarted) -> None:
        self.began_at = self.phase_since = event.at
        self.forked_from, self.forked_turn = event.forked_from, event.forked_turn
        self.is_inheriting = bool(event.forked_from)

    def _run_forked(self, event: ev.RunForked) -> None:
        self._cut_open(event.at, is_last=True)
        self._cut_shells(event.at)
        self._retire_banner()
        self.is_inheriting, self.last_outcome, self._failed, self._is_in_line = False, None, None, False
        self.model, self._chosen = event.model, set()
        self.began_at = self.phase_since = event.at
        self.calls.files.clear()
        self.figures.context_used = None if self.forked_turn else 0
        # Who reads the end of a run alone does not know its beginning.
        where = forked_words(self.forked_from, self.forked_turn) if self.forked_from else "another run"
        is_all = bool(self.forked_from) and not self.forked_turn
        text = f"Forked from {where}." + (
            "" if is_all else " Everything above belongs to that run, and is counted there."
        )
        self.calls.add(NoticeEntry(self._list.number(), event.at, 0, "forked", text, "", 0))

    def _run_reopened(self, event: ev.RunReopened) -> None:
        self._cut_shells(event.at)  # their process was killed, and has told no end
        self._chosen.discard("mode")  # what it comes back with is told with its agent
        self._is_ended, self.ended, self._link, self._lost, self._is_in_line = False, None, "", None, False
        if self._banner is not None and self._banner.failure is not self._failed:
            self._retire_banner()  # what has failed in the last turn can still be tried again

    def _agent_loaded(self, event: ev.AgentLoaded) -> None:
        self.loaded = event
        if "mode" not in self._chosen:
            self.mode = event.permission_mode or self.mode
        if "model" not in self._chosen:
            self.model = event.model or self.model

    def _connecting(self, event: ev.Connecting) -> None:
        self._link = "connecting"
        self.calls.stop_tasks(event.at)  # they were the CLI's, which is gone

    def _connected(self, event: ev.Connected) -> None:
        self._link = "open"
        if self._banner is not None and self._banner.failure is self._lost:
            self._retire_banner()  # there is nothing to connect again
        self.figures.context_size = self.figures.context_size or event.context_size

    def _connect_failed(self, event: ev.ConnectFailed) -> None:
        self._link, self._lost = "lost", event.failure
        self._fail(event.at, self._turn_number, event.failure, 0)

    def _model_named(self, event: ev.ModelNamed) -> None:
        self.model = event.model or self.model
        self._chosen.add("model")
        if event.context_size:
            self.figures.context_size = event.context_size

    def _mode_changed(self, event: ev.ModeChanged) -> None:
        self.mode = event.mode
        self._chosen.add("mode")

    def _run_named(self, event: ev.RunNamed) -> None:
        self.name = one_line(event.name)

    def _run_ended(self, event: ev.RunEnded) -> None:
        self._cut_open(event.at, is_last=True)
        self.turn, self._is_ended, self._is_interrupting, self.retry, self.jobs = None, True, False, None, ()
        self.ended, self.planned = event, None
        self._cut_shells(event.at)
        self.queue.update(self._dropped)
        self.held.update(self.queue)
        self.figures.run_ended(event.at)

    # -- prompts and turns --------------------------------------------------------------------------------------------

    def _prompt_queued(self, event: ev.PromptQueued) -> None:
        self.queue[event.prompt_id] = inert(event.text)

    def _prompt_dropped(self, event: ev.PromptDropped) -> None:
        if (text := self.queue.pop(event.prompt_id, None)) is not None:
            self._dropped[event.prompt_id] = text
        self.held.discard(event.prompt_id)

    def _prompts_held(self, event: ev.PromptsHeld) -> None:
        self.held.update(event.prompt_ids)

    def _queue_changed(self, event: ev.QueueChanged) -> None:
        ordered = {one: self.queue[one] for one in event.prompt_ids if one in self.queue}
        others = {one: text for one, text in self.queue.items() if one not in ordered}
        self.queue.clear()
        self.queue.update(ordered | others)
        self.held.clear()
        self.held.update(event.held)
        self.urgent = frozenset(event.urgent)

    def _prompt_steered(self, event: ev.PromptSteered) -> None:
        self._dropped.pop(event.prompt_id, None)
        entry = PromptEntry(self._list.number(), event.at, event.turn, inert(event.text), "person", event.prompt_id)
        self.calls.add(entry)

    def _shell_started(self, event: ev.ShellStarted) -> None:
        turn = self.turn.turn if self.turn is not None else 0
        entry = ToolEntry(self._list.number(), event.at, turn, PERSONS_OWN, "", 0)
        entry.arguments = {"command": inert(event.command)}
        entry.begin(event.at)
        if (before := self.shells.pop(event.shell, None)) is not None:
            self.calls.end(before, "cut", event.at)
        self.shells[event.shell] = entry
        self.calls.add(entry)

    def _shell_ended(self, event: ev.ShellEnded) -> None:
        if (entry := self.shells.pop(event.shell, None)) is not None:
            entry.output = told_by(event)
            if event.is_cut:
                entry.stop_state = "stopped"
            state: ToolState = "cut" if event.is_cut else "failed" if event.code != 0 else "done"
            self.calls.end(entry, state, event.at)

    def _cut_shells(self, at: float) -> None:
        for entry in self.shells.values():
            self.calls.end(entry, "cut", at)
        self.shells.clear()

    def _prompts_released(self, event: ev.PromptsReleased) -> None:
        self.held.clear()

    def _turn_started(self, event: ev.TurnStarted) -> None:
        self.queue.pop(event.prompt_id, None)
        self.held.discard(event.prompt_id)
        if not self.first_prompt and event.origin == "person" and not self.is_inheriting:
            self.first_prompt = one_line(event.text)
        self._retire_banner()
        self.turn, self._failed, self.last_outcome = event, None, None
        self._is_interrupting, self.retry, self._characters = False, None, 0
        if self._link == "lost":
            self._link = ""
        if not self.is_inheriting:
            self.figures.turn_started(event.at)
        if event.origin != "background" or event.text:
            number, text = self._list.number(), inert(event.text)
            self.calls.add(
                PromptEntry(number, event.at, event.turn, text, event.origin, event.prompt_id, event.is_command)
            )

    def _prompt_sent(self, event: ev.PromptSent) -> None:
        for entry in reversed(self.entries):
            if isinstance(entry, PromptEntry) and entry.turn == event.turn:
                entry.sent = inert(event.text)
                self._list.touch(entry)
                if not entry.text and entry.origin == "person" and not self.is_inheriting:  # the author's own
                    self.first_prompt = self.first_prompt or one_line(event.text)
                return

    def _interrupt_requested(self, event: ev.InterruptRequested) -> None:
        self._is_interrupting = self.turn is not None

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        self.urgent = frozenset()
        began = self.turn.at if self.turn else event.at
        self._cut_open(event.at, is_cut=event.outcome != "done", was_whole=_was_whole(event))
        self.turn, self.last_outcome, self._failed = None, event.outcome, event.failure
        self._is_interrupting, self.retry = False, None
        if not self.is_inheriting:
            self.figures.turn_ended(event)
        if event.failure is not None:
            self._fail(event.at, event.turn, event.failure, self._characters)
        self.calls.add(EndEntry(self._list.number(), event, began, is_inherited=self.is_inheriting))

    def _continue_planned(self, event: ev.ContinuePlanned) -> None:
        self._plan(event)

    def _continue_called_off(self, event: ev.ContinueCalledOff) -> None:
        self._plan(None)

    def _continue_due(self, event: ev.ContinueDue) -> None:
        self._plan(None)

    def _plan(self, planned: ev.ContinuePlanned | None) -> None:
        self.planned = planned
        if self._banner is not None:
            self._banner.due = planned.due if planned is not None else None
            self._list.touch(self._banner)

    def _fail(self, at: float, turn: int, failure: ev.Failure, characters: int) -> None:
        self._retire_banner()
        self._banner = FailureEntry(self._list.number(), at, turn, failure, characters)
        self.calls.add(self._banner)

    def _retire_banner(self) -> None:
        if self._banner is not None:
            self._banner.is_current = False
            self._list.touch(self._banner)
            self._banner = None

    def _cut_open(self, at: float, *, is_cut: bool = True, is_last: bool = False, was_whole: bool = False) -> None:
        """Nothing that is open will go on, but for background tasks: mark it as what it is."""
        for block in list(self._blocks.values()):
            self._close_text(block, at, is_cut=is_cut or isinstance(block, ToolEntry))
        if is_cut and not was_whole:
            self._mark_last_text()
        self.calls.cut_open(at, with_background=is_last)
        if is_last:
            self.calls.stop_tasks(at)
        self._blocks.clear()
        self.streaming = None

    def _mark_last_text(self) -> None:
        """The answer broke off here, also if its last block happened to be complete; one before the last was whole."""
        for entry in reversed(self.entries):
            if isinstance(entry, PromptEntry | EndEntry):
                return
            if isinstance(entry, TextEntry | ToolEntry) and not entry.parent:
                if entry.kind == "text":
                    entry.state = "partial"
                    self._list.touch(entry)
                return

    # -- what the model says ------------------------------------------------------------------------------------------

    def _request_started(self, event: ev.RequestStarted) -> None:
        self.retry = None

    def _reply_restarted(self, event: ev.ReplyRestarted) -> None:
        for block in list(self._blocks.values()):
            self._close_text(block, event.at, is_cut=True)
        self._blocks.clear()
        self.streaming = None

    def _block_started(self, event: ev.BlockStarted) -> None:
        self.retry = None
        turn = self._turn_number
        depth = self.calls.depth(event.parent)
        entry: TextEntry | ToolEntry
        if event.kind == "tool":
            entry = ToolEntry(self._list.number(), event.at, turn, event.name, event.parent, depth)
        else:
            entry = TextEntry(self._list.number(), event.at, turn, event.kind, event.parent, depth)
        if (stale := self._blocks.get(event.block)) is not None:
            self._close_text(stale, event.at, is_cut=True)
        self._blocks[event.block] = entry
        if not event.parent:
            self.streaming = entry
        self.calls.add(entry)

    def _block_ended(self, event: ev.BlockEnded) -> None:
        if (entry := self._blocks.get(event.block)) is not None:
            self._close_text(entry, event.at, is_cut=False)
            if not isinstance(entry, ToolEntry) or entry.call:  # a call that was not made yet may still be
                del self._blocks[event.block]

    def _close_text(self, entry: TextEntry | ToolEntry, at: float, *, is_cut: bool) -> None:
        if entry is self.streaming:
            self.streaming = None
        if isinstance(entry, TextEntry):
            entry.close("partial" if is_cut else "done", at)
            self._list.touch(entry)
        elif is_cut and entry.state == "writing":
            self.calls.end(entry, "cut", at)

    def _usage_reported(self, event: ev.UsageReported) -> None:
        self.figures.reported(event)
        self.calls.reported(event)

    def _retry_scheduled(self, event: ev.RetryScheduled) -> None:
        self.retry = event

    def _rate_limited(self, event: ev.RateLimited) -> None:
        self.limit = event

    def _list_shown(self, event: ev.ListShown) -> None:
        items = tuple(
            KeptItem(
                one_line(str(item.get("text"))), bool(item.get("is_done")), one_line(str(item.get("detail") or ""))
            )
            for item in event.items
        )
        self.kept = KeptList(one_line(event.title), items, event.total)

    def _snapshot_taken(self, event: ev.SnapshotTaken) -> None:
        if not self.is_inheriting:
            self.snapshot, self.untracked = event, ""

    def _changes_untracked(self, event: ev.ChangesUntracked) -> None:
        self.untracked = "" if self.is_inheriting else one_line(event.reason)

    def _fuses_set(self, event: ev.FusesSet) -> None:
        self.fuses = event.fuses

    def _stalled(self, event: ev.Stalled) -> None:
        since = moment(event.since, event.at, form="%H:%M:%S", unknown="a while")
        text = f"Nothing has come from the model since {since}."
        self._end_stall(event.at)
        self.stall = StallEntry(self._list.number(), event.at, self._turn_number, text, event.since)
        self.calls.add(self.stall)

    def _stall_put_off(self, event: ev.StallPutOff) -> None:
        pass

    def _end_stall(self, at: float) -> None:
        """Something has come, or somebody has decided: what is left of the banner is a line."""
        if self.stall is not None:
            whole = max(1, round(at - self.stall.since))
            lasted = f"{whole // 60} min {whole % 60} s".removesuffix(" 0 s") if whole >= _MINUTE else f"{whole} s"
            self.stall.text, self.stall.is_current = f"Nothing came from the model for {lasted}.", False
            self._list.touch(self.stall)
            self.stall = None

    def _jobs_scheduled(self, event: ev.JobsScheduled) -> None:
        from maverick_tui.events.background import job_of

        self.jobs = tuple(job_of(job) for job in event.jobs)

    def _noticed(self, event: ev.Noticed) -> None:
        if event.kind in (WAITS_FOR_TURN, TURN_COMES):
            self._is_in_line = event.kind == WAITS_FOR_TURN
        if event.kind in _OTHER_CONTEXT and not event.parent:
            self.figures.context_used = None
        if event.kind == "cleared":
            self.todos.forget()
            self._retire_banner()  # what it offers would go on with a conversation that is gone
        turn = self._turn_number
        depth = self.calls.depth(event.parent)
        self.calls.add(
            NoticeEntry(self._list.number(), event.at, turn, event.kind, inert(event.text), event.parent, depth)
        )

    # -- calls --------------------------------------------------------------------------------------------------------

    def _tool_called(self, event: ev.ToolCalled) -> None:
        written = self._blocks.get(event.block) if event.block is not None else None
        self.calls.called(event, self._turn_number, written)

    def _tool_began(self, event: ev.ToolBegan) -> None:
        self.calls.began(event)

    def _tool_finished(self, event: ev.ToolFinished) -> None:
        self.calls.finished(event, is_interrupting=self._is_interrupting)

    def _call_stopping(self, event: ev.CallStopping) -> None:
        self.calls.stopping(event)

    def _task_progressed(self, event: ev.TaskProgressed) -> None:
        self.calls.progressed(event)

    def _permission_asked(self, event: ev.PermissionAsked) -> None:
        self.calls.asked(event, self._turn_number)

    def _permission_settled(self, event: ev.PermissionSettled) -> None:
        self.calls.settled(event, whose(event.by, event.at, self.reader))


def _was_whole(event: ev.TurnEnded) -> bool:
    """Whether the turn has failed by something else than its stream: what had been said by then was all of it."""
    return event.failure is not None and event.failure.error != "StreamingError"


def store_of(events: Iterable[Event]) -> RunStore:
    """A run as it stands after these events. What a block has grown by is taken in few steps: it takes a fifth."""
    store = RunStore()
    for _, event in joined(events):
        store.apply(event)
    return store
