"""How a run stands on the board: on one line, or on two where there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from maverick_tui.runs.card import RunCard
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import Tone
from maverick_tui.ui.lines import Line, Span
from maverick_tui.ui.rendering.wrap import cut, pad

TWO_LINES = 100
"""Columns from which a run has two lines, and its figures stand on the first."""
_FEW = 3
"""Lines for each run from which it has two in a narrower window: there, the figures stand on the second."""
_STATE = 12
_WIDEST_NAME = 20
_GAP = 2
_LEAST_TEXT = 20
"""Columns of what a run does, for which its figures and its name give way."""
_LEAST_MARK, _NUMBER = 12, 8
"""Columns of what tells runs of the same name apart, and characters of a number that does."""
_DOT = " · "
_DROPPED_FIRST = (2, 1, 3, 0, 4)
"""Which figures give way first: tokens, files, the cost, the plan, the time."""
_CHANGED = 1
"""Which figure says how much was changed: in words where there is room."""
_ROLES: dict[Tone, str] = {
    "attention": "warning",
    "bad": "error",
    "busy": "accent",
    "good": "success",
    "quiet": "muted",
}


def height(width: int, runs: int, lines: int) -> int:
    """Lines of a run, where there are so many runs and so many lines for all of them."""
    return 2 if width >= TWO_LINES or 0 < runs * _FEW <= lines else 1


class RowDrawing:
    """Draws runs in columns that are as wide as what has stood in them; they do not shrink while one looks."""

    def __init__(self) -> None:
        self._name = 0
        self._figures = [0] * len(_DROPPED_FIRST)
        self._changed = 0
        """The width of how much runs have changed, in words."""
        self._marks: dict[str, str] = {}
        """By what runs are told apart that are called the same, where nothing else says it."""

    def measure(self, cards: Sequence[RunCard], now: float) -> None:
        """Make room for these."""
        self._marks = _marks(cards)
        for card in cards:
            self._name = max(self._name, min(cell_len(_name(card)), _WIDEST_NAME))
            for at, figure in enumerate(_figures(card, now)):
                self._figures[at] = max(self._figures[at], len(figure))
            self._changed = max(self._changed, len(card.changed))

    def draw(self, card: RunCard, width: int, now: float, tall: int) -> tuple[Line, ...]:
        """The lines of a run for a width, as many as it is to have."""
        return tuple(self._lines(card, width, now, tall))

    def _lines(self, card: RunCard, width: int, now: float, tall: int) -> Iterator[Line]:
        is_narrow = tall == 2 and width < TWO_LINES
        glyph, word, detail, tone = card.state(now)
        role, name_width = _ROLES[tone], self._name
        left = 2 + _STATE + _GAP
        least = _LEAST_TEXT if tall == 2 or not self._marks else 2 * _LEAST_MARK + len(_DOT)
        figures = self._fitting(card, now, width - left - (0 if is_narrow else name_width + _GAP) - least)
        if width - left - name_width - _GAP < _LEAST_TEXT:
            name_width = 0
        name = f"{pad(cut(_name(card), name_width), name_width)}{' ' * _GAP}" if name_width else ""
        room = max(width - left - cell_len(name) - (0 if is_narrow else cell_len(figures)), 0)
        said = detail or card.last_line or ("" if tall == 2 else card.title)
        mark = self._marks.get(card.key, "") if tall == 1 else ""
        mark = cut(f"{cut(mark, max(room // 3, _LEAST_MARK))}{_DOT}", room) if mark not in ("", said) else ""
        room -= cell_len(mark)
        yield (
            (f"{glyph} ", role),
            (pad(cut(word, _STATE), _STATE + _GAP), role),
            (name, "strong"),
            (mark, "muted"),
            (pad(cut(said, room), room), "text" if detail else "muted"),
            ("" if is_narrow else figures, "muted"),
        )
        if is_narrow:
            room = width - left - cell_len(figures)
            below = [*_below(card, room, card.last_line if detail else "")]
            filled = room - sum(cell_len(text) for text, _ in below)
            yield (" " * left, "muted"), *below, (f"{' ' * filled}{figures}", "muted")
        elif tall == 2:
            yield (" " * left, "muted"), *_below(card, width - left, card.last_line if detail else "")

    def _fitting(self, card: RunCard, now: float, room: int) -> str:
        """The figures in their columns, as far as there is room for them."""
        widths = [width + _GAP if width else 0 for width in self._figures]
        figures = _figures(card, now)
        if sum(widths) + self._changed - self._figures[_CHANGED] <= room and self._changed:
            widths[_CHANGED], figures[_CHANGED] = self._changed + _GAP, card.changed
        for at in _DROPPED_FIRST:
            if sum(widths) > room:
                widths[at] = 0
        return "".join(f"{figure:>{width}}" for figure, width in zip(figures, widths, strict=True) if width)


def _name(card: RunCard) -> str:
    name = card.name or card.agent or card.run_id
    return f"{card.machine}:{name}" if card.machine else name


def _marks(cards: Sequence[RunCard]) -> dict[str, str]:
    """The first words of each run that shares its name, or, where those are the same as well, its number."""
    named = Counter(map(_name, cards))
    asked = Counter((_name(card), card.prompt) for card in cards)
    return {
        card.key: card.prompt if card.prompt and asked[_name(card), card.prompt] == 1 else card.run_id[:_NUMBER]
        for card in cards
        if named[_name(card)] > 1
    }


def _below(card: RunCard, room: int, last_line: str) -> Iterator[Span]:
    """The second line: which agent, what it was asked, its tags, and what it has said last."""
    asked = card.prompt or "nothing was asked yet"
    parts = [(card.agent if card.name else "", "muted")]
    parts.append((cut(asked, max(room // 2, 20)) if last_line else asked, "muted"))
    parts.append((" ".join(f"#{tag}" for tag in card.tags), "accent"))
    parts.append((last_line, "muted"))
    is_first = True
    for text, role in parts:
        if text and room > _GAP + 2:
            shown = cut(text, room if is_first else room - 3)
            yield (shown if is_first else f" · {shown}"), role
            room -= cell_len(shown) + (0 if is_first else 3)
            is_first = False


def _figures(card: RunCard, now: float) -> list[str]:
    """Plan, what was changed, tokens, cost, and how long its turns have taken."""
    return [
        f"{card.done}/{card.steps}" if card.steps else "",
        card.changed_briefly,
        _short(card.tokens) if card.tokens else "",
        f"{card.cost_sign}{dollars(card.cost_usd)}" if card.cost_usd else "",
        _time(took) if (took := card.took(now)) else "",
    ]


def _short(tokens: int) -> str:
    return f"{tokens}" if tokens < 1_000 else f"{tokens / 1e3:.1f}k" if tokens < 1e6 else f"{tokens / 1e6:.1f}M"


def _time(seconds: float) -> str:
    """So many seconds in few characters: 12 s, 2:05, 1:02:05, 3 d."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    if hours >= 24:
        return f"{hours // 24} d"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
