"""What the command line asks the application for, without the command line's own imports."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui.cli import far, launching
from maverick_tui.cli.launching import plain_launch
from maverick_tui.exceptions import ConfigError
from maverick_tui.ui.launch import Launch
from tests.support.cases import each
from tests.support.command_line import Run


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-real-key")


def wanted(arguments: str) -> Launch | None:
    return plain_launch(arguments.split())


def test_without_arguments_it_is_the_picker_of_this_folder() -> None:
    assert wanted("") == Launch(Path.cwd())


def test_without_credentials_it_is_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert wanted("") == Launch(Path.cwd(), is_demo=True)
    assert wanted("--agent explorer") == Launch(Path.cwd(), "explorer", is_demo=True)


@pytest.mark.parametrize(
    ("arguments", "launch"),
    [
        ("--agent reviewer", {"agent": "reviewer"}),
        ("--agent=reviewer", {"agent": "reviewer"}),
        ("--agent reviewer --prompt Go", {"agent": "reviewer", "prompt": "Go"}),
        ("--prompt=a=b --agent reviewer", {"agent": "reviewer", "prompt": "a=b"}),
        ("--offline", {"is_demo": True}),
        ("--offline --script s.json", {"script": Path("s.json")}),
        ("--script=s.json --agent x --offline", {"script": Path("s.json"), "agent": "x"}),
    ],
)
def test_simple_arguments(arguments: str, launch: dict[str, object]) -> None:
    assert wanted(arguments) == Launch(Path.cwd(), **launch)  # type: ignore[arg-type]


@each(
    "arguments",
    [
        "--help", "-h", "--version", "--debug", "agents", "demo", "--agent", "--agent a --agent b", "--prompt Go",
        "--script s.json", "--unknown", "--offline=yes", "--agent a extra",
    ],
)  # fmt: skip
def test_everything_else_is_left_to_the_command_line(arguments: str) -> None:
    assert wanted(arguments) is None


def test_the_badge_says_what_answers() -> None:
    cwd = Path.cwd()
    assert [Launch(cwd).badge, Launch(cwd, is_demo=True).badge, Launch(cwd, script=cwd).badge] == [
        "", "OFFLINE DEMO", "OFFLINE",
    ]  # fmt: skip


def test_it_needs_a_terminal_that_can_do_more_than_print(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not launching.is_terminal(), "pytest has the output"
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert launching.is_terminal()
    monkeypatch.setenv("TERM", "dumb")
    assert not launching.is_terminal()


def test_whoever_waits_for_a_pipe_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()

    class Told(io.StringIO):
        """Lets what is piped in come once something was told."""

        def write(self, text: str) -> int:
            if not self.getvalue():
                os.write(writes, b"late")
                os.close(writes)
            return super().write(text)

    with os.fdopen(reads) as stdin:
        monkeypatch.setattr(launching, "_PATIENCE", 0)
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stderr", told := Told())
        assert launching.piped() == "late"
    assert "Reading the prompt from standard input" in told.getvalue()


def test_more_than_any_prompt_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    reads, writes = os.pipe()
    with os.fdopen(reads) as stdin, os.fdopen(writes, "w") as told:
        told.write("abcd")
        told.flush()
        monkeypatch.setattr(launching, "_MOST_BYTES", 3)
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(ConfigError, match="It has more than 3 bytes"):
            launching.piped()


def test_what_stands_before_the_first_frame_imports_no_more_than_it_needs() -> None:
    code = (
        "import sys; from maverick_tui.cli.launching import plain_launch; plain_launch(['--offline']);"
        "heavy = {'typer', 'pydantic', 'claude_agent_sdk', 'textual', 'rich', 'git', 'yaml', 'asyncio'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_a_run_on_another_machine_is_asked_what_was_typed_and_a_pipe_is_refused(
    maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def open_on(machine: str, agent: str, prompt: str | None, folder: str) -> int:
        asked.append(prompt)
        return 0

    monkeypatch.setattr(far, "open_on", open_on)
    ran = maverick("--on", "there", "--agent", "cook", "--prompt", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "`maverick run --detach --on there cook -`" in " ".join(ran.err.split())
    assert maverick("--on", "there", "--agent", "cook", "--prompt", "Gr\udcc3\udcbc\u00dfe").code == 0
    assert maverick("--on", "there", "--agent", "cook").code == 0
    assert asked == ["Grüße", None]
