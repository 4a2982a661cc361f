"""How much of what a question offers can be allowed for the run, and by which action."""

from __future__ import annotations

from collections.abc import Sequence

SCOPES = ("allow_run", "allow_alike", "allow_all")
"""Actions that allow something for the run: the very call, what is like it, and all of the tool."""


def by_scope(grants: Sequence[str]) -> dict[str, int]:
    """The place of the grant that each action allows: of two, the second is for all of the tool."""
    actions = SCOPES[::2] if len(grants) == 2 else SCOPES
    return {action: place for place, action in enumerate(actions[: len(grants)])}
