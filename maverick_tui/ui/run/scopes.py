"""What of a run can be stopped now, and how each of it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.events.background import COMMANDS, SUBAGENTS
from maverick_tui.runs.tool_text import describe, key_argument
from maverick_tui.ui.dialogs.scopes import Scope, ScopesScreen

if TYPE_CHECKING:
    from textual.screen import Screen

    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.entries import ToolEntry

_MOST_CALLS = 12
"""Calls that are offered, the newest: more would need to be looked through."""


def scopes_of(run: RunModel) -> list[Scope]:
    """What can be stopped, the smallest first."""
    if not run.is_ours:
        return []
    store = run.store
    folder = store.loaded.cwd if store.loaded is not None else ""
    engine = store.loaded.engine if store.loaded is not None else ""
    is_able = run.attached is None or run.attached.stops_calls
    calls = [entry for entry in store.calls.stoppable if is_able and _may_stop_alone(entry, engine)][-_MOST_CALLS:]
    scopes = [_call(entry, folder, store.calls.depth(entry.parent)) for entry in reversed(calls)]
    if store.is_running:
        scopes.append(Scope("turn", "this turn", "what waits is held"))
    scopes.append(Scope("run", f"this run, {run.title}", "it ends, and is kept"))
    if count := len(run.others_at_work):
        others = "1 other run" if count == 1 else f"{count} other runs"
        scopes.append(Scope("all runs", f"the turns of this and {others} at work"))
    return scopes


def _may_stop_alone(entry: ToolEntry, engine: str) -> bool:
    """Whether it makes sense to stop this call: it is not stopping yet, and its engine can stop it."""
    is_task = bool(entry.task_state) or entry.name in (*COMMANDS, *SUBAGENTS)
    return not entry.is_stopped and (is_task or engine != "claude-code")


def _call(entry: ToolEntry, folder: str, depth: int) -> Scope:
    about = key_argument(entry.name, entry.arguments, folder)
    is_subagent = entry.name in SUBAGENTS or (bool(entry.task_state) and entry.name not in COMMANDS)
    note = "in the background" if entry.is_task_alive and not entry.is_open else "of a subagent" if depth else ""
    name = about if is_subagent and about else f"{describe(entry.name)} {about}".rstrip()
    return Scope("subagent" if is_subagent else "tool", name, note, entry.call)


def ask_scope(screen: Screen[None], run: RunModel) -> None:
    """Ask what is to stop, and stop it: what came of that is told by the run."""
    scopes = scopes_of(run)
    if not scopes:
        why = "You are only reading this run." if run.is_only_watched else "Nothing of this run goes on."
        screen.notify(why, timeout=4)
        return

    turn = run.store.turn

    def stop(scope: Scope | None) -> None:
        if scope is None:
            return
        if scope.call:
            run.stop_call(scope.call)
        elif scope.kind == "turn":
            if run.store.turn == turn:
                run.interrupt()
            else:  # what waited may be at work by now
                screen.notify("That turn has ended: nothing was stopped.", timeout=4)
        elif scope.kind == "run":
            run.close()
        else:
            screen.notify(f"Interrupting {len(run.interrupt_all())} runs.", timeout=4)

    _ = screen.app.push_screen(ScopesScreen(scopes), stop)
