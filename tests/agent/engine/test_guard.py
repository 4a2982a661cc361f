"""What an agent may use is all that runs unasked: the rules, and the real CLI in the mode that approves most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionUpdate, ToolResultBlock, UserMessage
from claude_agent_sdk.types import PermissionRuleValue

from maverick_tui.agent.engine.guard import Guard, is_covered
from tests.conftest import ServeModel
from tests.support.agents import Talker, context, drain
from tests.support.model import bash, call, say

GIT = ["git diff:*", "git log:*"]


@pytest.mark.parametrize(
    ("command", "rules", "covered"),
    [
        ("git diff", GIT, True),
        ("git diff --stat main", GIT, True),
        ("git  log  'a b'", GIT, True),
        ("git diffs", GIT, False),
        ("git status", GIT, False),
        ("git diff; rm -rf .", GIT, False),
        ("git diff && id", GIT, False),
        ("git diff | sh", GIT, False),
        ("git diff > f", GIT, False),
        ("git diff &", GIT, False),
        ("git diff $(id)", GIT, False),
        ('git diff "$(id)"', GIT, False),
        ("git diff `id`", GIT, False),
        ("git diff <(id)", GIT, False),
        ("git diff\nid", GIT, False),
        ("git diff 'never closed", GIT, False),
        ("git diff --output=f", GIT, False),
        ("git log --output f", GIT, False),
        ("git -c core.pager=id diff", GIT, False),
        ("X=1 git diff", GIT, False),
        ("git diff 'a;b'", GIT, True),
        ("npm test", ["npm test"], True),
        ("npm test --all", ["npm test"], False),
        ("npm run lint", ["npm run *"], True),
        ("anything at all; really", ["*"], True),
        ("", GIT, False),
    ],
)
def test_a_rule_covers_one_plain_command(command: str, rules: list[str], covered: bool) -> None:
    assert is_covered(command, rules) is covered


def test_edits_outside_the_project_are_objected_to(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "link").symlink_to(tmp_path)
    guard = Guard(["Edit", "Write"], project, person=False)
    assert guard.objection("Edit", {"file_path": str(project / "a.py")}) == ""
    assert guard.objection("Write", {"file_path": "new/b.py"}) == ""
    for path in (tmp_path / "c.py", project / "link" / "d.py", "../e.py", ""):
        assert "outside" in guard.objection("Write", {"file_path": str(path)})
    assert "outside" in guard.objection("NotebookEdit", {"notebook_path": "/f.ipynb"})


@pytest.mark.parametrize(
    ("path", "is_fine"),
    [("docs/a.md", True), ("docs/b/c.md", True), ("src/a.py", False), ("../docs/a.md", False), ("", False)],
)
def test_a_path_rule_is_kept(path: str, is_fine: bool, tmp_path: Path) -> None:
    guard = Guard(["Read(docs/**)", "Bash"], tmp_path, person=False)
    assert (guard.objection("Read", {"file_path": path}) == "") is is_fine
    assert (guard.objection("Read", {"file_path": str(tmp_path / path)}) == "") is is_fine
    assert Guard(["Read(docs/**)", "Read"], tmp_path, person=False).objection("Read", {"file_path": path}) == ""


def test_a_whole_tool_needs_no_rule_and_other_tools_are_not_our_business(tmp_path: Path) -> None:
    assert Guard(["Bash"], tmp_path, person=False).objection("Bash", {"command": "rm -rf . | cat"}) == ""
    assert Guard(["Bash", "Bash(ls)"], tmp_path, person=False).objection("Bash", {"command": "rm x"}) == ""
    assert Guard(["Read"], tmp_path, person=False).objection("Read", {"file_path": "/etc/hostname"}) == ""


def test_what_a_person_has_granted_is_remembered(tmp_path: Path) -> None:
    guard = Guard(["Bash"], tmp_path, person=True)
    remove = {"command": "rm x"}
    assert guard.objection("Bash", remove, "acceptEdits")
    assert guard.objection("Bash", remove, "default") == "", "there the CLI asks by itself"
    assert guard.objection("Bash", {"command": "git status"}, "acceptEdits") == ""
    rules = [PermissionRuleValue("Bash", "rm:*")]
    update = PermissionUpdate(type="addRules", rules=rules, behavior="allow", destination="session")
    guard.remember(PermissionResultAllow(updated_permissions=[update]))
    assert guard.objection("Bash", remove, "acceptEdits") == ""
    assert guard.objection("Bash", {"command": "rm x; mv y z"}, "acceptEdits")


class Changelog(Talker):
    """As narrow as the README's example; the mode is the default."""

    allowed_tools = ("Read", "Edit", "Bash(git log:*)", "Bash(git diff:*)")


SNEAKY = [
    "rm -f victim.txt",
    "mv victim.txt gone.txt",
    "echo x > victim.txt",
    "sed -i s/a/b/ victim.txt",
    "git log --output=o",
]


async def test_without_a_person_only_the_rules_run(serve: ServeModel, tmp_path: Path) -> None:
    victim, outside = Path("victim.txt"), tmp_path / "outside.txt"
    for path in (victim, outside):
        path.write_text("a")
    edit: dict[str, Any] = {"old_string": "a", "new_string": "b"}
    calls = [
        *map(bash, SNEAKY),
        call("Read", file_path=str(outside)),
        call("Edit", file_path=str(outside), **edit),
        call("Read", file_path=str(victim.absolute())),
        call("Edit", file_path=str(victim.absolute()), **edit),
        say("done"),
    ]
    async with serve(calls):
        got, error = await drain(Changelog().query("go"))
    assert error is None
    assert victim.read_text() == "b", "an edit in the project is what it may do"
    assert outside.read_text() == "a"
    assert {path.name for path in Path.cwd().iterdir()} == {"victim.txt"}
    refusals = [
        str(block.content)
        for message in got
        if isinstance(message, UserMessage) and isinstance(message.content, list)
        for block in message.content
        if isinstance(block, ToolResultBlock) and block.is_error
    ]
    assert len(refusals) == len(SNEAKY) + 1


async def test_with_a_person_every_change_by_a_command_is_asked(serve: ServeModel) -> None:
    Path("victim.txt").write_text("a")
    asked: list[str] = []

    async def ask(_tool: str, arguments: dict[str, Any], _context: object) -> PermissionResultAllow:
        asked.append(arguments.get("command", ""))
        return PermissionResultAllow()

    commands = ["rm -f victim.txt", "mkdir d", "echo x > f", "ls"]
    async with serve([*map(bash, commands), say("done")]), Changelog().session(context(), can_use_tool=ask) as session:
        _, error = await drain(session.query("go"))
    assert error is None
    assert asked == commands[:3]
