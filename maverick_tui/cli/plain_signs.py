"""Signs for an output whose encoding does not have them: each becomes an ASCII character of its own, as wide as it."""

from __future__ import annotations

import codecs
import io

_NAME = "maverick-plain"
_PLAIN = str.maketrans("●✔✘■○⚑‖✓☑☐▸·→…│┊─╭╮╰╯≥", "*+x#o!~++->->.|:-++++>")


def use_plain_signs(stream: io.TextIOWrapper) -> None:
    """Have the stream show what it can, and of our signs at least what tells them apart."""
    codecs.register_error(_NAME, _in_plain)
    stream.reconfigure(errors=_NAME)


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(letter if letter.isascii() else "?" for letter in text), error.end
