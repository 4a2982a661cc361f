"""What Claude Code takes in by itself, where the person lets it go by a project: nothing that may not be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude.options import judge_by
from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.events.kinds import Noticed, PermissionAsked, TurnEnded
from maverick_tui.offline.app import MessagesApp
from maverick_tui.runs.commands import SendPrompt
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.cases import each
from tests.support.model import call, say, scene


class Reader(Talker):
    name = "reader"
    allowed_tools = ["Read", "Write"]


class Writer(Talker):
    allowed_tools = ["Read", "Write", "Bash"]


@pytest.fixture
def work(home: Path) -> Path:
    """A folder with keys and with what a rule denies."""
    work = Path.cwd()
    for place in (home / ".ssh", work / ".ssh", work / "sub", work / "linked", work / "fine"):
        place.mkdir()
    (home / ".ssh" / "id_rsa").write_text("MARK-home")
    (work / ".ssh" / "id_rsa").write_text("MARK-inner")
    (work / ".netrc").write_text("MARK-netrc")
    (work / "denied.txt").write_text("MARK-denied")
    (work / "plain.txt").write_text("MARK-plain")
    (work / ".maverick").mkdir()
    (work / ".maverick" / "rules.toml").write_text('deny = ["Read(denied.txt)"]\n')
    for name in ("sub", "linked", "fine"):
        (work / name / "a.txt").write_text("nothing of weight\n")
    return work


def naming(work: Path) -> str:
    return f"MARK-text\n\n@{work}/.ssh/id_rsa\n\n@{work}/.netrc\n\n@{work}/denied.txt\n\n@{work}/plain.txt\n"


def marks(model: MessagesApp) -> set[str]:
    sent = json.dumps(model.requests, default=str)
    return {
        name
        for name in ("home", "inner", "netrc", "denied", "plain", "text", "fine", "rule", "above")
        if f"MARK-{name}" in sent
    }


async def test_what_is_there_from_the_beginning(work: Path, home: Path, serve: ServeModel) -> None:
    (work / "CLAUDE.md").write_text(naming(work))
    (work / "CLAUDE.local.md").symlink_to(home / ".ssh" / "id_rsa")
    config = MaverickConfig(setting_sources=("project", "local"))
    async with serve([say("Seen.")]) as model, watch(Reader, config=config) as run:
        run.denies_everything = True
        await run.ask("go")
    assert marks(model) == {"text", "plain"}


async def test_what_comes_with_a_file(work: Path, home: Path, serve: ServeModel) -> None:
    (work / "sub" / "CLAUDE.md").write_text(naming(work))
    (work / "linked" / "CLAUDE.md").symlink_to(home / ".ssh" / "id_rsa")
    (work / "fine" / "CLAUDE.md").write_text("MARK-fine")
    (work / "fine" / ".claude" / "rules").mkdir(parents=True)
    (work / "fine" / ".claude" / "rules" / "a.md").write_text("MARK-rule")
    (work / "fine" / ".claude" / "rules" / "b.md").symlink_to(work / ".netrc")
    (work.parent / "CLAUDE.md").write_text("MARK-above")
    reads = [call("Read", file_path=f"{name}/a.txt") for name in ("sub", "linked", "fine")]
    config = MaverickConfig(setting_sources=("project",))
    async with serve([*reads, say("Seen.")]) as model, watch(Reader, config=config) as run:
        run.denies_everything = True
        await run.ask("go")
        assert not run.all(PermissionAsked)
    assert marks(model) == {"text", "plain", "fine", "rule", "above"}


async def test_names_with_signs_of_patterns_stand_for_themselves(work: Path, serve: ServeModel) -> None:
    signs = list("[](){},@+~#%=:;&'$ ")
    tops = [work / f"a{sign}b" for sign in signs]
    for number, top in enumerate(tops):
        top.mkdir()
        (top / "CLAUDE.md").write_text(f"MARK-{number}.")
        (top / "a.txt").write_text("nothing of weight")
    others = [work / name for name in ("a-b", "a*b", "a?b", "a!b")]
    (work / "fine" / "x,y.md").write_text("MARK-fine")
    (work / "fine" / "x-y.md").symlink_to(work / ".netrc")
    (work / "fine" / "CLAUDE.md").write_text("@x,y.md\n\n@x-y.md\n\n@x\\,y.md\n")
    for top in others:
        top.mkdir()
        (top / "a.txt").write_text("nothing of weight")
        (top / "CLAUDE.md").symlink_to(work / ".netrc")
    reads = [call("Read", file_path=f"{top}/a.txt") for top in (*tops, work / "fine", *others)]
    config = MaverickConfig(setting_sources=("project",))
    async with serve([*reads, say("Seen.")]) as model, watch(Reader, config=config) as run:
        run.denies_everything = True
        await run.ask("go")
    assert marks(model) == {"fine"}
    sent = json.dumps(model.requests, default=str)
    assert [sign for number, sign in enumerate(signs) if f"MARK-{number}." not in sent] == []


async def test_what_is_put_into_one_that_is_named(work: Path, serve: ServeModel) -> None:
    (work / "fine" / "CLAUDE.md").write_text("MARK-fine\n\n@notes.md\n")
    (work / "fine" / "notes.md").write_text("nothing of weight")
    calls = [
        call("Write", file_path="sub/CLAUDE.md", content=naming(work)),
        call("Read", file_path="sub/a.txt"),
        call("Read", file_path="fine/notes.md"),
        call("Write", file_path="fine/notes.md", content=naming(work)),
    ]
    config = MaverickConfig(setting_sources=("project",), permission_mode="acceptEdits")
    async with serve([*calls, say("Seen.")]) as model, watch(Reader, config=config) as run:
        run.denies_everything = True
        await run.ask("go")
        assert [asked.arguments["file_path"] for asked in run.all(PermissionAsked)] == [str(work / "sub" / "CLAUDE.md")]
    assert not (work / "sub" / "CLAUDE.md").exists()
    assert (work / "fine" / "notes.md").read_text() == naming(work)
    assert marks(model) & {"home", "inner", "netrc", "denied"} == set()


@pytest.mark.parametrize("is_open", [False, True])
async def test_what_has_become_a_link_since(
    is_open: bool, work: Path, home: Path, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:  # which shows that the key would be sent
        monkeypatch.setattr(Rereading, "_note_memory", lambda _: None)
    for place in (work / "CLAUDE.md", work / "sub" / "CLAUDE.md"):
        place.write_text("MARK-fine")
    scenes = [
        scene(say("One."), prompt="one"),
        scene(call("Read", file_path="sub/a.txt"), say("Two."), prompt="two"),
        scene(say("<summary>It was about files.</summary>")),
        scene(say("Three."), prompt="three"),
    ]
    config = MaverickConfig(setting_sources=("project",))
    async with serve(scenes) as model, watch(Reader, config=config) as run:
        await run.ask("one")
        (work / "sub" / "CLAUDE.md").unlink()
        (work / "sub" / "CLAUDE.md").symlink_to(home / ".ssh" / "id_rsa")
        await run.ask("two")
        (work / "CLAUDE.md").unlink()
        (work / "CLAUDE.md").symlink_to(work / ".netrc")
        run.send(SendPrompt("sum up", "/compact", is_command=True))
        await run.until(TurnEnded, 3)
        assert "compact_boundary" in [event.kind for event in run.all(Noticed)]
        await run.ask("three")
    assert marks(model) == ({"fine", "home", "netrc"} if is_open else {"fine"})


@each(
    "place", ["CLAUDE.md", "sub/CLAUDE.md", "sub/claude.MD", "CLAUDE.local.md", ".claude/rules/a.md", "new/CLAUDE.md"]
)
@each("person", [True, False])
def test_to_write_one_asks_each_time(work: Path, place: str, person: bool) -> None:
    inside = MaverickConfig(setting_sources=("local",))
    judge, other = (judge_by(config, Writer(), work, person=person) for config in (inside, MaverickConfig()))
    for tool, arguments in (
        ("Write", {"file_path": place, "content": "x"}),
        ("Bash", {"command": f"cp plain.txt {place}"}),
        ("Bash", {"command": f"echo @.netrc >> {place}"}),
    ):
        judgement = judge.judge(tool, arguments, mode="acceptEdits")
        assert judgement.decision == ("ask" if person else "deny"), arguments
        assert judgement.is_asked_each_time is person, arguments
    assert judge.judge("Read", {"file_path": place}).decision == "allow"
    is_free = other.judge("Write", {"file_path": place, "content": "x"}, mode="acceptEdits").decision == "allow"
    assert is_free is not place.startswith(".claude")
