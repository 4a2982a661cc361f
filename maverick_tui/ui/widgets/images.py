"""Images that the person attaches to a prompt: a mark stands for each, and the bytes travel with what is sent.

A terminal pastes the path of a file that is dragged onto it. Whoever does that means that file, wherever it is.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import inert
from maverick_tui.pictures import MOST_AT_ONCE, MOST_BYTES, SUFFIXES, mark_of, marks_in, media_type_of, size_in_words
from maverick_tui.threads import in_thread

_MAY_BE_PATHS = re.compile(r"""\s*(?:file://|['"]?[/~])""")
_LONGEST = 8_000
"""Characters of paths that are looked for."""
_BEGINNING = 16
"""Bytes by which a picture is known."""
_MOST_HELD = 2 * MOST_AT_ONCE
_LARGE = f"too large: at most {size_in_words(MOST_BYTES)} can be sent. Make it smaller."
_MANY = f"One prompt can have {size_in_words(MOST_AT_ONCE)} of images, and these are more: send some of them apart."


class Picture(NamedTuple):
    """A file that was read."""

    path: Path
    size: int
    data: str
    """As base64."""


class Images:
    """What stands for which picture in the prompt of one run."""

    def __init__(self) -> None:
        self._held: dict[str, Picture] = {}
        """Also what was sent a while ago: it may come back, because it was taken back or never arrived."""
        self._last = 0

    @property
    def marks(self) -> Iterable[str]:
        """The words that stand for pictures."""
        return self._held.keys()

    async def pasted(self, text: str, beside: str) -> str:
        """What is to stand in the prompt for paths of images that were pasted; empty if it is not just that.

        `beside` is what stands there already. ConfigError if they are images that cannot be sent.
        """
        if len(text) > _LONGEST or not _MAY_BE_PATHS.match(text):
            return ""
        pictures = await in_thread(_pictures_in, text)
        return "".join(f"{mark} " for mark in self._attach(pictures, beside))

    async def chosen(self, path: Path, beside: str) -> str:
        """What is to stand in the prompt for a file that was chosen; empty if it is not called as an image is."""
        if path.suffix.lower() not in SUFFIXES:
            return ""
        (mark,) = self._attach([await in_thread(read_picture, path)], beside)
        return mark

    def _attach(self, pictures: list[Picture], beside: str) -> list[str]:
        here = [self._held[mark] for mark in marks_in(beside) if mark in self._held]
        if sum(picture.size for picture in {*here, *pictures}) > MOST_AT_ONCE:
            raise ConfigError(_MANY)
        return [self._mark(picture) for picture in pictures]

    def _mark(self, picture: Picture) -> str:
        for mark, held in self._held.items():
            if held == picture:
                return mark
        self._last += 1
        mark = mark_of(self._last, inert(picture.path.name), picture.size)
        self._held[mark] = picture
        return mark

    def sent_with(self, text: str) -> dict[str, str]:
        """What goes with a text that is sent, by its marks; the oldest of all others is forgotten where it is much."""
        marks = [mark for mark in marks_in(text) if mark in self._held]
        for mark in [mark for mark in self._held if mark not in marks]:
            if sum(picture.size for picture in self._held.values()) > _MOST_HELD:
                del self._held[mark]
        return {mark: self._held[mark].data for mark in marks}

    def in_paths(self, text: str) -> str:
        """The text with the files themselves: as an answer, or in a command, there is nobody to see them."""
        for mark in marks_in(text):
            if mark in self._held:
                text = text.replace(mark, inert(shlex.quote(str(self._held[mark].path))))
        return text

    # -- drafts -------------------------------------------------------------------------------------------------------

    def paths_in(self, text: str) -> dict[str, str]:
        """Where the pictures of a text are, by their marks."""
        return {mark: str(self._held[mark].path) for mark in marks_in(text) if mark in self._held}

    async def bring_back(self, paths: Mapping[str, str]) -> list[str]:
        """Attach again what was attached to a draft; why not, for each that cannot be."""
        wrong: list[str] = []
        for mark in marks_in(" ".join(paths)):
            try:
                self._held[mark] = await in_thread(read_picture, Path(paths[mark]))
            except ConfigError as error:
                wrong.append(f"{error.message} It is only a name now.")
            number = re.search(r"\d+", mark)
            self._last = max(self._last, int(number[0])) if number else self._last
        return wrong


def read_picture(path: Path) -> Picture:
    """A file that a model can see; ConfigError if it is none. Whatever it is, nobody waits for it."""
    try:
        data = _content(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else ""
        raise ConfigError(f"The image {path.name!r} cannot be read: {why or error}.") from error
    if not media_type_of(data):
        raise ConfigError(f"{path.name!r} is no PNG, JPEG, GIF or WebP, whatever it is called.")
    if len(data) > MOST_BYTES:
        raise ConfigError(f"The image {path.name!r} is {_LARGE}")
    return Picture(path, len(data), base64.b64encode(data).decode())


def _content(path: Path, most: int) -> bytes:
    """What a plain file begins with, and one byte more than that if there is more."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("it is no plain file")
        return file.read(most + 1)


def _pictures_in(text: str) -> list[Picture]:
    """The images that a text names, if it names nothing else."""
    paths = [path for line in text.strip().splitlines() for path in _paths_in(line.strip())]
    if not paths or not all(map(_is_meant, paths)):
        return []
    return [read_picture(path) for path in paths]


def _paths_in(line: str) -> list[Path]:
    """The paths in a line as terminals write them: quoted, with backslashes, as addresses, or as they are."""
    # Path.is_file raises for names that are too long, and for folders that nobody may look into.
    if (whole := _path(line)) is not None and os.path.isfile(whole):  # noqa: PTH113
        return [whole]
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    paths = [path for path in map(_path, words) if path is not None]
    return paths if len(paths) == len(words) else []


def _path(word: str) -> Path | None:
    if word.startswith("file://"):
        try:
            address = urlsplit(word)
        except ValueError:
            return None
        word = unquote(address.path) if address.netloc in ("", "localhost") else ""
    word = os.path.expanduser(word)  # noqa: PTH111 - Path raises without a home
    return Path(word) if word.startswith("/") and "\0" not in word else None


def _is_meant(path: Path) -> bool:
    """Whether somebody who drags this file means an image: by its name, or by its first bytes."""
    try:
        beginning = _content(path, _BEGINNING)
    except (OSError, ValueError):  # a name may hold what no file system can write
        return False
    return path.suffix.lower() in SUFFIXES or bool(media_type_of(beginning))
