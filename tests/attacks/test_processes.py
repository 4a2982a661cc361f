"""Whoever is killed, in whatever order: nothing that was started is left, and nobody else can read what it was told."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import keeper
from maverick_tui.cli.agents import trust_agent
from tests.conftest import ServeModel
from tests.support import plain_mcp
from tests.support.agents import Talker, context
from tests.support.model import call, say
from tests.support.orphans import noted, survivor
from tests.support.processes import PAUSE, kill_marked, marked, wait_until_gone
from tests.support.sampling import sampled
from tests.terminal.application import MAVERICK

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets orphans be inherited, and tells of arguments"),
]
PATIENCE = 120.0
ENOUGH = keeper.LONGEST + 10.0
SUPPORT = str(Path(plain_mcp.__file__).parent)

# A server that will not go: it ignores the end of its input and signals, and has a child in a session of its own.
SERVER = """
    import os, signal, subprocess, sys, time
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    subprocess.run(["sh", "-c", sys.argv[1]])
    sys.path.insert(0, sys.argv[2])
    from plain_mcp import MCPServer
    server = MCPServer("stubborn")

    @server.tool()
    def wait() -> str:
        time.sleep(1000)

    try:
        server.run()
    finally:
        while True:
            time.sleep(1)
"""
DAEMON = "setsid sh -c ': daemon; trap \"\" TERM HUP; while :; do sleep 1; done' >/dev/null 2>&1 &"


def until(fact: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := fact()):
        assert time.monotonic() < end, f"it did not happen: {what}"
        time.sleep(PAUSE)
    return found


def running(mark: str, *parts: str) -> list[int]:
    """The processes with these words in their commands, if there is one for each of the words."""
    commands = marked(mark)
    found = {part: [pid for pid, command in commands.items() if part in command] for part in parts}
    return [pid for pids in found.values() for pid in pids] if all(found.values()) else []


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


KEEPER = "-I -S "


def keepers(mark: str) -> list[int]:
    """The keepers of a run, the outer first: it is the one that the other was started by."""
    return sorted(found := running(mark, KEEPER), key=lambda pid: parent_of(pid) in found)


def signal_keeper(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # whoever wakes it may let it end before we look again
        os.kill(pid, number)


@pytest.fixture
def server(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "stubborn_server.py"
    path.write_text(textwrap.dedent(SERVER))
    return {"type": "stdio", "command": sys.executable, "args": [str(path), DAEMON, SUPPORT]}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.json"
    calls = [{"tool": "mcp__stubborn__wait", "input": {}}]
    path.write_text(json.dumps({"scenes": [{"answers": [["I wait.", *calls], "never"]}]}))
    return path


@contextmanager
def headless(engine: str, server: dict[str, Any], script: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`maverick --agent --prompt` with the stubborn server, whose tool does not answer."""
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "waiter.md").write_text(
        f"---\nname: waiter\ndescription: d\nengine: {engine}\ntools: mcp__stubborn__*\n"
        f"mcpServers: {json.dumps({'stubborn': server})}\n---\nYou wait.\n"
    )
    trust_agent("waiter", yes=True)
    command = [MAVERICK, "--agent", "waiter", "--prompt", "go", "--offline", "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
        try:
            yield program
        finally:
            program.kill()


# Who notices a kill is another one for each engine; who takes the other signals is not. With the CLI, `test_session.py`
# of its engine kills a program.
@pytest.mark.parametrize(
    ("engine", "number"),
    sampled(
        [
            ("api", signal.SIGKILL),
            ("claude-code", signal.SIGTERM),
            ("api", signal.SIGHUP),
            ("claude-code", signal.SIGKILL),
        ],
        4,
    ),
)
def test_a_headless_run_that_is_ended_leaves_no_server(
    engine: str, number: signal.Signals, server: dict[str, Any], script: Path, mark: str
) -> None:
    left_by_another = survivor(noted())
    with headless(engine, server, script) as program:
        until(lambda: running(mark, "keeper.py", "stubborn_server", "sh -c : daemon"), "server and daemon run")
        until(lambda: left_by_another not in marked(mark), "what another one has left is ended")
        program.send_signal(number)
        program.wait(ENOUGH)
    assert wait_until_gone(mark, ENOUGH) == {}


# -- the keepers themselves -------------------------------------------------------------------------------------------

COMMAND = f": command; {DAEMON} trap '' TERM; while :; do sleep 1; done"
OWNER = f"""
import subprocess, sys, time
from maverick_tui import keeper
keeper.__file__ = sys.argv[1]
subprocess.Popen([*keeper.keeper_command(), "/bin/sh", "-c", {COMMAND!r}])
time.sleep(600)
"""


@pytest.fixture
def impatient(tmp_path: Path) -> str:
    """The keeper with a short grace period, for tests that wait for its end."""
    text = Path(keeper.__file__).read_text()
    assert text.count("\nGRACE = 2.0\n") == 1
    path = tmp_path / "keeper.py"
    path.write_text(text.replace("\nGRACE = 2.0\n", "\nGRACE = 0.3\n"))
    return str(path)


@pytest.fixture
def owner(impatient: str, mark: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that keeps a command that ignores signals, and whose daemon has left its parent and its session."""
    with subprocess.Popen([sys.executable, "-P", "-c", OWNER, impatient], stdout=subprocess.PIPE) as program:
        try:
            until(lambda: running(mark, "sh -c : command", "sh -c : daemon"), "command and daemon run")
            until(lambda: len(keepers(mark)) == 2, "two keepers run")
            yield program
        finally:
            program.kill()


@pytest.mark.parametrize(
    "victims",
    [["owner"], ["outer"], ["inner"], ["owner", "outer"], ["owner", "inner"], ["outer", "owner"], ["inner", "owner"]],
    ids=" and ".join,
)
def test_killing_keepers_and_owner_leaves_nothing(
    victims: list[str], owner: subprocess.Popen[bytes], mark: str
) -> None:
    outer, inner = keepers(mark)
    pids = {"owner": owner.pid, "outer": outer, "inner": inner}
    for victim in victims:
        with suppress(ProcessLookupError):  # it may have ended with the one before
            os.kill(pids[victim], signal.SIGKILL)
    until(lambda: set(marked(mark)) <= {owner.pid}, "only the owner is left")


def test_what_has_thrown_its_environment_away_is_inherited(mark: str) -> None:
    path = Path.cwd() / "pid"
    bare = f"env -i setsid sh -c 'echo $$ > {path}; while :; do sleep 1; done' >/dev/null 2>&1 &"
    kept = subprocess.Popen([*keeper.keeper_command(), "/bin/sh", "-c", f"{bare} sleep 600"])
    try:
        pid = until(lambda: path.exists() and path.read_text().strip(), "it runs")
        os.kill(keepers(mark)[1], signal.SIGKILL)
        kept.wait(ENOUGH)
    finally:
        kept.kill()
        kept.wait()
    until(lambda: not Path(f"/proc/{pid}").exists(), "it is gone")


async def test_when_both_keepers_are_killed_the_owner_ends_what_is_left(
    server: dict[str, Any], serve: ServeModel, mark: str
) -> None:
    class Waiter(Talker):
        name = "waiter"
        system_prompt = "You wait."
        allowed_tools = ["mcp__stubborn__*"]
        mcp_servers = {"stubborn": server}

    async with serve(say("hello")):
        async with Waiter().session(context()) as session:
            async for _ in session.query("hi"):
                pass
            until(lambda: running(mark, "sh -c : daemon"), "the daemon runs")
            kill_marked(mark, lambda command: KEEPER in command)
        assert wait_until_gone(mark, ENOUGH) == {}


@pytest.mark.parametrize("stopped", [["outer"], ["inner"], ["outer", "inner"]], ids=" and ".join)
def test_stopping_keepers_before_the_owner_is_killed_leaves_nothing(
    stopped: list[str], owner: subprocess.Popen[bytes], mark: str
) -> None:
    outer, inner = keepers(mark)
    for name in stopped:
        os.kill({"outer": outer, "inner": inner}[name], signal.SIGSTOP)
    owner.kill()
    until(lambda: not marked(mark), "nothing is left")


def test_an_outer_keeper_that_is_stopped_again_and_again_keeps_nobody(
    owner: subprocess.Popen[bytes], mark: str
) -> None:
    outer, inner = keepers(mark)
    owner.kill()
    owner.wait()

    def command_is_gone() -> bool:
        signal_keeper(outer, signal.SIGSTOP)
        return inner not in marked(mark)

    until(command_is_gone, "the inner keeper has done its work without the outer one")
    signal_keeper(outer, signal.SIGCONT)
    until(lambda: not marked(mark), "nothing is left")


# Each link of the chain starts the next and is gone, so that no list of processes holds the one that runs. Whoever it
# is holds the output open. It ends by itself, should a test fail.
CHAIN = """
#include <signal.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
    time_t end = time(0) + 60;
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (fork()) { sleep(1); _exit(0); }
    setsid();
    while (time(0) < end) {
        if (fork()) _exit(0);
        if (count > 1) setsid();
    }
}
"""
CHAIN_IN_PYTHON = """
import os, signal, time
end = time.time() + 60
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork():
    time.sleep(1)
    os._exit(0)
while time.time() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
"""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> str:
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("there is no compiler")
    folder = tmp_path_factory.mktemp("chain")
    (folder / "chain.c").write_text(CHAIN)
    subprocess.run([compiler, "-O1", "-o", "chain", "chain.c"], cwd=folder, check=True)
    return str(folder / "chain")


def assert_ends(command: list[str]) -> None:
    """The keepers go when the chain is gone, and not before."""
    kept = subprocess.Popen([*keeper.keeper_command(), *command], stdout=subprocess.PIPE)
    assert kept.stdout is not None
    with kept.stdout as output:
        try:
            assert kept.wait(PATIENCE) == 0
            assert select.select([output], [], [], PATIENCE / 2)[0], "somebody holds the output open"
            assert output.read() == b""
        finally:
            kept.kill()
            kept.wait()


@pytest.mark.parametrize("words", sampled([["in a session of its own each"], []], 2, ["many sessions", "one session"]))
def test_a_chain_of_forks_does_not_get_away(words: list[str], chain: str, mark: str) -> None:
    assert_ends([chain, *words])


@pytest.mark.explore  # a quick one does not, either
def test_a_slow_chain_of_forks_does_not_get_away(mark: str) -> None:
    assert_ends([sys.executable, "-I", "-S", "-c", CHAIN_IN_PYTHON])


async def test_an_owner_that_is_gone_before_the_keeper_has_looked_is_noticed(mark: str) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    command = [sys.executable, "-I", "-S", keeper.__file__, str(gone.pid), "0", "/bin/sleep", "600"]
    kept = subprocess.Popen(command)
    try:
        kept.wait(ENOUGH)
    finally:
        kept.kill()
        kept.wait()
    assert wait_until_gone(mark) == {}


# -- what others can read ---------------------------------------------------------------------------------------------


def told_to_everybody(secret: str) -> list[str]:
    """Processes whose arguments hold the secret."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if secret.encode() in (command := path.read_bytes()):
                found.append(command.replace(b"\0", b" ").decode()[:200])
        except OSError:
            continue
    return found


def files_with(secret: str, *folders: Path) -> list[Path]:
    return [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and secret.encode() in path.read_bytes()
    ]


ECHO = """
    import os, sys
    sys.path.insert(0, sys.argv[1])
    from plain_mcp import MCPServer
    server = MCPServer("echo")

    @server.tool()
    def variable() -> str:
        return "known: " + str(len(os.environ.get("TOKEN", "")))

    server.run()
"""


@pytest.mark.parametrize("is_killed", sampled([True, False], 2, ["killed", "ended"]))
async def test_secrets_of_servers_hooks_prompts_and_rules_stand_in_no_arguments(
    is_killed: bool, serve: ServeModel, mark: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    secret = uuid.uuid4().hex
    (tmp_path / "echo_server.py").write_text(textwrap.dedent(ECHO))
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": f": {secret}"}]}

    class Keeping(Talker):
        name = "keeping"
        system_prompt = f"Ünicode, a long prompt {secret} " + "x" * 100_000
        allowed_tools = ["mcp__echo__*", "mcp__far__*", f"Bash(touch {secret}:*)"]
        hooks = {"PreToolUse": [hook]}
        mcp_servers = {
            "echo": {
                "type": "stdio",
                "command": sys.executable,
                "args": [str(tmp_path / "echo_server.py"), SUPPORT],
                "env": {"TOKEN": secret},
            },
            "far": {
                "type": "http",
                "url": f"http://127.0.0.1:9/mcp?token={secret}",
                "headers": {"Authorization": f"Bearer {secret}"},
            },
        }

    scripted = [call("mcp__echo__variable"), call("Bash", command=f"touch {secret}"), say("done")]
    async with serve(scripted) as model, Keeping().session(context()) as session:
        messages = [repr(message) async for message in session.query("hi")]
        assert (context().cwd / secret).exists(), "the rule counts all the same"
        assert any(f"known: {len(secret)}" in message for message in messages), "the server was given its token"
        assert any(secret in json.dumps(request) for request in model.requests), "the model has the prompt"
        until(lambda: running(mark, "keeper.py", "echo_server"), "keepers and server run")
        assert told_to_everybody(secret) == []
        assert files_with(secret, temporary, Path.cwd()) == []
        if is_killed:
            kill_marked(mark)
    assert await asyncio.to_thread(wait_until_gone, mark, ENOUGH) == {}
    assert files_with(secret, temporary, Path.cwd()) == []
