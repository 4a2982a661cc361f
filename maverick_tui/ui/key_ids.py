"""The ids of all bindings, so that a remapped key can be checked before it silently does nothing."""

from __future__ import annotations

from textual.binding import Binding
from textual.dom import DOMNode

from maverick_tui.ui.textual_private.asking import bindings_of


def binding_ids() -> set[str]:
    """Every id that a key can be given for."""
    return {binding.id for binding in all_bindings() if binding.id}


def all_bindings() -> list[Binding]:
    """The bindings of all screens and of what is on them."""
    from maverick_tui.ui.app import MaverickApp
    from maverick_tui.ui.dialogs.confirm import ConfirmScreen
    from maverick_tui.ui.dialogs.inputs import InputsForm
    from maverick_tui.ui.dialogs.naming import NameScreen
    from maverick_tui.ui.dialogs.trust import TrustScreen
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.screens.details import DetailsScreen
    from maverick_tui.ui.screens.help import HelpScreen
    from maverick_tui.ui.screens.overlay import Overlay
    from maverick_tui.ui.screens.run import RunScreen
    from maverick_tui.ui.transcript.view import Transcript
    from maverick_tui.ui.widgets.find_bar import FindBar
    from maverick_tui.ui.widgets.prompt import Prompt

    owners = (
        MaverickApp, PickerScreen, RunScreen, Transcript, FindBar, Prompt, Overlay, HelpScreen, DetailsScreen,
        ConfirmScreen, TrustScreen, InputsForm, NameScreen,
    )  # fmt: skip
    return [binding for owner in owners for binding in owner.BINDINGS if isinstance(binding, Binding)]


def key_names(*nodes: DOMNode) -> dict[str, str]:
    """What the keys of these nodes are called, by the ids of their bindings; the person's own keys among them."""
    names: dict[str, str] = {}
    for node in nodes:
        for key, binding in bindings_of(node):
            # Not every terminal can tell Shift+Enter from Enter, so that it is not the key to be named.
            if binding.id and binding.id not in names and key != "shift+enter":
                names[binding.id] = node.app.get_key_display(binding.with_key(key, binding.key_display))
    return names


def own_keys() -> tuple[dict[str, str], list[str]]:
    """The keys that the person has chosen, and what is wrong with them."""
    from maverick_tui import paths
    from maverick_tui.ui.preferences import load_keys

    return load_keys(binding_ids()) if (paths.user_config() / "config.toml").is_file() else ({}, [])
