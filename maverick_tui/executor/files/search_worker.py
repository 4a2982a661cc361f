"""Searches files for a pattern, in a process of its own: a pattern can keep Python busy for years, and no thread of
that process would run meanwhile. It is given one JSON object on its input, and answers with one per file that matches.

Patterns are Python's. The ordinary ones are matched by RE2, which takes time and memory in proportion to the text; the
others, and lines on which the two do not agree, by `re` within the limits on time and memory.

Run as a script, without site-packages: beside the standard library it imports only `re2`, from the folder it is told.
"""

from __future__ import annotations

import contextlib
import heapq
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

MOST_BYTES = 20_000_000
"""The largest file that is searched."""
MOST_MEMORY = 1_000_000_000
"""Bytes for the whole process; macOS and Windows do not enforce it."""
MOST_LINE = 500
MOST_BEFORE = 100
"""Characters of a line that are shown, and how many of them may come before the match."""
OPENING_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A link at the end of a path is not followed, and a pipe is not waited for."""

Match = tuple[int, int]
"""The number of a line, and where in it the first match begins."""
Finder = Callable[[str], Iterator[Match]]

_ORDINARY = re.compile(
    r"""(?x) (?:\(\?i\))? (?>
        [^\\\[(){?*+] | \{(?![0-9,])                         # a character, an anchor, a dot, a bar
      | \((?:\?:|\?P<[A-Za-z_]\w*>|(?!\?)) | \)
      | \\(?:[dDwWsSb]|[tnrfv]|x[0-9A-Fa-f]{2}|[^\w\s])
      | \[\^?\]?(?:[^\\\[\]]|\\(?:[dws]|[tnrfv]|x[0-9A-Fa-f]{2}|[^\w\s]))*+\]
      | (?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??+
    )*+""",
    re.ASCII,
)
"""What means the same to Python and to RE2, except for which characters are letters, digits and spaces."""
_DEPENDS_ON_CHARACTERS = re.compile(r"\\[dDwWsSb]|^\(\?i\)")
_OTHER_SPACE = re.compile("[\x0b\x1c-\x1f]")
"""Spaces to Python, but not to RE2."""


def main(source: TextIO, target: TextIO) -> None:
    """Search what the request names."""
    request = json.loads(source.read())
    _limit(request["seconds"] + 1)  # whoever waits ends it before that, and says so
    _end_with(request["owner"])

    def answer(**values: Any) -> None:
        print(json.dumps(values), file=target, flush=True)

    try:
        find = finder(request["pattern"], ignore_case=request["ignore_case"])
    except (re.error, OverflowError, RecursionError) as error:
        answer(wrong=str(error))
        return
    left, root = request["most"], request["root"]
    for path in request["files"]:
        if left <= 0:
            break
        try:
            text = _text(path, root)
            found = _search(text, find, left, request) if text is not None else None
        except MemoryError:
            answer(too_large=os.path.relpath(path, root))
            return
        if found and found["count"]:
            left -= 1 if request["mode"] != "content" else len(found["lines"])
            answer(path=path, **found)
    answer(done=True, cut=left <= 0)


def finder(pattern: str, *, ignore_case: bool = False) -> Finder:
    """A function that finds the matching lines of a text, in order; `re.error` if the pattern is not valid."""
    by_re = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    by_re2 = _compiled_by_re2(pattern, ignore_case=ignore_case)
    if by_re2 is None:
        return lambda text: _by_lines(_lines(text), by_re)
    depends = ignore_case or bool(_DEPENDS_ON_CHARACTERS.search(pattern))

    def find(text: str) -> Iterator[Match]:
        if not depends or _is_plain(text):
            return _by_text(text, by_re2)
        lines = _lines(text)
        others = {number: line for number, line in enumerate(lines) if not _is_plain(line)}
        plain = "\n".join("" if number in others else line for number, line in enumerate(lines)) + "\n"
        found = (match for match in _by_text(plain, by_re2) if match[0] not in others)
        return heapq.merge(found, _by_lines(others, by_re))

    return find


def _compiled_by_re2(pattern: str, *, ignore_case: bool) -> Any:
    """The same pattern for RE2, line by line in a whole text; None if it would not mean the same."""
    import re2  # type: ignore[import-untyped]

    folds = ignore_case or pattern.startswith("(?i)")
    if not _ORDINARY.fullmatch(pattern) or (folds and not pattern.isascii()):
        return None
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.never_nl = True
    options.never_capture = True
    options.log_errors = False
    try:
        return re2.compile(f"(?m){pattern}", options)
    except (re2.error, UnicodeEncodeError):  # it allows fewer repetitions, and no half characters
        return None


def _is_plain(text: str) -> bool:
    """Whether both agree on what in it is a letter, a digit or a space."""
    return text.isascii() and not _OTHER_SPACE.search(text)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _by_lines(lines: list[str] | dict[int, str], pattern: re.Pattern[str]) -> Iterator[Match]:
    for number, line in lines.items() if isinstance(lines, dict) else enumerate(lines):
        if match := pattern.search(line):
            yield number, match.start()


def _by_text(text: str, pattern: Any) -> Iterator[Match]:
    data = text.removesuffix("\n").replace("\r\n", "\n").removesuffix("\r").encode()
    number = counted = position = 0
    while match := pattern.search(data, position):
        start = match.start()
        number += data.count(b"\n", counted, start)
        line = data.rfind(b"\n", 0, start) + 1
        yield number, len(data[line:start].decode())
        counted = start
        end = data.find(b"\n", start)
        if end < 0:
            return
        position = end + 1


def _search(text: str, find: Finder, left: int, request: dict[str, Any]) -> dict[str, Any]:
    matching: dict[int, int] = {}
    for number, start in find(text):
        matching[number] = start
        if request["mode"] == "files_with_matches" or (request["mode"] == "content" and len(matching) >= left):
            break
    if request["mode"] != "content" or not matching:
        return {"count": len(matching), "lines": []}
    lines, around = _lines(text), request["around"]
    wanted = {
        near for number in matching for near in range(max(0, number - around), min(len(lines), number + around + 1))
    }
    shown = [
        (number + 1, number in matching, _cut(lines[number], matching.get(number, 0))) for number in sorted(wanted)
    ]
    return {"count": len(matching), "lines": shown[:left]}


def _cut(line: str, match: int) -> str:
    if len(line) <= MOST_LINE:
        return line
    start = max(0, match - MOST_BEFORE)
    end = start + MOST_LINE
    return f"{'[...] ' if start else ''}{line[start:end]}{' [...]' if end < len(line) else ''}"


def is_below(real: str, root: str) -> bool:
    """Whether a real path is the root or below it."""
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def opened_path(descriptor: int, path: str) -> str:
    """Where an opened file is. The system knows; where it does not say, it is the path, if that still leads to the same
    file, and otherwise empty.
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
    """The text of a regular file below the root; None if it is something else, binary, or cannot be read."""
    try:
        with os.fdopen(os.open(path, OPENING_FLAGS), "rb") as file:
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
    """This process ends even if nobody is left to end it, and does not take everyone else's memory."""
    with contextlib.suppress(ImportError):  # there are no such limits on Windows
        import resource

        for kind, most, hardly in (
            (resource.RLIMIT_CPU, seconds, seconds + 1),
            (resource.RLIMIT_AS, MOST_MEMORY, MOST_MEMORY),
        ):
            with contextlib.suppress(ValueError, OSError):  # the user has set a lower one
                resource.setrlimit(kind, (most, hardly))


def _end_with(owner: int) -> None:
    """Linux ends this process with its owner; elsewhere the limits do."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
        if os.getppid() != owner:
            sys.exit()


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    main(sys.stdin, sys.stdout)
