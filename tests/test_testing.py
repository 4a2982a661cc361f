"""The pytest plugin for authors of agents, used as they use it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import AgentContext, AgentError, AgentResult, MaverickAgent, StreamingError
from maverick_tui.offline.loading import parse_script
from maverick_tui.testing import Offline
from tests.support.sampling import sampled

pytest_plugins = ["pytester"]


class Fixer(MaverickAgent):
    """Runs the tests."""

    system_prompt = "You mend what is broken."
    allowed_tools = ["Bash", "Read"]

    async def execute(self, context: AgentContext) -> AgentResult:
        return await self.run(context.extra.get("prompt", "Mend it."), context)


class Adviser(Fixer):
    """The same without tools and the CLI: for what the fixture does whichever engine is asked."""

    engine = "api"
    allowed_tools = []


SCRIPT = """
    strict: true
    scenes:
      - when: {agent: fixer, prompt: "^Mend"}
        answers:
          - - I will look.
            - {tool: Bash, id: ls, input: {command: ls}}
          - "There is ${ls}."
"""


def test_an_agent_runs_against_a_script(offline: Offline, mark: str) -> None:
    (offline.cwd / "only-file.txt").write_text("")
    run = offline.run(Fixer(), SCRIPT)
    assert run.result.success
    assert run.result.output == "I will look.\n\nThere is only-file.txt."
    assert run.tools == ["Bash"]
    assert len(run.requests) == 2


@pytest.mark.parametrize("form", sampled(["path", "script"], 2))
async def test_a_script_may_be_a_file_or_a_value(form: str, offline: Offline, tmp_path: Path, mark: str) -> None:
    text = "scenes: [{answers: [hello]}]"
    (tmp_path / "s.yaml").write_text(text)
    run = await offline.run_async(Adviser(), tmp_path / "s.yaml" if form == "path" else parse_script(text))
    assert run.result.output == "hello"
    assert run.tools == []


async def test_a_session_and_settings(offline: Offline, mark: str) -> None:
    script = "scenes: [{when: {turn: 1}, answers: [one]}, {when: {turn: 2}, answers: [two]}]"
    async with offline.serve(script, max_turns=3) as model, Adviser().session(model.context) as session:
        for _ in range(2):
            async for _message in session.query("go"):
                pass
    assert len(model.requests) == 2
    assert model.context.config.max_turns == 3


class Querying(Fixer):
    """Asks itself and another one, without the context."""

    allowed_tools = []

    async def execute(self, context: AgentContext) -> AgentResult:
        said = [message async for message in self.query("Here.", cwd=context.cwd)]
        elsewhere = await AgentContext.from_cwd_async(context.cwd)
        return await Adviser().run(f"And {len(said) > 1}.", elsewhere)


@pytest.mark.parametrize("engine", ["api", "claude-code"])
def test_what_is_asked_without_the_context_is_asked_of_the_script(
    engine: str, offline: Offline, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(Querying, "engine", engine)
    run = offline.run(Querying(), 'scenes: [{answers: ["${prompt}"]}]')
    assert (run.result.output, len(run.requests)) == ("And True.", 2)
    assert os.environ["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9"


@pytest.mark.parametrize("agent", sampled([Adviser, Fixer], 2))
def test_a_fault_is_the_agents_failure(agent: type[Fixer], offline: Offline, mark: str) -> None:
    script = "scenes: [{answers: [{steps: [half a sentence that is cut], fault: {kind: drop}}]}]"
    run = offline.run(agent(), script)
    assert type(run.result.errors[0]) is StreamingError
    assert "half a sentence that is cut".startswith(run.result.output)


@pytest.mark.parametrize("prompt", sampled(["Something else.", "Mend it, but answer 2 is never asked for."], 2))
def test_a_strict_script_must_be_played_as_it_is_written(prompt: str, offline: Offline, mark: str) -> None:
    script = SCRIPT.replace("fixer", "adviser").replace("- {tool: Bash, id: ls, input: {command: ls}}", "- No tool.")
    with pytest.raises(AgentError, match="not played as written"):
        offline.run(Adviser(), script, extra={"prompt": prompt})


@pytest.mark.explore  # the tests above have the fixture from nowhere else
def test_pytest_finds_the_fixture_by_itself(pytester: Any) -> None:
    result = pytester.runpytest_subprocess("--fixtures", "-q")
    assert "offline" in result.stdout.str()
