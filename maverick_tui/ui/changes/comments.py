"""Comments on changes that are not sent yet: where each belongs in a diff, and on disk in case of a crash."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.review.comments import Comment
from maverick_tui.threads import in_thread
from maverick_tui.ui.changes.diff_text import DiffText
from maverick_tui.ui.unsent import TRY_AGAIN, Typing, Unsent, trouble_told

log = logging.getLogger(__name__)

_BESIDE_JOURNAL = "comments"
_UNSAID = "unsaid"
SECRET_TOLD = "There is a secret in what you comment on: your comments are not kept, and would be lost in a crash."


Where = tuple[str, int, int, str]
"""A file, the first and last of its lines that something is said about, and what was said until now: of a new comment
nothing.
"""
COMMIT_MESSAGE: Where = ("", 0, 0, "")
"""What is said about no file, but about all that is to be committed."""


class Noted(NamedTuple):
    """A comment, and the line that it stands below."""

    comment: Comment
    sign: str
    number: int
    """Of the line before, if it has gone; else of the line as it is."""
    line: str
    """Its text, by which it is found again when others have come before it."""
    rejected_at: str = ""
    """The snapshot after the hunk was taken back, by its id; that may have been given back since."""


class Comments:
    """All comments of this window on the changes of one run."""

    def __init__(self, run_id: str, unsent: Unsent, tell: Callable[[str], None]) -> None:
        """`tell` hears that they cannot be kept."""
        self.items: list[Noted] = []
        self.unsaid: dict[Where, str] = {}
        """Those that are being written, or were begun and left."""
        self.writing: Where | None = None
        """Which one is being written."""
        self._run_id = run_id
        self._unsent = unsent
        self._tell = tell
        self._is_told = False
        self._is_in_trouble = False
        """Whether the disk has not taken them the last time; that is told once."""
        self._trying_again: asyncio.Task[None] | None = None
        self._taken: list[Path] = []
        """Where those stand that others have left, until all are written anew."""
        self._typing: dict[Where, Typing] = {}
        self._one_at_a_time = asyncio.Lock()

    def placed_in(self, diff: DiffText) -> dict[int, list[tuple[int, str]]]:
        """Those on a file, below which of its lines they stand; at -1 those whose line is not there any more."""
        found: dict[int, list[tuple[int, str]]] = {}
        for place, noted in enumerate(self.items):
            if noted.comment.path == diff.file.path:
                found.setdefault(_line_of(noted, diff), []).append((place, shown(noted.comment)))
        return found

    def on_file(self, path: str) -> int:
        """How many there are on a file."""
        return sum(noted.comment.path == path for noted in self.items)

    def put(self, noted: Noted, place: int | None = None) -> None:
        """Add a comment, or have it take the place of another."""
        if place is None:
            self.items.append(noted)
        else:
            self.items[place] = noted

    def drop(self, place: int) -> None:
        """Take a comment away."""
        del self.items[place]

    def set_taken_back(self, snapshots: Collection[str]) -> bool:
        """Whether what a comment rejects is still taken back; `snapshots` are those after all that is. True if news."""
        before = list(self.items)
        for place, noted in enumerate(before):
            if noted.rejected_at:
                is_rejected = noted.rejected_at in snapshots
                self.items[place] = noted._replace(comment=noted.comment._replace(is_rejected=is_rejected))
        return self.items != before

    async def keep(self) -> None:
        """Write them down beside the run's journal; what the disk does not take is tried again."""
        async with self._one_at_a_time:
            try:
                there = {where_of(noted.comment) for noted in self.items}
                unsaid = {
                    where: words
                    for where, words in self.unsaid.items()
                    if words.strip() and (not where[-1] or where in there)  # what is changed may be gone
                }
                is_secret = await in_thread(self._write, list(self.items), unsaid, list(self._taken))
            except OSError as error:
                self._tell_trouble(error)
                if self._trying_again is None or self._trying_again.done():
                    self._trying_again = asyncio.create_task(self._keep_later())
                return
        self._is_in_trouble = False
        if is_secret and not self._is_told:
            self._is_told = True
            self._tell(SECRET_TOLD)

    async def _keep_later(self) -> None:
        await asyncio.sleep(TRY_AGAIN)
        self._trying_again = None
        await self.keep()

    def _tell_trouble(self, error: OSError) -> None:
        if not self._is_in_trouble:
            self._is_in_trouble = True
            log.warning("Comments cannot be kept: %s", error)
            self._tell(trouble_told("What you write about changes", error))

    async def bring_back(self) -> None:
        """Read what windows that are gone have left."""
        async with self._one_at_a_time:
            try:
                found = await in_thread(self._take)
            except OSError as error:
                log.warning("Comments cannot be read: %s", error)
                return
            self._taken += [file for file, (items, unsaid) in found.items() if items or unsaid]
            left = dict.fromkeys(noted for items, _ in found.values() for noted in items)
            self.items += [noted for noted in left if noted not in self.items]
            for _, unsaid in found.values():
                self.unsaid = unsaid | self.unsaid

    @property
    def _folder(self) -> Path:
        from maverick_tui.journal.folders import journal_of

        return journal_of(self._run_id).parent

    def _take(self) -> dict[Path, _Left]:
        return {file: _read(file) for file in self._unsent.take(self._folder.glob(f"{_BESIDE_JOURNAL}.*"))}

    def _write(self, items: Sequence[Noted], unsaid: Mapping[Where, str], taken: Sequence[Path]) -> bool:
        """Keep them, unless a secret is among them, or the run is not kept; whether there is a secret."""
        begun = {where: self._typing.setdefault(where, Typing()).known(words) for where, words in unsaid.items()}
        file = self._unsent.file(self._folder, _BESIDE_JOURNAL, self._run_id)
        is_secret = _write(file, items, unsaid, begun)
        for file in taken:
            file.unlink(missing_ok=True)
        return is_secret


