"""Folders of a clone whose names shells and tools write out (`$HOME`, `~`): what is opened is what stands there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.leading import places_of
from maverick_tui.agent.permissions.standing import user_file
from tests.agent.permissions.deciding import decide, judge_in, write
from tests.attacks.driving import EVERYTHING, Call, attended, unattended
from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel
from tests.support.sampling import examples, sampled

NAMES = ("$HOME", "${HOME}", "~", "~root", "~+", "$PWD", "${OLDPWD}", "file:", "FILE:x")
SECRET = "SECRET"


def planted(project: Path, home: Path) -> None:
    """In folders of these names are links to keys, to what a rule denies, and to what others run."""
    up = f"../../{home.relative_to(project.parent)}"
    for name in NAMES:
        (project / name).mkdir()
        for link, target in {"f": f"{up}/.netrc", "s": f"{up}/.ssh", "e": "../.env", "m": "../.maverick"}.items():
            (project / name / link).symlink_to(target)


def calls_at(name: str, project: Path) -> list[tuple[str, dict[str, Any]]]:
    """Calls of Claude Code's tools, and of somebody's own, that end up there."""
    quoted, slashed = shlex.quote(f"./{name}/f"), name.replace("$", r"\$").replace("~", r"\~").replace("{", r"\{")
    commands = [
        f"cat {quoted}",
        f"cat {slashed}/f",
        f"x=1; cat {quoted}",
        f"grep -r {SECRET} {shlex.quote(f'{project}/{name}/s')}",
        f"cd {shlex.quote(name)} && cat f",
        f"x=1; cd {shlex.quote(name)}; cat f",
    ]
    places = (f"{name}/", f"./{name}/", f"{project}/{name}/")
    return [
        *(("Read", {"file_path": f"{place}{file}"}) for place in places for file in "fe"),
        *(("Grep", {"pattern": SECRET, "path": f"{place}s"}) for place in places),
        *(("Write", {"file_path": f"{place}m/agents/x.md", "content": "PWNED"}) for place in places),
        *([] if "{" in name else [("Glob", {"pattern": f"{name}/s/*"})]),
        *(("mcp__fs__read", {"path": f"{place}f"}) for place in places),
        *(("Bash", {"command": command}) for command in commands),
    ]


@pytest.mark.parametrize("person", sampled([True, False], 2))
def test_none_is_taken_for_another_place(person: bool, sandbox: Sandbox) -> None:
    planted(sandbox.project, sandbox.home)
    write('deny = ["Read(.env)"]\n', user_file())
    judge = judge_in(sandbox.project, person=person)
    own = Judge(["Bash", "mcp__fs__*"], sandbox.project, person=person)
    for name in NAMES:
        for tool, arguments in calls_at(name, sandbox.project):
            is_denied = str(arguments.get("file_path")).endswith("/e")
            expected = "deny" if is_denied or not person else "ask"
            assert decide(own if tool.startswith("mcp") else judge, tool, arguments) == expected, (tool, arguments)
            if tool == "Bash":
                assert decide(own, tool, arguments) == expected, arguments


def test_nor_is_one_that_is_not_there_and_taken_back(sandbox: Sandbox) -> None:
    """Who takes `..` back before looking at the disk, as Grep does, is where the path began."""
    (sandbox.project / "s").symlink_to("../home/.ssh")
    write('deny = ["Read(.env)"]\n', user_file())
    judge = judge_in(sandbox.project)
    for name in NAMES:
        assert decide(judge, "Grep", {"pattern": SECRET, "path": f"{name}/../s"}) == "ask", name
        assert decide(judge, "Read", {"file_path": f"{name}/../.env"}) == "deny", name
        assert decide(judge, "Bash", {"command": f"cat '{name}/../s/id_rsa'"}) == "ask", name


def test_a_home_directory_of_any_name_is_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", r"/C:\Users\me")
    assert {str(place) for place in places_of("x/$HOME/y", tmp_path)} >= {rf"{tmp_path}/x/C:\Users\me/y"}


@pytest.mark.parametrize(("drive", "engine"), [(attended, "claude-code"), (unattended, "api")])
async def test_nothing_there_is_opened_unasked(drive: Any, engine: str, sandbox: Sandbox, serve: ServeModel) -> None:
    planted(sandbox.project, sandbox.home)
    write('deny = ["Read(.env)"]\n', user_file())
    tools = ("Read", "Glob", "Grep") if engine == "api" else EVERYTHING
    calls = [
        Call(f"c{number}-{index}", tool, arguments)
        for number, name in enumerate(NAMES[: examples(1, 3)])
        for index, (tool, arguments) in enumerate(calls_at(name, sandbox.project))
        if tool in tools
    ]
    report = await drive(sandbox, serve, calls, allowed_tools=tools, engine=engine)
    wrong = [name for name, one in report.outcomes.items() if SECRET in one.output or (one.has_run and one.output)]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain([])
