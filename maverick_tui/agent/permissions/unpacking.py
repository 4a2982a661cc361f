"""Calls that write what stands in another file, or where a server says: patches, archives and downloads.

Their words do not say where they write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

_UNPACKERS = frozenset(
    "patch gpatch unzip bsdunzip unrar unar cpio pax uudecode aunpack dtrx unsquashfs cabextract".split()
)
_EXTRACT = {
    "tar": "x",
    "gtar": "x",
    "bsdtar": "x",
    "ditto": "x",
    "jar": "x",
    "ar": "x",
    "dpkg": "xX",
    "dpkg-deb": "xXR",
    "7z": "xe",
    "7za": "xe",
    "7zr": "xe",
    "7zz": "xe",
}
"""Letters of the first word, or of options, that have an archive unpacked."""
COMPRESSORS = frozenset("gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 uncompress".split())
"""Programs that pack single files, or unpack them: to a name without its end."""
_UNPACK, _RENAME = re.compile(r"-\w*d|--d|--unc"), re.compile(r"-\w*[NSr]|--na|--su|--rec")
"""Options with which they unpack; and with which the name stands in the file, ends otherwise, or is not said."""
_FETCHERS = {
    # Letters of options without a value may stand before the one that counts.
    "wget": r"-(?:n[A-Za-z]|[46EFKLNSbcdhkqv])*[rmpxie]"
    r"|--(?:rec|mir|page|force-d|input|content-d|trust|exec|conf)",
    "curl": r"-[#0-46BGILMNORSZafgijklnpqsv]*[JK]|--(?:remote-h|conf)",
    **dict.fromkeys(("http", "https", "xh", "xhs"), r"-\w*d|--do"),
    "aria2c": "",
}
"""Options with which they write files that a server, a page or a list names."""
_OF_GIT = frozenset({"apply", "am", "checkout-index"})
_TELL = {
    # With one of the first it only tells what it would do, whatever stands behind; the others change nothing of that.
    "unzip": ("-[lptvZ][12hlmpqtvz]*", "(?!)"),
    "git apply": ("--(?:check|stat|numstat|summary)", r"-[Rqv]|-p\d|--(?:reverse|verbose|index|cached|recount)"),
    # Of `xz -t -d` the last one counts; to lz4, `-l` is another format.
    **dict.fromkeys(
        COMPRESSORS - {"lz4", "unlz4"},
        (
            r"-[kqrv\d]*[lt][kqrv\d]*|-[dfkqrv\d]*c[dfkqrv\d]*|--(?:list|test|stdout|to-stdout)",
            r"-[kqrv\d]+|-T\d+|--(?:keep|quiet|verbose)",
        ),
    ),
}
"""Programs with options by which they say what an archive or a patch has in it, and the only ones besides."""
_PYTHON = re.compile(r"python[\d.]*")


def is_unpacker(program: str) -> bool:
    """Whether a program can be told to."""
    return program in _UNPACKERS or program in _EXTRACT


def only_tells(words: Sequence[str]) -> bool:
    """Whether a call that may write what stands in another file only tells of that. An option that is not known may
    have the next word for its value, or undo another one: `git apply --stat --apply x`. Behind a file it may be one,
    too.
    """
    for call, (telling, others) in _TELL.items():
        own = call.split()
        if [*words[: len(own)]] == own:
            rest = words[len(own) :]
            options = [word for word in rest if word.startswith("-")]
            first = takewhile(lambda word: word.startswith("-"), rest)
            is_told = any(re.fullmatch(telling, word) for word in first)
            return is_told and all(re.fullmatch(f"{telling}|{others}", word) for word in options)
    return False


def writes_by_content(words: Sequence[str]) -> bool:
    """Whether a call writes to places that only another file, or a server, names."""
    name, *rest = words
    if name == "git":
        return bool(rest) and rest[0] in _OF_GIT
    if name in COMPRESSORS:
        is_unpacking = "un" in name or any(map(_UNPACK.match, rest))
        return is_unpacking and any(map(_RENAME.match, rest))
    if _PYTHON.fullmatch(name):
        is_unpacking = "-m" in rest and rest[rest.index("-m") + 1 :][:1] in (["zipfile"], ["tarfile"])
        return is_unpacking and any(word.startswith(("-e", "--e")) for word in rest)
    if name == "gh":
        return rest[1:2] == ["download"]
    if name in _FETCHERS:
        return any(re.match(_FETCHERS[name], word) for word in rest)
    return name in _UNPACKERS or (name in _EXTRACT and _is_extracting(rest, _EXTRACT[name]))


def _is_extracting(words: Sequence[str], letters: str) -> bool:
    bundles = [word for at, word in enumerate(words) if (not at or word[:1] == "-") and not word.startswith("--")]
    is_long = any(word.startswith(("--ext", "--ge", "--x")) for word in words)
    return is_long or any(letter in bundle for bundle in bundles for letter in letters)
