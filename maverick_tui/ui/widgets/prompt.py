"""Prompt: where the person writes to an agent."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import REACH, inert
from maverick_tui.ui import cut_text
from maverick_tui.ui.keys import JOINERS, is_character, own_action
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.textual_private.painting import Painter
from maverick_tui.ui.widgets import prompt_keys
from maverick_tui.ui.widgets.command_menu import Choice, CommandChoice
from maverick_tui.ui.widgets.pastes import Pastes, as_prompt, typed
from maverick_tui.ui.widgets.prompt_history import HistoryWalk, PromptHistory

if TYPE_CHECKING:
    from maverick_tui.ui.mentions.choice import MentionChoice
    from maverick_tui.ui.widgets.images import Images

MOST_LINES = 8
"""The prompt grows to this many lines, or to a third of the screen, and scrolls from there on."""

_CUTS = frozenset(
    "delete_to_start_of_line delete_to_end_of_line_or_delete_line delete_word_left delete_word_right cut".split()
)
"""What cuts words that can be brought back."""


def _typed_behind(before: str, text: str) -> str:
    """The same of what comes behind something. A joiner may be typed before what it joins: a letter, or an emoji."""
    if text in JOINERS and before:
        for follows in (before[-1], "\N{WOMAN}"):
            if typed(before + text + follows)[len(before) :] == text + follows:
                return text
    return typed(before + text)[len(before) :]


class Prompt(TextArea, inherit_bindings=False):
    """A prompt of one or more lines: Enter sends it, the arrow keys bring earlier ones back."""

    BINDING_GROUP_TITLE = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "Send", id="prompt.send", show=False),
        Binding("shift+enter,ctrl+j,alt+enter", "new_line", "New line", id="prompt.newline", show=False),
        Binding("up", "older", "Line above, or the previous prompt", id="prompt.older", show=False),
        Binding("down", "newer", "Line below, or the next prompt", id="prompt.newer", show=False),
        Binding("ctrl+g", "edit_outside", "Edit in your editor", id="prompt.editor", show=False),
        Binding("ctrl+r", "search", "Search the prompts of all runs", id="prompt.search", show=False),
        *prompt_keys.editing_keys(),
    ]

    _placeholder = ""
    """The whole of what stands in an empty prompt."""
    _redoes_until = -math.inf
    """Until when the key that redoes is meant for the text: something was undone, or done again."""
    _replaced = ""
    """What the last change has replaced."""
    _is_styled = False
    """Whether the text has the colours of the stylesheet."""
    choice: CommandChoice | None = None
    """The commands that what is typed may become, where there are any."""
    mentions: MentionChoice | None = None
    """The files that it may name, where there are any."""
    images: Images | None = None
    """What stands for images, where any can be attached."""
    is_in_form = False
    """Whether the arrows lead on from its first and last line, to the fields around it."""
    times_emptied = 0
    """How often somebody has deleted all of the text, not sent it: what stands here after that was begun anew."""
    from_editor = ""
    """What the person's own editor has saved last."""

    class Submitted(Message):
        """The person wants this sent, and the prompt is empty again; what no text means, the screen knows."""

        def __init__(self, prompt: Prompt, text: str) -> None:
            super().__init__()
            self.prompt = prompt
            self.text = text

    class BroughtBack(Message):
        """What was cut stands here again, by a key that may answer a question elsewhere."""

    class SearchRequested(Message):
        """The person looks for an earlier prompt."""

    def __init__(
        self,
        text: str = "",
        *,
        history: PromptHistory | None = None,
        placeholder: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Begin with a text; without a history the arrow keys only move the cursor."""
        prompt_keys.tell_alt_enter_from_enter()
        super().__init__(
            typed(text), placeholder=Content(placeholder), highlight_cursor_line=False, id=id, classes=classes
        )
        self._placeholder = placeholder
        self.cursor_blink = False  # a blinking one is painted twice a second, for ever
        self._pastes = Pastes()
        self._earlier = history
        self._suggested = ""
        self._walk: HistoryWalk | None = None
        self._painter = Painter(self, self._rows)
        self.is_edited_outside = False
        """Whether the person's own editor has the text at the moment."""

    # -- for the screen ---------------------------------------------------------------------------------------------

    @property
    def whole_text(self) -> str:
        """The text with all that was pasted, also where a few words stand for it."""
        return self._pastes.whole(self.text)

    def take(self) -> str:
        """The whole text; the prompt is empty afterwards."""
        text = self.whole_text
        self.set_text("")
        self._pastes.forget()
        self._walk = None
        return text

    def set_text(self, text: str) -> None:
        """Put another text in, with the cursor at its end."""
        self.load_text(typed(text))
        choices: tuple[Choice | None, ...] = (self.choice, self.mentions)
        for choice in filter(None, choices):
            choice.close()  # it has not been typed: the arrow keys may be on their way through earlier prompts
        self._fit()
        self.move_cursor(self.document.end)

    def suggest(self, text: str) -> None:
        """Put a text in that nobody has typed: it is selected, so that Enter sends it and typing takes its place."""
        self.set_text(text)
        self._suggested = self.text
        self.select_all()

    @property
    def shows_suggestion(self) -> bool:
        """Whether a suggestion stands here as it was put in: nobody has selected it to copy it, for example."""
        return bool(self._suggested) and self._suggested == self.text == self.selected_text

    def put_before(self, text: str) -> None:
        """Put a text before what stands here: nothing that was typed is lost."""
        self.set_text("\n".join(filter(None, (text, self.text))))

    def insert_here(self, text: str) -> None:
        """Put a text where the cursor is, in place of what is selected; it can be undone."""
        self.replace(text, *self.selection, maintain_selection_offset=False)

    def remember(self, text: str) -> None:
        """It was a prompt, and not an answer to a question: the arrow keys bring it back."""
        if self._earlier is not None and text:
            self._earlier.add(text)
            self._save(self._earlier)

    def validate_placeholder(self, placeholder: str | Content) -> Content:
        """A placeholder is text, never markup, and as much of it as fits the one line that an empty prompt has."""
        self._placeholder = str(placeholder)
        width = self.content_size.width
        return Content(cut(self._placeholder, width) if width > 0 else self._placeholder)

    # -- typing -----------------------------------------------------------------------------------------------------

    def edit(self, edit: Edit) -> EditResult:
        """Every change of the text by typing or pasting comes through here."""
        lines = self.wrapped_document.height
        row, column = min(edit.from_location, edit.to_location)
        before = self.document[row][:column][-REACH:]  # a key may be the second half of an emoji
        result = super().edit(dataclasses.replace(edit, text=_typed_behind(before, edit.text)))
        self._replaced = result.replaced_text
        self._note_emptied()
        if self.wrapped_document.height != lines:
            self._fit()
            # A TextArea scrolls to the cursor before it knows its new height, and so not far enough.
            self.scroll_cursor_visible()
        if self.choice is not None:
            self.choice.look(self.text)
        if self.mentions is not None:
            self.mentions.look(self.before_cursor)
        return result

    async def on_paste(self, event: events.Paste) -> None:
        """Let a few words stand for a long text, which is sent whole, and for images, which a path was pasted of.

        Keys that are typed while those are read come afterwards: they wait for this.
        """
        text = typed(event.text)
        marks = await self.attached(lambda images: images.pasted(event.text, self.text))
        if (short := marks or self._pastes.shorten(text)) != text:
            event.prevent_default()
            event.stop()
            self.insert_here(short)

    def action_paste(self) -> None:
        """Paste what the application itself has copied: it may be what an agent has said."""
        self.insert_here(as_prompt(self.app.clipboard))

    async def attached(self, read: Callable[[Images], Awaitable[str]]) -> str:
        """What is to stand here for images that are to be attached; nothing, and a word on why, if they cannot be."""
        if self.images is None or self.text.startswith("!"):
            return ""
        try:
            return await read(self.images)
        except MaverickError as error:
            self._tell(error.message)
            return ""

    def action_delete_left(self) -> None:
        """Delete a character, or all of the words that stand for something."""
        row, column = self.cursor_location
        before = self.document[row][:column] if self.selection.is_empty else ""
        marks = (*self._pastes.marks, *(self.images.marks if self.images is not None else ()))
        if mark := next(filter(before.endswith, marks), ""):
            self.replace("", (row, column - len(mark)), (row, column), maintain_selection_offset=False)
        else:
            super().action_delete_left()

    async def on_key(self, event: events.Key) -> None:
        """Take characters, and do at once what other keys are bound to."""
        event.prevent_default()
        cut_text.cut_in(self.app).go_on()
        if is_character(event):
            self.replace(event.character or "", *self.selection, maintain_selection_offset=False)
            event.stop()
        elif prompt_keys.is_modified_enter(event):
            self.action_new_line()
            event.stop()
        elif await self._obeys(event.key):
            event.stop()
        self._painter.paint_for_key()

    async def _obeys(self, key: str) -> bool:
        """Run the action of a key that is bound here.

        Textual would let the key rise to the application first, and take those that follow meanwhile: of a, Backspace
        and b, typed while a frame is drawn, it would delete the b.
        """
        action = own_action(self, key)
        if action is None:
            return False
        self._replaced = ""
        done = await self.app.run_action(action, self)
        if action in _CUTS:
            cut_text.cut_in(self.app).keep(self._pastes.whole(self._replaced))
        return done

    def action_undo(self) -> None:
        """Undo the last change."""
        cut_text.cut_in(self.app).forget()
        self._redoes_until = time.monotonic() + cut_text.REDOES_FOR
        super().action_undo()
        self._note_emptied()

    def _note_emptied(self) -> None:
        if self.document.line_count == 1 and not self.document[0]:
            self.times_emptied += 1

    def action_redo(self) -> None:
        """Do what was undone again, or bring back what was cut since."""
        self._redoes_until = time.monotonic() + cut_text.REDOES_FOR
        if text := cut_text.cut_in(self.app).bring_back():
            self.insert_here(self._pastes.shorten(text))
            self.post_message(self.BroughtBack())
        else:
            super().action_redo()
            self._note_emptied()

    @property
    def is_redoing(self) -> bool:
        """Whether somebody is going back and forth through what they have changed, or may bring back what they cut."""
        return cut_text.cut_in(self.app).is_awaited or time.monotonic() < self._redoes_until

    def action_new_line(self) -> None:
        """Begin a new line."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    # -- choosing ---------------------------------------------------------------------------------------------------

    @property
    def before_cursor(self) -> str:
        """What stands before the cursor in its line; nothing while something is selected, or a word goes on there."""
        row, column = self.cursor_location
        line = self.document[row]
        is_at_end = not line[column : column + 1].strip()
        return line[:column] if self.selection.is_empty and is_at_end else ""

    @property
    def open_choice(self) -> Choice | None:
        """What is to be chosen from, if anything is: what is typed may become a command, or name a file."""
        if self.choice is not None and self.choice.is_open(self.text):
            return self.choice
        return self.mentions if self.mentions is not None and self.mentions.is_open(self.before_cursor) else None

    @property
    def is_choosing(self) -> bool:
        """Whether what is typed may become a command, or name a file."""
        return self.open_choice is not None

    @property
    def is_whole(self) -> bool:
        """Whether what is typed is the marked one already."""
        return self._completion() is None

    def complete(self, at: int | None = None) -> bool:
        """Make the marked command or file of what is typed, or the one at a place; whether that is another text."""
        completion = self._completion(at)
        if isinstance(completion, str):
            self.set_text(completion)
        elif completion is not None:
            row, column = self.cursor_location
            start, text = completion
            follows = self.document[row][column : column + 1]
            text = text.rstrip() if follows else text
            self.replace(text, (row, start), (row, column), maintain_selection_offset=False)
            if follows:
                self.action_cursor_right()
            if self.mentions is not None:
                self.mentions.on_chosen(text.rstrip())
        return completion is not None

    def _completion(self, at: int | None = None) -> str | tuple[int, str] | None:
        """The whole text as a command would have it, or what stands from a column of the line on."""
        if self.open_choice is None:
            return None
        if self.open_choice is self.choice:
            return self.choice.completion(self.text, at)
        if self.mentions is None:
            return None
        text = self.get_text_range((0, 0), self.cursor_location)
        command = text if text.lstrip("\n").startswith("!") else ""
        return self.mentions.completion(self.before_cursor, at, command=command)

    def action_send(self) -> None:
        """Send the text; complete what has been begun; after a backslash, begin a new line in its place."""
        if self.complete():
            return
        row, column = self.cursor_location
        if self.selection.is_empty and self.document[row][:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        self.post_message(self.Submitted(self, self.take().rstrip().lstrip("\n")))

    # -- earlier prompts --------------------------------------------------------------------------------------------

    async def action_older(self) -> None:
        """The line above; from the first line, the previous prompt."""
        if (choice := self.open_choice) is not None:
            choice.step(-1)
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif self.is_in_form:
            raise SkipAction
        elif await self._step(-1):
            # The end of the first line, so that the key goes on to the prompt before that.
            self.move_cursor((0, 0))
            self.action_cursor_line_end()

    async def action_newer(self) -> None:
        """The line below; from the last line, the next prompt."""
        if (choice := self.open_choice) is not None:
            choice.step(1)
        elif not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif self.is_in_form:
            raise SkipAction
        else:
            await self._step(1)

    async def _step(self, by: int) -> bool:
        if self._walk is None and by < 0 and self._earlier is not None:
            try:
                self._walk = HistoryWalk(await self._earlier.texts(), self.text)
            except OSError as error:
                self._tell(f"Earlier prompts cannot be read: {error.strerror or error}")
        text = self._walk.step(by, self.text) if self._walk is not None else None
        if text is not None:
            self.set_text(text)
        return text is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to search where nothing is remembered."""
        return self._earlier is not None if action == "search" else super().check_action(action, parameters)

    def action_search(self) -> None:
        """Look for an earlier prompt, where there is something to look through."""
        self.post_message(self.SearchRequested())

    @work(group="history")
    async def _save(self, history: PromptHistory) -> None:
        try:
            await history.save()
        except OSError as error:
            self._tell(f"The prompt will not be remembered, its file cannot be written: {error.strerror or error}")

    # -- the person's own editor ------------------------------------------------------------------------------------

    def action_edit_outside(self) -> None:
        """Edit the text in the person's own editor."""
        self._edit_outside()

    @work(group="editor", exclusive=True)
    async def _edit_outside(self) -> None:
        from maverick_tui.ui.editor import edit_text

        shown, above = self.whole_text, ""

        def saved(text: str) -> None:
            nonlocal shown, above
            if self.whole_text != shown:  # it came while the text was edited, and would be lost
                above = self.whole_text
            self.set_text("\n".join(filter(None, (above, text))))
            shown = self.from_editor = self.whole_text

        self.is_edited_outside, self.from_editor = True, ""
        try:
            await edit_text(self.app, shown, saved)
        except MaverickError as error:
            self._tell(str(error))
        finally:
            self.is_edited_outside = False

    def _tell(self, what: str) -> None:
        self.notify(inert(what), title="Prompt", severity="warning", markup=False)

    # -- painting ---------------------------------------------------------------------------------------------------

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the text has, within bounds."""
        return min(self.wrapped_document.height, self._room(viewport))

    def _room(self, viewport: Size) -> int:
        return max(1, min(MOST_LINES, viewport.height // 3 - self.gutter.height))

    def _fit(self) -> None:
        """Say whether the text needs a scrollbar, which would otherwise flash up while the prompt is about to grow."""
        if self.is_attached:
            self.set_class(self.wrapped_document.height > self._room(self.app.size), "-long")

    def on_resize(self) -> None:
        """Other bounds now, and other lines when TextArea has dealt with it.

        It does not paint them if there are as many as before.
        """
        self.placeholder = Content(self._placeholder)
        self.call_next(self._fit)
        self.call_next(self.refresh)

    def on_idle(self) -> None:
        """Every message is dealt with; what has changed is painted before Textual does it."""
        self._painter.paint()

    def notify_style_update(self) -> None:
        """The stylesheet has something else to say."""
        self._is_styled = False
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """One row; where there is no room between the borders a TextArea fails to wrap its placeholder."""
        return super().render_line(y) if self.content_size.width else Strip([])

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows, for Textual."""
        rows = self._rows(crop)
        self._painter.saw(crop, rows)
        return rows

    def _rows(self, crop: Region) -> list[Strip]:
        # A TextArea reads its colours from the stylesheet for every frame, which takes twice as long as the rest.
        if self._is_styled:
            return super(TextArea, self).render_lines(crop)
        self._is_styled = True
        return super().render_lines(crop)
