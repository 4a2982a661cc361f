"""An agent goes on to a clone that it is not from: nothing that its servers and hooks find there runs before it is
trusted.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from maverick_tui import AgentContext, ConfigError, MaverickAgent, MaverickConfig, load_agent, paths
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.loading import prepare
from maverick_tui.agent.catalog.started_elsewhere import require_trusted
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.events.kinds import TurnEnded
from maverick_tui.runs.placing import Wish, find_place
from maverick_tui.testing import Offline
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support import plain_mcp
from tests.support.agents import Talker
from tests.support.model import say, scene
from tests.support.sampling import sampled
from tests.terminal.application import MAVERICK

LINT = [sys.executable, "-m", "lint_server"]
SERVERS = f'mcp_servers = {{"lint": {{"command": {LINT[0]!r}, "args": {LINT[1:]!r}}}}}'
HOOKS = '{"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "' + " ".join(LINT) + '"}]}]}'
SET_LATE = "def __init__(self, **more):\n    super().__init__(**more)\n    self.hooks = made()"
BRINGS = {
    "servers": SERVERS,
    "hooks": f"hooks = {HOOKS}",
    "hooks of the constructor": SET_LATE,
    "hooks of the constructor as they stand there": SET_LATE.replace("made()", HOOKS),
    "servers of the constructor": "def __init__(self, **more):\n"
    f"    super().__init__({SERVERS.replace('mcp_servers = ', 'mcp_servers=')}, **more)",
    "servers of the engine api": f"engine = 'api'\nallowed_tools = ['mcp__lint__check']\n{SERVERS}",
    "servers of a constructor that wants the settings": "def __init__(self, config):\n"
    f"    super().__init__(config=config)\n    self.{SERVERS}",
}
WAYS = {
    "itself": "return await self.run('HELPS', there)",
    "a twin": "return await type(self)().run('HELPS', there)",
    "one of its file": "return await Second().run('HELPS', there)",
    "another of one's own": "return await load_agent('other')().run('HELPS', there)",
    "a session": "async with self.session(there) as session:\n"
    "    [_ async for _ in session.query('HELPS')]\n"
    "return await self.run('HELPS', there)",
}
SERVER = f"""
import sys
sys.path.insert(0, {str(Path(plain_mcp.__file__).parent)!r})
from plain_mcp import MCPServer
server = MCPServer("lint")
@server.tool()
def check() -> str:
    return "fine"
server.run()
"""
FILE = """
from maverick_tui import AgentContext, ConfigError, MaverickAgent, load_agent

def made():
    return {hooks}

class {name}(MaverickAgent):
    "Lints."
    system_prompt = "Lint."
{brings}

    async def execute(self, context):
        if "clone" not in context.extra:
            return await self.run(context.extra["prompt"], context)
        there = await AgentContext.from_cwd_async(context.extra["clone"], config=context.config)
{way}
"""


def write(name: str, brings: str, way: str = "return None", project: Path | None = None) -> None:
    """An agent of one's own or of a project, with a second one in its file."""
    classes = [name.title(), "Second"]
    body = [
        FILE.format(name=one, hooks=HOOKS, brings=indent(brings, " " * 4), way=indent(way, " " * 8)) for one in classes
    ]
    folder = paths.user_config() / "agents" if project is None else project / ".maverick" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text("".join(body))


def trust(folder: Path, *names: str) -> None:
    """As somebody does who has read the commands there."""
    for name in names:
        for path, content in prepare(discover(folder).get(name)).to_trust:
            TrustStore().trust(path, content)


def repository(folder: Path) -> Path:
    """One with a server that tells that it has run; as a hook it does no more than that."""
    folder.mkdir(exist_ok=True)
    (folder / "lint_server.py").write_text(f"open({str(folder / 'RAN')!r}, 'w').close()\n{SERVER}")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "add", "lint_server.py"], cwd=folder, check=True)
    subprocess.run(["git", *author, "commit", "-q", "-m", "Begin"], cwd=folder, check=True)
    return folder


