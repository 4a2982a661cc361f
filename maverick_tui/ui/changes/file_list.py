"""FileList: the files that have changed, one of them chosen; and lines of text around it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.inert import whole_line
from maverick_tui.ui.changes.drawing import CURSOR, fitted
from maverick_tui.ui.changes.keys import FILE_KEYS
from maverick_tui.ui.lines import Line, ScrolledLines, inert_strip, role_look
from maverick_tui.ui.rendering.wrap import cut

if TYPE_CHECKING:
    from maverick_tui.review.commit_preview import Whole
    from maverick_tui.review.kinds import ChangedFile

LETTERS = {"added": "A", "changed": "M", "deleted": "D", "renamed": "R", "mode": "P", "type": "T"}
"""As git has them; permissions, which it calls a change, have one of their own."""
_LOOKS = {"A": "success", "D": "error", "R": "accent"}


def shown_path(path: str) -> str:
    """A path, whatever is in it, on one line that hides nothing."""
    return whole_line(path.encode(errors="surrogateescape").decode(errors="backslashreplace"))


def counts(file: ChangedFile | Whole) -> Line:
    """How many lines have come and gone."""
    if file.is_binary:
        return (("binary", "muted"),)
    added = (f"+{file.added:,}", "success") if file.added else ("", "text")
    deleted = (f"-{file.deleted:,}", "error") if file.deleted else ("", "text")
    between = " " if file.added and file.deleted else ""
    return (added, (between, "text"), deleted)


def counts_of_change(file: ChangedFile) -> Line:
    """How many lines of a file the run has changed, if that is known."""
    return (("not kept", "muted"),) if file.not_kept else counts(file)


class FileList(ScrolledLines, can_focus=True):
    """One row for each file; keys that do not move are the screen's."""

    BINDING_GROUP_TITLE = "Files"
    BINDINGS: ClassVar[list[BindingType]] = [*FILE_KEYS]

    def __init__(self, moved: Callable[[], None], opened: Callable[[], None]) -> None:
        """`moved` hears that another file is chosen, `opened` that one was clicked twice."""
        super().__init__(id="files")
        self._moved = moved
        self._opened = opened
        self.files: Sequence[ChangedFile] = ()
        self.marked: Collection[str] = ()
        """Those that are chosen for a commit."""
        self.committed: Collection[str] = ()
        """Those of which nothing is left to commit."""
        self.comments: Callable[[str], int] = lambda _path: 0
        self.at = 0

    @property
    def file(self) -> ChangedFile | None:
        """The chosen one."""
        return self.files[self.at] if self.at < len(self.files) else None

    def show(self, files: Sequence[ChangedFile], path: str) -> None:
        """List these files, with the one of this path chosen; else the one that has its place."""
        is_other = len(files) != len(self.files)
        self.files = files
        known = next((at for at, file in enumerate(files) if path in (file.path, file.was)), None)
        self.at = known if known is not None else max(0, min(self.at, len(files) - 1))
        self.top = self.validate_top(self.top)
        self.bring_into_view(self.at, self.at)
        self.refresh(layout=is_other)

    def move(self, by: int) -> bool:
        """Choose another file; whether there is one."""
        at = max(0, min(self.at + by, len(self.files) - 1))
        if at == self.at or not self.files:
            return False
        self.at = at
        self.bring_into_view(self.at, self.at)
        self.refresh()
        self._moved()
        return True

    def action_move(self, by: int) -> None:
        """Choose the next one, or the one before."""
        self.move(by)

    def action_page(self, by: int) -> None:
        """The same by a page."""
        self.move(by * max(self.page - 1, 1))

    def action_end(self, to: int) -> None:
        """The same to the first or to the last."""
        self.move(to * len(self.files))

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        return len(self.files)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are files; the stylesheet says how many at most."""
        return max(len(self.files), 1)

    def on_resize(self, _event: events.Resize) -> None:
        """Keep the chosen one in view."""
        self.top = self.validate_top(self.top)
        self.bring_into_view(self.at, self.at)

    def on_click(self, event: events.Click) -> None:
        """Choose a file; the second click of two opens it."""
        offset = event.get_content_offset(self)
        at = len(self.files) if offset is None or self._is_bar(event) else self.top + offset.y
        if at < len(self.files):
            event.stop()
            self.move(at - self.at)
            if event.chain == 2:
                self._opened()

    def draw_line(self, index: int, width: int) -> Strip:
        """One file: its mark, letter, path, whether it is committed, comments and counts."""
        file, is_chosen = self.files[index], index == self.at
        letter = LETTERS[file.status]
        comments = self.comments(file.path)
        end: Line = ((f" ✎{comments}" if comments else "", "warning"), (" ", "text"), *counts_of_change(file))
        end = ((" ✓", "muted"), *end) if file.path in self.committed else end
        mark = ("☑ " if file.path in self.marked else "☐ ") if self.marked else ""
        start: Line = ((f"{CURSOR if is_chosen else ' '} {mark}", "accent"), (f"{letter} ", _LOOKS.get(letter, "text")))
        room = width - sum(cell_len(text) for text, _ in (*start, *end))
        path = _end_of(shown_path(file.path), max(room, 8))
        line = (*start, (path, "text"), (" " * max(room - cell_len(path), 0), "text"), *end)
        look = "highlight" if self.has_focus else "highlight-muted"
        return Strip([Segment(text, self.look(look if is_chosen else role)) for text, role in line if text])


def _end_of(path: str, room: int) -> str:
    """The path, or as many of its last parts as fit: those tell which one it is."""
    if cell_len(path) <= room:
        return path
    parts = path.split("/")
    for first in range(1, len(parts)):
        shorter = f"…/{'/'.join(parts[first:])}"
        if cell_len(shorter) <= room:
            return shorter
    return cut(parts[-1], room)


class EdgeLine(Widget):
    """One line of text with something at its right end; the beginning gives way."""

    ALLOW_SELECT = False

    def __init__(self, id: str, *, fill: str = " ") -> None:
        """`fill` stands between the two."""
        super().__init__(id=id)
        self._fill = fill
        self._left: Line = ()
        self._right: Line = ()

    def tell(self, left: Line, right: Line = ()) -> None:
        """Show this."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh(layout=self.styles.is_auto_width)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(text for text, _ in (*self._left, *self._right))

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """What there is to read."""
        return cell_len(self.text)

    def render_line(self, y: int) -> Strip:
        """The one line."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        right = fitted(self._right, width)
        left = fitted(self._left, width - sum(cell_len(text) for text, _ in right) - bool(right))
        gap = width - sum(cell_len(text) for text, _ in (*left, *right))
        fill = self._fill * gap if gap < 3 or self._fill == " " else f" {self._fill * (gap - 2)} "
        pieces = [*left, (fill, "faint"), *right]
        strip = Strip([Segment(text, role_look(self, role)) for text, role in pieces if text])
        return inert_strip(strip).crop_extend(0, width, self.rich_style)
