"""Sets a batch up, heeds signals while it goes, and says what came of it."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.batch.folder import BatchFolder, opened
from maverick_tui.batch.items import BrokenLine, Item, broken_input, read_items
from maverick_tui.batch.places import Here, Place, There
from maverick_tui.batch.running import Batch
from maverick_tui.cli.batch_progress import REDRAW_EVERY, Progress, spent
from maverick_tui.cli.exit_codes import FAILED, OVER_LIMIT
from maverick_tui.cli.layout import count, say_error
from maverick_tui.cli.place import tell_of_place
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import AgentError, ConfigError
from maverick_tui.host.far.machines import find_machine
from maverick_tui.host.orders import Order
from maverick_tui.inert import inert
from maverick_tui.journal.batches import FAILURES, RESULTS
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.holding import RunLimits
from maverick_tui.runs.loading import has_own_prompt
from maverick_tui.runs.status import clock
from maverick_tui.runs.unattended import limited

HERE = "."
"""How this machine is named among others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done, and how."""

    agent: str
    source: Path
    is_jsonl: bool
    output: Path
    jobs: int | None
    inputs: Mapping[str, str]
    model: str
    allowed: tuple[str, ...]
    max_turns: int | None
    max_cost: float | None
    seconds: float | None
    cwd: str
    on: tuple[str, ...]
    script: Path | None
    waits_for_limit: bool = False
    with_hosts: bool = False
    retries: bool = False
    as_json: bool = False

    @property
    def here(self) -> Path:
        """The folder that runs of this machine work in."""
        return Path(self.cwd or ".").absolute()


def run_batch(wish: Wish) -> int:
    """Do the batch; the exit code."""
    items, config = _read(wish), MaverickConfig.load()
    progress = Progress(sys.stderr)
    places = _places(wish, config, progress)
    if any(isinstance(place, Here) for place in places):
        _require_usable(wish, items, config)
    with opened(wish.output.absolute(), wish.agent) as folder:
        _tell_changes(folder, items)
        if wish.retries:
            folder.forget_failures(item.key for item in items)
        return asyncio.run(_serve(wish, items, places, folder, progress, config.hosts))


def _read(wish: Wish) -> list[Item]:
    try:
        return read_items(wish.source, is_jsonl=wish.is_jsonl)
    except ConfigError as error:
        raise _wrong(wish, error) from error


def _wrong(wish: Wish, error: ConfigError) -> typer.BadParameter:
    lines = [line.rstrip() for line in f"{error.message}\n{error.hint}".splitlines() if line.strip()]
    return typer.BadParameter("\n  ".join(lines), param_hint="--each" if wish.is_jsonl else "--each-line")


def _places(wish: Wish, config: MaverickConfig, progress: Progress) -> list[Place]:
    """Where the runs are to be. By default as many at once as there are cores, and no more than may work here."""
    names = dict.fromkeys([*wish.on, *((HERE, *config.hosts) if wish.with_hosts else ())]) or {HERE: None}
    jobs = wish.jobs or min(max(os.cpu_count() or 1, 2), 8)
    places: list[Place] = []
    for name in names:
        if name != HERE:
            places.append(There(find_machine(name, config), jobs, progress.said))
            continue
        if config.max_runs and jobs > config.max_runs:
            progress.said(f"{config.max_runs} at once are as many as the setting max_runs allows.")
        places.append(Here(min(jobs, config.max_runs or jobs)))
    return places


def _require_usable(wish: Wish, items: list[Item], config: MaverickConfig) -> None:
    """Refuse what can be known to fail before anything is spent. Errors are those of `maverick run`."""
    if not config.keep_runs:
        raise ConfigError(
            "What comes of a batch is read from what is kept of its runs, and the settings keep no runs.",
            hint="Set MAVERICK_KEEP_RUNS=true for this one.",
        )
    if not wish.here.is_dir():
        raise typer.BadParameter(f"Directory '{wish.cwd}' does not exist.", param_hint="--cwd")
    tell_of_place(wish.here)
    made = load_agent(wish.agent, wish.here)(config=config)
    try:
        limited(made, config, RunLimits(wish.max_turns, wish.max_cost, wish.seconds), wish.allowed)
    except (AgentError, ConfigError) as error:
        raise typer.BadParameter(f"{error.message} {error.hint}", param_hint="--allow") from error
    broken: list[BrokenLine] = []
    for item in items:
        try:
            filled = made.with_inputs({**wish.inputs, **item.inputs})
        except ConfigError as error:
            broken.append(BrokenLine(item.line, error.message))
        else:
            if item.prompt is None and not has_own_prompt(filled):
                broken.append(BrokenLine(item.line, "it has no prompt, and the agent has none of its own"))
    if broken:
        raise _wrong(wish, broken_input(wish.source, broken))


def _tell_changes(folder: BatchFolder, items: list[Item]) -> None:
    new, gone = folder.take_in(items)
    if new or gone:
        say_error(
            f"The prompts are not those of the last time: {new} are new or changed, {gone} are gone.",
            "New ones are asked; what came of those that are gone stays where it is." if gone else "",
            sys.stderr,
        )


async def _serve(
    wish: Wish,
    items: list[Item],
    places: list[Place],
    folder: BatchFolder,
    progress: Progress,
    hosts: Collection[str],
) -> int:
    tag, began = f"batch-{folder.batch_id}", time.monotonic()

    def order_of(item: Item, place: Place, run_id: str) -> Order:
        return Order(
            run_id,
            wish.agent,
            wish.cwd if place.name else str(wish.here),
            item.prompt or "",
            {**wish.inputs, **item.inputs},
            wish.allowed,
            wish.max_turns,
            wish.max_cost,
            wish.seconds,
            waits_for_limit=wish.waits_for_limit or None,
            script=str(wish.script.absolute()) if wish.script is not None else None,
            takes=item.model or wish.model,
            is_attended=False,
            tags=("batch", tag),
        )

    batch = Batch(folder, items, places, order_of, verdict_of, progress)
    # A file says where they are: nobody is called whom the person has not named.
    extra = [_before(name, places[0].jobs, progress) for name in batch.unreached if not name or name in hosts]
    for name in sorted(batch.unreached - {place.name for place in extra}):
        progress.said(f"Runs of this batch are on {name}, which is left alone.", "Name it with --on to take them up.")
    caught: list[int] = []
    progress.begin(batch)
    drawing = asyncio.create_task(_redraw(progress))
    serving = asyncio.create_task(batch.serve(extra))
    with _signals(batch, serving, progress, caught):
        await asyncio.wait({serving})
    drawing.cancel()
    progress.end()
    if not serving.cancelled() and (error := serving.exception()) is not None:
        raise _first(error)
    _tell(wish, batch, folder, tag, time.monotonic() - began, is_cut=bool(caught))
    left = len(items) - len(batch.done) - len(batch.failures)
    if caught and left:
        return 128 + caught[-1]
    if batch.limit and left:
        return OVER_LIMIT
    return FAILED if left or batch.failures else 0


def _first(error: BaseException) -> BaseException:
    """The first of several errors that have come together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _before(name: str, jobs: int, progress: Progress) -> Place:
    """A machine that has runs of this batch, and is to have no more."""
    return There(find_machine(name), jobs, progress.said) if name else Here(jobs)


