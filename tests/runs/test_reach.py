"""An agent whose file has grown since its run began comes back as it was then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.loading import load as load_class
from maverick_tui.agent.catalog.loading import prepare
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.events import kinds as ev
from maverick_tui.events.wire import to_json
from maverick_tui.modes import narrower
from maverick_tui.runs.loading import Loaded, RunPlan, load
from maverick_tui.runs.past import Past, past_of
from maverick_tui.runs.reach import lost_hooks
from maverick_tui.runs.resuming import narrow
from tests.support.agents import Talker

HOOK = "{matcher: Bash, hooks: [{type: command, command: ./check}]}"
OTHER_HOOK = "{matcher: Edit, hooks: [{type: command, command: ./other}]}"


def loaded(fields: str) -> Loaded:
    """An agent of the user's own with these fields in its file."""
    folder = Path.home() / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "worker.md").write_text(f"---\nname: worker\ndescription: Works.\n{fields}\n---\nYou work.\n")
    listing, store = discover(Path.cwd()).get("worker"), TrustStore()
    for file in prepare(listing).to_trust:
        store.trust(*file)
    return load(RunPlan(lambda: load_class(listing, store), Path.cwd(), MaverickConfig.load()))


def told(one: Loaded) -> ev.AgentLoaded:
    """What a journal keeps of it."""
    event = ev.event_from_json(json.loads(json.dumps(to_json(one.describe(1)))))
    assert isinstance(event, ev.AgentLoaded)
    return event


def before(one: Loaded) -> Past:
    return past_of([ev.RunStarted(1, "7f3a00c0ffee", "worker"), told(one), ev.RunEnded(2)])


GROWN = {
    "a tool": ("tools: Read", "tools: Read, Bash", "Bash"),
    "a wider rule": ("tools: Bash(git log:*)", "tools: Bash", "Bash"),
    "more turns": ("tools: Read\nmaxTurns: 3", "tools: Read\nmaxTurns: 30", ""),
    "no limit of turns": ("tools: Read\nmaxTurns: 3", "tools: Read", ""),
    "more money": ("tools: Read\nmaxBudgetUsd: 1", "tools: Read\nmaxBudgetUsd: 9", ""),
    "a server": ("tools: Read", "tools: Read\nmcpServers: {a: {command: ./a}}", "the server a"),
    "another server below the name": (
        "tools: Read\nmcpServers: {a: {command: ./a}}",
        "tools: Read\nmcpServers: {a: {command: ./b}}",
        "the server a",
    ),
    "a hook": ("tools: Read", f"tools: Read\nhooks: {{PreToolUse: [{HOOK}]}}", "a hook for PreToolUse"),
    "one more hook": (
        f"tools: Read\nhooks: {{PreToolUse: [{HOOK}]}}",
        f"tools: Read\nhooks: {{PreToolUse: [{HOOK}, {OTHER_HOOK}]}}",
        "a hook for PreToolUse",
    ),
    "a skill": ("tools: Read\nskills: [a]", "tools: Read\nskills: [a, b]", "the skill b"),
    "any skill": ("tools: Read\nskills: [a]", "tools: Read", ""),
    "a tool of the api": ("engine: api\ntools: Read", "engine: api\ntools: Read, Grep", "Grep"),
    "more turns of the api": (
        "engine: api\ntools: []\nlimits: {max_turns: 3}",
        "engine: api\ntools: []\nlimits: {max_turns: 30}",
        "",
    ),
    "more calls of the api": (
        "engine: api\ntools: []\nlimits: {max_tool_calls: 3, max_cost_usd: 1}",
        "engine: api\ntools: []",
        "",
    ),
    "a server of the api": (
        "engine: api\ntools: Read",
        "engine: api\ntools: Read\nmcpServers: {a: {command: ./a}}",
        "the server a",
    ),
}


@pytest.mark.parametrize("what", GROWN)
def test_what_an_agent_has_got_since_is_taken(what: str) -> None:
    was, is_now, taken = GROWN[what]
    had = loaded(was)
    now = loaded(is_now)
    assert told(now) != told(had), "the journal knows the difference"
    assert narrow(now.agent, before(had), now.called) == ([taken] if taken else [])
    if what != "another server below the name":
        assert told(now) == told(had)
    assert set(told(now).reaches or ()) <= set(told(had).reaches or ())


