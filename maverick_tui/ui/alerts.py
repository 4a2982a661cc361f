"""What a person hears of while they look elsewhere: a run has ended, or needs them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from textual.app import App, SystemCommand

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.inert import cut_at
from maverick_tui.runs.news import QUIET_FOR, News, news_of, shortened
from maverick_tui.ui.run_notices import RunNotices
from maverick_tui.ui.textual_private.asking import write_beside

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.preferences import Preferences

log = logging.getLogger(__name__)

LONG_TURN = 10.0
"""Seconds after which even somebody at the terminal is told: by then they are looking elsewhere."""
_LONGEST_NAME = 40

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
        news, rings = news_of(event), True
        if news is None or not _is_heard(run, event, has_focus=has_focus):
            return None
        if isinstance(event, ev.PermissionAsked):
            since = event.at - self._asked_at.get(run.run_id, float("-inf"))
            self._asked_at[run.run_id] = event.at
            rings = not 0 <= since < QUIET_FOR
        return self._alert(run, news, rings=rings, has_focus=has_focus)

    def _alert(self, run: RunModel, news: News, *, rings: bool, has_focus: bool) -> Alert:
        return Alert(news.text, rings, "" if has_focus or not rings else escape(self._protocol, _named(run), news.text))


def _is_heard(run: RunModel, event: Event, *, has_focus: bool) -> bool:
    """Whether this news is for somebody who looks there, or elsewhere."""
    if isinstance(event, ev.TurnEnded):
        if has_focus and event.usage.duration_ms / 1000 < LONG_TURN:
            return False
        has_failed = event.failure is not None or event.outcome == "failed"
        return has_failed or not run.store.queue.keys() - run.store.held  # else it goes on at once
    return isinstance(event, ev.PermissionAsked) or not has_focus


def _named(run: RunModel) -> str:
    """The agent, and what tells the run from others of that agent."""
    about = shortened(run.store.name or run.store.first_prompt)
    about = about if len(about) <= _LONGEST_NAME else f"{about[: cut_at(about, _LONGEST_NAME - 1)]}…"
    return f"{run.agent} · {about}" if about else run.agent


class Alerts:
    """Rings, notifies and shows what the notifier has to say, as the person prefers it."""

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        """Tell it by the terminal of this application."""
        self._app = app
        self._preferences = preferences
        self._notifier = Notifier()
        self._notices = RunNotices(app)

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
        news = news_of(event)
        if not is_shown and news is not None and news.kind == "done":
            self._notices.tell_done(run.run_id, _named(run), alert.text)
        elif not is_shown:
            self._notices.tell(_named(run), alert.text)
        if alert.rings and not app.app_focus and news is not None:
            app.run_worker(_tell_by_command(run, news), group="news", exit_on_error=False)


async def _tell_by_command(run: RunModel, news: News) -> None:
    """Tell it by the command of the person's choice: their terminal says that they look elsewhere."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.notify_command import Told, tell_by_command
    from maverick_tui.threads import in_thread
    from maverick_tui.ui.launch import load_settings

    try:
        settings = await in_thread(load_settings)
    except ConfigError as error:
        log.warning("News cannot be told by a command: %s", error)
        return
    folder = run.store.loaded.cwd if run.store.loaded is not None and not run.machine else ""
    await tell_by_command(settings.notify_command, Told(run.run_id, run.agent, run.title, news, folder))


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
    if not protocol:
        return ""
    title, text = (shortened(part.replace(";", ",")) for part in (title, text))
    if protocol == "osc9":
        return f"\x1b]9;Maverick: {title} {text}\x07"
    return f"\x1b]777;notify;Maverick: {title};{text}\x07"
