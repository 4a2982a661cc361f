"""Every line and every hunk names the call that wrote it, and nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.snapshots.attribution import TAKEN_BACK, YOU, Attribution, Link, Writer, Writers, possible, trace
from maverick_tui.snapshots.changes import FileLines, Lines, changes, hunks
from maverick_tui.snapshots.shadow import Shadow
from tests.snapshots.folders import OWNER, git, project
from tests.snapshots.marks import checked

A, B, C = ((Writer(name),) for name in "abc")


def test_lines_are_followed_from_step_to_step() -> None:
    found = Attribution()
    found.add(A, [FileLines("f", "f", (Lines(1, 1, 1, 2), Lines(4, 0, 5, 1)))])  # 0 A A 2 3 A 4 5 ..
    assert found.lines("f", 8) == [(), A, A, (), (), A, (), ()]
    found.add(B, [FileLines("f", "f", (Lines(2, 2, 2, 0),))])  # 0 A 3 A 4 5 ..
    assert found.lines("f", 6) == [(), A, (), A, (), ()]
    assert [found.remover("f", line) for line in range(5)] == [(), A, B, (), ()]
    assert (found.touched("f"), found.touched("g")) == ([A, B], [])
    assert found.lines("g", 2) == [(), ()]


def test_names_change_and_lines_stay() -> None:
    found = Attribution()
    found.add(A, [FileLines("f", "f", (Lines(0, 0, 0, 1),)), FileLines("", "new", (Lines(0, 0, 0, 2),))])
    found.add(B, [FileLines("f", "g", ()), FileLines("new", "f", (Lines(2, 0, 2, 1),))])  # both at once
    assert found.lines("g", 3) == [A, (), ()]
    assert found.lines("f", 3) == [A, A, B]
    assert found.touched("g") == [A, B]
    found.add(C, [FileLines("g", "", (Lines(0, 3, 0, 0),))])
    assert (found.remover("f", 0), found.remover("f", 1), found.lines("g", 3)) == (C, C, [])
    found.add(A, [FileLines("", "g", (Lines(0, 0, 0, 1),))])
    assert found.lines("g", 1) == [A]


def test_what_a_person_restores_is_whose_it_was() -> None:
    you, undo = (YOU,), (Writer(f"{TAKEN_BACK}run-1", frozenset({"f"})),)
    there, back = (Lines(1, 1, 1, 1),), ("one", "two")
    found = Attribution()
    found.add(A, [FileLines("f", "f", there, back)])
    for who in (undo, you):  # taken back, and given back: by whichever way
        found.add(who, [FileLines("f", "f", there, back[::-1])])
        assert (found.lines("f", 3), found.remover("f", 1)) == ([(), (), ()], ())
        found.add(who, [FileLines("f", "f", there, back)])
        assert (found.lines("f", 3), found.remover("f", 1)) == ([(), A, ()], A)
    found.add(you, [FileLines("f", "", (Lines(0, 3, 0, 0),), ("two", "0"))])
    found.add(you, [FileLines("", "f", (Lines(0, 0, 0, 3),), ("0", "two"))])
    assert found.lines("f", 3) == [(), A, ()]
    found.add(you, [FileLines("f", "f", there, back[::-1])])
    found.add(B, [FileLines("f", "f", there, back)])  # a call has written it all the same
    assert found.lines("f", 3) == [(), B, ()]


def test_several_at_work_are_all_possible_unless_one_names_the_file() -> None:
    edit, other = Writer("edit", frozenset({"f"})), Writer("other", frozenset({"g"}))
    bash, test = Writer("bash"), Writer("test")
    assert possible((edit, other, bash), "f") == (edit,)
    assert possible((edit, bash, test), "h") == (bash, test)
    assert possible((edit, other), "h") == (YOU,)
    assert possible((edit, bash), "", "f") == (edit,)


def script(top: Path) -> list[Callable[[str], None]]:
    """Forty changes as agents make them, each with a mark of its own; and a person between them."""

    def edit(name: str, number: int) -> Callable[[str], None]:
        def work(mark: str) -> None:
            lines = (top / name).read_text().splitlines(keepends=True)
            lines[number % len(lines)] = f"edited {number} <{mark}>\n"
            (top / name).write_text("".join(lines))

        return work

    def insert(name: str, number: int) -> Callable[[str], None]:
        def work(mark: str) -> None:
            lines = (top / name).read_text().splitlines(keepends=True)
            at = number % (len(lines) + 1)
            new = [f"{text} <{mark}>\n" for text in ("def f():", "    pass", "")]
            (top / name).write_text("".join([*lines[:at], *new, *lines[at:]]))

        return work

    def write(name: str) -> Callable[[str], None]:
        def work(mark: str) -> None:
            (top / name).parent.mkdir(exist_ok=True)
            (top / name).write_text("".join(f"{name} {number} <{mark}>\n" for number in range(12)))

        return work

    def sed(word: str) -> Callable[[str], None]:
        def work(mark: str) -> None:
            for path in sorted(top.glob("**/*.py")):
                text = "".join(
                    f"{line.rstrip()} <{mark}>\n" if word in line else line
                    for line in path.read_text().splitlines(keepends=True)
                )
                path.write_text(text)

        return work

    def move(name: str, to: str) -> Callable[[str], None]:
        return lambda mark: (git(top, "mv", "-f", name, to), None)[1]

    def format_all(mark: str) -> None:
        for path in sorted(top.glob("**/*.py")):
            lines = path.read_text().splitlines()
            path.write_text(
                "".join(f"{line}; <{mark}>\n" if line.startswith("line") else f"{line}\n" for line in lines)
            )

    def tests(mark: str) -> None:
        (top / "report").mkdir(exist_ok=True)
        (top / "report" / "junit.xml").write_text(f"<{mark}>\n" * 3)
        (top / "x.log").write_text(f"ignored <{mark}>\n")

    one = [edit("a.py", 3), edit("b.py", 7), insert("a.py", 10), write("c.py"), sed("line 5"), insert("b.py", 0)]
    two = [move("a.py", "moved.py"), edit("moved.py", 20), insert("moved.py", 2), tests, write("sub/d.py")]
    return [*one, *two, format_all, edit("b.py", 1), tests, sed("edited"), insert("c.py", 99), write("c.py")]


@pytest.mark.explore  # `runs/test_tracking_many_calls.py` has one of the real CLI
def test_a_run_of_forty_calls(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / ".gitignore").write_text("*.log\n")
    for name in ("a.py", "b.py"):
        (top / name).write_text("".join(f"line {number} of {name}\n" for number in range(40)))
    git(top, "add", "--all")
    shadow = Shadow(top)
    chain = [Link(shadow.take(OWNER))]
    steps = script(top)
    rest = [step for step in steps if step != steps[6]]  # a file is moved once
    for number, work in enumerate([*steps, *rest, *rest][:40]):
        mark = "you" if number % 9 == 4 else f"call{number}"
        try:
            work(mark)
        except FileNotFoundError:  # it is called otherwise by now
            write = top / f"extra{number}.py"
            write.write_text(f"extra <{mark}>\n")
        chain.append(Link(shadow.take(OWNER), (Writer(mark),)))
    # Before the formatter has come to all files, a turn in the middle, and the whole run.
    assert checked(shadow, chain[:12]) > 10
    assert checked(shadow, chain[12:20]) > 5
    assert checked(shadow, chain) > 10


def test_hunks_of_removed_lines_name_whoever_removed_them(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "f").write_text("".join(f"{number}\n" for number in range(30)))
    shadow = Shadow(top)
    chain = [Link(shadow.take(OWNER))]
    for mark, gone in (("a", "3"), ("b", "25"), ("c", "14")):
        (top / "f").write_text("".join(f"{n}\n" for n in (top / "f").read_text().split() if n != gone))
        chain.append(Link(shadow.take(OWNER), (Writer(mark),)))
    (top / "b.txt").chmod(0o755)
    (top / "a.txt").write_bytes(b"\0")
    chain.append(Link(shadow.take(OWNER)))
    found = trace(shadow, chain)
    touched: dict[str, list[Writers]] = {}
    for change in changes(shadow, chain[0].snapshot, chain[-1].snapshot):
        told = [found.hunk(hunk, change.path) for hunk in hunks(shadow, change)]
        if change.path == "f":
            assert told == [[A], [C], [B]]
        touched[change.path] = found.touched(change.path)
    assert touched == {"a.txt": [(YOU,)], "b.txt": [(YOU,)], "f": [A, B, C]}
