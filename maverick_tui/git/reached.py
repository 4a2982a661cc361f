"""Whether a hash is that of a commit which a name reaches. What any other one has is not known by the names of files:
`git add` keeps a file as an object of its own, and `git reset` leaves that behind.
"""

from __future__ import annotations

from pathlib import Path

from maverick_tui.git.asking import ask
from maverick_tui.git.past_names import SECONDS
from maverick_tui.git.tips import tips_of

_MOST_MEANT = 4
"""Objects that the beginning of a hash may stand for, until nobody can tell which one is meant."""


def may_be_unreached(top: Path, beginning: str) -> bool:
    """Whether an object whose hash begins so is none of the commits that branches, tags, stashes, reflogs or the last
    fetch lead to; also where git does not tell it in time.
    """
    told = ask(top, "rev-parse", f"--disambiguate={beginning}", seconds=SECONDS)
    meant = (told or b"").decode("ascii", "replace").split()
    return told is None or len(meant) > _MOST_MEANT or not all(_is_reached(top, one) for one in meant)


def _is_reached(top: Path, object_id: str) -> bool:
    """Git tells those that lead to a commit and to no name; of an object that is no commit it tells nothing."""
    commit = f"{object_id}^{{commit}}"
    begin = tips_of(top)
    return begin is not None and ask(top, "log", "-1", "--format=%H", commit, "--not", *begin, seconds=SECONDS) == b""
