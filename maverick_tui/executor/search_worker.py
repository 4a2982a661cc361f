"""Searches files for a pattern, in a process of its own: a pattern can keep Python busy for years, and no thread of
that process would run meanwhile. It is given one JSON object on its input, and answers with one per file that matches.

Run as a script, without site-packages: it may import nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
from typing import Any, TextIO

MOST_BYTES = 20_000_000
"""Of one file; a longer one is not searched."""
MOST_LINE = 500
MOST_BEFORE = 100
"""Characters of a line that are shown, and how many of them may stand before the match."""


def main(source: TextIO, target: TextIO) -> None:
    """Search what the request names."""
    request = json.loads(source.read())
    _limit(request["seconds"] + 1)  # whoever waits ends it before that, and says so
    try:
        pattern = re.compile(request["pattern"], re.IGNORECASE if request["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        print(json.dumps({"wrong": str(error)}), file=target, flush=True)
        return
    left, root = request["most"], request["root"]
    for path in request["files"]:
        if left <= 0:
            break
        text = _text(path, root)
        if text is None:
            continue
        found = _search(text.removesuffix("\n").split("\n"), pattern, left, request)
        if found["count"]:
            left -= 1 if request["mode"] != "content" else len(found["lines"])
            print(json.dumps({"path": path, **found}), file=target, flush=True)
    print(json.dumps({"done": True, "cut": left <= 0}), file=target, flush=True)


def _search(lines: list[str], pattern: re.Pattern[str], left: int, request: dict[str, Any]) -> dict[str, Any]:
    matching: dict[int, int] = {}  # numbers of lines, and where in them the match begins
    for number, line in enumerate(lines):
        if match := pattern.search(line.removesuffix("\r")):
            matching[number] = match.start()
            if request["mode"] == "files_with_matches" or (request["mode"] == "content" and len(matching) >= left):
                break
    if request["mode"] != "content":
        return {"count": len(matching), "lines": []}
    around = request["around"]
    wanted = {
        near for number in matching for near in range(max(0, number - around), min(len(lines), number + around + 1))
    }
    shown = [
        (number + 1, number in matching, _cut(lines[number], matching.get(number, 0))) for number in sorted(wanted)
    ]
    return {"count": len(matching), "lines": shown[:left]}


def _cut(line: str, match: int) -> str:
    line = line.removesuffix("\r")
    if len(line) <= MOST_LINE:
        return line
    start = max(0, match - MOST_BEFORE)
    end = start + MOST_LINE
    return f"{'[...] ' if start else ''}{line[start:end]}{' [...]' if end < len(line) else ''}"


def is_below(real: str, root: str) -> bool:
    """Whether a real path is the root or below it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def opened_path(descriptor: int, path: str) -> str:
    """Where the file is that was opened. The system knows it; elsewhere it is the path that leads to the same file now,
    and empty if none does.
    """
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
    except OSError:
        pass
    try:
        real = os.path.realpath(path)
        return real if os.path.samestat(os.fstat(descriptor), os.lstat(real)) else ""
    except OSError:
        return ""


def _text(path: str, root: str) -> str | None:
    """The text of an ordinary file below the root; None if it is none, is binary, or cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return None
            if not is_below(opened_path(file.fileno(), path), root):  # a folder on the way is a link by now
                return None
            content = file.read(MOST_BYTES)
    except OSError:
        return None
    if not content or b"\0" in content[:8192]:
        return None
    return content.decode("utf-8", "replace")


def _limit(seconds: int) -> None:
    """Also if nobody is left to end this process, it ends."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # there is no such limit on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
