"""The process of a host: it reads its order from standard input, says whether it is ready, and is the run."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import logging
import os
import select
import signal
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.config import MaverickConfig
from maverick_tui.events.kinds import Connected, ConnectFailed, TurnEnded
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.fuse_amounts import WANTED, are_amounts
from maverick_tui.history.day_use import DayLedger
from maverick_tui.history.forking import told_by
from maverick_tui.history.going_on import GoingOn, to_go_on
from maverick_tui.history.labels import tag_run
from maverick_tui.host.notifying import notifying
from maverick_tui.host.orders import Order, order_from_json
from maverick_tui.host.places import log_of
from maverick_tui.host.serving import RunServer
from maverick_tui.host.waiting_line import WaitingLine
from maverick_tui.journal.folders import journal_of, make_folder
from maverick_tui.logged import RedactedFormatter
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import secret_inputs
from maverick_tui.offline.demo.tour import off_script, prompts
from maverick_tui.offline.settings import settings_again, settings_for, settings_in
from maverick_tui.runs.commands import CloseRun, SendPrompt
from maverick_tui.runs.forking import fork_of
from maverick_tui.runs.holding import Holding
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.placing import Wish, leave_place
from maverick_tui.runs.unattended import limited
from maverick_tui.threads import leave_threads
from maverick_tui.worktrees.races import is_running

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent

log = logging.getLogger(__name__)

_SDK = "maverick_tui.agent.engine.claude.session"
LOOK_EVERY = 0.5
"""Seconds between looks whether anybody still needs the run."""


def main() -> int:
    """Be the host that standard input asks for, if it asks for one."""
    # While nobody waits for it; whoever has an order already may need another engine.
    if not select.select([sys.stdin], [], [], 0)[0]:
        threading.Thread(target=importlib.import_module, args=(_SDK,), daemon=True).start()
    if not (told := sys.stdin.buffer.read()):
        return 0
    try:
        order = order_from_json(json.loads(told))
        conceal(secret_inputs(order.inputs))  # what is asked may repeat them, and is kept before its agent is there
        _log_for(order)
        os.chdir(order.cwd)
        asyncio.run(_host(order))
        if not order.is_kept:
            log_of(order.run_id, is_kept=False).unlink(missing_ok=True)
    except (MaverickError, OSError) as error:
        log.exception("The host has ended")
        _answer(_refusal(error))
        return 1
    except Exception:  # its only reader is the log, which has no secrets in it
        log.exception("The host has failed")
        return 1
    return 0


def _refusal(error: MaverickError | OSError) -> dict[str, object]:
    """Why it cannot be a host, and what to do about it."""
    if isinstance(error, MaverickError):
        return {"error": error.message, "hint": error.hint}
    where = f"{error.filename}: " if error.filename else ""
    hint = "See to that folder, or name others with MAVERICK_RUNTIME_DIR and MAVERICK_STATE_DIR."
    return {"error": f"The run cannot have a process of its own. {where}{error.strerror or error}.", "hint": hint}


def _log_for(order: Order) -> None:
    """Log what goes wrong, and what this process itself does; of what others do, each request would be a line."""
    if order.is_kept:
        make_folder(journal_of(order.run_id))
    path = log_of(order.run_id, is_kept=order.is_kept)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    handler = logging.StreamHandler(os.fdopen(file, "a", encoding="utf-8", errors="backslashreplace"))
    handler.setFormatter(RedactedFormatter())
    # What agents and their children print there may hold secrets, and codes for a terminal: nobody masks that.
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger(__package__).setLevel(logging.INFO)


def _stand_back(nice: int) -> None:
    """Let what else the machine does go first. What is started later inherits it."""
    if (more := nice - os.getpriority(os.PRIO_PROCESS, 0)) > 0:
        os.nice(more)


def _answer(said: dict[str, object]) -> None:
    """Tell whoever has started us, and let go of them: from now on this process is nobody's child."""
    with suppress(OSError, ValueError):
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)