async def _redraw(progress: Progress) -> None:
    """Let time pass on the line, too; it ends with the batch."""
    while True:
        await asyncio.sleep(REDRAW_EVERY * 5)
        progress.changed()


@contextmanager
def _signals(batch: Batch, serving: asyncio.Task[None], progress: Progress, caught: list[int]) -> Iterator[None]:
    """Ctrl+C stops in steps. Whoever wants this process alone to end, ends it: its runs go on, and are found again."""
    loop, tasks = asyncio.get_running_loop(), set[asyncio.Task[None]]()

    def heard(number: int) -> None:
        caught.append(number)
        if number != signal.SIGINT or len(caught) > 2:
            serving.cancel()
        elif len(caught) == 2:
            progress.said("Interrupting those at work.")
            tasks.add(asyncio.create_task(batch.interrupt(), name="maverick-interrupting"))
        else:
            batch.stop()
            if batch.running:
                progress.said("Nothing more begins; those at work come to their end. Ctrl+C again interrupts them.")

    numbers = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    heeded = [number for number in numbers if number is not None and _is_heeded(number)]
    for number in heeded:
        loop.add_signal_handler(number, heard, number)
    try:
        yield
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)


def _is_heeded(number: signal.Signals) -> bool:
    return signal.getsignal(number) is not signal.SIG_IGN  # nohup has it ignored


def _tell(wish: Wish, batch: Batch, folder: BatchFolder, tag: str, seconds: float, *, is_cut: bool) -> None:
    """Say what came of it, and how it goes on."""
    done, failures = batch.done, batch.failures
    left = len(batch.items) - len(done) - len(failures)
    usages = [record.get("usage") or {} for record in (*done, *failures)]
    told: dict[str, Any] = {
        "batch": folder.batch_id,
        "tag": tag,
        "output": str(folder.path),
        "prompts": len(batch.items),
        "done": len(done),
        "failed": len(failures),
        "left": left,
        "cost": round(spent(batch), 6),
        "tokens": sum(int(tokens) for usage in usages for tokens in usage.values()),
        "seconds": round(seconds, 3),
        "is_interrupted": is_cut,
        "limit": batch.limit,
    }
    if wish.as_json:
        typer.echo(json.dumps(told))
    else:
        cost = f", {dollars(told['cost'])}" if told["cost"] else ""
        typer.echo(
            f"{len(done)} of {count(len(batch.items), 'prompt')} done, {len(failures)} failed, {left} left"
            f"{cost}, {clock(seconds)}; runs are tagged {tag}."
        )
        results = f"Results: {folder.path / RESULTS}" + (f"  Failures: {folder.path / FAILURES}" if failures else "")
        typer.echo(inert(results))
    command = f"maverick {shlex.join(argument for argument in sys.argv[1:] if argument != '--retry-failed')}"
    if left:
        say_error(f"{count(left, 'prompt')} left. Go on with: {command}", "", sys.stderr)
    if failures:
        say_error(f"{count(len(failures), 'prompt')} failed. Try again with: {command} --retry-failed", "", sys.stderr)
