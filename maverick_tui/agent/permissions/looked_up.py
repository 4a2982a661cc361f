"""What was found in folders and files, for as long as they are as they were: to look through them takes a while."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from maverick_tui.real_paths import real_path

LASTS = 30.0
"""Seconds for which it counts at most: what links lead to may change where nobody has looked."""
_SETTLES = 2_000_000_000
"""Nanoseconds: what has changed just now may change again and keep its time, for some file systems count seconds."""

_MOST = 32

T = TypeVar("T")
P = ParamSpec("P")


class Seen:
    """Places as they were when somebody looked at them, be there something or not."""

    def __init__(self) -> None:
        self._stamps: dict[str, object] = {}
        self.counts_from_now()

    def counts_from_now(self) -> None:
        """It has been looked at, which may have taken a while."""
        self._until = time.monotonic() + LASTS

    def see(self, path: str) -> str:
        """A place that is about to be looked at."""
        self.stamp(path)
        return path

    def stamp(self, path: str) -> object:
        """The same, and what is another one once something has changed there."""
        if path not in self._stamps:
            self._stamps[path] = _stamp(path)
        return self._stamps[path]

    def is_as_it_was(self) -> bool:
        """Whether to look again would find the same."""
        is_young = time.monotonic() < self._until
        return is_young and all(_stamp(path) == stamp for path, stamp in self._stamps.items())


def _stamp(path: str) -> object:
    try:
        found = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return real_path(path)  # where it would come to be, by links that may lead elsewhere the next time
    is_settled = time.time_ns() - found.st_ctime_ns > _SETTLES
    return (found.st_dev, found.st_ino, found.st_ctime_ns) if is_settled else object()


def looked_up(look: Callable[Concatenate[Seen, P], T]) -> Callable[P, T]:
    """A function whose value is kept for the same arguments, as long as all that it has seen is as it was."""
    kept, changing = OrderedDict[object, tuple[Seen, T]](), Lock()

    @wraps(look)
    def look_or_keep(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, *kwargs.items())
        found = kept.get(key)
        if found is None or not found[0].is_as_it_was():
            seen = Seen()
            found = seen, look(seen, *args, **kwargs)
            seen.counts_from_now()
            with changing:  # calls are judged in several threads
                kept[key] = found
                kept.move_to_end(key)
                if len(kept) > _MOST:
                    kept.popitem(last=False)
        return found[1]

    return look_or_keep
