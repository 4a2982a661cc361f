"""An agent of one's own in somebody's clone: its hooks and servers may run code of it, so they are trusted there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import ConfigError, MaverickAgent, paths
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.agent.catalog.loading import load, load_agent, prepare
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.agent.xray import xray

PYTHON = """
from maverick_tui import MaverickAgent

def made():
    return {{"fetch": {{"command": "npx", "args": ["-y", "some-mcp"]}}}}

FILLED = {{}}
FILLED["fetch"] = made()["fetch"]

class Helper(MaverickAgent):
    "Helps."
    system_prompt = "Help."
    mcp_servers = {servers}

    async def execute(self, context): ...
"""
LITERAL = '{"fetch": {"command": "npx", "args": ["-y", "some-mcp"]}}'
HEADERS = '{"api": {"type": "http", "url": "https://mcp.example", "headersHelper": "./scripts/token.sh"}}'
SERVER = {"mcpServers": {"fetch": {"command": "npx", "args": ["-y", "a b"], "env": {"TOKEN": "hidden"}}}}
HOOK = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "cargo fmt"}]}]}}


def write(folder: Path, **fields: Any) -> None:
    """An agent file; JSON is YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())
    (folder / "helper.md").write_text(f"---\nname: helper\ndescription: Helps.\ntools: Read\n{head}---\nHelp.\n")


def own_agent(**fields: Any) -> None:
    write(paths.user_config() / "agents", **fields)


def listed(folder: Path) -> AgentListing:
    return discover(folder).get("helper")


def asked_for(folder: Path) -> list[tuple[str, str]]:
    return [(path.name, content.decode()) for path, content in prepare(listed(folder)).to_trust]


@pytest.mark.parametrize(
    ("fields", "commands"),
    [
        (HOOK, "hook Stop: cargo fmt\n"),
        (SERVER, "MCP server fetch: npx -y 'a b'\n"),
        ({**HOOK, **SERVER}, "hook Stop: cargo fmt\nMCP server fetch: npx -y 'a b'\n"),
        (
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./x", "args": ["y z"]}]}]}},
            "hook Stop: ./x 'y z'\n",
        ),
    ],
)
def test_commands_are_trusted_once_for_each_folder(fields: dict[str, Any], commands: str) -> None:
    own_agent(**fields)
    clone, other, store = Path.cwd() / "clone", Path.cwd() / "other", TrustStore()
    for folder in (clone, other):
        folder.mkdir()
        assert listed(folder).needs_trust
        assert asked_for(folder) == [("helper", commands)]
    with pytest.raises(NotTrustedError) as caught:
        load(listed(clone), store)
    assert caught.value.message == (
        f"The agent 'helper' starts commands that may run code in {clone}, and they are not trusted there."
    )
    assert "maverick agents trust helper" in (caught.value.hint or "")
    for path, content in prepare(listed(clone)).to_trust:
        store.trust(path, content)
    assert issubclass(load_agent("helper", clone), MaverickAgent)
    with pytest.raises(NotTrustedError, match="not trusted there"):
        load_agent("helper", other)
    own_agent(hooks={"Stop": [{"hooks": [{"type": "command", "command": "cargo clippy"}]}]})
    with pytest.raises(NotTrustedError, match="have changed since you trusted them"):
        load_agent("helper", clone)


def test_a_folder_is_the_one_that_a_link_leads_to() -> None:
    own_agent(**HOOK)
    (Path.cwd() / "mine").mkdir()
    (Path.cwd() / "clone").mkdir()
    link = Path.cwd() / "link"
    link.symlink_to("mine")
    ((path, content),) = prepare(listed(link)).to_trust
    TrustStore().trust(path, content)
    assert load_agent("helper", Path.cwd() / "mine")
    link.unlink()
    link.symlink_to("clone")
    with pytest.raises(NotTrustedError):
        load_agent("helper", link)


