"""The keys that the person has chosen, checked before one of them silently does nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.binding import Binding
from textual.dom import DOMNode

from maverick_tui import paths
from maverick_tui.inert import one_line

_REDRAW, _REDRAW_ELSEWHERE = "ctrl+l", "ctrl+shift+l"
"""It acts everywhere and before all others; our own example gave it to something else once."""
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})


def own_keys(app: type[DOMNode], path: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """The keys that the person has chosen for this application, and what is wrong with them; or those of another file.

    In a thread: all screens are imported to know what there is a key for.
    """
    path = path or paths.user_config() / "config.toml"
    if not path.is_file():
        return {}, []
    keymap, problems = load_keys({binding.id for binding in all_bindings(app) if binding.id}, path)
    if any(_REDRAW in keys.split(",") for keys in keymap.values()):
        keymap.setdefault("app.redraw", _REDRAW_ELSEWHERE)  # who has given the key to something else keeps it
    return keymap, problems + [one_line(f"{path}: [keys] {clash}") for clash in _clashes(_places(app), keymap)]


def all_bindings(app: type[DOMNode]) -> list[Binding]:
    """The bindings of the application, of all its screens and of what is on them."""
    return [binding for place in _places(app) for binding in place]


def _places(app: type[DOMNode]) -> list[list[Binding]]:
    """The bindings of each place that has some; the first are those of the application, which act in all others."""
    from maverick_tui.ui.board.screen import BoardScreen
    from maverick_tui.ui.board.side_by_side import SideBySideScreen
    from maverick_tui.ui.changes.asking import ScopeScreen, WordsScreen
    from maverick_tui.ui.changes.committing import CommitScreen
    from maverick_tui.ui.changes.diff_view import DiffView
    from maverick_tui.ui.changes.file_list import FileList
    from maverick_tui.ui.changes.screen import ChangesScreen
    from maverick_tui.ui.changes.sending import SendScreen
    from maverick_tui.ui.changes.undo_preview import UndoScreen
    from maverick_tui.ui.dialogs.always import AlwaysScreen
    from maverick_tui.ui.dialogs.edit_call import EditCallScreen
    from maverick_tui.ui.dialogs.fork import ForkScreen
    from maverick_tui.ui.dialogs.inputs import InputsForm
    from maverick_tui.ui.dialogs.leaving import LeavingScreen
    from maverick_tui.ui.dialogs.path import PathScreen
    from maverick_tui.ui.dialogs.queue import QueueScreen
    from maverick_tui.ui.dialogs.scopes import ScopesScreen
    from maverick_tui.ui.dialogs.short_questions import ConfirmScreen, NameScreen
    from maverick_tui.ui.dialogs.trust import TrustScreen
    from maverick_tui.ui.dialogs.worktree import WorktreeScreen
    from maverick_tui.ui.help import HelpScreen
    from maverick_tui.ui.history.past_prompts import PastPromptsScreen
    from maverick_tui.ui.history.screen import HistoryScreen
    from maverick_tui.ui.inbox.question_list import QuestionList
    from maverick_tui.ui.inbox.screen import InboxScreen
    from maverick_tui.ui.overlays import DetailsScreen, Overlay
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.race.form import RaceForm
    from maverick_tui.ui.race.screen import RaceScreen
    from maverick_tui.ui.replay.screen import ReplayScreen
    from maverick_tui.ui.run.screen import RunScreen
    from maverick_tui.ui.transcript.view import Transcript
    from maverick_tui.ui.widgets.find_bar import FindBar
    from maverick_tui.ui.widgets.prompt import Prompt

    owners = (
        app, PickerScreen, HistoryScreen, BoardScreen, SideBySideScreen, InboxScreen, QuestionList, RunScreen,
        ReplayScreen, Transcript, FindBar, Prompt, Overlay, HelpScreen,
        DetailsScreen, ConfirmScreen, TrustScreen, InputsForm, NameScreen, PathScreen, ForkScreen, LeavingScreen,
        AlwaysScreen, EditCallScreen, ScopesScreen, PastPromptsScreen, QueueScreen, WorktreeScreen, RaceForm,
        RaceScreen, ChangesScreen, DiffView, FileList, WordsScreen, ScopeScreen, UndoScreen, SendScreen, CommitScreen,
    )  # fmt: skip
    return [[binding for binding in owner.BINDINGS if isinstance(binding, Binding)] for owner in owners]


def load_keys(known: Collection[str], path: Path | None = None) -> tuple[dict[str, str], list[str]]:
    """Keys by the id of their binding, from `[keys]` in the user's settings; and what is wrong with them."""
    path = path or paths.user_config() / "config.toml"
    if not path.is_file():
        return {}, []
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("keys", {})
    except (OSError, ValueError) as error:  # not UTF-8, not TOML
        return {}, [one_line(f"{path} cannot be read, so all keys keep their defaults: {error}")]
    if not isinstance(table, dict):
        return {}, [one_line(f'{path}: keys must be a table: [keys], then lines like "run.interrupt" = "ctrl+x".')]
    keymap: dict[str, str] = {}
    problems: list[str] = []
    for name, value in _flat(table):
        problem = _problem(name, value, known)
        if problem:
            problems.append(one_line(f"{path}: [keys] {problem}"))
        else:
            keymap[name] = ",".join(key.strip() for key in str(value).split(","))
    return keymap, problems


