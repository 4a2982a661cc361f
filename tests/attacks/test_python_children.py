"""A clone that holds a module for everything that we import does not get to run one of them."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import maverick_tui
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.tools import ToolContext
from maverick_tui.offline.processes import offline_process
from tests.support.processes import marked
from tests.support.pty_program import in_terminal
from tests.support.sampling import sampled
from tests.terminal.application import MAVERICK

PACKAGE = Path(maverick_tui.__file__).parent
SCRIPT = "scenes: [{answers: [hello]}]\n"
AGENT = "---\nname: {name}\ndescription: d\n{more}---\nYou help.\n"
STARTED_BY_PYTHON = {"sitecustomize", "usercustomize"}
OURS = {"maverick_tui", "agents", "styles", "tests"}


@cache
def installed() -> set[str]:
    return {name for name in importlib.metadata.packages_distributions() if name.isidentifier()}


def trap(folder: Path, names: set[str]) -> None:
    """A module for each name. Whoever imports one leaves a file, also if nobody looks at what it prints."""
    for name in names:
        (folder / f"{name}.py").write_text(
            f"open({str(folder / 'RAN-')!r} + {name!r}, 'w').close()\nraise SystemExit('the module of the clone ran')\n"
        )
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\n")
    (folder / "evil.pth").write_text(f"import os; open({str(folder / 'RAN-pth')!r}, 'w').close()\n")
    metadata = folder / "evil-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: evil\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[maverick.agents]\nevil = evil\n[console_scripts]\nmaverick = evil:main\n"
    )


def ran(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("RAN-*"))


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hostile working directory, with an agent for each engine. It has a thousand files, so that it is made once."""
    folder = tmp_path_factory.mktemp("clone").resolve()
    agents = folder / ".maverick" / "agents"
    agents.mkdir(parents=True)
    (agents / "one.md").write_text(AGENT.format(name="one", more="tools: Read, Bash\n"))
    (agents / "two.md").write_text(AGENT.format(name="two", more="engine: api\ntools: Grep\n"))
    trap(folder, {*sys.stdlib_module_names, *installed(), *STARTED_BY_PYTHON, *OURS, "evil"})
    return folder


@pytest.fixture
def clone(trapped: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """This process works in it; nothing of it has run when the test is over."""
    monkeypatch.chdir(trapped)
    yield trapped
    assert ran(trapped) == []


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT)
    return str(path)


def test_the_trap_works(tmp_path: Path) -> None:
    trap(tmp_path, {"typer"})
    subprocess.run([sys.executable, "-c", "import typer"], cwd=tmp_path, capture_output=True, check=False)
    assert ran(tmp_path) == ["RAN-typer"]


def run(*command: str, **variables: str) -> str:
    done = subprocess.run(
        command, env={**os.environ, **variables}, input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    sampled(
        [
            ["--agent", "two", "--prompt", "hi", "--offline", "--script", "@"],
            ["agents", "list"],
            ["offline", "check", "@"],
            ["tasks", "list"],
            ["--agent", "one", "--prompt", "hi", "--offline", "--script", "@"],  # the CLI is no Python
        ],
        5,
        ["engine api", "agents list", "offline check", "tasks list", "engine claude-code"],
    ),
)
def test_commands(arguments: list[str], clone: Path, script: str, mark: str) -> None:
    run(MAVERICK, *[script if word == "@" else word for word in arguments])


@pytest.mark.explore
@pytest.mark.slow
def test_commands_that_serve(clone: Path, script: str, mark: str) -> None:
    run(MAVERICK, "offline", "serve", "--until-eof", "--script", script)
    run(MAVERICK, "mcp", "tasks")


# One that runs Python with its tools, one without the CLI, and one with a server of ours.
@pytest.mark.explore
@pytest.mark.parametrize("stop", ["test-writer", "planner", "tasks"])
def test_the_demo_without_a_terminal(stop: str, clone: Path, mark: str) -> None:
    assert stop in run(MAVERICK, "demo", "--fast", stop)


@pytest.mark.explore
@pytest.mark.slow
def test_the_application_without_a_key(clone: Path, mark: str) -> None:
    """Its model is a process of its own, which is started in this folder."""
    with in_terminal([MAVERICK, "--agent", "explorer", "--prompt", "hi"], {}, (100, 30)) as application:
        application.see("✔ done in")
        assert any("offline serve" in command for command in marked(mark).values())


