"""Any run tells a well-formed stream: refused, tried again, failed, interrupted, cleared, closed or cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from maverick_tui import AgentContext, AgentError, ConfigError, MaverickConfig
from maverick_tui.agent.engines import Answered, Listener, Session, ToolQuestion, cannot_compact
from maverick_tui.events import kinds as ev
from maverick_tui.runs import commands as do
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.past import past_of
from maverick_tui.usage import Usage
from tests.runs.grammar import check_well_formed
from tests.support.agents import Talker
from tests.support.sampling import examples

ANSWERS = ("says", "fails", "breaks", "raises", "asks", "hangs", "begins anew", "dies")
OPENINGS = ("opens", "opens", "fails", "crashes")
STEPS = (
    "prompt", "prompt", "compact", "interrupt", "release", "drop", "clear", "reconnect", "mode", "model", "name",
    "allow", "deny", "lose", "by itself", "own end", "wait", "wait",
)  # fmt: skip
ENDS = ("close", "cancel", "close while busy")


class Moody:
    """A session that does what it is told to, one mood for each prompt."""

    may_rest = True
    works_on = False

    def __init__(self, listener: Listener, moods: Iterator[str]) -> None:
        self.listener = listener
        self.memory = "everything"
        self._moods = moods
        self._calls = 0
        self._stop = asyncio.Event()
        self._loss: asyncio.Future[AgentError] = asyncio.get_running_loop().create_future()
        self.is_by_itself = False

    @property
    def is_ended(self) -> bool:
        return self._loss.done()

    def lose(self) -> None:
        if not self._loss.done():
            self._loss.set_result(AgentError("It is gone."))

    async def ended(self) -> AgentError:
        return await asyncio.shield(self._loss)

    def begin(self, text: str) -> int:
        block, now = self.listener.next_block(), self.listener.now()
        self.listener.tell(ev.BlockStarted(now, block, "text"))
        self.listener.tell(ev.BlockGrew(now, block, text))
        return block

    async def ask(self, prompt: str) -> Answered:
        mood, used = next(self._moods, "says"), Answered(Usage(10, 5, cost_usd=0.01, duration_ms=1), steps=1)
        self._stop.clear()
        self.listener.tell(ev.RequestStarted(self.listener.now()))
        if mood == "fails":
            return Answered(error=AgentError("It has failed."))
        block = self.begin("some words")
        if mood == "breaks":
            raise AgentError("The stream broke.")
        if mood == "raises":
            raise ZeroDivisionError("a mistake of the engine's author")
        if mood == "dies":
            self.lose()
            return Answered(error=AgentError("It has died."))
        if mood == "hangs":
            await self._stop.wait()
            return Answered(used.usage, is_cut=True)
        if mood == "begins anew":
            self.listener.tell(ev.ReplyRestarted(self.listener.now()))
            block = self.begin("other words")
        self.listener.tell(ev.BlockEnded(self.listener.now(), block))
        return await self._call(used) if mood == "asks" else used

    async def _call(self, used: Answered) -> Answered:
        self._calls += 1
        call = f"{id(self)}-{self._calls}"
        self.listener.tell(ev.ToolCalled(self.listener.now(), call, "Bash", {"command": "make"}))
        assert self.listener.ask is not None
        permission = await self.listener.ask(ToolQuestion("Bash", {"command": "make"}, call))
        if permission.ends_turn:
            return Answered(used.usage, is_cut=True)
        self.listener.tell(ev.ToolFinished(self.listener.now(), call, "made", not permission.is_granted))
        return used

    async def compact(self, wishes: str = "") -> Answered:
        raise cannot_compact()

    async def clear(self) -> bool:
        return False

    async def interrupt(self) -> None:
        self._stop.set()

    async def set_model(self, model: str | None) -> None:
        if self.is_ended:
            raise await self.ended()

    async def set_permission_mode(self, mode: str) -> None:
        if self.is_ended:
            raise await self.ended()


class Play:
    """A run that is led through steps by hand."""

    def __init__(self, refusals: int, openings: list[str], moods: list[str]) -> None:
        self.sessions: list[Moody] = []
        self._refusals = refusals
        self._openings = iter(openings)
        self._moods = iter(moods)
        self._prompts = 0
        self._own: Moody | None = None
        self.run = LocalRun(self._prepare, run_id="r1", name="moody")

    async def _prepare(self) -> RunPlan:
        if self._refusals:
            self._refusals -= 1
            raise ConfigError("It may not run.", hint="Try again.")
        play = self

        class Actor(Talker):
            @asynccontextmanager
            async def open_session(
                self, context: AgentContext, listener: Listener, **options: Any
            ) -> AsyncIterator[Session]:
                opening = next(play._openings, "opens")
                if opening != "opens":
                    raise AgentError("Nobody answers.") if opening == "fails" else RuntimeError("a mistake")
                play.sessions.append(session := Moody(listener, play._moods))
                yield session

        return RunPlan(lambda: Actor(config=CONFIG), Path.cwd(), CONFIG)

    @property
    def session(self) -> Moody | None:
        return self.sessions[-1] if self.sessions else None

    def step(self, name: str) -> None:
        found: Callable[[], object] = getattr(self, f"_{name.replace(' ', '_')}", lambda: self._command(name))
        found()

    def _command(self, name: str) -> None:
        settled = {event.request for event in self.run.events.since(0) if isinstance(event, ev.PermissionSettled)}
        asked = [event.request for event in self.run.events.since(0) if isinstance(event, ev.PermissionAsked)]
        request = next((one for one in asked if one not in settled), "nothing")
        made: dict[str, do.Command] = {
            "interrupt": do.Interrupt(),
            "release": do.ReleasePrompts(),
            "drop": do.DropPrompt(f"p{self._prompts}"),
            "clear": do.ClearConversation(),
            "reconnect": do.Reconnect(),
            "mode": do.SetMode("plan"),
            "model": do.SetModel("another"),
            "name": do.NameRun("Cart"),
            "allow": do.AnswerPermission(request, "run"),
            "deny": do.AnswerPermission(request, "deny", "no"),
        }
        if name in made:
            self.run.send(made[name])

    def _prompt(self, *, is_command: bool = False) -> None:
        self._prompts += 1
        self.run.send(do.SendPrompt(f"p{self._prompts}", "/compact" if is_command else "go", is_command))

    def _compact(self) -> None:
        self._prompt(is_command=True)

    def _lose(self) -> None:
        if self.session is not None:
            self.session.lose()

    def _by_itself(self) -> None:
        session = self.session
        is_idle = self.run._turns.current is None and not self.run.events.is_closed
        if session is not None and not session.is_ended and is_idle and self.run._connection.is_open:
            self._own = session
            session.listener.began("a job")
            session.begin("by itself")

    def _own_end(self) -> None:
        own, self._own = self._own, None
        if own is not None and self.run._connection.is_open and own is self.session:
            own.listener.ended(Answered(Usage(1, 1), steps=1))


CONFIG = MaverickConfig()


async def settle(rounds: int = 12) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)


async def play(refusals: int, openings: list[str], moods: list[str], steps: list[str], end: str) -> list[ev.Event]:
    """All that a run tells that is led so."""
    led = Play(refusals, openings, moods)
    task = led.run.start()
    for step in steps:
        if step == "wait":
            # What is loaded in a thread has come, or is told not to.
            await led.run.events.wait(2)
            await settle()
        led.step(step)
        await settle(2)
    if end != "close while busy":
        await settle()
    if end == "cancel":
        task.cancel()
    led.run.send(do.CloseRun())
    async with asyncio.timeout(60):
        await asyncio.wait({task})
    assert led.run.events.is_closed
    return led.run.events.since(0)


@settings(deadline=None, max_examples=examples(60, 1_000))
@given(
    st.integers(0, 2),
    st.lists(st.sampled_from(OPENINGS), max_size=4),
    st.lists(st.sampled_from(ANSWERS), max_size=6),
    st.lists(st.sampled_from(STEPS), max_size=14),
    st.sampled_from(ENDS),
)
@example(1, [], [], ["prompt", "wait", "reconnect", "wait", "wait", "prompt", "wait"], "close")
@example(0, [], ["hangs"], ["prompt", "wait", "prompt", "interrupt", "wait", "release", "wait"], "cancel")
@example(0, ["opens", "fails"], ["dies"], ["wait", "prompt", "wait", "wait", "prompt", "wait"], "close")
@example(0, [], ["asks"], ["wait", "prompt", "wait", "clear", "lose", "wait"], "close while busy")
def test_whatever_happens_the_stream_is_well_formed(
    refusals: int, openings: list[str], moods: list[str], steps: list[str], end: str
) -> None:
    events = asyncio.run(play(refusals, openings, moods, steps, end))
    check_well_formed(events)
    for cut in {1, len(events) // 3, len(events) // 2, len(events) - 1} - {0}:
        check_well_formed(past_of(events[:cut]).events)  # as it is read where its process was gone by then


def test_a_mistake_in_an_engine_is_the_failure_of_the_turn() -> None:
    async def failed() -> ev.TurnEnded:
        led = Play(0, [], ["raises"])
        task = led.run.start()
        led.step("prompt")
        async with asyncio.timeout(60):
            ended = await anext(event async for event in led.run.events.reader() if isinstance(event, ev.TurnEnded))
            led.run.send(do.CloseRun())
            await task
        return ended

    failure = asyncio.run(failed()).failure
    assert failure is not None
    assert failure.error == "ZeroDivisionError"


def test_a_run_that_was_refused_goes_on_where_it_was() -> None:
    steps = ["prompt", "wait", "wait", "reconnect", "wait", "wait", "wait", "wait"]
    kinds = [event.type for event in asyncio.run(play(1, [], ["says"], steps, "close"))]
    assert kinds[:4] == ["run_started", "prompt_queued", "connecting", "connect_failed"]
    assert kinds.count("run_started") == 1
