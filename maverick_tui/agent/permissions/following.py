"""Calls that follow the links in a folder which they read: what those lead to is read as if it had been named."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from maverick_tui.agent.permissions.extending import SETTINGS, why_extending_asks, why_not_to_extend
from maverick_tui.agent.permissions.known_places import may_matter
from maverick_tui.agent.permissions.leading import entries_of, is_folder, real_paths
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.reading import name_of, read_below, takes_names
from maverick_tui.real_paths import real_path

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
}
"""Options without which these do."""
_FIND, _FD = frozenset({"find", "bfs"}), frozenset({"fd", "fdfind"})
_ACTION = r"-(?:exec|ok|f?print|f?ls)"
_FINDS_FILES = re.compile(rf"(?:(?!{_ACTION})\S+ )*?-type [fd](?: |$)")
_FINDS_OTHERS = re.compile(r"(?:^| )(?:!|-not|-o|-or|,|-D)(?: |$)")  # behind -D, `-type` is its value
_KIND_FOR_FD = re.compile(r"(?:^| )(?:--type[= ]|-t=? ?)(\S+)")
_RUN_BY_FD = re.compile(r"(?:^| )(?:--exec|-[a-zA-Z]*[xX]).*")
"""What they are told to find: files or folders, before they do something with it, and nothing else."""

_CHECKERS = frozenset(
    "autoflake autopep8 bandit basedpyright black codespell cspell djlint eslint flake8 gofmt gofumpt goimports isort"
    " ktlint markdownlint markdownlint-cli2 mdformat mypy oxlint prettier pycodestyle pydocstyle pyflakes pylint"
    " pyright pyupgrade rubocop rustfmt shellcheck shfmt standard stylelint stylua swiftformat tsc typos vulture"
    " yamllint yapf".split()
)
"""Programs that look at files, or change how they are written, and quote them in what they say."""
_WITH_SUBCOMMANDS = frozenset("biome dprint golangci-lint pyrefly ruff semgrep ty".split())
"""Programs of which the same holds, with a first word that is no file."""
_FORMATTING = {
    "cargo": r"(?:\+\S+ )?(?:fmt|fix|clippy(?= .*--fix))",
    **dict.fromkeys(("deno", "nix", "taplo", "terraform", "tofu", "zig"), r"fmt"),
    **dict.fromkeys(("buf", "dart", "dotnet", "mix", "swift"), r"format"),
    **dict.fromkeys(("go", "hatch", "rye"), r"fmt|fix"),
    "php-cs-fixer": r"fix",
}
"""Programs that do other things as well: by which words they do the same."""
_RUN_PROGRAMS = frozenset(
    "bun bunx bundle hatch mise npm npx pdm pipenv pipx pnpm pnpx poetry python python3 rye uv uvx yarn".split()
)
_MOST_NAMES = 500_000
"""Names that are looked at for links: those of what is installed are many, and an agent may add to them."""


def why_checking_asks(calls: Iterable[Sequence[str]], here: Path, places: Places) -> str:
    """Why calls ask that look through folders for files to check, or hand on what others have found there."""
    calls = [*calls]
    checked = [path for words in calls for path in checked_folders(words, here)]
    if any(map(takes_names, calls)):
        handed_on = dict.fromkeys(word for words in calls for word in words[1:])  # of many calls, most have the same
        checked += (word for word in handed_on if is_folder(word, here))
        checked += ("." for words in calls if " ".join(words[:2]) == "git ls-files")
    if reason := _why_not_to_check([*dict.fromkeys(checked)], here, places):
        return reason
    named = [word for words in calls if _checker_at(words) is not None for word in (".", *words)]
    return why_extending_asks({Path(os.path.normpath(here / word)) for word in named if "\0" not in word}, places)


def checked_folders(words: Sequence[str], here: Path) -> list[str]:
    """The folders that a call looks through for files to check: those that it names, and where it is if it may name
    none. Behind an option a word may be its value.
    """
    at = _checker_at(words)
    if at is None:
        return []
    rest = [*words[at + 1 + _formatting(words[at:]) :]]
    if name_of(words[at]) in _WITH_SUBCOMMANDS:
        first = next((number for number, word in enumerate(rest) if not word.startswith("-")), len(rest))
        del rest[first : first + 1]
    named = [word.removesuffix("/...") for word in rest if not word.startswith("-")]  # by which Go means all below
    is_said = bool(named) and len(named) == len(rest)
    return [*([] if is_said else ["."]), *(word for word in named if is_folder(word, here))]


def _checker_at(words: Sequence[str]) -> int | None:
    places = range(len(words)) if words[0] in _RUN_PROGRAMS or words[0].startswith("python3.") else [0]
    known = _CHECKERS | _WITH_SUBCOMMANDS
    return next((at for at in places if name_of(words[at]) in known or _formatting(words[at:])), None)


def _formatting(words: Sequence[str]) -> int:
    """How many words behind the program have it change how files are written; 0 if none do."""
    pattern = _FORMATTING.get(name_of(words[0]))
    found = re.match(rf"(?:-\S+ )*(?:{pattern})(?!\S)", " ".join(words[1:])) if pattern else None
    return len(found[0].split()) if found else 0


def _why_not_to_check(folders: Sequence[str], here: Path, places: Places) -> str:
    """Why files below folders are not to be looked at: one is a link to keys or to a home directory, or settings in
    one name such a file.
    """
    waiting = [*dict.fromkeys(str(place) for folder in folders for place in real_paths(folder, here))]
    seen, left = set[str](), _MOST_NAMES
    inside, real_folder = f"{places.cwd}/", cache(real_path)
    while waiting:
        if (folder := waiting.pop()) in seen:
            continue
        seen.add(folder)
        found = entries_of(folder)
        left -= 1 + len(found)
        if left < 0:
            return f"There is too much in {', '.join(folders[:3])} to know where its links lead."
        for entry in found:
            if entry.name in SETTINGS and (reason := why_not_to_extend(entry.path, places)):
                return reason
            if entry.is_symlink():
                real = _led_to(entry.path, real_folder)
                is_ordinary = real.startswith(inside) and not any(map(may_matter, real[len(inside) :].split("/")))
                if not is_ordinary and (reason := places.why_not_to_reach(real)):
                    return f"{entry.path} is a link that it would follow. {reason}"
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
    return ""


def _led_to(link: str, real_folder: Callable[[str], str]) -> str:
    """Where a link leads; of thousands in a folder, most lead to few others."""
    try:
        said = os.readlink(link)  # noqa: PTH115
    except OSError:  # it is gone
        return link
    folder, name = os.path.split(os.path.join(os.path.dirname(link), said))  # noqa: PTH118, PTH120
    place = os.path.join(real_folder(folder), name)  # noqa: PTH118
    return real_path(place) if name in ("", ".", "..") or os.path.islink(place) else place  # noqa: PTH114


def looks_into_folders(words: Sequence[str]) -> bool:
    """Whether a call reads all that is in a folder, follows the links in it, or looks there for files to check."""
    return bool(read_below(words)) or follows_links(words) or _checker_at(words) is not None


def follows_links(words: Sequence[str]) -> bool:
    """Whether a call that reads all that is below a folder also reads what the links in it lead to."""
    name, *rest = words
    given = [f"-{rest[0]}", *rest] if name.endswith("tar") and rest else rest  # its first word needs no dash
    if name in _FOLLOWING and any(re.match(_FOLLOWING[name], word) for word in given):
        return True
    if name in _FIND | _FD:
        told = " ".join(re.sub(r"\s", "_", word) for word in rest)
        return not _finds_no_links(name, told)  # what they run opens a link that they find
    return name in _NOT_FOLLOWING and not any(re.match(_NOT_FOLLOWING[name], word) for word in rest)


def _finds_no_links(name: str, told: str) -> bool:
    """Whether none of what is found, and may be opened then, is a link."""
    if name in _FD:
        kinds = _KIND_FOR_FD.findall(_RUN_BY_FD.sub("", told))
        return bool(kinds) and all(kind in ("f", "file", "d", "dir", "directory") for kind in kinds)
    if "-delete" in told.split() and not re.search(rf"(?:^| ){_ACTION}", told):
        return True  # a link goes itself
    return _FINDS_FILES.match(told) is not None and _FINDS_OTHERS.search(told) is None


def why_not_to_follow(folder: str, here: Path, places: Places, limits: Limits) -> str:
    """Why the links in a folder are not to be followed: one leads to keys, or to a folder with keys in it."""
    for found in _links_in(folder, here, limits):
        if found is None:
            return f"There is too much in {folder} to know where its links lead."
        link, real = found
        if not Path(real).is_relative_to(places.cwd) and not limits.spend(searches=1):
            return f"There are too many links in {folder} to know where they lead."
        if reason := places.why_not_to_follow(real):
            return f"{link} is a link that it would follow. {reason}"
    return ""


def led_to_from(folder: str, here: Path, limits: Limits) -> list[str] | None:
    """Where the links in a folder lead, with those in what they lead to; None if there is too much in it."""
    found = [*_links_in(folder, here, limits)]
    return None if None in found else [one[1] for one in found if one is not None]


def _links_in(folder: str, here: Path, limits: Limits) -> Iterator[tuple[str, str] | None]:
    """The links below a folder and where they lead, each place once; then None, if there is too much in it."""
    waiting, seen = [*map(str, real_paths(folder, here))], set[str]()
    while waiting:
        if (path := waiting.pop()) in seen:
            continue
        seen.add(path)
        found = entries_of(path)
        if not limits.spend(names=1 + len(found)):
            yield None
            return
        waiting += (entry.path for entry in found if entry.is_dir(follow_symlinks=False))
        for link in (entry.path for entry in found if entry.is_symlink()):
            real = real_path(link)
            if real in seen:
                continue
            yield link, real
            if os.path.isdir(real):  # noqa: PTH112 - Path.is_dir raises for some
                waiting.append(real)
            else:
                seen.add(real)
