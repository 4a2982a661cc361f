"""The keys of a replay: which action each of them is bound to."""

from __future__ import annotations

from textual.binding import Binding


def _key(key: str, action: str, text: str, name: str, *, is_first: bool = False) -> Binding:
    return Binding(key, action, text, id=name, priority=is_first, show=False)


REPLAY_KEYS = (
    _key("space", "play", "Play, or pause", "replay.play", is_first=True),
    _key("left", "stride(-1)", "Back", "replay.back"),
    _key("right", "stride(1)", "Forward", "replay.forward"),
    _key("comma", "step(-1)", "To the event before", "replay.event_before"),
    _key("full_stop", "step(1)", "To the next event", "replay.event_after"),
    _key("left_square_bracket", "prompt(-1)", "To the prompt before", "replay.prompt_before"),
    _key("right_square_bracket", "prompt(1)", "To the next prompt", "replay.prompt_after"),
    _key("home", "start", "To the beginning", "replay.start"),
    _key("end", "finish", "To the end", "replay.finish"),
    _key("plus,equals_sign", "speed(1)", "Faster", "replay.faster"),
    _key("minus", "speed(-1)", "Slower", "replay.slower"),
    _key("w", "waits", "Long waits in full, or cut short", "replay.waits"),
    _key("up", "lines(-1)", "Up a line", "replay.up"),
    _key("down", "lines(1)", "Down a line", "replay.down"),
    _key("q", "leave", "Leave the replay", "replay.quit"),
    _key("escape", "leave", "Leave the replay", "replay.leave", is_first=True),
    _key("tab", "switch_focus", "Between time line and transcript", "replay.focus", is_first=True),
    # What the same keys do in a run they do here as well, also where the person has chosen others.
    _key("ctrl+o", "verbosity", "Show more or less", "run.verbosity", is_first=True),
    _key("ctrl+b", "toggle_panel", "Usage panel", "run.panel", is_first=True),
    _key("pageup", "page(-1)", "Up a page", "run.page_up", is_first=True),
    _key("pagedown", "page(1)", "Down a page", "run.page_down", is_first=True),
    _key("ctrl+end", "follow", "To the end, and follow it", "run.follow", is_first=True),
)
