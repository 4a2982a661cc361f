"""Makes foreign text inert: nothing in it can steer a terminal or reorder a line."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1; bidi embeddings, overrides and isolates; and halves of surrogate pairs, which
# come from file names that are not UTF-8 and which no output stream can encode.
_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def inert(text: str) -> str:
    """The text with every control character and bidi override replaced by a visible stand-in."""
    return _ACTIVE.sub(_stand_in, text)


def one_line(text: str) -> str:
    """Inert text without line breaks, for a cell of a table or one line of a message."""
    return inert(" ".join(text.split()))


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
