"""TimeLine: where a replay is, to be seen and to be taken somewhere else with the mouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style

from maverick_tui.history.days import time_text
from maverick_tui.ui.lines import Line
from maverick_tui.ui.replay.keys import REPLAY_KEYS
from maverick_tui.ui.widgets.painted import Painted, Weighted, drop_lightest, row_width
from maverick_tui.ui.widgets.usage_figures import Moment, duration, short

if TYPE_CHECKING:
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.replay.playing import Player
    from maverick_tui.ui.replay.recording import Rhythm

_GAP = "   "
_LEAST_BAR = 10
_MOST_MARKS = 1 / 3
"""The part of the bar that marks may take: where they would be everywhere they say nothing."""
_NEEDED = 9
_ACTIONS = {key.id: f"screen.{key.action}" for key in REPLAY_KEYS} | {
    "transcript.entry_before": "focused.entry(-1)",
    "transcript.entry_after": "focused.entry(1)",
    "transcript.toggle": "focused.fold",
    "transcript.copy": "focused.copy",
}
"""What a click on the name of a key does."""


class TimeLine(Painted, can_focus=True):
    """A bar with its prompts, how fast it goes, and above it what the run had come to and spent by then."""

    FOCUS_ON_CLICK = False  # the keys that are named stay the same below the mouse

    class Scrubbed(Message):
        """The person wants to be at this moment, in seconds from the beginning."""

        def __init__(self, moment: float) -> None:
            super().__init__()
            self.moment = moment

    def __init__(self, store: RunStore) -> None:
        super().__init__()
        self._store = store
        self._player: Player | None = None
        self._bar = range(0)
        self._is_held = False
        self._is_scrubbed = False
        self._is_reading = False
        self._marks: tuple[Rhythm | None, int, dict[int, str]] = (None, 0, {})
        self._keys: Mapping[str, str] = {}
        self._facts_shown: list[Weighted] = []
        self._keys_shown: list[Weighted] = []
        self._words = "Reading the run …"

    def set_keys(self, keys: Mapping[str, str]) -> None:
        """Say what keys are called, by the ids of their bindings."""
        self._keys = keys
        self.refresh_line()

    def name_keys(self, *, is_reading: bool) -> None:
        """Name the keys that count while the transcript has the focus, or those of the time line."""
        self._is_reading = is_reading
        self.refresh_line()

    def follow(self, player: Player) -> None:
        """Show where this one is, from now on."""
        self._player = player
        self.refresh_line()

    def say(self, words: str) -> None:
        """Say this in place of a bar that is not there."""
        self._words = words
        self.refresh_line()

    def refresh_line(self) -> None:
        """Show where it is now; what looks the same costs next to nothing."""
        width = self.content_size.width
        if not width:
            return
        self.paint([self._row(width)])
        self._entitle(width)

    def fill(self) -> None:
        """The same in the room that there is now."""
        self.refresh_line()

    # -- the bar ------------------------------------------------------------------------------------------------------

    def _row(self, width: int) -> Line:
        player = self._player
        if player is None:
            return ((self._words, "muted"),)
        length = duration(int(player.rhythm.length))
        state = "▶" if player.is_playing else "▷"
        speed = f"{player.speed:g}x"
        left: Line = (
            (f"{state} ", "accent" if player.is_playing else "muted"),
            (f"{speed:<5} ", "text"),
            (f"{duration(int(player.moment)):>{len(length)}} ", "title"),
        )
        room = width - row_width(left) - len(length) - 1
        if room < _LEAST_BAR:
            self._bar = range(0)
            return (*left, (f"of {length}", "muted"))
        self._bar = range(row_width(left), row_width(left) + room)
        return (*left, *self._drawn_bar(player, room), (f" {length}", "muted"))

    def _drawn_bar(self, player: Player, width: int) -> Line:
        head, marks = _column(player.moment, player.rhythm, width), self._marks_of(player, width)
        spans: list[tuple[str, str]] = []
        for column in range(width):
            is_past = column < head
            if column == head:
                sign, role = "●", "accent"
            elif column in marks:
                sign = marks[column]
                role = "error" if sign == "✘" else "accent" if is_past else "text"
            else:
                sign, role = ("━", "accent") if is_past else ("─", "muted")
            if spans and spans[-1][1] == role:
                spans[-1] = (spans[-1][0] + sign, role)
            else:
                spans.append((sign, role))
        return tuple(spans)

    def _marks_of(self, player: Player, width: int) -> dict[int, str]:
        """Where on the bar prompts were sent, and turns have failed."""
        rhythm, drawn_width, marks = self._marks
        if rhythm is not player.rhythm or drawn_width != width:
            rhythm, recording = player.rhythm, player.recording
            marks = {}
            for sign, counts in (("┃", recording.prompts), ("✘", recording.failures)):
                columns = {_column(rhythm.moment_of(count), rhythm, width) for count in counts}
                if len(columns) <= width * _MOST_MARKS:
                    marks.update(dict.fromkeys(columns, sign))
            self._marks = rhythm, width, marks
        return marks

    # -- around it ----------------------------------------------------------------------------------------------------

    def _entitle(self, width: int) -> None:
        """Say what there is above the bar, and what the keys do below it; Textual paints all of it where it is new."""
        facts, keys = fitting(self._facts(), " · ", width - 1), fitting(self._key_hints(), _GAP, width - 1)
        if facts != self._facts_shown:
            self._facts_shown, self.border_title = facts, joined(facts, " · ")
        if keys != self._keys_shown:
            self._keys_shown, self.border_subtitle = keys, joined(keys, _GAP)

    def _facts(self) -> list[Weighted]:
        player = self._player
        if player is None:
            return [Weighted(_NEEDED, (("Replay", ""),))]
        recording, figures = player.recording, Moment.of(self._store, player.now)
        sign, written = figures.written
        prompts = len(recording.prompts)
        facts = (
            (_NEEDED, "Replay", ""),
            (4, time_text(player.now, "%H:%M:%S"), ""),
            (5, *_counted("event", player.count, len(recording))),
            (6, *(_counted("prompt", recording.prompt_at(player.count), prompts) if prompts else ("", ""))),
            (7, f"{short(figures.all_input)} in", "12.5k in"),
            (7, f"{sign}{short(written)} out", "~12.5k out"),
            (8, figures.price if figures.cost is not None else "", "≥$0.125"),
            (8, "waits in full" if player.keeps_waits else "", ""),
        )
        # Each has the room that it may come to need, so that nothing goes when something else grows.
        return [Weighted(weight, ((f"{text:<{len(widest)}}", ""),)) for weight, text, widest in facts if text or widest]

    def _key_hints(self) -> list[Weighted]:
        """What keys do; a click on it does the same."""
        if not self._keys:
            return []
        player = self._player
        play = "pause" if player is not None and player.is_playing else "play"
        hints: tuple[tuple[int, tuple[str, ...], str], ...] = (
            (_NEEDED, ("replay.play",), play),
            (6, ("replay.back", "replay.forward"), "scrub"),
            *(_READING if self._is_reading else _PLAYING),
            (8, ("replay.leave",), "leave"),
        )
        return [
            Weighted(weight, (*((self._keys[key], _ACTIONS[key]) for key in keys), (f" {words}", _ACTIONS[keys[-1]])))
            for weight, keys, words in hints
        ]

    # -- the mouse ----------------------------------------------------------------------------------------------------

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to where the bar is pressed, and with it until it is let go; what stands before it plays, or pauses."""
        event.stop()
        x, y = event.offset - self.content_offset
        self._is_scrubbed = False
        if self._player is None or y != 0:
            return
        if x in self._bar:
            self._is_held = self._is_scrubbed = True
            self.capture_mouse()
            self._scrub(event)
        elif x < self._bar.start or not self._bar:
            await self.run_action("screen.play")

    def on_click(self, event: events.Click) -> None:
        """Whoever lets go of the bar somewhere else has not clicked on what is there."""
        if self._is_scrubbed:
            event.prevent_default()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go along."""
        if self._is_held:
            event.stop()
            self._scrub(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stay there."""
        if self._is_held:
            event.stop()
            self._let_go()

    def on_mouse_release(self) -> None:
        """Somebody else has the mouse."""
        self._is_held = False

    def _let_go(self) -> None:
        self._is_held = False
        self.release_mouse()

    def _scrub(self, event: events.MouseEvent) -> None:
        if self._player is None or len(self._bar) < 2:
            return
        share = (event.x - self.content_offset.x - self._bar.start) / (len(self._bar) - 1)
        self.post_message(self.Scrubbed(min(max(share, 0.0), 1.0) * self._player.rhythm.length))


