"""Which calls open the links that they come upon."""

from __future__ import annotations

import shlex

import pytest

from maverick_tui.agent.permissions.following import follows_links


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
    ],
)  # fmt: skip
def test_what_may_find_links_opens_them(command: str) -> None:
    assert follows_links(shlex.split(command))


@pytest.mark.parametrize(
    "command",
    [
        "find docs -type f -exec cat {} ;", "find docs -name x -type f", "find docs -name x -delete", "find -type f",
        "find . -type d -exec ls {} +", "fd -t f x", "fd -tf -x wc", "fd --type=f", "fd --type file", "fd -td",
    ],
)  # fmt: skip
def test_what_finds_files_or_folders_alone_does_not(command: str) -> None:
    assert not follows_links(shlex.split(command))
