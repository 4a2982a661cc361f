"""What an engine asks before a call runs: the judge, and the person where the judge says so."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.asking_run import asking_for, connected
from maverick_tui.agent.engine.judging import judge_of, permit, standing_for
from maverick_tui.agent.engines import Permission, ToolQuestion
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.config import MaverickConfig
from maverick_tui.events.kinds import ToolBegan
from tests.support.agents import Worker
from tests.support.sampling import sampled


class Person(SdkListener):
    """Hears what is told, and says no."""

    def __init__(self) -> None:
        super().__init__()
        self.events = asyncio.Queue()
        self.asked: list[ToolQuestion] = []
        self.ask = self._refuse

    async def _refuse(self, question: ToolQuestion) -> Permission:
        self.asked.append(question)
        return Permission(False, "not today")


async def test_what_only_reads_runs_at_once_and_that_is_told() -> None:
    person = Person()
    reads = ToolQuestion("Bash", {"command": "ls"}, "c1")
    assert await permit(judge_of(Worker(), None, person=True), reads, person) == Permission(True)
    assert person.asked == []
    assert person.events is not None
    told = person.events.get_nowait()
    assert isinstance(told, ToolBegan)
    assert told.call == "c1"


async def test_what_the_judge_asks_about_is_the_persons_to_decide() -> None:
    person = Person()
    writes = ToolQuestion("Bash", {"command": "echo x > .git/config"}, "c1")
    assert await permit(judge_of(Worker(), None, person=True), writes, person) == Permission(False, "not today")
    (question,) = person.asked
    assert "can make other programs run" in question.reason
    assert person.events is not None
    assert person.events.empty()


@pytest.mark.parametrize("is_unasked", [True, False])
async def test_what_was_allowed_before_does_not_count_once_nothing_runs_unasked(is_unasked: bool) -> None:
    async def grant(_question: ToolQuestion) -> Permission:
        return Permission(True, is_unasked=is_unasked)

    person, writes = Person(), ToolQuestion("Bash", {"command": "touch a"}, "c1")
    person.ask = grant
    judge = judge_of(Worker(), None, person=True)
    permission = await permit(judge, writes, person, why_not_unasked=lambda: "It is planning.")
    assert permission.is_granted is not is_unasked


async def test_where_nobody_can_be_asked_what_would_ask_is_refused() -> None:
    question = ToolQuestion("Bash", {"command": "rm -r ~/.ssh"}, "c1")
    permission = await permit(judge_of(Worker(), None, person=False), question, SdkListener())
    assert not permission.is_granted
    assert permission.reason


async def test_what_cannot_be_judged_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    class Broken(Judge):
        def judge(self, *_args: Any, **_more: Any) -> Any:
            raise RuntimeError("out of order")

    person = Person()
    permission = await permit(Broken(["Bash"], tmp_path, person=True), ToolQuestion("Bash", {}, "c1"), person)
    assert permission == Permission(False, "It could not be judged whether this may run.")
    assert person.asked == []


async def test_a_granted_call_that_may_write_is_waited_for_and_no_other() -> None:
    begun: list[tuple[str, str, Any]] = []

    class Tracked(Person):
        async def begins(self, call: str, tool: str, arguments: Any) -> None:
            assert self.events is not None
            assert self.events.empty(), "it does not run yet"
            begun.append((call, tool, arguments))

    person, judge = Tracked(), judge_of(Worker(), None, person=True)
    await permit(judge, ToolQuestion("Read", {"file_path": "x"}, "reads"), person)
    await permit(judge, ToolQuestion("Bash", {"command": "ls | head"}, "looks"), person)
    assert person.events is not None
    assert [person.events.get_nowait().call for _ in range(2)] == ["reads", "looks"]  # type: ignore[union-attr]
    writes = ToolQuestion("Bash", {"command": "echo x > y"}, "writes")
    await permit(judge, writes, person)
    assert begun == [], "it was refused, and the others only read"

    async def grant(_question: ToolQuestion) -> Permission:
        return Permission(True, arguments={"command": "echo z > y"})

    person.ask = grant
    await permit(judge, writes, person)
    granted = {"command": "echo z > y"}
    assert begun == [("writes", "Bash", granted)], "as it runs"

    class Broken(Judge):
        def may_write(self, *_arguments: Any) -> bool:
            raise RuntimeError("it knows nothing")

    await permit(Broken(["Bash"], Path.cwd(), person=True), writes, person)
    assert len(begun) == 2, "what cannot be judged may write"


async def test_a_call_that_has_waited_is_judged_once_more(tmp_path: Path) -> None:
    class Slow(Person):
        async def begins(self, _call: str, _tool: str, _arguments: Any) -> None:
            (tmp_path / "d").rmdir()
            (tmp_path / "d").symlink_to(".venv/bin")  # as a checkout of another branch may do

    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    (tmp_path / "d").mkdir()
    person, judge = Slow(), Judge(["Write"], tmp_path, person=True)
    question = ToolQuestion("Write", {"file_path": str(tmp_path / "d" / "x.py"), "content": ""}, "c1")
    permission = await permit(judge, question, person, mode="acceptEdits")
    assert not permission.is_granted
    assert "is part of what is installed" in permission.reason
    assert not person.asked


HOOK, KEYS = "pre-commit can make other programs run", "is where keys and passwords are kept"
TO_HOOK = "notes/a.md", ".git/hooks/pre-commit"
WRITES = {"command": "echo x >> notes/a.md"}
LED_ELSEWHERE: dict[str, tuple[str, str, dict[str, Any], tuple[str, str], str]] = {
    "in mode plan": ("plan", "Bash", WRITES, TO_HOOK, HOOK),
    "from another place": ("", "Bash", {"command": "echo x > .vscode/s"}, (".vscode/s", TO_HOOK[1]), HOOK),
    "beside another place": ("", "Bash", {"command": "touch .vscode/s notes/a.md"}, TO_HOOK, HOOK),
    "beside settings of git": ("", "Bash", {"command": "git config a.b c; cp -r new b"}, ("b", ".husky"), ".husky can"),
    "an edit": ("plan", "Write", {"file_path": "notes/a.md", "content": ""}, TO_HOOK, HOOK),
    "to what a rule asks about": ("", "Bash", WRITES, ("notes/a.md", "ruled.md"), "ask Edit(ruled.md)"),
    "to what a rule denies": ("plan", "Bash", WRITES, ("notes/a.md", "denied.md"), "deny Edit(denied.md)"),
    "only reading": ("", "look", {"file_path": "notes/a.md"}, ("notes/a.md", ".ssh/id_rsa"), KEYS),
}


@pytest.mark.parametrize("is_changed", sampled([True, False], 2, ["changed", "as asked"]))
@pytest.mark.parametrize("case", LED_ELSEWHERE)
async def test_what_a_person_has_allowed_does_not_reach_what_the_question_did_not_name(
    case: str, is_changed: bool, tmp_path: Path
) -> None:
    mode, tool, arguments, (name, target), why = LED_ELSEWHERE[case]
    user_file().parent.mkdir(parents=True)
    user_file().write_text('ask = ["Read(notes/**)", "Edit(ruled.md)"]\ndeny = ["Edit(denied.md)"]\n')
    for folder in ("notes", "new", ".vscode", ".git/hooks", ".husky", ".ssh"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "new" / "x").touch()

    class Tracked(Person):
        async def begins(self, *_call: Any) -> None:
            """Keeps what is there."""

    for leads_elsewhere in (False, True):  # what nothing has changed about runs

        async def allow(_question: ToolQuestion, is_led: bool = leads_elsewhere) -> Permission:
            if is_led:
                (tmp_path / name).unlink(missing_ok=True)
                (tmp_path / name).symlink_to(tmp_path / target)
            changed = {key: f"{value} " if key == "command" else value for key, value in arguments.items()}
            return Permission(True, arguments={**changed, "more": "x"} if is_changed else None)

        standing = standing_for("worker", tmp_path)
        judge = Judge(["Bash", "Write", "look"], tmp_path, person=True, only_reads="look".__eq__, standing=standing)
        for person in (Person(), Tracked()):
            (tmp_path / name).unlink(missing_ok=True)
            person.ask = allow
            permission = await permit(judge, ToolQuestion(tool, arguments, "c1"), person, mode=mode)
            assert permission.is_granted is not leads_elsewhere, permission.reason
            assert not leads_elsewhere or why in permission.reason


async def test_what_a_call_makes_itself_is_nothing_new_about_it(tmp_path: Path) -> None:
    async def allow(_question: ToolQuestion) -> Permission:
        return Permission(True)

    person = Person()
    person.ask = allow
    for command in ("mkdir -p r/objects r/refs; touch r/HEAD r/config", "make; rm -rf .vscode src", "git config a.b c"):
        question = ToolQuestion("Bash", {"command": command}, "c1")
        assert await permit(Judge(["Bash"], tmp_path, person=True), question, person) == Permission(True), command


async def test_a_person_may_change_a_call_so_that_it_reaches_what_asks_each_time(tmp_path: Path) -> None:
    changed = Permission(True, arguments={"command": "echo x > .git/hooks/pre-commit"})

    async def allow(_question: ToolQuestion) -> Permission:
        return changed

    person = Person()
    person.ask = allow
    question = ToolQuestion("Bash", WRITES, "c1")
    assert await permit(Judge(["Bash"], tmp_path, person=True), question, person) == changed


class Attended:
    """A run whose agent's own code is at work."""

    agent, cwd, mode, is_attended, is_open = "lead", Path("run"), "default", True, True
    config = MaverickConfig()

    def answers(self, *_asked: Any) -> None:
        return None

    def apart(self) -> AbstractContextManager[None]:
        return nullcontext()

    def listener(self, *_about: Any) -> Any:
        raise NotImplementedError


