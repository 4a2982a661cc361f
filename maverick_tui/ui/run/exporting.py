"""Exporting: a run as a file, from its screen. Secrets are masked, and no file is replaced unasked."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.history.export.formats import Format, by_suffix, format_for, pieces
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact

if TYPE_CHECKING:
    from maverick_tui.history.export.formats import PrinterFor
    from maverick_tui.history.export.kept import KeptRun
    from maverick_tui.runs.board import RunModel


def export_words(words: str) -> tuple[str, str] | None:
    """The format and the file of `/export [FORMAT] [FILE]`, either perhaps empty; None if the words are no such."""
    form, _, file = words.strip().partition(" ")
    if form in tuple(Format):
        return form, file.strip()
    wanted = by_suffix(Path(words))
    return (wanted or "", words.strip()) if wanted or not words else None


class Exporting:
    """Asks where to, if nobody has said so, and writes the file in a thread."""

    def __init__(self, run: RunModel, printer_for: PrinterFor | None) -> None:
        """`printer_for` makes what a recording is made of."""
        self._run = run
        self._printer_for = printer_for

    async def export(self, app: App[Any], words: str) -> None:
        """Export as the words of the command say; without a file one is asked for, and so is a yes to replace one."""
        form, file = export_words(words) or ("", words)
        target = _absolute(file) if file else await self._ask_file(app, form)
        if target is None:
            return
        if problem := _problem(target, form):
            self._tell(app, problem, "error")
        elif await _may_write(app, target):
            await self._write(app, target, form)

    async def _ask_file(self, app: App[Any], form: str) -> Path | None:
        from maverick_tui.ui.dialogs.path import PathScreen

        suggested = Path.cwd() / f"{_plain(self._run.title)}-{self._run.run_id[:6]}.{form or 'md'}"
        text = f"Its name says what it becomes: {', '.join(f'.{one}' for one in Format)}. Secrets are masked."
        question = PathScreen(
            f"Export {self._run.title}", text, suggested, enter="export", problem_of=partial(_problem, form=form)
        )
        return await app.push_screen_wait(question)

    async def _write(self, app: App[Any], target: Path, form: str) -> None:
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.markup.lexing import lexed_at

        try:
            with lexed_at(asyncio.get_running_loop()):
                size = await asyncio.to_thread(self._export, target, form)
        except MaverickError as error:
            self._tell(app, f"{error.message} {error.hint}", "error")
        except OSError as error:
            self._tell(app, f"{target} cannot be written: {error.strerror or error}.", "error")
        else:
            self._tell(app, f"{target}, {size:,} bytes", "information")

    def _export(self, target: Path, form: str) -> int:
        """In a thread: it may have to read, mask and draw a hundred thousand events."""
        from maverick_tui.history.whole_files import write_whole

        wanted = Format(form) if form else format_for(target)
        return write_whole(target, pieces(_kept(self._run), wanted, self._printer_for))

    def _tell(self, app: App[Any], text: str, severity: Any) -> None:
        app.notify(one_line(text), title="Export", severity=severity, timeout=8, markup=False)


def _kept(run: RunModel) -> KeptRun:
    """The run as it is exported, masked by who knows what is secret in it: the process that it lives in.

    So it is read where that has kept it, or asked for there. What lives here, or has lived and is not kept, is masked
    by what is known here.
    """
    from maverick_tui.exceptions import NetworkError
    from maverick_tui.history.export.kept import kept_run, masked, open_kept

    if run.machine:
        from maverick_tui.host.far.way import far_way

        told = asyncio.run(far_way(run.machine).kept(run.run_id, 0))
    elif run.told and run.attached is None and (run.is_served or not run.is_kept):
        told = run.told
    elif run.is_kept or not run.told:
        return open_kept(run.run_id)
    else:
        from maverick_tui.host.following import masked_past

        told = asyncio.run(masked_past(run.run_id))
    if not told:
        raise NetworkError("Where the run lives nothing is told of it.", hint="Try again.")
    return kept_run(run.run_id, masked(told), was_alive=run.is_served)


async def _may_write(app: App[Any], target: Path) -> bool:
    from maverick_tui.history.whole_files import in_the_way

    if not (what := in_the_way(target)):
        return True
    from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

    question = ConfirmScreen("Replace the file?", one_line(f"{target} {what}."), yes="Replace", no="Keep")
    return await app.push_screen_wait(question)


def _absolute(file: str) -> Path:
    return Path(file).expanduser().absolute()


def _problem(target: Path, form: str) -> str:
    """Why nothing can be written there."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.whole_files import is_no_file

    if target.is_dir():
        return f"{target} is a folder: name a file in it."
    if is_no_file(target):
        return f"{target} is not a file."
    if not target.parent.is_dir():
        return f"There is no folder {target.parent}."
    try:
        _ = form or format_for(target)
    except ConfigError as error:
        return f"{error.message} {error.hint}"
    return ""


def _plain(title: str) -> str:
    """A title as part of a file's name."""
    return "-".join(re.findall(r"\w+", redact(title).lower()))[:40] or "run"
