"""ReadDialog: a dialog that does what it asks about only once all of it has been on the screen."""

from __future__ import annotations

from textual.containers import Vertical
from textual.content import Content
from textual.screen import ScreenResultType
from textual.widget import Widget
from textual.widgets import Static

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.lines import ReadLines


class ReadDialog(ArmedDialog[ScreenResultType]):
    """In a window that is too low for all of it, its box is turned in pages; so are lines in it that have a window."""

    def __init__(self) -> None:
        super().__init__(classes="dialog")
        self._seen: set[int] = set()
        """The rows that have been on the screen."""
        self._covered = frozenset[int]()
        """Those of the box's own height that a notice is over."""

    def on_mount(self) -> None:
        """Note which rows are read; whichever are shown are to be on the terminal."""
        self.watch(self._box, "scroll_y", self.wait_drawn, init=False)
        self.screen_layout_refresh_signal.subscribe(self, lambda _screen: self._look_for_notices())
        for lines in self._windows:
            self.watch(lines, "top", self.wait_drawn, init=False)

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """Stay where it is read: in a low window the answers are further down, and Textual would go there."""
        super().set_focus(widget, scroll_visible=False, from_app_focus=from_app_focus)

    def on_resize(self) -> None:
        """What is in which row may be another."""
        self._seen.clear()
        self.wait_drawn()

    @property
    def _box(self) -> Vertical:
        return self.query_one(".dialog--box", Vertical)

    @property
    def _windows(self) -> list[ReadLines]:
        """The lines in the box that have a window of their own."""
        return [one for one in self._box.children if isinstance(one, ReadLines)]

    def when_armed(self) -> None:
        """What is shown by now has been drawn."""
        top, rows = round(self._box.scroll_y), range(self._box.container_size.height)
        self._seen.update(top + row for row in rows if row not in self._rows_under_notices())

    def _rows_under_notices(self) -> frozenset[int]:
        inner = self._box.content_region
        notices = (one.region.intersection(inner) for one in self.query("Toast"))
        return frozenset(y - inner.y for notice in notices if notice for y in range(notice.y, notice.bottom))

    def _look_for_notices(self) -> None:
        """What a notice has come over is to be read without it: it may have come with the rows themselves."""
        if (covered := self._rows_under_notices()) != self._covered:
            top = round(self._box.scroll_y)
            self._seen.difference_update(top + row for row in covered - self._covered)
            self._covered = covered
            self.wait_drawn()

    def forget_read(self) -> None:
        """Other words stand in its rows now."""
        self._seen.clear()

    def wait_for_reading(self) -> None:
        """Words have come, or others: what is being typed was meant before anybody could read them."""
        self.forget_read()
        self.wait_still()

    def ask_anew(self, title: str, text: str) -> None:
        """Ask in these words from now on: those before may have asked less."""
        self.query_one(".dialog--title", Static).update(Content(one_line(title)))
        self.query_one(".dialog--text", Static).update(Content(inert(text)))
        self.wait_for_reading()

    def action_page(self, by: int) -> None:
        """Read on, or back."""
        self.app.clear_notifications()
        self._box.scroll_relative(y=by * max(self._box.container_size.height - 1, 1), animate=False, immediate=True)

    def show_unread(self) -> bool:
        """Show the next of what has not been seen, and say so; False if all of it has been."""
        box = self._box
        self.when_armed()  # or whoever clicks has seen what they click on
        unseen = next((row for row in range(box.virtual_size.height) if row not in self._seen), None)
        has_rows = box.container_size.height > 0
        if unseen is None and has_rows and (unseen := self._unread_in_lines()) is None:
            return False
        self.wait_still()  # a key that is held down is not read with
        if self._rows_under_notices():  # one that says so would be in the way as well
            self.app.clear_notifications()
            if unseen is not None and round(box.scroll_y) <= unseen < round(box.scroll_y) + box.container_size.height:
                return True
        box.scroll_to(y=unseen, animate=False, immediate=True)
        why = "You have not seen all of it: PgDn shows more." if has_rows else "The window is too low to read this."
        self.notify(why, timeout=3)
        return True

    def _unread_in_lines(self) -> int | None:
        """Turn windows to what is to be read in them; the first row of the box where that stands, if it is anywhere."""
        found: list[int] = []
        for lines in self._windows:
            if (unread := lines.first_unread) is not None:
                lines.top = unread
                found.append(lines.virtual_region.y + unread - lines.top)
        return min(found, default=None)
