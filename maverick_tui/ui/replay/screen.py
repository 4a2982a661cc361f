"""ReplayScreen: a kept run plays again on the widgets of a live one; a time line stands where the prompt was."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.theme import Theme

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.keys import key_names, names_elsewhere
from maverick_tui.ui.preferences import VERBOSITIES, Preferences
from maverick_tui.ui.replay.keys import REPLAY_KEYS
from maverick_tui.ui.replay.playing import Player
from maverick_tui.ui.replay.time_line import TimeLine
from maverick_tui.ui.run.keys import GOING_ON, RUN_KEYS
from maverick_tui.ui.run.screen import SHORT, WIDE
from maverick_tui.ui.run.status import StatusLines
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.painted import PAINT

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.replay.recording import Recording


class ReplayScreen(Screen[None]):
    """Shows what a run had on its screen, at any moment of it. Nothing is asked, run or sent."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("run", "panel", "status", "replay")]
    COMPONENT_CLASSES = PAINT
    BINDING_GROUP_TITLE = "Replay"
    AUTO_FOCUS = "TimeLine"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [*REPLAY_KEYS]

    def __init__(
        self,
        run: RunModel,
        read: Callable[[], Recording],
        preferences: Preferences,
        *,
        palette: Callable[[], Palette],
        leave: Callable[[], None],
        badge: str = "",
        speed: float = 1.0,
    ) -> None:
        """`run` has nothing of its own yet; `read` is called in a thread, and says what it has told."""
        super().__init__()
        self.store = run.store
        self._read = read
        self._leave = leave
        self._preferences = preferences
        self._speed = speed
        self.player: Player | None = None
        self._second = 0
        self.transcript = Transcript(
            run.store, palette=palette, moved=self._scrolled, verbosity=preferences.verbosity, clock=self._now
        )
        self.status = StatusLines(run, badge, self._now)
        self.time_line = TimeLine(run.store)
        self.action_page = self.transcript.action_pages
        self.action_lines = self.transcript.action_lines
        self.action_follow = self.transcript.action_bottom
        self.set_class(preferences.is_panel_closed, "-panel-closed")

    def compose(self) -> ComposeResult:
        """As in a run."""
        yield self.status.header
        with Horizontal(id="run-body"):
            yield self.transcript
            yield self.status.panel
        yield self.status.usage
        yield self.status.queue
        yield self.status.line
        yield self.time_line

    def on_mount(self) -> None:
        """Read the run, and begin."""
        self.keys_changed()
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)
        self.set_interval(1.0, self.status.refresh)  # another run may need somebody
        self._begin()

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        if self.player is not None:
            self.player.close()

    @work(exit_on_error=False)
    async def _begin(self) -> None:
        from maverick_tui.exceptions import MaverickError

        try:
            recording = await asyncio.to_thread(self._read_all)
        except MaverickError as error:
            self.time_line.say("There is nothing to play.")
            text = inert(f"{error.message} {error.hint}".rstrip())
            self.notify(text, title="Replay", severity="error", timeout=30, markup=False)
            return
        if recording.problem:
            self.notify(one_line(recording.problem), title="Replay", severity="warning", timeout=10, markup=False)
        self.status.header.set_agent(recording.agent)
        self.player = Player(recording, self.store, self._moved)
        self.player.set_speed(self._speed)
        self.time_line.follow(self.player)
        self.player.go_to(0.0)
        self.player.play()

    def _read_all(self) -> Recording:
        """The run; in a thread, like what its text is drawn with, which takes a while to import."""
        importlib.import_module("maverick_tui.ui.transcript.entry_rows")
        from maverick_tui.ui.rendering.markdown import preload

        preload()
        return self._read()

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _now(self) -> float:
        return self.player.now if self.player is not None else 0.0

    def keys_changed(self) -> None:
        """The keys may be others: say so wherever they are named. Those of the run are named as they were."""
        keys = names_elsewhere(self.app, RUN_KEYS) | key_names(self.app, self.transcript, self)
        # There is nothing to steer.
        keys |= dict.fromkeys(("run.interrupt", "run.edit_queued", "run.drop_queued", *GOING_ON), "")
        self.transcript.set_keys(keys)
        self.status.set_keys(keys)
        self.time_line.set_keys(keys)

    def _theme_changed(self, _theme: Theme) -> None:
        self.transcript.restyle()

    def _moved(self, is_jump: bool) -> None:
        """The store is at another moment."""
        if not self.is_attached:
            return
        if is_jump:
            self.transcript.read_anew()
        elif self.player is not None:
            if (second := int(self.player.now)) != self._second:
                self._second = second
                self.transcript.tick()
            self.transcript.wake(at_once=not self.player.is_playing)
        self.status.refresh()
        self.time_line.refresh_line()

    def _scrolled(self, is_at_end: bool, unseen: int) -> None:
        self.status.line.set_unseen(unseen, is_at_end)

    # -- playing ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be played before it has been read."""
        return self.player is not None or action not in _PLAYS

    def action_play(self) -> None:
        """Go on, or stay."""
        self._act(lambda player: player.pause() if player.is_playing else player.play())

    def action_stride(self, direction: int) -> None:
        """Some seconds on, or back."""
        self._act(lambda player: player.stride(direction))

    def action_step(self, events: int) -> None:
        """An event on, or back."""
        self._act(lambda player: player.step(events))

    def action_prompt(self, direction: int) -> None:
        """A prompt on, or back."""
        self._act(lambda player: player.step_prompt(direction))

    def action_start(self) -> None:
        """To the first event."""
        self._act(lambda player: player.go_to_event(1))

    def action_finish(self) -> None:
        """To the last event."""
        self._act(lambda player: player.go_to_event(len(player.recording)))

    def action_speed(self, direction: int) -> None:
        """Faster, or slower."""
        self._act(lambda player: player.change_speed(direction))

    def action_waits(self) -> None:
        """Wait as long as it took, or only for a moment."""
        self._act(lambda player: player.keep_waits(not player.keeps_waits))

    @on(TimeLine.Scrubbed)
    def _scrub(self, event: TimeLine.Scrubbed) -> None:
        event.stop()
        self._act(lambda player: player.go_to(event.moment))

    def _act(self, act: Callable[[Player], None]) -> None:
        """Do it, if there is anything to play, and say so at once: the store may still be on its way."""
        if self.player is not None:
            act(self.player)
            self.time_line.refresh_line()

    # -- looking ------------------------------------------------------------------------------------------------------

    def action_leave(self) -> None:
        """Back to where it was opened."""
        if self.get_selected_text():
            self.clear_selection()
        else:
            self._leave()

    def action_switch_focus(self) -> None:
        """Between time line and transcript."""
        self.set_focus(self.transcript if self.focused is self.time_line else self.time_line)

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Some keys are the transcript's while it has the focus, and so the time line names others."""
        self.time_line.name_keys(is_reading=self.focused is self.transcript)

    def action_verbosity(self) -> None:
        """Show the next amount of detail, and remember it."""
        verbosity = VERBOSITIES[(VERBOSITIES.index(self._preferences.verbosity) + 1) % len(VERBOSITIES)]
        self._preferences.change(verbosity=verbosity)
        self.transcript.set_verbosity(verbosity)
        self.notify(f"Detail: {verbosity}", timeout=2)

    def action_toggle_panel(self) -> None:
        """Open or close the usage panel, and remember it."""
        if self.size.width >= WIDE:
            self.toggle_class("-panel-closed")
            self._preferences.change(is_panel_closed=self.has_class("-panel-closed"))


_PLAYS = ("play", "stride", "step", "prompt", "start", "finish", "speed", "waits")