@pytest.mark.parametrize("what", sorted(GROWN.keys() - {"another server below the name"}))
def test_what_it_has_less_of_stays_less(what: str) -> None:
    had, is_now, _ = GROWN[what]
    now = loaded(had)
    as_it_is = told(now)
    assert narrow(now.agent, before(loaded(is_now)), now.called) == []
    assert told(now) == as_it_is


def test_what_a_server_is_told_in_confidence_may_change() -> None:
    had = loaded("tools: Read\nmcpServers: {a: {command: ./a, env: {TOKEN: one}}}")
    now = loaded("tools: Read\nmcpServers: {a: {command: ./a, env: {TOKEN: two}}}")
    assert narrow(now.agent, before(had), now.called) == []
    more = loaded("tools: Read\nmcpServers: {a: {command: ./a, env: {TOKEN: one, PATH: x}}}")
    assert narrow(more.agent, before(had), more.called) == ["the server a"]


def test_an_agent_that_it_calls_and_that_has_got_more_is_called_no_longer() -> None:
    folder = Path.home() / ".config" / "maverick" / "agents"
    folder.mkdir(parents=True)
    helper = "---\nname: helper\ndescription: Helps.\nengine: api\ntools: {}\n---\nYou help.\n"
    (folder / "helper.md").write_text(helper.format("Read"))
    had = loaded("engine: api\ntools: Read\nagents: [helper]")
    (folder / "helper.md").write_text(helper.format("Read, Grep"))
    now = loaded("engine: api\ntools: Read\nagents: [helper]")
    assert narrow(now.agent, before(had), now.called) == ["the agent helper"]
    assert list(now.agent.subagents) == []


def test_a_function_that_it_has_got_is_taken() -> None:
    def count(text: str) -> int:
        """Count."""
        return len(text)

    class Counter(Talker):
        name = "worker"
        engine = "api"

    past = before(load(RunPlan(Counter, Path.cwd(), MaverickConfig.load())))
    Counter.own_tools = (count,)
    now = load(RunPlan(Counter, Path.cwd(), MaverickConfig.load()))
    assert narrow(now.agent, past, now.called) == ["the tool count"]
    assert not now.agent.own_tools


def test_what_a_person_grants_this_time_stays() -> None:
    had, now = loaded("tools: Read"), loaded("tools: Read, Bash, Edit")
    past = before(had)._replace(granted=("Bash",))
    assert narrow(now.agent, past, now.called) == ["Edit"]
    assert now.agent.allowed_tools == ["Read", "Bash"]


def test_a_hook_that_is_gone_is_told() -> None:
    had = loaded(f"tools: Read\nhooks: {{PreToolUse: [{HOOK}]}}")
    assert lost_hooks(loaded("tools: Read").agent, told(had).reaches or ()) == ["PreToolUse"]
    assert lost_hooks(had.agent, told(had).reaches or ()) == []


def test_a_journal_that_knows_less_takes_less() -> None:
    now = loaded("tools: Read, Bash\nmcpServers: {a: {command: ./a}}")
    as_it_is = told(now)
    old = past_of([ev.RunStarted(1, "7f3a00c0ffee", "worker"), ev.AgentLoaded(1, "worker", "."), ev.RunEnded(2)])
    assert narrow(now.agent, old, now.called) == []
    assert told(now) == as_it_is


@pytest.mark.parametrize(
    ("had", "has", "gets"),
    [("default", "acceptEdits", "default"), ("acceptEdits", "default", "default"), ("plan", "acceptEdits", "plan"),
     ("dontAsk", "default", "dontAsk"), ("", "acceptEdits", "acceptEdits")],
)  # fmt: skip
def test_the_narrower_mode_counts(had: str, has: str, gets: str) -> None:
    assert narrower(had, has) == gets


def test_a_hook_that_was_changed_stays_as_it_is_now() -> None:
    had = loaded(f"tools: Read\nhooks: {{PreToolUse: [{HOOK}]}}")
    now = loaded(f"tools: Read\nhooks: {{PreToolUse: [{OTHER_HOOK}]}}")
    assert narrow(now.agent, before(had), now.called) == []
    assert now.agent.hooks is not None, "else nobody would keep the agent from anything"
