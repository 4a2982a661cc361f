"""An agent of one's own in somebody's clone: what its hooks and servers would run of the clone is asked about first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import ConfigError, MaverickAgent, paths
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.agent.catalog.loading import load, load_agent, prepare
from maverick_tui.agent.catalog.taken import MOST_FILES
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore

PYTHON = """
from maverick_tui import MaverickAgent

def made():
    return {{"fetch": {{"command": "npx", "args": ["-y", "some-mcp"]}}}}

class Helper(MaverickAgent):
    "Helps."
    system_prompt = "Help."
    mcp_servers = {servers}

    async def execute(self, context): ...
"""
LITERAL = '{"fetch": {"command": "npx", "args": ["-y", "some-mcp"]}}'


@pytest.fixture
def clone() -> Path:
    (Path.cwd() / ".git").mkdir()
    return Path.cwd()


def server(command: str) -> dict[str, Any]:
    program, *args = command.split()
    return {"mcpServers": {"fetch": {"command": program, "args": args}}}


def hook(command: str) -> dict[str, Any]:
    return {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}


def write(folder: Path, **fields: Any) -> None:
    """An agent file; JSON is YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())
    (folder / "helper.md").write_text(f"---\nname: helper\ndescription: Helps.\ntools: Read\n{head}---\nHelp.\n")


def own_agent(fields: dict[str, Any]) -> None:
    write(paths.user_config() / "agents", **fields)


def listed(folder: Path) -> AgentListing:
    return discover(folder).get("helper")


def put(clone: Path, *names: str) -> None:
    for name in names:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(f"made by the clone: {name}\n")


def asked_for(folder: Path) -> list[str]:
    return [os.path.relpath(path, folder) for path, _ in prepare(listed(folder)).to_trust]


TAKEN = [
    (server("python3 -m mcp_server_fetch"), ["mcp_server_fetch.py"]),
    (server("python3 -um mcp_server_fetch"), ["mcp_server_fetch/__main__.py", "mcp_server_fetch/__init__.py"]),
    (server("npx -y some-mcp"), ["package.json"]),
    (server("npx -y @scope/some-mcp"), [".npmrc"]),
    (server("/usr/local/bin/pnpm dlx some-mcp"), [".pnpmfile.cjs"]),
    (server("bunx some-mcp"), ["bunfig.toml"]),
    (server("uv run some-mcp"), ["pyproject.toml"]),
    (server("./tools/serve"), ["tools/serve"]),
    (server("node mcp/server"), ["mcp/server.js"]),
    (server("node mcp"), ["mcp/index.js"]),
    (hook("python3 -m black --version"), ["black.py"]),
    (hook('cd web && "$CLAUDE_PROJECT_DIR/my tools/check.sh" src'), ["my tools/check.sh"]),
    (hook("bash -lc 'npm run lint'"), ["package.json"]),
    (hook("cd web && npm run lint"), ["web/package.json"]),
    (hook("make lint"), ["Makefile"]),
    (server("${RUNNER:-npx} some-mcp"), ["package.json"]),
    (hook("./hooks.d/*"), ["hooks.d/one"]),
    *((hook(command), ["x.sh"]) for command in (
        "bash -eo pipefail x.sh", "sudo -u me ./x.sh", "timeout -s KILL 5 ./x.sh", "env -u X ./x.sh", "flock l ./x.sh",
        "perl -I lib x.sh", "deno run -c deno.json x.sh", "make -f x.sh", "bash < x.sh", "java -jar x.sh",
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "files"), TAKEN, ids=[f"{files[0]}-{number}" for number, (_, files) in enumerate(TAKEN)]
)
def test_what_would_run_of_a_clone_is_trusted_first(fields: dict[str, Any], files: list[str], clone: Path) -> None:
    own_agent(fields)
    assert not listed(clone).needs_trust
    assert load_agent("helper", clone)
    put(clone, *files, "src/a.py", "README.md")
    listing, store = listed(clone), TrustStore()
    assert listing.needs_trust
    assert asked_for(clone) == files
    with pytest.raises(NotTrustedError) as caught:
        load(listing, store)
    who = "the MCP server 'fetch'" if "mcpServers" in fields else "a hook of Stop"
    assert caught.value.message == (
        f"The agent 'helper' runs by {who} what {clone / files[0]} says, and that file is not trusted."
    )
    assert "maverick agents trust helper" in (caught.value.hint or "")
    for path, content in prepare(listing).to_trust:
        store.trust(path, content)
    assert issubclass(load(listing, store), MaverickAgent)
    (clone / files[-1]).write_text("changed")
    with pytest.raises(NotTrustedError, match="has changed since it was trusted"):
        load(listing, store)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        server("uvx mcp-server-fetch"),
        server("python3 -m mcp_server_other"),
        server("/opt/serve.py"),
        server("node /opt/mcp/server.js"),
        hook("ruff check src --fix"),
        hook("~/bin/check.sh src"),
        hook('"$HOME/bin/check.sh" src'),
        server("${HOME}/bin/check.sh"),
        {"mcpServers": {"remote": {"type": "http", "url": "https://example.org"}}},
    ],
)
def test_what_takes_nothing_of_the_folder_is_not_asked_about(fields: dict[str, Any], clone: Path) -> None:
    own_agent(fields)
    put(
        clone,
        "mcp_server_fetch.py",
        "package.json",
        "Makefile",
        "src/a.py",
        "opt/serve.py",
        "bin/check.sh",
        "pyproject.toml",
    )
    assert not listed(clone).needs_trust
    assert load_agent("helper", clone)


