"""Shell: what the application is apart from its runs: its looks, its keys, its palette, and its way to the terminal."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.notifications import Notify
from textual.screen import Screen
from textual.theme import Theme

from maverick_tui import paths
from maverick_tui.ui.keys.typed import WaitingKeys, is_typed
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.themes import THEMES

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.events import Event as InputOrOther

    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.run.screen import RunScreen

log = logging.getLogger(__name__)

QUIT_AGAIN_WITHIN = 2.0
MOST_NOTICES = 2
"""Notices that are shown at a time: they cover what one reads."""


class Shell(App[int]):
    """Knows how everything looks and which key does what; what there is to be seen, others know."""

    TITLE = "Maverick"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_quit", "Copy the selection; twice: quit", id="app.quit", priority=True, show=False),
        Binding("ctrl+q", "quit", "Quit", id="app.quit_now", priority=True, show=False),
        Binding("f1", "help", "Help", id="app.help", priority=True),
        Binding("ctrl+p", "command_palette", "All commands", id="app.palette", priority=True, show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", id="app.suspend", priority=True, show=False),
    ]

    def __init__(self, styles: Iterable[str], preferences: Preferences | None) -> None:
        """Begin with these styles; Textual loads those of other screens by itself."""
        super().__init__(css_path=[paths.shipped("styles") / f"{name}.tcss" for name in styles])
        self.preferences = preferences or Preferences.load()
        self._ctrl_c_at = 0.0
        self._waiting_keys = WaitingKeys(self)
        for theme in THEMES:
            self.register_theme(theme)
        chosen = self.preferences.theme if self.preferences.theme in self.available_themes else THEMES[0].name
        # Assigned, it would have all styles parsed once more after the first frame.
        self.set_reactive(App.theme, chosen)
        self.stylesheet.set_variables(self.get_css_variables())

    # -- the terminal and its keys ------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """The way to the terminal."""
        if sys.platform == "win32":
            return super().get_driver_class()
        from maverick_tui.ui.driver import TerminalDriver

        return TerminalDriver

    def entitle(self, *parts: str) -> None:
        """Call the terminal's window by these words and our own name, where there is a terminal."""
        if sys.platform != "win32" and not self.is_headless:
            from maverick_tui.ui.driver import TerminalDriver

            if isinstance(self._driver, TerminalDriver):
                self._driver.set_title(" - ".join((*parts, self.TITLE or "")))

    def on_driver_signal_resume(self) -> None:
        """Paint everything: the terminal was somebody else's, and Textual paints it anew only in another size."""
        self.refresh(layout=True)

    async def on_event(self, event: InputOrOther) -> None:
        """Take an event; keys that no screen can take yet wait for it."""
        if self._waiting_keys.keep(event):
            return
        if is_typed(event):
            self._focus_for_typing()
        await super().on_event(event)

    def _focus_for_typing(self) -> None:
        """Let what is typed go where it goes when a screen comes up, if nothing has the focus.

        Textual takes it away while the terminal has none, gives it back only if something had it before that, and does
        neither for what is pasted.
        """
        self.app_focus = True
        screen = self.screen
        if screen.focused is None and screen.AUTO_FOCUS:
            first = next((widget for widget in screen.query(screen.AUTO_FOCUS) if widget.focusable), None)
            screen.set_focus(first)

    async def on_descendant_focus(self) -> None:
        """A screen can be typed to."""
        for event in self._waiting_keys.take():
            await super().on_event(event)

    async def _remap_keys(self) -> None:
        """Take the person's own keys; in a thread, since all screens are imported to know what there is a key for."""
        from maverick_tui.ui.keys.own import own_keys

        keymap, problems = await asyncio.to_thread(own_keys, type(self))
        self._tell_problems(problems, "Keys")
        if keymap:
            from maverick_tui.ui.run.screen import RunScreen

            self.set_keymap(keymap)
            for screen in self.screen_stack:
                if isinstance(screen, RunScreen) and screen.is_mounted:
                    screen.keys_changed()

    def get_key_display(self, binding: Binding) -> str:
        """A key as keyboards have it: F5 and PgUp, and not f5 and pgup."""
        display, names = super().get_key_display(binding).replace("⏎", "enter"), {"pgup": "PgUp", "pgdn": "PgDn"}
        return re.sub(r"\b[a-z]\w+", lambda name: names.get(name[0], name[0].capitalize()), display)

    def _fatal_error(self) -> None:
        """End after a failure of our own: Textual would print the values of variables with it, secrets among them."""
        import traceback

        from rich.text import Text

        from maverick_tui.inert import inert
        from maverick_tui.redact import redact
        from maverick_tui.ui.log_file import log_path

        self.bell()
        log.critical("The application has failed.", exc_info=sys.exception())
        told = inert(redact(traceback.format_exc()))
        hint = f"Maverick has failed. What it was stands above and, to be passed on, in {log_path()}."
        self.panic(Text(f"{told}\n{hint}"))

    def on_notify(self, event: Notify) -> None:
        """Make room for a notice: the oldest goes, but what warns stays longer than what only tells."""
        new = event.notification.identity
        others = [one for one in self._notifications if one.identity != new]
        others.sort(key=lambda one: (one.severity != "information", one.raised_at))
        for old in others[: len(others) + 1 - MOST_NOTICES]:
            del self._notifications[old]

    def _tell_problems(self, problems: Sequence[str], title: str) -> None:
        """Tell what is wrong with the person's settings, all of it at once: of many notices few would be seen."""
        if problems:
            self.notify("\n".join(problems), title=title, severity="warning", timeout=15, markup=False)

    # -- looks --------------------------------------------------------------------------------------------------------

    def text_palette(self) -> Palette:
        """The colours of text in the theme of the moment."""
        from maverick_tui.ui.rendering.palette import Palette

        theme: Theme = self.current_theme
        variables = self.theme_variables
        return Palette.of(
            variables,
            background=variables["background"],
            foreground=variables["foreground"],
            dark=theme.dark,
            ansi=theme.ansi,
        )

    def _theme_changed(self, theme: Theme) -> None:
        from maverick_tui.ui.run.screen import RunScreen

        self.preferences.change(theme=theme.name)
        for screen in self.screen_stack:
            if isinstance(screen, RunScreen):
                screen.transcript.restyle()

    def on_run_screen_verbosity_changed(self, event: RunScreen.VerbosityChanged) -> None:
        """Remember how much is to be shown."""
        self.preferences.change(verbosity=event.verbosity)

    def on_run_screen_panel_toggled(self, event: RunScreen.PanelToggled) -> None:
        """Remember whether the panel is open."""
        self.preferences.change(is_panel_closed=event.is_closed)

    # -- what can be done everywhere ----------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the palette offers besides the commands of the screen."""
        from maverick_tui.ui.keys.bindings import screen_commands

        ours = list(screen_commands(screen))
        named = {command.title for command in ours} | {"Keys"}  # the help shows them, and what they do elsewhere
        yield from (command for command in super().get_system_commands(screen) if command.title not in named)
        yield from ours
        yield SystemCommand(
            "Bell: off" if self.preferences.has_bell else "Bell: on",
            "Ring when a run ends or needs you",
            lambda: self.preferences.change(has_bell=not self.preferences.has_bell),
        )
        yield SystemCommand(
            "Notifications: off" if self.preferences.has_notifications else "Notifications: on",
            "Desktop notification when a run ends or needs you",
            lambda: self.preferences.change(has_notifications=not self.preferences.has_notifications),
        )

    def action_help(self) -> None:
        """Show what the keys do here."""
        from maverick_tui.ui.overlays.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_close()
        else:
            _ = self.push_screen(HelpScreen())

    def copy_to_clipboard(self, text: str) -> None:
        """Put text on the clipboard; who cuts or copies nothing keeps what is there."""
        if text:
            super().copy_to_clipboard(text)

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, the second time within two seconds, quit."""
        from textual.widgets import Input, TextArea

        focused = self.focused
        typed = focused.selected_text if isinstance(focused, TextArea | Input) else ""
        if selected := self.screen.get_selected_text() or typed:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.notify(f"Copied {len(selected):,} characters.", timeout=2)
            return
        now = time.monotonic()
        if now - self._ctrl_c_at <= QUIT_AGAIN_WITHIN:
            self.call_later(self.action_quit)
            return
        self._ctrl_c_at = now
        self.notify("Press Ctrl+C again to quit.", timeout=QUIT_AGAIN_WITHIN)
