"""A clone that holds a program for every name that we start one by does not get to run one of them."""

from __future__ import annotations

import ast
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions, CLINotFoundError

import maverick_tui
from maverick_tui.agent.engine.claude.transport import CliTransport, found_cli
from maverick_tui.doctor.terminal import _ask_tmux
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.asking import ask
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.far.ssh import far_line
from maverick_tui.host.notify_command import Told, last_trouble, tell_by_command
from maverick_tui.host.ways import AwayError
from maverick_tui.programs import find_program, program_path, server_path
from maverick_tui.runs.news import News
from maverick_tui.ui.editor import edit_in_terminal, edit_text, find_editor
from tests.support.runs import Tape
from tests.support.terminal import GlassDriver
from tests.ui.running import FedApp
from tests.ui.waiting import until

NAMES = ("claude", "git", "nano", "notify-send", "python3", "sh", "ssh", "tmux", "uname", "vi")
CLONE = "clone"
OWN = "own"


def trap(folder: Path, whose: str) -> None:
    """A program of each name, which says that it has run, and as what."""
    folder.mkdir(exist_ok=True)
    for name in NAMES:
        (folder / name).write_text(f'#!/bin/sh\necho "{whose} {name} $PWD" >> {folder.parent}/ran\n')
        (folder / name).chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A hostile working directory that PATH leads into in every way, before it leads to the person's own programs.

    Nothing of it has run when the test is over.
    """
    folder = Path.cwd()
    (folder / ".git").mkdir()
    for inner in (folder, folder / "bin", folder / "sub"):
        trap(inner, CLONE)
    trap(tmp_path / OWN, OWN)
    (tmp_path / "link").symlink_to(folder / "bin")
    places = ("", ".", "bin", f"{folder}/bin", f"{tmp_path}/link", f"{tmp_path}/{OWN}")
    monkeypatch.setenv("PATH", os.pathsep.join(places))
    monkeypatch.chdir(folder / "sub")
    yield folder
    assert not [path for path in (tmp_path / "ran", folder / "ran") if path.exists() and CLONE in path.read_text()]


def ran(tmp_path: Path) -> list[str]:
    """The person's own programs that have run, and where."""
    return (tmp_path / "ran").read_text().splitlines()


def test_the_trap_works(clone: Path, tmp_path: Path) -> None:
    subprocess.run(["ssh"], check=True)
    assert (clone / "ran").read_text().startswith("clone ssh")
    (clone / "ran").unlink()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_that_of_a_program_of_the_persons(name: str, clone: Path, tmp_path: Path) -> None:
    assert find_program(name) == program_path(name) == str(tmp_path / OWN / name)
    assert find_program(name, tmp_path / OWN) is None, "the folder that is worked in may be another one"


@pytest.mark.parametrize("named", ["./ssh", "bin/ssh", "../clone/ssh"])
def test_a_path_that_leads_elsewhere_in_each_folder_names_no_program(named: str, clone: Path) -> None:
    with pytest.raises(OSError, match="neither a name on your PATH nor a whole path"):
        program_path(named)


