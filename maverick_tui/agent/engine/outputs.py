"""What a tool has answered, as text of a size that can be kept, sent and searched."""

from __future__ import annotations

import re
from typing import Any

from maverick_tui.markup.json_text import readable_json
from maverick_tui.masking.redact import without_keys_of

_TAGS = re.compile(r"</?(?:tool_use_error|persisted-output|truncated-output)>")
_HOOK = re.compile(r"\A(?:Error: )?PreToolUse:\S+ hook error: ")
"""What the CLI puts before our own reason why a call may not run."""
_NOTE, _NOTE_END = "<system-reminder>", "</system-reminder>"

LARGEST = 2_000_000
"""Characters of one output, or of one structured account."""
_NEAR = 4_000


def result_text(content: str | list[Any] | dict[str, Any] | None) -> str:
    """The text of a result, without what the CLI tells the model alone."""
    if isinstance(content, list):
        content = "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    elif isinstance(content, dict):  # of a tool that the endpoint runs itself
        content = readable_json(content)
    return _HOOK.sub("", _TAGS.sub("", _without_notes(content or "")).strip("\n"))


def _without_notes(text: str) -> str:
    """Linear, whatever the text: a file may hold the beginning of a note a thousand times, and no end."""
    kept, at = [], 0
    while (start := text.find(_NOTE, at)) >= 0 and (end := text.find(_NOTE_END, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(_NOTE_END)
    return "".join([*kept, text[at:]])


def cut_text(text: str) -> str:
    """The text, or its beginning and its end with a note in between."""
    if len(text) <= LARGEST:
        return text
    half = LARGEST // 2
    # At the end of a line if there is one near: half a secret would not be known for what it is.
    end = text.rfind("\n", half - _NEAR, half) if "\n" in text[half - _NEAR : half] else half
    start = len(text) - half
    start = text.find("\n", start, start + _NEAR) + 1 or start
    return f"{text[:end]}\n[{start - end:,} characters are left out]\n{text[start:]}"


def slim_detail(detail: Any) -> Any:
    """A tool's structured account without the whole files that it repeats; only a note if it is too large even so."""
    if isinstance(detail, dict):
        original = detail.get("originalFile")
        detail = {name: value for name, value in detail.items() if name != "originalFile"}
        # What an edit tells of a key's lines is known for that by the whole file alone, which goes here.
        detail = without_keys_of(original, detail)
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
