"""Lines that are drawn as they come into view, and nothing else: in looks by their role, scrolled, as a whole text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style as ContentStyle
from textual.widget import Widget

from maverick_tui.inert import inert
from maverick_tui.ui.textual_private.painting import uncovered_rows

Span: TypeAlias = tuple[str, str]
"""A piece of inert text and its role, which the stylesheet gives a look."""
Line: TypeAlias = tuple[Span, ...]

ROLES = (
    "text", "muted", "faint", "strong", "caption", "accent", "match", "success", "warning", "error", "badge", "cursor",
    "highlight", "highlight-muted", "highlight-match",
)  # fmt: skip
ROLE_CLASSES = {f"role--{role}" for role in ROLES}
"""Component classes for the screen or the container that all drawn widgets are in."""
_BREAKS = {ord(one): " " for one in "\t\n"}
WHEEL = 3
"""Lines that one notch of the wheel moves."""
Layout = Callable[[int], list[Line]]
"""Makes the lines for a width; it must not depend on anything else."""


class RoleLooks(Vertical):
    """A container with looks for what is drawn in it.

    Each component class of each widget is matched with all rules when the widget is styled, so five widgets with looks
    of their own would take longer than everything else about the first frame.
    """

    COMPONENT_CLASSES = ROLE_CLASSES


def role_look(widget: Widget, role: str) -> Style:
    """How text of this role looks here."""
    for holder in widget.ancestors:
        if isinstance(holder, Widget) and "role--text" in holder.COMPONENT_CLASSES:
            return holder.get_component_rich_style(f"role--{role}")
    return widget.rich_style


def clickable(words: Sequence[tuple[str, str]]) -> Content:
    """A line that names keys: a click on words does what their action is, if they have one."""
    parts = ((text, ContentStyle.from_meta({"@click": action}) if action else "") for text, action in words)
    return Content("   ").join(Content.assemble(part) for part in parts)


def inert_strip(strip: Strip) -> Strip:
    """What reaches the terminal of a row: nothing in it steers or hides, whatever its maker was given."""
    text = strip.text
    if _flat(text) == text:  # as a whole: a style may end within an emoji
        return strip
    return Strip([Segment(_flat(segment.text), segment.style) for segment in strip])


def _flat(text: str) -> str:
    return inert(text).translate(_BREAKS)


class ScrolledLines(Widget, can_focus=False):
    """A window on many lines, with a bar in its last column if there are more than fit.

    Textual's own scrolling widgets lay the whole screen out again when their length changes, which here happens with
    every key. This one has a fixed size and a first line.
    """

    ALLOW_SELECT = False
    top: reactive[int] = reactive(0)
    """The first line that is in view."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._looks: dict[str, Style] = {}
        self._frame: tuple[int, range] = (1, range(0))

    @property
    @abstractmethod
    def line_count(self) -> int:
        """How many lines there are."""

    @abstractmethod
    def draw_line(self, index: int, width: int) -> Strip:
        """One line; what is too short is filled up."""

    @property
    def room(self) -> int:
        """Columns of a line: all but that of the bar, which is always free so that nothing jumps."""
        return max(self.content_size.width - 1, 1)

    @property
    def page(self) -> int:
        """Lines that are in view."""
        return max(self.content_size.height, 1)

    @property
    def last_top(self) -> int:
        """The first line in view when the last one is."""
        return max(self.line_count - self.page, 0)

    def validate_top(self, top: int) -> int:
        """There is nothing above the first line, and nothing below the last."""
        return min(max(top, 0), self.last_top)

    def go_by(self, lines: int) -> None:
        """Move the window."""
        self.top += lines

    def bring_into_view(self, first: int, last: int) -> None:
        """Move the window as little as it takes to have these lines in it; where it is too low, the first of them."""
        if first < self.top:
            self.top = first
        elif last >= self.top + self.page:
            self.top = last - self.page + 1

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Read on."""
        event.stop()
        self.go_by(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Read back."""
        event.stop()
        self.go_by(-WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the bar."""
        if self._is_bar(event) and self.last_top:
            event.stop()
            self.capture_mouse()
            self._drag(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the bar."""
        if self.app.mouse_captured is self:
            event.stop()
            self._drag(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of it."""
        if self.app.mouse_captured is self:
            event.stop()
            self.release_mouse()

    def line_at(self, event: events.MouseEvent) -> int | None:
        """The line that the mouse is on; None on the bar, and where there is none."""
        offset = event.get_content_offset(self)
        if offset is None or self._is_bar(event) or self.top + offset.y >= self.line_count:
            return None
        return self.top + offset.y

    def _is_bar(self, event: events.MouseEvent) -> bool:
        offset = event.get_content_offset(self)
        return offset is not None and offset.x >= self.room

    def _drag(self, event: events.MouseEvent) -> None:
        y = event.screen_y - self.content_region.y
        self.top = round(y / max(self.page - 1, 1) * self.last_top)

    def on_resize(self, _event: events.Resize) -> None:
        """Stay within the lines."""
        self.top = self.validate_top(self.top)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """What is in view; width and bar are measured once for all lines."""
        self._frame = (self.room, self._thumb())
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the screen, and its piece of the bar."""
        room, thumb = self._frame
        index, base = self.top + y, self.look()
        line = inert_strip(self.draw_line(index, room)) if index < self.line_count else Strip([])
        bar = Segment("┃", self.look("faint")) if y in thumb else Segment(" ", base)
        return Strip([*line.crop_extend(0, room, base), bar])

    def _thumb(self) -> range:
        """The lines of the screen that the bar is on."""
        if not self.last_top:
            return range(0)
        size = max(round(self.page * self.page / self.line_count), 1)
        start = round(self.top / self.last_top * (self.page - size))
        return range(start, start + size)

    def look(self, role: str = "") -> Style:
        """How text of this role looks, or the widget itself; asked for many times in a frame."""
        if role not in self._looks:
            self._looks[role] = role_look(self, role) if role else self.rich_style
        return self._looks[role]

    def notify_style_update(self) -> None:
        """Forget the looks when the theme has changed."""
        super().notify_style_update()
        self._looks.clear()


class ReadLines(ScrolledLines):
    """Lines that know which of them have been on the screen."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._seen: set[int] = set()
        self._seen_in = Size()
        """The size in which they were."""
        self._is_read = False
        self._was_turned = False
        """Whether there were more than fit when the last of them was seen."""

    @property
    def first_unread(self) -> int | None:
        """The first line that has not been on the screen since it is there; None once all of them have."""
        self._look_at_size()
        return None if self._is_read else next(at for at in range(self.line_count + 1) if at not in self._seen)

    def forget_read(self) -> None:
        """Other lines stand there now."""
        self._is_read = False
        self._seen.clear()

    def forget_drawn(self) -> None:
        """The same lines are drawn anew, in less room perhaps: nobody may have been there to see them before.

        Whoever has turned all the pages was there, and has read them.
        """
        if not (self._is_read and self._was_turned):
            self.forget_read()

    def _look_at_size(self) -> None:
        """It may be another terminal, in which all of it had room: tmux keeps a window while nobody is attached."""
        if self._seen_in != self.content_size:
            self._seen_in = self.content_size
            self.forget_drawn()

    def render_lines(self, crop: Region) -> list[Strip]:
        """What is in view, which counts as read where nothing is over it."""
        strips = super().render_lines(crop)
        self._look_at_size()
        if not self._is_read:
            first = self.top - (self.content_region.y - self.region.y)
            self._seen.update(first + y for y in uncovered_rows(self).intersection(crop.line_range))
            self._is_read, self._was_turned = self._seen.issuperset(range(self.line_count)), self.last_top > 0
        return strips


class LineView(ReadLines):
    """A long inert text, laid out for its width, each piece in the look of its role."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout: Layout = lambda _: []
        self._lines: list[Line] = []
        self._laid_out = 0

    def show(self, layout: Layout, *, keep_place: bool = False) -> None:
        """Show another text, from its beginning unless it is the same one again."""
        self._layout, self._laid_out = layout, 0
        self.forget_read()
        self._lay_out()
        self.refresh()
        self.top = self.top if keep_place else 0

    @property
    def text(self) -> str:
        """All lines as plain text."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def on_resize(self, _event: events.Resize) -> None:
        """Lay the text out again if the width is another one."""
        self._lay_out()

    def render_lines(self, crop: Region) -> list[Strip]:
        """What is in view; the first frame of another width does not wait to be told about it."""
        self._lay_out()
        return super().render_lines(crop)

    def _lay_out(self) -> None:
        if self.room != self._laid_out:
            self._laid_out = self.room
            self._lines = self._layout(self.room)
            self.forget_drawn()

    def draw_line(self, index: int, width: int) -> Strip:
        """One line; what is too short is filled up."""
        return Strip([Segment(text, self.look(role)) for text, role in self._lines[index] if text])
