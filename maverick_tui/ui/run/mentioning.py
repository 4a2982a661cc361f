"""Mentioning: an `@` in the prompt of a run names a file of its folder, and the files that it may be are offered."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.threads import in_thread
from maverick_tui.ui.mentions.choice import MentionChoice
from maverick_tui.ui.widgets.command_menu import ChoiceMenu

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.mentions.ranking import Ranking
    from maverick_tui.ui.widgets.prompt import Prompt

FRESH = 10.0
"""Seconds for which what was read of a folder is good enough."""
_LOOKED_AT = 500
"""Entries of the run, from its end, in which files that were used are looked for."""


class Mentioning:
    """Reads the folder when the first file is named, off the event loop, and offers what fits."""

    def __init__(self, run: RunModel, prompt: Prompt, on_change: Callable[[], None]) -> None:
        """`on_change` hears that other files are offered."""
        self._run = run
        self._prompt = prompt
        self._on_change = on_change
        self._choice = MentionChoice(self._look_for, self._offer)
        self._choice.on_chosen = self._attach
        self._menu: ChoiceMenu | None = None
        self._ranking: Ranking | None = None
        self._read_at = 0.0
        self._reading: asyncio.Task[None] | None = None

    def allow(self, may_choose: bool) -> None:
        """Offer files from now on, or none."""
        self._prompt.mentions = self._choice if may_choose else None
        if not may_choose:
            self._choice.close()

    def place_changed(self) -> None:
        """The cursor may stand elsewhere, or the text be another one that nobody has typed."""
        if self._choice.names and not self._choice.is_open(self._prompt.before_cursor):
            self._choice.close()

    @property
    def _folder(self) -> Path | None:
        """Where the run works, if that can be read from here: a run may live on another machine."""
        loaded = self._run.store.loaded
        return Path(loaded.cwd) if loaded is not None and loaded.cwd and not self._run.machine else None

    # -- finding ------------------------------------------------------------------------------------------------------

    def _look_for(self, wanted: str) -> None:
        if (folder := self._folder) is not None:
            search = self._search(folder, wanted)
            _ = self._prompt.run_worker(search, group="mentions", exclusive=True, exit_on_error=False)

    async def _search(self, folder: Path, wanted: str) -> None:
        if self._reading is None and time.monotonic() - self._read_at > FRESH:
            self._reading = asyncio.create_task(self._read(folder))
        if self._ranking is None and self._reading is not None:
            await asyncio.shield(self._reading)  # the next key ends this search, and not the reading
        if self._ranking is not None:
            self._choice.offer(wanted, await self._ranking.best(wanted, self._recent(folder)))

    async def _read(self, folder: Path) -> None:
        from maverick_tui.ui.mentions import files, ranking

        try:
            self._ranking = await in_thread(lambda: ranking.Ranking(files.read_names(folder, self._is_gone)))
            self._read_at = time.monotonic()
        finally:
            self._reading = None

    def _is_gone(self) -> bool:
        return not self._prompt.is_attached

    def _recent(self, folder: Path) -> dict[str, int]:
        """The files that calls of this run were about, the last one first, by their names in its folder."""
        found: dict[str, int] = {}
        for entry in islice(reversed(self._run.store.entries), _LOOKED_AT):
            arguments = getattr(entry, "arguments", None)
            path = (arguments.get("file_path") or arguments.get("path")) if isinstance(arguments, dict) else None
            if isinstance(path, str) and path:
                name = os.path.relpath(folder / path, folder)
                if not name.startswith(".."):
                    found.setdefault(name, len(found))
        return found

    # -- images -------------------------------------------------------------------------------------------------------

    def _attach(self, named: str) -> None:
        """A file was chosen: an image is attached. One whose name is only typed stays a name."""
        if (folder := self._folder) is not None and self._prompt.images is not None:
            name = named.removeprefix("@").strip('"')
            _ = self._prompt.run_worker(self._show_image(named, folder / name), group="images", exit_on_error=False)

    async def _show_image(self, named: str, path: Path) -> None:
        """Let the image take the place of its name, if that still stands there."""
        prompt = self._prompt
        mark = await prompt.attached(lambda images: images.chosen(path, prompt.text))
        row, column = next(
            ((row, at) for row in range(prompt.document.line_count) if (at := prompt.document[row].find(named)) >= 0),
            (0, -1),
        )
        if mark and column >= 0:
            _ = prompt.replace(mark, (row, column), (row, column + len(named)))

    # -- showing ------------------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        """Show the files directly above what is typed."""
        if self._menu is None and self._choice.names:
            self._menu = ChoiceMenu(self._choice, self._take)
            _ = self._prompt.screen.mount(self._menu, before=self._prompt)
        if self._menu is not None:
            self._menu.refresh_choice()
        self._on_change()

    def _take(self, at: int) -> None:
        self._prompt.complete(at)
        self._prompt.screen.set_focus(self._prompt)
