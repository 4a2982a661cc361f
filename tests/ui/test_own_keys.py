"""Every key has a name for a keymap, and what a person writes there is checked."""

from __future__ import annotations

import json
import string
from collections import Counter
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.keys import _character_to_key

from maverick_tui import paths
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.own_keys import all_bindings, is_key, load_keys, own_keys
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.find_bar import FindBar
from tests.support.cases import each
from tests.ui.key_table import TABLE, table

IDS = {"run.interrupt", "run.mode", "app.help", "approval.allow_once"}


def test_every_binding_of_a_run_has_an_id_and_a_description() -> None:
    for owner in (MaverickApp, RunScreen, Transcript, FindBar):
        for binding in owner.BINDINGS:
            assert isinstance(binding, Binding)
            assert binding.id, binding
            assert binding.description, binding
            assert binding.id in {one.id for one in all_bindings(MaverickApp)}


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
    assert own_keys(MaverickApp) == ({}, [])
    config = paths.user_config() / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[keys]\nrun.interrupt = "ctrl+g"\n"run.interupt" = "f2"\n"banner.retry" = "nokey"\n')
    keymap, problems = own_keys(MaverickApp)
    assert keymap == {"run.interrupt": "ctrl+g"}
    assert "run.interrupt" in problems[0]
    assert "'nokey' is not a key" in problems[1]
    config.write_text('[keys]\n"run.verbosity" = "f11,ctrl+l"\n')  # which acts everywhere, unless it is given away
    assert own_keys(MaverickApp) == ({"run.verbosity": "f11,ctrl+l", "app.redraw": "ctrl+shift+l"}, [])


@pytest.mark.parametrize(
    ("text", "also"),
    [
        ('"run.verbosity" = "ctrl+q"', ["app.quit_now"]),  # which acts everywhere, and before those of a screen
        ('"app.help" = "ctrl+o"', ["run.verbosity"]),
        ('"run.verbosity" = "alt+v,ctrl+f"', ["run.find"]),
        ('"run.verbosity" = "alt+v"\n"run.panel" = "alt+v"', ["run.panel"]),
        ('"run.verbosity" = "ctrl+f"\n"run.find" = "ctrl+o"', []),
        ('"run.verbosity" = "ctrl+o,alt+v"', []),
        ('"transcript.find" = "ctrl+f"', []),  # does the same
        ('"changes.commit" = "ctrl+o"', []),  # of another screen
    ],
)
def test_a_key_that_something_else_has_in_the_same_place_is_named(text: str, also: list[str]) -> None:
    path = write(f"[keys]\n{text}\n")
    _, problems = own_keys(MaverickApp)
    assert len(problems) == len(also), problems
    for problem, name in zip(problems, also, strict=True):
        assert problem.startswith(f"{path}: [keys] ")
        assert f'is also the key of "{name}"' in problem


def test_the_table_of_keys_is_that_of_the_bindings() -> None:
    assert TABLE.read_text(encoding="utf-8") == table(), "run: python -m tests.ui.key_table"


def write(text: str) -> Path:
    path = paths.user_config() / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_file_no_key_is_another() -> None:
    assert load_keys(IDS) == ({}, [])


def test_keys_are_read_beside_the_other_settings() -> None:
    write('model = "x"\n[keys]\n"run.interrupt" = "ctrl+x"\n"app.help" = "f1, question_mark"\nrun.mode = "?"\n')
    assert load_keys(IDS) == ({"run.interrupt": "ctrl+x", "app.help": "f1,question_mark", "run.mode": "?"}, [])


CHARACTERS = sorted({*string.punctuation, *"aZ1é"} - {","})  # which parts keys


@each("key", [*CHARACTERS, *map(_character_to_key, CHARACTERS), "comma", "space", "enter", "shift+enter", "backspace"])
def test_nothing_that_is_typed_is_a_key_that_answers(key: str) -> None:
    write(f"[keys]\n'approval.allow_once' = {json.dumps(key)}\n")
    keymap, (problem,) = load_keys(IDS)
    assert keymap == {}
    assert f'"approval.allow_once": {key} is pressed while you write' in problem


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"run.interupt" = "ctrl+x"', '"run.interupt" is not the name of a key binding. Did you mean'),
        ('"run.mode" = "ctrl+nonsense"', "\"run.mode\": 'ctrl+nonsense' is not a key"),
        ('"run.mode" = "ctrl+x,"', "\"run.mode\": '' is not a key"),
        ('"run.mode" = 3', '"run.mode" = 3 is not a key'),
        ('"run.mode" = ""', "\"run.mode\" = '' is not a key"),
        ('"approval.allow_once" = "ctrl+y,y"', '"approval.allow_once": y is pressed while you write'),
    ],
)
def test_a_wrong_key_is_named_with_its_file_and_costs_only_itself(text: str, says: str) -> None:
    path = write(f'[keys]\n{text}\n"app.help" = "f2"\n')
    keymap, problems = load_keys(IDS)
    assert keymap == {"app.help": "f2"}
    assert len(problems) == 1
    assert problems[0].startswith(f"{path}: [keys] ")
    assert says in problems[0]


@pytest.mark.parametrize(("text", "says"), [("keys = 3", "must be a table"), ("keys = ", "cannot be read")])
def test_a_file_without_a_table_of_keys_is_said(text: str, says: str) -> None:
    path = write(text)
    keymap, problems = load_keys(IDS)
    assert keymap == {}
    assert str(path) in problems[0]
    assert says in problems[0]


@each(
    "key",
    ["x", "?", "ctrl+x", "f5", "escape", "shift+tab", "ctrl+shift+a", "pageup", "alt+up", "slash", "ctrl+backslash",
     "space", "ctrl+space", "question_mark", "enter", "super+k"],
)  # fmt: skip
def test_keys_that_there_are(key: str) -> None:
    assert is_key(key)


@each("key", ["", " ", "ctrl", "ctrl+", "cmd+x", "ctrl+ctrl+x", "ctrl+foo", "f99", "\x1b", "+x"])
def test_keys_that_there_are_not(key: str) -> None:
    assert not is_key(key)
