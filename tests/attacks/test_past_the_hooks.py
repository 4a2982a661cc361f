"""What the CLI would run by itself, or without asking a hook, and so past our judge: it does not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from claude_agent_sdk import HookMatcher, ResultMessage

from maverick_tui import MaverickConfig
from maverick_tui.agent import tools
from maverick_tui.agent.engine.claude import options
from maverick_tui.agent.engine.claude.engine import ENGINE
from maverick_tui.agent.engine.claude.guard import Guard
from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.agent.permissions import always_asked
from maverick_tui.agent.streaming import UnaskedError
from maverick_tui.events.kinds import ModelNamed, PermissionAsked, ToolFinished, TurnEnded
from maverick_tui.offline.script import Answer, PauseStep, TextStep, ToolStep
from maverick_tui.runs.commands import AnswerPermission, Interrupt, SetMode
from tests.agent.permissions.deciding import write
from tests.conftest import ServeModel
from tests.runs.test_jobs import OVERDUE, schedule
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene
from tests.support.sampling import sampled


class Skilled(Talker):
    name = "skilled"
    allowed_tools = ["Read", "Skill", "Agent", "Bash(ls:*)"]


class Remover(Talker):
    name = "remover"
    allowed_tools = ["Bash"]


class Busy(Talker):
    name = "busy"
    allowed_tools = ["Read", "Bash", "Agent", "ExitPlanMode"]


def skill(name: str, line: str) -> None:
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: Looks.\nallowed-tools: Bash\n---\nLook: !`{line}`\n"
    )


def trapped(folder: Path) -> Path:
    """A repository of which git runs a program as soon as it looks; the file that this program leaves."""
    left, trap = folder / "ran", folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {left}\n")
    trap.chmod(0o755)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (
        ("init", "-q"),
        (*author, "commit", "-q", "--allow-empty", "-m", "one"),
        ("update-ref", "refs/remotes/origin/HEAD", "HEAD"),
        ("config", "core.fsmonitor", str(trap)),
        ("config", "diff.external", str(trap)),
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    left.unlink(missing_ok=True)
    return left


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_skill_runs_commands_by_itself(
    is_open: bool, serve: ServeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(options, "NO_BUNDLED_SKILLS", {})
        monkeypatch.setattr(options, "FIXED_SETTINGS", {})
    left = trapped(Path.cwd())
    mine = tmp_path / "mine"
    scenes = [
        scene(call("Skill", skill="security-review"), say("Done."), prompt="one"),
        scene(call("Skill", skill="mine"), say("Done."), prompt="two"),
        scene(say("Done.")),  # to the text of a skill
    ]
    async with serve(scenes):
        skill("mine", f"touch {mine}")
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user",)})
        async with watch(Skilled, config=config) as run:
            run.allows_everything = True
            for prompt in ("one", "two"):
                await run.ask(prompt)
    assert len([event for event in run.events if isinstance(event, ToolFinished)]) >= 2, "each was called"
    assert left.exists() == is_open
    assert mine.exists() == is_open


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_file_is_read_by_its_name_in_what_a_skill_or_a_subagent_is_told(
    is_open: bool, serve: ServeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(always_asked, "EXPANDING", ())
        monkeypatch.setattr(tools, "_OTHER_ARGUMENTS", tools._OTHER_ARGUMENTS | {"args"})
    (home / ".netrc").write_text("machine a login b password NOBODYS-BUSINESS\n")
    looked = f"Look at @{home}/.netrc and @~/.netrc"
    scenes = [
        scene(call("Skill", skill="mine", args=looked), say("Done."), prompt="one"),
        scene(
            call("Agent", description="Look", subagent_type="general-purpose", prompt=looked, run_in_background=False),
            say("Done."),
            prompt="two",
        ),
        scene(
            *(call("Skill", skill="named", args=file) for file in (f"{home}/.netrc", "~/.netrc")),
            say("Done."),
            prompt="three",
        ),
        scene(
            *(call("Skill", skill="named", args=file) for file in ("one#L1", "two\u2026", "its 'three'#L1-9")),
            say("Done."),
            prompt="four",
        ),
        scene(say("Done.")),
    ]
    for name in ("one", "two", "three"):
        Path(name).symlink_to(home / ".netrc")
    async with serve(scenes) as model:
        skill("mine", "ls")
        named = Path(os.environ["CLAUDE_CONFIG_DIR"], "skills", "named", "SKILL.md")
        write("---\nname: named\ndescription: Reviews a file.\n---\nReview @$ARGUMENTS, and @$1.\n", named)
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user",)})
        async with watch(Skilled, config=config, is_attended=False) as run:
            for prompt in ("one", "two", "three", "four"):
                await run.ask(prompt)
    assert len([event for event in run.events if isinstance(event, ToolFinished)]) >= 3, "each was called"
    assert ("NOBODYS-BUSINESS" in str(model.requests)) == is_open


async def test_a_job_runs_no_skill_that_is_denied(serve: ServeModel) -> None:
    class Timer(Talker):
        allowed_tools = ["Skill", "CronCreate"]

    def yearly(prompt: str) -> Answer:
        return call("CronCreate", cron="0 3 1 1 *", prompt=prompt)

    write('allow = ["Skill", "CronCreate"]\ndeny = ["Skill(mine)"]')
    schedule(OVERDUE | {"prompt": "/yours"}, OVERDUE | {"id": "aaaaaaa2", "prompt": "/mine"})  # the person wants these
    scenes = [scene(yearly("/mine later"), yearly("/yours later"), say("Done."), prompt="one"), scene(say("Looked."))]
    async with serve(scenes) as model:
        for name in ("mine", "yours"):  # without tools of its own, for which the CLI would have it called
            folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "skills", name)
            write(f"---\nname: {name}\ndescription: Looks.\n---\nLook.\n", folder / "SKILL.md")
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user", "project")})
        async with watch(Timer, config=config) as run:
            await run.until(TurnEnded, 2)
            assert (await run.ask("one")).outcome == "done"
            mine, yours = run.all(ToolFinished)
        sent = str(model.requests)
    assert "/skills/yours" in sent, "it could run one"
    assert "/skills/mine" not in sent
    assert mine.is_error
    assert "Its prompt runs the skill mine. There is a rule against it: " in mine.output
    assert not yours.is_error


@pytest.mark.parametrize("rule", sampled(["deploy", "release-it"], 2))
async def test_a_skill_is_denied_by_either_of_its_names(rule: str, serve: ServeModel) -> None:
    write(f'deny = ["Skill({rule})"]')
    scenes = [
        scene(*(call("Skill", skill=name) for name in ("deploy", "release-it", "look")), say("Done."), prompt="one"),
        scene(say("Done.")),
    ]
    async with serve(scenes) as model:
        for folder, name in (("deploy", "release-it"), ("fine", "look")):
            file = Path(os.environ["CLAUDE_CONFIG_DIR"], "skills", folder, "SKILL.md")
            write(f"---\nname: {name}\ndescription: Does it.\n---\nThe text of {folder}.\n", file)
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user",)})
        async with watch(Skilled, config=config, is_attended=False) as run:
            await run.ask("one")
            assert [event.is_error for event in run.all(ToolFinished)] == [True, True, False]
        sent = str(model.requests)
    assert "The text of fine" in sent, "the CLI knows it by the name in its text"
    assert "The text of deploy" not in sent


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_the_cli_brings_no_skills_and_no_tools_with_them(
    is_open: bool, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(options, "FIXED_SETTINGS", {})
    scenes = [scene(call("Skill", skill="plugin-authoring"), say("Done."), prompt="one"), scene(say("Done."))]
    async with serve(scenes) as model, watch(Skilled) as run:
        run.allows_everything = True
        await run.ask("one")
        await run.ask("two")
    assert ("The following skills are available" in str(model.requests)) == is_open
    assert any(tool["name"].startswith("mcp__") for one in model.requests for tool in one["tools"]) == is_open
    assert ("Unknown skill" in run.all(ToolFinished)[0].output) == (not is_open)


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_variable_of_the_persons_takes_the_hooks_away(
    is_open: bool, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        without_hooks(monkeypatch)
        monkeypatch.setattr(CliTransport, "is_live", False)  # nobody watches it either
    victim = Path("victim.txt")
    victim.touch()
    async with serve([scene(bash("rm victim.txt"), say("Done."), prompt="go")]):
        monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
        async with watch(Remover) as run:
            run.run.send(SetMode("acceptEdits"))
            run.prompt("go")
            await run.until(TurnEnded if is_open else PermissionAsked)
            assert victim.exists() != is_open


def without_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the environment switch off the CLI's hooks."""
    monkeypatch.setattr(options, "WITH_HOOKS", {})
    monkeypatch.setattr(options, "FIXED_SETTINGS", {})
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")