async def _host(order: Order) -> None:
    goes_on = await asyncio.to_thread(_past_of, order)
    async with _settings(order) as config:
        _stand_back(config.host_nice)
        run = _run(order, config, goes_on)
        run.fuses.given, run.fuses.ledger = fuse_of(order.fuse), DayLedger(order.run_id)
        run.admission = line = WaitingLine(order.run_id, config.max_runs, run.events)
        server = RunServer(order.run_id, order.agent, run.events, run)
        since = len(goes_on.past.events) if goes_on is not None else 0
        told_by = config.notify_command if order.is_attended else ()  # of hundreds, whoever has ordered them tells
        news = notifying(order.run_id, run.events, told_by, lambda: server.readers > 0, since)
        async with AsyncExitStack() as leaving, server.listening(), news:
            if order.is_kept and config.keep_runs:  # once its place is its own: else somebody else may have to keep it
                if goes_on is None:
                    _require_new(order.run_id)
                run.keep(journal_of(order.run_id), goes_on.size if goes_on is not None else None)
                if order.tags:
                    tag_run(order.run_id, order.tags)
            # The run is this process's own now: whatever ends that sees to its worktree, once nobody is served.
            leaving.push_async_callback(asyncio.to_thread, leave_place, order.run_id, order.race)
            line.try_enter()  # before whoever is started after us
            _answer({"ready": os.getpid()})
            _heed_signals(run)
            if order.prompt is not None:
                run.send(SendPrompt(uuid.uuid4().hex, order.prompt))
            watching = (
                asyncio.create_task(line.give_way(lambda: run.is_idle), name="maverick-line"),
                asyncio.create_task(_end_at_rest(run, server, config.host_idle_minutes * 60), name="maverick-rest"),
                asyncio.create_task(_hold(run, order, since), name="maverick-limits"),
                asyncio.create_task(_end_in_time(run, line, order.max_seconds), name="maverick-time"),
                asyncio.create_task(_end_with_race(run, order.race), name="maverick-race"),
                asyncio.create_task(_collect_garbage(run, since), name="maverick-garbage"),
            )
            try:
                await run.start()
            finally:
                for task in watching:
                    task.cancel()
                ended = [event.outcome for event in run.events.since(since) if isinstance(event, TurnEnded)]
                if ended[-1:] == ["interrupted"]:
                    leave_threads()


def _require_new(run_id: str) -> None:
    """ConfigError if there was such a run: whoever did not hear of its beginning may have ordered it twice."""
    if journal_of(run_id).exists():
        raise ConfigError(f"The run {run_id} has begun already.", hint=f"See `maverick logs {run_id}`.")


def _past_of(order: Order) -> GoingOn | None:
    """What it goes on from: its own past, or another run's."""
    if order.forks:
        fork = fork_of(
            told_by(order.forks),
            order.fork_turn,
            order.run_id,
            at=order.fork_at,
            agent=order.agent,
            model=order.takes,
        )
        return GoingOn(order.run_id, order.agent, Path(order.cwd), fork.past, None)
    return to_go_on(order.run_id).by(order.agent) if order.resumes else None


@asynccontextmanager
async def _settings(order: Order) -> AsyncIterator[MaverickConfig]:
    script = Path(order.script) if order.script else None
    if script is not None and order.shared:
        async with settings_in(Path(order.shared), script, is_demo=order.is_demo) as config:
            yield config
    else:
        async with settings_for(script) as config:
            yield config


