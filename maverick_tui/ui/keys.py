"""The keys of a screen, read from its bindings: their names, what they do now and elsewhere, and as commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from textual import actions, events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import ActiveBinding, Binding, BindingsMap, BindingType
from textual.command import CommandInput, CommandList
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, key_to_character
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from maverick_tui.ui.textual_private.asking import bindings_of, with_own_keys
from maverick_tui.ui.textual_private.palette import LeavablePalette

_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")
EVERYWHERE = "Everywhere"
_MODIFIERS = {"alt", "ctrl", "super", "hyper", "meta"}
_OF_A_PROMPT = ("prompt.send", "prompt.editor")
"""What can be done to the text that has the focus from the palette, too."""


@dataclass(slots=True)
class KeyRow:
    """One thing that can be done, and the keys for it."""

    text: str
    keys: list[str]
    is_enabled: bool = True
    """Whether it would do something at the moment."""


@dataclass(slots=True)
class KeyGroup:
    """What belongs together: the keys of a widget, or a group that its author made."""

    title: str
    rows: dict[str, KeyRow] = field(default_factory=dict)

    def add(self, binding: Binding, key: str, *, is_enabled: bool) -> None:
        """Take a key in; several keys for the same action are one row."""
        text = binding.description[:1].upper() + binding.description[1:]  # in a footer it may be the word of a line
        row = self.rows.setdefault(binding.action, KeyRow(text, [], is_enabled))
        row.is_enabled = row.is_enabled or is_enabled
        if key not in row.keys:
            row.keys.append(key)


def key_names(*nodes: DOMNode) -> dict[str, str]:
    """What the keys of these nodes are called, by the ids of their bindings; the person's own keys among them."""
    names: dict[str, str] = {}
    for node in nodes:
        _name_keys(names, node.app, bindings_of(node))
    return names


def names_elsewhere(app: App[Any], bindings: Iterable[Binding]) -> dict[str, str]:
    """The same for keys of something that is not there."""
    names: dict[str, str] = {}
    _name_keys(names, app, with_own_keys(app, BindingsMap(bindings)))
    return names


def _name_keys(names: dict[str, str], app: App[Any], bindings: BindingsMap) -> None:
    for key, binding in bindings:
        # Not every terminal can tell Shift+Enter from Enter, so that it is not the key to be named.
        if binding.id and binding.id not in names and key != "shift+enter":
            names[binding.id] = app.get_key_display(binding.with_key(key, binding.key_display))