def test_files_of_the_folders_above_count_also_beyond_the_repository(clone: Path) -> None:
    own_agent(server("npx some-mcp"))
    put(clone, "package.json", "deep/er/a.js", "../.npmrc")
    assert asked_for(clone / "deep" / "er") == ["../../package.json", "../../../.npmrc"]


def test_a_package_that_an_option_loads_is_asked_about(clone: Path) -> None:
    own_agent(server("node -r dotenv/config /opt/server.js"))
    put(clone, "node_modules/other/index.js")
    assert not asked_for(clone)
    put(clone, "node_modules/dotenv/config.js")
    assert asked_for(clone) == ["node_modules"]


def test_the_home_directory_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    own_agent(server("npx some-mcp"))
    put(Path.home(), "package.json")
    monkeypatch.chdir(Path.home())
    assert not listed(Path.home()).needs_trust


def test_packages_that_lie_there_are_told_as_what_cannot_be_shown(clone: Path) -> None:
    own_agent(server("npx -y @scope/some-mcp"))
    put(clone, "node_modules/@scope/some-mcp/index.js", "node_modules/.bin/some-mcp")
    ((path, content),) = prepare(listed(clone)).to_trust
    assert path == clone / "node_modules"
    assert b"cannot be shown as a whole" in content
    TrustStore().trust(path, content)
    assert load_agent("helper", clone)
    put(clone, "node_modules/@scope/other/index.js")
    with pytest.raises(NotTrustedError, match="has changed"):
        load_agent("helper", clone)


def test_what_nobody_could_read_is_refused(clone: Path) -> None:
    own_agent(server("node ./dist/server.js"))
    put(clone, "dist/server.js")
    (clone / "dist" / "server.js").write_text("x" * 200_000)
    with pytest.raises(ConfigError, match=r"server\.js: Would be run by the MCP server 'fetch', and cannot be shown"):
        load_agent("helper", clone)
    own_agent(server("run-parts parts"))
    put(clone, *(f"parts/{number}" for number in range(MOST_FILES + 1)))
    with pytest.raises(ConfigError, match="parts: Would be run by the MCP server 'fetch'"):
        load_agent("helper", clone)


@pytest.mark.parametrize("servers", [LITERAL, "made()"])
def test_a_python_agent_of_ones_own_is_no_exception(servers: str, clone: Path) -> None:
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    (folder / "helper.py").write_text(PYTHON.format(servers=servers))
    assert load_agent("helper", clone)
    put(clone, "package.json")
    with pytest.raises(NotTrustedError, match=r"by the MCP server 'fetch' what .*/package\.json"):
        load_agent("helper", clone)
    assert listed(clone).needs_trust is (servers == LITERAL), "listing runs nothing"


def test_a_projects_own_agent_and_its_servers_are_trusted_by_the_file_that_says_so(clone: Path) -> None:
    put(clone, "package.json")
    write(clone / ".maverick" / "agents", **server("npx some-mcp"))
    assert asked_for(clone) == [".maverick/agents/helper.md"]
    (clone / ".maverick" / "agents" / "helper.md").unlink()
    (clone / ".mcp.json").write_text(json.dumps(server("npx some-mcp")))
    own_agent({"mcpServers": ["fetch"]})
    assert asked_for(clone) == [".mcp.json"]


def test_no_python_of_ones_own_imports_from_the_clone(clone: Path, tmp_path: Path) -> None:
    """Not only the module itself may lie there: `argparse.py` would do."""
    (clone / "argparse.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    own_agent({**server(f"{sys.executable} -m zipfile -h"), **hook(f"{sys.executable} -m json.tool --help")})
    agent = load_agent("helper", clone)
    assert agent.hooks is not None
    fetch, stop = agent.mcp_servers["fetch"], agent.hooks["Stop"][0]["hooks"][0]["command"]
    for command in ([fetch["command"], *fetch["args"]], ["sh", "-c", stop]):
        environment = {**os.environ, **(fetch["env"] if command[0] != "sh" else {})}
        ran = subprocess.run(command, cwd=clone, env=environment, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert not (tmp_path / "ran").exists()
    subprocess.run([fetch["command"], *fetch["args"]], cwd=clone, capture_output=True, check=False)
    assert (tmp_path / "ran").exists(), "it would have been run"


@pytest.mark.parametrize(
    "command", ["uv run python -m some_mcp", "python -X dev -c pass", "env A=1 python3 -Im some_mcp"]
)
def test_a_python_behind_other_words_does_not_either(command: str, clone: Path) -> None:
    own_agent(server(command))
    assert load_agent("helper", clone).mcp_servers["fetch"]["env"] == {"PYTHONSAFEPATH": "1"}
    own_agent(server("python3 /opt/serve.py -m x"))
    assert "env" not in load_agent("helper", clone).mcp_servers["fetch"], "it imports from beside the script"


def test_who_wants_python_to_import_from_the_folder_says_so(clone: Path) -> None:
    fields = server("python3 -m mcp_server_fetch")
    fields["mcpServers"]["fetch"]["env"] = {"PYTHONSAFEPATH": ""}
    own_agent(fields)
    assert load_agent("helper", clone).mcp_servers["fetch"]["env"] == {"PYTHONSAFEPATH": ""}
