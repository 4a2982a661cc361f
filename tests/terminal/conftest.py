"""Starts the application in a terminal, and looks at what it leaves behind."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

import pytest

from maverick_tui import paths
from maverick_tui.offline.processes import offline_environment
from maverick_tui.ui.textual_private.names import PLAIN
from tests.support.hosts import end_hosts
from tests.support.pty_program import terminal_environment
from tests.support.served import served
from tests.terminal.application import MAVERICK, SIZE, Application

HERE = Path(__file__).parent
ROOT = str(HERE.parents[1])

HERE_ALONE = {"MAVERICK_HOSTED_RUNS": "false"}
"""Variables of somebody whose runs end with the application."""
WITH_KEY = {"ANTHROPIC_API_KEY": "not-a-real-key"}
"""Variables of somebody who could ask a real model."""
_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def as_yaml(value: Any) -> str:
    """JSON that is YAML, too: there a character beyond the first 65,536 must stand as it is, and others must not."""
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_PRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


A = TypeVar("A", bound=Application)


class Options(TypedDict, total=False):
    """How it is to be started."""

    scenes: Sequence[Any]
    """The script of its model; without one there is the demo, or what the environment says."""
    is_ours: bool
    """Whether its model runs in this process, where it need not be started, instead of in one of the application's."""
    program: Sequence[str]
    size: tuple[int, int]
    early_keys: str
    """Typed before it is there."""
    environment: Mapping[str, str]


class Maverick:
    """Starts the application in a terminal, as often as a test wants it."""

    def __init__(self, folder: Path, temporary: Path, painting: str) -> None:
        self.is_plain = painting == "plain"
        """Whether Textual paints, and not we."""
        self.hung_up = {128 + signal.SIGHUP, -signal.SIGKILL} if self.is_plain else {128 + signal.SIGHUP}
        """How it may end when its window is closed: Textual's own driver may wait for ever then, and is killed."""
        self.started: list[Application] = []
        self.log = folder / "log"
        """What the application logs: trouble that it does not show."""
        self.models = ExitStack()
        self._folder = folder
        self._script = folder / "script.json"
        self._temporary = temporary

    def __call__(self, *arguments: str, **options: Unpack[Options]) -> Application:
        """Start it with these arguments."""
        return self.seen_by(Application, *arguments, **options)

    def seen_by(self, kind: type[A], *arguments: str, **options: Unpack[Options]) -> A:
        """The same in a terminal of another kind."""
        command = [*options.get("program", (MAVERICK,)), *arguments]
        model = {}
        if options.get("is_ours"):
            model = self._model(options["scenes"])
        elif "scenes" in options:
            self._script.write_text(as_yaml({"scenes": options["scenes"]}))
            command += ["--offline", "--script", str(self._script)]
        environment = self._environment(model | dict(options.get("environment", {})))
        size, early_keys = options.get("size", SIZE), options.get("early_keys", "")
        application = kind(command, environment, size, early_keys)
        self.started.append(application)
        return application

    def ended_run(self, agent: str, scenes: Sequence[Any]) -> str:
        """A run that has answered one prompt, and has ended; its id. It had no window, which takes twice as long."""
        command, environment = [MAVERICK, "run", agent, "go"], self._environment(self._model(scenes))
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        (journal,) = (paths.user_state() / "runs").glob("*/events.jsonl")
        return journal.parent.name

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return terminal_environment(
            **{
                "TMPDIR": str(self._temporary),
                "MAVERICK_HOSTED_RUNS": "true",
                "MAVERICK_TEST_LOG": str(self.log),
                "PYTHONPATH": f"{HERE / 'site'}:{ROOT}",
                **({PLAIN: "1"} if self.is_plain else {}),
                **more,
            }
        )

    def _model(self, scenes: Sequence[Any]) -> dict[str, str]:
        """Start it; the variables that lead to it."""
        environment = offline_environment(self.models.enter_context(served(scenes)), self._folder)
        return {name: value for name, value in environment.items() if name != "MAVERICK_OFFLINE"}


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """Where the application puts what it needs for a while."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def handyman() -> str:
    """The name of an agent of this project that may use every tool that the tests need."""
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "handyman.md").write_text(
        "---\nname: handyman\ndescription: Does what the script says.\n"
        "tools: Read, Write, Edit, Bash, TodoWrite, Task, Glob, AskUserQuestion\nmaxTurns: 1000\n---\nYou do things.\n"
    )
    return "handyman"


@pytest.fixture
def teller(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an agent that only tells and reads: without CLI and SDK a run takes three seconds less of a
    processor.
    """
    monkeypatch.setenv("MAVERICK_TEST_WITHOUT_SDK", "1")
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "teller.md").write_text(
        "---\nname: teller\ndescription: Tells.\nengine: api\ntools: Read, Glob\n---\nYou tell.\n"
    )
    return "teller"


class Editor(NamedTuple):
    """A person's editor: it adds a line, keeps a copy of what it was given, and says that it was there."""

    program: Path
    given: Path


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """An editor for `$EDITOR`."""
    program, given = tmp_path / "editor.py", tmp_path / "given"
    program.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys, termios\n"
        "path = pathlib.Path(sys.argv[1])\n"
        f"pathlib.Path({str(given)!r}).write_bytes(path.read_bytes())\n"
        "path.write_text(path.read_text() + 'a line of the editor')\n"
        "is_cooked = termios.tcgetattr(0)[3] & termios.ICANON\n"
        "print('[editor]' if is_cooked else '[raw terminal]')\n"
    )
    program.chmod(0o700)
    return Editor(program, given)


OURS_ALONE = pytest.mark.parametrize("painting", ["ours"], indirect=True)
"""For what Textual itself leaves undone or on, and for what only our own painting could do wrongly."""
PLAIN_MOSTLY = pytest.mark.parametrize(
    "painting", ["plain", pytest.param("ours", marks=pytest.mark.explore)], indirect=True
)
"""For the one test that shows in every run that Textual can paint, too."""


@pytest.fixture(params=["ours", pytest.param("plain", marks=pytest.mark.explore)])
def painting(request: pytest.FixtureRequest) -> str:
    """Who paints, we or Textual: every run of the tests tries the latter with one test, `make explore` with all."""
    return str(request.param)


@pytest.fixture
def maverick(tmp_path: Path, temporary: Path, mark: str, painting: str) -> Iterator[Maverick]:
    """The application. All that it has ever written must be of its grammar, and it must have logged no trouble."""
    starter = Maverick(tmp_path, temporary, painting)
    yield starter
    for application in starter.started:
        application.end()
    end_hosts(mark)
    starter.models.close()
    for application in starter.started:
        _ = application.output
    assert not starter.log.exists(), starter.log.read_text()
