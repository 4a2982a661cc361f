"""Every private name of Textual and Rich that we use, with its reason, and whether this version still has them.

Where one of `PAINTING` is missing, our own painting, strips and driver stay off and Textual does it all; the same with
`MAVERICK_PLAIN_PAINT=1`. So an upgrade of Textual may make us slow, but never broken. Where one of `ASKED` is missing,
the function that asks for it does without: what it says, or what it mends, is then Textual's own way.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

log = logging.getLogger(__name__)

PLAIN = "MAVERICK_PLAIN_PAINT"
"""The variable that turns our own painting off."""


class Private(NamedTuple):
    """A name that is nobody's promise."""

    owner: str
    """A class as `module:Class`, or a module."""
    name: str
    reason: str
    takes: tuple[str, ...] | None = None
    """The first parameters of what we call or stand in for, as they are named."""


_APP, _SCREEN, _WIDGET = "textual.app:App", "textual.screen:Screen", "textual.widget:Widget"
_STRIP, _DRIVER = "textual.strip:Strip", "textual.drivers.linux_driver:LinuxDriver"
_PARSER, _PALETTE = "textual._xterm_parser:XTermParser", "textual.command:CommandPalette"

PAINTING = (
    Private(_APP, "_batch_count", "painting.py: `batch_update` holds all painting back, for an editor for example"),
    Private(_APP, "_closed", "painting.py: nothing may be written after the driver has ended"),
    Private(_APP, "_driver", "painting.py: the only way to the terminal that keeps the order of what is written"),
    Private(_APP, "_sync_available", "painting.py: whether the terminal shows an update all at once"),
    Private(_SCREEN, "_compositor", "painting.py: what is where on the terminal, the front first"),
    Private(_SCREEN, "_dirty_widgets", "scrolling.py: what Textual is about to paint is not to be moved before"),
    Private(_SCREEN, "_layout_required", "painting.py: a layout is due, so that things are about to move"),
    Private(_SCREEN, "_on_timer_update", "painting.py: a layout that is due is made at once, for a key", ()),
    Private(_SCREEN, "_scroll_required", "scrolling.py: Textual is about to scroll something"),
    Private(_WIDGET, "_layout_required", "painting.py: a layout is due, so that the widget is about to move"),
    Private(_WIDGET, "_repaint_regions", "painting.py: what is due until Textual paints; emptied once we have painted"),
    Private(_WIDGET, "_repaint_required", "painting.py: taken back once we have painted what is due"),
    Private("textual._compositor:Compositor", "_dirty_regions", "scrolling.py: what Textual is about to paint"),
    Private("textual._compositor:Compositor", "visible_widgets", "painting.py: regions and clips, the front first"),
    Private(_STRIP, "_segments", "strip.py: set without the caches"),
    Private(_STRIP, "_cell_length", "strip.py: set without the caches"),
    Private(_STRIP, "_render_cache", "strip.py: set without the caches; keeps what is written for a row"),
    Private(_STRIP, "_link_ids", "strip.py: set without the caches"),
    Private(_STRIP, "_cell_count", "strip.py: set without the caches"),
    *(
        Private(_STRIP, f"_{name}_cache", "strip.py: a cache that is made when it is first asked for")
        for name in ("divide", "crop", "style", "filter", "line_length", "crop_extend", "offsets")
    ),
    Private(_STRIP, "render_ansi", "pens.py: the codes of a style", ("style", "color_system")),
    Private("rich.style:Style", "_ansi", "pens.py: the codes of a style, once they are known"),
    Private("rich.console:Console", "_color_system", "strip.py, ink.py: which colours the terminal has"),
    Private(_DRIVER, "_app", "driver.py: keys go straight into its queue"),
    Private(_DRIVER, "_auto_restart", "driver.py: whether the terminal is ours to give up for a Ctrl+Z"),
    Private(_DRIVER, "_debug", "driver.py: the parser of keys is made as Textual makes it"),
    Private(_DRIVER, "_disable_mouse_support", "driver.py: turns off what Textual leaves on", ()),
    Private(_DRIVER, "_file", "driver.py: what is written to the terminal goes through our hands"),
    Private(_DRIVER, "_loop", "driver.py: the loop that keys are handed to"),
    Private(_DRIVER, "_mouse_pixels", "driver.py: whether the mouse is told in pixels"),
    Private(_DRIVER, "_must_signal_resume", "driver.py: the terminal is taken again if it was given up"),
    Private(_DRIVER, "_sigcont_application", "driver.py: a window that closes wakes nobody", ("_",)),
    Private(_DRIVER, "_sigtstp_application", "driver.py: a Ctrl+Z stops the whole job", ("_",)),
    Private(_DRIVER, "exit_event", "driver.py: until when keys are read"),
    Private(_DRIVER, "fileno", "driver.py: where keys are read from"),
    Private(_DRIVER, "process_message", "driver.py: what the mouse has done is made whole there", ("message",)),
    Private(_DRIVER, "run_input_thread", "driver.py: ends with the terminal, where Textual reads on for ever", ()),
    Private(_DRIVER, "send_message", "driver.py: saves keys a task of their own", ("message",)),
    Private(_DRIVER, "write", "driver.py: what the terminal does not take at once is left to it", ("data",)),
    Private(_PARSER, "__init__", "driver.py: keys out of what the terminal sends", ("debug",)),
    Private(_PARSER, "feed", "driver.py: keys out of what the terminal sends", ("data",)),
    Private(_PARSER, "tick", "driver.py: a lone Escape is a key, too", ()),
)

