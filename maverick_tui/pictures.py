"""Pictures that a person attaches to a prompt: which a model can see, how large, and the words that stand for them.

A picture is told by a mark in the prompt, `[image 1: shot.png 120 kB]`, and is shown to the model if its mark is in
what the model is asked. So events and journals have the name and the size of it, and never its bytes.
"""

from __future__ import annotations

import hashlib
import re

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST_BYTES = 5_000_000
"""Of one picture: the API takes no larger one."""
MOST_AT_ONCE = 15_000_000
"""Of all pictures of one prompt."""

_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_MARK = re.compile(r"\[image \d+: [^\[\]\n]{1,80} [\d.,]+ [kM]?B\]")
_LONGEST_NAME = 60


def media_type_of(data: bytes) -> str:
    """What kind of picture it is, by its first bytes; empty if no model can see it."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")


def mark_of(number: int, name: str, size: int) -> str:
    """The words that stand for a picture; `name` is inert already."""
    plain = " ".join(name.translate({ord("["): "(", ord("]"): ")"}).split()) or "image"
    if len(plain) > _LONGEST_NAME:
        plain = f"{plain[: _LONGEST_NAME // 2]}…{plain[-_LONGEST_NAME // 2 :]}"
    return f"[image {number}: {plain} {size_in_words(size)}]"


def mark_apart(mark: str, data: str) -> str:
    """The mark with some letters that only this picture has: another one may have been called the same elsewhere."""
    words, size, unit = mark.rsplit(" ", 2)
    return f"{words} {hashlib.sha256(data.encode()).hexdigest()[:8]} {size} {unit}"


def size_in_words(size: int) -> str:
    """Bytes, as a person reads them."""
    if size < 1_000:
        return f"{size} B"
    return f"{round(size / 1_000)} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def marks_in(text: str) -> list[str]:
    """All words in a text that look like a picture's mark, in their order, each once."""
    return list(dict.fromkeys(_MARK.findall(text)))
