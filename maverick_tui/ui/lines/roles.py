"""The looks of text by its role, kept by the screen or container around the widgets that are drawn with them.

Each component class of each widget is matched with all rules when the widget is styled, so five widgets with looks of
their own would take longer than everything else about the first frame.
"""

from __future__ import annotations

from rich.style import Style
from textual.containers import Vertical
from textual.widget import Widget

ROLES = (
    "text", "muted", "faint", "strong", "caption", "accent", "match", "success", "warning", "error", "badge", "cursor",
    "highlight", "highlight-muted", "highlight-match",
)  # fmt: skip

ROLE_CLASSES = {f"role--{role}" for role in ROLES}
"""Component classes for the screen or the container that all drawn widgets are in."""


class RoleLooks(Vertical):
    """A container with looks for what is drawn in it."""

    COMPONENT_CLASSES = ROLE_CLASSES


def role_look(widget: Widget, role: str) -> Style:
    """How text of this role looks here."""
    for holder in widget.ancestors:
        if isinstance(holder, Widget) and "role--text" in holder.COMPONENT_CLASSES:
            return holder.get_component_rich_style(f"role--{role}")
    return widget.rich_style
