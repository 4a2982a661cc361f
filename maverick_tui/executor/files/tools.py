"""Read, Glob and Grep: tools that look at the files in one folder, and change nothing."""

from __future__ import annotations

import codecs
import io
import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

from pydantic import Field

from maverick_tui.executor.files.folder import Folder, clock
from maverick_tui.executor.files.globs import BadPatternError, matcher
from maverick_tui.executor.files.search import FileSearch, Findings, OutputMode, search
from maverick_tui.executor.tools import FunctionTool, Tool, ToolContext, ToolError
from maverick_tui.threads import in_thread

MOST_LINES = 2_000
MOST_LINE = 2_000
MOST_CHARACTERS = 40_000
"""The most that one Read returns: lines, characters of a line, characters in all."""
MOST_FILES = 100
"""The most files that a Glob lists."""


def file_tools(root: Path) -> list[Tool]:
    """Tools for the files below the root, with the names and arguments that Claude Code has made familiar."""
    files = _Files(Folder(root))
    return [
        FunctionTool(files.read, name="Read", is_read_only=True),
        FunctionTool(files.glob, name="Glob", is_read_only=True),
        FunctionTool(files.grep, name="Grep", is_read_only=True),
    ]


class _Files:
    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    async def read(
        self,
        file_path: Annotated[str, Field(description="The file: absolute, or relative to the project's folder.")],
        call: ToolContext,
        offset: Annotated[int | None, Field(ge=0, description="The number of the first line to read.")] = None,
        limit: Annotated[int | None, Field(ge=1, description="How many lines to read.")] = None,
    ) -> str:
        """Read a text file. Lines come with their numbers, as from `cat -n`: at most 2,000 unless told otherwise, and
        long lines are cut. Use `offset` to read on.
        """
        with _stopping(call) as stop:
            return await in_thread(self._read, file_path, max(offset or 1, 1), limit or MOST_LINES, stop)

    def _read(self, file_path: str, first: int, most: int, stop: Callable[[], bool]) -> str:
        with os.fdopen(self._folder.open(file_path), "rb") as file:
            encoding = _encoding(file.read(8192))
            if not encoding:
                size = os.fstat(file.fileno()).st_size
                raise ToolError(f"{file_path!r} is a binary file ({size:,} bytes); it cannot be shown as text.")
            file.seek(0)
            text = io.TextIOWrapper(file, encoding, "replace", newline="\n")
            return _numbered(text, file_path, first, most, stop)

    async def glob(
        self,
        pattern: Annotated[str, Field(description="For example **/*.py or src/**/*.{ts,tsx}.")],
        call: ToolContext,
        path: Annotated[str | None, Field(description="The folder to look in; the project's if left out.")] = None,
    ) -> str:
        """Find files by name, the most recently changed first. `**` stands for any number of folders; a pattern
        without a / is looked for in all of them. Files that git ignores are left out.
        """
        with _stopping(call) as stop:
            found, is_late = await in_thread(self._globbed, pattern, path, stop)
        note = "\n[Not all folders were searched: it took too long. Give a narrower path.]" if is_late else ""
        if not found:
            return f"No files found{note}"
        found.sort(key=lambda item: (-item[0], item[1]))
        more = f"; the {MOST_FILES} most recently changed:" if len(found) > MOST_FILES else ""
        lines = [self._folder.shown(file) for _, file in found[:MOST_FILES]]
        return "\n".join([f"{_count(len(found))}{more}", *lines]) + note

    async def grep(
        self,
        pattern: Annotated[
            str, Field(min_length=1, max_length=2_000, description="A Python regular expression, matched line by line.")
        ],
        call: ToolContext,
        path: Annotated[str | None, Field(description="The file or folder to search.")] = None,
        glob: Annotated[str | None, Field(description="Only files whose names match, like *.py.")] = None,
        output_mode: Annotated[
            OutputMode, Field(description="Matching lines, the files that contain any, or how many each contains.")
        ] = "files_with_matches",
        case_insensitive: Annotated[bool, Field(description="Whether to ignore case.")] = False,
        context: Annotated[int, Field(ge=0, le=50, description="Lines to show before and after each match.")] = 0,
        head_limit: Annotated[int, Field(ge=1, le=2_000, description="The most lines or files to return.")] = 250,
    ) -> str:
        """Search the text of files. Files that git ignores, binary files and very large ones are left out."""
        with _stopping(call) as stop:
            files, is_late = await in_thread(self._searched, path, glob, stop)
        wanted = FileSearch(pattern, output_mode, case_insensitive, context, head_limit)
        findings = await search(wanted, files, self._folder.root)
        return self._told(findings, wanted, is_late=is_late)

    def _base(self, path: str | None) -> str:
        base, found = self._folder.existing(path or ".")
        if not stat.S_ISDIR(found.st_mode):
            raise ToolError(f"{path!r} is not a folder. Give the folder that it is in.")
        return base

    def _relative(self, pattern: str, base: str) -> str:
        """The pattern relative to the folder; one that begins with the folder's own path is accepted."""
        inside = pattern.removeprefix(f"{base}/")
        if inside.startswith("/") or ".." in inside.split("/"):
            raise ToolError(f"The pattern {pattern!r} leads out of {base}. Give the folder as `path`.")
        return inside

    def _globbed(
        self, pattern: str, path: str | None, stop: Callable[[], bool]
    ) -> tuple[list[tuple[float, str]], bool]:
        """The files with the times of their last change, and whether time ran out before all were found."""
        base = self._base(path)
        matches = _matcher(self._relative(pattern, base))
        files = self._folder.files(base, stop)
        return [(_changed(file), file) for file in files if matches(_from(base, file))], stop()

    def _searched(self, path: str | None, glob: str | None, stop: Callable[[], bool]) -> tuple[list[str], bool]:
        """The files to search, and whether time ran out before all were found.

        A link is not searched: what it leads to is, if it is among them.
        """
        base, found = self._folder.existing(path or ".")
        if stat.S_ISREG(found.st_mode):
            return [base], False
        if not stat.S_ISDIR(found.st_mode):
            raise ToolError(f"{path!r} is not a regular file, so it is not read.")
        excluded = bool(glob and glob.startswith("!"))
        matches = _matcher(self._relative(glob.removeprefix("!"), base)) if glob else None
        files = sorted(
            file
            for file in self._folder.files(base, stop)
            if matches is None or matches(_from(base, file)) is not excluded
            if not os.path.islink(file)  # noqa: PTH114
        )
        return files, stop()

    def _told(self, findings: Findings, wanted: FileSearch, *, is_late: bool) -> str:
        notes = []
        if findings.is_cut:
            notes.append(f"[There may be more: head_limit ({wanted.most}) was reached.]")
        if findings.is_late or is_late:
            notes.append("[Not everything was searched: it took too long. Use a simpler pattern or a narrower path.]")
        if not findings.files:
            return "\n".join(["No matches found", *notes])
        names = {found["path"]: self._folder.shown(found["path"]) for found in findings.files}
        if wanted.mode == "files_with_matches":
            lines = [_count(len(names)), *names.values()]
        elif wanted.mode == "count":
            lines = [f"{names[found['path']]}:{found['count']}" for found in findings.files]
        else:
            lines = list(_matching_lines(findings, names, with_gaps=wanted.around > 0))
        return "\n".join([*lines, *notes])


