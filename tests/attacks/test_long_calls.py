"""A long call is judged in time that grows with its length, and not with the square of that: the thread that judges
works on when the person has long given up on the turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import copying
from maverick_tui.agent.permissions.following import follows_links
from maverick_tui.agent.permissions.judge import Judge
from tests.support.cases import each
from tests.support.effort import effort

EFFORT = 60
"""What each takes is below half of it; as it was, twice as much and more."""


def judge_here() -> Judge:
    return Judge(["Bash", "Grep", "Skill"], Path.cwd(), person=True)


@each(
    ("tool", "arguments"),
    [
        ("Skill", {"skill": "x", "args": "./" * 8_000}),
        ("Bash", {"command": f"ssh h {'xargs ' * 400}"}),
        ("Bash", {"command": f"{'xargs ' * 3_000}ls"}),
        ("Grep", {"pattern": "x", "path": "a/" * 16_000}),
    ],
)
def test_what_is_said_again_and_again_is_looked_at_once(tool: str, arguments: Mapping[str, str]) -> None:
    assert effort(partial(judge_here().judge, tool, arguments)) < EFFORT


def test_a_copy_of_many_files_is_read_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = list[str]()

    def counted(words: list[str]) -> bool:
        reads.append(words[0])
        return follows_links(words)

    monkeypatch.setattr(f"{copying.__name__}.follows_links", counted)
    judged = judge_here().judge("Bash", {"command": f"cp {' '.join(f'f{number}' for number in range(100))} .."})
    assert judged.decision == "ask"
    assert len(reads) < 10, "once for each question about the call"


def test_a_copy_of_more_than_can_be_followed_is_told_to_be_too_much() -> None:
    given = [f"f{number}" for number in range(1_100)]
    assert copying.put_at([["cp", *given, "d"]], Path.cwd(), lambda word: [word]) is None
    assert copying.put_at([["cp", *given[:100], "d"]], Path.cwd(), lambda word: [word]) is not None


def test_a_search_of_a_path_that_no_system_opens_asks() -> None:
    Path("a").mkdir()
    judge, too_long = judge_here(), "a/" * 3_000
    for tool, arguments in (("Grep", {"pattern": "x", "path": too_long}), ("Bash", {"command": f"rg x {too_long}"})):
        judged = judge.judge(tool, arguments)
        assert (judged.decision, judged.reason) == (
            "ask",
            "It searches a path of more than 4,096 characters, which no system opens.",
        )
    assert judge.judge("Grep", {"pattern": "x", "path": "a/../" * 3_000}).decision == "allow", "which is a short one"
