"""What a person allows of an edit is what is written: the CLI repairs edits, also after they were allowed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from maverick_tui.agent.engine.claude.edits import why_not_as_shown
from maverick_tui.agent.engine.claude.guard import Guard
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.events.kinds import PermissionAsked, ToolFinished
from maverick_tui.offline.script import Answer, ToolStep
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.effort import effort
from tests.support.model import say

MADE = {
    "plain": ("one\ntwo\n", "two", "three", "one\nthree\n"),
    "escape": (r's = "\u000a"', r"\u000a", r"\u000b", r's = "\u000b"'),
    "escaped": (r's = "\u00E9\ud83d\ude00"', r"\u00e9\ud83d\ude00", r"\u00e8", r's = "\u00e8"'),  # it is decoded before
    "curly": ("say \u201chello\u201d\n", "\u201chello\u201d", '"bye"', 'say "bye"\n'),
    "windows": ("one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"),
    "mixed": ("one\r\ntwo\r\nthree\nfour", "four", "4", "one\r\ntwo\r\nthree\r\n4"),
    "mark": ("\ufeffone\ntwo\n", "one\ntwo", "1\n2", "\ufeff1\n2\n"),
    "line gone": ("one\ntwo\nthree\n", "two", "", "one\nthree\n"),
    "lines gone": ("one\ntwo\nthree\n", "two\n", "", "one\nthree\n"),
    "end gone": ("one\ntwo # x", " # x", "", "one\ntwo"),
    "middle gone": ("one two three\n", " two", "", "one three\n"),
    "new": ("", "", "one\n", "one\n"),
}
"""Edits that are made: what was there, what is to be replaced, by what, and what is there then."""
REPAIRED = {
    "escapes": ('title = "x"\nz = 1\n', r'title = "x"\u000az = 1', r'title = "x"\u000az = 2  # see \u000aimport os'),
    "quotes": ("say \u201chello\u201d\n", 'say "hello"', 'say "bye"'),
    "escaped elsewhere": ('\u00e9 \u201cx\u201d \\u00e9 "x"\n', '\u00e9 "x"', "y"),
    "end of line": ("ok = True  # x\nif not ok: leave()\n", "x", ""),
    "break before": ("one\ntwo\nthree\n", "\ntwo", ""),
}
"""Edits of which the CLI makes others."""
ALL = {**MADE, **{name: (*edit, edit[0]) for name, edit in REPAIRED.items()}}

IN_BOTH = {"windows", "escaped", "escapes", "end of line"}
"""Those that are tried in both encodings that the CLI knows."""


class Editor(Talker):
    name = "editor"
    allowed_tools = ["Read", "Edit"]
    permission_mode = "default"


async def test_an_edit_is_made_as_it_was_shown_or_not_at_all(serve: ServeModel) -> None:
    files = {}
    for name, (before, old, new, after) in ALL.items():
        for encoding in ("utf-8", "utf-16") if name in IN_BOTH else ("utf-8",):
            file = Path(f"{name} {encoding}.txt").absolute()
            file.write_bytes(before.encode(encoding))  # UTF-16 with the mark that says so
            files[file] = (old, new, after.encode(encoding))
    reads = [ToolStep(tool="Read", input={"file_path": str(file)}) for file in files]
    edits = [
        ToolStep(tool="Edit", input={"file_path": str(file), "old_string": old, "new_string": new})
        for file, (old, new, _) in files.items()
    ]
    answers = [Answer(steps=tuple(reads)), Answer(steps=tuple(edits)), say("done")]
    async with serve(answers), watch(Editor) as run:
        run.allows_everything = True
        await run.ask("go")
        asked = {Path(event.arguments["file_path"]).stem.rpartition(" ")[0] for event in run.all(PermissionAsked)}
        told = "\n".join(event.output for event in run.all(ToolFinished))
    wrong = {file.name: file.read_bytes() for file, (*_, after) in files.items() if file.read_bytes() != after}
    assert not wrong
    assert asked == MADE.keys(), "nobody is asked about what cannot be made"
    assert "give its exact text" in told
    assert "Give the whole line" in told


async def test_it_holds_where_nobody_is_asked_and_when_a_file_changes_while_somebody_is(tmp_path: Path) -> None:
    for name, (before, old, new) in REPAIRED.items():
        file = tmp_path / name
        edit = {"file_path": name, "old_string": old, "new_string": new}
        given: Any = {"tool_name": "Edit", "tool_input": edit, "cwd": str(tmp_path)}
        for person in (True, False):
            guard = Guard(Judge(["Edit"], tmp_path, person=person))
            ((before_call,),) = [matcher.hooks for matcher in guard.hooks["PreToolUse"]]
            file.write_text(f"{before}-{old}-" if new else f"{old}-")
            answer: Any = await before_call(given, "c1", cast(Any, None))
            assert answer["hookSpecificOutput"]["permissionDecision"] == ("ask" if person else "allow"), name
            file.write_text(before)
            if person:
                assert await guard.begin("c1", "Edit", edit), name
            answer = await before_call(given, "c2", cast(Any, None))
            assert answer["hookSpecificOutput"]["permissionDecision"] == "deny", name


async def test_the_file_that_is_looked_at_is_the_one_that_is_edited(tmp_path: Path) -> None:
    before, old, new = REPAIRED["escapes"]
    (tmp_path / "~root").mkdir()
    (tmp_path / "~root" / "a.py").write_text(before)
    os.mkfifo(tmp_path / "pipe")
    for path in ("~root/a.py", " ~root/a.py ", "sub/../~root/a.py", "pipe", "none"):
        assert why_not_as_shown("Edit", {"file_path": path, "old_string": old, "new_string": new}, str(tmp_path)), path
    assert not why_not_as_shown(
        "Edit", {"file_path": "~root/a.py", "old_string": "z = 1", "new_string": ""}, str(tmp_path)
    )


def test_a_file_without_end_is_not_looked_through(tmp_path: Path) -> None:
    with (file := tmp_path / "large").open("wb") as opened:
        opened.truncate(10**12)  # no room on the disk
    edit = {"file_path": str(file), "old_string": "it's \u00e9", "new_string": "x"}
    assert "more than 16 MB" in why_not_as_shown("Edit", edit, str(tmp_path))


@pytest.mark.explore
def test_long_edits_of_long_files_cost_no_more_than_reading_both(tmp_path: Path) -> None:
    (file := tmp_path / "long").write_text("\\u00e9" * 200_000)
    edit = {"file_path": str(file), "old_string": "\u00e9" * 20_000 + "x", "new_string": "x"}
    assert effort(lambda: why_not_as_shown("Edit", edit, str(tmp_path))) < 40
    file.write_text("a\n" * 300_000 + "b")
    edit |= {"old_string": "a\n" * 5_000 + "a", "new_string": ""}
    assert effort(lambda: why_not_as_shown("Edit", edit, str(tmp_path))) < 40
