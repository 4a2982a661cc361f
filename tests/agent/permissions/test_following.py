"""Which calls open the links that they come upon."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import following
from maverick_tui.agent.permissions.following import follows_links, why_checking_asks
from maverick_tui.agent.permissions.leading import entries_of
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.surroundings import Surroundings


@pytest.mark.parametrize(
    "command",
    [
        "find docs", "find docs -exec cat {} ;", "find docs -type l -exec cat {} ;",
        "find docs -type f,l -exec cat {} +",
        "find docs ! -type d -exec cat {} ;", "find docs -not -type f -exec cat {} +", "find -L docs -type f",
        "find docs -exec cat {} ; -type f", "find docs -type f -o -exec cat {} ;", "find docs -print -type f",
        "find docs -delete -exec cat {} ;", "find docs -xtype f -exec cat {} +", "bfs docs -exec cat {} +",
        "find docs -name 'x -type f ' -exec cat {} +",
        "fd . docs -x cat", "fd -t l x docs", "fd -tl", "fd -Htl", "fd -t f -t l", "fd --type=symlink", "fdfind -t",
        "fd -et f d -x cat", "fd -Et f d -x cat", "fd . d -x cat {} -t f", "fd . d -Hx cat -t f",
        "find -D -type d -exec cat {} ;",
    ],
)  # fmt: skip
def test_what_may_find_links_opens_them(command: str) -> None:
    assert follows_links(shlex.split(command))


@pytest.mark.parametrize(
    "command",
    [
        "find docs -type f -exec cat {} ;", "find docs -name x -type f", "find docs -name x -delete", "find -type f",
        "find . -type d -exec ls {} +", "fd -td", "fd -t f x", "fd -tf -x wc", "fd --type=f", "fd --type file",
    ],
)  # fmt: skip
def test_what_finds_files_or_folders_alone_does_not(command: str) -> None:
    assert not follows_links(shlex.split(command))


def test_a_folder_is_looked_into_once_by_however_many_names_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / f"d{number}" / "deep").mkdir(parents=True)
    looked = list[str]()

    def entries(path: str) -> list[os.DirEntry[str]]:
        looked.append(path)
        return entries_of(path)

    monkeypatch.setattr(following, "entries_of", entries)
    names = [f"d{number}/{up}" for number in range(9) for up in ("..", "deep/..", ".")]
    assert why_checking_asks([["ruff", "check", *names]], tmp_path, Places(Surroundings(tmp_path))) == ""
    assert sorted(looked) == sorted({*looked})