_PLAYING = (
    (5, ("replay.event_before", "replay.event_after"), "event"),
    (5, ("replay.prompt_before", "replay.prompt_after"), "prompt"),
    (4, ("replay.faster", "replay.slower"), "speed"),
    (2, ("replay.waits",), "waits"),
    (3, ("replay.focus",), "transcript"),
)
_READING = (
    (5, ("transcript.entry_before", "transcript.entry_after"), "entry"),
    (5, ("transcript.toggle",), "open"),
    (4, ("transcript.copy",), "copy"),
    (7, ("replay.focus",), "time line"),
)
"""What the keys do that are others while the transcript has the focus."""


def fitting(parts: Sequence[Weighted], gap: str, width: int) -> list[Weighted]:
    """As many of the parts as there is room for in one line: the lightest go first."""
    kept = list(parts)
    while sum(row_width(part.line) + len(gap) for part in kept) - len(gap) > width and drop_lightest(kept, _NEEDED):
        pass
    return kept


def joined(parts: Sequence[Weighted], gap: str) -> Content:
    """The parts in one line; each text is clickable that has an action where other lines have a role."""
    texts = (
        Content.assemble(*((text, Style.from_meta({"@click": action}) if action else "") for text, action in part.line))
        for part in parts
    )
    return Content(gap).join(text for line in texts if (text := line.rstrip()))


def _counted(what: str, number: int, total: int) -> tuple[str, str]:
    """Which of how many it is, and the same for the last of them."""
    return f"{what} {number:,} of {total:,}", f"{what} {total:,} of {total:,}"


def _column(moment: float, rhythm: Rhythm, width: int) -> int:
    return round(moment / rhythm.length * (width - 1)) if rhythm.length else width - 1
