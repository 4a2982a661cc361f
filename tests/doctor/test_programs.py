"""The programs that we stand on, with the real ones, and with others that are broken in their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui import __version__
from maverick_tui.agent.engine.claude.transport import found_cli
from maverick_tui.doctor import programs
from maverick_tui.doctor.programs import check_cli, check_git, check_ourselves
from tests.doctor.situations import found, here, program


def test_versions_are_told() -> None:
    ourselves, packages = check_ourselves(here())
    assert ourselves.details == {"version": __version__, "python": sys.version.split()[0]}
    assert "claude-agent-sdk 0.2" in packages.fact
    assert packages.state == "fine"


def test_packages_that_are_missing_or_others_than_we_need_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ["claude-agent-sdk>=99", "no-such-package-at-all>=1", "textual>=1", "psycopg>=99; extra == 'postgres'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needed)
    _, told = check_ourselves(here())
    sdk = told.details["packages"]["claude-agent-sdk"]
    assert (told.state, told.fact) == (
        "wrong",
        f"claude-agent-sdk {sdk} is not >=99, no-such-package-at-all is missing",
    )


def test_the_bundled_cli_is_the_one_that_a_session_would_run() -> None:
    cli = found(check_cli)
    assert cli.state == "fine", cli
    assert cli.fact == f"{cli.details['version']}, bundled"
    assert cli.details["path"] == found_cli(None)


def test_a_bundled_cli_of_another_version_is_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cli = program(tmp_path / "claude", "echo '2.1.9 (Claude Code)'")
    (tmp_path / "claude.version").write_text("2.1.400 (Claude Code)\n")
    monkeypatch.setattr(programs, "_bundled_cli", lambda: cli)
    told = found(check_cli)
    assert (told.state, told.fact) == ("warning", "2.1.9, bundled, but the SDK expects 2.1.400")


@pytest.mark.parametrize(
    ("script", "state", "fact"),
    [
        ("echo '99.0.1 (Claude Code)'", "fine", "99.0.1"),
        ("echo '2.0.1 (Claude Code)'", "wrong", "2.0.1 is too old"),
        ("echo 'no library' >&2; exit 3", "wrong", "exit code 3: no library"),
        ("true", "wrong", "does not tell its version: nothing"),
        (None, "wrong", "There is no Claude Code CLI at"),
    ],
)
def test_a_cli_of_ones_own_is_tried(
    script: str | None, state: str, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_CLI_PATH", str(tmp_path / "own"))
    if script is not None:
        program(tmp_path / "own", script)
    told = found(check_cli)
    assert told.state == state
    assert fact in told.fact
    assert ("cli_path" in told.hint) == (state == "wrong")


def test_a_cli_that_hangs_is_ended_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setenv("MAVERICK_CLI_PATH", str(program(tmp_path / "own", "sleep 600 & sleep 600")))
    monkeypatch.setattr(programs, "_SECONDS", 0.3)
    told = found(check_cli)
    assert told.state == "wrong"
    assert "no answer within" in told.fact


def test_git_is_found_and_asked() -> None:
    told = found(check_git)
    assert (told.state, told.fact) == ("fine", told.details["version"])


def test_what_git_would_run_in_this_folder_is_said() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "config", "core.fsmonitor", "./evil"], check=True)
    told = found(check_git)
    assert told.state == "warning"
    assert "core.fsmonitor" in told.fact


def test_a_git_that_takes_no_settings_from_us_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin/git", "echo git version 2.25.1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    told = found(check_git)
    assert told.state == "warning"
    assert told.fact.startswith("2.25.1, but")
    assert "2.31" in told.hint


def test_without_git_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    told = found(check_git)
    assert (told.state, told.hint) == ("warning", "Install git.")
