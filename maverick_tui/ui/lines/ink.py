"""Ink: the looks that text may have, kept by whoever holds the widgets that are drawn with them.

Each component class of each widget is matched with all rules when the widget is styled, so that five widgets with looks
of their own would take longer than everything else about the first frame.
"""

from __future__ import annotations

from rich.style import Style
from textual.containers import Vertical
from textual.widget import Widget

ROLES = (
    "text", "muted", "faint", "strong", "caption", "accent", "match", "success", "warning", "error", "badge", "cursor",
    "highlight", "highlight-muted", "highlight-match",
)  # fmt: skip

INK = {f"ink--{role}" for role in ROLES}
"""Component classes for the screen or the container that all drawn widgets are in."""


class Paper(Vertical):
    """A container that has ink for what is drawn in it."""

    COMPONENT_CLASSES = INK


def ink(widget: Widget, role: str) -> Style:
    """How text of this role looks here."""
    for holder in widget.ancestors:
        if isinstance(holder, Widget) and "ink--text" in holder._component_styles:
            return holder.get_component_rich_style(f"ink--{role}")
    return widget.rich_style
