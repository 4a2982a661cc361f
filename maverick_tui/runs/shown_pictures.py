"""ShownPictures: the pictures that a person has sent with prompts, while the run is alive.

They are known by the marks that stand for them in texts: so a prompt that is edited, tried again or goes on after a
limit shows what it has always shown, and nobody else has to know of pictures.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING

from maverick_tui.exceptions import AgentError
from maverick_tui.pictures import MOST_AT_ONCE, mark_apart, marks_in

if TYPE_CHECKING:
    from maverick_tui.executor.model.messages import Image

_MOST_KEPT = 4 * MOST_AT_ONCE
"""Characters of all that is kept, of which bytes take three quarters; the oldest is forgotten."""


class ShownPictures:
    """What was shown, by its mark; nothing of it is kept on disk."""

    def __init__(self) -> None:
        self._data: dict[str, str] = {}

    def keep(self, images: Mapping[str, str], text: str = "") -> str:
        """Know these from now on; the text that shows them, by other marks where theirs stand for others already.

        Each window numbers its own, so two of them may call different pictures the same.
        """
        for given, data in images.items():
            mark = given
            if self._data.get(given, data) != data and marks_in(given) == [given]:
                mark = mark_apart(given, data)
                text = text.replace(given, mark)
            self._data.pop(mark, None)
            self._data[mark] = data
        while sum(map(len, self._data.values())) > _MOST_KEPT:
            del self._data[next(iter(self._data))]
        return text

    def has_any(self, text: str) -> bool:
        """Whether a text shows one."""
        return any(mark in self._data for mark in marks_in(text))

    def missing(self, text: str) -> list[str]:
        """The marks in a text whose pictures are not here, for whatever reason."""
        return [mark for mark in marks_in(text) if mark not in self._data]

    def shown_by(self, text: str) -> list[Image]:
        """The pictures that a model is to see with this text."""
        marks = [mark for mark in marks_in(text) if mark in self._data]
        if not marks:
            return []
        from maverick_tui.exceptions import ConfigError
        from maverick_tui.executor.model.messages import Image

        try:
            return [Image.of(base64.b64decode(self._data[mark], validate=True)) for mark in marks]
        except (binascii.Error, ConfigError) as error:
            hint = "Send it again without it, or attach a PNG, JPEG, GIF or WebP."
            raise AgentError(
                "A picture of this prompt is none that a model can see.", kind="invalid", hint=hint
            ) from error