@pytest.fixture
def project() -> Path:
    """One's own."""
    return repository(Path.cwd())


@pytest.fixture
def clone() -> Path:
    """Somebody's."""
    return repository(Path.cwd().parent / "clone")


ANSWERS = [scene(say("ok"), prompt="HELPS")]


def ran(folder: Path) -> bool:
    return (folder / "RAN").exists()


async def ask(clone: Path, *, is_attended: bool) -> TurnEnded:
    async with watch(load_agent("linter"), extra={"clone": str(clone)}, is_attended=is_attended) as run:
        run.allows_everything = True
        return await run.ask("go")


@pytest.mark.parametrize(
    ("brings", "way", "is_attended"),
    sampled(
        [
            *((brings, "itself", False) for brings in BRINGS),
            *(("servers", way, is_attended) for way in WAYS for is_attended in (True, False)),
            ("servers of the engine api", "a session", True),
        ],
        12,
    ),
)
async def test_it_starts_nothing_in_a_clone_before_that_is_trusted(
    serve: ServeModel, project: Path, clone: Path, brings: str, way: str, is_attended: bool
) -> None:
    write("linter", BRINGS[brings], WAYS[way])
    write("other", BRINGS[brings])
    trust(project, "linter", "other", "second")
    async with serve(ANSWERS) as model:
        ended = await ask(clone, is_attended=is_attended)
        assert not ran(clone)
        assert model.requests == []
        assert ended.failure is not None
        assert f"starts commands that may run code in {clone}, and they are not trusted there" in ended.failure.message
        trust(clone, "linter", "other", "second")
        ended = await ask(clone, is_attended=is_attended)
        assert ended.failure is None
        assert ran(clone)


@pytest.mark.parametrize("way", sampled(["itself", "one of its file", "a session"], 3))
async def test_nor_does_an_agent_of_a_project_in_another_one(
    serve: ServeModel, project: Path, clone: Path, way: str
) -> None:
    write("linter", SERVERS, WAYS[way], project)
    trust(project, "linter")
    async with serve(ANSWERS) as model:
        ended = await ask(project, is_attended=True)
        assert ended.failure is None
        assert ran(project)
        asked = len(model.requests)
        ended = await ask(clone, is_attended=True)
        assert not ran(clone)
        assert len(model.requests) == asked
        assert ended.failure is not None
        assert f"starts commands that may run code in {clone}, and they are not trusted there" in ended.failure.message
        assert f"It is trusted in {project} alone. Copy its file to {paths.user_config() / 'agents'}." in str(
            ended.failure.hint
        )
        write("linter", SERVERS, WAYS[way])
        trust(clone, "linter", "second")
        assert (await ask(clone, is_attended=True)).failure is None
        assert ran(clone)


@pytest.mark.parametrize("has_git", [True, False])
def test_what_counts_as_the_project_of_an_agent(has_git: bool, project: Path, clone: Path, tmp_path: Path) -> None:
    write("linter", SERVERS, project=project)
    (project / "within").mkdir()
    inside, worktree, pretender = repository(project / "inside"), tmp_path / "worktree", tmp_path / "pretender"
    own = [project, project / "within"]
    others = [clone, inside, tmp_path, pretender]
    pretender.mkdir()
    if has_git:
        subprocess.run(["git", "worktree", "add", "-q", worktree], cwd=project, check=True)
        (pretender / ".git").write_bytes((worktree / ".git").read_bytes())
        own += [worktree, find_place(Wish("0" * 12, True), "linter", None, project).cwd]
    else:
        shutil.rmtree(project / ".git")
    trust(project, "linter")
    agent = load_agent("linter", project)()
    for there in own:
        require_trusted(agent, there)
    for there in others:
        with pytest.raises(NotTrustedError):
            require_trusted(agent, there)


