"""Which file an `@` in the prompt may become: what has been typed of it, what is offered, and which one is marked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from maverick_tui.ui.mentions.ranking import fits, mention, shell_word

_BEGUN = re.compile(r"""(?:^|(?<=[\s(\[{<,;:'`]))@([^\s"@]{0,200})$""")
"""A file of which a part has been typed, up to the cursor; the `@` of an address has a word before it."""


class MentionChoice:
    """Open while a file is being named; it holds for the place it has seen, and no other."""

    columns = 0

    def __init__(self, look_for: Callable[[str], None], on_change: Callable[[], None]) -> None:
        """`look_for` is to find files by letters, and say so by `offer`; `on_change` hears that others are shown."""
        self._look_for = look_for
        self._on_change = on_change
        self.on_chosen: Callable[[str], None] = lambda _mention: None
        """Hears how a file that was chosen is named."""
        self._before = ""
        """What stood before the cursor when it was looked at."""
        self._wanted: str | None = None
        self._refused = ""
        """What stands up to the `@` of the mention that the person does not want completed."""
        self.names: tuple[str, ...] = ()
        self.at = 0
        """The place of the marked one."""

    def rows(self) -> list[tuple[str, str]]:
        """What is offered."""
        return [(name, "") for name in self.names]

    def look(self, before: str) -> None:
        """Find the files that what stands before the cursor may name, as it has been typed."""
        begun = _BEGUN.search(before)
        self._before, self._wanted = before, begun[1] if begun else None
        if begun is None:
            self.close()
        elif before[: begun.start(1)] != self._refused:
            self._refused = ""
            # Until others are found, Enter takes one that fits what has been typed.
            self._show(tuple(name for name in self.names if fits(name, begun[1])))
            self._look_for(begun[1])

    def offer(self, wanted: str, names: Sequence[str]) -> None:
        """These have been found; whatever was typed meanwhile is looked for by itself."""
        if wanted == self._wanted and not self._refused:
            self._show(tuple(names))

    def is_open(self, before: str) -> bool:
        """Whether there is something to choose at this place."""
        return bool(self.names) and before == self._before

    def step(self, by: int) -> None:
        """Mark the next one, or the one before, going round."""
        self.at = (self.at + by) % len(self.names)
        self._on_change()

    def completion(self, before: str, at: int | None = None, *, command: str = "") -> tuple[int, str] | None:
        """From which column on the text becomes what, by the marked file or the one at a place; None if it is that.

        `command` is all that stands before the cursor, if it is one of the shell: there a file is a word of it, and
        within quotes that somebody has begun none is put in.
        """
        if not self.is_open(before) or self._wanted is None:
            return None
        start = len(before) - len(self._wanted) - 1
        name = self.names[self.at if at is None else at]
        if command and _is_quoted(command[: start - len(before)]):
            return None
        named = shell_word(name) if command else mention(name)
        return None if before[start:] == named else (start, f"{named} ")

    def refuse(self) -> None:
        """The person does not want to choose for this one."""
        self._refused = self._before[: len(self._before) - len(self._wanted or "")]
        self._show(())

    def close(self) -> None:
        """There is nothing to choose."""
        self._wanted, self._refused = None, ""
        self._show(())

    def _show(self, names: tuple[str, ...]) -> None:
        if names != self.names:
            self.names, self.at = names, 0
            self._on_change()


def _is_quoted(before: str) -> bool:
    """Whether what follows would be within quotes, or after a backslash."""
    try:
        shlex.split(before)
    except ValueError:
        return True
    return False
