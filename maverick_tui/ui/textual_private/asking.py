"""What Textual knows or does and has no public way to: asked for here, and done without where it is gone."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

from textual.app import App
from textual.binding import BindingsMap
from textual.dom import DOMNode
from textual.driver import Driver
from textual.notifications import Notification
from textual.screen import Screen

from maverick_tui.ui.textual_private.names import is_plain


def terminal_driver() -> type[Driver] | None:
    """Our way to the terminal; None where Textual's own is to be taken, `steadied`."""
    if is_plain():
        return None
    from maverick_tui.ui.textual_private.driver import TerminalDriver

    return TerminalDriver


def steadied(driver: type[Driver]) -> type[Driver]:
    """A driver of Textual's that writes characters of doubtful width as ours does."""
    from maverick_tui.ui.textual_private.steady import steady

    class SteadyDriver(driver):  # type: ignore[valid-type, misc]
        def write(self, data: str) -> None:
            super().write(steady(data))

    return SteadyDriver


def set_title(app: App[Any], title: str) -> None:
    """Call the terminal's window so, where there is one that has our driver."""
    kind, driver = terminal_driver(), getattr(app, "_driver", None)
    if kind is not None and isinstance(driver, kind):
        cast("Any", driver).set_title(title)


def end_soon(app: App[Any]) -> None:
    """Wait no more for a terminal that takes nothing, where there is one that has our driver."""
    kind, driver = terminal_driver(), getattr(app, "_driver", None)
    if kind is not None and isinstance(driver, kind):
        cast("Any", driver).end_soon()


def write_beside(app: App[Any], escape: str) -> None:
    """Write a sequence to the terminal that paints nothing: a notification of the desktop, for example."""
    if isinstance(driver := getattr(app, "_driver", None), Driver):
        driver.write(escape)


def bindings_of(node: DOMNode) -> BindingsMap:
    """The keys of a node, the person's own among them; Textual tells only those of what has the focus."""
    own = getattr(node, "_bindings", None)
    return with_own_keys(node.app, own.copy() if isinstance(own, BindingsMap) else BindingsMap(node.BINDINGS))


def with_own_keys(app: App[Any], bindings: BindingsMap) -> BindingsMap:
    """These keys, or those that the person has for the same."""
    bindings.apply_keymap(getattr(app, "_keymap", {}))
    return bindings


def notices(app: App[Any]) -> list[Notification]:
    """The notices that are shown; none where Textual does not tell."""
    return list(getattr(app, "_notifications", ()))


def withdraw(app: App[Any], notice: Notification) -> None:
    """Take a notice of `notices` back."""
    del cast("Any", app)._notifications[notice]


def let_be_left(screen: Screen[Any]) -> None:
    """Let the first screen be switched away from: all others have a callback, which Textual wants back then."""
    if (push := getattr(screen, "_push_result_callback", None)) is not None:
        push(screen, None)


def on_crash(app: App[Any], end: Callable[[], None]) -> None:
    """End with this after a failure of our own, in place of Textual's report."""
    cast("Any", app)._fatal_error = end


def read_keys(sequence: str, keys: tuple[str, ...]) -> None:
    """Read what a terminal sends as these keys, from now on."""
    try:
        table = importlib.import_module("textual._ansi_sequences").ANSI_SEQUENCES_KEYS
    except (ImportError, AttributeError):  # then Textual reads it as it likes
        return
    table[sequence] = keys
