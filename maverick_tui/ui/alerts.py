"""What a person hears of while they look elsewhere: a run has ended, or needs them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from textual.app import App, SystemCommand

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.inert import cut_at, one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import describe
from maverick_tui.ui.textual_private.asking import write_beside

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.preferences import Preferences

LONG_TURN = 10.0
"""Seconds after which even somebody at the terminal is told: by then they are looking elsewhere."""
QUIET_FOR = 2.0
"""Seconds within which questions that follow each other ring only once."""
_LONGEST = 160

_KNOW_OSC9 = ("xterm-kitty", "xterm-ghostty")

Protocol = Literal["", "osc9", "osc777"]


class Alert(NamedTuple):
    """What to do: ring, write the escape to the terminal, or show the text."""

    text: str
    rings: bool
    escape: str


class Notifier:
    """Hears every event of every run, and says which of them the person should hear of."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._protocol = protocol_of(os.environ if environment is None else environment)
        self._asked_at: dict[str, float] = {}

    def told(self, run: RunModel, event: Event, *, has_focus: bool) -> Alert | None:
        """Take the event that a run has just had; `has_focus` says whether the person looks at this very run."""
        if isinstance(event, ev.TurnEnded):
            return self._turn_ended(run, event, has_focus=has_focus)
        if isinstance(event, ev.PermissionAsked):
            return self._asked(run, event, has_focus=has_focus)
        if isinstance(event, ev.ConnectFailed) and not has_focus:
            return self._alert(run, f"not connected: {event.failure.message}", has_focus=False)
        return None

    def _turn_ended(self, run: RunModel, event: ev.TurnEnded, *, has_focus: bool) -> Alert | None:
        seconds = event.usage.duration_ms / 1000
        if event.outcome == "interrupted" or (has_focus and seconds < LONG_TURN):
            return None
        if event.failure is not None or event.outcome == "failed":
            why = event.failure.message if event.failure else ""
            return self._alert(run, f"failed: {why}" if why else "failed", has_focus=has_focus)
        if run.store.queue.keys() - run.store.held:
            return None  # it goes on at once
        cost = event.usage.cost_usd
        price = "" if cost is None else f", {'~' if event.is_estimate else ''}{dollars(cost)}"
        return self._alert(run, f"done in {clock(seconds)}{price}", has_focus=has_focus)

    def _asked(self, run: RunModel, event: ev.PermissionAsked, *, has_focus: bool) -> Alert:
        since = event.at - self._asked_at.get(run.run_id, float("-inf"))
        self._asked_at[run.run_id] = event.at
        text = f"needs you: {describe(event.tool)} wants permission"
        if event.tool == "AskUserQuestion":
            text = "needs you: it asks a question"
        return self._alert(run, text, rings=not 0 <= since < QUIET_FOR, has_focus=has_focus)

    def _alert(self, run: RunModel, text: str, *, rings: bool = True, has_focus: bool) -> Alert:
        text = _short(text)
        return Alert(text, rings, "" if has_focus or not rings else escape(self._protocol, run.agent, text))


class Alerts:
    """Rings, notifies and shows what the notifier has to say, as the person prefers it."""

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        """Tell it by the terminal of this application."""
        self._app = app
        self._preferences = preferences
        self._notifier = Notifier()

    def hear(self, run: RunModel, event: Event, *, is_shown: bool) -> None:
        """Take the next event of a run; `is_shown` says whether that is on the screen."""
        app = self._app
        alert = self._notifier.told(run, event, has_focus=app.app_focus and is_shown)
        if alert is None:
            return
        if not app.is_headless:
            if alert.rings and self._preferences.has_bell:
                app.bell()
            if alert.escape and self._preferences.has_notifications:
                write_beside(app, alert.escape)
        if not is_shown:
            app.notify(alert.text, title=one_line(run.agent), markup=False)


def alert_commands(preferences: Preferences) -> Iterator[SystemCommand]:
    """Commands of the palette that turn alerts on and off."""
    yield SystemCommand(
        "Bell: off" if preferences.has_bell else "Bell: on",
        "Ring when a run ends or needs you",
        lambda: preferences.change(has_bell=not preferences.has_bell),
    )
    yield SystemCommand(
        "Notifications: off" if preferences.has_notifications else "Notifications: on",
        "Desktop notification when a run ends or needs you",
        lambda: preferences.change(has_notifications=not preferences.has_notifications),
    )


def protocol_of(environment: Mapping[str, str]) -> Protocol:
    """How this terminal is told; a terminal that is not known to understand gets no escape, since it might print it."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("TMUX") or environment.get("STY") or term.startswith(("screen", "tmux")):
        return ""  # they swallow it, and pass the bell on
    if program in ("iTerm.app", "WezTerm", "ghostty", "WarpTerminal", "rio") or term in _KNOW_OSC9:
        return "osc9"
    if term.startswith(("foot", "rxvt-unicode", "contour")):
        return "osc777"
    return ""


def escape(protocol: Protocol, title: str, text: str) -> str:
    """The bytes that show a notification. Semicolons part its fields, so that none may be in what is shown."""
    title, text = (_short(part.replace(";", ",")) for part in (title, text))
    if protocol == "osc9":
        return f"\x1b]9;Maverick: {title} {text}\x07"
    if protocol == "osc777":
        return f"\x1b]777;notify;Maverick: {title};{text}\x07"
    return ""


def _short(text: str) -> str:
    text = one_line(text)
    return text[: cut_at(text, _LONGEST)]
