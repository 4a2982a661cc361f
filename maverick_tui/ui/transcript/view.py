"""Transcript: a run as it is read. Keys, the mouse, selecting, copying and finding over a framed view of entries."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection

from maverick_tui.runs.entries import Entry, PromptEntry, ToolEntry
from maverick_tui.ui.transcript.blocks import Block
from maverick_tui.ui.transcript.drawn import Anchor, cells_of
from maverick_tui.ui.transcript.finding import Match, places
from maverick_tui.ui.transcript.framed import FramedView
from maverick_tui.ui.transcript.sources import last_answer, last_turn, source
from maverick_tui.ui.transcript.words import word_at

FOLDS = ("▸", "▾")
"""What the row that opens and closes an entry begins with, where that is not its first."""


class Transcript(FramedView, can_focus=True, inherit_bindings=False):
    """What a person reads: keys go about in it, choose, open, copy and find."""

    ALLOW_MAXIMIZE = False
    FOCUS_ON_CLICK = False  # who clicks on an answer types on in the prompt, and does not press its keys
    BINDING_GROUP_TITLE = "Transcript"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up a line", id="transcript.up", show=False),
        Binding("down,j", "scroll_down", "Down a line", id="transcript.down", show=False),
        Binding("pageup", "page_up", "Up a page", id="transcript.page_up", show=False),
        Binding("pagedown", "page_down", "Down a page", id="transcript.page_down", show=False),
        Binding("home,g", "top", "To the beginning", id="transcript.top", show=False),
        Binding("end,G", "bottom", "To the end, and follow it", id="transcript.bottom", show=False),
        Binding("left_curly_bracket", "prompt(-1)", "To the prompt before", id="transcript.prompt_before", show=False),
        Binding("right_curly_bracket", "prompt(1)", "To the next prompt", id="transcript.prompt_after", show=False),
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

    _finds_from: Anchor | None = None
    """What stood at the top of the view when the person began to find something; None at the end."""

    class Found(Message):
        """A match is shown, the `at`th of `total`; 0 of 0 if there is none."""

        def __init__(self, at: int, total: int) -> None:
            super().__init__()
            self.at = at
            self.total = total

    class Copied(Message):
        """Text was put on the clipboard."""

        def __init__(self, text: str, characters: int) -> None:
            super().__init__()
            self.text = text
            self.characters = characters

    # -- going about --------------------------------------------------------------------------------------------------

    def on_focus(self) -> None:
        """The chosen entry is marked."""
        self._shadow = None
        self.refresh()

    def on_blur(self) -> None:
        """The mark goes."""
        self._shadow = None
        self.refresh()

    def scroll_to_line(self, y: int) -> None:
        """Put a line at the top of the view, as far as there is enough below it."""
        y = max(0, min(y, self._lowest))
        self._go_on(is_following=y >= self._lowest)
        self._move_to(y)
        self._shadow = None
        self._show()
        self._update_scrollbar()

    def action_top(self) -> None:
        """Go to the beginning."""
        self.scroll_to_line(0)

    def action_bottom(self) -> None:
        """Go to the end, and follow it."""
        self._go_on(is_following=True)
        self._shadow = None
        self._show()
        self._update_scrollbar()

    def action_scroll_up(self) -> None:
        """Go up a line."""
        self.scroll_to_line(self.scroll_offset.y - 1)

    def action_scroll_down(self) -> None:
        """Go down a line."""
        self.scroll_to_line(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        """Go up a page."""
        self.scroll_to_line(self.scroll_offset.y - max(1, self.size.height - 2))

    def action_page_down(self) -> None:
        """Go down a page."""
        self.scroll_to_line(self.scroll_offset.y + max(1, self.size.height - 2))

    def action_prompt(self, direction: int) -> None:
        """Go to the prompt before or after the first line in view."""
        top = self.scroll_offset.y
        prompts = [index for index, block in enumerate(self._blocks) if isinstance(block.entry, PromptEntry)]
        if direction < 0:
            above = [index for index in prompts if self._first_line(index) < top]
            self.scroll_to_line(self._first_line(above[-1], is_exact=True) if above else 0)
        elif below := [index for index in prompts if self._first_line(index) > top]:
            self.scroll_to_line(self._first_line(below[0], is_exact=True))
        else:
            self.action_bottom()

    # -- choosing, opening and closing --------------------------------------------------------------------------------

    def action_entry(self, direction: int) -> None:
        """Choose the next entry that keys can act on."""
        numbers = [block.entry.number for block in self._blocks if block.height and block.entry.kind != "end"]
        if not numbers:
            return
        if self.chosen in numbers:
            at = min(len(numbers) - 1, max(0, numbers.index(self.chosen) + direction))
        else:
            at = len(numbers) - 1
        self.choose(numbers[at])

    def choose(self, number: int) -> None:
        """Choose an entry and bring it into view."""
        self.chosen = number
        if (block := self._blocks.get(number)) is not None:
            self._bring_into_view(self._first_line(self._blocks.index(block), is_exact=True))

    def show_question(self, number: int) -> None:
        """Show an entry that asks from its head on; once it is answered, the end is followed again."""
        if (block := self._blocks.get(number)) is None:
            return
        if self._draw_with is not None and number == self._draw_with.look.asking:
            self._go_on(is_following=True, held=number)
            self._shadow = None
            self._show()
            self._update_scrollbar()
        else:
            self.scroll_to_line(self._first_line(self._blocks.index(block), is_exact=True))

    def _bring_into_view(self, line: int) -> None:
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.size.height:
            self.scroll_to_line(line - self.size.height // 3)
        self._shadow = None
        self.refresh()

    def _chosen_entry(self) -> Entry | None:
        block = self._blocks.get(self.chosen) if self.chosen is not None else None
        if block is not None:
            return block.entry
        foldable = [block.entry for block in self._blocks if self.folding.can_fold(block.entry)]
        return foldable[-1] if foldable else None

    def action_fold(self) -> None:
        """Open or close the chosen entry; without one, the last that can be opened."""
        if (entry := self._chosen_entry()) is not None:
            self.toggle(entry)

    def toggle(self, entry: Entry) -> None:
        """Open or close an entry."""
        head = self._blocks.get(entry.number)
        if head is None or not self.folding.toggle(entry):
            return
        self._opened_to_find.discard(entry.number)
        index, share = self._blocks.index(head), self._seen.share
        y = self._first_line(index) - self.scroll_offset.y
        self._deselect()
        anchor = self._anchor()
        for at, block in enumerate(self._blocks):
            if block.entry is entry or (isinstance(entry, ToolEntry) and block.entry.parent):
                self._blocks.drop(block)
                block.is_measured = False
                self._blocks.set_height(at, self._guess(block.entry))
        line = self._first_line(index, is_exact=True)
        if not 0 <= y < self.size.height:
            self._hold(anchor)
        elif not self.is_following or line < self._blocks.lines - self.size.height:
            # What was clicked stays below the mouse, unless it can be seen while the end is followed.
            self.is_following = False
            self._move_to(max(0, line - y))
        self._shadow = None
        self._show()
        self._follow_if_at_the_end()
        self._seen.keep_share(share)
        self._tell()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked, and open or close it; twice selects a word, three times a line."""
        line = event.y + self.scroll_offset.y
        if self.text_selection is not None or "@click" in event.style.meta or line >= self._blocks.lines:
            return
        index, offset = self._blocks.at(line)
        entry, row = self._blocks[index].entry, self._block_row(self._blocks[index], offset)
        is_head = offset == self._blocks[index].gap and not isinstance(entry, PromptEntry)
        if self.folding.can_fold(entry) and (is_head or row.copied()[:1] in FOLDS):
            event.prevent_default()
            self.toggle(entry)
        elif event.chain > 1:
            event.prevent_default()  # Textual would select everything there is,
            event.stop()  # or all that is on the screen
            span = word_at(row.text, event.x) if event.chain == 2 else (0, len(row.text))
            self.screen.selections = {self: Selection(Offset(span[0], line), Offset(span[1], line))}
        self.chosen = entry.number
        self._shadow = None
        self.refresh()

    # -- selecting and copying ----------------------------------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: rows that were wrapped are joined again, the gutter is left out."""
        if self._selected is None:
            self.selection_updated(selection)
        assert self._selected is not None
        start, end = self._selected
        assert start is not None
        assert end is not None
        rows = []
        for line in range(start.y, min(end.y + 1, self._blocks.lines)):
            index, offset = self._blocks.at(line)
            rows.append(self._block_row(self._blocks[index], offset))
        if not rows:
            return None
        from maverick_tui.ui.rendering.row import copied_text

        last = rows[-1].cell_length if len(rows) <= end.y - start.y else cells_of(rows[-1], (0, end.x))[1]
        return copied_text(rows, cells_of(rows[0], (start.x, -1))[0], last), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection. Where it goes on above or below us, it goes to the end of what is in view."""
        top = self.scroll_offset.y
        self._selected = selection and Selection(
            selection.start or Offset(0, top), selection.end or Offset(self._width, top + max(0, self.size.height - 1))
        )
        self._shadow = None
        self.refresh()

    def action_copy(self) -> None:
        """Copy the selection, or else the chosen entry, or else the last answer."""
        if text := self.screen.get_selected_text():
            self.screen.clear_selection()
            self.copy(text)
        elif (block := self._blocks.get(self.chosen or 0)) is not None:
            self.copy(source(block.entry))
        else:
            self.action_copy_answer()

    def action_copy_answer(self) -> None:
        """Copy what the agent has said after its last call."""
        self.copy(*last_answer(self.store))

    def action_copy_turn(self) -> None:
        """Copy all that the agent has said in its last turn."""
        self.copy(*last_turn(self.store))

    def copy(self, *texts: str) -> None:
        """Put text on the clipboard, and say how much; what parts several texts is not counted."""
        if any(texts):
            text = "\n\n".join(texts)
            self.app.copy_to_clipboard(text)
            self.post_message(self.Copied(text, sum(map(len, texts))))

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self, needle: str) -> int:
        """Look for text, and go to the next place where it stands; how many there are. With no text it is over.

        Next is what follows the top of the view in which the person began, for each letter moves the view. Who
        looks at the end begins there.
        """
        if not self.search.needle:
            self._finds_from = None if self.is_following else self._anchor()
        if not needle:
            self._close_what_was_found()
        count = self.search.start(needle, self._is_ahead)
        self._match = (0, 0, 0)
        self.action_match(0)
        self._shadow = None
        self.refresh()
        return count

    def _is_ahead(self, match: Match) -> bool:
        """Whether a match stands where the person began to find, or below."""
        block = self._blocks.get(match.entry)
        if self._finds_from is None or block is None:
            return False
        begun, row = self._finds_from
        if block is not begun:
            return self._blocks.index(block) > self._blocks.index(begun)
        hits = self._hits(block)
        return match.ordinal >= len(hits) or hits[match.ordinal][0] >= row

    def action_match(self, direction: int) -> None:
        """Go to the next match."""
        found = self.search.step(direction)
        block = self._blocks.get(found.entry) if found is not None else None
        if found is not None and block is not None:
            hits = self._hits(block)
            if found.ordinal >= len(hits) and not self.folding.is_expanded(block.entry):
                self.toggle(block.entry)
                self._opened_to_find.add(block.entry.number)
                hits = self._hits(block)
            row, ordinal = hits[min(found.ordinal, len(hits) - 1)] if hits else (0, 0)
            self._match = (found.entry, row, ordinal)
            self.chosen = found.entry
            self._bring_into_view(self._first_line(self._blocks.index(block)) + row)
        self.post_message(self.Found(self.search.at + 1 if self.search.total else 0, self.search.total))

    def _close_what_was_found(self) -> None:
        """Close the entries that were opened for their matches, and not those that the person has opened since."""
        for number in list(self._opened_to_find):
            if (block := self._blocks.get(number)) is not None and self.folding.is_expanded(block.entry):
                self.toggle(block.entry)
        self._opened_to_find.clear()

    def _hits(self, block: Block) -> list[tuple[int, int]]:
        """The row of each match in a block, and which one in its row it is."""
        self._measure(self._blocks.index(block))
        rows, needle = self._rows_in(block), self.search.needle
        return [(at, nth) for at, row in enumerate(rows) for nth, _ in enumerate(places(row, needle))]
