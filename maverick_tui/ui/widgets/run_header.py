"""RunHeader: whose run this is, how it stands, and what it is allowed to do, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from maverick_tui.inert import one_line
from maverick_tui.modes import MEANINGS
from maverick_tui.runs.status import headline
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.short_names import short_model
from maverick_tui.ui.widgets.painted import Painted, Weighted, row_width, spread
from maverick_tui.ui.widgets.status_line import TONES

if TYPE_CHECKING:
    from maverick_tui.runs.board import Attachment

_GAP = "   "
_LEAST_NAME = 8
_NEEDED = 9
"""The weight of what is never left out."""


class RunHeader(Painted):
    """Name and state at the left; the other runs, model, branch and mode at the right."""

    def __init__(self, store: RunStore, *, name: str = "", badge: str = "") -> None:
        """`name` is the agent's until the run has started; `badge` says that nothing here is real."""
        super().__init__()
        self._agent = one_line(name)
        self._store = store
        self._badge = one_line(badge)
        self._runs = (1, 1, 0)
        self._branch: str | None = None
        self._changed = 0
        self._has_gone = False
        self._attachment: Attachment | None = None
        self._is_read_only = False
        self._mode_at = range(0)
        self._drawn: tuple[object, ...] = ()

    def refresh_header(self, *, place: int = 1, total: int = 1, waiting: int = 0) -> None:
        """Show how the run stands, which one of how many it is, and how many others wait for the person."""
        self._runs = (place, total, waiting)
        self._draw()

    def set_attachment(self, attachment: Attachment | None, *, is_read_only: bool) -> None:
        """Say where it lives, if that is another machine, whether the line there is broken, and whether we only look
        on; drawn with the rest.
        """
        self._attachment, self._is_read_only = attachment, is_read_only

    def set_agent(self, name: str) -> None:
        """Say whose run it is, until it has started."""
        self._agent = one_line(name)
        self._draw()

    def set_branch(self, branch: str, changed: int) -> None:
        """Say which branch is checked out, and how many files are changed."""
        self._branch, self._changed = one_line(branch), changed
        self._draw()

    def set_has_gone(self, has_gone: bool) -> None:
        """Say whether the worktree that it has worked in is no longer there."""
        self._has_gone = has_gone
        self._draw()

    def fill(self) -> None:
        """The same in the room that there is now."""
        self._draw()

    async def on_click(self, event: events.Click) -> None:
        """A click on the mode brings another one."""
        event.stop()
        if event.x - self.content_offset.x in self._mode_at:
            await self.run_action("screen.cycle_mode")

    def _draw(self) -> None:
        store, width = self._store, self.content_size.width
        facts = (
            headline(store), store.loaded, store.name, store.mode, store.model, self._agent,
            self._runs, self._branch, self._changed, self._has_gone, self._attachment, self._is_read_only, width,
        )  # fmt: skip
        if width and facts != self._drawn:
            self._drawn = facts
            self.paint([self._row(width)])

    def _row(self, width: int) -> Line:
        glyph, word, _, tone = headline(self._store)
        name = one_line(self._store.loaded.agent) if self._store.loaded else self._agent
        name = f"{name}: {self._store.name}" if self._store.name else name
        state: Line = ((f"{glyph} {word}", TONES[tone]),)
        room = width - row_width(state) - 3 - min(row_width(((name, ""),)), max(_LEAST_NAME, width // 3))
        right: list[tuple[str, str]] = []
        for part in _fitting(self._right(), room):
            right += [(_GAP if right else "", "text"), *part.line]
        name = cut(name, max(width - row_width(state) - row_width(tuple(right)) - 4, 1))
        row = spread(((f"{name}  " if name else "", "title"), *state), tuple(right), width)
        self._mode_at = _place_of_mode(row)
        return row

    def _right(self) -> list[Weighted]:
        store, (place, total, waiting) = self._store, self._runs
        mode, model = one_line(store.mode), short_model(store.model)
        started = store.loaded
        engine = one_line(started.engine) if started else ""
        branch = self._branch if self._branch is not None else one_line(started.branch) if started else ""
        badge = self._badge or ("OFFLINE" if started and started.is_offline else "")
        need = f"⚑ {waiting} need{'s' if waiting == 1 else ''} you"
        parts = [
            Weighted(_NEEDED, _line_to(self._attachment)),
            Weighted(_NEEDED, (("read-only" if self._is_read_only else "", "warning"),)),
            Weighted(4, ((f"{place} of {total} runs" if total > 1 else "", "muted"),)),
            Weighted(8, ((need if waiting else "", "warning"),)),
            Weighted(1, ((engine, "muted"),)),
            Weighted(3, ((model, "muted"),)),
            Weighted(6, _worktree(has_gone=self._has_gone) if started and started.project else ()),
            Weighted(5, _branch(branch, self._changed) if branch and not self._has_gone else ()),
            Weighted(_NEEDED, ((mode, "mode"),)),
            Weighted(2, ((MEANINGS.get(mode, ""), "muted"),)),
            Weighted(7, ((f" {badge} " if badge else "", "badge"),)),
        ]
        return [part for part in parts if row_width(part.line)]


def _fitting(parts: list[Weighted], room: int) -> list[Weighted]:
    """All that is needed, and what else fits, the weightiest first: a short one may fit where a long one does not."""
    kept: set[int] = set()
    for at in sorted(range(len(parts)), key=lambda at: -parts[at].weight):
        needs = row_width(parts[at].line) + len(_GAP)
        if parts[at].weight >= _NEEDED or needs <= room:
            kept.add(at)
            room -= needs
    return [parts[at] for at in sorted(kept)]


def _line_to(attachment: Attachment | None) -> Line:
    if attachment is None or not attachment.machine:
        return ()
    machine = cut(one_line(attachment.machine), 24)
    if attachment.is_broken:
        return ((f"line to {machine} is broken, trying again", "warning"),)
    return ((f"on {machine}", "accent"),)


def _worktree(*, has_gone: bool) -> Line:
    return (("worktree gone", "muted"),) if has_gone else (("◇ worktree", "accent"),)


def _branch(branch: str, changed: int) -> Line:
    return ((cut(branch, 24), "text"), (f" ±{changed}" if changed else "", "muted"))


def _place_of_mode(row: Line) -> range:
    column = 0
    for text, role in row:
        width = row_width(((text, role),))
        if role == "mode":
            return range(column, column + width)
        column += width
    return range(0)
