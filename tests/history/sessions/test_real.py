"""What the plain CLI itself has stored: made by the bundled one on the scripted model, then listed, opened, gone on."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path

import claude_agent_sdk
import pytest

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.engine.judging import judge_of
from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.export.kept import open_kept
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.going_on import QUIET_FOR, to_go_on
from maverick_tui.history.index import RunIndex
from maverick_tui.history.opening import open_run
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.commands import AnswerPermission
from tests.conftest import ServeModel
from tests.runs.grammar import check_well_formed
from tests.runs.watching import blocks, watch
from tests.support.model import call, say, scene

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled" / ("claude.exe" if os.name == "nt" else "claude")


async def claude(*arguments: str) -> str:
    """Run the CLI by itself, as a person would."""
    process = await asyncio.create_subprocess_exec(
        CLI, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()


async def test_a_session_of_the_plain_cli_is_listed_opened_and_goes_on(serve: ServeModel, home: Path) -> None:
    Path("notes.txt").write_text("The needle is here.\n")
    reading = call("Read", first="I read it.", file_path=str(Path("notes.txt").absolute()))
    script = [
        scene(reading, say("It says where the needle is."), turn=1),
        scene(call("Write", file_path=str(Path("new.txt").absolute()), content="x"), say("Not written."), turn=2),
    ]
    async with serve(script) as server:
        assert "where the needle is" in await claude("-p", "Read the notes", "--allowedTools", "Read")
        (path,) = (home / ".claude" / "projects").glob("*/*.jsonl")
        before = path.read_bytes()

        with RunIndex() as index:
            index.read_sessions()
            (run,) = index.runs()
            assert (run.run_id, run.source, run.title, run.state) == (path.stem, "claude", "Read the notes", "done")
            assert (run.about.folder, run.about.turns) == (str(Path.cwd()), 1)
            assert [hit.kind for hit in index.search(parse_filter('"the needle is here"'))] == ["output"]
        opened = open_run(path.stem)
        assert opened.store.is_ended
        check_well_formed(open_kept(path.stem).events)
        assert path.read_bytes() == before, "whoever reads it does not change it"

        with pytest.raises(ConfigError, match="may still be in it"):
            to_go_on(path.stem)
        then = time.time() - QUIET_FOR - 1
        os.utime(path, (then, then))
        going = to_go_on(path.stem)
        async with watch(load_agent(going.agent, going.folder), cwd=going.folder, past=going.past) as again:
            again.run.keep(journal_of(going.run_id), going.size)
            again.prompt("Write it down")
            asked = await again.until(ev.PermissionAsked)
            assert asked.tool == "Write", "nothing is written unasked"
            again.send(AnswerPermission(asked.request, "deny", "no"))
            await again.until(ev.TurnEnded, 2)
        last = json.dumps(server.requests[-1])
    assert "It says where the needle is." in last, "it knows what was said"
    assert [event.usage.input_tokens for event in again.all(ev.TurnEnded)] == [20, 20], "each is counted once"
    assert not Path("new.txt").exists()
    assert not [event for event in again.all(ev.Noticed) if event.kind in ("session_lost", "narrowed")]
    assert path.read_bytes().startswith(before), "only the CLI has added to it"
    kept = read_journal(journal_of(path.stem)).events
    assert kept == again.events
    assert blocks(kept)[:2] == ["I read it.", "It says where the needle is."]
    with RunIndex() as index:
        index.read_sessions()
        (run,) = index.runs()
        assert (run.source, run.about.agent, run.about.turns) == ("maverick", CLAUDE_CODE, 2)


def test_the_agent_that_goes_on_is_claude_code_itself_and_asks_as_ever() -> None:
    agent = load_agent(CLAUDE_CODE)()
    assert agent.options.system_prompt == {"type": "preset", "preset": "claude_code"}
    assert agent.permission_mode == "default"
    assert not agent.options.setting_sources


@pytest.mark.parametrize(
    ("person", "added", "decisions"),
    [
        (True, (), ("allow", "ask", "ask")),
        (False, (), ("allow", "deny", "deny")),
        (False, ("Write",), ("allow", "allow", "deny")),
    ],
)
def test_without_a_person_it_only_reads_but_for_what_was_allowed_by_name(
    person: bool, added: tuple[str, ...], decisions: tuple[str, ...]
) -> None:
    agent = load_agent(CLAUDE_CODE)()
    agent.allowed_tools = [*agent.allowed_tools, *added]
    judge = judge_of(agent, Path.cwd(), person=person)
    calls = [("Read", {"file_path": "a"}), ("Write", {"file_path": "a"}), ("Bash", {"command": "make all"})]
    assert tuple(judge.judge(tool, arguments).decision for tool, arguments in calls) == decisions
