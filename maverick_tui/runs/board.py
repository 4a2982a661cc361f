"""The runs of this application: each with its state, its way back, and its place among the others."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

from maverick_tui.inert import inert
from maverick_tui.runs.store import RunStore

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event, RunStarted
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.runs.commands import Command
    from maverick_tui.runs.log import EventLog, LogReader

log = logging.getLogger(__name__)

Answer = Literal["once", "run", "deny"]


class RunHandle(Protocol):
    """The way to a run, wherever it lives: commands go in, and what comes of them stands in its log."""

    def send(self, command: Command) -> None:
        """Pass a command on; the answer is events."""


class Rest(NamedTuple):
    """What is said where one would type to a run that nobody serves: it is only read, until it goes on."""

    words: str
    may_go_on: bool = True
    machine: str = ""
    """Where it may still be alive, if that is another machine: it can be tried again."""


class Attachment(NamedTuple):
    """A run is followed that lives in a process of its own; `leave` leaves it there."""

    leave: Callable[[], None]
    heard: Callable[[], Awaitable[None]]
    """Waits until all that was wanted of the run has reached its process."""
    known: int | None = 0
    """How many of its events are past: they had been told when we came. None while nobody has said so."""
    is_guest: bool = False
    """Whether it was there before this application came to it."""
    unsent: Callable[[], Mapping[str, str]] = dict
    """Prompts, by id, and answers in words that have not reached its process."""
    machine: str = ""
    """Where it lives, if that is another machine."""
    is_broken: bool = False
    """Whether the line there is broken, and is tried again."""
    set_hidden: Callable[[bool], None] = lambda _is_hidden: None
    """Tells its process whether it is on nobody's screen here."""
    stops_calls: bool = True
    """Whether its process can stop one call alone; an older one would stop the turn."""
    takes_images: bool = True
    """Whether its process takes pictures with a prompt; an older one would pass over them."""

    def named(self, run_id: str) -> str:
        """The run as commands name it."""
        return f"{self.machine}:{run_id}" if self.machine else run_id


