"""Both engines on a scripted account with a limit: they tell when it resets, and the run goes on then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.offline.script import HttpFault
from maverick_tui.runs.failure_words import CONTINUE
from maverick_tui.runs.unattended import Unattended
from tests.conftest import ServeModel
from tests.runs.grammar import check_well_formed
from tests.support.agents import Talker
from tests.support.model import call, last_prompt, say, scene
from tests.support.sampling import sampled


class Subscriber(Talker):
    """Asks by the CLI, with an account."""

    allowed_tools = ("Read",)


class Customer(Subscriber):
    """Asks without a CLI."""

    engine = "api"
    retries = 0


LIMIT = HttpFault(kind="http", status=429, message="Too much.", resets_in=0.5, times=1)


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch, serve: ServeModel, request: pytest.FixtureRequest) -> None:
    """The CLI tells when a limit resets where it is logged in, and not of a key."""
    if request.node.callspec.params["agent"] is Subscriber:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "")
        monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "not-a-real-token")


async def waited(agent: type[Talker]) -> tuple[Unattended, list[Any]]:
    config = MaverickConfig.load()
    run = Unattended(agent(config=config), "Look", Path.cwd(), config, run_id="r1", waits_for_limit=True)
    await run.serve()
    told = run.events.since(0)
    check_well_formed(told)
    planned = next(event for event in told if isinstance(event, ev.ContinuePlanned))
    due = next(event for event in told if isinstance(event, ev.ContinueDue))
    assert planned.at < planned.due <= due.at
    return run, told


# By the CLI it is told in the same way when an answer has begun.
@pytest.mark.parametrize("agent", sampled([Customer, Subscriber], 2))
async def test_a_prompt_that_was_refused_is_sent_again(serve: ServeModel, agent: type[Talker]) -> None:
    async with serve(say("Here it is.", fault=LIMIT)):
        run, told = await waited(agent)
    assert (run.failure, run.answer.text) == (None, "Here it is.")
    assert [event.text for event in told if isinstance(event, ev.TurnStarted)] == ["Look", "Look"]
    first = next(event for event in told if isinstance(event, ev.TurnEnded))
    assert first.failure is not None
    assert (first.failure.kind, first.failure.error) == ("rate_limit", "NetworkError")


@pytest.mark.parametrize("agent", [Subscriber, Customer])
async def test_an_answer_that_had_begun_is_continued(serve: ServeModel, agent: type[Talker]) -> None:
    Path("notes.txt").write_text("seen")
    read = call("Read", first="Looking.", file_path=str(Path("notes.txt").absolute()))
    async with serve([scene(read, say("never", fault=LIMIT), prompt="^Look"), scene(say("Done."), turn=2)]) as model:
        run, told = await waited(agent)
    assert run.failure is None
    assert run.answer.text.endswith("Done.")
    assert last_prompt(model.requests[-1]) == CONTINUE
    assert [event.text for event in told if isinstance(event, ev.TurnStarted)] == ["Look", CONTINUE]
