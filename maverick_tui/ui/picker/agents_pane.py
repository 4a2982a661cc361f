"""AgentsPane: the agents of a folder, read in a thread: the filter, and below it the rows that match."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.segment import Segment
from textual import events, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.cut_text import cut_in
from maverick_tui.ui.keys import is_character
from maverick_tui.ui.lines import role_look
from maverick_tui.ui.picker import reading
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.items import Item, rows_of
from maverick_tui.ui.picker.reading import Found
from maverick_tui.ui.rendering.wrap import cut

READING = "reading agents …"
NOTHING = "There are no agents. Put one into .maverick/agents, then press Ctrl+R."
LONGEST = 80
LOOK_EVERY = 3.0
"""Seconds after which runs in other processes are looked for again."""

Elsewhere = Callable[[], Awaitable[Sequence[Item]]]
PLACEHOLDER = "type to filter"


class FilterLine(Widget, can_focus=True):
    """One line of text that only grows and shrinks at its end, so that all other keys are free for the list."""

    text: reactive[str] = reactive("", init=False)
    count: reactive[str] = reactive("")

    def __init__(self, changed: Callable[[], None], placeholder: str = PLACEHOLDER) -> None:
        """`changed` hears that it has another text."""
        super().__init__(id="filter")
        self._changed = changed
        self.placeholder = placeholder

    selected_text = ""
    """Nothing can be."""

    @property
    def is_redoing(self) -> bool:
        """Whether somebody may be about to bring back what they cut."""
        return cut_in(self.app).is_awaited

    def cut_all(self) -> None:
        """Clear it; what stood there can be brought back."""
        cut_in(self.app).keep(self.text)
        self.text = ""

    def on_key(self, event: events.Key) -> None:
        """Take a character, or take some away; everything else is for the screen."""
        cut_in(self.app).go_on()
        if event.key in ("backspace", "ctrl+h"):
            self._change(event, self.text[:-1])
        elif event.key in ("ctrl+w", "ctrl+backspace", "alt+backspace"):
            rest = self.text.rstrip().rpartition(" ")[0]
            cut_in(self.app).keep(self.text[len(rest) :])
            self._change(event, rest)
        elif event.key == "ctrl+y":
            self._change(event, self.text + one_line(cut_in(self.app).bring_back()))
        elif is_character(event) and event.character and not self._is_a_key(event.character):
            self._change(event, inert(self.text + event.character))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text here, so that what it would do elsewhere is not promised."""
        return character is not None and character.isprintable() and not self._is_a_key(character)

    def _is_a_key(self, character: str) -> bool:
        """Whether it means something else while nothing is typed yet."""
        return not self.text and character.isspace()

    def on_paste(self, event: events.Paste) -> None:
        """Take the first line of what is pasted."""
        lines = event.text.strip().splitlines()
        event.stop()
        self.text = (self.text + one_line(lines[0] if lines else ""))[:LONGEST]

    def _change(self, event: events.Key, text: str) -> None:
        event.stop()
        event.prevent_default()
        # Fingers that know other programs type a slash to search.
        self.text = text[:LONGEST].removeprefix("/").lstrip()

    def watch_text(self) -> None:
        """Tell the list."""
        self._changed()

    def render_line(self, y: int) -> Strip:
        """The text, a cursor behind it, and the count at the right."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        width = self.size.width
        count = cut(self.count, max(width - 20, 0))
        # The end of a long text is what is being typed.
        shown = self.text
        while cell_len(shown) > max(width - cell_len(count) - 5, 1):
            shown = shown[1:]
        hint = "" if self.text else self.placeholder
        segments = [
            Segment("/ ", role_look(self, "accent")),
            Segment(shown, role_look(self, "strong")),
            Segment(hint[:1] or " ", role_look(self, "cursor")),
            Segment(cut(hint[1:], max(width - 5 - cell_len(count), 0)), role_look(self, "muted")),
        ]
        left = width - sum(cell_len(segment.text) for segment in segments) - cell_len(count)
        segments += [Segment(" " * max(left, 0), self.rich_style), Segment(count, role_look(self, "muted"))]
        return Strip(segments).crop_extend(0, width, self.rich_style)


class AgentsPane(Vertical):
    """Filters its items by what is typed; the best match is highlighted."""

    def __init__(
        self,
        *,
        read: Callable[[], None],
        filtered: Callable[[], None],
        moved: Callable[[Item | None], None],
        chosen: Callable[[Item], None],
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """What is heard: the agents have been read, the filter is another, an item is highlighted, or clicked twice.

        `elsewhere` finds runs in other processes; without it nobody looks for any.
        """
        super().__init__(id="agents")
        self.border_title = "Agents"
        self.filter = FilterLine(self._change)
        self.list = AgentList(moved, chosen)
        self._moved = moved
        self._was_read = read
        self._was_filtered = filtered
        self.runs: Sequence[Item] = ()
        """The runs that the list begins with; `show` shows them."""
        self._elsewhere: Sequence[Item] = ()
        self._find_elsewhere = elsewhere
        self._is_looking = self._has_looked = False
        self.found = Found()
        """The agents, as they were read last."""
        self.is_reading = True
        """Whether more of them may come."""
        self._items: Sequence[Item] = ()
        self._failure = ""

    def compose(self) -> ComposeResult:
        """One above the other."""
        yield self.filter
        yield self.list

    @work(exclusive=True, exit_on_error=False)
    async def read(self, cwd: Path) -> None:
        """Read the agents of this folder."""
        self.is_reading = True
        self.show()
        try:
            self.found, self._failure = await asyncio.to_thread(reading.read_agents, cwd), ""
        except Exception as error:  # whatever a folder does to us, the screen stays
            self.found = Found()
            self._fail(one_line(f"The agents cannot be read: {type(error).__name__}: {error}."))
        self.is_reading = False
        self._was_read()
        self.show()
        self._moved(self.list.item)  # the agent of a run is known only now
        self._look_elsewhere()

    def await_folder(self) -> None:
        """There is no folder yet whose agents could be read."""
        self.is_reading, self._failure = True, ""
        self.show()

    def fail(self, reason: str) -> None:
        """There will be none, for this reason."""
        self._fail(reason)
        self.is_reading = False
        self.show()

    def _fail(self, reason: str) -> None:
        self._failure = f"✘ {reason} Ctrl+R tries again."

    def on_mount(self) -> None:
        """Look for other runs every now and then, from when the agents are there: so the first of these is marked."""
        if self._find_elsewhere is not None:
            self.set_interval(LOOK_EVERY, self._look_elsewhere)

    def _look_elsewhere(self) -> None:
        is_seen = self.screen.is_current and (self.screen.is_active or self.app.screen.is_modal)
        if is_seen and not self.is_reading and not self._is_looking:
            self._read_elsewhere()

    @work(group="elsewhere", exit_on_error=False)
    async def _read_elsewhere(self) -> None:
        """List the runs in other processes as they stand now; what is the same is not drawn again."""
        if self._find_elsewhere is None:
            return
        self._is_looking = True
        try:
            found = await self._find_elsewhere()
        finally:
            self._is_looking = False
        comes_back, self._has_looked = not self._has_looked, True
        if found != self._elsewhere:
            self._elsewhere = found
            is_untouched = not self._query and self.list.item in self.found.items[:1]
            self.show(at_first=comes_back and is_untouched and any(item.needs_person for item in found))

    def show(self, *, at_first: bool = False) -> None:
        """Show what there is; the same item stays highlighted if it is still there, unless it is to be the first."""
        runs = sorted((*self.runs, *self._elsewhere), key=lambda item: not item.needs_person)
        self._items = [*runs, *self.found.items]
        self.list.measure(self._items)
        self._show_rows(jump=False)
        if at_first:
            self.list.move(-len(self.list.rows))

    def _change(self) -> None:
        self._show_rows(jump=bool(self._query))
        self._was_filtered()

    @property
    def _query(self) -> str:
        return self.filter.text.strip()

    def _show_rows(self, *, jump: bool) -> None:
        before = self.list.item
        rows, best = rows_of(self._items, self._query)
        same = (index for index, row in enumerate(rows) if row.item and before and row.item.key == before.key)
        self.list.notice = self._nothing()
        self.list.show(rows, best if jump else next(same, best))
        self.filter.count = self._count(sum(row.item is not None and not row.item.run_id for row in rows))

    def _count(self, matching: int) -> str:
        if self.is_reading:
            return "reading …" if self._items else ""
        if self._failure:
            return "✘ not read" if self._items else ""
        agents = sum(not item.run_id for item in self._items)
        if self._query:
            return f"{matching} of {agents}"
        return "" if not agents else "1 agent" if agents == 1 else f"{agents} agents"

    def _nothing(self) -> str:
        """What stands in place of rows."""
        if self._failure or self.is_reading:
            return self._failure or READING
        return f"No agent matches {self._query!r}. Esc clears." if self._query else NOTHING
