"""Colours of code by Pygments token type: for dark themes, for light ones, and for a terminal's own sixteen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_ROLES = {
    "comment": ("Comment",),
    "keyword": ("Keyword", "Operator.Word", "Name.Builtin.Pseudo"),
    "constant": ("Keyword.Constant", "Literal.Number", "Name.Constant", "Literal"),
    "string": ("Literal.String",),
    "escape": ("Literal.String.Escape", "Literal.String.Interpol", "Literal.String.Regex"),
    "function": ("Name.Function", "Name.Decorator"),
    "type": ("Name.Class", "Name.Exception", "Keyword.Type"),
    "builtin": ("Name.Builtin", "Name.Attribute", "Name.Variable"),
    "tag": ("Name.Tag", "Name.Label", "Name.Entity"),
    "removed": ("Generic.Deleted", "Generic.Error", "Generic.Traceback"),
    "added": ("Generic.Inserted",),
    "heading": ("Generic.Heading", "Generic.Subheading", "Generic.Strong"),
    "quiet": ("Generic.Prompt", "Generic.Output", "Comment.Preproc", "Comment.Hashbang"),
}
_ATTRIBUTES = {"comment": "italic", "heading": "bold"}


def _tokens(**colours: str) -> Mapping[str, tuple[str, str]]:
    """Colour (empty: that of the code around it) and attributes by token type."""
    return MappingProxyType(
        {
            token: (colours.get(role, ""), _ATTRIBUTES.get(role, "none"))
            for role, tokens in _ROLES.items()
            for token in tokens
        }
    )


DARK = _tokens(
    comment="dim",
    quiet="dim",
    keyword="#c792ea",
    constant="#e5a573",
    string="#9ece8a",
    escape="#7fd1c7",
    function="#74b4f5",
    type="#e6c984",
    builtin="#6fc3d6",
    tag="#74b4f5",
    removed="#ee8891",
    added="#8fd39a",
)
LIGHT = _tokens(
    comment="dim",
    quiet="dim",
    keyword="#8b2fa8",
    constant="#9a4a00",
    string="#2f6f27",
    escape="#0b6e72",
    function="#1f52b8",
    type="#7a5900",
    builtin="#0a647f",
    tag="#1f52b8",
    removed="#a3202c",
    added="#22692f",
)
ANSI = _tokens(
    comment="dim",
    quiet="dim",
    keyword="magenta",
    constant="cyan",
    string="green",
    escape="cyan",
    function="blue",
    type="blue",
    builtin="cyan",
    tag="blue",
    removed="red",
    added="green",
)
