"""One agent, one prompt, printed as text: on the endpoint that is set up, or on a script."""

from __future__ import annotations

import asyncio
import copy
import signal
import sys
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.context import AgentContext
from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.agent.record import Record
from maverick_tui.agent.streaming import Heard
from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.layout import Paper, terminal_width
from maverick_tui.cli.printer import Printer
from maverick_tui.config import MaverickConfig
from maverick_tui.events.kinds import BlockEnded, BlockStarted, ReplyRestarted, TurnEnded, whole_block
from maverick_tui.exceptions import AgentError
from maverick_tui.folder_locks import remove_abandoned, scratch_folder
from maverick_tui.inert import inert
from maverick_tui.offline.loading import load_script
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.server import OfflineServer
from maverick_tui.paths import too_much
from maverick_tui.runs.loading import branch_of

if TYPE_CHECKING:
    from maverick_tui.agent import AgentMessage
    from maverick_tui.events.kinds import Outcome

MARK = "OFFLINE"


async def print_run(
    agent: MaverickAgent, prompt: str, cwd: Path, paper: Paper, *, answers: TextIO | None = None
) -> AgentError | None:
    """Let the agent work on the prompt, and print what comes; returns the error that ended it, if there was one.

    With `answers` what the agent says last is written there, and nothing else.
    """
    printer = Printer(paper.stream, paper.width, cwd=cwd, keeps_answer=answers is not None)
    printer.prompt(prompt)
    told = _Told(agent, printer)
    config = agent.config or MaverickConfig.load()
    context = AgentContext(
        cwd, await asyncio.to_thread(branch_of, cwd), config, {**agent.input_values, "prompt": prompt}
    )
    try:
        result = await told.agent.execute(context)
    except asyncio.CancelledError:
        with suppress(OSError):  # the terminal may be gone
            _write(printer.take_answer(), answers)
            printer.close()
        raise
    if told.has_said(result.output):
        _write(printer.take_answer(), answers)
    elif answers is not None:  # it made something of its own out of what the model said
        _write(result.output, answers)
    elif result.success and result.output.strip():
        for event in whole_block(told.next_block(), "text", result.output, time.time()):
            printer.take(event)
    if not result.success:
        printer.fail(result.errors[0])
        return result.errors[0]
    printer.finish()
    return None


def _write(answer: str, stream: TextIO | None) -> None:
    if stream is not None and answer.strip():
        stream.write(f"{inert(answer)}\n")
        stream.flush()


class _Told:
    """An agent whose queries are told to the printer while it makes them, each as a turn.

    They are queries and no session: those wait for what the agent has started in the background.
    """

    def __init__(self, agent: MaverickAgent, printer: Printer) -> None:
        self.agent = copy.copy(agent)
        self.next_block = count(1).__next__
        self._printer = printer
        self._heard: list[Heard] = []
        """What the model has said, query by query."""

        async def query(prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[AgentMessage, None]:
            translator, record, heard = Translator(self.next_block), Record(keeps_messages=False), Heard()
            self._heard.append(heard)
            turn = len(self._heard)
            outcome: Outcome = "interrupted"
            open_blocks: list[int] = []

            def end_blocks() -> None:
                """Other queries may go on at the same time: only what is this one's ends with it."""
                while open_blocks:
                    printer.take(BlockEnded(time.time(), open_blocks.pop(0)))

            try:
                async with aclosing(agent.query(prompt, cwd=cwd)) as messages:
                    async for message in messages:
                        record.add(message)
                        for event in translator.feed(message, time.time()):
                            heard.take(event)
                            if isinstance(event, BlockStarted):
                                open_blocks.append(event.block)
                            elif isinstance(event, BlockEnded) and event.block in open_blocks:
                                open_blocks.remove(event.block)
                            elif isinstance(event, ReplyRestarted):
                                if not open_blocks:
                                    continue
                                end_blocks()
                            printer.take(event)
                        yield message
                outcome = "done"
            except AgentError:
                outcome = "failed"
                raise
            finally:
                with suppress(OSError):  # the terminal may be gone; whoever writes next is told
                    end_blocks()
                    printer.take(TurnEnded(time.time(), turn, outcome, record.usage.figures))

        self.agent.query = query  # type: ignore[method-assign]

    def has_said(self, output: str) -> bool:
        """Whether this is what the model has said, word for word, and ends with the answer that the printer keeps."""
        said, kept = _words(output), _words(self._printer.answer)
        each = [" ".join(heard.texts) for heard in self._heard]
        return bool(each) and said in map(_words, (self._printer.answer, " ".join(each), *each)) and said.endswith(kept)


def _words(text: str) -> str:
    return " ".join(text.split())


async def in_good_order(work: Awaitable[int], paper: Paper) -> int:
    """Do the work, which returns the exit code. Told to end by a signal, it ends what was started, and says so."""
    caught: list[int] = []
    task = asyncio.current_task()
    assert task is not None

    def end(number: int) -> None:
        caught.append(number)
        task.cancel()

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup has it ignored
            with suppress(NotImplementedError):  # Windows has no such handlers
                asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        return await work
    except asyncio.CancelledError:
        with suppress(OSError):  # the terminal may be gone
            paper.line()
            paper.line(("Stopped; what it had started has ended.", "dim"))
        if not caught:
            raise  # Ctrl+C, of which asyncio makes a KeyboardInterrupt
        return 128 + caught[0]


def run_text(name: str, prompt: str, script: Path | None) -> int:
    """Run the agent here; returns the exit code. Only the answer goes to standard output."""
    if warning := too_much(Path.cwd()):
        print(f"maverick: {warning}", file=sys.stderr)
    paper = Paper(sys.stderr, terminal_width())
    return asyncio.run(in_good_order(_run(load_agent(name), prompt, script, paper), paper))


async def _run(agent: type[MaverickAgent], prompt: str, script: Path | None, paper: Paper) -> int:
    # Where both are the same terminal, somebody looks on: then the answer is shown while it comes.
    is_watched = sys.stdout.isatty() and sys.stderr.isatty()

    async def run(config: MaverickConfig) -> int:
        answers = None if is_watched else sys.stdout
        error = await print_run(agent(config=config).with_inputs({}), prompt, Path.cwd(), paper, answers=answers)
        return FAILED if error is not None else 0

    if script is None:
        return await run(MaverickConfig.load())
    loaded = load_script(script)
    remove_abandoned()
    with scratch_folder("offline") as home:
        async with OfflineServer(loaded) as server:
            paper.line((f" {MARK} ", "badge", "yellow"), f"  {script}")
            paper.line()
            return await run(MaverickConfig.load(env=offline_environment(server.url, home)))
