"""The gateway itself, without a machine between: what it answers, and that it ends with whoever asks."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host.far.gateway import Gateway
from maverick_tui.host.far.lines import VERSION
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from tests.history.kept import keep
from tests.host.served_run import RUN
from tests.support.cook import write_cook
from tests.support.runs import Tape

OTHER = "0ce2c0ffee00"


class Asked:
    """A gateway in a thread, and the line to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(60.0)
        self.line = ours
        self.said = ours.makefile("rb")
        self._theirs = theirs
        self.thread = Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        with self._theirs:
            Gateway(self._theirs.fileno(), self._theirs.fileno()).serve()

    def ask(self, **what: Any) -> dict[str, Any]:
        self.line.sendall(json.dumps(what).encode() + b"\n")
        return self.hear()

    def hear(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.said.readline())
        return said

    def leave(self) -> None:
        self.line.shutdown(socket.SHUT_WR)
        self.thread.join(60.0)
        assert not self.thread.is_alive()
        self.said.close()
        self.line.close()


@pytest.fixture
def gateway() -> Iterator[Asked]:
    asked = Asked()
    assert asked.hear()["maverick_gateway"]["version"] == VERSION
    yield asked
    asked.leave()


def test_what_it_cannot_do_it_refuses_and_goes_on(gateway: Asked) -> None:
    assert gateway.ask(ask="list") == {"answer": {"runs": []}}
    gateway.line.sendall(b"no line of JSON\n")
    assert "JSON" in gateway.hear()["refused"]
    assert "cannot 'dance'" in gateway.ask(ask="dance")["refused"]
    assert "no order" in gateway.ask(ask="start")["refused"]
    assert "No run has an id" in gateway.ask(ask="stop", run="abcd")["refused"]
    assert "is not the id of a run" in gateway.ask(ask="attach", run="../../etc")["refused"]
    assert "no process of its own" in gateway.ask(ask="attach", run=OTHER)["gone"]
    assert "No run has a process" in gateway.ask(ask="find", run="", hosted=True)["refused"]
    keep(RUN, Tape().events)
    assert "no event" in gateway.ask(ask="events", run=RUN, since="x")["refused"]
    folder = gateway.ask(ask="start", order={"run_id": OTHER, "agent": "cook", "cwd": "/no/such/folder"})
    assert "There is no folder /no/such/folder." in folder["refused"]


def test_what_is_kept_is_told_from_any_event_on_and_followed(gateway: Asked) -> None:
    journal = Journal(journal_of(OTHER), print)
    events: list[ev.Event] = [ev.RunStarted(1, OTHER, "explorer"), ev.TurnStarted(2, 1, "Go")]
    journal.write(0, events)
    assert gateway.ask(ask="events", run=OTHER[:5], since=1) == {"answer": {"run_id": OTHER}}
    assert [gateway.hear().get("seq"), gateway.hear()["is_alive"]] == [1, True]
    gateway.ask(ask="events", run=OTHER, follow=True)
    assert [gateway.hear()["seq"] for _ in events] == [0, 1]
    assert gateway.hear() == {"now": 2}
    journal.write(2, [ev.RunEnded(3, "closed")])
    assert gateway.hear()["seq"] == 2
    journal.close()
    assert gateway.hear() == {"end": 3, "is_alive": False, "is_foreign": False, "problem": ""}


def test_who_goes_in_the_middle_of_a_run_that_is_followed_is_missed_by_nobody() -> None:
    journal = Journal(journal_of(OTHER), print)
    journal.write(0, [ev.RunStarted(1, OTHER, "explorer")])
    asked = Asked()
    asked.hear()
    asked.ask(ask="events", run=OTHER, follow=True)
    asked.leave()
    journal.close()


def test_nothing_but_its_lines_is_on_its_standard_output(home: Path) -> None:
    write_cook(home)
    agent = home / ".config" / "maverick" / "agents" / "cook.py"
    agent.write_text(
        "print('An agent that talks while it is loaded')\nraise OSError('and fails')\n" + agent.read_text()
    )
    asked = [{"ask": "start", "order": {"run_id": OTHER, "agent": "cook", "cwd": ""}}, {"ask": "list"}]
    ran = subprocess.run(
        [sys.executable, "-m", "maverick_tui", "host", "--stdio"],
        input="".join(json.dumps(one) + "\n" for one in asked).encode(),
        capture_output=True,
        check=True,
        env=dict(os.environ),
    )
    hello, *answers = map(json.loads, ran.stdout.splitlines())
    assert "maverick_gateway" in hello
    assert [next(iter(answer)) for answer in answers] == ["refused", "answer"]
