"""Questions are judged beside the event loop: git may be asked, and everybody else waits for the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from maverick_tui.agent.engines import Permission, ToolQuestion
from maverick_tui.agent.permissions.always_asked import Call
from maverick_tui.events.kinds import PermissionAsked, PermissionSettled
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.questions import Questions
from tests.agent.permissions.deciding import bash


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.001)


class Judged:
    """What asks each time, held up until it is let go."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.threads: set[int] = set()
        self.going_on = threading.Event()

    def __call__(self, call: Call, _places: Any) -> str:
        self.commands.append(call.command)
        self.threads.add(threading.get_ident())
        self.going_on.wait()
        return ""


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Judged:
    one = Judged()
    monkeypatch.setattr("maverick_tui.runs.grants.why_always_asked", one)
    return one


class Asking:
    """A run that asks."""

    def __init__(self) -> None:
        self.log = EventLog()
        self.questions = Questions(self.log)

    def ask(self, command: str) -> asyncio.Task[Permission]:
        return asyncio.create_task(self.questions.ask(ToolQuestion("Bash", bash(command), command)))

    @property
    def asked(self) -> list[PermissionAsked]:
        return [event for event in self.log.since(0) if isinstance(event, PermissionAsked)]

    @property
    def settled(self) -> list[tuple[str, str, str]]:
        settled = (event for event in self.log.since(0) if isinstance(event, PermissionSettled))
        return [(event.call, event.decision, event.by_rule) for event in settled]

    def has_asked(self, *commands: str) -> Callable[[], bool]:
        return lambda: [event.call for event in self.asked] == [*commands]

    def answer(self, command: str, *, grant: str = "") -> None:
        (event,) = (event for event in self.asked if event.call == command)
        place = event.grants.index(grant) if grant else -1
        self.questions.answer(AnswerPermission(event.request, "run" if grant else "once", grant=place))


async def test_a_question_is_judged_once_beside_the_loop_and_in_the_order_of_asking(judged: Judged) -> None:
    run = Asking()
    first, second = run.ask("make a"), run.ask("make b")
    await until(lambda: bool(judged.commands))
    judged.going_on.set()
    await until(run.has_asked("make a", "make b"))
    assert judged.commands == ["make a", "make b"]
    run.answer("make a", grant="every Bash command")
    assert (await first).is_granted
    assert (await second).is_granted, "it is allowed by what was granted at the other one"
    assert run.settled == [("make a", "run", ""), ("make b", "run", "every Bash command")]
    assert (await run.ask("make c")).is_granted
    assert run.settled[2:] == [("make c", "run", "every Bash command")]
    assert threading.get_ident() not in judged.threads


async def test_what_is_granted_while_another_question_is_judged_answers_it(judged: Judged) -> None:
    run = Asking()
    judged.going_on.set()
    first = run.ask("make a")
    await until(run.has_asked("make a"))
    judged.going_on.clear()
    second = run.ask("make b")
    await until(lambda: "make b" in judged.commands)
    run.answer("make a", grant="every Bash command")
    judged.going_on.set()
    assert await first == Permission(True)
    assert await second == Permission(True, is_unasked=True)
    assert run.settled == [("make a", "run", ""), ("make b", "run", "every Bash command")]


async def test_what_is_judged_while_the_run_begins_to_plan_is_asked_whatever_was_granted(judged: Judged) -> None:
    run = Asking()
    judged.going_on.set()
    first = run.ask("make a")
    await until(run.has_asked("make a"))
    run.answer("make a", grant="every Bash command")
    assert (await first).is_granted
    judged.going_on.clear()
    second = run.ask("make b")
    await until(lambda: "make b" in judged.commands)
    run.questions.is_planning = lambda: True
    judged.going_on.set()
    await until(lambda: second.done() or len(run.asked) == 2)
    assert not second.done()
    assert run.asked[-1].marks, "it says what has it ask, as every question does"
    assert not run.asked[-1].grants, "nothing that could be granted counts now"
    run.answer("make b")
    assert (await second).is_granted
    assert run.settled == [("make a", "run", ""), ("make b", "once", "")]


async def test_what_is_withdrawn_or_refused_while_it_is_judged_is_not_asked_any_more(judged: Judged) -> None:
    run = Asking()
    stopped, withdrawn, cancelled = (run.ask(command) for command in ("make a", "make b", "make c"))
    await until(lambda: bool(judged.commands))
    assert run.questions.refuse("make a", "Not this one.")
    cancelled.cancel()
    await until(cancelled.done)
    assert run.questions.is_waiting
    run.questions.withdraw()
    judged.going_on.set()
    assert "Not this one." in (await stopped).reason
    assert (await withdrawn).ends_turn
    assert run.asked == []
    assert run.settled == [], "nobody has heard of them"
    assert not run.questions.is_waiting


async def test_a_question_that_cannot_be_judged_is_not_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_call: Call, _places: Any) -> str:
        raise OSError("no disk")

    monkeypatch.setattr("maverick_tui.runs.grants.why_always_asked", fail)
    run = Asking()
    with pytest.raises(OSError, match="no disk"):
        await run.ask("make a")
    assert not run.questions.is_waiting
