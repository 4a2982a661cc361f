"""Whether an edit has made of a file exactly what it was to make of it: then nobody else has written to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_exactly(tool: str, arguments: Mapping[str, Any], before: bytes | None, after: bytes | None) -> bool:
    """Whether what is there afterwards is what this call makes of what was there before, and nothing else."""
    if after is None:
        return False
    match tool, arguments:
        case "Write", {"content": str(content)}:
            return after == _bytes(content)
        case "Edit", {"old_string": str(old), "new_string": str(new)} if before is not None and old:
            count = -1 if arguments.get("replace_all") is True else 1
            return after == before.replace(_bytes(old), _bytes(new), count)
    return False


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
