"""A third engine, all of it in this file. It knows nothing of the SDK, and nothing else knows of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from maverick_tui import AgentError, MaverickAgent, MaverickConfig, load_agent
from maverick_tui.agent.engine.judging import permit
from maverick_tui.agent.engines import ENGINES, Answered, Listener, Session, ToolQuestion, cannot_compact
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.events.kinds import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    Event,
    ModelNamed,
    RequestStarted,
    ToolCalled,
    ToolFinished,
    UsageReported,
)
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.usage import Usage
from tests.support.agents import context
from tests.ui.waiting import until

# -- the engine --------------------------------------------------------------------------------------------------------


class Parrot:
    """A conversation with a bird: it repeats what it hears, word by word."""

    memory, may_rest, works_on = None, False, False

    def __init__(self, listener: Listener, cwd: Path) -> None:
        self._listener = listener
        self._judge = Judge(["Crack"], cwd, person=listener.ask is not None)
        self._over = asyncio.Event()
        self._stop = asyncio.Event()
        self._asked = 0

    @property
    def is_ended(self) -> bool:
        return self._over.is_set()

    async def ended(self) -> AgentError:
        await self._over.wait()
        return AgentError("It has flown away.")

    async def ask(self, prompt: str) -> Answered:
        hear, now = self._listener.tell, self._listener.now
        self._asked += 1
        self._stop.clear()
        hear(RequestStarted(now()))
        hear(ModelNamed(now(), "grey-parrot", context_size=1_000))
        block = self._listener.next_block()
        hear(BlockStarted(now(), block, "text"))
        for word in prompt.split(" "):
            hear(BlockGrew(now(), block, f"{word} "))
            if word == "choke":
                raise AgentError("It has choked.", hint="Give it water.")
            if word == "wait":
                await self._stop.wait()
                return Answered(Usage(3, 1, cost_usd=0.0), steps=1, is_cut=True)
        hear(BlockEnded(now(), block))
        if "nut" in prompt:
            await self._crack(prompt)
        used = Usage(10, len(prompt.split()), cost_usd=0.25)
        hear(UsageReported(now(), f"squawk-{self._asked}", *used.tokens, cost_usd=used.cost_usd))
        return Answered(used, steps=1, text=prompt)

    async def _crack(self, prompt: str) -> None:
        hear, now, call = self._listener.tell, self._listener.now, f"crack-{self._asked}"
        hear(ToolCalled(now(), call, "Crack", {"nut": prompt}))
        permission = await permit(self._judge, ToolQuestion("Crack", {"nut": prompt}, call), self._listener)
        hear(ToolFinished(now(), call, permission.reason or "cracked", is_error=not permission.is_granted))

    async def compact(self, wishes: str = "") -> Answered:
        raise cannot_compact()

    async def clear(self) -> bool:
        return True

    async def interrupt(self) -> None:
        self._stop.set()

    async def set_model(self, model: str | None) -> None:
        raise AgentError("There is one bird only.")

    async def set_permission_mode(self, mode: str) -> None:
        pass


class ParrotEngine:
    """Opens conversations with parrots."""

    def check(self, agent: MaverickAgent) -> None:
        if agent.max_turns is not None:
            raise AgentError("A parrot cannot count turns.")

    @asynccontextmanager
    async def open(
        self,
        agent: MaverickAgent,
        settings: MaverickConfig,
        cwd: Path,
        listener: Listener,
        *,
        resume: object | None = None,
        may_schedule: bool = True,
    ) -> AsyncIterator[Session]:
        yield Parrot(listener, cwd)

    def recall(self, told: Sequence[Event]) -> None:
        """A parrot forgets."""

    def hand_over(self, told: Sequence[Event]) -> None:
        """Nor does it listen."""


# -- what it can do, since runs, screens and authors speak to any engine -----------------------------------------------

FILE = "---\nname: polly\ndescription: Repeats everything.\nengine: parrot\ntools: []\n---\n\nYou are a parrot.\n"


@pytest.fixture(autouse=True)
def parrot() -> Iterator[None]:
    ENGINES["parrot"] = ParrotEngine()
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "polly.md").write_text(FILE)
    yield
    del ENGINES["parrot"]


def drawn(view: Widget) -> str:
    return "\n".join(strip.text for strip in view.render_lines(view.scrollable_content_region.reset_offset))


def shown(app: MaverickApp) -> str:
    is_there = isinstance(app.screen, RunScreen) and app.screen.is_mounted
    return drawn(app.screen.transcript) if is_there and isinstance(app.screen, RunScreen) else ""


async def say(pilot: Pilot[Any], words: str) -> None:
    await pilot.press(*("space" if letter == " " else letter for letter in words), "enter")


async def test_it_is_chosen_asked_permitted_interrupted_fails_and_is_counted_like_the_others() -> None:
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test(size=(100, 40)) as pilot:
        agents = app.screen.query_one(AgentList)
        await until(pilot, lambda: "polly" in drawn(agents), "it is among the agents")
        await say(pilot, "polly")
        await until(pilot, lambda: app.board.runs, "the run")
        (run,) = app.board.runs.values()
        await until(pilot, lambda: run.store.phase == "ready", "it is ready")
        assert run.store.loaded is not None
        assert run.store.loaded.engine == "parrot"

        await say(pilot, "hello bird")
        await until(pilot, lambda: run.store.figures.turns == 1, "an answer")
        await until(pilot, lambda: shown(app).count("hello bird") == 2, "it is on the screen")
        assert run.store.figures.usage == Usage(10, 2, cost_usd=0.25, duration_ms=run.store.figures.usage.duration_ms)
        assert (run.store.model, run.store.figures.context_size) == ("grey-parrot", 1_000)

        run.ask("crack this nut")
        await until(pilot, lambda: run.store.questions, "a question")
        await until(pilot, lambda: "Crack" in shown(app), "the question is on the screen")
        run.answer(next(iter(run.store.questions)), "deny", "no mess")
        await until(pilot, lambda: run.store.figures.turns == 2, "the end of the turn")
        assert "no mess" in next(entry for entry in run.store.entries if entry.kind == "tool").output  # type: ignore[attr-defined]

        run.ask("wait for me")
        await until(pilot, lambda: "wait" in shown(app), "it waits")
        run.interrupt()
        await until(pilot, lambda: run.store.last_outcome == "interrupted", "it has stopped")

        run.ask("please choke now")
        await until(pilot, lambda: run.store.failure is not None, "a failure")
        assert run.store.failure is not None
        assert (run.store.failure.error, run.store.failure.causes) == (
            "StreamingError",
            ("AgentError: It has choked.",),
        )
        await until(pilot, lambda: "It has choked" in shown(app), "the banner")
        app._leaving.end_now(0)
        await until(pilot, lambda: app._exit)


async def test_authors_get_the_sdks_messages_of_it() -> None:
    polly = load_agent("polly")()
    result = await polly.run("crack a nut", context())
    assert result.output.strip() == "crack a nut"
    assert (result.usage.input_tokens, result.usage.output_tokens, result.usage.total_cost_usd) == (10, 3, 0.25)
    failed = await polly.run("choke", context())
    assert (failed.success, failed.output.strip()) == (False, "choke")
    assert type(failed.errors[0].cause).__name__ == "AgentError"


def test_what_its_agents_may_say_is_its_own_to_check() -> None:
    class Counting(load_agent("polly")):  # type: ignore[misc]
        max_turns = 3

    with pytest.raises(AgentError, match="cannot count"):
        Counting()