def _run(order: Order, config: MaverickConfig, goes_on: GoingOn | None) -> LocalRun:
    cwd, tries = Path(order.cwd), count()

    def make(settings: MaverickConfig) -> MaverickAgent:
        agent = load_agent(order.agent, cwd)(config=settings).with_inputs(order.inputs)
        if order.takes and goes_on is None:
            agent._answer_by(order.takes)
        return limited(agent, settings, order.limits, order.allowed) if order.is_limited else agent

    async def prepare() -> RunPlan:
        settings = config
        if next(tries):  # they may be what was wrong
            script = Path(order.script) if order.script else None
            settings = await asyncio.to_thread(settings_again, config, script, is_demo=order.is_demo)
        plan = RunPlan(partial(make, settings), cwd, settings, dict(order.inputs), wish=wish)
        return replace(plan, drafts=prompts(), remark=off_script) if order.is_demo else plan

    past = goes_on.past if goes_on is not None else None
    had_one = goes_on is not None and goes_on.had_worktree
    is_new = past is None or past.is_fork
    wish = Wish(order.run_id, order.worktree or had_one, order.brings_changes, order.race, is_new, had_one, enters=True)
    if past is not None and not past.is_fork:
        model = order.takes or past.model
        past = past._replace(granted=order.allowed, limited=order.limits.named, model=model)
    return LocalRun(
        prepare,
        run_id=order.run_id,
        name=order.agent,
        is_attended=order.is_attended,
        past=past,
        continues=order.waits_for_limit,
    )


def fuse_of(given: Mapping[str, object]) -> dict[str, float]:
    """The amounts of an order, which may be of any version. ConfigError for what is none."""
    if not are_amounts(given):
        raise ConfigError(f"That is no fuse: {given!r}.", hint=f"It is {WANTED}.")
    return {unit: float(amount) for unit, amount in given.items()}  # type: ignore[arg-type]


def _heed_signals(run: LocalRun) -> None:
    """End in good order when somebody asks for it; a terminal that closes is nobody's of ours."""
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, run.stop, "ended", "It was told to end.")


async def _collect_garbage(run: LocalRun, since: int) -> None:
    """Do what `__main__` has turned off, once the engine is imported: what there is by then is there to stay."""
    reader = run.events.reader(since)
    while await run.events.wait(reader.number):
        if any(isinstance(event, Connected | ConnectFailed) for event in reader.take()):
            break
    gc.freeze()
    gc.enable()


async def _hold(run: LocalRun, order: Order, since: int) -> None:
    """End a run that takes more than it was given, with all that it is asked in this time."""
    holding = Holding(order.limits, lambda why: run.stop("limit", why))
    reader = run.events.reader(since)
    try:
        while await run.events.wait(reader.number):
            for event in reader.take():
                holding.take(event)
    except Exception:  # nobody would hold it to anything any more
        log.exception("The limits of the run cannot be kept")
        run.stop("limit", "Its limits cannot be kept any more: see its host's log.")


async def _end_in_time(run: LocalRun, line: WaitingLine, seconds: float | None) -> None:
    """End a run that has had the time that it was given; to wait for its turn is none of it."""
    if seconds is not None:
        await line.entered()
        await asyncio.sleep(seconds)
        run.stop("timeout", f"It has taken the {seconds:g} s that it was given.")


async def _end_with_race(run: LocalRun, race: str) -> None:
    """End a run whose race has ended without it, however that was: nobody would know of it."""
    if race:
        while is_running(race):  # noqa: ASYNC110 - nobody tells us that another process is gone
            await asyncio.sleep(LOOK_EVERY)
        run.stop("ended", "The race that it ran in has ended.")


async def _end_at_rest(run: LocalRun, server: RunServer, seconds: float) -> None:
    """End a run that nobody reads and that has nothing to do; it can go on later."""
    loop = asyncio.get_running_loop()
    busy_at, events = loop.time(), len(run.events)
    while True:
        await asyncio.sleep(min(LOOK_EVERY, seconds / 4 or LOOK_EVERY))
        if server.is_released:
            run.stop_commands()  # sent a moment before: whoever knew of one was asked what becomes of it
        if server.is_released and run.is_at_rest:
            run.send(CloseRun())
            return
        if not seconds or server.readers or not run.is_at_rest or len(run.events) != events:
            busy_at, events = loop.time(), len(run.events)
        elif loop.time() - busy_at >= seconds:
            log.info("Nobody has needed the run for %g s", seconds)
            run.stop(
                "idle",
                "Nobody needed it for a while, so its process has ended. It goes on when you send it a prompt, or run "
                f"`maverick runs resume {server.run_id}`.",
            )
            return
