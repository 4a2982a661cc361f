"""Checks run side by side: each is told in its place, and none takes another down or holds all of them up."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator

import pytest

from maverick_tui import paths
from maverick_tui.doctor import findings
from maverick_tui.doctor.findings import Check, Finding, Situation, examine
from tests.doctor.situations import here


def fine(name: str) -> Check:
    def look(_: Situation) -> Iterator[Finding]:
        yield Finding(name, "fine", "it is")

    return Check(name, look)


def test_findings_come_in_the_order_of_their_checks_though_all_run_at_once() -> None:
    second_has_run = threading.Event()

    def waits(_: Situation) -> Iterator[Finding]:
        assert second_has_run.wait(60)
        yield Finding("first", "fine", "it is")

    def tells(_: Situation) -> Iterator[Finding]:
        second_has_run.set()
        yield Finding("second", "fine", "it is")

    told = examine([Check("first", waits), Check("second", tells)], here())
    assert [one.name for one in told] == ["first", "second"]


def test_a_check_that_fails_is_a_finding_without_secrets_and_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "opensesame-1")

    def fails(_: Situation) -> Iterator[Finding]:
        yield Finding("bad", "fine", "so far")
        raise RuntimeError("\x1b[31m opensesame-1")

    bad, good = examine([Check("bad", fails), fine("good")], here())
    assert (bad.name, bad.state) == ("bad", "wrong")
    assert "RuntimeError" in bad.fact
    assert "opensesame" not in bad.fact
    assert "\x1b" not in bad.fact
    assert good.state == "fine"


def test_a_check_to_which_a_file_is_closed_says_what_to_do() -> None:
    def fails(_: Situation) -> list[Finding]:
        raise PermissionError(errno.EACCES, "Permission denied", str(paths.user_state() / "index.db"))

    (told,) = examine([Check("index", fails)], here())
    assert told.fact == f"{paths.user_state() / 'index.db'} cannot be used: Permission denied"
    assert "sudo chown" in told.hint


def test_a_check_whose_own_time_was_over_says_so() -> None:
    def fails(_: Situation) -> list[Finding]:
        raise TimeoutError("the disk sleeps")

    (told,) = examine([Check("late", fails)], here())
    assert "TimeoutError: the disk sleeps" in told.fact


def test_a_check_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()

    def hangs(_: Situation) -> Iterator[Finding]:
        is_over.wait(60)
        yield Finding("slow", "fine", "at last")

    monkeypatch.setattr(findings, "LONGEST", 0.2)
    slow = next(examine([Check("slow", hangs)], here()))
    is_over.set()
    assert (slow.name, slow.state) == ("slow", "wrong")
    assert "not known after" in slow.fact
