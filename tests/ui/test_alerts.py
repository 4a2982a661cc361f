"""Notifier: who is told of what, and that nothing foreign reaches the terminal with it."""

from __future__ import annotations

import re

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event, Usage
from maverick_tui.host import notify_command
from maverick_tui.host.notify_command import Told
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.news import News
from maverick_tui.ui import alerts
from maverick_tui.ui.alerts import Alert, Notifier, Protocol, escape, protocol_of
from tests.runs.story import NETWORK, ask, call, end
from tests.support.cases import each

KITTY = {"TERM": "xterm-kitty"}
SHORT, LONG = Usage(1, 1, cost_usd=0.0612, duration_ms=2_000), Usage(1, 1, cost_usd=0.0612, duration_ms=125_000)


def told(*events: Event, has_focus: bool = False, terminal: dict[str, str] | None = None) -> Alert | None:
    """What comes of the last event."""
    notifier, run = Notifier(KITTY if terminal is None else terminal), run_of()
    return [_heard(notifier, run, event, has_focus=has_focus) for event in events][-1]


def run_of(run_id: str = "one") -> RunModel:
    return RunModel(run_id, "reviewer", Board(lambda *_: None))


def _heard(notifier: Notifier, run: RunModel, event: Event, *, has_focus: bool = False) -> Alert | None:
    run.store.apply(event)
    return notifier.told(run, event, has_focus=has_focus)


def test_a_run_that_is_done_is_told_to_who_looks_elsewhere() -> None:
    alert = told(end(usage=SHORT))
    assert alert == ("done in 2.0 s, $0.061", True, "\x1b]9;Maverick: reviewer done in 2.0 s, $0.061\x07")


def test_an_estimate_and_an_unknown_price() -> None:
    assert getattr(told(end(usage=SHORT, is_estimate=True)), "text", "") == "done in 2.0 s, ~$0.061"
    assert getattr(told(end(usage=Usage(duration_ms=2_000))), "text", "") == "done in 2.0 s"


def test_who_looks_is_told_only_of_a_long_turn_and_only_by_the_bell() -> None:
    assert told(end(usage=SHORT), has_focus=True) is None
    assert told(end("failed", failure=NETWORK, usage=SHORT), has_focus=True) is None
    alert = told(end(usage=LONG), has_focus=True)
    assert alert == ("done in 2:05, $0.061", True, "")


def test_what_the_person_has_stopped_is_no_news() -> None:
    assert told(end("interrupted", usage=LONG)) is None


def test_a_turn_with_another_behind_it_is_not_the_end() -> None:
    queued = ev.PromptQueued(1, "p2", "x")
    assert told(queued, end(usage=LONG)) is None
    assert told(queued, end("failed", failure=NETWORK, usage=LONG)) is not None, "a failure is news all the same"
    assert told(queued, ev.PromptDropped(2, "p2"), end(usage=LONG)) is not None
    assert told(queued, ev.TurnStarted(2, 2, "x", "p2"), end(usage=LONG)) is not None
    assert told(queued, ev.PromptsHeld(2, ("p2",)), end(usage=LONG)) is not None, "it waits for the person"


def test_the_queue_of_another_run_does_not_matter() -> None:
    notifier, one, other = Notifier({}), run_of(), run_of("two")
    _heard(notifier, one, ev.PromptQueued(1, "p", "x"))
    assert _heard(notifier, other, end(usage=LONG)) is not None
    assert _heard(notifier, one, end(usage=LONG)) is None


def test_a_failure_says_why() -> None:
    alert = told(end("failed", failure=NETWORK))
    assert getattr(alert, "text", "") == "failed: The stream broke."
    assert getattr(told(end("failed")), "text", "") == "failed"
    assert getattr(told(ev.ConnectFailed(1, NETWORK)), "text", "") == "not connected: The stream broke."
    assert told(ev.ConnectFailed(1, NETWORK), has_focus=True) is None


