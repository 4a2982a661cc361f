"""A run of many calls as agents make them, by the real CLI: every hunk names the call that wrote it, or the person."""

from __future__ import annotations

import re
from itertools import count, pairwise
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import journal_of
from maverick_tui.offline.script import Answer, Step, ToolStep
from maverick_tui.review.blame import blame
from maverick_tui.review.kinds import START, Authors, ChangedHunk, Scope
from maverick_tui.review.run_review import RunReview
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.snapshots.attribution import Link, Writer, trace
from maverick_tui.snapshots.shadow import Shadow
from tests.conftest import ServeModel
from tests.runs.tracked import RUN, tracked
from tests.runs.watching import Watched, watch
from tests.snapshots.folders import Content, content, git, project
from tests.snapshots.marks import checked
from tests.support.agents import Talker
from tests.support.model import say, scene
from tests.support.sampling import examples

FORMATTER = """import pathlib, sys
for path in pathlib.Path().rglob("*.py"):
    lines = path.read_text().splitlines()
    ends = [f"; {sys.argv[1]}" if line.startswith("line") else "" for line in lines]
    path.write_text("".join(f"{line}{end}\\n" for line, end in zip(lines, ends)))
"""
SUITE = """import pathlib, sys
pathlib.Path("report").mkdir(exist_ok=True)
pathlib.Path("report/junit.xml").write_text(f"{sys.argv[1]}\\n" * 3)
pathlib.Path("x.log").write_text(f"ignored {sys.argv[1]}\\n")
"""


ROUNDS = examples(1, 3)
"""In each of them it does all that an agent does to its files."""
CALLS, PARTS, LINES = (22, 25, 60) if ROUNDS == 1 else (40, 50, 100)
"""How many calls write something, and how much of what they wrote is looked at, at the least."""


class Editor(Talker):
    """Writes by the CLI."""

    allowed_tools = ("Read", "Edit", "Write", "Bash")


