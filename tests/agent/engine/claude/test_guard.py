"""What an agent may use is all that runs unasked: the rules, and the real CLI in the mode that approves most."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionUpdate, ToolResultBlock, UserMessage
from claude_agent_sdk.types import PermissionRuleValue

from maverick_tui.agent.engine.claude.guard import Guard
from maverick_tui.agent.engine.claude.rereading import absolute
from maverick_tui.agent.permissions.judge import Judge, Judgement
from tests.conftest import ServeModel
from tests.support.agents import Talker, context, drain
from tests.support.model import bash, call, say


def test_what_a_person_has_granted_stays_with_the_judge(tmp_path: Path) -> None:
    judge = Judge(["Bash"], tmp_path, person=True)
    remove = {"command": "rm x"}
    assert judge.judge("Bash", remove).decision == "ask"
    rules = [PermissionRuleValue("Bash", "rm:*")]
    updates = [
        PermissionUpdate(type="addRules", rules=rules, behavior="allow", destination="session"),
        PermissionUpdate(type="addRules", rules=[PermissionRuleValue("Bash")], behavior="deny"),
        PermissionUpdate(type="setMode", mode="bypassPermissions"),
        PermissionUpdate(type="setMode", mode="plan"),
        PermissionUpdate(type="addDirectories", directories=["/"]),
    ]
    left = Guard(judge).remember(PermissionResultAllow(updated_permissions=updates))
    assert isinstance(left, PermissionResultAllow)
    assert left.updated_permissions == [updates[3]], "the CLI would read rules in a way of its own"
    assert judge.judge("Bash", remove).decision == "allow"
    assert judge.judge("Bash", {"command": "rm x; mv y z"}).decision == "ask"
    planned = judge.judge("Bash", remove, mode="plan")
    assert (planned.decision, planned.is_asked_each_time) == ("ask", True), "in which only reading runs unasked"


async def test_what_cannot_be_judged_does_not_run(tmp_path: Path) -> None:
    class Broken(Judge):
        def judge(self, *_args: Any, **_more: Any) -> Any:
            raise RuntimeError("out of order")

    guard = Guard(Broken(["Bash"], tmp_path, person=True))
    (matcher,) = guard.hooks["PreToolUse"]
    call: Any = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    answer: Any = await matcher.hooks[0](call, None, cast(Any, None))
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("mode", ["plan", "default", "dontAsk"])
@pytest.mark.parametrize("when", ["on its way", "held", "judged", "begun", "told", "untold", "passed by", "not at all"])
async def test_what_waits_while_a_person_chooses_a_narrower_mode_does_not_run_by_the_one_before(
    when: str, mode: str, tmp_path: Path
) -> None:
    def choose(now: str) -> None:
        if now == when:
            guard.set_mode(mode)
        elif when == "passed by":
            guard.set_mode(mode)
            guard.set_mode("acceptEdits")

    class Slow(Judge):
        def judge(self, *arguments: Any, **more: Any) -> Judgement:
            choose("judged")
            return super().judge(*arguments, **more)

    async def hold(_call: str) -> str:
        choose("held")
        return ""

    async def begins(*_call: Any) -> None:
        choose("begun")

    guard = Guard(Slow(["Write"], tmp_path, person=True), hold=hold, begins=begins)
    before = guard.set_mode("acceptEdits")
    choose("on its way")
    choose("told")
    choose("untold")
    if when == "told":  # then the CLI knows best: a plan may have been agreed to since
        guard.mode_was_told(mode, before + 1, is_taken=True)
    elif when == "untold":  # it knows the choice before
        guard.mode_was_told("acceptEdits", before, is_taken=True)
    (matcher,) = guard.hooks["PreToolUse"]
    given = {"file_path": str(tmp_path / "a"), "content": "x"}
    call: Any = {"tool_name": "Write", "tool_input": given, "permission_mode": "acceptEdits", "cwd": str(tmp_path)}
    answer: Any = await matcher.hooks[0](call, "call", cast(Any, None))
    decision = answer["hookSpecificOutput"]["permissionDecision"]
    assert (decision == "allow") is (when in ("told", "passed by", "not at all"))


@pytest.mark.parametrize("mode", ["plan", "dontAsk", "acceptEdits"])
@pytest.mark.parametrize("is_unasked", [True, False])
async def test_what_was_allowed_before_does_not_count_in_a_narrower_mode_that_is_chosen_while_the_call_waits(
    is_unasked: bool, mode: str, tmp_path: Path
) -> None:
    async def begins(*_call: Any) -> None:
        guard.set_mode(mode)

    guard = Guard(Judge(["Bash"], tmp_path, person=True), begins=begins)
    (matcher,) = guard.hooks["PreToolUse"]
    asked = {"command": "touch a"}
    call: Any = {"tool_name": "Bash", "tool_input": asked, "permission_mode": "default", "cwd": str(tmp_path)}
    answer: Any = await matcher.hooks[0](call, "c1", cast(Any, None))
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    if is_unasked:
        guard.granted_before("c1")
    assert bool(await guard.begin("c1", "Bash", asked)) is (is_unasked and mode != "acceptEdits")


async def test_what_a_hook_calls_is_judged_by_the_mode_that_the_agent_has_changed_to(tmp_path: Path) -> None:
    guard = Guard(Judge(["Bash", "EnterPlanMode"], tmp_path, person=False), mode="default")
    before, after = (guard.hooks[event][0].hooks[0] for event in ("PreToolUse", "PostToolUse"))
    told: dict[str, Any] = {"tool_input": {}, "cwd": str(tmp_path)}
    asked = {"tool_name": "Bash", "tool_input": {"command": "touch a"}, "agent_id": "hook-agent-1"}
    decisions = []
    for mode in ("default", "plan"):
        changed: Any = {**told, "tool_name": "EnterPlanMode", "permission_mode": mode}
        await after(changed, "c1", cast(Any, None))
        by_hook: Any = {**told, **asked, "permission_mode": "dontAsk"}
        answer: Any = await before(by_hook, "c2", cast(Any, None))
        decisions.append(answer["hookSpecificOutput"]["permissionDecision"])
    assert decisions == ["allow", "deny"]


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


@pytest.mark.explore  # in `tests/attacks`, too
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


@pytest.mark.explore
async def test_with_a_person_every_change_by_a_command_is_asked(serve: ServeModel) -> None:
    Path("victim.txt").write_text("a")
    asked: list[str] = []

    async def ask(_tool: str, arguments: dict[str, Any], _context: object) -> PermissionResultAllow:
        asked.append(arguments.get("command", ""))
        return PermissionResultAllow()

    commands = ["rm -f victim.txt", "mkdir d", "echo x > f", "ls", "git log"]
    async with serve([*map(bash, commands), say("done")]), Changelog().session(context(), can_use_tool=ask) as session:
        _, error = await drain(session.query("go"))
    assert error is None
    assert asked == commands[:4], "what only reads, and is among what it may use, is not asked about"


async def test_a_call_is_judged_once_more_when_it_has_waited(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    folder = tmp_path / "d"
    folder.mkdir()

    async def begins(_call: str, _tool: str, _arguments: Any) -> None:
        """Somebody else is at work meanwhile, as a checkout of another branch is."""
        folder.rmdir()
        folder.symlink_to(".venv/bin")

    for tools, mode in ((["Write"], "acceptEdits"), (["Write"], "default")):
        judge = Judge(tools, tmp_path, person=True)
        guard = Guard(judge, begins=begins)
        (matcher,) = guard.hooks["PreToolUse"]
        arguments = {"file_path": str(folder / "x.py"), "content": ""}
        call: Any = {"tool_name": "Write", "tool_input": arguments, "permission_mode": mode, "cwd": str(tmp_path)}
        answer: Any = await matcher.hooks[0](call, "c1", cast(Any, None))
        decision = answer["hookSpecificOutput"]["permissionDecision"]
        if mode == "default":  # the person is asked, and says yes
            assert decision == "ask"
            assert "is part of what is installed" in await guard.begin("c1", "Write", arguments)
        else:
            assert decision == "deny"
            assert "look again" in answer["hookSpecificOutput"]["permissionDecisionReason"]
        folder.unlink()
        folder.mkdir()


@pytest.mark.parametrize("mode", ["plan", "default"])
@pytest.mark.parametrize("granted", ["echo x >> notes/a.md", "echo xyz >> ./notes/a.md"], ids=["as asked", "changed"])
async def test_what_a_person_has_allowed_does_not_reach_what_the_question_did_not_name(
    granted: str, mode: str, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    guard = Guard(Judge(["Bash"], tmp_path, person=True))
    (matcher,) = guard.hooks["PreToolUse"]
    asked = {"command": "echo x >> notes/a.md"}
    call: Any = {"tool_name": "Bash", "tool_input": asked, "permission_mode": mode, "cwd": str(tmp_path)}
    for leads_elsewhere in (False, True):
        answer: Any = await matcher.hooks[0](call, "c1", cast(Any, None))
        assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
        if leads_elsewhere:
            (tmp_path / "notes" / "a.md").symlink_to("../.git/hooks/pre-commit")
        why = await guard.begin("c1", "Bash", {"command": granted})
        assert ("pre-commit can make other programs run something" in why) is leads_elsewhere
        assert bool(why) is leads_elsewhere


def test_a_path_with_half_a_surrogate_pair_in_it_is_one_like_any_other() -> None:
    assert absolute("~\ud800/x", "/here") == "/here/~\ufffd/x"
