"""One agent, one prompt, no terminal: on the endpoint that is set up, or on a script."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import typer

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.cli.exit_codes import NOBODY_READS
from maverick_tui.cli.launching import piped
from maverick_tui.cli.layout import Paper, say_error, throw_output_away
from maverick_tui.cli.own_output import own_output
from maverick_tui.cli.place import tell_of_place
from maverick_tui.cli.result_forms import Form, Result, Way, standard_forms
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.history.day_use import DayLedger
from maverick_tui.history.going_on import GoingOn
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import journal_of
from maverick_tui.offline.settings import settings_for
from maverick_tui.runs.holding import RunLimits
from maverick_tui.runs.loading import has_own_prompt
from maverick_tui.runs.placing import Wish, leave_place, trusted_needs, words_on
from maverick_tui.runs.unattended import Unattended, limited
from maverick_tui.threads import in_thread, leave_threads

MARK = "OFFLINE"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be run, and how."""

    agent: str
    prompt: str | None
    """None for what is piped in, or else what its author wrote."""
    cwd: Path
    inputs: Mapping[str, str] = field(default_factory=dict)
    form: Form = "text"
    limits: RunLimits = field(default_factory=RunLimits)
    allowed: tuple[str, ...] = ()
    waits_for_limit: bool = False
    is_kept: bool = True
    script: Path | None = None
    always_shows: bool = False
    """Whether what the agent does is shown also where nobody looks on."""
    fuse: Mapping[str, float] = field(default_factory=dict)
    """What it may use before it ends, or with a person holds and asks."""
    goes_on: GoingOn | None = None
    """The run that goes on, or a fork of one."""
    worktree: bool = False
    """Whether it works in a worktree of its own."""
    brings_changes: bool = False
    """Whether what is not committed comes along there."""


def run_headless(wanted: Wanted) -> int:
    """Run the agent here; returns the exit code."""
    tell_of_place(wanted.cwd)
    try:
        with own_output() as output:
            agent = load_agent(wanted.agent, wanted.cwd)
            check_place(wanted, agent)
            if wanted.prompt is None:
                wanted = replace(wanted, prompt=piped())
            return asyncio.run(_run(agent, wanted, output))
    except BrokenPipeError:  # quietly, as other programs; but whoever goes by the code is not to take it for done
        throw_output_away()
        return NOBODY_READS


async def _run(agent: type[MaverickAgent], wanted: Wanted, output: TextIO) -> int:
    way, result = standard_forms(wanted.form, output, wanted.cwd, _columns(), always_shows=wanted.always_shows)
    async with settings_for(wanted.script) as config:
        if wanted.script is not None and (wanted.always_shows or sys.stderr.isatty()):
            way.paper.line((f" {MARK} ", "badge", "yellow"), f"  {wanted.script}")
            way.paper.line()
        made = made_for(wanted, agent, config)
        prompt = prompt_for(wanted, made)
        before = wanted.goes_on
        run_id = uuid.uuid4().hex[:12] if before is None else before.run_id
        is_kept = wanted.is_kept and config.keep_runs
        run = Unattended(
            made,
            prompt,
            wanted.cwd,
            config,
            run_id=run_id,
            limits=wanted.limits,
            journal=journal_of(run_id) if is_kept else None,
            waits_for_limit=wanted.waits_for_limit,
            fuse=wanted.fuse,
            ledger=DayLedger(run_id),
            past=before.past._replace(granted=wanted.allowed, limited=wanted.limits.named)
            if before is not None
            else None,
            size=before.size if before is not None else None,
            wish=_wish(wanted, run_id),
        )
        caught: list[int] = []

        def stop(number: int) -> None:
            caught.append(number)
            run.stop("interrupted", "It was interrupted." if number == signal.SIGINT else "It was told to end.")

        tidying = asyncio.create_task(in_thread(_tidy), name="maverick-tidying")
        with heeding_signals(stop):
            try:
                await written(run, prompt, way, result)
            except OSError:
                if not caught:  # else the terminal may be gone that has told us to end
                    raise
            finally:
                tidying.cancel()
                await asyncio.to_thread(_say_where, run_id, way.paper)
                if run.cut:
                    leave_threads()
        return 128 + caught[0] if caught else verdict_of(run).code


def _tidy() -> None:
    """What runs that were killed have left goes, beside the run: nobody waits for it."""
    from maverick_tui.folder_locks import remove_abandoned
    from maverick_tui.host.survivors import end_survivors
    from maverick_tui.paths import user_state

    def say(text: str) -> None:
        if sys.stderr.isatty():
            print(f"maverick: {text}", file=sys.stderr)

    with suppress(OSError):  # the terminal may be gone
        end_survivors(say)
    remove_abandoned()
    if (user_state() / "snapshots").exists():
        from maverick_tui.review.removing import release_left

        release_left()