@pytest.mark.explore
@pytest.mark.slow
def test_the_picker_without_a_key(clone: Path, mark: str) -> None:
    with in_terminal([MAVERICK], {}, (100, 30)) as application:
        application.see("OFFLINE DEMO")
        application.see("8 agents")  # a model has a process only while a run needs it


@pytest.mark.parametrize(
    "python_path", sampled([f"sub{os.pathsep}.", None, "", os.pathsep, f"{os.pathsep}/nowhere", "."], 6)
)
async def test_the_offline_model(
    python_path: str | None, clone: Path, script: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if python_path is not None:
        monkeypatch.setenv("PYTHONPATH", python_path)
        if not (clone / "sub").exists():
            (clone / "sub").mkdir()
            trap(clone / "sub", {"typer"})
    async with offline_process(Path(script)) as url:
        assert url.startswith("http://127.0.0.1:")
    assert python_path is None or ran(clone / "sub") == []


async def test_the_worker_of_grep_and_the_keeper(clone: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    tools = {tool.name: tool for tool in file_tools(clone)}
    assert "Found" in str(await tools["Grep"].execute({"pattern": "You help"}, ToolContext()))
    server = {"command": "/bin/cat", "args": []}  # says our own words, which is enough to be started
    servers = ToolServers({"s": server}, wanted=["mcp__s"], cwd=clone, opening_seconds=1.0)
    with pytest.raises(Exception, match="The MCP server 's' cannot be used"):
        await servers.open()


def test_python_m_looks_for_what_we_import_elsewhere(
    tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python itself imports a few modules of its own from the folder before our first line, without `-P`."""
    monkeypatch.chdir(tmp_path)
    trap(tmp_path, installed() - OURS)
    run(sys.executable, "-m", "maverick_tui", "offline", "check", script)
    assert ran(tmp_path) == []


@pytest.mark.explore  # `test_the_offline_model` is started so
def test_python_p_m_imports_nothing_of_the_folder(clone: Path, script: str) -> None:
    run(sys.executable, "-P", "-m", "maverick_tui", "offline", "check", script)


@pytest.mark.parametrize("python_path", sampled([os.pathsep, ".", f"{os.pathsep}/nowhere"], 3))
def test_a_relative_pythonpath_is_not_ours(python_path: str, tmp_path: Path, script: str) -> None:
    """What Python imports to start itself is out of our reach; what we import is not."""
    folder = tmp_path / "relative"
    folder.mkdir()
    trap(folder, {"typer", "yaml", "pydantic", "pydantic_settings", "git", "rich", "platformdirs", "anyio", "click"})
    done = subprocess.run(
        [MAVERICK, "agents", "list"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, ran(folder)) == (0, []), done.stderr


# -- what will be written later --------------------------------------------------------------------------------------

DEMO_PROJECT = PACKAGE / "offline" / "demo"
"""Its script names the Python that a model of the demo runs the demo's own tests with."""


STARTERS = {"multiprocessing", "ProcessPoolExecutor", "runpy"}
"""What starts a Python without naming it."""


def modules() -> list[Path]:
    return [path for path in PACKAGE.rglob("*.py") if DEMO_PROJECT not in path.parents]


def test_every_python_that_we_start_leaves_the_folder_alone() -> None:
    """`sys.executable` stands before `-I` or `-P`, and nothing starts a Python without naming it."""
    for path in modules():
        check_pythons(path)


def check_pythons(path: Path) -> None:
    source = path.read_text()
    if not any(word in source for word in ("executable", *STARTERS)):
        return
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            found = STARTERS & {name.split(".")[0] for name in names}
            assert not found, f"{path}:{node.lineno}"
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable":
            assert is_safe(node, parents[node]), f"{path}:{node.lineno}"


def is_safe(node: ast.Attribute, parent: ast.AST) -> bool:
    if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "bool":
        return True
    words = parent.args if isinstance(parent, ast.Call) else parent.elts if isinstance(parent, ast.List) else []
    after = words[words.index(node) + 1]
    if isinstance(after, ast.Starred) and isinstance(after.value, ast.Tuple):
        after = after.value.elts[0]
    return isinstance(after, ast.Constant) and after.value in ("-I", "-P")
