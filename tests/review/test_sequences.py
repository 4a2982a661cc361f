"""Whatever two runs and a person do in one folder: undo takes back what the run alone did, and redo gives it back."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots.shadow import shadows_folder
from tests.review.played import PlayedRun
from tests.snapshots.folders import content, git, project, theirs
from tests.support.sampling import examples

RUNS = ("run-aaaa", "run-bbbb")
NAMES = ("a.txt", "b.txt", "new.txt", "folder/deep.txt")
ACTS = st.tuples(
    st.sampled_from(("write", "write", "bash", "begin", "within", "finish", "delete", "you", "you delete", "turn")),
    st.sampled_from((0, 0, 1)),
    st.sampled_from(NAMES),
)


class Written(NamedTuple):
    """A change that was really made, by a run or by you; and whether a run that tells of it can know it for its own."""

    by: int | None
    before: str | None
    is_clear: bool = True


class World:
    """Does what it is told, and remembers who has really done what."""

    def __init__(self, folder: Path, first: int) -> None:
        self.folder = folder
        self.runs = [PlayedRun(folder, f"{name}-{first}") for name in RUNS]
        self.at_work: dict[int, str] = {}
        self.written: dict[str, list[Written]] = {name: [] for name in NAMES}
        self._count = 0

    def do(self, act: str, run: int, name: str) -> None:
        if act == "write":
            self._remember(run, name, is_clear=True)
            self.runs[run].write(name, self._text())
        elif act in ("bash", "delete") and run not in self.at_work:
            self.at_work[run] = self.runs[run].begin("Bash", command=act)
            self._change(run, name, is_gone=act == "delete")
            self.runs[run].finish(self.at_work.pop(run))
        elif act == "begin" and run not in self.at_work:
            self.at_work[run] = self.runs[run].begin("Bash", command="long")
        elif act == "within" and run in self.at_work:
            self._change(run, name)
        elif act == "finish" and run in self.at_work:
            self.runs[run].finish(self.at_work.pop(run))
        elif act.startswith("you") and 0 not in self.at_work:  # else nobody could tell them apart
            self._change(None, name, is_gone=act == "you delete")
        elif act == "turn" and run not in self.at_work:
            self.runs[run].end_turn()
            self.runs[run].turn("more")

    def _change(self, by: int | None, name: str, *, is_gone: bool = False) -> None:
        path = self.folder / name
        if is_gone and not path.exists():
            return
        self._remember(by, name, is_clear=not (self.at_work.keys() - {by}))
        if is_gone:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(self._text())

    def _remember(self, by: int | None, name: str, *, is_clear: bool) -> None:
        path = self.folder / name
        self.written[name].append(Written(by, path.read_text() if path.exists() else None, is_clear))

    def _text(self) -> str:
        self._count += 1
        return f"{self._count}\n" * 3

    def end(self) -> None:
        for run, call in self.at_work.items():
            self.runs[run].finish(call)
        self.at_work.clear()
        for played in self.runs:
            played.end_turn()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("sequences") / "project")


@settings(max_examples=examples(3, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=st.lists(ACTS, min_size=4, max_size=14))
def test_undo_takes_back_what_the_run_alone_has_done(acts: list[tuple[str, int, str]], folder: Path) -> None:
    git(folder, "checkout", "--quiet", "--force", ".")
    git(folder, "clean", "--quiet", "-fd")
    world = World(folder, sum(1 for _ in shadows_folder().glob("*/repo/refs/kept/*")))
    for act in acts:
        world.do(*act)
    world.end()
    left, index = content(folder), theirs(folder)
    undone = RunReview(world.runs[0].run_id).undo()
    for name in NAMES:
        path, history = folder / name, world.written[name]
        now = path.read_text() if path.exists() else None
        then = left[name][2].decode() if name in left else None
        mine = next((at for at, one in enumerate(history) if one.by == 0), len(history))
        after = history[mine:]
        if now != then:
            possible = [one.before for at, one in enumerate(history) if all(other.by == 0 for other in history[at:])]
            assert now in possible, "somebody else's work is lost"
        elif after and all(one.by == 0 and one.is_clear for one in after):
            assert now == after[0].before, "it is the run's alone"
    assert {step.path for step in undone.refused}.isdisjoint(undone.paths)
    if undone.done:
        RunReview(world.runs[0].run_id).redo()
    assert content(folder) == left
    assert theirs(folder) == index
