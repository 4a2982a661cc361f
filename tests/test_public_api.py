"""What can be imported from the package, and what importing it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import requires

import claude_agent_sdk
import pytest

import maverick_tui
import maverick_tui.agent
from tests.support.cases import each

PROMISED = """MaverickAgent AgentContext AgentResult AgentUsage AgentRegistry registry AgentMessage BUILTIN_TOOLS
    DEFAULT_MODEL DEFAULT_PERMISSION_MODE extract_text extract_all_text MaverickConfig MaverickError AgentError
    CLINotFoundError ProcessError TimeoutError NetworkError StreamingError MalformedResponseError InvalidToolError
    DuplicateAgentError AgentNotFoundError WorkflowError ConfigError""".split()


@each("name", PROMISED)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(maverick_tui, name) is not None
    assert name in dir(maverick_tui)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = maverick_tui.nothing


@pytest.mark.req("001-T-message")
def test_agent_message_is_the_sdks_message() -> None:
    assert maverick_tui.AgentMessage is claude_agent_sdk.Message
    assert maverick_tui.agent.AgentMessage is claude_agent_sdk.Message


@pytest.mark.req("000-DEP")
def test_the_dependencies_are_declared() -> None:
    declared = " ".join(requires("maverick-tui") or [])
    assert "claude-agent-sdk" in declared
    assert "pydantic" in declared
    assert sys.version_info >= (3, 11)


def loaded_by(code: str) -> set[str]:
    script = (
        f"import json, sys; before = set(sys.modules)\n{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    return set(json.loads(out))


HEAVY = {"claude_agent_sdk", "textual", "pydantic", "pydantic_settings", "git", "yaml", "typer", "asyncio", "mcp"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import maverick_tui")
    assert {name for name in loaded if name.startswith("maverick_tui")} == {"maverick_tui"}
    assert not loaded & HEAVY


def test_an_agent_can_be_made_without_the_sdk() -> None:
    loaded = loaded_by(
        "from maverick_tui import MaverickAgent\n"
        "class A(MaverickAgent):\n"
        "    system_prompt = 'x'\n"
        "    async def execute(self, context): ...\n"
        "A()"
    )
    assert not loaded & {"claude_agent_sdk", "textual", "pydantic_settings", "git", "mcp"}
