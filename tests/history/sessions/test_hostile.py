"""Whatever is in Claude Code's folder: nothing crashes, nothing hangs, and what makes sense is listed."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.agent.engine.claude.stored import Entry, conversation
from maverick_tui.cli.runs_text import print_list, print_run
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.index import RunIndex
from maverick_tui.history.reading import read_run
from maverick_tui.history.sessions import files
from maverick_tui.journal import claude_sessions
from maverick_tui.review.files_of_run import FilesOfRun
from tests.history.sessions.stored import ID, OTHER, Session, plain


def titles() -> list[str]:
    with RunIndex() as index:
        index.read_sessions()
        return [run.title for run in index.runs()]


def test_without_claude_code_there_is_nothing_and_nothing_is_made() -> None:
    assert titles() == []
    assert not paths.claude_config().exists()


def test_without_a_home_there_is_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody(_uid: int) -> pwd.struct_passwd:
        raise KeyError

    plain().write()
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert titles() == []


def test_its_folder_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain(prompt="At home").write()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert titles() == []
    plain(OTHER, "Elsewhere").write()
    assert titles() == ["Elsewhere"]


def test_what_is_no_file_of_ours_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = plain(prompt="A session").write().parent
    os.mkfifo(folder / f"{OTHER}.jsonl")
    (folder / f"4{ID[1:]}.jsonl").symlink_to(plain().file)
    (folder / f"5{ID[1:]}.jsonl").mkdir()
    (folder / f"6{ID[1:]}.jsonl").symlink_to("/dev/zero")
    (folder / "agent-1.jsonl").write_bytes(b"{}\n")
    (folder.parent / "a-file").write_bytes(b"")
    (folder.parent / "a-loop").symlink_to(folder.parent / "a-loop")
    assert titles() == ["A session"]
    with pytest.raises(ConfigError):
        read_run(OTHER)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert titles() == []


def test_a_file_that_becomes_a_pipe_after_it_was_seen_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    path = plain().write()
    seen = path.lstat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(claude_sessions, "is_own_file", lambda _about: True)
    assert stat.S_ISREG(seen.st_mode)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_run(ID)


def test_lines_that_make_no_sense_hide_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 100_000)
    session = Session()
    session.put(b'{"uuid":' + b"[" * 50_000 + b"\n").put(b'{"uuid":"\xff\xfe"}\n').put(b"\x00" * 500 + b"\n")
    session.put(b'"uuid":7\n').put(b'["uuid":1]\n').put(b'{"uuid":"x","type":"user","parentUuid":{}}\n').put(b"\n")
    session.ask("Go").answer("Yes.")
    session.put(b'{"uuid":"' + b"x" * 250_000 + b'"}\n')
    session.put(b'{"uuid":"torn","type":"user","message":{"content":"never ended')
    session.write()
    assert titles() == ["Go"]
    assert len(read_run(ID).events) > 5


def test_of_a_session_that_is_too_long_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    session = plain(prompt="The first prompt")
    for number in range(50):
        session.ask(f"Prompt {number}").answer("x" * 1_000)
    session.write()
    monkeypatch.setattr(files, "LARGEST", 20_000)
    events = read_run(ID).events
    assert "left out" in repr(events[:4])
    assert "Prompt 49" in repr(events)
    assert "The first prompt" not in repr(events)
    assert titles() != []


def test_a_tree_that_is_a_circle_has_an_end() -> None:
    session = Session().ask("Go", parent="u2").answer("Yes.")
    session.write()
    assert len(titles()) <= 1


def test_what_steers_a_terminal_stays_text(capsys: pytest.CaptureFixture[str]) -> None:
    plain(prompt="\x1b]0;title\x07Fix\u202e it", answer="\x1b[2J").write()
    with RunIndex() as index:
        index.read_sessions()
        (run,) = index.runs()
        print_list([run], 1, is_filtered=False)
        print_run(run, index.turns(ID), FilesOfRun(run.files))
    shown = capsys.readouterr().out
    assert "Fix" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_session_that_neither_we_nor_the_sdk_understand_is_listed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain().write()
    plain(OTHER, "Another").write()

    def refuse(entries: list[Entry]) -> Iterator[Entry]:
        if entries[0]["sessionId"] == ID:
            raise KeyError("new")
        return conversation(entries)

    monkeypatch.setattr("maverick_tui.history.sessions.telling.conversation", refuse)
    with RunIndex() as index:
        index.read_sessions()
        assert {run.title: bool(run.about.problem) for run in index.runs()} == {
            "Another": False,
            "Fix the login test": True,
        }
    with pytest.raises(ConfigError, match="not understood"):
        read_run(ID)
