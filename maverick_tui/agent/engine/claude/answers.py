"""Which answer of the model is which: endpoints other than Anthropic's may call all of theirs the same, or nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

_SIZES_OF_PROMPT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Answers:
    """Gives each answer of a run an id that no other one has: theirs, as long as it is the only one."""

    def __init__(self, taken: set[str] | None = None) -> None:
        """`taken` are the ids that others have had, perhaps of another process; each new one is put there."""
        self._taken = set[str]() if taken is None else taken
        self._times: Counter[str] = Counter()
        self._streamed: set[str] = set()
        self._whole: set[tuple[object, ...]] = set()

    def began(self, theirs: str) -> str:
        """The id of one that begins to stream."""
        self._streamed.add(theirs)
        return self._distinct(theirs)

    def came(self, theirs: str, usage: dict[str, Any], parent: str = "") -> str:
        """The id of one that comes as a whole, and in as many messages as it has blocks; nothing if it is known."""
        told = (parent, theirs, *(str(usage.get(size)) for size in _SIZES_OF_PROMPT))
        if told in self._whole or (not parent and theirs in self._streamed):
            return ""
        self._whole.add(told)
        return self._distinct(theirs)

    def _distinct(self, theirs: str) -> str:
        answer = ""
        while not answer or answer in self._taken:
            self._times[theirs] += 1
            answer = theirs if self._times[theirs] == 1 else f"{theirs}#{self._times[theirs]}"
        self._taken.add(answer)
        return answer