TABLE = (
    Private("rich.cells", "load_cell_table", "widths.py: the widths that Rich counts by", ("unicode_version",)),
    Private("rich.cells:CellTable", "widths", "widths.py: ranges of characters that are not one cell wide"),
    Private("rich.cells", "cached_cell_len", "widths.py: forgets what was counted before"),
)

LATE = (
    Private("textual.message_pump", "Timer", "timers.py: what every timer is made of"),
    Private("textual.timer:Timer", "_skip", "timers.py: whether what it has missed is left out"),
)

ASKED = (
    *TABLE,
    *LATE,
    Private(_APP, "_fatal_error", "asking.py: a crash is shown without the values of variables", ()),
    Private(_APP, "_keymap", "asking.py: the person's own keys"),
    Private(_APP, "_notifications", "asking.py: few notices are shown at a time"),
    Private("textual.dom:DOMNode", "_bindings", "asking.py: the keys of a widget that has not got the focus"),
    Private(_SCREEN, "_push_result_callback", "asking.py: the first screen can be left", ("requester", "callback")),
    Private(_PALETTE, "_gather_commands", "palette.py: it may be left while it looks for commands", ("search_value",)),
    Private(_PALETTE, "_GATHER_COMMANDS_GROUP", "palette.py: one search takes the place of another"),
    Private("textual._ansi_sequences", "ANSI_SEQUENCES_KEYS", "asking.py: keys that Textual reads wrongly"),
)


@cache
def is_plain() -> bool:
    """Whether Textual paints, and not we: by wish, on Windows, or since this Textual is not the one that we know."""
    if sys.platform == "win32" or os.environ.get(PLAIN):  # Windows has another driver, and wants its writes in pieces
        return True
    missing = lacking(PAINTING)
    if missing:
        log.warning("Textual paints all by itself, which is slower: this version of it lacks %s", ", ".join(missing))
    return bool(missing)


def lacking(names: Iterable[Private]) -> list[str]:
    """Which of these this version does not have, or has with other parameters."""
    return [f"{each.owner}.{each.name}" for each in names if not _is_there(each)]


def _is_there(private: Private) -> bool:
    try:
        owner = _owner(private.owner)
        if private.takes is None:
            return hasattr(owner, private.name) or private.name in _set_at_birth(owner)
        has = [name for name in inspect.signature(getattr(owner, private.name)).parameters if name != "self"]
    except (ImportError, AttributeError, TypeError, ValueError):  # another module, class, kind of function
        return False
    return has[: len(private.takes)] == list(private.takes)


@cache
def _owner(path: str) -> Any:
    module, _, name = path.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


@cache
def _set_at_birth(owner: type) -> frozenset[str]:
    """The names that the initialisers of a class mention; an instance has them, and need not be made to know it."""
    return frozenset(_mentioned(owner))


def _mentioned(owner: type) -> Iterator[str]:
    for base in owner.__mro__:
        if (code := getattr(vars(base).get("__init__"), "__code__", None)) is not None:
            yield from code.co_names
