"""What a run shows when something fails; the words are those of the real exceptions."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.agent.engine.claude.failures import api_failure
from maverick_tui.agent.streaming import streaming_error
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import AgentError, CLINotFoundError, NetworkError
from maverick_tui.runs.failures import failure_of
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import RunShot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE

at_both_sizes = pytest.mark.parametrize("size", sampled([(NARROW,), (WIDE,)], 2, ["80x24", "120x40"]))

PARTIAL = (
    "I checked `README.md`; of seven claims **one was wrong**, and it is corrected.\n\n"
    "- **Corrected**: five pieces are no bulk order, ten are\n"
    "- **Right as they were**: 10 % and 4.90, free from 50.00 on, after the dis"
)


def broken_stream() -> ev.Failure:
    closed = NetworkError(
        "The endpoint ended the stream before the answer was complete: Connection closed mid-response."
    )
    return failure_of(streaming_error(closed, [], PARTIAL))


@at_both_sizes
def test_the_stream_breaks(run_shot: RunShot, size: tuple[int, int]) -> None:
    assert run_shot(tapes.failed(broken_stream(), PARTIAL), size)


@at_both_sizes
def test_details_of_a_failure(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        await pilot.press("f8")

    assert run_shot(tapes.failed(broken_stream(), PARTIAL), size, look)


def test_a_banner_that_is_history(run_shot: RunShot) -> None:
    tape = tapes.failed(broken_stream(), PARTIAL).prompt("Continue").say("count.\n\nNothing else is wrong.").done()
    assert run_shot(tape, WIDE)


@at_both_sizes
def test_the_cli_is_missing(run_shot: RunShot, size: tuple[int, int]) -> None:
    tape = Tape("implementer", FOLDER)
    tape.put(ev.Connecting(tape.at)).wait(0.1)
    error = CLINotFoundError("No Claude Code CLI is installed.")
    assert run_shot(tape.put(ev.ConnectFailed(tape.at, failure_of(error))), size)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(
            api_failure("Invalid API key · Please run /login", status=401, code="authentication_failed"),
            id="credentials",
        ),
        pytest.param(api_failure("This request would exceed your limit", status=429), id="rate_limit"),
        pytest.param(api_failure("Unexpected token '<', \"<html> <he\"... is not valid JSON"), id="malformed"),
    ],
)
def test_the_endpoint_refuses(run_shot: RunShot, error: AgentError) -> None:
    failure = failure_of(error, retry_at=tapes.asked().at + 1_830)
    assert run_shot(tapes.failed(failure), NARROW, later=5)
