"""Keeps what a tool has answered to a size that can be kept, sent and searched."""

from __future__ import annotations

from typing import Any

LARGEST = 2_000_000
"""Characters of one output, or of one structured account."""


def cut_text(text: str) -> str:
    """The text, or its beginning and its end with a note in between."""
    if len(text) <= LARGEST:
        return text
    half = LARGEST // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters are left out]\n{text[-half:]}"


def slim_detail(detail: Any) -> Any:
    """A tool's structured account without the whole files that it repeats; only a note if it is too large even so."""
    if isinstance(detail, dict):
        detail = {name: value for name, value in detail.items() if name != "originalFile"}
        if isinstance(file := detail.get("file"), dict):
            detail["file"] = {name: value for name, value in file.items() if name not in ("content", "base64")}
    size = _size(detail, LARGEST)
    return detail if size <= LARGEST else {"left_out": f"more than {LARGEST:,} characters"}


def _size(value: Any, most: int) -> int:
    """About how many characters a JSON value has; counting stops where it is more than enough."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list):
        return 4
    size = 0
    for item in value.values() if isinstance(value, dict) else value:
        size += _size(item, most) + 4
        if size > most:
            break
    return size
