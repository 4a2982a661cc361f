"""What the CLI reads again by itself, with a request or for a summary: nothing that may not be read now."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import Standing, StandingRule, user_file
from maverick_tui.events.kinds import Noticed, PermissionAsked, RequestStarted, ToolFinished, TurnEnded
from maverick_tui.offline.app import MessagesApp
from maverick_tui.offline.script import Answer, PauseStep, ScriptedUsage, TextStep, ToolStep
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.runs.forking import fork_of
from tests.conftest import ServeModel
from tests.runs.watching import PATIENCE, Watched, watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene
from tests.support.processes import marked
from tests.support.sampling import sampled
from tests.test_real_paths import lead

KEY = "KEYMARK9931"
USED = ScriptedUsage(input=10, output=5)
ODD = "a (b) [c] {d} *!?.txt"
"""A name with signs of patterns and rules in it."""
IS_OPEN = pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])
"""The second shows that the key would be sent."""


class Reader(Talker):
    name = "reader"
    allowed_tools = ["Read", "Write", "Bash", "Agent"]


@pytest.fixture
def key(home: Path) -> Path:
    (home / ".ssh").mkdir()
    return home / ".ssh" / "id_rsa"


@pytest.fixture
def files() -> dict[str, Path]:
    """Files of a project that say nothing of weight, and rules against reading some of them."""
    found = {name: Path(name).absolute() for name in ("linked.txt", "printed.txt", "denied.txt", "free.txt")}
    found["odd"] = Path("odd", ODD).absolute()
    found["odd"].parent.mkdir()
    for path in found.values():
        path.write_text("nothing of weight\n")
    return found


def forbid(*rules: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f"deny = {json.dumps(rules)}\n")


def lead_to(key: Path, *paths: Path) -> None:
    """As a checkout of the person's own may do it, to a key that was renewed since."""
    for path in paths:
        path.unlink()
        path.symlink_to(key)
    key.write_text(f"{KEY} of ssh\n")


async def sum_up(run: Watched, turns: int) -> None:
    run.send(SendPrompt("sum up", "/compact", is_command=True))
    await run.until(TurnEnded, turns)
    assert "compact_boundary" in [event.kind for event in run.all(Noticed)]


def sent_to(model: MessagesApp) -> str:
    return json.dumps([str(request) for request in model.requests])


@IS_OPEN
@pytest.mark.parametrize("is_gone_on_with", sampled([True, False], 2))
async def test_no_key_and_no_denied_file_is_read_again_for_a_summary(
    is_open: bool,
    is_gone_on_with: bool,
    serve: ServeModel,
    key: Path,
    files: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    mark: str,
) -> None:
    if is_open:
        monkeypatch.setattr(Rereading, "_is_denied", lambda *_given: False)
    reads = [call("Read", file_path=str(files[name])) for name in ("linked.txt", "denied.txt", "free.txt", "odd")]
    scenes = [
        scene(*reads, bash("cat printed.txt"), say("Seen."), prompt="one"),
        scene(say("Two."), prompt="two"),
        scene(say("<summary>It was about files.</summary>")),
    ]
    config = MaverickConfig.load(**({"idle_after": 0.3} if is_gone_on_with else {}))
    async with serve(scenes) as model, watch(Reader, config=config) as run:
        await run.ask("one")
        async with asyncio.timeout(PATIENCE):
            while is_gone_on_with and marked(mark):  # the CLI, which ends without use
                await asyncio.sleep(0.05)
        files["denied.txt"].write_text(f"{KEY} of a rule")
        files["odd"].write_text(f"{KEY} of a rule")
        files["free.txt"].write_text("FREEMARK")
        forbid("Read(denied.txt)", "Read(odd/**)")
        lead_to(key, files["linked.txt"], files["printed.txt"])
        await sum_up(run, 2)
        await run.ask("two")
    assert not run.all(PermissionAsked)
    sent = sent_to(model)
    assert "FREEMARK" in sent, "the CLI does read files again"
    assert (KEY in sent) is is_open


