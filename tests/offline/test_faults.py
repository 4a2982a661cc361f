"""Every fault at every place, through the real CLI: what came before it is kept, and it ends in one error."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ResultMessage, UserMessage

from maverick_tui import AgentError, MalformedResponseError, MaverickConfig, NetworkError, StreamingError
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.script import Scene, Script
from maverick_tui.offline.server import OfflineServer
from tests.offline.fault_matrix import (
    BOUND,
    CELLS,
    ROWS,
    SENTENCE,
    TABLE,
    Outcome,
    Row,
    Where,
    Wiretap,
    play,
    read_table,
    render,
)
from tests.support.agents import Talker, drain
from tests.support.sampling import sampled


def check_end(outcome: Outcome) -> AgentError:
    """What holds for every cell: all content that was sent is there, and there is exactly one error."""
    assert outcome.yielded == outcome.sent
    results = [message for message in outcome.got if isinstance(message, ResultMessage)]
    assert len(results) <= 1, "the CLI reports an error once"
    assert all(result.is_error for result in results)
    assert not results or outcome.got[-1] is results[0], "nothing comes after the end"
    error = outcome.error
    assert error is not None
    assert error.hint
    assert error.message.endswith(".")
    if isinstance(error, StreamingError):
        assert error.partial_messages == outcome.got
    return error


@pytest.mark.parametrize(("row", "where"), sampled(CELLS, 60, [f"{row.name}-{where}" for row, where in CELLS]))
async def test_a_cell_of_the_matrix(row: Row, where: Where, tmp_path: Path, mark: str) -> None:
    async with asyncio.timeout(BOUND):
        outcome = await play(row, where, tmp_path)
    error = check_end(outcome)
    assert outcome.cell == row.expected(where), error
    assert outcome.cell == read_table(TABLE.read_text(encoding="utf-8"))[row.name, where], (
        "the table in the docs is old"
    )
    assert outcome.requests == (2 if where == "between turns" else 1), "nothing is retried"
    assert bool(outcome.sent) == (where != "before any content" or "events" in row.name)


def test_the_table_in_the_docs_is_whole() -> None:
    expected = [(row.name, where, row.expected(where)) for row, where in CELLS]
    assert TABLE.read_text(encoding="utf-8") == render(expected)
    assert read_table(render(expected)) == {(row, where): text for row, where, text in expected}
    assert len(expected) == 4 * 5 + 4 * 5 + 8 * 2
    assert len({row.name for row in ROWS}) == len(ROWS)


AFTER_A_BLOCK: dict[str, tuple[dict[str, Any], type[AgentError]]] = {
    "dropped": ({"kind": "drop", "how": "fin"}, NetworkError),
    "reset": ({"kind": "drop", "how": "rst"}, NetworkError),
    "malformed JSON": ({"kind": "malformed"}, MalformedResponseError),
    "missing message_stop": ({"kind": "missing_stop"}, NetworkError),
    "error event": ({"kind": "error_event"}, NetworkError),
}


@pytest.mark.explore  # replies that break end by their limit in the CLI's table of failures
@pytest.mark.parametrize("name", sampled(list(AFTER_A_BLOCK), 5))
async def test_a_fault_after_a_whole_block(name: str, tmp_path: Path, mark: str) -> None:
    """The CLI asks the model by itself to go on; what every attempt has said is kept, the end is one error."""
    fault, cause = AFTER_A_BLOCK[name]
    steps = [{"thinking": "Let me see."}, SENTENCE]
    script = Script(scenes=(Scene.model_validate({"answers": [{"steps": steps, "fault": {**fault, "at": "text"}}]}),))
    server = OfflineServer(script)
    wire = Wiretap(server.app)
    server.app = wire  # type: ignore[assignment]
    async with asyncio.timeout(BOUND), server:
        config = MaverickConfig(env=offline_environment(server.url, tmp_path), timeout=BOUND)
        got, error = await drain(Talker(config=config).query("hello"))
    outcome = Outcome(list(wire.events()), got, error, len(wire.bodies), 0.0)
    ended = check_end(outcome)
    assert type(ended) is StreamingError
    assert type(ended.__cause__) is cause, ended
    again = [message for message in got if isinstance(message, UserMessage)]
    assert outcome.requests == 1 + len(again), "each further request is told of"
