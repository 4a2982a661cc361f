"""The question about a call says what that changes of what is there; the real CLI asks it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events.kinds import PermissionAsked, ToolFinished, TurnEnded
from maverick_tui.markup.hunks import hunks_between, hunks_of_patch
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.replaced import MOST, Replaced, replaced_by
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.cases import each
from tests.support.model import call, say, scene


class Scribe(Talker):
    allowed_tools = ("Read", "Write", "Edit", "NotebookEdit")
    permission_mode = "default"


async def test_a_question_about_a_file_that_is_there_shows_what_changes_in_it(serve: ServeModel) -> None:
    old = [f"line {number}" for number in range(1, 41)]
    new = ["LINE 20" if line == "line 20" else line for line in old]
    place = Path("notes.txt").absolute()
    place.write_text("\n".join(old) + "\n")
    write = call("Write", file_path=str(place), content="\n".join(new) + "\n")
    fresh = call("Write", file_path=str(place.with_name("fresh.txt")), content="new\n")
    steps = [call("Read", file_path=str(place)), write, fresh, say("Done.")]
    async with serve([scene(*steps, prompt=".*")]), watch(Scribe) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        assert asked.replaces == "This file exists (40 lines). What would change:"
        (hunk,) = asked.patch
        assert hunk["oldStart"] == 17
        assert [line for line in hunk["lines"] if line[0] != " "] == ["-line 20", "+LINE 20"]
        run.send(AnswerPermission(asked.request, "once"))
        second = await run.until(PermissionAsked, 2)
        assert (second.replaces, second.patch) == ("", ())
        run.send(AnswerPermission(second.request, "once"))
        await run.until(TurnEnded)
        assert not [one for one in run.all(ToolFinished) if one.is_error]
        assert place.read_text().split("\n")[19] == "LINE 20"


@pytest.mark.explore
async def test_a_question_about_all_places_of_a_file_says_how_many_they_are_and_shows_each(serve: ServeModel) -> None:
    place = Path("long.py").absolute()
    place.write_text(
        "".join(f"total = {number}\n" if number % 900 == 5 else f"line {number}\n" for number in range(3000))
    )
    edit = call("Edit", file_path=str(place), old_string="total", new_string="sum\n", replace_all=True)
    steps = [call("Read", file_path=str(place), limit=9), edit, say("Done.")]
    async with serve([scene(*steps, prompt=".*")]), watch(Scribe) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        assert asked.replaces == "4 places in this file would change:"
        starts = [(hunk["oldStart"], hunk["newStart"]) for hunk in asked.patch]
        assert starts == [(3, 3), (903, 904), (1803, 1805), (2703, 2706)]
        first = asked.patch[0]["lines"]
        assert first[3:6] == ["-total = 5", "+sum", "+ = 5"]
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(TurnEnded)
        made = next(one for one in run.all(ToolFinished) if one.call == asked.call)
        assert not made.is_error
        told = [(one["oldStart"], one["newStart"], one["lines"]) for one in made.detail["structuredPatch"]]
        assert told == [(one["oldStart"], one["newStart"], one["lines"]) for one in asked.patch]


@each(
    ("before", "old", "new", "words", "shown"),
    [
        (b"a\nb\na\n", "a", "c", "2 places in this file would change:", ["-a", "+c", " b", "-a", "+c"]),
        (b"a\r\nb\r\n", "a\nb", "c", "1 place in this file would change:", ["-a", "-b", "+c"]),
        (b"a\nb\na\n", "a", "", "2 places in this file would change:", ["-a", " b", "-a"]),
        (b"a" * MOST, "a", "bb", "100,000 places in this file would change.", []),
        (
            rb"\u00e9",
            "\u00e9",
            "e",
            "Every place in this file that has this text would change.",
            [],
        ),
        (b"\xff", "a", "e", "Every place in this file that has this text would change.", []),
        (b"", "a", "b", "", []),
    ],
)
def test_what_an_edit_changes_everywhere_is_counted(
    before: bytes, old: str, new: str, words: str, shown: list[str]
) -> None:
    Path("f").write_bytes(before)
    edit = {"file_path": "f", "old_string": old, "new_string": new}
    assert replaced_by("Edit", edit, Path.cwd(), may_read=True) == Replaced()
    found = replaced_by("Edit", {**edit, "replace_all": True}, Path.cwd(), may_read=True)
    assert (found.words, [line for hunk in found.patch for line in hunk["lines"]]) == (words, shown)
    if words:
        unread = replaced_by("Edit", {**edit, "replace_all": True}, Path.cwd(), may_read=False)
        assert unread == Replaced("Every place in this file that has this text would change.")


def test_places_that_are_near_each_other_are_shown_together_and_with_the_lines_that_they_are_on() -> None:
    """As comparing both texts as a whole would find it."""
    lines = [f"x {number}" if number in (0, 6, 13, 21, 22, 40) else f"line {number}" for number in range(44)]
    before = "\n".join(lines)
    Path("f").write_text(before)
    for old, new in (("x", "y"), ("x", "y\nz"), ("x 6\nline 7", "one"), ("\nline", "")):
        edit = {"file_path": "f", "old_string": old, "new_string": new, "replace_all": True}
        found = replaced_by("Edit", edit, Path.cwd(), may_read=True).patch
        assert hunks_of_patch(found) == hunks_between(before, before.replace(old, new))


def _notebook(*sources: str | list[str]) -> str:
    about: dict[str, Any] = {"metadata": {}, "outputs": [], "execution_count": None}
    cells = [{"cell_type": "code", "id": f"c{at}", "source": one, **about} for at, one in enumerate(sources)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.explore
async def test_a_question_about_a_cell_shows_what_becomes_of_it(serve: ServeModel) -> None:
    place = Path("sums.ipynb").absolute()
    place.write_text(_notebook("import math\n", ["total = 1\n", "print(total)"]))
    of_it: dict[str, Any] = {"notebook_path": str(place)}
    steps = [
        call("Read", file_path=str(place)),
        call("NotebookEdit", **of_it, cell_id="c1", new_source="total = 2\nprint(total)"),
        call("NotebookEdit", **of_it, cell_id="cell-0", new_source="", edit_mode="delete"),
        call("NotebookEdit", **of_it, cell_id="c1", new_source="new", edit_mode="insert", cell_type="code"),
    ]
    async with serve([scene(*steps, say("Done."), prompt=".*")]), watch(Scribe) as run:
        run.prompt("go")
        told = []
        for number in (1, 2, 3):
            asked = await run.until(PermissionAsked, number)
            told.append((asked.replaces, [line for hunk in asked.patch for line in hunk["lines"]]))
            run.send(AnswerPermission(asked.request, "once"))
        await run.until(TurnEnded)
        assert not [one for one in run.all(ToolFinished) if one.is_error]
    assert told == [
        (
            "A cell (2 lines) would be replaced. What would change:",
            ["-total = 1", "+total = 2", " print(total)"],
        ),
        ("A cell (1 line) would be deleted:", ["-import math"]),
        ("", []),
    ]
    assert ["".join(cell["source"]) for cell in json.loads(place.read_text())["cells"]] == (
        ["total = 2\nprint(total)", "new"]
    )


@each("text", ["{", "[]", '{"cells": [1]}', '{"cells": [{"id": "c", "source": [1]}]}', "[" * 100_000, '{"cells": []}'])
def test_of_what_is_no_notebook_nothing_is_shown(text: str) -> None:
    Path("f.ipynb").write_text(text)
    for cell in ("c", "cell-0", "cell-7", "cell-\u0661"):
        of_it = {"notebook_path": "f.ipynb", "cell_id": cell, "new_source": "x"}
        found = replaced_by("NotebookEdit", of_it, Path.cwd(), may_read=True)
        assert found == Replaced("A cell would be replaced.")
    deletes = {"notebook_path": "f.ipynb", "cell_id": "c", "new_source": "", "edit_mode": "delete"}
    assert replaced_by("NotebookEdit", deletes, Path.cwd(), may_read=False) == Replaced("A cell would be deleted.")


def _replaced(content: str = "b\n", name: str = "f", *, may_read: bool = True) -> Replaced:
    return replaced_by("Write", {"file_path": name, "content": content}, Path.cwd(), may_read=may_read)


@each(
    ("before", "content", "words"),
    [
        (b"a\n", "a\n", "Nothing would change: the file already has exactly this content."),
        (b"a", "b", "This file exists (1 line). What would change:"),
        (b"\xff\xfe", "b", "This file exists (2 bytes) and would be replaced."),
        (b"a\0", "b", "This file exists (2 bytes) and would be replaced."),
        (b"x" * (MOST + 1), "b", "This file exists (100,001 bytes) and would be replaced."),
        (b"a", "b" * (MOST + 1), "This file exists (1 byte) and would be replaced."),
        (b"", "b", ""),
    ],
)
def test_what_is_told_is_as_much_as_can_be_read_and_shown(before: bytes, content: str, words: str) -> None:
    Path("f").write_bytes(before)
    assert _replaced(content).words == words
    assert bool(_replaced(content).patch) == (words.endswith((":", "content.")))


def test_what_must_not_be_read_and_what_is_no_file_is_not_opened() -> None:
    Path("secret").write_text("word\n")
    os.mkfifo("pipe")  # whoever opens it waits for ever
    assert _replaced(name="secret", may_read=False) == Replaced("This file exists (5 bytes) and would be replaced.")
    assert [_replaced(name=name) for name in ("pipe", "/dev/zero", ".", "nothing", "\0", "~nobody-at-all/x")] == (
        [Replaced()] * 6
    )


def test_where_lines_of_a_key_change_all_that_is_written_is_shown_and_no_patch_is_stored() -> None:
    body = [f"{number:02}" + "Ab3+" * 15 + "xy" for number in range(20)]
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----", *"abcd", ""]
    Path("f").write_text("\n".join(lines))
    changed = lines.copy()
    changed[12] = "something else"
    assert _replaced("\n".join(changed)) == Replaced("This file exists (26 lines) and would be replaced.")
    assert _replaced("\n".join([*lines, body[3], ""])).patch == (), "where it would be masked, nobody would see it"


@each("secret", ["- name: DB_PASSWORD\n  value: hunter2-hunter2", "token = 'ghp_" + "a1B2" * 9 + "'"])
def test_where_there_is_a_secret_all_is_shown_as_it_is_stored_elsewhere(secret: str) -> None:
    Path("f").write_text(f"{secret}\na\n")
    assert _replaced(f"{secret}\nb\n").patch == ()
    edit = {"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": True}
    assert replaced_by("Edit", edit, Path.cwd(), may_read=True).patch == ()


def test_more_lines_than_can_be_stored_at_once_are_not_told_twice() -> None:
    Path("f").write_text("a\n" * 600)
    assert _replaced("b\n" * 600) == Replaced("This file exists (600 lines) and would be replaced.")
    edit = {"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": True}
    assert replaced_by("Edit", edit, Path.cwd(), may_read=True) == Replaced("600 places in this file would change.")


def test_what_is_there_already_is_shown_as_staying() -> None:
    Path("f").write_text("a\nb\n")
    (hunk,) = _replaced("a\nb\n").patch
    assert hunk["lines"] == [" a", " b"]
