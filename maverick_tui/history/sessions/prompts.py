"""What an entry of a session says: above all what a person has written, with words of the CLI among and around it."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from maverick_tui.events.kinds import Origin

Entry = dict[str, Any]

_NO_BRANCH = "HEAD"
"""What the CLI says where there is none."""
INTERRUPTED = "[Request interrupted by user"
_IMAGE = "[image]"
_ADDED = re.compile(r"\s*<(?:system-reminder|ide_opened_file|ide_selection|session-start-hook)>")
"""What the CLI puts before or behind a prompt, in a block of its own."""
_OUTPUT = re.compile("<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>")
_TASK = "<task-notification>"


def text_of(entry: Entry, field: str) -> str:
    """A field of an entry, if it is a text."""
    value = entry.get(field)
    return value if isinstance(value, str) else ""


def branch_of(entry: Entry) -> str:
    """The branch that an entry was made on."""
    branch = text_of(entry, "gitBranch")
    return "" if branch == _NO_BRANCH else branch


class Said(NamedTuple):
    """One thing that stands in the person's place: a prompt, what a command has printed, or an interruption."""

    kind: Literal["prompt", "output", "interruption"]
    text: str = ""
    origin: Origin = "person"
    is_command: bool = False


def said_in(entry: Entry) -> Said | None:
    """What was said; None where there are only results of tools."""
    text = _text(entry.get("message"))
    if not text:
        return None
    if text.startswith(INTERRUPTED):
        return Said("interruption")
    if text.startswith(_TASK):
        return Said("prompt", origin="background")
    if (command := _between(text, "command-name")) is not None:
        arguments = _between(text, "command-args") or ""
        return Said("prompt", f"{command} {arguments}".strip(), is_command=True)
    if (shell := _between(text, "bash-input")) is not None:
        return Said("prompt", f"!{shell}", is_command=True)
    if text.startswith("<") and (printed := _printed(text)):
        return Said("output", "\n".join(filter(None, printed)))
    return Said("prompt", text)


# A pattern would look for the end behind each beginning anew, which takes hours where there are many and no end.
def _between(text: str, tag: str) -> str | None:
    """What stands between the first such tag and its end."""
    _, _, rest = text.partition(f"<{tag}>")
    inner, end, _ = rest.partition(f"</{tag}>")
    return inner if end else None


def _printed(text: str) -> list[str]:
    found, at, endless = list[str](), 0, set[str]()
    while (tag := _OUTPUT.search(text, at)) is not None:
        at, name = tag.end(), tag[1]
        end = -1 if name in endless else text.find(f"</{name}>", at)
        if end < 0:
            endless.add(name)
        else:
            found.append(text[at:end])
            at = end
    return found


def _text(message: Any) -> str:
    """Without the engine's own reading, which needs the SDK: sessions are listed by this."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content.strip()
    parts: list[str] = []
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str) and not _ADDED.match(block["text"]):
            parts.append(block["text"])
        elif kind == "image":
            parts.append(_IMAGE)
    return "\n".join(parts).strip()
