"""One agent, one prompt, printed as text: on the endpoint that is set up, or on a script."""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.context import AgentContext
from maverick_tui.agent.text import TextAssembler
from maverick_tui.cli.layout import Paper, terminal_width
from maverick_tui.cli.printer import Printer
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import AgentError
from maverick_tui.folder_locks import remove_abandoned, scratch_folder
from maverick_tui.inert import inert
from maverick_tui.offline.loading import load_script
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.server import OfflineServer
from maverick_tui.paths import too_much
from maverick_tui.runs.loading import branch_of

if TYPE_CHECKING:
    from claude_agent_sdk import Message

MARK = "OFFLINE"


async def print_run(
    agent: MaverickAgent, prompt: str, cwd: Path, paper: Paper, *, answers: TextIO | None = None
) -> AgentError | None:
    """Let the agent work on the prompt, and print what comes; returns the error that ended it, if there was one.

    With `answers` what the agent says last is written there, and nothing else.
    """
    printer = Printer(paper.stream, paper.width, cwd=cwd, keeps_answer=answers is not None)
    printer.prompt(prompt)
    shown = _Shown(agent, printer)
    config = agent.config or MaverickConfig.load()
    context = AgentContext(
        cwd, await asyncio.to_thread(branch_of, cwd), config, {**agent.input_values, "prompt": prompt}
    )
    try:
        result = await shown.agent.execute(context)
    except asyncio.CancelledError:
        with suppress(OSError):  # the terminal may be gone
            _write(printer.take_answer(), answers)
            printer.close()
        raise
    if shown.has_said(result.output):
        _write(printer.take_answer(), answers)
    elif answers is not None:  # it made something of its own out of what the model said
        _write(result.output, answers)
    elif result.success:
        printer.say(result.output)
    if not result.success:
        printer.fail(result.errors[0])
        return result.errors[0]
    printer.finish()
    return None


def _write(answer: str, stream: TextIO | None) -> None:
    if stream is not None and answer.strip():
        stream.write(f"{inert(answer)}\n")
        stream.flush()


class _Shown:
    """An agent whose queries are printed while it makes them."""

    def __init__(self, agent: MaverickAgent, printer: Printer) -> None:
        self.agent = copy.copy(agent)
        self._printer = printer
        self._texts: list[TextAssembler] = []
        """What the model has said, query by query."""

        async def query(prompt: str, cwd: Path | str | None = None) -> AsyncGenerator[Message, None]:
            text = TextAssembler()
            self._texts.append(text)
            async with aclosing(agent.query(prompt, cwd=cwd)) as messages:
                async for message in messages:
                    text.add(message)
                    printer.show(message)
                    yield message

        self.agent.query = query  # type: ignore[method-assign]

    def has_said(self, output: str) -> bool:
        """Whether this is what the model has said, word for word, and ends with the answer that the printer keeps."""
        said, kept = _words(output), _words(self._printer.answer)
        whole = (self._printer.answer, self._printer.text, *(text.value for text in self._texts))
        return bool(self._texts) and said in map(_words, whole) and said.endswith(kept)


def _words(text: str) -> str:
    return " ".join(text.split())


def run_text(name: str, prompt: str, script: Path | None) -> bool:
    """Run the agent here; returns whether it did its work. Only the answer goes to standard output."""
    if warning := too_much(Path.cwd()):
        print(f"maverick: {warning}", file=sys.stderr)
    return asyncio.run(_run(load_agent(name), prompt, script)) is None


async def _run(agent: type[MaverickAgent], prompt: str, script: Path | None) -> AgentError | None:
    # Where both are the same terminal, somebody looks on: then the answer is shown while it comes.
    is_watched = sys.stdout.isatty() and sys.stderr.isatty()
    paper, cwd, answers = Paper(sys.stderr, terminal_width()), Path.cwd(), None if is_watched else sys.stdout
    if script is None:
        return await print_run(agent(config=MaverickConfig.load()).with_inputs({}), prompt, cwd, paper, answers=answers)
    loaded = load_script(script)
    remove_abandoned()
    with scratch_folder("offline") as home:
        async with OfflineServer(loaded) as server:
            paper.line((f" {MARK} ", "badge", "yellow"), f"  {script}")
            paper.line()
            config = MaverickConfig.load(env=offline_environment(server.url, home))
            return await print_run(agent(config=config).with_inputs({}), prompt, cwd, paper, answers=answers)