class RunModel:
    """One run as the interface knows it."""

    def __init__(self, run_id: str, agent: str, board: Board) -> None:
        self.run_id = run_id
        self.agent = agent
        self.store = RunStore()
        self.handle: RunHandle | None = None
        self.rest: Rest | None = None
        """Set while it is a kept run that is only read."""
        self.attached: Attachment | None = None
        """Set while it is followed in a process of its own: it goes on without us."""
        self.machine = ""
        """Where it lives or has lived, if that is another machine: no path, and no id, that it tells of is one here."""
        self.is_read_only = False
        """Whether we only look on while it is served: what becomes of it is not ours to say."""
        self.is_hidden = True
        """Whether it is not on the screen. Its process is told, and does not tell each word at once then."""
        self.fuse: Mapping[str, float] = {}
        """What it may use before it holds and asks, if that was said when it was started."""
        self.wants_worktree = False
        """Whether it is to begin in a git worktree of its own."""
        self.has_journal = False
        """Whether it is known to have been kept, whatever its log says once somebody reads that."""
        self.choices: dict[str, Choice] = {}
        """How far its agent's own questions are answered, on whichever screen."""
        self._early: list[Command] = []
        """What was wanted while the run was still being imported."""
        self._asked: set[str] = set()
        """The ids of the prompts that were sent from here."""
        self._board = board
        self._reader: LogReader | None = None
        self._is_catching_up = False
        self._taken = 0
        """The number of the event that was taken last."""

    # -- what a person wants of it; the commands are made here, since the first frame can do without them -----------

    def ask(self, text: str, *, is_command: bool = False, images: Mapping[str, str] | None = None) -> None:
        """Send a prompt with its pictures, or a command of the engine's; while a turn is running it waits."""
        from maverick_tui.runs import commands

        prompt = commands.SendPrompt(uuid.uuid4().hex, text, is_command, dict(images or {}))
        self._asked.add(prompt.prompt_id)
        if self.handle is None:  # it waits from now on, though the run tells so only once it is there
            self.store.queue[prompt.prompt_id] = inert(text)
        self._send(prompt)

    def take_back(self, prompt_id: str) -> None:
        """Drop a prompt that waits."""
        from maverick_tui.runs import commands

        if self.handle is None:
            self.store.queue.pop(prompt_id, None)
        self._send(commands.DropPrompt(prompt_id))

    def edit_prompt(self, prompt_id: str, text: str) -> None:
        """Let a prompt that waits say something else."""
        from maverick_tui.runs import commands

        if self.handle is None and prompt_id in self.store.queue:
            self.store.queue[prompt_id] = inert(text)
        self._send(commands.EditPrompt(prompt_id, text))

    def move_prompt(self, prompt_id: str, by: int) -> None:
        """Let a prompt that waits change places with the one before it, or after it."""
        from maverick_tui.runs import commands

        self._send(commands.MovePrompt(prompt_id, by))

    def steer(self, prompt_id: str) -> None:
        """Send a prompt that waits now, into the running turn where that can be."""
        from maverick_tui.runs import commands

        self._send(commands.SteerPrompt(prompt_id))

    def run_shell(self, command: str) -> None:
        """Run a command of the person's own in its folder."""
        from maverick_tui.runs import commands

        self._send(commands.RunShell(uuid.uuid4().hex, command))

    @property
    def title(self) -> str:
        """What it is called: by its own name, or else by its agent's."""
        return self.store.name or self.agent

    def interrupt(self) -> None:
        """Stop the running turn; what waits is held."""
        from maverick_tui.runs import commands

        self._send(commands.Interrupt())

    def stop_call(self, call: str) -> None:
        """Stop one call of a tool, or one subagent; the turn goes on."""
        from maverick_tui.runs import commands

        self._send(commands.Interrupt(call))

    def release(self) -> None:
        """Send what an interrupt has held."""
        from maverick_tui.runs import commands

        self._send(commands.ReleasePrompts())

    def plan_continue(self) -> None:
        """Let it go on by itself when the limit resets that has stopped it."""
        from maverick_tui.runs import commands

        self._send(commands.PlanContinue())

    def wait_on(self) -> None:
        """Let its model be silent for longer."""
        from maverick_tui.runs import commands

        self._send(commands.WaitOn())

    def call_off_continue(self) -> None:
        """Let it not go on by itself."""
        from maverick_tui.runs import commands

        self._send(commands.CallOffContinue())

    def answer(
        self,
        request: str,
        decision: Answer,
        reason: str = "",
        answers: dict[str, str] | None = None,
        grant: int = 0,
    ) -> None:
        """Answer a question; `grant` is the one of those offered that is to hold for the run."""
        from maverick_tui.runs import commands

        self._send(commands.AnswerPermission(request, decision, reason, answers, grant))

    def allow_always(self, request: str, rule: str, *, is_for_agent: bool) -> None:
        """Allow the call, and by a standing rule all that are like it."""
        from maverick_tui.runs import commands

        self._send(commands.AnswerPermission(request, "once", rule=rule, is_for_agent=is_for_agent))

    def allow_edited(self, request: str, arguments: dict[str, Any]) -> None:
        """Allow the call with other arguments."""
        from maverick_tui.runs import commands

        self._send(commands.AnswerPermission(request, "once", arguments=arguments))

    def set_mode(self, mode: str) -> None:
        """Change the permission mode."""
        from maverick_tui.runs import commands

        self._send(commands.SetMode(mode))

    def set_model(self, model: str) -> None:
        """Let another model answer."""
        from maverick_tui.runs import commands

        self._send(commands.SetModel(model))

    def name(self, words: str) -> None:
        """Call it by a name."""
        from maverick_tui.runs import commands

        self._send(commands.NameRun(words))

    def clear(self) -> None:
        """Begin a new conversation."""
        from maverick_tui.runs import commands

        self._send(commands.ClearConversation())

    def reconnect(self) -> None:
        """Open the way to the model again."""
        from maverick_tui.runs import commands

        self._send(commands.Reconnect())

    def close(self, *, if_unused: bool = False) -> None:
        """End the run; perhaps only if it has nothing to do and nobody else reads it."""
        from maverick_tui.runs import commands

        self._send(commands.CloseRun(if_unused))

    def _send(self, command: Command) -> None:
        if self.handle is not None:
            self.handle.send(command)
            self._catch_up()  # that it was heard shows at once
        else:
            self._early.append(command)

    @property
    def undelivered(self) -> dict[str, str]:
        """The prompts that wait for the run to be there, by id, as they are to be sent; no other process has them."""
        from maverick_tui.runs.commands import words_in

        if self.rest is None and self.attached is None and self._is_not_begun_here:
            return {one: text for one, text in self.store.queue.items() if one in self._asked}
        return words_in(command for command in self._early if not getattr(command, "is_command", False))

    @property
    def on_its_way(self) -> dict[str, str]:
        """The prompts that were sent and have not reached the run, whatever that has told in its past."""
        sent = self.attached.unsent() if self.attached is not None else {}
        return {**sent, **self.undelivered}

    def connect(self, handle: RunHandle) -> None:
        """The run is there; what was wanted before goes first."""
        self.handle, self.rest = handle, None
        early, self._early = self._early, []
        for command in early:
            handle.send(command)

    def lay_down(self, handle: RunHandle, rest: Rest) -> list[Command]:
        """It is kept, and only read from now on: what is wanted of it goes to what can bring it back.

        Returns what was wanted while it was to go on, and nothing came of.
        """
        self._reader, self.has_journal = None, True
        return self.stop(handle, rest)

    def stop(self, handle: RunHandle, rest: Rest) -> list[Command]:
        """It is not followed any more; what it has told stays. Returns what was wanted, and nothing came of."""
        from maverick_tui.runs.commands import DropPrompt, EditPrompt, SendPrompt

        self.handle, self.rest = handle, rest
        early, self._early = self._early, []
        for command in early:  # one that was only moved waits where it did
            if isinstance(command, SendPrompt | EditPrompt | DropPrompt):
                self.store.queue.pop(command.prompt_id, None)
        return early

    def come_back(self, wanted: Sequence[Command]) -> None:
        """It is about to go on with this; what else is wanted of it waits until it is served."""
        from maverick_tui.runs import commands

        self.handle = self.rest = None
        self.is_read_only = False
        for command in wanted:
            if isinstance(command, commands.SendPrompt):
                self.store.queue[command.prompt_id] = inert(command.text)
            self._send(command)

    def begin_anew(self) -> None:
        """It is about to be followed from its first event on."""
        self.handle = self.rest = self._reader = None
        self.store.become(RunStore(), 0)

    async def follow(self, events: EventLog, since: int = 0) -> None:
        """Take every event of the run to its last one, from the first one on that its store does not know."""
        self._reader = events.reader(since)
        while await events.wait(self._reader.number):
            self._catch_up()

    def _catch_up(self) -> None:
        """Take what has come, in its order: what is told because of an event waits for those before it."""
        if self._reader is None or self._is_catching_up:
            return
        self._is_catching_up = True
        try:
            while events := self._reader.take_joined():
                for number, event in events:
                    self._taken = number
                    self._take(event)
        finally:
            self._is_catching_up = False

    def _take(self, event: Event) -> None:
        if not self.agent and event.type == "run_started":
            self.agent = cast("RunStarted", event).agent
        try:
            self._board.receive(self, event)
        except Exception:  # what cannot be shown must not end the run, nor hide what follows
            log.exception("%s could not be taken", type(event).__name__)

    @property
    def tells_past(self) -> bool:
        """Whether what it tells now had happened before we came to it. Clocks of two machines would not say so."""
        return self.attached is not None and (self.attached.known is None or self._taken < self.attached.known)

    @property
    def is_busy(self) -> bool:
        """Whether something would be cut short: what its agent is about, or a command of the person's own."""
        return self.is_agent_busy or (self.is_ours and bool(self.store.shells))

    @property
    def is_agent_busy(self) -> bool:
        """Whether a turn, a background task or a question would be, or what is to come by itself."""
        store = self.store
        if not self.is_ours:
            return False
        tasks = any(task.is_task_alive for task in store.tasks.values())
        # In a process of its own it sends what waits, whether or not anybody looks.
        sends = self.attached is not None and bool(store.queue.keys() - store.held)
        return bool(store.is_running or tasks or store.questions or store.jobs or store.planned or sends)

    @property
    def is_only_watched(self) -> bool:
        """Whether it is served, and we only look on."""
        return self.is_served and self.is_read_only

    @property
    def is_ours(self) -> bool:
        """Whether it is served, here or in a process of its own, and we may say what becomes of it."""
        return self.is_served and not self.is_read_only

    @property
    def told(self) -> list[Event]:
        """All that it has told, if it is served; of one that is only read, the journal has it."""
        return self._reader.told if self._reader is not None else []

    @property
    def is_served(self) -> bool:
        """Whether more may come of it by itself."""
        return self.rest is None and not self.store.is_ended

    @property
    def is_kept(self) -> bool:
        """Whether it can be read here after its end; until its process says so, whether it could be before."""
        return self.is_kept_somewhere and not self.machine

    @property
    def is_kept_somewhere(self) -> bool:
        """The same, also of one that is kept on another machine."""
        said = self._reader.is_kept if self._reader is not None else None
        return self.has_journal if said is None else said

    @property
    def _is_not_begun_here(self) -> bool:
        """Whether it is told, and what it tells is on no disk yet, or is that of a run which could never go on."""
        return self._reader is not None and (self._reader.is_kept is None or self.store.loaded is None)

    @property
    def could_not_begin(self) -> bool:
        """Whether it has told why its agent cannot be loaded: it is not one to come back to."""
        return self.store.loaded is None and bool(self.store.entries)

    @property
    def is_unread(self) -> bool:
        """Whether it has a journal, of which nothing is known here yet."""
        return self.has_journal and self.store.loaded is None and not self.store.is_ended

    def set_hidden(self, is_hidden: bool) -> None:
        """It leaves the screen, or comes onto it."""
        self.is_hidden = is_hidden
        if self.attached is not None:
            self.attached.set_hidden(is_hidden)

    @property
    def others_at_work(self) -> list[RunModel]:
        """Other runs that are doing something."""
        return [run for run in self._board.runs.values() if run is not self and run.is_ours and run.store.is_running]

    def interrupt_all(self) -> list[RunModel]:
        """Stop what this run and all others are doing; those that were told so."""
        return self._board.interrupt_all()

    def move_to(self, board: Board) -> None:
        """Be one of another board's runs from now on."""
        self._board = board
        board.add(self)

    def board_position(self) -> tuple[int, int, int]:
        """Which run this is, of how many, and how many others wait for the person."""
        return self._board.position(self)


