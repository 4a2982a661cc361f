"""QuestionsSeen: which open questions have been on the screen from their head to their choices, and stand still."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.row import Row


class QuestionsSeen:
    """Kept by request, since the same call may be asked about again with other arguments."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Nothing has been seen."""
        self._clock = clock
        self._rows: dict[str, list[Row]] = {}
        self._seen: dict[str, set[int]] = {}
        self._head_since: dict[str, float] = {}
        self._whole_since: dict[str, float] = {}
        self._tops: dict[str, int] = {}
        self._still_since: dict[str, float] = {}

    def look(self, request: str, rows: list[Row], places: Iterable[int], top: int) -> None:
        """Some rows of a question are on the screen, on which its first one is, or would be, at `top`."""
        if self._tops.get(request) != top:
            self._tops[request], self._still_since[request] = top, self._clock()
        if request in self._whole_since:
            return
        seen = self._still_seen(request, rows)
        seen.update(places)
        if 0 in seen:
            self._head_since.setdefault(request, self._clock())
        if len(seen) == len(rows):
            self._whole_since[request] = self._clock()
            del self._rows[request], self._seen[request]

    def _still_seen(self, request: str, rows: list[Row]) -> set[int]:
        """What was seen of it; rows that look otherwise since then, as after a resize, have not been seen."""
        known, seen = self._rows.get(request, rows), self._seen.get(request, set())
        if known is not rows:
            seen = {at for at in seen if at < len(rows) and rows[at].is_same(known[at])}
        self._rows[request], self._seen[request] = rows, seen
        return seen

    def head_since(self, request: str) -> float | None:
        """Since when it is known which call is asked about; None if it has not been on the screen."""
        return self._head_since.get(request)

    def still_since(self, request: str) -> float:
        """Since when it is where it is: a click that was meant for another may hit one that has just moved there."""
        return self._still_since.get(request, 0.0)

    def whole_since(self, request: str) -> float | None:
        """Since when every row of it has been on the screen; None if some have not."""
        return self._whole_since.get(request)
