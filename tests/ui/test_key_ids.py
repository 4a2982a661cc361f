"""Every key has a name for a keymap, and no two things have the same one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from textual.binding import Binding

from maverick_tui import paths
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.key_ids import binding_ids, own_keys
from maverick_tui.ui.screens.run import RunScreen
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.find_bar import FindBar
from tests.ui.key_table import TABLE, table


def test_every_binding_of_a_run_has_an_id_and_a_description() -> None:
    for owner in (MaverickApp, RunScreen, Transcript, FindBar):
        for binding in owner.BINDINGS:
            assert isinstance(binding, Binding)
            assert binding.id, binding
            assert binding.description, binding
            assert binding.id in binding_ids()


def test_no_key_of_a_screen_is_bound_twice() -> None:
    bindings = [binding for binding in RunScreen.BINDINGS if isinstance(binding, Binding)]
    keys = Counter(key for binding in bindings for key in binding.key.split(","))
    assert [key for key, times in keys.items() if times > 1] == []
    priority = {key for binding in bindings if binding.priority for key in binding.key.split(",")}
    for owner in (Transcript, FindBar):
        for binding in owner.BINDINGS:
            assert isinstance(binding, Binding)
            taken = priority.intersection(binding.key.split(",")) - {"pageup", "pagedown"}
            assert not taken, f"{owner.__name__} never gets {taken}"


def test_keys_of_ones_own_and_what_is_wrong_with_them(home: Path) -> None:
    assert own_keys() == ({}, [])
    config = paths.user_config() / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[keys]\nrun.interrupt = "ctrl+g"\n"run.interupt" = "f2"\n"banner.retry" = "nokey"\n')
    keymap, problems = own_keys()
    assert keymap == {"run.interrupt": "ctrl+g"}
    assert "run.interrupt" in problems[0]
    assert "'nokey' is not a key" in problems[1]


def test_the_table_of_keys_is_that_of_the_bindings() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "run: python -m tests.ui.key_table"