class Board:
    """All runs, in the order in which they were started."""

    def __init__(self, on_event: Callable[[RunModel, Event], None]) -> None:
        self.runs: dict[str, RunModel] = {}
        self._on_event = on_event
        self._shown: RunModel | None = None
        self.asking_elsewhere: Set[str] = frozenset()
        """The runs of other processes that waited for the person at the last look; some may be ours by now."""

    def show(self, run: RunModel | None) -> None:
        """This run is on the screen from now on, and no other one."""
        if self._shown is not None and self._shown is not run:
            self._shown.set_hidden(True)
        self._shown = run
        if run is not None:
            run.set_hidden(False)

    def add(self, run: RunModel) -> None:
        """Take a run in."""
        self.runs[run.run_id] = run

    def remove(self, run: RunModel) -> RunModel | None:
        """Take a run out; the one that was beside it, if there is any."""
        beside = self.beside(run, 1)
        del self.runs[run.run_id]
        if self._shown is run:
            self._shown = None
        return beside if beside is not run else None

    def receive(self, run: RunModel, event: Event) -> None:
        """The next event of a run."""
        run.store.apply(event)
        self._on_event(run, event)

    def position(self, run: RunModel) -> tuple[int, int, int]:
        """Which run this is, of how many that are served, and how many others wait for the person.

        One that is only read, or replayed, is none of them: it stands for itself.
        """
        alive = [one for one in self.runs.values() if one.is_served]
        waiting = sum(one.store.needs_person for one in alive if one is not run)
        waiting += len(self.asking_elsewhere - self.runs.keys())
        return (alive.index(run) + 1, len(alive), waiting) if run in alive else (1, 1, waiting)

    def beside(self, run: RunModel, direction: int) -> RunModel:
        """The run after this one, or before it, going round."""
        runs = list(self.runs.values())
        return runs[(runs.index(run) + direction) % len(runs)]

    @property
    def at_work(self) -> list[RunModel]:
        """Runs that would lose something: what goes on in them or is to come, a question, or a prompt that waits."""
        return [run for run in self.runs.values() if run.is_ours and (run.is_busy or run.store.queue)]

    def interrupt_all(self) -> list[RunModel]:
        """Stop what all runs are doing; those that were told so. Each tells by its own events when it took effect."""
        told = [run for run in self.runs.values() if run.is_ours and run.store.is_running]
        for run in told:
            run.interrupt()
        return told