@pytest.mark.parametrize("is_python", sampled([True, False], 2))
async def test_a_program_that_is_started_at_home_is_told_how_to_trust_them(
    serve: ServeModel, home: Path, clone: Path, is_python: bool
) -> None:
    write("linter", SERVERS)
    if not is_python:
        (paths.user_config() / "agents" / "linter.py").unlink()
        server = {"lint": {"command": LINT[0], "args": LINT[1:]}}
        head = f"name: linter\ndescription: Lints.\nmcpServers: {json.dumps(server)}"
        (paths.user_config() / "agents" / "linter.md").write_text(f"---\n{head}\n---\nLint.\n")
    agent, there = load_agent("linter", home)(), AgentContext.from_cwd(clone, extra={"prompt": "HELPS"})
    async with serve(ANSWERS):
        result = await agent.execute(there)
        (error,) = result.errors
        assert "are not trusted there" in error.message
        assert "in that folder with: maverick agents show linter, then run: maverick agents trust linter" in error.hint
        with pytest.raises(NotTrustedError):
            async with agent.session(there):
                pass
        assert not ran(clone)
        subprocess.run([MAVERICK, "agents", "trust", "linter", "--yes"], cwd=clone, check=True, capture_output=True)
        assert (await agent.execute(there)).output == "ok"
        assert ran(clone)


@pytest.mark.explore
async def test_classes_of_a_program_are_its_own_affair(serve: ServeModel, home: Path, clone: Path) -> None:
    write("linter", "")
    servers = {"lint": {"command": LINT[0], "args": LINT[1:]}}
    found = load_agent("linter", home)
    derived = type("Derived", (found,), {"mcp_servers": servers})
    made: list[Callable[[], MaverickAgent]] = [
        type("Programs", (Talker,), {"mcp_servers": servers}),
        derived,
        lambda: found(mcp_servers=servers),
    ]
    async with serve(ANSWERS):
        for make in made:
            (clone / "RAN").unlink(missing_ok=True)
            assert (await make().run("HELPS", AgentContext.from_cwd(clone))).output == "ok"
            assert ran(clone)


@pytest.mark.parametrize("set_late", sampled(["self.hooks = made()", f"self.{SERVERS}"], 2))
async def test_what_nobody_could_be_asked_about_is_refused(
    serve: ServeModel, project: Path, clone: Path, set_late: str
) -> None:
    write("linter", "hooks = None", f"{set_late}\n{WAYS['itself']}")
    async with serve(ANSWERS):
        ended = await ask(clone, is_attended=True)
        assert ended.failure is not None
        assert "would start what its class does not tell" in ended.failure.message
        assert not ran(clone)


WANTING = """
def __init__(self, wanted, extra=(), mcp_servers=None, **more):
    super().__init__(mcp_servers={**wanted, **dict(extra), **(mcp_servers or {})}, **more)
    if self.name == "hooked":
        self.hooks = made()
"""


async def test_an_agent_that_maverick_cannot_make_starts_only_what_its_maker_gives_it(home: Path, clone: Path) -> None:
    write("linter", WANTING)
    found: Callable[..., MaverickAgent] = load_agent("linter", clone)
    servers = {"lint": {"command": LINT[0], "args": LINT[1:]}}
    more = {"more": servers["lint"]}.items()
    for refused in (found({}, servers.items()), found({}, name="hooked"), found(servers, more)):
        require_trusted(refused, home)
        with pytest.raises(ConfigError, match="would start what its class does not tell"):
            require_trusted(refused.with_inputs({}), clone)
    for given in (found(servers), found({}, mcp_servers=servers), found({}, (), servers), found({})):
        require_trusted(given.with_inputs({}), clone)


