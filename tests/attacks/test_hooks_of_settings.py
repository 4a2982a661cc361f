"""Hooks of Claude Code's own settings, where the person lets it go by them: they run unasked, whoever edits them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude.options import judge_by
from tests.conftest import ServeModel
from tests.executor.files.support import git
from tests.support.agents import Talker, drain
from tests.support.model import call, say

CHECKED = {"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "sh ./check.sh"}]}]}}


class Writer(Talker):
    """May edit, and run nothing."""

    allowed_tools = ("Read", "Write")
    permission_mode = "acceptEdits"


def write(file: Path, settings: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings))


async def test_what_one_runs_is_not_changed_unasked(serve: ServeModel) -> None:
    git(Path.cwd(), "init", "-q")
    Path("check.sh").write_text("touch CHECKED\n")
    write(Path(".claude/settings.json"), CHECKED)
    calls = [
        call("Write", file_path="a.txt", content="a"),
        call("Read", file_path="check.sh"),
        call("Write", file_path="check.sh", content="touch PWNED\n"),
        call("Write", file_path="b.txt", content="b"),
    ]
    agent = Writer(config=MaverickConfig(setting_sources=("project",)))
    async with serve([*calls, say("done")]) as model:
        _, error = await drain(agent.query("go"))
    assert error is None
    assert Path("CHECKED").exists(), "Claude Code goes by these settings"
    assert not Path("PWNED").exists()
    assert "may be what a hook" in str(model.requests[-2]["messages"])
    assert Path("b.txt").exists()


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("user", "~/.claude/settings.json"),
        ("project", ".claude/settings.json"),
        ("project", "../.claude/settings.json"),
        ("local", ".claude/settings.local.json"),
    ],
)
def test_they_are_known_as_they_are_at_the_moment(source: str, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    git(Path.cwd(), "init", "-q")
    inner = Path("inner").absolute()
    inner.mkdir()
    monkeypatch.chdir(inner)
    judge = judge_by(MaverickConfig(setting_sources=(source,)), Writer(), inner, person=True)  # type: ignore[arg-type]
    other = judge_by(MaverickConfig(), Writer(), inner, person=True)

    def decided(name: str) -> str:
        given = {"file_path": name, "content": "x"}
        assert other.judge("Write", given, mode="acceptEdits").decision == "allow"
        return judge.judge("Write", given, mode="acceptEdits").decision

    assert decided("check.sh") == "allow"
    write(Path(file).expanduser(), CHECKED)
    assert (decided("check.sh"), decided("other.sh")) == ("ask", "allow")
    write(
        Path(file).expanduser(),
        {"statusLine": {"type": "command", "command": "./other.sh"}, "proxyAuthHelper": "./key"},
    )
    assert (decided("check.sh"), decided("other.sh"), decided("key")) == ("allow", "ask", "ask")
    Path(file).expanduser().write_text("{")
    assert decided("check.sh") == "allow", "Claude Code does not go by it, either"


PLAIN = json.dumps(CHECKED)
READ_BY_CLAUDE_CODE = {
    "a letter in Latin-1": f'{{"x": "\xe4", {PLAIN[1:]}'.encode("latin-1"),
    "a mark of the order of bytes": b"\xef\xbb\xbf" + PLAIN.encode(),
    "a large number": f'{{"x": 1{"0" * 5_000}, {PLAIN[1:]}'.encode(),
    "more than a megabyte": f'{{"x": "{"x" * 1_100_000}", {PLAIN[1:]}'.encode(),
    "half a character": f'{{"x": "\\ud800", {PLAIN[1:]}'.encode(),
}
NOT_TO_BE_READ_BY_US = {
    "deep": f'{{"x": {"[" * 5_000}{"]" * 5_000}, {PLAIN[1:]}'.encode(),
    "larger than anybody means": b" " * (17 << 20) + PLAIN.encode(),
}


@pytest.mark.parametrize("how", [*READ_BY_CLAUDE_CODE, *NOT_TO_BE_READ_BY_US, "a pipe"])
def test_what_claude_code_may_read_and_we_do_not_makes_every_edit_ask(how: str) -> None:
    file = Path(".claude/settings.json")
    file.parent.mkdir()
    if how == "a pipe":
        os.mkfifo(file)
    else:
        file.write_bytes({**READ_BY_CLAUDE_CODE, **NOT_TO_BE_READ_BY_US}[how])
    judge = judge_by(MaverickConfig(setting_sources=("project",)), Writer(), Path.cwd(), person=False)
    decided = [judge.judge("Write", {"file_path": name, "content": "x"}).decision for name in ("check.sh", "other.sh")]
    assert decided == ["deny", "allow" if how in READ_BY_CLAUDE_CODE else "deny"]


def test_the_variables_that_they_set_are_known() -> None:
    write(
        Path(".claude/settings.json"), {"env": {"BASH_ENV": "tools/x.sh", "GIT_EXTERNAL_DIFF": "sh tools/y.sh", "N": 1}}
    )
    judge = judge_by(MaverickConfig(setting_sources=("project",)), Writer(), Path.cwd(), person=False)
    for name, decision in (("tools/x.sh", "deny"), ("tools/y.sh", "deny"), ("tools/z.sh", "allow")):
        assert judge.judge("Write", {"file_path": name, "content": "x"}).decision == decision, name
