"""Files that Claude Code may read because a skill is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import RuleBook
from tests.agent.permissions.deciding import write
from tests.support.sampling import sampled

MANY = " ".join(f"word{number}" for number in range(400))
NAMED = [
    "notes", "notes#L1", "notes#L1-9", "notes#L1#L2", "notes!", "notes.", "notes\u2026", "notes\u00e9", "notes!#L3",
    "notes#L1!", "see notes;", "see notes\ufeffthere", '"notes#L1" there', "no\\tes!", "$'n\\x6ftes'!", "'see notes'!",
    f"notes#L1 {MANY}",
]  # fmt: skip


@pytest.fixture
def judge(project: Path) -> Judge:
    write('deny = ["Read(.env)"]')
    (project / ".env").write_text("TOKEN=x\n")
    return Judge(["Skill", "CronCreate"], project, person=False, standing=RuleBook(project))


def decided(judge: Judge, told: str) -> set[str]:
    job = {"cron": "0 3 1 1 *", "prompt": f"/review {told}"}
    calls = (("Skill", {"skill": "review", "args": told}), ("CronCreate", job))
    return {judge.judge(tool, arguments).decision for tool, arguments in calls}


@pytest.mark.parametrize("told", sampled(NAMED, 3, [told[:30] for told in NAMED]))
def test_what_a_skill_may_read_by_what_it_is_told_is_judged(told: str, home: Path, project: Path, judge: Judge) -> None:
    assert decided(judge, told) == {"allow"}, "nothing is called so"
    for forbidden in (home / ".ssh" / "id_rsa", project / ".env"):
        for name in ("notes", "see notes"):
            (project / name).unlink(missing_ok=True)
            (project / name).symlink_to(forbidden)
        assert decided(judge, told) == {"deny"}


@pytest.mark.parametrize(
    "told",
    [
        "Fix #12, please: the count is wrong (see README.md!) - it's off by one\u2026",
        "\u2026", "#", "# Notes", '""', MANY, "a#b#c " * 500, "README.md#L1-9",
    ],
    ids=lambda told: told[:30],
)  # fmt: skip
def test_sentences_are_no_files(told: str, project: Path, judge: Judge) -> None:
    (project / "README.md").touch()
    assert decided(judge, told) == {"allow"}
