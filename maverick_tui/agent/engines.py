"""What an engine is to all others, and which there are, by the name that agents give as their `engine`.

An engine tells what the model and its tools do: blocks, calls, usage, notices, lists, jobs. Prompts, turns, questions
and the run itself are told by the run. So nobody above has to know which engine it is. Every call of a tool goes by the
judge before it runs: see `engine/judging.py`. Light: engines are imported when needed.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from maverick_tui.exceptions import AgentError
from maverick_tui.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from claude_agent_sdk import CanUseTool, Message

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.permissions.judge import Judgement
    from maverick_tui.agent.result import AgentUsage
    from maverick_tui.config import MaverickConfig
    from maverick_tui.events.kinds import Event
    from maverick_tui.executor.model.messages import Image
    from maverick_tui.modes import PermissionMode


@dataclass(frozen=True, slots=True)
class Answered:
    """The end of an answer: what it has used, and how it ended."""

    usage: Usage | None = None
    """None if nothing was asked."""
    steps: int = 0
    """How often the model was asked."""
    api_ms: int = 0
    is_estimate: bool = False
    """Whether the cost is a guess, because the price of the model is not known."""
    uncounted: Usage = NO_USAGE
    """What of the usage the engine itself does not count: of an answer that broke off only the answer tells."""
    is_cut: bool = False
    """Whether somebody ended it on purpose."""
    error: AgentError | None = None
    text: str = ""
    """The answer itself, without what was said on the way to it."""
    output: Any = None
    """The answer as a value, where the agent has an output schema."""
    place: str = ""
    """What the engine knows this place of the conversation by; empty if it knows none."""


@dataclass(frozen=True, slots=True)
class ToolQuestion:
    """A call that a person is to decide about; `subagent` says whose it is, and is empty for the agent itself."""

    tool: str
    arguments: dict[str, Any]
    call: str
    reason: str = ""
    subagent: str = ""
    is_asked_each_time: bool = False
    """Whether nothing that the person has allowed before answers it, as the judge says."""
    causes: frozenset[str] = frozenset()
    """The standing rules that have it ask, and what git would run that is only to look: no standing rule can allow it
    then, nor what was allowed at a question that has not told all of this. Empty if there is neither."""
    known_as: str = ""
    """What rules call the tool, where that is not its name."""
    is_of_other: bool = False
    """Whether it is judged by the rules for another agent than the run's."""
    ruled_as: str = ""
    """The agent whose rules it is judged by, and for which one is written, where that is not the agent itself."""
    look_again: Callable[[], Awaitable[Judgement | None]] | None = None
    """What the judge says of it now, if the standing rules have changed since that was asked for last."""


@dataclass(frozen=True, slots=True)
class Permission:
    """The answer to a `ToolQuestion`: it may run, perhaps with other arguments; or not, which may end the turn."""

    is_granted: bool
    reason: str = ""
    arguments: dict[str, Any] | None = None
    ends_turn: bool = False
    mode: str = ""
    """The permission mode from then on, where the call is to leave planning."""
    is_unasked: bool = False
    """Whether nobody was asked about this very call: something that was allowed before covers it."""


AskPerson: TypeAlias = Callable[[ToolQuestion], Awaitable[Permission]]
Hold: TypeAlias = Callable[[str], Awaitable[str]]
"""Waits until the next call, by its id, or for "" the next request, may be made; empty, or why it may not."""


Begins: TypeAlias = Callable[[str, str, Mapping[str, Any]], Awaitable[None]]
"""Waits until a granted call may run, by its id, its tool and its arguments: what is there before it is kept."""


class Listener(Protocol):
    """Whoever has opened a session: takes what it tells, as it happens, and never blocks."""

    ask: AskPerson | None
    """Asks the person; None if there is none."""

    def now(self) -> float:
        """The time that events are told with."""
        ...

    def next_block(self) -> int:
        """A number that no block has had yet."""
        ...

    def tell(self, event: Event) -> None:
        """Take the next event, of an answer or beside it."""
        ...

    def began(self, prompt: str) -> None:
        """An answer begins that nobody has asked for; `prompt` is what it answers, if that is known."""
        ...

    def ended(self, answered: Answered) -> None:
        """Such an answer has ended."""
        ...