@contextmanager
def _stopping(call: ToolContext) -> Iterator[Callable[[], bool]]:
    """A function that says whether it takes too long, or nobody is waiting any more: threads run on until they ask."""
    late, left = clock(), threading.Event()
    try:
        yield lambda: late() or left.is_set() or call.cancel.is_cancelled
    finally:
        left.set()


def _matching_lines(findings: Findings, names: Mapping[str, str], *, with_gaps: bool) -> Iterator[str]:
    """`path:line:text` for a match and `path-line-text` for the lines around it, as grep writes them."""
    last: tuple[str, int] | None = None
    for found in findings.files:
        name = names[found["path"]]
        for number, is_match, text in found["lines"]:
            if with_gaps and last not in (None, (name, number - 1)):
                yield "--"
            mark = ":" if is_match else "-"
            yield f"{name}{mark}{number}{mark}{text}"
            last = name, number


def _numbered(file: TextIO, name: str, first: int, most: int, stop: Callable[[], bool]) -> str:
    lines: list[str] = []
    size = number = 0
    for number, line in enumerate(_lines(file, stop), 1):
        if stop():
            raise ToolError(f"{name!r} is too large: line {first:,} could not be reached in time.")
        if number < first:
            continue
        if len(lines) == most or size > MOST_CHARACTERS:
            lines.append(f"\n[The file continues. Read on with offset {number}.]")
            break
        lines.append(f"{number:>6}\t{line}")
        size += len(line) + 8
    if lines:
        return "\n".join(lines)
    if not number:
        return "The file is empty."
    raise ToolError(f"{name!r} has no line {first:,}: it has {number:,}.")


def _lines(file: TextIO, stop: Callable[[], bool]) -> Iterator[str]:
    """The lines, each cut where it is too long; never more than part of one is in memory."""
    while line := file.readline(MOST_LINE + 1):
        part, left_out = line, 0
        while not part.endswith("\n") and not stop() and (part := file.readline(65_536)):
            left_out += len(part)
        text = line.removesuffix("\n").removesuffix("\r")
        yield f"{text[:MOST_LINE]} [... {left_out:,} more characters]" if left_out > 1 else text


def _encoding(beginning: bytes) -> str:
    """The encoding of the text; empty if it is not text."""
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "" if b"\0" in beginning else "utf-8-sig"


def _matcher(pattern: str) -> Callable[[str], bool]:
    try:
        return matcher(pattern)
    except BadPatternError as error:
        raise ToolError(f"The pattern {pattern[:300]!r} cannot be used: {error}.") from error


def _from(base: str, file: str) -> str:
    return file.removeprefix(base).lstrip(os.sep).replace(os.sep, "/")


def _changed(file: str) -> float:
    try:
        return os.lstat(file).st_mtime
    except OSError:  # gone meanwhile
        return 0.0


def _count(number: int) -> str:
    return f"Found {number} file{'' if number == 1 else 's'}"
