"""A file becomes a folder, a folder a link: the way back and forth, as often as somebody goes it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun
from tests.snapshots.folders import content, project

RUN = "run-aaaa"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


def a_file(place: Path) -> None:
    place.write_text("a file\n")


def another_file(place: Path) -> None:
    place.write_text("another file\n")


def a_link(place: Path) -> None:
    place.symlink_to("a.txt")


def a_folder(place: Path) -> None:
    (place / "inner").mkdir(parents=True)
    (place / "x.txt").write_text("x\n")
    (place / "inner" / "y.txt").write_text("y\n")


def an_empty_folder(place: Path) -> None:
    place.mkdir()


def a_folder_with_an_empty_one(place: Path) -> None:
    (place / "inner").mkdir(parents=True)


Makes = Callable[[Path], None]
FOLDERS = (a_folder, an_empty_folder, a_folder_with_an_empty_one)
OTHERS = (a_file, a_link)
CHANGES = [
    *((before, after) for before in FOLDERS for after in OTHERS),
    *((before, after) for before in OTHERS for after in FOLDERS),
    (a_file, a_link),
    (a_link, another_file),
]


@pytest.mark.explore
def test_what_has_become_something_else_is_taken_and_given_back_again_and_again(folder: Path) -> None:
    places = {folder / f"{before.__name__}-to-{after.__name__}": (before, after) for before, after in CHANGES}
    for place, (before, _) in places.items():
        before(place)
    was = content(folder)
    run = PlayedRun(folder, RUN)

    def replace_all() -> None:
        for place, (_, after) in places.items():
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()
            after(place)

    run.bash(replace_all)
    run.end_turn()
    became = content(folder)
    for _ in range(2):
        planned = {(step.path, step.does) for step in RunReview(RUN).plan()}
        assert planned >= {("a_file-to-a_folder", "write"), ("a_file-to-a_folder", "remove folder")}
        assert not RunReview(RUN).undo().refused
        assert content(folder) == was
        assert not RunReview(RUN).redo().refused
        assert content(folder) == became
