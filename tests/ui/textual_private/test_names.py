"""What is private of Textual and Rich, and used all the same: a new version says what it lacks, and is got on with."""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console
from textual.app import App
from textual.binding import Binding
from textual.command import CommandPalette
from textual.containers import Vertical
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

import maverick_tui.ui
from maverick_tui.ui.textual_private import asking, names
from maverick_tui.ui.textual_private.names import ASKED, PAINTING, Private, is_plain, lacking

UI = Path(maverick_tui.ui.__file__).parent
ROOM = UI / "textual_private"
NAMED = {word for private in (*PAINTING, *ASKED) for word in (private.name, private.owner.partition(":")[2])}


@cache
def places() -> dict[Path, ast.Module]:
    """Our modules, read when they are asked for: each process of the tests imports this one."""
    return {path: ast.parse(path.read_text()) for path in sorted(UI.rglob("*.py"))}


class Small(App[None]):
    """As little as there can be of everything."""

    BINDINGS = [Binding("f5", "again", "Again", id="small.again")]

    def compose(self) -> Any:
        yield Vertical()


# -- is all of it there? ----------------------------------------------------------------------------------------------


def test_what_is_used_is_there() -> None:
    assert lacking((*PAINTING, *ASKED)) == [], "not in this version of Textual or Rich"


async def test_it_is_of_the_kind_that_we_expect() -> None:
    async with Small().run_test() as pilot:
        app, screen, widget = pilot.app, cast("Any", pilot.app.screen), cast("Any", pilot.app.query_one(Vertical))
        assert (app._batch_count, app._closed, type(app._sync_available), app._keymap) == (0, False, bool, {})
        assert [type(one) for one in (screen._layout_required, widget._layout_required)] == [bool, bool]
        assert type(widget._repaint_required) is bool
        assert [type(one) for one in screen._compositor.visible_widgets[widget]] == [Region, Region]
        assert list(widget._bindings.copy()) == []
        assert list(app._notifications) == []
    assert Console(color_system="truecolor")._color_system is not None
    driver = cast("Any", pytest.importorskip("textual.drivers.linux_driver").LinuxDriver(Small()))
    assert (driver._auto_restart, driver._mouse_pixels, driver._must_signal_resume) == (True, False, False)
    assert driver._file is sys.__stderr__
    assert not driver.exit_event.is_set()
    assert isinstance(driver.fileno, int)


def test_another_name_and_other_parameters_are_noticed() -> None:
    gone = [
        Private("textual.app:App", "_gone", ""),
        Private("textual.app:Gone", "_driver", ""),
        Private("textual._gone:App", "_driver", ""),
        Private("textual.screen:Screen", "_push_result_callback", "", ("callback", "requester")),
        Private("textual.strip:Strip", "_segments", "", ("was_a_function",)),
    ]
    assert lacking(gone) == [f"{each.owner}.{each.name}" for each in gone]


# -- is all of it named? ----------------------------------------------------------------------------------------------


def test_private_names_are_used_in_one_room_only_and_all_of_them_are_in_the_table() -> None:
    outside = {path: tree for path, tree in places().items() if not path.is_relative_to(ROOM)}
    ours = {name for tree in outside.values() for name in _defined(tree)}
    assert {
        path.name: sorted(set(_private(tree)) - ours) for path, tree in outside.items() if set(_private(tree)) - ours
    } == {}
    for path in places().keys() - outside.keys():
        assert set(_private(places()[path])) - set(_defined(places()[path])) <= NAMED, path.name


def test_no_name_of_ours_takes_the_place_of_a_private_one() -> None:
    theirs = {name for base in (App, Screen, Vertical, Strip) for name in _names_of(base)}
    for path, tree in places().items():
        if not path.is_relative_to(ROOM):
            classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _is_of_textual(node)]
            names_of_ours = {name for one in classes for name in _defined(one) if _is_private(name)}
            assert names_of_ours & theirs == set(), path.name


def _is_of_textual(node: ast.ClassDef) -> bool:
    """Whether the class may be one of Textual's: others may call their things as they like."""
    return any(ast.unparse(base).partition("[")[0] not in ("Protocol", "NamedTuple", "Enum") for base in node.bases)


def _names_of(owner: type) -> set[str]:
    return {name for name in {*dir(owner), *names._set_at_birth(owner)} if _is_private(name)}


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


# -- and where it is not there? ---------------------------------------------------------------------------------------


def test_painting_is_plain_by_wish_and_where_a_name_is_missing(
    fresh: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert not is_plain()
    assert asking.terminal_driver() is not None
    names.is_plain.cache_clear()
    fresh.setenv(names.PLAIN, "1")
    assert is_plain()
    fresh.delenv(names.PLAIN)
    names.is_plain.cache_clear()
    assert caplog.text == ""
    fresh.setattr(names, "PAINTING", (*PAINTING, Private("textual.app:App", "_gone", "")))
    assert is_plain()
    assert "lacks textual.app:App._gone" in caplog.text
    assert asking.terminal_driver() is None


def test_a_private_module_that_has_gone_is_no_error(fresh: pytest.MonkeyPatch) -> None:
    names._owner.cache_clear()
    for module in ("textual._xterm_parser", "textual._ansi_sequences"):
        fresh.setitem(sys.modules, module, None)
    assert is_plain()
    assert asking.terminal_driver() is None
    asking.read_keys("\x1b\r", ("ctrl+j",))


async def test_what_is_only_asked_for_is_done_without() -> None:
    async with Small().run_test() as pilot:
        app = pilot.app
        app.set_keymap({"small.again": "f6"})
        assert [key for key, binding in asking.bindings_of(app) if binding.id == "small.again"] == ["f6"]
        app.notify("one")
        await pilot.pause()
        (notice,) = asking.notices(app)
        asking.withdraw(app, notice)
        assert asking.notices(app) == []
    lacks = cast("App[Any]", Lacking())
    assert [key for key, _ in asking.bindings_of(lacks)] == ["f5"]
    assert asking.notices(lacks) == []
    asking.let_be_left(cast("Any", lacks))
    asking.write_beside(lacks, "\x07")
    asking.set_title(lacks, "Maverick")
    asking.on_crash(lacks, lambda: None)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_palette_that_searches_in_another_way_does_so_in_its_own(is_there: bool, fresh: pytest.MonkeyPatch) -> None:
    async def search(_palette: CommandPalette, _value: str) -> None: ...

    if is_there:
        fresh.setattr(CommandPalette, "_gather_commands", search)
    else:
        fresh.delattr(CommandPalette, "_gather_commands")
    fresh.delattr(CommandPalette, "_GATHER_COMMANDS_GROUP")
    ours = runpy.run_path(str(ROOM / "palette.py"))["LeavablePalette"]
    assert getattr(ours, "_gather_commands", None) is (search if is_there else None)


class Lacking:
    """An application of a Textual that has none of what we ask for."""

    BINDINGS = Small.BINDINGS

    @property
    def app(self) -> Lacking:
        return self
