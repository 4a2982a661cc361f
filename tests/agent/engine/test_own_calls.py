"""No two calls of a run have one id, whichever engine runs it and whatever an endpoint calls them."""

from __future__ import annotations

import uuid
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.events.kinds import ToolCalled, ToolFinished
from maverick_tui.offline import stream
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.runs.commands import ClearConversation
from maverick_tui.runs.entries import ToolEntry
from tests.conftest import ServeModel
from tests.runs.story import told
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import say


class Reader(Talker):
    allowed_tools = ("Read",)


class Direct(Reader):
    engine = "api"


@pytest.mark.parametrize("agent", [Reader, Direct])
async def test_each_call_has_its_own_row_also_in_another_conversation(
    serve: ServeModel, monkeypatch: pytest.MonkeyPatch, agent: type[MaverickAgent]
) -> None:
    number = count()  # of which a call has the first digits alone
    monkeypatch.setattr(stream, "uuid", SimpleNamespace(uuid4=lambda: uuid.UUID(int=next(number))))
    files = [str(Path(name).absolute()) for name in ("a.txt", "b.txt")]
    for file in files:
        Path(file).write_text(f"in {file}\n")
    reads = Answer(steps=tuple(ToolStep(tool="Read", input={"file_path": file}) for file in files))
    async with serve([reads, say("Done.")]), watch(agent) as run:
        await run.ask("one")
        run.send(ClearConversation())
        await run.ask("two")
    calls = [event.call for event in run.all(ToolCalled)]
    assert len(set(calls)) == len(calls) == 4
    assert {event.call for event in run.all(ToolFinished)} == set(calls)
    shown = [entry for entry in told(*run.events).entries if isinstance(entry, ToolEntry)]
    assert [entry.arguments["file_path"] for entry in shown] == files * 2
    assert all(entry.arguments["file_path"] in entry.output for entry in shown)
