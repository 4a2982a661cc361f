"""The keys of a run's screen: which action each of them is bound to."""

from __future__ import annotations

from textual.binding import Binding


def _first(key: str, action: str, text: str, name: str) -> Binding:
    """A key that the screen takes before any widget does."""
    return Binding(key, action, text, id=name, priority=True, show=False)


_PAGES = (
    _first("pageup", "page(-1)", "Up a page", "run.page_up"),
    _first("pagedown", "page(1)", "Down a page", "run.page_down"),
)
_APPROVAL = (
    _first("ctrl+y", "allow_once", "Allow once", "approval.allow_once"),
    _first(
        "ctrl+t",
        "allow_run",
        "Allow this very call for the run, or any further such edit of the file (press twice)",
        "approval.allow_run",
    ),
    _first("alt+t", "allow_alike", "Allow calls that begin alike for the run (press twice)", "approval.allow_alike"),
    _first("alt+a", "allow_all", "Allow all of the tool for the run (press twice)", "approval.allow_all"),
    _first("alt+r", "allow_always", "Always allow, by a rule", "approval.allow_always"),
    _first("alt+e", "edit_call", "Change the call, and allow it once", "approval.edit_call"),
    _first("ctrl+x", "deny", "Deny", "approval.deny"),
    _first("ctrl+r", "deny_reason", "Deny with a reason", "approval.deny_reason"),
)
QUESTION_KEYS = (*_PAGES, *_APPROVAL)
"""The keys of a screen on which a question is seen and answered, whatever else it shows."""
RUN_KEYS = (
    _first("escape", "escape", "Interrupt", "run.interrupt"),
    _first("alt+s", "stop_scope", "Stop a tool, a subagent, the turn, the run or all runs", "run.stop_scope"),
    _first("shift+tab", "cycle_mode", "Next permission mode", "run.mode"),
    _first("tab", "switch_focus", "Between prompt and transcript", "run.focus"),
    _first("ctrl+n", "app.new_run", "Another agent", "run.new"),
    _first("ctrl+pagedown", "app.other_run(1)", "Next run", "run.next"),
    _first("ctrl+pageup", "app.other_run(-1)", "Previous run", "run.previous"),
    _first("ctrl+o", "verbosity", "Show more or less", "run.verbosity"),
    _first("ctrl+b", "toggle_panel", "Usage panel", "run.panel"),
    _first("ctrl+f", "find", "Find", "run.find"),
    *_PAGES,
    _first("ctrl+end", "follow", "To the end, and follow it", "run.follow"),
    _first("alt+up", "edit_queued", "Take back the last queued prompt", "run.edit_queued"),
    _first("alt+x", "drop_queued", "Drop the last queued prompt", "run.drop_queued"),
    _first("alt+k", "show_queue", "The prompts that wait: edit, move, drop, send now", "run.queue"),
    _first("f2", "name_run", "Name this run", "run.name"),
    _first("f3", "app.history", "All runs: history, search, totals", "run.history"),
    _first("ctrl+s", "app.board", "Board: all live runs", "run.board"),
    _first("alt+c", "changes", "What it has changed: diff, comments, undo, commit", "run.changes"),
    _first("alt+p", "app.replay_run", "Play this run again", "run.replay"),
    _first("alt+w", "app.worktree", "Its worktree: merge, keep or remove", "run.worktree"),
    _first("f9", "app.close_run", "Close this run", "run.close"),
    _first("f4", "edit_transcript", "Transcript in your editor", "run.editor"),
    *_APPROVAL,
    _first("f5", "banner_retry", "Retry the prompt", "banner.retry"),
    _first("f6", "banner_continue", "Continue from here", "banner.continue"),
    _first("alt+g", "banner_wait", "Continue by itself when the limit resets, or not", "banner.wait"),
    _first("f7", "banner_copy", "Copy what came", "banner.copy"),
    _first("f8", "banner_details", "Details of the failure", "banner.details"),
    Binding("slash", "find", "Find", id="transcript.find", show=False),
    Binding("e", "edit_transcript", "Transcript in your editor", id="transcript.editor", show=False),
    Binding("f", "fork_here", "Fork from the chosen prompt or answer", id="transcript.fork", show=False),
    Binding("d", "changes_here", "Changes of the chosen call", id="transcript.changes", show=False),
    Binding("i", "focus_prompt", "Back to the prompt", id="transcript.leave", show=False),
)
GOING_ON = ("banner.continue", "banner.retry", "banner.wait")
"""What a run that cannot go on has no keys for."""