def where_of(comment: Comment) -> Where:
    """By what that is known which is being written there."""
    return (comment.path, comment.first, comment.last, comment.text)


def shown(comment: Comment) -> str:
    """What stands below a line."""
    words = comment.text.strip()
    return f"taken back{f': {words}' if words else ''}" if comment.is_rejected else words


def _line_of(noted: Noted, diff: DiffText) -> int:
    """The nearest line of the same kind with the same text."""
    alike = [
        (abs((line.old if noted.sign == "-" else line.new) - noted.number), at)
        for at, line in enumerate(diff.lines)
        if line.text == noted.line and (line.sign == "-") == (noted.sign == "-")
    ]
    return min(alike, default=(0, -1))[1]


def _write(file: Path, items: Sequence[Noted], unsaid: Mapping[Where, str], begun: Mapping[Where, str]) -> bool:
    from maverick_tui.history.whole_files import write_whole
    from maverick_tui.masking.redact import redact

    told = [*map(_told, items), *({_UNSAID: where, "text": words} for where, words in begun.items() if words)]
    plain = "\n".join([line for noted in items for line in (*noted.comment.code, noted.comment.text)])
    is_secret = any(redact(one) != one for one in (plain, *unsaid.values()))
    if not told or is_secret:
        file.unlink(missing_ok=True)
    elif file.parent.is_dir():
        write_whole(file, [json.dumps(told)])
    return is_secret


class _Left(NamedTuple):
    """What a window that is gone has left."""

    items: list[Noted]
    unsaid: dict[Where, str]


def _read(file: Path) -> _Left:
    try:
        told = json.loads(file.read_bytes())
        begun = [(one[_UNSAID], str(one["text"])) for one in told if _UNSAID in one]
        unsaid = {_where(*where): words for where, words in begun}
        return _Left([_noted(one) for one in told if _UNSAID not in one], unsaid)
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s cannot be read, so its comments are left out: %s", file, error)
        return _Left([], {})


def _where(path: Any, first: Any, last: Any, text: Any = "") -> Where:
    return str(path), int(first), int(last), str(text)


def _told(noted: Noted) -> dict[str, Any]:
    path, first, last, code, text, is_rejected = noted.comment
    comment = {"path": path, "first": first, "last": last, "code": code, "text": text, "is_rejected": is_rejected}
    return {
        "comment": comment,
        "sign": noted.sign,
        "number": noted.number,
        "line": noted.line,
        "rejected_at": noted.rejected_at,
    }


def _noted(told: dict[str, Any]) -> Noted:
    comment = told["comment"]
    code = tuple(str(line) for line in comment["code"])
    text, path = str(comment["text"]), str(comment["path"])
    made = Comment(path, int(comment["first"]), int(comment["last"]), code, text, bool(comment["is_rejected"]))
    return Noted(made, str(told["sign"]), int(told["number"]), str(told["line"]), str(told.get("rejected_at", "")))