def test_a_question_is_told_also_to_who_looks() -> None:
    text = "needs you: git: push wants permission"
    assert told(ask(tool="mcp__git__push"), has_focus=True) == (text, True, "")
    assert getattr(told(ask(tool="mcp__git__push")), "escape", "").startswith("\x1b]9;Maverick: reviewer needs you")
    assert getattr(told(ask(tool="AskUserQuestion")), "text", "") == "needs you: it asks a question"


def test_the_news_names_the_run_and_not_its_agent_alone() -> None:
    notifier, run = Notifier(KITTY), run_of()
    _heard(notifier, run, ev.TurnStarted(1, 1, f"Mend the parser{' again' * 20}"))
    alert = _heard(notifier, run, ask())
    assert alert is not None
    assert "reviewer · Mend the parser again again" in alert.escape
    assert "… needs you" in alert.escape
    _heard(notifier, run, ev.RunNamed(2, "parser"))
    alert = _heard(notifier, run, ask(at=90))
    assert alert is not None
    assert "reviewer · parser needs you" in alert.escape


def test_questions_in_a_row_ring_once() -> None:
    rings = []
    notifier, run = Notifier(KITTY), run_of()
    for at in (10.0, 10.5, 12.0, 20.0):
        alert = _heard(notifier, run, ask(at=at))
        assert alert is not None
        assert bool(alert.escape) == alert.rings
        rings.append(alert.rings)
    assert rings == [True, False, False, True]


@pytest.mark.parametrize("event", [call("Bash"), ev.RunEnded(1), ev.Connected(1), ev.Noticed(1, "x", "y")])
def test_everything_else_is_nobodys_business(event: Event) -> None:
    assert told(event) is None


@each(
    ("terminal", "protocol"),
    [
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "xterm-256color"}, "osc9"),
        ({"TERM_PROGRAM": "WezTerm"}, "osc9"),
        (KITTY, "osc9"),
        ({"TERM": "xterm-ghostty"}, "osc9"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "osc777"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "linux"}, ""),
        ({}, ""),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"}, ""),
        ({"TMUX": "/tmp/tmux", "TERM": "xterm-kitty"}, ""),
    ],
)
def test_only_a_terminal_that_is_known_to_understand_gets_an_escape(
    terminal: dict[str, str], protocol: Protocol
) -> None:
    assert protocol_of(terminal) == protocol
    alert = told(end(usage=LONG), terminal=terminal)
    assert alert is not None
    assert alert.rings
    assert bool(alert.escape) == bool(protocol)


@pytest.mark.parametrize("protocol", ["osc9", "osc777"])
def test_nothing_foreign_gets_out_of_the_escape(protocol: Protocol) -> None:
    evil = "x\x1b\\\x07\x9c;\n4;3\u202e\x1b]52;c;ZXZpbA==\x07" + "y" * 5000
    written = escape(protocol, evil, evil)
    inner = re.fullmatch("\x1b\\](?:9|777;notify);Maverick: (.*)\x07", written)
    assert inner is not None
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", inner[1])
    assert inner[1].count(";") == (protocol == "osc777")
    assert len(written) < 400


def test_a_failure_with_escapes_is_inert() -> None:
    alert = told(end("failed", failure=ev.Failure("E", "k", "a\x1b[2J\nb")))
    assert getattr(alert, "text", "") == "failed: a␛[2J b"


async def test_a_command_is_never_the_one_of_the_project_that_it_tells_of(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Told] = []

    async def tell(_command: object, told: Told) -> None:
        said.append(told)

    monkeypatch.setattr(notify_command, "tell_by_command", tell)
    run = run_of()
    run.store.apply(ev.AgentLoaded(1, "reviewer", "/work/clone"))
    await alerts._tell_by_command(run, News("done", "done"))
    assert [told.folder for told in said] == ["/work/clone"]