@pytest.mark.parametrize("folder", sampled(["elsewhere", "."], 2))
async def test_nor_in_a_fork_wherever_that_works(
    folder: str, serve: ServeModel, key: Path, files: dict[str, Path]
) -> None:
    """The worktree with the files of a turn is another folder, where the CLI keeps another conversation."""
    (there := Path(folder).absolute()).mkdir(exist_ok=True)
    read, print_it = call("Read", file_path=str(files["linked.txt"])), bash(f"cat {files['printed.txt']}")
    scenes = [
        scene(read, print_it, call("Read", file_path=str(files["free.txt"])), say("Seen."), prompt="one"),
        scene(say("Two."), prompt="two"),
        scene(say("<summary>It was about files.</summary>")),
    ]
    async with serve(scenes) as model:
        async with watch(Reader) as run:
            await run.ask("one")
        files["free.txt"].write_text("FREEMARK")
        lead_to(key, files["linked.txt"], files["printed.txt"])
        past = fork_of(run.events, None, "f1", at=time.time()).past
        async with watch(Reader, past=past, cwd=there) as fork:
            await sum_up(fork, 2)
            await fork.ask("two")
    sent = sent_to(model)
    assert "FREEMARK" in sent, "the CLI does read files again"
    assert KEY not in sent


@IS_OPEN
async def test_no_request_tells_what_has_changed_in_a_key_or_in_a_denied_file(
    is_open: bool, serve: ServeModel, key: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(Rereading, "_is_denied", lambda *_given: False)
    forbid("Read(secret.txt)", "Read(odd/**)")
    secret = Path("secret.txt").absolute()
    new = [secret, files["odd"].with_name(f"new {ODD}")]
    writes = [call("Write", file_path=str(path), content="TOKEN=\n") for path in new]
    prints = [bash("cat linked.txt"), bash("cat free.txt")]
    scenes = [scene(*writes, *prints, say("Fill it in."), prompt="one"), scene(say("Two."), prompt="two")]
    async with serve(scenes) as model, watch(Reader) as run:
        await run.ask("one")
        for path in new:
            assert path.read_text() == "TOKEN=\n", "what may not be read may be written"
            path.write_text(f"TOKEN={KEY}\n")
        files["free.txt"].write_text("FREEMARK\n")
        lead_to(key, files["linked.txt"])
        await run.ask("two")
    assert not run.all(PermissionAsked)
    assert not any(event.is_error for event in run.all(ToolFinished))
    sent = sent_to(model)
    assert "FREEMARK" in sent, "the CLI does look for changes"
    assert (KEY in sent) is is_open


@pytest.mark.explore
@IS_OPEN
@pytest.mark.parametrize("by", sampled(["a link", "a rule"], 2))
async def test_nor_for_a_summary_while_a_subagent_makes_calls(
    by: str, is_open: bool, serve: ServeModel, key: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(Rereading, "_is_denied", lambda *_given: False)
    below = Answer(steps=(PauseStep(pause=0.3), ToolStep(tool="Bash", input={"command": "ls"})), usage=USED)
    helper = call("Agent", description="a", prompt="go below", subagent_type="general-purpose", run_in_background=True)
    reads = call("Read", file_path=str(files["linked.txt"]))
    scenes = [
        scene(reads, helper, say("Seen."), prompt="^one"),
        scene(*[below] * 20, say("Done."), prompt="go below"),
        scene(say("Two."), prompt="^two"),
        scene(Answer(steps=(PauseStep(pause=2), TextStep(text="<summary>Of files.</summary>")), usage=USED)),
    ]
    async with serve(scenes) as model, watch(Reader) as run:
        await run.ask("one")
        if by == "a rule":
            files["linked.txt"].write_text(f"{KEY} of a rule")
            forbid("Read(linked.txt)")
        else:
            lead_to(key, files["linked.txt"])
        await sum_up(run, 2)
        await run.ask("two")
    assert (KEY in sent_to(model)) is is_open


@IS_OPEN
async def test_nor_with_a_request_that_follows_on_a_call_that_the_cli_refuses_by_itself(
    is_open: bool, serve: ServeModel, key: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(Rereading, "_is_denied", lambda *_given: False)
    unknown = Answer(steps=(TextStep(text="Hm."), PauseStep(pause=3), ToolStep(tool="Nonsense", input={})), usage=USED)
    scenes = [scene(bash("cat linked.txt"), unknown, say("Done."), prompt="one")]
    async with serve(scenes) as model, watch(Reader) as run:
        run.prompt("one")
        await run.until(RequestStarted, 2)  # the hook of the call is over, and the next request has none
        lead_to(key, files["linked.txt"])
        await run.until(TurnEnded)
    assert not run.all(PermissionAsked)
    assert (KEY in sent_to(model)) is is_open


@pytest.mark.parametrize("is_gone_on_with", sampled([True, False], 2))
@pytest.mark.parametrize("odd", sampled(["/proc/1/root/x", "many/l999"], 2))
async def test_a_path_that_cannot_be_followed_keeps_no_other_file_from_being_judged(
    odd: str, is_gone_on_with: bool, serve: ServeModel, key: Path, files: dict[str, Path], mark: str
) -> None:
    secret = Path("secret.txt").absolute()
    scenes = [
        scene(
            call("Read", file_path=str(Path(odd).absolute())),
            call("Write", file_path=str(secret), content="TOKEN=\n"),
            bash("cat printed.txt"),
            bash("cat linked.txt"),
            bash("cat free.txt"),
            say("Seen."),
            prompt="one",
        ),
        scene(say("Two."), prompt="two"),
    ]
    config = MaverickConfig.load(**({"idle_after": 0.3} if is_gone_on_with else {}))
    async with serve(scenes) as model, watch(Reader, config=config) as run:
        run.denies_everything = True
        await run.ask("one")
        async with asyncio.timeout(PATIENCE):
            while is_gone_on_with and marked(mark):  # the CLI, which ends without use
                await asyncio.sleep(0.05)
        secret.write_text(f"TOKEN={KEY}\n")
        files["free.txt"].write_text("FREEMARK\n")
        forbid("Read(secret.txt)")
        lead(Path("many"), "end", 1_000)
        files["printed.txt"].unlink()
        files["printed.txt"].symlink_to(Path(odd).absolute())  # one that it knows has come to lead there
        lead_to(key, files["linked.txt"])
        await run.ask("two")
    sent = sent_to(model)
    assert is_gone_on_with or "FREEMARK" in sent, "the CLI does look for changes"
    assert KEY not in sent


@pytest.mark.parametrize("after", sampled(["a call", "a prompt", "a call that fails"], 3))
async def test_nothing_is_read_again_as_long_as_nothing_can_be_judged(
    after: str, serve: ServeModel, key: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    denied_of = Rereading._denied_of

    def fail(rereading: Rereading, paths: Any) -> frozenset[str]:
        if files["linked.txt"].is_symlink():
            raise RuntimeError("out of order")
        return denied_of(rereading, paths)

    monkeypatch.setattr(Rereading, "_denied_of", fail)
    line = f"rm linked.txt; ln -s {key} linked.txt; echo {KEY} of ssh > {key}"
    last = () if after == "a prompt" else (bash(f"{line}; {'false' if after == 'a call that fails' else 'true'}"),)
    scenes = [
        scene(bash("cat linked.txt"), bash("cat free.txt"), say("Seen."), prompt="one"),
        scene(*last, say("Two."), prompt="two"),
    ]
    async with serve(scenes) as model, watch(Reader) as run:
        run.allows_everything = True
        await run.ask("one")
        if after == "a prompt":
            lead_to(key, files["linked.txt"])
        await run.ask("two")
    assert run.text().endswith("Two."), "it goes on without that"
    assert KEY not in sent_to(model).replace(line, "")


async def test_what_could_not_be_read_of_an_earlier_conversation_is_read_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    rule = StandingRule("deny", "Read(a.txt)", tmp_path / "rules.toml")
    judge = Judge(["Write"], tmp_path, person=True, standing=lambda: Standing((rule,)))
    block = {"type": "tool_use", "name": "Write", "input": {"file_path": str(tmp_path / "a.txt")}}
    conversation = tmp_path / "s1.jsonl"
    conversation.write_text(json.dumps({"message": {"content": [block]}, "cwd": str(tmp_path)}))
    rereading = Rereading(judge, write, resumed="s1")
    given = {"transcript_path": str(conversation)}
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", lambda _path: (_ for _ in ()).throw(PermissionError()))
        await rereading.before_request(given, None, None)
    assert json.loads(told[-1])["request"]["settings"]["permissions"]["deny"] == ["Read(//**)"]
    await rereading.before_request(given, None, None)
    assert "a.txt" in told[-1]
    assert "**" not in told[-1]


async def test_a_command_that_cannot_be_understood_hides_no_file(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.agent.engine.claude.rereading.mentions", lambda _command: 1 // 0)
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    file, rereading = tmp_path / "a.txt", Rereading(Judge(["Read"], tmp_path, person=True), write)
    file.write_text("plain")
    await rereading.note("Bash", {"command": "cat a.txt"}, str(tmp_path))
    lead_to(key, file)
    await rereading.before_request({}, None, None)
    assert "a.txt" in told[-1]


async def test_what_is_denied_for_a_summary_stays_denied_until_that_agent_goes_on(tmp_path: Path) -> None:
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    rule = StandingRule("deny", "Read(a.txt)", tmp_path / "rules.toml")
    judge = Judge(["Read"], tmp_path, person=True, standing=lambda: Standing((rule,)))
    rereading = Rereading(judge, write)
    await rereading.note("Read", {"file_path": str(tmp_path / "a.txt")}, None)
    for of_summary, of_other in (({}, {"agent_id": "a1"}), ({"agent_id": "a1"}, {})):
        await rereading.before_summary(of_summary, None, None)
        await rereading.before_request(of_other, None, None)
        assert "a.txt" in told[-1]
        await rereading.before_request(of_summary, None, None)
        assert "a.txt" not in told[-1], "its tools ask as ever"


async def test_every_file_of_a_command_is_known_however_many_words_there_are(tmp_path: Path, key: Path) -> None:
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    key.write_text(KEY)
    for number, words in enumerate((400, 60_000)):
        file = tmp_path / f"zz{number}.txt"
        file.write_text("plain")
        rereading = Rereading(Judge(["Read"], tmp_path, person=True), write)
        command = f"echo {' '.join(f'w{word}' for word in range(words))} && cat {file.name}"
        await rereading.note("Bash", {"command": command}, str(tmp_path))
        lead_to(key, file)
        await rereading.before_request({}, None, None)
        assert file.name in told[-1]


async def test_a_file_that_was_only_read_is_closed_once_it_leads_to_a_key(tmp_path: Path, key: Path) -> None:
    told = list[str]()

    async def write(line: str) -> None:
        told.append(line)

    file, rereading = tmp_path / "a.txt", Rereading(Judge(["Read"], tmp_path, person=True), write)
    file.write_text("plain")
    await rereading.note("Read", {"file_path": str(file)}, None)
    await rereading.before_request({}, None, None)
    assert told == []
    lead_to(key, file)
    await rereading.before_request({}, None, None)
    assert "a.txt" in told[-1], "or edits of it would tell whether a guess at its text is right"


async def test_without_a_way_to_tell_the_cli_there_is_no_summary(tmp_path: Path) -> None:
    rule = StandingRule("deny", "Read(a.txt)", tmp_path / "rules.toml")
    rereading = Rereading(Judge(["Read"], tmp_path, person=True, standing=lambda: Standing((rule,))))
    await rereading.note("Read", {"file_path": str(tmp_path / "b.txt")}, None)
    assert await rereading.before_summary({}, None, None) == {}
    await rereading.note("Read", {"file_path": str(tmp_path / "a.txt")}, None)
    assert (await rereading.before_summary({}, None, None))["decision"] == "block"


async def test_of_two_that_are_judged_at_once_the_later_is_told_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = str(tmp_path / "a.txt"), list[str]()
    rules: list[StandingRule] = []

    async def write(line: str) -> None:
        told.append(line)

    judge = Judge(["Read", "Write"], tmp_path, person=True, standing=lambda: Standing(tuple(rules)))
    rereading = Rereading(judge, write)
    await rereading.note("Write", {"file_path": file}, None)
    first_goes_on, begun = asyncio.Event(), list[int]()

    async def slowly(function: Any, *arguments: Any) -> Any:
        begun.append(1)
        result = function(*arguments)
        if len(begun) == 1:
            await first_goes_on.wait()
        return result

    monkeypatch.setattr("maverick_tui.agent.engine.claude.rereading.in_thread", slowly)
    first = asyncio.create_task(rereading.before_request({}, None, None))
    await asyncio.sleep(0)
    assert begun
    rules.append(StandingRule("deny", "Read(a.txt)", tmp_path / "rules.toml"))
    second = asyncio.create_task(rereading.before_request({}, None, None))
    for _ in range(10):  # as far as it comes
        await asyncio.sleep(0)
    first_goes_on.set()
    await asyncio.gather(first, second)
    assert "a.txt" in told[-1], "what may not be read any more"
