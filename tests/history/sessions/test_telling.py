"""A stored session is told as a run of ours would have told it."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.opening import open_run
from maverick_tui.history.reading import read_run
from maverick_tui.runs.past import past_of
from tests.history.sessions.stored import AT, ID, Session, call, plain
from tests.masking.examples import RANDOM
from tests.runs.grammar import check_well_formed
from tests.runs.watching import blocks
from tests.support.cases import each


def told(session: Session) -> list[Event]:
    session.write()
    events = read_run(ID).events
    check_well_formed(events)
    return events


def turns(events: list[Event]) -> list[tuple[str, str]]:
    """What was asked, and what came of it."""
    asked = [event.text for event in events if isinstance(event, ev.TurnStarted)]
    return list(zip(asked, [event.outcome for event in events if isinstance(event, ev.TurnEnded)], strict=True))


def test_it_is_a_run_that_has_ended() -> None:
    events = told(plain().ask("And now?").answer("It works."))
    loaded = next(event for event in events if isinstance(event, ev.AgentLoaded))
    assert (loaded.agent, loaded.cwd, loaded.branch, loaded.permission_mode) == (
        "Claude Code",
        "/shop",
        "main",
        "default",
    )
    assert turns(events) == [("Fix the login test", "done"), ("And now?", "done")]
    assert blocks(events) == ["The session expires.", "It works."]
    assert [event.place for event in events if isinstance(event, ev.TurnEnded)] == ["u2", "u4"]
    assert events[0].at == AT + 1
    assert past_of(events).events == events, "it has an end of its own"
    store = open_run(ID).store
    assert (store.first_prompt, store.model, store.is_ended) == ("Fix the login test", "claude-sonnet-4-5", True)


def test_calls_that_ran_side_by_side_are_all_there_with_their_results() -> None:
    session = Session().ask("Look")
    session.answer(
        {"type": "thinking", "thinking": "Both."}, "Looking.", call("c1", "Read", file_path="a"), stop="tool_use"
    )
    first = session.last
    session.answer(call("c2", "Read", file_path="b"), stop="tool_use", message="m2")
    second = session.last
    session.result("c2", "in b", parent=second).result("c1", "in a", parent=first, toolUseResult={"type": "text"})
    events = told(session.answer("Both are there."))
    assert [event.call for event in events if isinstance(event, ev.ToolCalled)] == ["c1", "c2"]
    assert {event.call: event.output for event in events if isinstance(event, ev.ToolFinished)} == {
        "c1": "in a",
        "c2": "in b",
    }
    assert blocks(events, "thinking") == ["Both."]


def test_calls_that_an_endpoint_has_called_the_same_are_each_there_with_their_result() -> None:
    session = Session().ask("Look").answer(call("c", "Read", file_path="a"), stop="tool_use")
    session.result("c", "in a").answer(call("c", "Read", file_path="b"), stop="tool_use").result("c", "in b")
    session.answer(call("c", "Read", file_path="cut"), stop="tool_use").ask("And now?")
    session.answer(call("c", "Read", file_path="d"), stop="tool_use").result("c", "in d").result("c", "once more")
    events = told(session.answer("Done."))
    outputs = {event.call: event.output for event in events if isinstance(event, ev.ToolFinished)}
    called = [event for event in events if isinstance(event, ev.ToolCalled)]
    found = [(event.arguments["file_path"], outputs.get(event.call)) for event in called]
    assert found == [("a", "in a"), ("b", "in b"), ("cut", None), ("d", "in d")]


def test_what_was_taken_back_is_not_told_and_what_was_compacted_is() -> None:
    session = Session().ask("The first question").answer("The first answer")
    fork = session.last
    session.ask("A mistake").answer("An answer to it")
    session.ask("The right question", parent=fork).answer("The right answer")
    session.entry("system", parent=None, subtype="compact_boundary", compactMetadata={"preTokens": 5_000})
    session.ask("This session is being continued: ...", isCompactSummary=True)
    events = told(session.ask("The last question").answer("The last answer"))
    assert turns(events) == [
        ("The first question", "done"),
        ("The right question", "done"),
        ("The last question", "done"),
    ]
    assert [event.text for event in events if isinstance(event, ev.Noticed)] == [
        "The conversation was compacted; it had 5,000 tokens."
    ]


def test_an_answer_is_counted_once_by_its_last_figures() -> None:
    events = told(Session().ask("Go").answer("One", "two", "three"))
    (end,) = (event for event in events if isinstance(event, ev.TurnEnded))
    assert (end.usage.input_tokens, end.usage.output_tokens, end.steps, end.is_estimate) == (100, 21, 1, True)
    assert end.usage.cost_usd is not None
    assert end.usage.cost_usd > 0


@each(
    ("session", "expected"),
    [
        (Session().ask("Go"), [("Go", "interrupted")]),
        (Session().ask("Go").answer(call("c", "Bash"), stop="tool_use"), [("Go", "interrupted")]),
        (Session().ask("Go").answer("Yes", stop=None), [("Go", "done")]),
        (Session().ask("Go").answer("Now:", call("c", "Bash"), stop=None), [("Go", "interrupted")]),
        (Session().ask("Go").answer("Half").ask("[Request interrupted by user]"), [("Go", "interrupted")]),
        (Session().ask("Go").answer("API Error: 500", isApiErrorMessage=True), [("Go", "failed")]),
        (
            Session()
            .ask("<command-name>/model</command-name><command-args>opus</command-args>")
            .ask("<local-command-stdout>Set it</local-command-stdout>"),
            [("/model opus", "done")],
        ),
        (Session().ask("<bash-input>ls</bash-input>").ask("Go").answer("Yes"), [("!ls", "done"), ("Go", "done")]),
        (Session().ask("caveat", isMeta=True).ask("Go").answer("Yes"), [("Go", "done")]),
        (
            Session().ask([{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "image"}]),
            [("[image]", "interrupted")],
        ),
        (Session().ask("<task-notification>x</task-notification>").answer("Done."), [("", "done")]),
        (Session().ask("Go").answer("Yes", isSidechain=True), [("Go", "interrupted")]),
    ],
)
def test_what_stands_in_the_place_of_prompts_is_told_for_what_it_is(
    session: Session, expected: list[tuple[str, str]]
) -> None:
    assert turns(told(session)) == expected


def test_a_title_is_its_name_and_the_persons_own_comes_first() -> None:
    session = plain()
    session.put({"type": "custom-title", "customTitle": "Login", "sessionId": ID})
    session.put({"type": "ai-title", "aiTitle": "Fixing a test", "sessionId": ID})
    assert [event.name for event in told(session) if isinstance(event, ev.RunNamed)] == ["Login"]


def test_secrets_are_masked_wherever_they_stand() -> None:
    session = plain(prompt=f"My password: {RANDOM}", answer=f"So password: {RANDOM} it is.")
    session.answer(call("c", "Bash", command=f"login --token {RANDOM}", env={"API_TOKEN": RANDOM}), stop="tool_use")
    events = told(session.result("c", f"password: {RANDOM}", toolUseResult={"stdout": f"password: {RANDOM}"}))
    assert RANDOM not in repr(events)
    assert turns(events)[0][0] == "My password: [secret]"


@each(
    "odd",
    [
        {"type": "assistant", "uuid": "o", "message": None},
        {"type": "assistant", "uuid": "o", "message": {"content": [None, 7, {"type": "tool_use"}, {"type": []}]}},
        {"type": "assistant", "uuid": "o", "message": {"content": "x", "usage": {"input_tokens": "many"}, "id": 7}},
        {"type": "user", "uuid": "o", "message": {"content": [{"type": "tool_result", "tool_use_id": []}]}},
        {"type": "user", "uuid": "o", "message": {"content": {"a": 1}}, "timestamp": 10**30, "cwd": 7},
        {"type": "user", "uuid": "o", "message": "x", "timestamp": "+999999-01-01T00:00:00Z"},
        {"type": "system", "subtype": "compact_boundary", "uuid": "o", "compactMetadata": 7},
        {"type": ["user"], "uuid": "o", "message": {"content": "x"}},
    ],
)
def test_an_entry_that_makes_no_sense_hides_no_other(odd: dict[str, Any]) -> None:
    session = plain()
    session.put({"parentUuid": session.last, "timestamp": "never", **odd})
    session.last = "o"
    assert ("Go on", "done") in turns(told(session.ask("Go on").answer("Gladly.")))


def test_a_session_in_which_nobody_asked_anything_has_nothing_to_read() -> None:
    Session().put({"type": "summary", "summary": "x"}).write()
    with pytest.raises(ConfigError, match="Nobody has asked anything"):
        read_run(ID)


def test_a_turn_ends_with_what_was_last_said_in_it_and_not_with_the_next_prompt() -> None:
    session = Session().ask("Fix it").answer("Fixed.")
    session.at += 86_400
    session.ask("And now?").answer("That, too.").write()
    ends = [event for event in read_run(ID).events if isinstance(event, ev.TurnEnded)]
    assert [event.usage.duration_ms for event in ends] == [1_000, 1_000]
