"""A run that is printed: what the agent answers goes to standard output, and nothing else does."""

from __future__ import annotations

import asyncio
import io
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from claude_agent_sdk import Message
from claude_agent_sdk._internal.message_parser import parse_message

from maverick_tui import AgentContext, AgentResult, AgentUsage
from maverick_tui.cli.layout import Paper
from maverick_tui.cli.text_run import in_good_order, print_run
from tests.support.agents import Talker
from tests.support.replay import assistant, delta, result, tool_result, tool_use

LONG = "All tests PASS, and the report is long."


class Judging(Talker):
    """Asks, and answers something of its own, if it has that."""

    def __init__(self, own: str = "", prompts: tuple[str, ...] = ("look",)) -> None:
        super().__init__()
        self._own = own
        self._prompts = prompts

    async def query(self, prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[Message, None]:
        found = (assistant(f"I {prompt}."), assistant(tool_use("t1")), tool_result("t1"), assistant(LONG), result())
        for message in map(parse_message, found):
            assert message is not None
            yield message

    async def execute(self, context: AgentContext) -> AgentResult:
        outputs = [(await self.run(prompt, context)).output for prompt in self._prompts]
        return AgentResult.success_result(self._own or outputs[-1], AgentUsage(0, 0, None, 0))


async def printed(agent: Talker, *, is_watched: bool = False) -> tuple[str, str]:
    """What goes to standard output, and to standard error."""
    out, paper = io.StringIO(), Paper(io.StringIO(), 80)
    assert await print_run(agent, "Do it", Path.cwd(), paper, answers=None if is_watched else out) is None
    assert isinstance(paper.stream, io.StringIO)
    return out.getvalue(), paper.stream.getvalue()


@pytest.mark.parametrize("prompts", [("look",), ("look", "look again")])
async def test_what_the_model_says_last_is_the_answer(prompts: tuple[str, ...]) -> None:
    out, way = await printed(Judging(prompts=prompts))
    assert out == f"{LONG}\n"
    assert "I look." in way
    assert way.count(LONG) == len(prompts) - 1


@pytest.mark.parametrize("own", ["PASS", "I look.", "The verdict:\n\nPASS"])
async def test_what_the_agent_makes_of_it_is_the_answer_also_where_the_model_has_said_the_word(own: str) -> None:
    out, way = await printed(Judging(own))
    assert out == f"{own}\n"
    assert LONG in way


async def test_what_the_agent_makes_of_it_is_seen_where_somebody_looks_on() -> None:
    own = "PASS\n\n" + "because everything is as it should be " * 4
    _, seen = await printed(Judging(own), is_watched=True)
    assert LONG in seen
    assert own.split() == seen.partition(LONG)[2].split()[: len(own.split())], "all of it, not only its first line"
    _, seen = await printed(Judging(), is_watched=True)
    assert seen.count(LONG) == 1


class Slow(Talker):
    """Says half a sentence, and then nothing more until it is ended by a signal."""

    async def query(self, prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[Message, None]:
        message = parse_message(delta("Half a sen"))
        assert message is not None
        yield message
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()


class Terminal(io.StringIO):
    """Is gone once something stands in it."""

    def write(self, text: str) -> int:
        if "Half" in self.getvalue():
            raise OSError(5, "Input/output error")
        return super().write(text)


async def ended(paper: Paper, answers: io.StringIO | None) -> int:
    """The exit code of a run that a signal ends."""

    async def work() -> int:
        await print_run(Slow(), "Do it", Path.cwd(), paper, answers=answers)
        return 0

    return await asyncio.create_task(in_good_order(work(), paper))


async def test_told_to_end_it_writes_what_has_come_and_says_that_it_was_ended() -> None:
    out, stream = io.StringIO(), io.StringIO()
    assert await ended(Paper(stream, 80), out) == 128 + signal.SIGTERM
    assert out.getvalue() == "Half a sen\n"
    assert stream.getvalue().endswith("Stopped; what it had started has ended.\n")


async def test_told_to_end_by_a_terminal_that_is_gone_it_ends_all_the_same() -> None:
    stream = Terminal()
    assert await ended(Paper(stream, 80), None) == 128 + signal.SIGTERM
    assert stream.getvalue().endswith("Half a")


class Both(Talker):
    """Asks two things at once, of which the second is answered while the first still is."""

    def __init__(self) -> None:
        super().__init__()
        self._is_second_answered = asyncio.Event()

    async def query(self, prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[Message, None]:
        is_first = prompt == "first"
        for number, text in enumerate([f"{prompt} half, ", f"{prompt} rest."]):
            if is_first and number:
                await self._is_second_answered.wait()
            message = parse_message(delta(text))
            assert message is not None
            yield message
        last = parse_message(result())
        assert last is not None
        yield last
        if not is_first:
            self._is_second_answered.set()

    async def execute(self, context: AgentContext) -> AgentResult:
        await asyncio.gather(*(self.run(prompt, context) for prompt in ("first", "second")))
        return AgentResult.success_result("", AgentUsage(0, 0, None, 0))


async def test_nothing_is_lost_of_what_is_said_at_the_same_time() -> None:
    _, seen = await printed(Both(), is_watched=True)
    assert "first half, first rest." in seen
    assert "second half, second rest." in seen


async def test_a_signal_that_is_ignored_stays_so() -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        async def work() -> int:
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0)
            return 7

        assert await asyncio.create_task(in_good_order(work(), Paper(io.StringIO(), 80))) == 7
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
