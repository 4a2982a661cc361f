"""A run without a terminal that a limit of the account has stopped: it waits if that is wanted, and says so."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.exceptions import NetworkError
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.unattended import Unattended
from tests.cli.agent_files import write_agent
from tests.cli.pretended import Model, Pretender
from tests.cli.test_headless import ran
from tests.support.command_line import Run

LIMITED = """
scenes:
  - answers:
      - steps: ["Here it is."]
        fault: {kind: http, status: 429, message: Too much., resets_in: 0.5, times: 1}
"""


@pytest.mark.parametrize("waits", [True, False])
def test_a_limit_is_waited_for_if_that_is_wanted_and_it_says_until_when(waits: bool, maverick: Run) -> None:
    write_agent("reviewer", "engine: api\nretries: 0")
    Path("limited.yaml").write_text(LIMITED)
    wish = ["--wait-for-limit"] if waits else []
    done = maverick("run", "reviewer", "Look", "--offline", "--script", "limited.yaml", *wish)
    said = "maverick: A limit has stopped it. It goes on at "
    assert (done.code, done.out) == ((0, "Here it is.\n") if waits else (FAILED, ""))
    assert done.err.count(said) == waits
    assert done.err.count("limits the rate") == (not waits)


@pytest.mark.parametrize("is_shown", [True, False])
async def test_where_the_time_is_not_known_it_says_that_it_does_not_wait(is_shown: bool) -> None:
    async def is_limited(model: Model, prompt: str) -> None:
        raise NetworkError("Too much.", kind="rate_limit")

    agent, run_id, config = Pretender(is_limited), uuid.uuid4().hex[:12], MaverickConfig.load()
    journal = journal_of(run_id)
    run = Unattended(agent, "Do it", Path.cwd(), config, run_id=run_id, journal=journal, waits_for_limit=True)
    done = await ran(agent, run=run, is_shown=is_shown)
    assert done.code == FAILED
    assert done.err.count("When the limit resets is not known, so it does not wait.") == 1


async def test_what_it_waits_for_is_shown_on_the_way() -> None:
    async def is_limited_once(model: Model, prompt: str) -> None:
        if not refused:
            refused.append(error := NetworkError("Too much.", kind="rate_limit"))
            error.resets_at = model.listener.now() + 0.2
            raise error
        model.say("Here it is.")

    refused: list[NetworkError] = []
    agent, run_id, config = Pretender(is_limited_once), uuid.uuid4().hex[:12], MaverickConfig.load()
    journal = journal_of(run_id)
    run = Unattended(agent, "Do it", Path.cwd(), config, run_id=run_id, journal=journal, waits_for_limit=True)
    done = await ran(agent, run=run)
    assert (done.code, done.out) == (0, "Here it is.\n")
    assert "A limit has stopped it. It goes on at" in done.err
    assert "Ctrl+C ends it." in done.err