class Conversation(Protocol):
    """What can be done with any conversation, whatever its answers are told in."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        ...

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        ...

    async def clear(self) -> bool:
        """Forget the conversation; False if only another session can."""
        ...

    async def interrupt(self) -> None:
        """Stop the running answer; what it said so far is kept."""
        ...

    async def set_model(self, model: str | None) -> None:
        """Use another model from now on; None for the default."""
        ...

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first."""
        ...


class Session(Conversation, Protocol):
    """One conversation. Prompts are answered one after the other; what comes is told to the listener."""

    @property
    def memory(self) -> object | None:
        """What another session of this engine needs to go on with the conversation; None if none can."""
        ...

    @property
    def may_rest(self) -> bool:
        """Whether it holds something that is worth giving up while nobody asks, and loses nothing by it."""
        ...

    @property
    def works_on(self) -> bool:
        """Whether something of it goes on, or comes by itself, while nothing is being answered."""
        ...

    def ask(self, prompt: str) -> Coroutine[Any, Any, Answered]:
        """Have a prompt answered. Cancelled, it stops the answer and returns what that has used."""
        ...

    def compact(self, wishes: str = "") -> Coroutine[Any, Any, Answered]:
        """Have the conversation summed up, so that it takes less room; `wishes` say what the summary is to be like."""
        ...


class SdkSession(Conversation, Protocol):
    """A conversation in the SDK's messages, as `MaverickAgent.session` promises it to authors."""

    last_usage: AgentUsage | None
    """What the last prompt used, also if it failed."""

    def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a prompt and yield what comes for it; an interrupted answer just ends."""
        ...

    def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Let the conversation be summed up, and yield what comes of it; `wishes` say how."""
        ...


class SpeaksSdk(Protocol):
    """A session that has the SDK's own messages, too: an author's code gets those, and not some made of events."""

    async def ask_natively(self, prompt: str, pass_on: Callable[[Message], None]) -> Answered:
        """As `ask`, and hand each message on as it comes."""
        ...


class Steers(Protocol):
    """A session that takes in what the person says in the middle of an answer."""

    between: Callable[[], str]
    """Asked for that whenever the model is about to read what its calls have returned; nothing is given twice."""
    taken: Callable[[], None]
    """To be called once that is part of the conversation; what was given and not taken follows on the answer."""


class Sees(Protocol):
    """A session whose model can be shown pictures."""

    def show(self, images: Sequence[Image]) -> None:
        """Have the next prompt that is asked show these, whichever way it is asked."""
        ...


class WorksOn(Protocol):
    """A session that may go on by itself when an answer has ended: with subagents, and with what it makes of them."""

    async def settled(self) -> None:
        """Wait until nothing goes on; whoever sends a prompt meanwhile begins anew."""
        ...


class StopsCalls(Protocol):
    """A session that can stop one call of a tool, or one subagent, while its answer goes on."""

    async def stop_call(self, call: str, tool: str) -> str:
        """Have it stopped; why that cannot be, or nothing. That it has stopped is told as any end of a call or task."""
        ...


class Watches(Protocol):
    """A session that may have something wake the model again and again, with whatever that hears."""

    async def stop_watching(self) -> Sequence[str]:
        """Stop all of that: by what it has heard no answer begins any more; what it is called."""
        ...


class Engine(Protocol):
    """A way to the model. One is found by the name that agents give as their `engine`: see `agent/engines.py`."""

    def check(self, agent: MaverickAgent) -> None:
        """Refuse what the engine cannot do, before anything is asked. Light: it runs whenever an agent is made."""
        ...

    def open(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        listener: Listener,
        *,
        resume: object | None = None,
        may_schedule: bool = True,
    ) -> AbstractAsyncContextManager[Session]:
        """A session of this agent, which ends with the context; `resume` is the `memory` of an earlier one.

        Without `may_schedule` nothing comes by itself later, neither new jobs nor those of what is resumed.
        """
        ...

    def recall(self, told: Sequence[Event]) -> object | None:
        """What a session needs to go on with a conversation of which this was told, perhaps in another process; None if
        that cannot be.
        """
        ...

    def hand_over(self, told: Sequence[Event]) -> object | None:
        """The same for a conversation that is not to be had itself, or is another engine's: what was said in it, as far
        as a session can be given that; None if it cannot.
        """
        ...


