"""The commands of the palette: what the bindings of the screen do, by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.screen import Screen

_OF_A_PROMPT = ("prompt.send", "prompt.editor")


def screen_commands(screen: Screen[Any]) -> Iterable[SystemCommand]:
    """One command for each described binding that acts on this screen at the moment."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.id or not binding.description or not active.enabled or binding.description in seen:
            continue
        if binding.action == "command_palette" or (active.node is screen.focused and binding.id not in _OF_A_PROMPT):
            continue  # it is open already; a text is edited by its keys, and not from here
        seen.add(binding.description)
        key = screen.app.get_key_display(binding)
        yield SystemCommand(binding.description, key, partial(_run, screen, binding.action, active.node))


async def _run(screen: Screen[Any], action: str, node: Any) -> None:
    await screen.app.run_action(action, node)
