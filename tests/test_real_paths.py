"""Where paths lead that `os.path.realpath` cannot follow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maverick_tui.real_paths import real_path


def lead(folder: Path, target: str, links: int) -> Path:
    """Links that lead to one another, and the last one there; the first of them."""
    folder.mkdir()
    for number in range(links):
        (folder / f"l{number}").symlink_to(f"l{number - 1}" if number else target)
    return folder / f"l{links - 1}"


def close(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody read what a link says, as those of another user's processes."""
    readlink = os.readlink

    def refuse(path: str) -> str:
        if path == str(link):
            raise PermissionError(path)
        return readlink(path)

    monkeypatch.setattr(os, "readlink", refuse)


def test_a_link_that_may_not_be_read_is_where_its_path_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = Path(os.path.realpath(tmp_path))
    closed, way = top / "closed", top / "a" / "way"
    closed.symlink_to("/")
    way.parent.mkdir()
    way.symlink_to("../closed/etc")
    close(closed, monkeypatch)
    assert real_path(closed) == str(closed)
    assert real_path(way / "passwd") == str(closed / "etc" / "passwd"), "what can be followed is"
    assert real_path(way.parent / ".." / "x") == str(top / "x")


def test_of_links_without_end_none_is_followed_for_ever(tmp_path: Path) -> None:
    top = Path(os.path.realpath(tmp_path))
    (top / "loop").symlink_to("loop")
    assert real_path(lead(top / "few", "../end", 400)) == str(top / "end")
    for links in (700, 1_500):
        place = Path(real_path(lead(top / f"many{links}", "/etc/passwd", links)))
        assert place == Path("/etc/passwd") or place.parent == top / f"many{links}"
    assert real_path(top / "loop") == str(top / "loop")


@pytest.mark.parametrize("name", ["a\0b", "half a \ud800", "x" * 5_000])
def test_what_can_be_no_path_is_one_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(".")
    assert real_path(f"{tmp_path}/way/{name}/../{name}") == os.path.realpath(tmp_path) + f"/{name}"
