"""What is private of Textual and Rich, and used all the same: by name, so that a new version says what it lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from textual import _ansi_sequences, _xterm_parser
from textual.app import App
from textual.containers import Vertical
from textual.widgets import TextArea

import maverick_tui.ui

USED: list[tuple[str, str, str]] = [
    ("app", "_batch_count", "instant.py: nothing is painted while Textual holds its own frames back"),
    ("app", "_check_action_state", "bindings.py: whether a key would do something, also without the focus"),
    ("app", "_closed", "instant.py: nothing is painted after the end"),
    ("app", "_driver", "instant.py, app.py: the way to the terminal"),
    ("app", "_fatal_error", "app.py: a crash is shown without the values of variables"),
    ("app", "_notifications", "app.py: few notices are shown at a time"),
    ("app", "_keymap", "bindings.py: the person's own keys"),
    ("app", "_sync_available", "instant.py: whether the terminal shows a frame all at once"),
    ("screen", "_compositor", "instant.py: where a widget is, and what covers it"),
    ("screen", "_layout_required", "instant.py: no painting where things are about to move"),
    ("screen", "_push_result_callback", "app.py: the first screen can be switched away from"),
    ("widget", "_bindings", "bindings.py: the keys of a widget that has not got the focus"),
    ("widget", "_component_styles", "ink.py: whether a holder has colours for text"),
    ("widget", "_layout_required", "instant.py: no painting where things are about to move"),
    ("widget", "_repaint_required", "instant.py: what was painted at once need not be painted again"),
    ("text area", "_on_key", "prompt.py: characters and keys are taken in the order in which they are typed"),
    ("console", "_color_system", "row.py: which colours the terminal has"),
    ("driver", "_app", "driver.py: keys go straight into its queue"),
    ("driver", "_auto_restart", "driver.py: whether the terminal is ours to give up for a Ctrl+Z"),
    ("driver", "_debug", "driver.py: the parser of keys is made as Textual makes it"),
    ("driver", "_must_signal_resume", "driver.py: the terminal is taken again if it was given up"),
    ("driver", "_sigcont_application", "driver.py: a window that closes wakes nobody"),
    ("driver", "_sigtstp_application", "driver.py: a Ctrl+Z stops the whole job"),
    ("driver", "_disable_mouse_support", "driver.py: the mouse is let go once"),
    ("driver", "_file", "driver.py: what is written to the terminal goes through our hands"),
    ("driver", "_loop", "driver.py: the loop that keys are handed to"),
    ("driver", "_mouse_pixels", "driver.py: the mouse is told in pixels, or in cells"),
    ("parser", "XTermParser", "driver.py: keys out of what the terminal sends"),
    ("sequences", "ANSI_SEQUENCES_KEYS", "prompt_keys.py: Alt+Enter is not Enter"),
]
SOURCES = sorted(Path(maverick_tui.ui.__file__).parent.rglob("*.py"))


class Plain(App[None]):
    """As little as there can be of everything."""

    def compose(self) -> Any:
        yield Vertical()
        yield TextArea()


async def owners() -> dict[str, object]:
    async with Plain().run_test() as pilot:
        app = pilot.app
        return {
            "app": app,
            "screen": app.screen,
            "widget": app.query_one(Vertical),
            "text area": app.query_one(TextArea),
            "console": Console(),
            "driver": _driver(),
            "parser": _xterm_parser,
            "sequences": _ansi_sequences,
        }


def _driver() -> object:
    linux = pytest.importorskip("textual.drivers.linux_driver")
    return linux.LinuxDriver(Plain())


async def test_what_is_used_is_there() -> None:
    found = await owners()
    lacking = [f"{owner}.{name}, for {why}" for owner, name, why in USED if not hasattr(found[owner], name)]
    assert lacking == [], "not in this version of Textual or Rich"


def test_everything_that_is_used_is_named_above() -> None:
    trees = {path.name: ast.parse(path.read_text()) for path in SOURCES}
    ours = {name for tree in trees.values() for name in _defined(tree)}
    used = {name: place for place, tree in trees.items() for name in _private(tree)}
    known = ours | {name for _, name, _ in USED}
    assert {name: place for name, place in used.items() if name not in known} == {}


def test_what_is_overridden_is_named_above() -> None:
    from maverick_tui.ui.driver import TerminalDriver
    from maverick_tui.ui.widgets.prompt import Prompt

    named = {name for _, name, _ in USED}
    assert {"_disable_mouse_support"} <= set(vars(TerminalDriver)) & named
    assert {"_on_key"} <= set(vars(Prompt)) & named
    for path in SOURCES:
        methods = {
            item.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ClassDef)
            for item in node.body
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name.startswith("_on_")
        }
        assert methods <= named, f"{path.name} takes the place of a private handler"


def _private(tree: ast.AST) -> Iterator[str]:
    """Private names that are asked for, and private modules that are imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and any(_is_private(part) for part in (node.module or "").split(".")):
            yield from (alias.name for alias in node.names)


def _defined(tree: ast.AST) -> Iterator[str]:
    """Private names that our own classes have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield item.name
                elif isinstance(item, ast.Assign | ast.AnnAssign):
                    yield from (one.id for one in ast.walk(item) if isinstance(one, ast.Name))
                    yield from (str(one.value) for one in ast.walk(item) if isinstance(one, ast.Constant))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
