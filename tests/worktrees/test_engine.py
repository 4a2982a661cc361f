"""A run of the real CLI in a worktree: what it may write, and its conversation once the worktree is made again."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.config import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.history.going_on import to_go_on
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.placing import Wish
from maverick_tui.runs.unattended import Unattended
from maverick_tui.worktrees import ending, records
from tests.conftest import ServeModel
from tests.support.agents import Talker
from tests.support.model import call, say, scene
from tests.worktrees.projects import project_in

RUN = "0123456789ab"


class Writer(Talker):
    """Writes what it is told to."""

    allowed_tools = ("Write", "Read")
    permission_mode = "acceptEdits"


async def test_it_writes_unasked_in_its_worktree_and_remembers_when_that_is_made_again(
    tmp_path: Path, serve: ServeModel
) -> None:
    project = project_in(tmp_path / "shop")
    config = MaverickConfig.load()
    place = records.place_for(project, f"talker-{RUN[:8]}")
    answers = [
        call("Write", file_path=str(place / "new.txt"), content="new\n"),
        call("Write", file_path=str(project / "mine.txt"), content="not mine\n"),
        say("I have written."),
    ]
    async with serve([scene(*answers, turn=1), scene(say("I remember."), turn=2)]):
        first = Unattended(
            Writer(name="talker"), "write", project, config, run_id=RUN, journal=journal_of(RUN), wish=Wish(RUN, True)
        )
        await first.serve()
        assert first.failure is None
        assert (place / "new.txt").read_text() == "new\n"
        assert not (project / "mine.txt").exists()
        worktree = records.worktree_of(RUN)
        assert worktree is not None
        ending.keep(worktree, "kept")
        past = to_go_on(RUN)
        assert past.folder == project
        again = Unattended(
            Writer(name="talker"), "go on", project, config, run_id=RUN, journal=journal_of(RUN), past=past.past,
            size=past.size, wish=Wish(RUN, is_new=False, had_one=True),
        )  # fmt: skip
        await again.serve()
    assert again.failure is None
    assert (place / "new.txt").exists()
    kinds = [event.kind for event in again.events.since(0) if isinstance(event, ev.Noticed)]
    assert "handed_over" not in kinds
    assert "session_lost" not in kinds
    assert again.answer.text == "I remember.", "the model has the first prompt before it"