class Script:
    """The calls of the model, each with a mark of its own."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self.calls = 0
        self.commands = 0
        self.formatted = ""
        """What the formatter has put at the end of lines."""
        self.answers: list[Answer] = []

    def add(self, *steps: Step) -> None:
        self.answers.append(Answer(steps=steps))

    @property
    def mark(self) -> str:
        """The mark of the last call."""
        return f"<call{self.calls}>"

    def read(self, name: str) -> Step:
        return ToolStep(tool="Read", input={"file_path": str(self._top / name)})

    def edit(self, name: str, old: str) -> Step:
        self.calls += 1
        new = f"edited {self.mark}"
        return ToolStep(tool="Edit", input={"file_path": str(self._top / name), "old_string": old, "new_string": new})

    def write(self, name: str) -> Step:
        self.calls += 1
        content = "".join(f"{name} {number} {self.mark}\n" for number in range(9))
        return ToolStep(tool="Write", input={"file_path": str(self._top / name), "content": content})

    def bash(self, command: str) -> Step:
        """`MARK` in it stands for the mark of the call."""
        self.calls, self.commands = self.calls + 1, self.commands + 1
        return ToolStep(tool="Bash", input={"command": command.replace("MARK", self.mark), "description": "d"})

    def format(self) -> Step:
        step = self.bash("python3 formatter 'MARK'")
        self.formatted += f"; {self.mark}"
        return step


def many(top: Path) -> Script:
    script = Script(top)
    sed, suite = "sed -i '{}s/$/ MARK/' {}", "python3 suite 'MARK'"
    script.add(script.read("a.py"), script.read("b.py"))
    script.add(script.edit("a.py", "line 3 of a.py"), script.edit("b.py", "line 7 of b.py"))
    script.add(script.edit("a.py", "line 30 of a.py\nline 31 of a.py"))
    script.add(script.write("c.py"), script.bash(sed.format(5, "a.py b.py")))
    script.add(script.bash("echo 'x MARK' > x.py"), script.bash("sed -i '1i first MARK' c.py"))
    script.add(script.bash("git mv a.py moved.py # MARK"))
    script.add(script.bash(sed.format(12, "moved.py")), script.bash(suite))
    script.add(script.format())
    for number in range(ROUNDS):
        made = f"sub/d{number}.py"
        script.add(script.read("moved.py"))
        edited = script.edit("moved.py", f"line {number + 14} of a.py{script.formatted}")
        script.add(edited, script.write(made))
        edited = script.edit(made, f"{made} 4 {script.mark}")
        script.add(edited, script.bash(f"sed -i '{number + 20}i new MARK' moved.py b.py"))
        script.add(script.bash(f"sed -i '{number + 2}d' b.py; echo 'MARK' >> b.py"), script.bash(suite))
        script.add(script.bash(f"git add {made} && git mv {made} e{number}.py && echo 'moved MARK' >> e{number}.py"))
        script.add(script.bash(sed.format(f"{number + 33}", "moved.py")), script.format())
    script.add(script.bash("rm c.py # MARK"), script.bash("echo 'MARK' > last.py"))
    script.answers.append(say("done"))
    return script


@pytest.mark.explore  # the other tests of tracking have fewer calls
async def test_every_hunk_names_the_call_that_wrote_it(serve: ServeModel, tmp_path: Path) -> None:
    top = project(tmp_path / "project")
    (top / ".gitignore").write_text("*.log\n")
    for name, text in (("formatter", FORMATTER), ("suite", SUITE)):
        (top / name).write_text(text)
    for name in ("a.py", "b.py"):
        (top / name).write_text("".join(f"line {number} of {name}\n" for number in range(40)))
    git(top, "add", "--all")
    script = many(top)
    before = content(top)
    async with serve([scene(*script.answers)]), watch(Editor, cwd=top, config=tracked(), run_id=RUN) as run:
        run.run.keep(journal_of(RUN))
        run.prompt("go")
        for number in range(1, script.commands + 1):
            asked = await run.until(ev.PermissionAsked, number)
            if number % 6 == 0:
                await work_as_the_person(run, top, number // 6)
            run.send(AnswerPermission(asked.request, "once"))
        await run.until(ev.SnapshotTaken, where=lambda event: event.when == "end")
        shadow = Shadow(top)
        chain = chain_of(run, shadow)
        assert script.calls == CALLS
        yours = {f"you{number}" for number in range(1, script.commands // 6 + 1)}
        expected = {f"call{number}" for number in range(1, CALLS + 1)} | yours
        assert len(yours) > 1
        assert {writer.id for link in chain[1:] for writer in link.by} == expected
        assert len(chain) == 1 + len(expected), "each alone, and once"
        assert sum(checked(shadow, chain[first : first + 5]) for first in range(0, len(chain) - 1, 4)) > PARTS
        assert checked(shadow, chain) > PARTS // 5
        touched = trace(shadow, chain).touched
        suites = [event.call for event in run.all(ev.ToolCalled) if "suite" in str(event.arguments.get("command"))]
        assert touched("report/junit.xml") == [(Writer(marks_of(run)[call]),) for call in suites]
        assert touched("x.log") == touched("report/junit.xml"), "also what git ignores"
        assert (Writer("call8"),) in touched("moved.py"), "it has moved it"
        review_says_the_same(marks_of(run), top)
        undo_takes_back_the_calls_alone(top, before)


def review_says_the_same(marks: dict[str, str], top: Path) -> None:
    """Out of the journal: each line of the whole run, and each file of each call; and each line after a commit."""

    def check(line: str, authors: Authors) -> bool:
        found = re.findall(r"<(\w+)>", line)
        assert [marks.get(one.call, one.kind) for one in authors] == [
            re.sub(r"^you\d$", "you", one) for one in found[-1:]
        ]
        return bool(found)

    review = RunReview(RUN)
    files = [one.path for one in review.files()]
    told = [one for path in files for hunk in review.hunks(START, path, 0) for one in lines_of(hunk)]
    assert sum(check(line, authors) for line, authors in told if line.startswith("+")) > LINES
    calls = [one.call for turn in review.turns for one in turn.calls]
    assert list(map(marks.get, calls)) == [f"call{number}" for number in range(1, CALLS + 1)]
    assert [one.path for one in review.files(Scope("call", call=calls[4]))] == ["a.py", "b.py"]
    assert [(one.was, one.path) for one in review.files(Scope("call", call=calls[7]))] == [("a.py", "moved.py")]
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "-m", "all of it")
    for name in ("moved.py", "b.py", "e0.py"):
        for one in blame(top / name):
            check(one.text.decode(), one.authors)


def lines_of(hunk: ChangedHunk) -> list[tuple[str, Authors]]:
    return list(zip(hunk.hunk.lines, hunk.line_authors, strict=True))


def undo_takes_back_the_calls_alone(top: Path, before: dict[str, Content]) -> None:
    left, review = content(top), RunReview(RUN)
    undone = review.undo()
    assert {step.path: step.why_not for step in undone.refused} == {
        "b.py": "somebody else has changed it, too (by you)"
    }
    kept = {name: one for name, one in left.items() if name == "b.py" or name.startswith("mine")}
    assert content(top) == {**before, **kept}
    review.redo()
    assert content(top) == left


async def work_as_the_person(run: Watched, top: Path, number: int) -> None:
    """Change two files, once what the last call did is known."""
    marks = marks_of(run)
    last = [event.call for event in run.all(ev.ToolFinished) if event.call in marks][-1]
    await run.until(ev.SnapshotTaken, where=lambda event: last in event.calls)
    with (top / "b.py").open("a") as file:
        file.write(f"mine <you{number}>\n")
    (top / f"mine{number}.py").write_text(f"mine <you{number}>\n")


def chain_of(run: Watched, shadow: Shadow) -> list[Link]:
    """All snapshots, with the marks of the calls that were at work before each; without any it was the person."""
    marks, numbers = marks_of(run), count(1)
    told = run.all(ev.SnapshotTaken)
    chain = [Link(shadow.read(told[0].snapshot))]
    for before, one in pairwise(told):
        if before.snapshot != one.snapshot:
            by = [marks[call] for call in one.calls] or [f"you{next(numbers)}"]
            chain.append(Link(shadow.read(one.snapshot), tuple(map(Writer, by))))
    return chain


def marks_of(run: Watched) -> dict[str, str]:
    """The mark that each call leaves: they are made in the order of the script."""
    called = [event.call for event in run.all(ev.ToolCalled) if event.name != "Read"]
    return {call: f"call{number}" for number, call in enumerate(called, 1)}