def test_a_deleted_folder_is_nobodys(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert program_path("ssh", clone) == str(tmp_path / OWN / "ssh")


async def test_ssh(clone: Path, tmp_path: Path, home: Path) -> None:
    with pytest.raises((AwayError, ConfigError)):
        async with far_line(Machine("buildbox")):
            pass
    assert ran(tmp_path) == [f"own ssh {home}"]


async def test_a_command_that_ssh_is_told_to_reach_a_machine_by(clone: Path, tmp_path: Path) -> None:
    way = tmp_path / "way"
    way.write_text("#!/bin/sh\nexec uname\n")
    way.chmod(0o755)
    with pytest.raises((AwayError, ConfigError)):
        async with far_line(Machine("buildbox", ssh=(str(way),))):
            pass
    assert ran(tmp_path)[0].startswith("own uname")


@pytest.mark.parametrize("where", ["here", "elsewhere"])
async def test_the_command_that_tells_news(
    where: str, clone: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host works elsewhere than its run."""
    if where == "elsewhere":
        monkeypatch.chdir("/")
    news = News("done", "is done")
    await tell_by_command(["notify-send", "{text}"], Told("r", "explorer", "t", news, str(clone / "sub")))
    assert last_trouble() is None
    assert ran(tmp_path) == [f"own notify-send {home}"]


@pytest.mark.parametrize("editor", ["vi", ""])
def test_the_editor(editor: str, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.delenv("VISUAL", raising=False)
    assert find_editor().words == ["vi"]
    with tempfile.NamedTemporaryFile() as file:
        edit_in_terminal(Path(file.name), 3)
    assert ran(tmp_path)[-1].startswith("own vi")
    (tmp_path / OWN / "vi").unlink()
    monkeypatch.setenv("EDITOR", "vi")
    with pytest.raises(ConfigError, match="The editor vi cannot be started: No such file or directory"):
        edit_in_terminal(clone / "x")


async def test_the_editor_for_a_run_elsewhere(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application was started somewhere else than in the folder of the run that it shows."""
    monkeypatch.chdir("/")
    monkeypatch.delenv("VISUAL", raising=False)
    app = FedApp()
    app.driver_class = GlassDriver
    async with app.run_test(headless=False) as pilot:
        await until(pilot, lambda: app.board.runs)
        app.tell(Tape(cwd=str(clone / "sub")).connect())
        for times, editor in enumerate(("vi", ""), 1):  # by name, and what is taken where none is named
            monkeypatch.setenv("EDITOR", editor)
            await edit_text(app, "before")
            assert sum(line.startswith("own vi") for line in ran(tmp_path)) == times


def test_git_and_tmux(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux,1,0")
    ask(clone, "status")
    _ask_tmux(clone)
    assert {line.split()[1] for line in ran(tmp_path)} == {"git", "tmux"}


def test_the_cli_where_none_is_bundled(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CliTransport, "_find_bundled_cli", lambda _: None)
    own = str(tmp_path / OWN / "claude")
    assert found_cli(None) == found_cli(Path("claude")) == own
    assert CliTransport(ClaudeAgentOptions(cwd=clone))._find_cli() == own
    (tmp_path / OWN / "claude").unlink()
    installed = Path.home() / ".local" / "bin" / "claude"
    monkeypatch.setattr("maverick_tui.agent.engine.claude.transport._INSTALLED", ("~/.local/bin",))
    with pytest.raises(CLINotFoundError):
        found_cli(None)
    with pytest.raises(CLINotFoundError):
        found_cli(Path("claude"))
    installed.parent.mkdir(parents=True)
    installed.symlink_to("/bin/sh")
    assert found_cli(None) == str(installed)


def test_a_server_may_be_the_projects_own_but_not_by_chance(clone: Path, tmp_path: Path) -> None:
    """Its command is agreed to for each folder; where it leads must not depend on the folder that we are in."""
    assert server_path("uname", f":.:bin:{tmp_path}/{OWN}", clone) == str(tmp_path / OWN / "uname")
    assert server_path("uname", f"{clone}/bin", clone) == str(clone / "bin" / "uname")
    assert server_path("./uname", "", clone) == str(clone / "uname")
    with pytest.raises(FileNotFoundError):
        server_path("uname", ":.:bin", clone)


# -- what will be written later --------------------------------------------------------------------------------------

PACKAGE = Path(maverick_tui.__file__).parent
STARTS = {
    *(f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output")),
    "asyncio.create_subprocess_exec", "anyio.open_process", "anyio.run_process", "os.execv", "os.execve",
}  # fmt: skip
BY_NAME = {
    *(f"os.{name}" for name in ("execl", "execle", "execlp", "execlpe", "execvp", "execvpe", "system", "popen")),
    *(f"os.{name}" for name in ("posix_spawn", "posix_spawnp", "spawnl", "spawnlp", "spawnv", "spawnvp", "startfile")),
    *(f"subprocess.{name}" for name in ("getoutput", "getstatusoutput")),
    "asyncio.create_subprocess_shell", "pty.spawn", "shutil.which", "webbrowser.open",
    "platform.platform", "platform.processor", "ctypes.util.find_library",
}  # fmt: skip
"""What looks for a program by itself, or has a shell do so; the last three do, though one would not think so."""
FOUND_BY = {"find_program", "program_path", "server_path", "find_git", "found_cli"}
HANDED_ON = {"keeper.py", "tied_group.py"}
"""They run what they are given, and that is a whole path."""


def starts(path: Path) -> Iterator[tuple[ast.Call, str]]:
    """Every call in a module that may start a program."""
    source = path.read_text()
    if not any(name in source or f"from {name.rpartition('.')[0]} import" in source for name in STARTS | BY_NAME):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            assert not names & (STARTS | BY_NAME), f"{path}:{node.lineno}: call it by its module, so that it is found"
        if isinstance(node, ast.Call) and (called := ast.unparse(node.func)) in STARTS | BY_NAME:
            yield node, called


def test_every_program_that_we_start_is_found_in_one_way() -> None:
    """Its first word is our own Python, or its module asks for the path; none is written down as a bare name."""
    seen = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node, called in starts(path):
            where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
            assert called not in BY_NAME, f"{where}: {called} looks where it likes; ask programs.py"
            assert not any(word.arg == "shell" for word in node.keywords), f"{where}: a shell looks where it likes"
            first = first_word(node)
            assert not isinstance(first, ast.Constant), f"{where}: ask programs.py where it is"
            is_ours = ast.unparse(first) == "sys.executable" or path.name in HANDED_ON
            assert is_ours or asks(path), f"{where}: ask programs.py where it is"
            seen += 1
    assert seen > 8


def asks(path: Path) -> bool:
    """Whether a module uses something that finds programs: what it imports, it uses."""
    return any(name in path.read_text() for name in FOUND_BY)


def first_word(node: ast.Call) -> ast.expr:
    first = node.args[0]
    while isinstance(first, ast.List | ast.Tuple | ast.Starred):
        first = first.value if isinstance(first, ast.Starred) else first.elts[0]
    return first
