"""The permission modes that Maverick offers: the documented default, and narrower ones."""

from __future__ import annotations

from typing import Literal, get_args

from maverick_tui.exceptions import AgentError

PermissionMode = Literal["default", "acceptEdits", "plan", "dontAsk"]
PERMISSION_MODES: tuple[str, ...] = get_args(PermissionMode)
DEFAULT_PERMISSION_MODE = "acceptEdits"
MEANINGS = {
    "default": "asks before it acts",
    "acceptEdits": "edits pass, the rest asks",
    "plan": "plans, changes nothing",
    "dontAsk": "refuses instead of asking",
    "bypassPermissions": "asks nothing",
}
"""What the permission modes mean, in a few words."""
_NARROWEST_FIRST = ("plan", "dontAsk", "default", "acceptEdits")
WIDEST = f"Choose one of {', '.join(PERMISSION_MODES)}: nothing wider is opened."


def require_mode(mode: str) -> None:
    """Refuse what is wider than the documented default."""
    if mode not in PERMISSION_MODES:
        raise AgentError(f"The permission mode {mode!r} cannot be set.", kind="invalid", hint=WIDEST)


def narrower(mode: str, other: str) -> str:
    """The permission mode of these in which less happens unasked."""
    known = [one for one in _NARROWEST_FIRST if one in (mode, other)]
    return known[0] if known else other
