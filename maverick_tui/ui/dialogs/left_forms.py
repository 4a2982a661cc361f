"""What was written in a form that was left: it stands there again when the same is asked the next time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from weakref import WeakKeyDictionary

from textual.app import App

_of: WeakKeyDictionary[App[Any], dict[Hashable, dict[str, str]]] = WeakKeyDictionary()


def left_forms(app: App[Any]) -> dict[Hashable, dict[str, str]]:
    """The texts of each form by the names of its fields, as long as the application lives."""
    return _of.setdefault(app, {})
