"""Transcript: a run as it is read. The widget: keys, the mouse, selecting, copying and finding on a page of entries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from maverick_tui.runs.entries import Entry, PromptEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.drawn import when_drawn
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.transcript.finding import Finding
from maverick_tui.ui.transcript.frames import BUDGET
from maverick_tui.ui.transcript.page import Page
from maverick_tui.ui.transcript.seen import QuestionsSeen
from maverick_tui.ui.transcript.shown import ShownPage
from maverick_tui.ui.transcript.texts import last_answer, last_turn, source, word_at

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.ui.rendering.palette import Palette

FOLDS = ("▸", "▾")
"""What the row that opens and closes an entry begins with, where that is not its first."""


class Transcript(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a run, and follows its end until the person scrolls away. `wake()` tells it that the store has changed."""

    ALLOW_MAXIMIZE = False
    FOCUS_ON_CLICK = False  # who clicks on an answer types on in the prompt, and does not press its keys
    BINDING_GROUP_TITLE = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "lines(-1)", "Up a line", id="transcript.up", show=False),
        Binding("down,j", "lines(1)", "Down a line", id="transcript.down", show=False),
        Binding("pageup", "pages(-1)", "Up a page", id="transcript.page_up", show=False),
        Binding("pagedown", "pages(1)", "Down a page", id="transcript.page_down", show=False),
        Binding("home,g", "top", "To the beginning", id="transcript.top", show=False),
        Binding("end,G", "bottom", "To the end, and follow it", id="transcript.bottom", show=False),
        Binding(
            "left_curly_bracket", "prompt(-1)", "Choose the prompt before", id="transcript.prompt_before", show=False
        ),
        Binding("right_curly_bracket", "prompt(1)", "Choose the next prompt", id="transcript.prompt_after", show=False),
        Binding(
            "left_square_bracket", "entry(-1)", "Choose the entry before", id="transcript.entry_before", show=False
        ),
        Binding("right_square_bracket", "entry(1)", "Choose the next entry", id="transcript.entry_after", show=False),
        Binding("enter,space,o", "fold", "Open or close the chosen entry", id="transcript.toggle", show=False),
        Binding("y", "copy", "Copy the selection or the chosen entry", id="transcript.copy", show=False),
        Binding(
            "Y",
            "copy_answer",
            "Copy the last answer: what was said after the last call",
            id="transcript.copy_answer",
            show=False,
        ),
        Binding("alt+y", "copy_turn", "Copy all that was said in the last turn", id="transcript.copy_turn", show=False),
        Binding("n", "match(1)", "Next match", id="transcript.next_match", show=False),
        Binding("N", "match(-1)", "Previous match", id="transcript.match_before", show=False),
    ]

    def __init__(
        self,
        store: RunStore,
        *,
        palette: Callable[[], Palette],
        moved: Callable[[bool, int], None],
        keys: Mapping[str, str] | None = None,
        verbosity: Verbosity = "normal",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Show the store's entries with the palette of the moment, once there is room for them.

        `moved` hears whether the end is followed and in view, and how many lines are new below, when that changes.
        """
        super().__init__()
        self.questions_seen = QuestionsSeen(clock, self.when_drawn)
        """What has been on the screen of the questions that are open."""
        self._terminal: Size | None = None
        self._moved = moved
        self.tell_found: Callable[[int, int], None] | None = None
        """Hears which match is shown, the first number of the second; 0 of 0 if there is none."""
        self._read(Page(store, palette, dict(keys or {}), verbosity, clock))

    def _read(self, page: Page) -> None:
        """Show this page, from its end."""
        self.page = page
        self.shown = ShownPage(self, page, self.questions_seen, self._moved)
        self.viewport = self.shown.viewport
        self._finding = Finding(page, self.viewport, self.toggle)
        self.on_answer: Callable[..., None] | None = None
        """Takes what a click says to a question, in the place of the screen."""
        self._pressed = ""
        """What a click would have done where the button was pressed."""

    # -- frames -------------------------------------------------------------------------------------------------------

    @property
    def is_waking(self) -> bool:
        """Whether a frame is due already, so that one more delta changes nothing."""
        return self.shown.frames.is_due

    def wake(self, *, at_once: bool = False) -> None:
        """Something in the store has changed.

        `at_once` is for what is more than one delta among many: a block has ended, a tool has answered.
        """
        if self.is_attached:
            self.shown.frames.wake(at_once=at_once)

    def tick(self) -> None:
        """A second has gone by."""
        self.shown.changes.tick()
        if not self.shown.changes.are_drawn:
            self.wake()

    # -- what Textual asks --------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line with the offsets that the mouse needs to select text."""
        line = y + self.shown.top_line
        if not self.page.is_ready:
            return Strip.blank(self.size.width, self.rich_style)
        return self.page.row(line).apply_offsets(0, line)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows for Textual."""
        return self.shown.strips(crop) if self.page.is_ready else super().render_lines(crop)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The person has scrolled: only scrolls that Textual makes come here."""
        self.shown.painter.forget()
        if not self.page.is_ready or not self.shown.is_settled:  # a layout; `on_resize` puts it right
            super().watch_scroll_y(old_value, new_value)
            return
        self.viewport.go_on(is_following=round(new_value) >= self.max_scroll_y)
        self.shown.place()
        super().watch_scroll_y(old_value, self.scroll_y)
        self.refresh()  # on the same line there may be something else, now that the heights above are known
        self.shown.update_scrollbar()
        self.shown.tell()

    def on_resize(self, _event: events.Resize) -> None:
        """Another width: everything is drawn anew, what is in view at once and the rest when it is looked at."""
        self.shown.painter.forget()
        if self._terminal not in (None, self.app.size):  # and not only another division of it
            self.questions_seen.forget()
        self._terminal = self.app.size
        width = self.scrollable_content_region.width
        if width and width != self.page.width:
            self.restyle()
        elif self.page.is_ready:
            top = self.viewport.top
            self.viewport.hold(top)
            self.shown.show()
            self.shown.follow_if_at_the_end(top)
        self.wake()  # what came meanwhile was not drawn

    def on_focus(self) -> None:
        """The chosen entry is marked."""
        self.page.marks_chosen = True
        self.shown.repaint()

    def on_blur(self) -> None:
        """The mark goes."""
        self.page.marks_chosen = False
        self.shown.repaint()

    def when_drawn(self, act: Callable[[], None]) -> None:
        """Do something once the terminal has drawn what it was sent, where the application knows when that is."""
        if self.is_attached:
            when_drawn(self.app, act)
        else:
            act()

    # -- another width, other colours ---------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Draw with the width, the colours and the keys of the moment."""
        self.shown.restyle()

    async def action_answer(self, action: str, entry: int, option: int | None = None) -> None:
        """Answer the question that was clicked on: by the screen, unless somebody else here takes answers."""
        where = (entry,) if option is None else (entry, option)
        if self._pressed not in ("", f"answer('{action}', {', '.join(map(str, where))})"):
            return  # the rows have moved between press and release
        if self.on_answer is not None:
            self.on_answer(action, *where)
        else:
            await self.run_action(f"screen.{action}({', '.join(map(str, where))})")

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """The keys have other names now."""
        self.page.keys = dict(keys)
        self.restyle()

    def set_choice(self, choice: Choice | None) -> None:
        """The answers to the agent's own question have come this far."""
        self.page.choice = choice
        if self.page.is_ready:
            look = self.page.entry_rows.look
            look.choice = choice
            if look.asking:
                self.shown.changes.add(look.asking)
                self.wake(at_once=True)

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """Show more, or less, of everything."""
        self.page.folding.set_verbosity(verbosity)
        self._finding.keep_open()
        self.restyle()

    # -- going about --------------------------------------------------------------------------------------------------

    def scroll_to_line(self, y: int) -> None:
        """Put a line at the top of the view, as far as there is enough below it."""
        self.viewport.settle_below(y)
        y = max(0, min(y, self.viewport.lowest))
        self.viewport.go_on(is_following=y >= self.viewport.lowest)
        self.shown.move_to(y)
        self.shown.show_all()
        self.shown.update_scrollbar()

    def action_top(self) -> None:
        """Go to the beginning."""
        self.scroll_to_line(0)

    def action_bottom(self) -> None:
        """Go to the end, and follow it."""
        self.viewport.go_on(is_following=True)
        self.shown.show_all()
        self.shown.update_scrollbar()

    def action_lines(self, lines: int) -> None:
        """Go down by lines, or up."""
        self.scroll_to_line(self.shown.top_line + lines)

    def action_pages(self, pages: int) -> None:
        """Go down by pages, or up."""
        self.action_lines(pages * max(1, self.shown.page_height - 2))

    def action_prompt(self, direction: int) -> None:
        """Choose the prompt before or after the chosen one, or else the first line in view, and go to it."""
        top = self.shown.top_line
        prompts = [
            (self.page.blocks.start(index) + block.gap, block)
            for index, block in enumerate(self.page.blocks)
            if isinstance(block.entry, PromptEntry)
        ]
        seen = range(top, top + self.shown.page_height)
        at = next((line for line, block in prompts if block.entry is self.chosen and line in seen), top)
        if direction < 0:
            above = [block for line, block in prompts if line < at] or [block for _, block in prompts[:1]]
            self.page.chosen = above[-1].entry.number if above else None
            self.scroll_to_line(self.page.first_line(above[-1], is_exact=True) if above else 0)
        elif below := [block for line, block in prompts if line > at]:
            self.page.chosen = below[0].entry.number
            self.scroll_to_line(self.page.first_line(below[0], is_exact=True))
        else:
            self.page.chosen = None
            self.action_bottom()
        self.shown.repaint()

    # -- choosing, opening and closing --------------------------------------------------------------------------------

    def action_entry(self, direction: int) -> None:
        """Choose the next entry that keys can act on."""
        numbers = [block.entry.number for block in self.page.blocks if block.height and block.entry.kind != "end"]
        if not numbers:
            return
        if self.page.chosen in numbers:
            at = min(len(numbers) - 1, max(0, numbers.index(self.page.chosen) + direction))
        else:
            at = len(numbers) - 1
        self.choose(numbers[at])

    def choose(self, number: int) -> None:
        """Choose an entry and bring it into view."""
        self.page.chosen = number
        if (block := self.page.blocks.get(number)) is not None:
            self._bring_into_view(self.page.first_line(block, is_exact=True))

    def show_question(self, number: int) -> None:
        """Show an entry that asks from its head on; once it is answered, the end is followed again."""
        if (block := self.page.blocks.get(number)) is None:
            return
        if self.page.is_ready and number == self.page.entry_rows.look.asking:
            self.viewport.go_on(is_following=True, held=number)
            self.shown.show_all()
            self.shown.update_scrollbar()
        else:
            self.scroll_to_line(self.page.first_line(block, is_exact=True))

    def shows(self, question: PermissionAsked) -> bool:
        """Whether a question is in view: all of it, or of one that is longer than the view its end, or nothing else."""
        blocks, top, height = self.page.blocks, self.shown.top_line, self.shown.page_height
        lines = map(blocks.at, range(top, min(top + height, blocks.lines)))
        seen = [(blocks[index], offset) for index, offset in lines if blocks[index].asks == question]
        rows = [offset - block.gap for block, offset in seen if offset >= block.gap]
        if not rows:
            return False
        last = seen[0][0].height - seen[0][0].gap - 1
        return len(rows) > last or (last >= height and (len(rows) == height or rows[-1] == last))

    def _bring_into_view(self, line: int) -> None:
        if not self.shown.top_line <= line < self.shown.top_line + self.shown.page_height:
            self.scroll_to_line(line - self.shown.page_height // 3)
        self.shown.repaint()

    @property
    def chosen(self) -> Entry | None:
        """The entry that keys act on, if the person has chosen one."""
        block = self.page.blocks.get(self.page.chosen) if self.page.chosen is not None else None
        return block.entry if block is not None else None

    def _chosen_entry(self) -> Entry | None:
        if (entry := self.chosen) is not None:
            return entry
        foldable = [block.entry for block in self.page.blocks if self.page.folding.can_fold(block.entry)]
        return foldable[-1] if foldable else None

    def action_fold(self) -> None:
        """Open or close the chosen entry; without one, the last that can be opened."""
        if (entry := self._chosen_entry()) is not None:
            self.toggle(entry)

    def toggle(self, entry: Entry) -> None:
        """Open or close an entry."""
        page, viewport = self.page, self.viewport
        head = page.blocks.get(entry.number)
        if head is None or not page.folding.toggle(entry):
            return
        self._finding.keep_open(entry.number)
        y, share = page.first_line(head) - self.shown.top_line, viewport.seen.share
        self.shown.deselect()
        anchor = viewport.anchor()
        page.forget_rows(lambda block: block is head or (isinstance(entry, ToolEntry) and bool(block.entry.parent)))
        line = page.first_line(head, is_exact=True)
        if not 0 <= y < self.shown.page_height:
            viewport.hold(anchor)
        elif not viewport.is_following or line < viewport.lowest:
            # What was clicked stays below the mouse, unless it can be seen while the end is followed.
            viewport.is_following = False
            self.shown.move_to(max(0, line - y))
        self.shown.show_all()
        self.shown.follow_if_at_the_end()
        viewport.seen.keep_share(share)
        self.shown.tell()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Note what is pressed: only that can be clicked."""
        self._pressed = str(event.style.meta.get("@click", "nothing"))

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked, and open or close it; twice selects a word, three times a line."""
        line = event.y + self.shown.top_line
        if self.text_selection is not None or "@click" in event.style.meta or line >= self.page.blocks.lines:
            return
        index, offset = self.page.blocks.at(line)
        entry, row = self.page.blocks[index].entry, self.page.block_row(self.page.blocks[index], offset)
        is_head = offset == self.page.blocks[index].gap and not isinstance(entry, PromptEntry)
        if self.page.folding.can_fold(entry) and (is_head or row.copied()[:1] in FOLDS):
            event.prevent_default()
            self.toggle(entry)
        elif event.chain > 1:
            event.prevent_default()  # Textual would select everything there is,
            event.stop()  # or all that is on the screen
            span = word_at(row.text, event.x) if event.chain == 2 else (0, len(row.text))
            self.screen.selections = {self: Selection(Offset(span[0], line), Offset(span[1], line))}
        self.page.chosen = entry.number
        self.shown.repaint()

    # -- selecting and copying ----------------------------------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text."""
        if self.page.selected is None:
            self.selection_updated(selection)
        text = self.page.selected_text()
        return None if text is None else (text, "\n")

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection. Where it goes on above or below us, it goes to the end of what is in view."""
        top = self.shown.top_line
        bottom = top + max(0, self.shown.page_height - 1)
        self.page.selected = selection and Selection(
            selection.start or Offset(0, top), selection.end or Offset(self.page.width, bottom)
        )
        self.shown.repaint()

    def action_copy(self) -> None:
        """Copy the selection, or else the chosen entry, or else the last answer."""
        if text := self.screen.get_selected_text():
            self.screen.clear_selection()
            self.copy(text)
        elif (block := self.page.blocks.get(self.page.chosen or 0)) is not None:
            self.copy(source(block.entry))
        else:
            self.action_copy_answer()

    def action_copy_answer(self) -> None:
        """Copy what the agent has said after its last call."""
        self.copy(*last_answer(self.page.store))

    def action_copy_turn(self) -> None:
        """Copy all that the agent has said in its last turn."""
        self.copy(*last_turn(self.page.store))

    def copy(self, *texts: str) -> None:
        """Put text on the clipboard, and say how much; what parts several texts is not counted."""
        if any(texts):
            self.app.copy_to_clipboard("\n\n".join(texts))
            self.notify(f"Copied {sum(map(len, texts)):,} characters.", timeout=2)

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self, needle: str) -> int:
        """Look for text, and go to the next place where it stands; how many there are. With no text it is over."""
        count = self._finding.start(needle)
        self.action_match(0)
        self.shown.repaint()
        return count

    def show_entry(self, number: int, needle: str = "", words: tuple[str, ...] = ()) -> None:
        """Bring an entry into view, with these words marked here and wherever else they stand.

        One that is not shown for the sake of quiet is wanted now, and so there is less of that.
        """
        block = self.page.blocks.get(number)
        if block is None:
            return
        if self.page.folding.is_hidden(block.entry):
            self.set_verbosity("normal")
        self.page.chosen = number
        self.scroll_to_line(self.viewport.line_above(block, self.shown.page_height // 3))
        if words:
            self._finding.start(needle, words, block)
            found = self.page.search.current
            if found is not None and found.entry == number:
                self.action_match(0)
            self.shown.repaint()
            self._tell_found()

    @property
    def reading_place(self) -> tuple[int, int] | None:
        """The entry at the top of the view, and which of its rows; None where the end is followed."""
        top = self.viewport.top
        return None if top is None or self.viewport.is_following else (top[0].entry.number, top[1])

    def read_from(self, number: int, row: int) -> None:
        """Have a row of an entry at the top, where a person has read before."""
        if (block := self.page.blocks.get(number)) is not None:
            self.scroll_to_line(self.viewport.line_above(block, 0) + row)

    async def prepare(self, store: RunStore) -> None:
        """Get ready for a store that this one is to become, in slices: keys do not wait, however much is in it."""
        until = time.perf_counter() + BUDGET
        for _ in self.page.prepare(store):
            if time.perf_counter() > until:
                await asyncio.sleep(0.001)
                until = time.perf_counter() + BUDGET

    def read_anew(self) -> None:
        """The store has become another one: what is in view stays there, as far as the other one has it."""
        self.shown.restyle(keeps_guesses=True)
        if self.page.search.needle:
            self.page.search.renew()
            self._tell_found()

    def action_match(self, direction: int) -> None:
        """Go to the next match."""
        if (line := self._finding.step(direction)) is not None:
            self._bring_into_view(line)
        self._tell_found()

    def _tell_found(self) -> None:
        search = self.page.search
        if self.tell_found is not None:  # the keys from match to match act also before anything was to be found
            self.tell_found(search.at + 1 if search.total else 0, search.total)
