"""One agent, one prompt, printed as text: on the endpoint that is set up, or on a script."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import aclosing, suppress
from pathlib import Path

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.finding import load_agent
from maverick_tui.cli.flow import Paper
from maverick_tui.cli.printer import Printer
from maverick_tui.cli.width import terminal_width
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import AgentError
from maverick_tui.offline.environment import offline_environment
from maverick_tui.offline.loading import load_script
from maverick_tui.offline.server import OfflineServer

MARK = "OFFLINE"


async def print_run(agent: MaverickAgent, prompt: str, cwd: Path, paper: Paper) -> AgentError | None:
    """Print what comes for the prompt; the error that ended it, if one did."""
    printer = Printer(paper.stream, paper.width, cwd=cwd)
    printer.prompt(prompt)
    try:
        async with aclosing(agent.query(prompt, cwd=cwd)) as messages:
            async for message in messages:
                printer.show(message)
    except AgentError as error:
        printer.fail(error)
        return error
    except asyncio.CancelledError:
        with suppress(OSError):  # the terminal may be gone
            printer.close()
        raise
    printer.finish()
    return None


def run_text(name: str, prompt: str, script: Path | None) -> bool:
    """Run the agent here; whether it did its work."""
    return asyncio.run(_run(load_agent(name), prompt, script)) is None


async def _run(agent: type[MaverickAgent], prompt: str, script: Path | None) -> AgentError | None:
    paper, cwd = Paper(sys.stdout, terminal_width()), Path.cwd()
    if script is None:
        return await print_run(agent(config=MaverickConfig.load()).with_inputs({}), prompt, cwd, paper)
    loaded = load_script(script)
    with tempfile.TemporaryDirectory(prefix="maverick-offline-", ignore_cleanup_errors=True) as home:
        async with OfflineServer(loaded) as server:
            paper.line((f" {MARK} ", "badge", "yellow"), f"  {script}")
            paper.line()
            config = MaverickConfig.load(env=offline_environment(server.url, Path(home)))
            return await print_run(agent(config=config).with_inputs({}), prompt, cwd, paper)