def screen_commands(screen: Screen[Any]) -> Iterator[SystemCommand]:
    """One command of the palette for each described binding that acts on this screen at the moment."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.id or not binding.description or not active.enabled or binding.description in seen:
            continue
        if binding.action == "command_palette" or (active.node is screen.focused and binding.id not in _OF_A_PROMPT):
            continue  # it is open already; a text is edited by its keys, and not from here
        seen.add(binding.description)
        act = partial(screen.app.run_action, binding.action, active.node)
        yield SystemCommand(binding.description, screen.app.get_key_display(binding), act)


def key_groups(screen: Screen[Any]) -> list[KeyGroup]:
    """All keys of a screen: its own first, then those of its parts, then those that act everywhere."""
    groups = _Groups(screen)
    active = {key: one for key, one in screen.active_bindings.items() if not _is_typed(screen, key, one)}
    for key, (node, binding, is_enabled, _) in active.items():
        groups.add(node, binding, key, is_enabled=is_enabled)
    chain = set(screen.focused.ancestors_with_self) if screen.focused is not None else {screen, screen.app}
    for node in (screen, screen.app):
        for key, binding in bindings_of(node):
            if _is_hidden_now(node, binding):
                groups.add(node, binding, key, is_enabled=False)
    first = {key for key, (node, binding, *_) in active.items() if binding.priority}
    for widget in screen.walk_children(Widget):
        if widget.can_focus and widget not in chain and _can_be_seen(widget):
            _add_elsewhere(
                groups, widget, screen, first=first, here={key for key in active if active[key].node is screen}
            )
    return groups.in_order()


def _is_typed(screen: Screen[Any], key: str, active: ActiveBinding) -> bool:
    """Whether the key is text for what has the focus; Textual misses that for those that it calls by another name."""
    focused = screen.focused
    return (
        focused is not None
        and not active.binding.priority
        and active.node is not focused
        and focused.check_consume_key(key, _character(key))
    )


def _character(key: str) -> str | None:
    return key_to_character(key) or key_to_character(REPLACED_KEYS.get(key, key))


def _can_be_seen(widget: Widget) -> bool:
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))


class _Groups:
    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._groups: dict[tuple[int, str], KeyGroup] = {}

    def add(self, node: DOMNode, binding: Binding, key: str, *, is_enabled: bool) -> None:
        if binding.system or not binding.description:
            return
        if not binding.id and not isinstance(node, App):  # one of Textual's own, which does not concern this screen
            return
        rank = 0 if node is self._screen else 2 if isinstance(node, App) else 1
        title = binding.group.description if binding.group and binding.group.description else title_of(node)
        group = self._groups.setdefault((rank, title), KeyGroup(title))
        name = self._screen.app.get_key_display(binding.with_key(key, binding.key_display))
        group.add(binding, name, is_enabled=is_enabled)

    def in_order(self) -> list[KeyGroup]:
        return [group for _, group in sorted(self._groups.items(), key=lambda item: item[0][0])]


def _add_elsewhere(
    groups: _Groups, widget: Widget, screen: Screen[Any], *, first: Container[str], here: Container[str]
) -> None:
    """What keys would do if this widget had the focus: its own, and those that the focused one has for itself now.

    `first` are the keys that the screen takes before any widget, `here` those that are the screen's at the moment.
    """
    own = [(key, binding) for key, binding in bindings_of(widget) if key not in first]
    for key, binding in own:
        groups.add(widget, binding, key, is_enabled=True)
    taken = {key for key, _ in own}
    for key, binding in bindings_of(screen):
        is_consumed = key in taken or widget.check_consume_key(key, _character(key))
        if key not in first and key not in here and not is_consumed and not _is_hidden_now(screen, binding):
            groups.add(widget, binding, key, is_enabled=True)


def _is_hidden_now(node: DOMNode, binding: Binding) -> bool:
    place, name, parameters = actions.parse(binding.action)
    owner = getattr(node.app, place, None) if place else node
    return isinstance(owner, DOMNode) and owner.check_action(name, parameters) is False


def title_of(node: DOMNode) -> str:
    """What a screen or widget is called."""
    if isinstance(node, App):
        return EVERYWHERE
    return node.BINDING_GROUP_TITLE or _WORD_START.sub(" ", type(node).__name__).removesuffix(" Screen").capitalize()


JOINERS = ("\u200c", "\u200d")
"""What words of Persian and of India are written with, and families of emoji; Python does not call it printable."""


def is_character(event: events.Key) -> bool:
    """Whether the key writes its character; Textual reports Alt+D as the character d, too."""
    is_written = event.is_printable or event.character in JOINERS
    return is_written and not _MODIFIERS.intersection(event.key.split("+")[:-1])


def own_action(widget: Widget, key: str) -> str | None:
    """What a key is bound to by the widget itself, and does now."""
    bound = widget.screen.active_bindings.get(key)
    return bound.binding.action if bound is not None and bound.node is widget else None


async def edit_in_turn(line: Input, event: events.Key) -> None:
    """Let a key edit a line of text before what is typed behind it.

    Textual would let the key rise to the application first, and take those that follow meanwhile: of a, Backspace and b
    that come together, it would delete the b. Enter has to rise: it may come behind an Up or Down that does, too.
    """
    action = None if event.is_printable else own_action(line, event.key)
    if action is not None and action != "submit" and await line.app.run_action(action, line):
        event.stop()


class CommandLine(CommandInput):
    """Where a command's name is typed."""

    async def on_key(self, event: events.Key) -> None:
        """Edit in the order of the keys."""
        await edit_in_turn(self, event)


class CommandFinder(LeavablePalette):
    """All commands, to be found by their names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "turn_page(1)", "Down a page", show=False),
        Binding("pageup", "turn_page(-1)", "Up a page", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Compose it as Textual does, with our own line to type in."""
        for widget in super().compose():
            if isinstance(widget, CommandInput):
                yield CommandLine(placeholder=widget.placeholder, select_on_focus=False)
            else:
                yield widget

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leave, unless it was left before, as our own dialogs are."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _choose_once(self, event: Message) -> None:
        """Do what was chosen once: of a key that is held down, more may be on the way than it took to leave."""
        if not self.is_active:
            _ = event.stop()
            _ = event.prevent_default()

    def action_turn_page(self, direction: int) -> None:
        """Go a page further, or back."""
        for commands in self.query(CommandList):
            turn: Callable[[], object] = commands.action_page_down if direction > 0 else commands.action_page_up
            with suppress(KeyError, IndexError):  # Textual's list knows its lines only once it has been laid out
                turn()
