"""Calls that write what stands in another file: patches and archives. Their words do not say where they write."""

from __future__ import annotations

from collections.abc import Sequence

_UNPACKERS = frozenset("patch unzip unrar unar cpio pax".split())
_EXTRACT = {"tar": "x", "bsdtar": "x", "jar": "x", "7z": "xe", "7za": "xe", "7zr": "xe", "7zz": "xe"}
"""Letters of the first word, or of options, that have an archive unpacked."""
_OF_GIT = frozenset({"apply", "am", "checkout-index"})


def is_unpacker(program: str) -> bool:
    """Whether a program can be told to."""
    return program in _UNPACKERS or program in _EXTRACT


def writes_by_content(words: Sequence[str]) -> bool:
    """Whether a call writes to places that only another file names."""
    name, *rest = words
    if name == "git":
        return bool(rest) and rest[0] in _OF_GIT
    return name in _UNPACKERS or (name in _EXTRACT and _is_extracting(rest, _EXTRACT[name]))


def _is_extracting(words: Sequence[str], letters: str) -> bool:
    bundles = [word for at, word in enumerate(words) if (not at or word[:1] == "-") and not word.startswith("--")]
    is_long = any(word.startswith(("--ext", "--ge", "--x")) for word in words)
    return is_long or any(letter in bundle for bundle in bundles for letter in letters)
