"""What is read of a run's changes: at once what its last snapshot has, then what is there now."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from maverick_tui.review.kinds import MOST_LINES, START
from maverick_tui.review.run_review import RunReview
from maverick_tui.ui.changes.reading import Reviewing, Wanted, look, read_colours
from tests.review.played import PlayedRun
from tests.snapshots.folders import project


async def test_the_last_snapshot_is_shown_at_once_and_then_what_is_there_now(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, "7f3a00c0ffee", "Count in German")
    run.edit("a.txt", "two", "zwei")
    run.end_turn()
    (folder / "a.txt").write_text("one\nzwei\nthree\nvier\n")
    reviewing = Reviewing(lambda: RunReview("7f3a00c0ffee"))
    first = await reviewing.ask(lambda review: look(review, Wanted(START), is_fresh=False))
    then = await reviewing.ask(lambda review: look(review, Wanted(START, "a.txt"), is_fresh=True))
    assert [[(file.path, file.added) for file in seen.files] for seen in (first, then)] == [
        [("a.txt", 1)],
        [("a.txt", 2)],
    ]
    assert first.diff is not None
    assert then.diff is not None
    assert [len(seen.lines) for seen in (first.diff, then.diff)] == [4, 5]
    assert [turn.prompt for turn in then.turns] == ["Count in German"]
    assert await read_colours(reviewing, START, then.diff) == ([], []), "plain text has none"
    run.close()


async def test_the_colours_of_code_are_made_and_hostile_code_has_none(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, "7f3a00c0ffee", "Write code")
    run.write("code.py", "def one():\n    return 1\n")
    run.write("hostile.chpl", 'x = "' + "\\" * 61 + "\n")
    reviewing = Reviewing(lambda: RunReview("7f3a00c0ffee"))
    colours = {}
    for name in ("code.py", "hostile.chpl"):
        wanted = Wanted(START, name)
        seen = await reviewing.ask(partial(look, wanted=wanted, is_fresh=True))
        assert seen.diff is not None
        assert seen.diff.file.path == name
        colours[name] = (await read_colours(reviewing, START, seen.diff))[1]
    assert ("def", "keyword") in colours["code.py"][0]
    assert colours["hostile.chpl"] == []
    run.close()


@pytest.mark.explore
async def test_of_a_file_with_more_lines_than_anybody_reads_the_first_are_shown(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, "7f3a00c0ffee", "Count")
    run.bash(lambda: (folder / "blank.py").write_text("#\n" + "\n" * 200_000))
    reviewing = Reviewing(lambda: RunReview("7f3a00c0ffee"))
    seen = await reviewing.ask(lambda review: look(review, Wanted(START, "blank.py"), is_fresh=True))
    assert seen.diff is not None
    *shown, told = seen.diff.lines
    assert len(shown) == len(seen.diff.hunks[0].line_authors) == MOST_LINES
    assert (told.sign, told.text) == ("\\", f"… {200_001 - MOST_LINES:,} more lines have changed")
    assert await read_colours(reviewing, START, seen.diff) == ([], []), "they would take too long"
    run.close()


@pytest.mark.explore
async def test_what_tools_make_anew_is_listed_last(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, "7f3a00c0ffee", "Build it")
    for name in ("__pycache__/a.pyc", "lib/node_modules/left/index.js", "target/debug/app", "web/page.js"):
        run.write(name, "new\n")
    run.write("target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    run.write("venv", "a file of that name\n")
    run.write("web/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")  # beside sources
    run.edit("b.txt", "b", "c")
    seen = look(RunReview("7f3a00c0ffee"), Wanted(START), is_fresh=True)
    assert [file.path for file in seen.files] == [
        "b.txt", "venv", "web/CACHEDIR.TAG", "web/page.js",
        "__pycache__/a.pyc", "lib/node_modules/left/index.js", "target/CACHEDIR.TAG", "target/debug/app",
    ]  # fmt: skip
    assert seen.diff is not None
    assert seen.diff.file.path == "b.txt"
    run.close()
