"""Image: a picture that a model is shown."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path

from maverick_tui.exceptions import ConfigError

_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


@dataclass(frozen=True, slots=True)
class Image:
    """A picture as the API takes it: PNG, JPEG, GIF or WebP, its bytes as base64 in `data`."""

    media_type: str
    data: str = field(repr=False)

    @classmethod
    def of(cls, source: bytes | Path | str) -> Image:
        """The picture in a file, or of these bytes; its first bytes tell what it is."""
        name = "The picture" if isinstance(source, bytes) else f"The picture {str(source)!r}"
        try:
            data = source if isinstance(source, bytes) else Path(source).read_bytes()
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror}.", path=str(source)) from error
        found = next((kind for start, kind in _BEGINNINGS.items() if data.startswith(start)), "")
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            found = "image/webp"
        if not found:
            raise ConfigError(f"{name} is none that a model can see.", hint="Give a PNG, JPEG, GIF or WebP.")
        return cls(found, base64.b64encode(data).decode())