def _clashes(places: Sequence[Sequence[Binding]], keymap: Mapping[str, str]) -> list[str]:
    """The person's keys that something else has in the same place: one of both gets it, and Textual says nothing."""

    def keys_of(binding: Binding) -> set[str]:
        return set(keymap.get(binding.id or "", binding.key).split(","))

    everywhere, *others = places
    clashes: dict[frozenset[str], str] = {}
    for place in others:
        here = [*everywhere, *place]
        for own in (binding for binding in here if binding.id in keymap):
            for other in (binding for binding in here if binding.action != own.action):
                taken = (keys_of(own) - set(own.key.split(","))) & keys_of(other)
                if taken and own.id and other.id:
                    words = f'"{own.id}": {min(taken)} is also the key of "{other.id}" ({other.description})'
                    words += ", and only one of them has it. Give one of them another."
                    clashes.setdefault(frozenset((own.id, other.id)), words)
    return list(clashes.values())


def _flat(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """TOML reads run.interrupt without quotes as a table of its own; it means the same."""
    items: list[tuple[str, Any]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            items += _flat(value, f"{prefix}{name}.")
        else:
            items.append((f"{prefix}{name}", value))
    return items


def _problem(name: str, value: Any, known: Collection[str]) -> str:
    from maverick_tui.exceptions import did_you_mean

    if name not in known:
        return f'"{name}" is not the name of a key binding. {did_you_mean(name, known)}'.rstrip()
    if not isinstance(value, str) or not value.strip():
        return f'"{name}" = {value!r} is not a key; write one like "ctrl+x", or several with commas.'
    keys = [key.strip() for key in value.split(",")]
    if wrong := [key for key in keys if not is_key(key)]:
        return f'"{name}": {wrong[0]!r} is not a key; write one like "ctrl+x" or "f5".'
    typed = [key for key in keys if _is_typed(key)] if name.startswith("approval.") else []
    why = "is pressed while you write, and would answer in the middle of a prompt"
    return f'"{name}": {typed[0]} {why}; take one like "ctrl+x".' if typed else ""


def _is_typed(key: str) -> bool:
    """Whether a key is one of those that whoever writes a prompt presses: characters, by any name, and Enter."""
    from textual.keys import REPLACED_KEYS, key_to_character

    from maverick_tui.ui.dialogs.arming import TYPED_TOO

    if len(key) == 1:
        return True
    *modifiers, name = key.split("+")
    character = key_to_character(REPLACED_KEYS.get(name, name))
    is_written = name in TYPED_TOO or (character is not None and character.isprintable())
    return is_written and {"shift"}.issuperset(modifiers)


def is_key(key: str) -> bool:
    """Whether Textual knows a key of that name."""
    from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

    if len(key) == 1:
        return key.isprintable() and not key.isspace()
    *modifiers, name = key.split("+")
    if len(set(modifiers)) != len(modifiers) or not _MODIFIERS.issuperset(modifiers) or not name:
        return False
    if len(name) == 1:
        return name.isalnum()
    names = {known.value.rpartition("+")[2] for known in Keys} | {"space", *KEY_NAME_REPLACEMENTS.values()}
    return name in names or key_to_character(name) is not None
