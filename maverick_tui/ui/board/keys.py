"""The keys of the board and of the runs side by side: which action each of them is bound to."""

from __future__ import annotations

from textual.binding import Binding

from maverick_tui.ui.run.keys import QUESTION_KEYS

BOARD_KEYS = (
    Binding("enter", "open", "open", key_display="Enter", id="board.open"),
    Binding("space", "peek", "peek", key_display="Space", id="board.peek"),
    Binding("right", "peek", "peek", key_display="→", id="board.peek_typing"),  # a blank is text once there is some
    Binding("delete", "interrupt", "interrupt", key_display="Del", id="board.interrupt"),
    Binding("f8", "interrupt_all", "interrupt all", id="board.interrupt_all"),
    Binding("escape", "back", "back", key_display="Esc", id="board.back", priority=True),
    Binding("insert,alt+m", "mark", "mark", key_display="Ins", id="board.mark"),
    Binding("f4", "side_by_side", "side by side", id="board.side_by_side"),
    Binding("alt+c", "changes", "What it has changed", show=False, id="board.changes"),
    Binding("f9", "end_run", "End this run", show=False, id="board.end"),
    Binding("f2", "name", "Name this run", show=False, id="board.name"),
    Binding("ctrl+t", "tag", "Tag this run", show=False, id="board.tag"),
    Binding("ctrl+s", "leave", "Back to where you came from", show=False, id="board.leave"),
    Binding("tab", "switch_focus", "Between the runs and the one that is looked at", show=False, id="board.focus"),
    Binding("ctrl+u", "clear", "Clear what is typed", show=False, id="board.clear"),
    Binding("up", "move(-1)", "Row up", show=False, id="board.up"),
    Binding("down", "move(1)", "Row down", show=False, id="board.down"),
    Binding("pageup", "page(-1)", "Page up", show=False, id="board.page_up"),
    Binding("pagedown", "page(1)", "Page down", show=False, id="board.page_down"),
    Binding("home", "end(-1)", "First row", show=False, id="board.first"),
    Binding("end", "end(1)", "Last row", show=False, id="board.last"),
    Binding("shift+up", "scroll_peek(-1)", "Transcript up", show=False, id="board.peek_up"),
    Binding("shift+down", "scroll_peek(1)", "Transcript down", show=False, id="board.peek_down"),
)

ANSWER_KEYS = tuple(key for key in QUESTION_KEYS if key.id and key.id.startswith("approval."))
"""Those that answer the question of the run that is looked at."""

SIDE_KEYS = (
    Binding("enter", "open", "open", key_display="Enter", id="side.open", priority=True),
    Binding("tab", "other(1)", "next", key_display="Tab", id="side.next", priority=True),
    Binding("shift+tab", "other(-1)", "Previous run", show=False, id="side.previous", priority=True),
    Binding("delete", "interrupt", "interrupt", key_display="Del", id="side.interrupt"),
    Binding("escape", "back", "back", key_display="Esc", id="side.back", priority=True),
    *QUESTION_KEYS,
)