def test_a_link_of_the_clones_is_no_way_to_the_trust_of_another_folder() -> None:
    own_agent(**HOOK)
    mine, clone = Path.cwd() / "mine", Path.cwd() / "clone"
    mine.mkdir()
    clone.mkdir()
    ((path, content),) = prepare(listed(mine)).to_trust
    TrustStore().trust(path, content)
    for name in (path.name, "helper's commands"):
        (clone / name).symlink_to(mine / name)
    assert not path.is_relative_to(mine)
    with pytest.raises(NotTrustedError):
        load_agent("helper", clone)


@pytest.mark.parametrize("fields", [{}, {"mcpServers": {"remote": {"type": "http", "url": "https://example.org"}}}])
def test_who_starts_nothing_is_not_asked_about(fields: dict[str, Any]) -> None:
    own_agent(**fields)
    assert not listed(Path.cwd()).needs_trust
    assert load_agent("helper", Path.cwd())


def test_the_home_directory_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    own_agent(**HOOK)
    monkeypatch.chdir(Path.home())
    assert not listed(Path.home()).needs_trust
    assert load_agent("helper", Path.home())


@pytest.mark.parametrize("servers", [LITERAL, HEADERS, "made()", "FILLED"])
def test_a_python_agent_of_ones_own_is_no_exception(servers: str) -> None:
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    (folder / "helper.py").write_text(PYTHON.format(servers=servers))
    with pytest.raises(NotTrustedError, match="starts commands that may run code"):
        load_agent("helper", Path.cwd())
    assert listed(Path.cwd()).needs_trust is (servers in (LITERAL, HEADERS)), "listing runs nothing"


SET_BY_CONSTRUCTOR = (
    f"mcp_servers={LITERAL}",
    "mcp_servers=made()",
    'hooks={"Stop": [{"hooks": [{"type": "command", "command": "cargo fmt"}]}]}',
    "hooks=fmt()",
)


@pytest.mark.parametrize("wanted", ["**more", "config"])
@pytest.mark.parametrize("given", SET_BY_CONSTRUCTOR)
def test_what_its_constructor_gives_it_is_asked_about(given: str, wanted: str) -> None:
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    field, _, value = given.partition("=")
    init = f"""
    def __init__(self, {wanted}):
        super().__init__({wanted.replace("config", "config=config")})
        self.{field} = {value}

def fmt():
    return {{"Stop": [{{"hooks": [{{"type": "command", "command": "cargo fmt"}}]}}]}}
"""
    (folder / "helper.py").write_text(PYTHON.format(servers="{}") + init)
    command = "MCP server fetch: npx -y some-mcp\n" if field == "mcp_servers" else "hook Stop: cargo fmt\n"
    assert asked_for(Path.cwd()) == [("helper", command)]
    ((path, content),) = prepare(listed(Path.cwd())).to_trust
    TrustStore().trust(path, content)
    assert xray(listed(Path.cwd()), TrustStore()).settings[field], "the X-ray shows it"


def test_a_constructor_that_wants_more_tells_nothing_and_the_class_is_asked() -> None:
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    init = "\n    def __init__(self, wanted, **more):\n        raise SystemExit(1)\n"
    (folder / "helper.py").write_text(PYTHON.format(servers=LITERAL) + init)
    assert asked_for(Path.cwd()) == [("helper", "MCP server fetch: npx -y some-mcp\n")]


def test_servers_that_are_computed_are_told_as_what_cannot_be_known() -> None:
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    (folder / "helper.py").write_text(PYTHON.format(servers="property(lambda self: made())"))
    with pytest.raises(ConfigError, match="mcp_servers of the agent 'helper' is no mapping"):
        load_agent("helper", Path.cwd())


def test_a_projects_own_agent_and_its_servers_are_trusted_by_the_file_that_says_so() -> None:
    write(Path.cwd() / ".maverick" / "agents", **SERVER)
    assert [name for name, _ in asked_for(Path.cwd())] == ["helper.md"]
    (Path.cwd() / ".maverick" / "agents" / "helper.md").unlink()
    (Path.cwd() / ".mcp.json").write_text(json.dumps({"mcpServers": {"fetch": {"command": "npx", "args": ["x"]}}}))
    own_agent(mcpServers=["fetch"])
    assert [name for name, _ in asked_for(Path.cwd())] == [".mcp.json"]