async def test_servers_of_a_projects_file_are_started_in_that_project_alone(
    serve: ServeModel, project: Path, clone: Path
) -> None:
    server = {"mcpServers": {"lint": {"command": LINT[0], "args": LINT[1:]}}}
    (project / ".mcp.json").write_text(json.dumps(server))
    folder = paths.user_config() / "agents"
    folder.mkdir(parents=True)
    (folder / "linter.md").write_text("---\nname: linter\ndescription: Lints.\nmcpServers: [lint]\n---\nLint.\n")
    trust(project, "linter")
    agent = load_agent("linter", project)()
    worktree = find_place(Wish("0" * 12, True), "linter", None, project).cwd
    (project / "within").mkdir()
    async with serve(ANSWERS) as model:
        for there in (project, project / "within", worktree):
            require_trusted(agent, there)
        assert (await agent.run("HELPS", AgentContext.from_cwd(project))).output == "ok"
        assert ran(project)
        asked = len(model.requests)
        result = await agent.run("HELPS", AgentContext.from_cwd(clone))
        assert f"that {project / '.mcp.json'} names, and they are not trusted in {clone}" in result.errors[0].message
        with pytest.raises(NotTrustedError):
            async with agent.session(AgentContext.from_cwd(clone)):
                pass
        assert not ran(clone)
        assert len(model.requests) == asked
    # What the clone's own file says does not matter to an agent that was loaded elsewhere, whoever trusts it there.
    (clone / ".mcp.json").write_text(json.dumps(server))
    trust(clone, "linter")
    with pytest.raises(NotTrustedError):
        require_trusted(agent, clone)
    require_trusted(load_agent("linter", clone)(), clone)
    TrustStore().revoke(project / ".mcp.json")
    with pytest.raises(NotTrustedError):
        require_trusted(agent, project)


async def test_the_worktree_of_a_run_is_the_project(serve: ServeModel, project: Path, clone: Path) -> None:
    write("linter", SERVERS)
    trust(project, "linter")
    agent = load_agent("linter", project)()
    ours, theirs = (
        find_place(Wish(f"{n:012}", True), "linter", None, top).cwd for n, top in enumerate((project, clone))
    )
    async with serve(ANSWERS):
        assert (await agent.run("HELPS", AgentContext.from_cwd(ours))).output == "ok"
        assert "not trusted there" in str((await agent.run("HELPS", AgentContext.from_cwd(theirs))).errors)
    assert ran(project)
    assert not ran(clone)
    assert load_agent("linter", ours), "nothing more is to be trusted"
    with pytest.raises(NotTrustedError):
        load_agent("linter", theirs)


async def test_a_session_of_the_engine_api_is_one_as_well(home: Path, clone: Path) -> None:
    write("other", BRINGS["servers of the engine api"])
    agent = load_agent("other", home)()
    with pytest.raises(NotTrustedError):
        async with agent.api_session(MaverickConfig(), clone, SdkListener()):
            pass
    assert not (clone / "RAN").exists()


def test_nobody_is_told_to_trust_what_a_clone_calls_by_the_same_name(home: Path, clone: Path) -> None:
    write("other", BRINGS["servers"])
    agent = load_agent("other", home)()
    with pytest.raises(NotTrustedError, match="maverick agents trust other"):
        require_trusted(agent, clone)
    (agents := clone / ".maverick" / "agents").mkdir(parents=True)
    (agents / "other.md").write_text("---\nname: other\ndescription: Theirs.\n---\nHelp.\n")
    with pytest.raises(ConfigError, match=r"has an agent of that name itself\. Give yours another name") as caught:
        require_trusted(agent, clone)
    assert "trust other" not in str(caught.value)


@pytest.mark.explore
def test_a_test_has_a_folder_of_its_own(home: Path, offline: Offline) -> None:
    write("linter", SERVERS, "return await self.run('HELPS', context)")
    run = offline.run(load_agent("linter", home)(), "scenes: [{answers: [ok]}]", extra={"prompt": "HELPS"})
    assert run.result.output == "ok"
