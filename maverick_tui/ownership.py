"""Whether a repository is the person's, as git sees it: one that somebody else has put there counts for nothing.

Anybody may make a `.git` in `/tmp`, and all folders below it would be in their repository. Git works in none that
another user owns, unless the person's own settings name it in `safe.directory`. They are read here: else git would have
to be started for each look at agents and rules.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from maverick_tui.real_paths import real_path

_SYSTEM = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
"""Where builds of git have the settings of the machine."""
_LARGEST = 1_000_000
_DEEPEST = 10
"""As many files as git follows from one that includes another."""
# Compiled only when they are needed: few have a repository of somebody else around them.
_HEADER = r'\s*\[\s*([-.\w]+)\s*("(?:[^"\\]|\\.)*")?\s*\]'
_PARTS = r'"((?:[^"\\]|\\.)*)"|\\(.)|([#;].*)|([^"\\#;]+)'


class Stranger(NamedTuple):
    """Why the repository around a folder does not count, and what to do about it: without a full stop, for one stands
    behind whatever is said, and the command is to be copied.
    """

    what: str
    hint: str

    @property
    def words(self) -> str:
        """Both as one text."""
        return f"{self.what}. {self.hint}"


def strangers_repository(cwd: Path) -> Stranger | None:
    """What keeps the repository around a folder from counting; None if it does count, or there is none."""
    here = os.path.realpath(cwd)
    top = next((folder for folder, is_repository in upwards(here) if is_repository), None)
    if top is None or is_persons(top):
        return None
    import shlex

    from maverick_tui.inert import whole_line

    place = whole_line(top)
    apart = "" if top == here else f", and its agents, rules and settings do not count in {whole_line(here)}"
    return Stranger(
        f"The git repository in {place} belongs to another user: git does not work there{apart}",
        f"If you trust it, run: git config --global --add safe.directory {shlex.quote(place)}",
    )


def strangers_file(cwd: Path, names: Iterable[str], known: Collection[Path]) -> str:
    """The first file of these names in a folder or above that another user has put there; empty if there is none.

    What the machine's administrator has put there counts, and what is in the folders that are `known`.
    """
    if sys.platform == "win32":
        return ""
    folders = (folder for folder, _ in upwards(os.path.realpath(cwd)) if Path(folder) not in known)
    files = (os.path.join(folder, name) for folder in folders for name in names)  # noqa: PTH118
    return next((file for file in files if _owner(file) not in (None, 0) and _is_anothers(file)), "")


def upwards(folder: str) -> Iterator[tuple[str, bool]]:
    """A folder and those above it, and of each whether git could take it for the top of a repository."""
    while True:  # as texts: it is asked very often
        yield folder, os.path.lexists(os.path.join(folder, ".git"))  # noqa: PTH118
        if (above := os.path.dirname(folder)) == folder:  # noqa: PTH120
            return
        folder = above


def is_persons(top: str) -> bool:
    """Whether git works for us in the repository whose files are in this folder.

    The folder, what is called `.git` in it, and the folder that a file of that name leads to are ours, or our settings
    of git name the folder. What is not there, such as the repository of a worktree that was copied alone, is nobody's:
    git finds none, and the folder is still the person's.
    """
    if sys.platform == "win32":  # where owners are something else
        return True
    pointer = os.path.join(top, ".git")  # noqa: PTH118
    return not any(map(_is_anothers, (top, pointer, *_led_to(top, pointer)))) or _is_named(top)


def _led_to(top: str, pointer: str) -> list[str]:
    text = _text(pointer).rstrip("\r\n").partition("\0")[0]  # as git takes it; nothing of a folder
    path = text.removeprefix("gitdir: ")
    return [] if path == text else [real_path(os.path.join(top, path))]  # noqa: PTH118


def _owner(path: str) -> int | None:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def _is_anothers(path: str) -> bool:
    assert sys.platform != "win32"
    owner = _owner(path)
    if owner is None:
        return False
    us = os.geteuid()
    if us == 0 and owner != 0:  # whoever has become root keeps what is theirs, and nobody else's
        before = os.environ.get("SUDO_UID", "")
        us = int(before) if before.isascii() and before.isdigit() else us
    return owner != us


def _is_named(top: str) -> bool:
    """Whether `safe.directory` has this folder, in the settings of the person or of the machine.

    As git reads it since 2.46. Before, it knew a folder by the very text alone, and without a `/` at its end.
    """
    place, is_named = real_path(top), False
    for value in _safe_directories():
        if not value:  # it takes back those before it
            is_named = False
        elif value == "*":
            is_named = True
        elif os.path.isabs(expanded := os.path.expanduser(value)):  # noqa: PTH111, PTH117 - they are texts
            is_below = expanded.endswith("/*") and place.startswith(real_path(expanded[:-1]).rstrip("/") + "/")
            is_named = is_named or is_below or real_path(expanded) == place
    return is_named


def _safe_directories() -> Iterator[str]:
    if os.environ.get("GIT_CONFIG_NOSYSTEM", "").lower() in ("", "0", "false", "no", "off"):
        named = os.environ.get("GIT_CONFIG_SYSTEM")
        for file in (named,) if named is not None else _SYSTEM:
            yield from _values(file)
    if (own := os.environ.get("GIT_CONFIG_GLOBAL")) is not None:
        yield from _values(own)
        return
    settings = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    yield from _values(f"{settings}/git/config")
    yield from _values("~/.gitconfig")


def _values(file: str, depth: int = 0) -> Iterator[str]:
    """Those in a file of git's settings and in what it includes; what is included on a condition does not count yet."""
    file = os.path.expanduser(file)  # noqa: PTH111 - Path's may raise
    section = ""
    for line in _text(file).replace("\\\n", "").splitlines():
        if header := re.match(_HEADER, line):
            section = "" if header[2] else header[1].lower()
        name, _, value = line[header.end() if header else 0 :].partition("=")
        key = f"{section}.{name.strip().lower()}"
        if key == "safe.directory":
            yield _unquoted(value)
        elif key == "include.path" and depth < _DEEPEST and (path := _unquoted(value)):
            folder = os.path.dirname(file)  # noqa: PTH120
            yield from _values(os.path.join(folder, os.path.expanduser(path)), depth + 1)  # noqa: PTH111, PTH118


def _text(file: str) -> str:
    if not os.path.isfile(file):  # noqa: PTH113 - a pipe would be waited for
        return ""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:  # noqa: PTH123
            return opened.read(_LARGEST)
    except OSError:
        return ""


def _unquoted(value: str) -> str:
    """A value as git takes it: without quotes, escapes, and what is behind a `#`."""
    found = ""
    for quoted, escaped, comment, plain in re.findall(_PARTS, value.strip()):
        if comment:
            return found.rstrip()
        found += re.sub(r"\\(.)", r"\1", quoted) if quoted else escaped or plain
    return found