def check_place(wanted: Wanted, agent: type[MaverickAgent]) -> None:
    """NotTrustedError if the run needs a worktree, and what the project says of those is not trusted."""
    if wanted.worktree or (agent.isolation == "worktree" and wanted.goes_on is None):
        trusted_needs(wanted.cwd)


def _wish(wanted: Wanted, run_id: str) -> Wish:
    before = wanted.goes_on
    had_one = before is not None and before.had_worktree
    is_new = before is None or before.past.is_fork
    return Wish(run_id, wanted.worktree or had_one, wanted.brings_changes, is_new=is_new, had_one=had_one, enters=True)


def _say_where(run_id: str, paper: Paper) -> None:
    """Say where what it has done is, if that is a worktree of its own."""
    if (worktree := leave_place(run_id)) is not None:
        with suppress(OSError):  # the terminal may be gone
            say_error(*words_on(worktree), paper.stream)


async def written(run: Unattended, prompt: str, way: Way, result: Result) -> None:
    """Be the run, and write what comes of it; where that cannot be written, the run is ended."""
    way.begin(prompt)
    following = asyncio.create_task(result.follow(run.events, way, run.since), name="maverick-writing")

    def look_at(done: asyncio.Task[None]) -> None:
        if not done.cancelled() and done.exception() is not None:
            run.close()

    following.add_done_callback(look_at)
    try:
        await run.serve()
    finally:
        await asyncio.wait({following})
        if (error := following.exception()) is not None:
            raise error
        result.end(run)
        way.end(run, is_written=result.is_written)


def made_for(wanted: Wanted, agent: type[MaverickAgent], config: MaverickConfig) -> MaverickAgent:
    """The agent, with what this run gives it and allows it. BadParameter for what it cannot be given."""
    made = agent(config=config)
    try:
        made = made.with_inputs(wanted.inputs)
    except ConfigError as error:
        raise typer.BadParameter(one_line(f"{error.message} {error.hint}"), param_hint="--input") from error
    try:
        return limited(made, config, wanted.limits, wanted.allowed)
    except (AgentError, ConfigError) as error:
        raise typer.BadParameter(one_line(f"{error.message} {error.hint}"), param_hint="--allow") from error


def prompt_for(wanted: Wanted, agent: MaverickAgent) -> str:
    """What it is asked; empty for what its author wrote. BadParameter if there is nothing."""
    if wanted.prompt is not None:
        return wanted.prompt
    if (wanted.goes_on is None or not wanted.goes_on.past.turns) and has_own_prompt(agent):
        return ""
    raise typer.BadParameter("Say what it is to do, or pipe it in.", param_hint="PROMPT")


def _columns() -> int:
    """The columns of the terminal that progress is shown on; as many as it takes if it is none."""
    with suppress(OSError, ValueError):
        return max(os.get_terminal_size(sys.stderr.fileno()).columns, 40)
    return max(shutil.get_terminal_size().columns, 40) if os.environ.get("COLUMNS") else 10_000


# -- signals -----------------------------------------------------------------------------------------------------------


@contextmanager
def heeding_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """Call `stop` with the first signal that wants us to end; a second one ends us at once, as it would have."""
    loop, before = asyncio.get_running_loop(), dict[int, Any]()

    def heard(number: int) -> None:
        for heeded in before:
            loop.remove_signal_handler(heeded)
            signal.signal(heeded, signal.SIG_DFL)
        stop(number)

    for name in _SIGNALS:
        number = getattr(signal, name, None)
        handler = None if number is None else signal.getsignal(number)
        if number is not None and handler is not signal.SIG_IGN:  # nohup has it ignored
            with suppress(NotImplementedError):  # Windows has no such handlers
                loop.add_signal_handler(number, heard, number)
                before[number] = handler
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


async def in_good_order(work: Awaitable[int], paper: Paper) -> int:
    """Do the work, which returns the exit code. Told to end by a signal, it ends what was started, and says so."""
    caught: list[int] = []
    task = asyncio.current_task()
    assert task is not None

    def end(number: int) -> None:
        caught.append(number)
        task.cancel()

    with heeding_signals(end):
        try:
            return await work
        except asyncio.CancelledError:
            with suppress(OSError):  # the terminal may be gone
                paper.line()
                paper.line(("Stopped; what it had started has ended.", "dim"))
            if not caught:
                raise
            return 128 + caught[0]