async def judge_in_loop(agent: Worker) -> Judge:
    return judge_of(agent, None, person=True)


async def test_what_the_person_denies_about_files_of_the_run_is_denied_to_who_is_asked_elsewhere(
    tmp_path: Path,
) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text('deny = ["Read(.env)"]\n')
    (tmp_path / "src").mkdir()
    run = Attended()
    run.cwd = tmp_path
    with asking_for(run):
        judge = judge_of(Worker(), tmp_path / "src", person=True)
    for path in (tmp_path / ".env", tmp_path / "src" / ".env"):
        assert judge.judge("Read", {"file_path": str(path)}).decision == "deny", path
    assert judge.judge("Read", {"file_path": str(tmp_path / "other")}).decision == "allow"


async def test_what_is_asked_for_a_run_is_judged_in_no_wider_mode_and_by_the_rules_for_who_asks() -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text(
        'allow = ["Bash(make:*)"]\n[agents.lead]\nallow = ["Bash(cc:*)"]\ndeny = ["Bash(touch:*)"]\n'
    )
    run, worker = Attended(), Worker()
    before = judge_of(worker, None, person=False)
    with asking_for(run), connected(run):
        asked, alone = (judge_of(worker, None, person=person) for person in (True, False))
        with ThreadPoolExecutor() as threads:  # which have no context of ours
            ours = threads.submit(judge_of, worker, None, person=True).result()
            authors = threads.submit(asyncio.run, judge_in_loop(worker)).result()
    judges = (before, ours, asked, authors, alone)
    assert [judge.mode_for("acceptEdits") for judge in judges] == [
        "acceptEdits",
        "acceptEdits",
        "default",
        "default",
        "plan",
    ]
    run.mode = "plan"
    assert (asked.mode_for("acceptEdits"), asked.mode_for("plan"), asked.mode_for(None)) == ("plan", "plan", "plan")
    run.mode = "acceptEdits"
    assert asked.mode_for("default") == "default", "nor wider than its own"
    said = [
        judge.judge("Bash", {"command": command}).decision
        for command in ("make", "cc x.c", "touch x")
        for judge in (before, asked)
    ]
    assert said == ["allow", "allow", "allow", "ask", "allow", "deny"]
