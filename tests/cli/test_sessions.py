"""`maverick runs` with sessions of Claude Code: read like runs, named and tagged by us, and never removed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from maverick_tui.cli import headless, launching
from maverick_tui.cli.headless import Wanted
from maverick_tui.ui.launch import Launch
from tests.history.kept import AT, begun, ended, keep, keep_run
from tests.history.sessions.stored import ID, OTHER, Session, plain
from tests.support.command_line import Run

SHORT = ID[:8]


@pytest.fixture
def session() -> Path:
    return plain().write(time.time() - 60)


def test_it_is_listed_shown_found_and_exported(maverick: Run, session: Path) -> None:
    assert maverick("runs", "reindex").code == 0
    ran = maverick("runs", "list", "source:claude")
    assert (ran.code, ran.err) == (0, "")
    assert "1 run  ~$" in ran.out, "what a session has cost is an estimate"
    assert f"{SHORT}  " in ran.out
    assert "Claude Code" in ran.out
    assert "Fix the login test" in maverick("runs", "show", SHORT).out
    (one,) = json.loads(maverick("runs", "list", "--json").out)
    assert (one["run_id"], one["source"], one["journal"]) == (ID, "claude", str(session))
    (hit,) = json.loads(maverick("runs", "search", "expires", "--json").out)
    assert hit["run_id"] == ID
    assert "The session expires." in maverick("runs", "export", SHORT).out
    assert maverick("runs", "path", SHORT).out.strip() == str(session)


def test_it_has_tags_and_a_name_and_is_removed_by_nobody(maverick: Run, session: Path) -> None:
    before = session.read_bytes()
    assert maverick("runs", "tag", SHORT, "+kept").out.strip() == "#kept"
    ran = maverick("runs", "delete", SHORT, "--yes")
    assert ran.code == 1
    assert f"{ID} cannot be removed: it is a session of Claude Code" in ran.err
    keep_run("7f3a00c0ffee", AT)
    pruned = maverick("runs", "prune", "--older-than", "1m", "--yes", "--json")
    assert json.loads(pruned.out) == {"removed": ["7f3a00c0ffee"]}
    assert session.read_bytes() == before
    assert SHORT in maverick("runs", "list", "tag:kept").out


def test_a_search_says_how_much_it_has_not_read(maverick: Run, session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.cli.runs._SEARCHES_FOR", 0)
    ran = maverick("runs", "search", "expires")
    assert "1 session of Claude Code is still to be read" in ran.err
    assert maverick("runs", "reindex").code == 0
    ran = maverick("runs", "search", "expires")
    assert ran.err == ""
    assert SHORT in ran.out


def test_it_goes_on_where_it_was_with_claude_code_or_whom_one_names(
    maverick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Session(OTHER, cwd=str(tmp_path)).ask("Go").answer("Yes").write()
    opened: list[Launch] = []
    monkeypatch.setattr(launching, "is_terminal", lambda: True)

    def open_app(launch: Launch) -> int:
        opened.append(launch)
        return 0

    monkeypatch.setattr(launching, "open_app", open_app)
    unattended: list[Wanted] = []

    def run_headless(wanted: Wanted) -> int:
        unattended.append(wanted)
        return 0

    monkeypatch.setattr(headless, "run_headless", run_headless)
    assert maverick("run", "--resume", OTHER, "On").code == 0
    assert maverick("run", "implementer", "On", "--resume", OTHER).code == 0
    assert [(one.agent, one.prompt) for one in unattended] == [("Claude Code", "On"), ("implementer", "On")]
    assert maverick("runs", "resume", OTHER).code == 0
    assert maverick("runs", "resume", OTHER, "--agent", "implementer").code == 0
    assert [(launch.cwd, launch.agent, launch.resumes) for launch in opened] == [
        (tmp_path, "Claude Code", OTHER),
        (tmp_path, "implementer", OTHER),
    ]


def test_a_run_of_ours_goes_on_with_its_own_agent(maverick: Run) -> None:
    keep_run("7f3a00c0ffee", AT)
    ran = maverick("runs", "resume", "7f3a", "--agent", "implementer")
    assert ran.code == 1
    assert "is a run of 'reviewer'" in ran.err
    assert "maverick runs fork 7f3a00c0ffee --agent implementer" in " ".join(ran.err.split())


def test_who_removes_a_session_that_went_on_hears_that_claude_code_still_has_it(maverick: Run, session: Path) -> None:
    keep(ID, [*begun(ID), *ended()])
    ran = maverick("runs", "delete", SHORT, "--yes")
    assert ran.code == 0
    assert f"The session {ID} of Claude Code stays" in ran.out
    keep_run("7f3a00c0ffee", AT)
    assert "Claude Code" not in maverick("runs", "delete", "7f3a", "--yes").out


def test_a_session_whose_folder_is_gone_says_so(maverick: Run, session: Path) -> None:
    ran = maverick("runs", "resume", SHORT)
    assert ran.code == 1
    assert "There is no folder /shop" in ran.err
