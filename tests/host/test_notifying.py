"""The person hears of a run that nobody looks at, by the command of their choice; nothing foreign acts in it."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from maverick_tui.config import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.host import notify_command
from maverick_tui.host.notify_command import Told, arguments_of, last_trouble, tell_by_command
from maverick_tui.host.notifying import notifying
from maverick_tui.programs import program_path
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.news import News
from tests.host.served_run import RUN, until
from tests.runs.story import NETWORK
from tests.support.runs import Tape

SECRET = "sk-ant-api03-" + "a1B2" * 12


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    """A program that writes what it was told, a line each time."""
    script = tmp_path / "tell.py"
    script.write_text(
        "import json, os, sys\n"
        "told = {name: value for name, value in os.environ.items() if name.startswith('MAVERICK_')}\n"
        f"with open({str(tmp_path / 'told')!r}, 'a') as file:\n"
        "    file.write(json.dumps([sys.argv[1:], told, os.getcwd()]) + '\\n')\n"
    )
    return (sys.executable, "-I", str(script), "{title}", "{event}: {text}", "--run={run}")


def told(tmp_path: Path) -> list[list[str]]:
    """The arguments of all calls so far."""
    file = tmp_path / "told"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line)[0] for line in lines]


def about(text: str, title: str = "Repair the parser") -> Told:
    return Told(RUN, "worker", title, News("failed", text))


async def test_the_command_is_told_what_has_happened_and_nothing_of_it_acts(
    command: tuple[str, ...], tmp_path: Path, home: Path, mark: str
) -> None:
    title = f"--exec=@{SECRET} \x1b]0;x\x07 $(touch made) ; `touch made` {{text}}"
    await tell_by_command(command, about("failed:\n" + "x" * 5_000, title))
    ((arguments, variables, folder),) = map(json.loads, (tmp_path / "told").read_text().splitlines())
    assert SECRET not in json.dumps([arguments, variables])
    assert arguments[0].startswith("exec="), "it is no option"
    assert "{text}" in arguments[0], "what looks like a place in what is told is none"
    assert "\x1b" not in arguments[0]
    assert len(arguments[1]) < 200
    assert arguments[2] == f"--run={RUN}"
    assert {name: variables[f"MAVERICK_{name}"] for name in ("RUN_ID", "EVENT", "AGENT")} == {
        "RUN_ID": RUN,
        "EVENT": "failed",
        "AGENT": "worker",
    }
    assert variables["MAVERICK_TITLE"] == arguments[0]
    assert f"failed: {variables['MAVERICK_TEXT']}" == arguments[1]
    assert (folder, list(Path.cwd().iterdir())) == (str(home), [])
    assert last_trouble() is None


async def test_one_that_fails_hangs_or_is_not_there_harms_nobody_and_is_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mark: str
) -> None:
    failing = ("/bin/sh", "-c", f"echo 'no way: {SECRET}' >&2; exit 3")
    await tell_by_command(failing, about("x"))
    trouble = last_trouble()
    assert trouble is not None
    assert (trouble["program"], "code 3: no way" in trouble["why"], SECRET in str(trouble)) == ("/bin/sh", True, False)
    await tell_by_command(("no-such-program-here", "x"), about("x"))
    assert "cannot be started: No such file" in str(last_trouble())
    monkeypatch.setattr(notify_command, "ENDS_WITHIN", 0.2)
    await tell_by_command(("/bin/sh", "-c", "sleep 300 & sleep 300"), about("x"))
    assert "more than 0.2 s" in str(last_trouble())
    assert SECRET not in caplog.text
    monkeypatch.undo()
    await tell_by_command(("/bin/sh", "-c", ":"), about("x"))
    assert last_trouble() is None, "the last one is what counts"


def test_no_program_of_the_folder_that_we_are_in_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("ring").write_text("#!/bin/sh\n")
    Path("ring").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", "/usr/bin", "/bin")))
    with pytest.raises(OSError, match="No such file"):
        program_path("ring")
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", '["./ring"]')
    with pytest.raises(ConfigError, match="by its whole path"):
        MaverickConfig.load()
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", "ring {title}")
    with pytest.raises(ConfigError, match="write a list"):
        MaverickConfig.load()
    assert Path(program_path("sh")).is_absolute()


def test_only_what_is_known_is_a_place_in_its_arguments() -> None:
    assert arguments_of(["curl", '{"a": "{text}"}', "{titles}", "{}"], {"text": "done"}) == [
        '{"a": "done"}',
        "{titles}",
        "{}",
    ]


class Heard:
    """A run that is told of by a command, and whether somebody looks."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self.events = EventLog(is_batched=False)
        self.is_looked_at = False
        self.asked = 0
        """How often it was of interest whether somebody looks."""
        self.command = command

    def listening(self, since: int = 0) -> AbstractAsyncContextManager[None]:
        return notifying(RUN, self.events, self.command, self._is_looked_at, since)

    def _is_looked_at(self) -> bool:
        self.asked += 1
        return self.is_looked_at

    def tell(self, *events: ev.Event) -> None:
        for event in events:
            self.events.emit(event)


async def test_what_needs_a_person_or_is_done_is_told_once_and_only_while_nobody_looks(
    command: tuple[str, ...], tmp_path: Path, mark: str
) -> None:
    run, tape = Heard(command), Tape()
    run.tell(*tape.connect().prompt("Repair the parser").done().events)
    async with run.listening(len(tape.events)):
        asked = [ev.PermissionAsked(tape.at, f"q{number}", f"c{number}", "Bash", {}) for number in range(3)]
        run.tell(ev.TurnStarted(tape.at, 2, "Go on"), *asked)
        await until(lambda: len(told(tmp_path)) == 1, "it asks")
        run.tell(*(ev.PermissionSettled(tape.at, one.request, one.call, "once") for one in asked))
        run.is_looked_at = True
        run.tell(ev.TurnEnded(tape.at, 2, "done", ev.Usage(1, 1, duration_ms=2_000)))
        await until(lambda: run.asked == 2, "it was news for nobody")
        run.is_looked_at = False
        run.tell(ev.TurnStarted(tape.at, 3, "More"), ev.TurnEnded(tape.at, 3, "failed", ev.Usage(), failure=NETWORK))
        await until(lambda: len(told(tmp_path)) == 2, "it has failed")
        run.tell(ev.Noticed(tape.at, "limit", "It has cost what it may."), ev.RunEnded(tape.at, "closed"))
        run.events.close()
    title = "Repair the parser"
    assert told(tmp_path) == [
        [title, "asks: needs you: Bash wants permission", f"--run={RUN}"],
        [title, "failed: failed: The stream broke.", f"--run={RUN}"],
        [title, "ended: ended: It has cost what it may.", f"--run={RUN}"],
    ]


async def test_what_is_old_a_moment_later_is_not_told(command: tuple[str, ...], tmp_path: Path) -> None:
    run = Heard(command)
    async with run.listening():
        run.tell(
            ev.PermissionAsked(1.0, "q", "c", "Bash", {}),
            ev.PermissionSettled(1.0, "q", "c", "once"),
            ev.PromptQueued(1.0, "p", "And then"),
            ev.TurnEnded(1.0, 1, "done", ev.Usage()),
        )
        run.events.close()
    assert told(tmp_path) == []