class SdkEngine(Protocol):
    """An engine whose answers are the SDK's messages; `sdk_messages.InSdkMessages` makes one of any other."""

    def query(
        self, agent: MaverickAgent, settings: MaverickConfig, prompt: str, cwd: Path | str | None
    ) -> AsyncGenerator[Message, None]:
        """Ask once, and yield the messages."""
        ...

    def sdk_session(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        *,
        can_use_tool: CanUseTool | None = None,
        on_background: Callable[[Message], None] | None = None,
        resume: str | None = None,
        may_schedule: bool = True,
    ) -> AbstractAsyncContextManager[SdkSession]:
        """A session in the SDK's own messages, as `MaverickAgent.session` promises it."""
        ...


STOPS_WITHIN = 5.0
"""Seconds in which an answer is interrupted that may not go on."""


def hold_of(listener: Listener) -> Hold | None:
    """What an engine waits for before each call and each request: a run may be held. None if nothing ever holds it."""
    import asyncio

    hold: Hold | None = getattr(listener, "hold", None)
    if hold is None:
        return None

    async def held(call: str) -> str:
        why = await hold(call)
        if why:  # it is being interrupted: whoever went on first would ask the model once more
            await asyncio.sleep(STOPS_WITHIN)
        return why

    return held


def passed_of(listener: Listener) -> Callable[[str], None]:
    """What is told of a call that has a result, although the engine could not wait for `hold` before what follows; or
    "", of any other request for which it could not."""
    passed: Callable[[str], None] = getattr(listener, "passed", lambda _call: None)
    return passed


def begins_of(listener: Listener) -> Begins | None:
    """What an engine waits for as late as it can before a call runs that may write; None if nothing is to be waited
    for. `judging.permit` does so; an engine whose program asks by itself does it where that lets the call run.
    """
    begins: Begins | None = getattr(listener, "begins", None)
    return begins


def returned_of(listener: Listener) -> Callable[[str], None]:
    """What may be told of a call the moment that it writes nothing more, before its `ToolFinished` is."""
    returned: Callable[[str], None] = getattr(listener, "returned", lambda _call: None)
    return returned


def calls_of(listener: Listener) -> set[str]:
    """The ids that calls have had of which the listener was told before, or is told by others: each new one needs
    another, and is put there by its engine.
    """
    calls: set[str] | None = getattr(listener, "calls", None)
    return set() if calls is None else calls


def answers_of(listener: Listener) -> set[str]:
    """The same of answers, whose use is told by them: also a new conversation of the run goes on from there."""
    answers: set[str] | None = getattr(listener, "answers", None)
    return set() if answers is None else answers


ENGINES: dict[str, str | Engine] = {
    "claude-code": "maverick_tui.agent.engine.claude.engine",
    "api": "maverick_tui.agent.engine.api.engine",
}
"""Each engine, or the module that has it as `ENGINE`; somebody else's is put in here."""


def engine_named(name: str) -> Engine:
    """The engine of that name."""
    found = ENGINES[name]
    return cast("Engine", importlib.import_module(found).ENGINE) if isinstance(found, str) else found


async def load_module(name: str) -> Any:
    """Import what takes a while where it does not hold up the event loop."""
    import asyncio

    return sys.modules.get(name) or await asyncio.to_thread(importlib.import_module, name)


def require_prompt(prompt: object) -> None:
    """Refuse what a model would wait for ever with."""
    if not isinstance(prompt, str) or not prompt.strip():
        raise AgentError(f"The prompt is {prompt!r}.", kind="invalid", hint="Say what the agent is to do.")


def said_meanwhile(words: str) -> str:
    """What a person says in the middle of an answer, as the model is told it; nothing if that is nothing."""
    return f"The user says, while you are at work (heed it from here on):\n\n{words}" if words else ""


def cannot_compact() -> AgentError:
    """Why a session refuses to `compact` that has nothing to sum its conversation up with."""
    return AgentError("This agent cannot compact its conversation.", kind="invalid", hint="/clear begins a new one.")