def removing(name: str, pause: float = 300) -> Answer:
    """The model takes its time to write that a file be removed, which the CLI allows by itself where edits are."""
    steps = (TextStep(text="Now."), PauseStep(pause=pause), ToolStep(tool="Bash", input={"command": f"rm {name}"}))
    return Answer(steps=steps)


async def test_a_cli_that_asks_no_hook_is_ended_before_its_first_call(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_hooks(monkeypatch)
    victim = Path("victim.txt")
    victim.touch()
    async with serve([removing(victim.name), say("Done.")]):
        async with watch(Remover) as run:
            run.run.send(SetMode("acceptEdits"))
            ended = await run.ask("go")
        assert ended.failure is not None
        assert "does not ask Maverick's hooks" in ended.failure.message
        assert ended.failure.error == UnaskedError.__name__
    assert victim.exists()


async def test_a_call_that_nobody_was_asked_about_is_the_last_one(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def about_reading_only(guard: Guard) -> dict[str, list[HookMatcher]]:
        return {"PreToolUse": [HookMatcher(matcher="Read", hooks=[cast(Any, guard._before)])]}

    monkeypatch.setattr(Guard, "hooks", property(about_reading_only))
    victims = [Path("one.txt"), Path("two.txt")]
    for victim in victims:
        victim.touch()
    async with serve([removing("one.txt", 0), removing("two.txt"), say("Done.")]), watch(Remover) as run:
        run.run.send(SetMode("acceptEdits"))
        ended = await run.ask("go")
    assert ended.failure is not None
    assert ended.failure.message == "A tool ran that Maverick was not asked about: Bash; the run was ended."
    assert [victim.exists() for victim in victims] == [False, True]


async def test_a_judge_that_breaks_lets_nothing_through(serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_given: Any) -> Any:
        raise RuntimeError("It breaks.")

    monkeypatch.setattr(Guard, "_before", broken)
    victim = Path("victim.txt")
    victim.touch()
    async with serve([bash("rm victim.txt"), say("Done.")]), watch(Remover) as run:
        ended = await run.ask("go")
    assert ended.outcome == "done"
    assert [event.is_error for event in run.all(ToolFinished)] == [True]
    assert victim.exists()


def at_once(*calls: tuple[str, dict[str, Any]]) -> Answer:
    return Answer(steps=tuple(ToolStep(tool=tool, input=arguments) for tool, arguments in calls))


@pytest.mark.explore  # runs go on after each of these in `runs/test_local*.py`
async def test_a_run_goes_on_whatever_becomes_of_its_calls(serve: ServeModel) -> None:
    """None of these is taken for a call that ran unasked: refused, denied, cut short, a subagent's, before a resume."""
    read = ("Read", {"file_path": str(Path("a.txt").absolute())})
    command = ("Bash", {"command": "touch b.txt"})
    sub = {"description": "look", "prompt": "below", "subagent_type": "general-purpose"}
    scenes = [
        scene(
            at_once(read, read, ("Nonsense", {}), ("Read", {"no": 1}), ("ExitPlanMode", {}), command), prompt="first"
        ),
        scene(at_once(("Agent", sub)), say("Waiting."), prompt="second"),
        scene(at_once(read, ("Nonsense", {}), ("Bash", {"command": "exit 3"})), say("Seen."), prompt="below"),
        scene(at_once(command, command, read), prompt="third"),
        scene(at_once(read, ("Bash", {"command": "exit 3"})), say("Back."), prompt="fourth"),
        scene(say("Done.")),
    ]
    Path("a.txt").write_text("hello")
    async with serve(scenes):
        async with watch(Busy) as run:
            run.prompt("first")
            run.send(AnswerPermission((await run.until(PermissionAsked)).request, "deny"))
            await run.until(TurnEnded)
            run.allows_everything = True
            await run.ask("second")
            await run.until(ToolFinished, where=lambda event: "Exit code 3" in event.output)
            run.allows_everything, asked = False, len(run.all(PermissionAsked))
            run.prompt("third")
            await run.until(PermissionAsked, asked + 1)
            run.send(Interrupt())
            await run.until(TurnEnded, where=lambda event: event.outcome == "interrupted")
        assert not [event for event in run.all(TurnEnded) if event.failure]
        assert len([event for event in run.all(ToolFinished) if not event.is_error]) >= 4
        conversation = run.all(ModelNamed)[-1].session_id
        async with ENGINE.sdk_session(Busy(), MaverickConfig.load(), Path.cwd(), resume=conversation) as session:
            told = [message async for message in session.query("fourth")]
    assert isinstance(told[-1], ResultMessage)
    assert told[-1].result == "Back."


@pytest.mark.parametrize("at", sampled(["a prompt", "a call"], 2))
async def test_a_hook_that_fails_has_the_cli_stop(at: str, serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_rereading: Rereading, given: Any, *_more: Any) -> dict[str, Any]:
        if at == "a prompt" or given.get("tool_name"):
            raise RuntimeError("out of order")
        return {}

    monkeypatch.setattr(Rereading, "before_request", fail)
    async with serve([scene(bash("ls"), say("Done."))]) as model, watch(Busy) as run:
        await run.ask("go")
    assert len(model.requests) == (0 if at == "a prompt" else 1)
