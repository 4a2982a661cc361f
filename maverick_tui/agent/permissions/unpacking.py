"""Calls that write what stands in another file: patches, and archives. Their words do not say where they write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from maverick_tui.agent.permissions.places import Places

_PATCHED = re.compile(rb"^(?:\+\+\+|---|rename \w+|copy \w+) +([^\t\r\n]+)|^diff --git (.+)", re.MULTILINE)
_QUOTED = re.compile(rb'^(?:\+\+\+|---|rename|copy|diff)[^\n]*["\\]', re.MULTILINE)
_LARGEST = 5_000_000
_UNPACKERS = frozenset("unzip unrar unar cpio pax".split())
_EXTRACT = {"tar": "x", "bsdtar": "x", "jar": "x", "7z": "xe", "7za": "xe", "7zr": "xe"}
"""Letters of the first word, or of options, that have an archive unpacked."""
_FLAGS = re.compile(
    r"-p\d+|-R|-v|-q|-3|--(?:check|reverse|verbose|quiet|stat|numstat|summary|recount|reject|3way|dry-run|silent|signoff)"
    r"|--strip=\d+|--whitespace=[a-z-]+"
)
"""Options of a patch that change nothing about where it writes."""


def why_unpacked(words: Sequence[str], here: Path, places: Places) -> str:
    """Why a call asks that writes what another file says; nothing if it is none, or writes to ordinary places."""
    name, *rest = words
    if name == "git" and rest[:1] == ["checkout-index"]:
        return "It writes files of the index, wherever it is told to."
    if name == "patch" or (name == "git" and rest[:1] == ["am"]):  # which take more than plain patches
        return "It applies a patch, and where that writes is not known."
    if name in _UNPACKERS or (name in _EXTRACT and _is_extracting(rest, _EXTRACT[name])):
        return "It unpacks an archive, and nobody knows where to."
    if name != "git" or rest[:1] != ["apply"]:
        return ""
    arguments = rest[1:]
    files = [word for word in arguments if not word.startswith("-")]
    if not files or not all(_FLAGS.fullmatch(word) for word in arguments if word.startswith("-")):
        return "It applies a patch, and where that writes is not known."
    for file in files:
        patched = _patched(here / file)
        if patched is None:
            return f"It applies {file}, which cannot be read."
        for path in patched - {"/dev/null"}:
            if reason := places.why_not_to_write(path, here) or places.why_not_to_edit(path, here):
                return reason
            if not places.is_inside(path, here):
                return f"It changes {path}, which is not in the working directory."
    return ""


def _is_extracting(words: Sequence[str], letters: str) -> bool:
    bundles = [word for at, word in enumerate(words) if (not at or word[:1] == "-") and not word.startswith("--")]
    is_long = any(word.startswith(("--ext", "--get", "--x")) for word in words)
    return is_long or any(letter in bundle for bundle in bundles for letter in letters)


def _patched(file: Path) -> set[str] | None:
    """The files that a patch names: as they are, and without the folder that patches put before them."""
    try:
        with file.open("rb") as content:
            text = content.read(_LARGEST + 1)
    except (OSError, ValueError):
        return None
    if len(text) > _LARGEST or _QUOTED.search(text):
        return None
    return {path for found in _PATCHED.finditer(text) for path in _paths(found[1] or found[2])}


def _paths(name: bytes) -> Iterator[str]:
    text = name.decode(errors="replace").strip()
    for part in {text, *text.split(" ")}:
        stripped = part.split("/")
        yield from ("/".join(stripped[at:]) for at in range(min(len(stripped), 3)) if stripped[at:] != [""])
