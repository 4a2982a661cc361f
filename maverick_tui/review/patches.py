"""What has changed as a patch that `git apply` takes, also for files that are new, gone, renamed or binary."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from maverick_tui.snapshots.changes import FileChange
from maverick_tui.snapshots.entries import Entry
from maverick_tui.snapshots.shadow import Shadow

_NO_BLOB = "0" * 40
_PLAIN = re.compile(rb'[^\x00-\x1f"\\\x7f-\xff]*')
_ESCAPES = {0x07: b"\\a", 0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0B: b"\\v", 0x0C: b"\\f", 0x0D: b"\\r"}
_ESCAPES |= {0x22: b'\\"', 0x5C: b"\\\\"}


def patch_of(shadow: Shadow, change: FileChange) -> bytes:
    """The patch of one file; nothing if all that has changed is what git does not know, or nobody."""
    if change.not_kept:
        return b""
    if change.status == "type" and change.before is not None and change.after is not None:
        # What has become a link, or has been one, is another thing.
        return _patch(shadow, change.path, change.path, change.before, None) + _patch(
            shadow, change.path, change.path, None, change.after
        )
    return _patch(shadow, change.before_path, change.path, change.before, change.after)


def _patch(shadow: Shadow, was: str, path: str, before: Entry | None, after: Entry | None) -> bytes:
    head = b"\n".join(_head(was, path, before, after))
    old, new = (one.blob if one is not None else shadow.nothing() for one in (before, after))
    told = shadow.git("diff", "--binary", "--full-index", old, new) if old != new else b""
    lines = told.split(b"\n", 5)  # `git diff` of two blobs names them in its head, in the place of files
    body = next((b"\n".join(lines[at:]) for at, line in enumerate(lines) if line[:3] in (b"@@ ", b"GIT")), b"")
    if body:
        head += f"\nindex {_blob(before)}..{_blob(after)}".encode()
        if before is not None and after is not None and before.mode == after.mode:
            head += f" {after.mode}".encode()
        if body.startswith(b"@@"):
            head += b"\n--- " + (_ended(_quoted("a/", was)) if before is not None else b"/dev/null")
            head += b"\n+++ " + (_ended(_quoted("b/", path)) if after is not None else b"/dev/null")
    elif b"\n" not in head:
        return b""
    return head + b"\n" + body


def _head(was: str, path: str, before: Entry | None, after: Entry | None) -> Iterator[bytes]:
    yield b"diff --git " + _quoted("a/", was) + b" " + _quoted("b/", path)
    if before is None and after is not None:
        yield f"new file mode {after.mode}".encode()
    elif before is not None and after is None:
        yield f"deleted file mode {before.mode}".encode()
    elif before is not None and after is not None and before.mode != after.mode:
        yield f"old mode {before.mode}".encode()
        yield f"new mode {after.mode}".encode()
    if was != path:
        yield b"rename from " + _quoted("", was)
        yield b"rename to " + _quoted("", path)


def _blob(entry: Entry | None) -> str:
    return _NO_BLOB if entry is None else entry.blob


def _quoted(side: str, path: str) -> bytes:
    """A name as git writes it: between quotes, with escapes, if there is anything odd in it."""
    name = side.encode() + os.fsencode(path)
    if _PLAIN.fullmatch(name):
        return name
    return b'"' + b"".join(_ESCAPES.get(one) or _octal(one) for one in name) + b'"'


def _ended(name: bytes) -> bytes:
    """A name with a blank in it has a mark at its end: a time could follow it."""
    return name + b"\t" if b" " in name else name


def _octal(byte: int) -> bytes:
    return bytes((byte,)) if 0x20 <= byte < 0x7F else f"\\{byte:03o}".encode()
