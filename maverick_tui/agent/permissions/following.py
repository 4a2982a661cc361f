"""Calls that follow the links in a folder which they read: what those lead to is read as if it had been named."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places, real_paths

_COPIES = "LH" if sys.platform == "linux" else "LHr"  # which is `-RL` to a cp of BSD's
_FOLLOWING = {
    **dict.fromkeys(("cp", "gcp"), rf"-\w*[{_COPIES}]|--de"),
    "rsync": r"-\w*[Lk]|--copy-",
    **dict.fromkeys(("tar", "gtar", "bsdtar"), r"-\w*[hLH]|--de"),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rgrep", "ug", "ugrep"), r"-\w*[RS]|--de"),
    **dict.fromkeys(("rg", "rga", "fd", "fdfind", "rclone", "docker", "podman"), r"-\w*L|--follow|--copy-links"),
    **dict.fromkeys(("ag", "ack", "ack-grep", "pt", "sift"), r"-\w*f|--follow"),
    **dict.fromkeys(("gzip", "zstd"), r"-\w*f|--fo"),
    **dict.fromkeys(("find", "bfs"), r"-[LH]|-follow"),
}
"""Options with which they do; what begins like one may be short for it."""
_NOT_FOLLOWING = {
    **dict.fromkeys(("diff", "sdiff", "colordiff", "delta", "icdiff", "difft"), r"--no-de"),
    "zip": r"-[rqv0-9]*y[rqv0-9]*$|--sy",
    **dict.fromkeys(("7z", "7za", "7zr", "7zz"), r"-snl"),
    "aws": r"--no-fo",
    **dict.fromkeys(("scp", "gsutil"), r"(?!)"),
    # What they run opens a link that they find.
    **dict.fromkeys(("find", "bfs", "fd", "fdfind"), r"-type|--type|-t|-delete"),
}
"""Options without which these do."""


def follows_links(words: Sequence[str]) -> bool:
    """Whether a call that reads all that is below a folder also reads what the links in it lead to."""
    name, *rest = words
    given = [f"-{rest[0]}", *rest] if name.endswith("tar") and rest else rest  # its first word needs no dash
    if name in _FOLLOWING and any(re.match(_FOLLOWING[name], word) for word in given):
        return True
    return name in _NOT_FOLLOWING and not any(re.match(_NOT_FOLLOWING[name], word) for word in rest)


def why_not_to_follow(folder: str, here: Path, places: Places, limits: Limits) -> str:
    """Why the links in a folder are not to be followed: one leads to keys, or to a folder with keys in it."""
    waiting, seen = [*map(str, real_paths(folder, here))], set[str]()
    while waiting:
        if (path := waiting.pop()) in seen:
            continue
        seen.add(path)
        try:
            with os.scandir(path) as entries:
                found = [*entries]
        except OSError:
            continue
        if not limits.spend(names=1 + len(found)):
            return f"There is too much in {folder} to know where its links lead."
        waiting += (entry.path for entry in found if entry.is_dir(follow_symlinks=False))
        for link in (entry.path for entry in found if entry.is_symlink()):
            real = os.path.realpath(link)
            if real in seen:
                continue
            if not Path(real).is_relative_to(places.cwd) and not limits.spend(searches=1):
                return f"There are too many links in {folder} to know where they lead."
            if reason := places.why_not_to_follow(real):
                return f"{link} is a link that it would follow. {reason}"
            if os.path.isdir(real):  # noqa: PTH112 - Path.is_dir raises for some
                waiting.append(real)
            else:
                seen.add(real)
    return ""
