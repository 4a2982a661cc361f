"""Plays stops of the demo's tour and prints them."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import tempfile
import textwrap
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.headless import MARK, in_good_order, written
from maverick_tui.cli.layout import Paper
from maverick_tui.cli.result_forms import Result, Way
from maverick_tui.folder_locks import remove_abandoned, scratch_folder
from maverick_tui.inert import inert
from maverick_tui.offline.demo.project import changed_files, make_project
from maverick_tui.offline.demo.running import RunningDemo, running_demo
from maverick_tui.offline.demo.script import load_demo_script
from maverick_tui.offline.demo.tour import Stop
from maverick_tui.runs.unattended import Unattended

_ABOUT = (
    "A scripted model on this machine answers. Everything else is real: the Claude Code CLI, the agents, and what "
    "their tools do in a repository made for it. No key, no network, no cost: tokens and dollars are estimates."
)


def play_tour(stops: Sequence[Stop], paper: Paper, *, fast: bool = False, keep: bool = False) -> int:
    """Visit the stops one after the other, in a folder that is removed at the end; returns the exit code."""
    with _folder(keep) as folder:
        return asyncio.run(in_good_order(_play(stops, folder, paper, fast=fast, keep=keep), paper))


@contextmanager
def _folder(keep: bool) -> Iterator[Path]:
    if not keep:
        remove_abandoned()
        with scratch_folder("demo") as folder:
            yield folder
        return
    folder = Path(tempfile.mkdtemp(prefix="maverick-demo-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder / "home", ignore_errors=True)


async def _play(stops: Sequence[Stop], folder: Path, paper: Paper, *, fast: bool, keep: bool) -> int:
    began, code = time.monotonic(), 0
    project = await asyncio.to_thread(make_project, folder / "shop")
    _print_head(paper, project)
    async with running_demo(project, load_demo_script(project, fast=fast), folder / "home") as demo:
        for number, stop in enumerate(stops, 1):
            _print_rule(paper, f"{number}/{len(stops)}  {stop.agent}", stop.shows)
            is_fine = await _visit(stop, demo, paper)
            code = code if is_fine and not demo.player.unexpected else FAILED
        for missed in demo.player.unexpected:
            paper.line((f"The script has no answer for this: {inert(missed)}", "red"))
    changed = await asyncio.to_thread(changed_files, project)
    _print_end(paper, changed, project if keep else None, time.monotonic() - began)
    return code


async def _visit(stop: Stop, demo: RunningDemo, paper: Paper) -> bool:
    """Let one agent answer its prompt; whether that went as it should."""
    run = Unattended(demo.agent(stop.agent), stop.prompt, demo.project, demo.config, run_id=uuid.uuid4().hex[:12])
    way = Way(paper, demo.project, is_shown=True, keeps_answer=False)
    await written(run, stop.prompt, way, Result("text", None))
    return (run.failure is not None) == stop.breaks


# -- what stands around the agents -------------------------------------------------------------------------------------


def _print_head(paper: Paper, project: Path) -> None:
    paper.line((f" {MARK} ", "badge", "yellow"), ("  Maverick demo", "bold"))
    paper.line()
    for line in textwrap.wrap(_ABOUT, paper.frame):
        paper.line(line)
    paper.write(f"The repository: {inert(str(project))}\n")  # not cut: it is there to be copied


def _print_rule(paper: Paper, title: str, note: str) -> None:
    left, right = f"── {title} ", f" {MARK} ──"
    paper.line()
    paper.line(
        ("── ", "dim"),
        (title, "bold"),
        (f" {'─' * (paper.frame - len(left) - len(right))} ", "dim"),
        (MARK, "yellow"),
        (" ──", "dim"),
    )
    paper.line((note, "dim"))
    paper.line()


def _print_end(paper: Paper, changed: list[str], kept: Path | None, seconds: float) -> None:
    _print_rule(paper, "the end", f"{seconds:.0f} s, and nothing to pay.")
    if changed:
        paper.line("What the agents have changed:")
        for line in changed:
            paper.line((f"  {inert(line)}", "green"))
    if kept is not None:
        paper.write(f"Look at it: git -C {inert(shlex.quote(str(kept)))} diff\n")
    else:
        paper.line(("The repository is removed; with --keep it stays.", "dim"))
