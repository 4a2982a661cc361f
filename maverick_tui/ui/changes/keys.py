"""The keys of the changes of a run: which action each of them is bound to."""

from __future__ import annotations

from textual.binding import Binding


def _quiet(key: str, action: str, text: str, name: str) -> Binding:
    """A key that the help tells of, and the last line does not."""
    return Binding(key, action, text, id=f"changes.{name}", show=False)


DIFF_KEYS = (
    Binding("c", "screen.comment", "comment", id="changes.comment"),
    Binding("x", "screen.reject", "reject", id="changes.reject"),
    Binding("enter,g", "screen.go_to_call", "call", key_display="Enter", id="changes.call"),
    _quiet("n", "screen.hunk(1)", "Next hunk, also of the next file", "next_hunk"),
    _quiet("N,p", "screen.hunk(-1)", "Hunk before", "hunk_before"),
    _quiet("space", "screen.mark", "Choose this hunk for a commit, or not", "mark_hunk"),
    _quiet("d,delete", "screen.drop_comment", "Drop this comment", "drop_comment"),
    _quiet("y", "screen.copy", "Copy this hunk", "copy"),
    _quiet("up,k", "move(-1)", "Line up", "up"),
    _quiet("down,j", "move(1)", "Line down", "down"),
    _quiet("pageup", "page(-1)", "Page up", "page_up"),
    _quiet("pagedown", "page(1)", "Page down", "page_down"),
    _quiet("home", "end(-1)", "First line", "first"),
    _quiet("end,G", "end(1)", "Last line", "last"),
)
"""Those of the diff."""

FILE_KEYS = (
    Binding("enter", "screen.read", "read", key_display="Enter", id="changes.read"),
    Binding("space", "screen.mark", "mark", key_display="Space", id="changes.mark_file"),
    Binding("C", "screen.commit", "commit", id="changes.commit_files"),
    _quiet("up,k", "move(-1)", "File above", "file_up"),
    _quiet("down,j", "move(1)", "File below", "file_down"),
    _quiet("pageup", "page(-1)", "Page up", "files_page_up"),
    _quiet("pagedown", "page(1)", "Page down", "files_page_down"),
    _quiet("home", "end(-1)", "First file", "first_file"),
    _quiet("end,G", "end(1)", "Last file", "last_file"),
)
"""Those of the list of files."""

CHANGES_KEYS = (
    Binding("t", "choose_scope", "scope", id="changes.scope"),
    Binding("u", "undo", "undo", id="changes.undo"),
    Binding("escape", "leave", "back", key_display="Esc", id="changes.leave"),
    _quiet("tab,shift+tab", "switch_focus", "Between files and diff", "focus"),
    _quiet("U", "redo", "Give back what was undone", "redo"),
    _quiet("S", "send", "Send all comments to the agent", "send"),
    _quiet("C", "commit", "Commit what is chosen, or all", "commit"),
    _quiet("v", "view", "Side by side, or one below the other", "view"),
    _quiet("a", "others", "Also what you and other runs have changed, or not", "others"),
    _quiet("right_square_bracket", "file(1)", "Next file", "next_file"),
    _quiet("left_square_bracket", "file(-1)", "File before", "file_before"),
    _quiet("right_curly_bracket", "turn(1)", "Next turn alone", "next_turn"),
    _quiet("left_curly_bracket", "turn(-1)", "Turn before alone", "turn_before"),
    _quiet("right_parenthesis", "call(1)", "Next call alone", "next_call"),
    _quiet("left_parenthesis", "call(-1)", "Call before alone", "call_before"),
    _quiet("s", "since", "All since this turn, or the turn alone", "since"),
    _quiet("0", "all", "All since the start", "all"),
    _quiet("ctrl+r", "reload", "Look at the files again", "reload"),
    _quiet("alt+c", "leave", "Back to where you came from", "close"),
)
"""Those of the screen, wherever the focus is."""
