"""Plain `maverick`, and one agent on one prompt: which model is asked, and what is said."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import AgentNotFoundError, load_agent
from tests.conftest import ServeModel
from tests.support.command_line import Run, command_line
from tests.support.model import say
from tests.support.sampling import sampled

MAVERICK = [sys.executable, "-m", "maverick_tui"]
SCRIPT = "scenes: [{when: {agent: explorer, prompt: Where}, answers: [It is in the kitchen.]}]\n"


def run(*arguments: str, piped: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MAVERICK, *arguments], input=piped, capture_output=True, text=True, check=False)


@pytest.fixture
def maverick(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process: to import what an agent needs takes longer than the agent."""
    return command_line(monkeypatch, capsys)


@pytest.mark.parametrize("arguments", sampled([[], ["--offline"]], 2))
def test_without_credentials_it_plays_the_demo(arguments: list[str], mark: str) -> None:
    with subprocess.Popen([*MAVERICK, *arguments], stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        assert "OFFLINE" in demo.stdout.readline()
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=30)
    assert demo.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize("how", sampled(["a key", "a login", "an account"], 3))
def test_with_credentials_it_lists_the_agents(how: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "a key":
        monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-real-key")
    elif how == "a login":
        (home / ".claude").mkdir()
        (home / ".claude" / ".credentials.json").write_text("{}")
    else:
        (home / ".claude.json").write_text('{"oauthAccount": {}}')
    done = run()
    assert done.returncode == 0
    assert "explorer" in done.stdout
    assert "OFFLINE" not in done.stdout


@pytest.mark.parametrize("dash", sampled([["--prompt", "-"], []], 2, ["a dash", "a pipe"]))
def test_an_agent_runs_on_a_script_and_a_prompt_that_is_piped_in(
    dash: list[str], mark: str, home: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("s.yaml").write_text(
        "scenes: [{when: {prompt: Where}, answers: [[I look., {tool: Glob, input: {pattern: '*'}}], Nowhere.]}]\n"
    )
    Path("piped").write_text("Where is it?\nAnd why?\n")
    with Path("piped").open() as piped:
        monkeypatch.setattr(sys, "stdin", piped)
        done = maverick("--offline", "--script", "s.yaml", "--agent", "explorer", *dash)
    assert done.code == 0, done.err
    assert done.out == "Nowhere.\n", "what it said on its way is no answer"
    for part in ("OFFLINE", "I look.", "> Where is it? And why?", "tokens in"):
        assert part in done.err
    assert "Nowhere" not in done.err, "it is not told twice"
    kept = [path.name for path in home.rglob("*") if path.is_file()]
    assert kept == ["events.jsonl"], "nothing is written to the user's home but what was told"


@pytest.mark.parametrize("engine", sampled(["api", "claude-code"], 2))
def test_without_a_terminal_too_an_agent_works_as_its_author_wrote_it(
    engine: str, mark: str, home: Path, maverick: Run
) -> None:
    folder = home / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True)
    (folder / "around.py").write_text(
        "from pathlib import Path\n"
        "from maverick_tui import AgentContext, AgentResult, MaverickAgent\n\n"
        "class Around(MaverickAgent):\n"
        '    """Does something around the model."""\n\n'
        f'    engine = "{engine}"\n'
        '    system_prompt = "You answer."\n\n'
        "    async def execute(self, context: AgentContext) -> AgentResult:\n"
        '        Path("was-here").touch()\n'
        '        return await self.run("Where, by its author", context)\n'
    )
    Path("s.yaml").write_text("scenes: [{when: {prompt: by its author}, answers: [In the kitchen.]}]\n")
    done = maverick("--offline", "--script", "s.yaml", "--agent", "around", "--prompt", "go")
    assert done.code == 0, done.err
    assert done.out == "In the kitchen.\n"
    assert Path("was-here").exists()


@pytest.mark.explore  # terminals in `tests/terminal` ask it, too
async def test_without_a_script_the_endpoint_of_the_environment_is_asked(serve: ServeModel) -> None:
    async with serve(say("From the endpoint.")) as model:
        done = await asyncio.to_thread(run, "--agent", "explorer", "--prompt", "Where?")
    assert done.stdout == "From the endpoint.\n"
    assert "OFFLINE" not in done.stderr
    assert done.returncode == 0
    assert len(model.requests) == 1


@pytest.mark.parametrize("agent", sampled(["planner", "explorer"], 2))  # without the CLI, and with it
def test_a_run_that_fails_leaves_with_1(agent: str, mark: str, maverick: Run) -> None:
    Path("s.yaml").write_text("scenes: [{answers: [{fault: {kind: http, status: 500, type: api_error}}]}]\n")
    done = maverick("--offline", "--script", "s.yaml", "--agent", agent, "--prompt", "Where?")
    assert done.code == 1
    assert "HTTP 500" in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--script", "s.yaml"], 2, "--offline"),
        (["--offline", "--script", "s.yaml"], 2, "--agent"),
        (["--agent", "explorer"], 2, "--prompt"),
        (["--agent", "explorer", "--prompt", "-"], 2, "--prompt"),
        (["--offline", "--agent", "explorer", "--prompt", "x"], 2, "--script"),
        (["--agent", "exploder", "--prompt", "x"], 3, "Did you mean 'explorer'?"),
    ],
)
def test_what_does_not_go_together_is_told(
    arguments: list[str], code: int, says: str, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("s.yaml").write_text(SCRIPT)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        done = maverick(*arguments)
    assert done.code == code
    assert says in done.err


def test_load_agent_gives_what_is_listed() -> None:
    assert load_agent("explorer")().name == "explorer"
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("---\nname: mine\ndescription: d\ntools: Read\n---\nBe brief.\n")
    assert load_agent("mine", os.getcwd())().allowed_tools == ["Read"]  # noqa: PTH109 - a string is accepted, too
    with pytest.raises(AgentNotFoundError, match="mine"):
        load_agent("mien")
