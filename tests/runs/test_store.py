"""RunStore: what follows from the events of a run, whatever their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.background import Job
from maverick_tui.events.kinds import EVENTS, Event
from maverick_tui.inert import inert
from maverick_tui.runs.admission import TURN_COMES
from maverick_tui.runs.entries import EndEntry, FailureEntry, NoticeEntry, PromptEntry, TextEntry
from maverick_tui.runs.store import Phase, RunStore
from tests.runs.story import (
    IN_LINE,
    LOADED,
    NETWORK,
    OPEN,
    START,
    ask,
    asked,
    began,
    call,
    end,
    kinds,
    picture,
    text,
    through_json,
    told,
    tool,
)
from tests.support.cases import each

CUT = ev.Failure("StreamingError", "network", "The stream broke.")


def prompts(store: RunStore) -> list[PromptEntry]:
    return [entry for entry in store.entries if isinstance(entry, PromptEntry)]


def texts(store: RunStore) -> list[tuple[str, str]]:
    return [(entry.text, entry.state) for entry in store.entries if isinstance(entry, TextEntry)]


# -- phases ------------------------------------------------------------------------------------------------------------


@each(
    ("phase", "events"),
    [
        ("starting", []),
        ("starting", [START]),
        ("connecting", [START, ev.Connecting(1)]),
        ("queued", [START, IN_LINE]),
        ("starting", [START, IN_LINE, ev.Noticed(2, TURN_COMES, "It is its turn.")]),
        ("queued", [*OPEN, ev.TurnStarted(1, 1, "x"), end(), IN_LINE]),
        ("sending", [*OPEN, IN_LINE, ev.TurnStarted(1, 1, "x")]),
        ("starting", [START, IN_LINE, ev.RunEnded(2), ev.RunReopened(3)]),
        ("ready", OPEN),
        ("disconnected", [START, ev.Connecting(1), ev.ConnectFailed(2, NETWORK)]),
        ("connecting", [START, ev.Connecting(1), ev.ConnectFailed(2, NETWORK), ev.Connecting(3, again=True)]),
        ("sending", [*OPEN, ev.TurnStarted(1, 1, "x")]),
        ("sending", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.RequestStarted(2)]),
        ("thinking", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.BlockStarted(2, 1, "thinking")]),
        ("writing", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.BlockStarted(2, 1, "text")]),
        ("calling", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.BlockStarted(2, 1, "tool", name="Bash")]),
        ("tool", [*OPEN, ev.TurnStarted(1, 1, "x"), call("Bash")]),
        ("sending", [*OPEN, ev.TurnStarted(1, 1, "x"), call("Bash"), ev.ToolFinished(4, "c1", "ok")]),
        ("asking", [*OPEN, ev.TurnStarted(1, 1, "x"), call("Bash"), ask()]),
        ("retrying", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.RetryScheduled(2, 1, 10, 0.5)]),
        ("sending", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.RetryScheduled(2, 1, 10, 0.5), ev.RequestStarted(3)]),
        ("writing", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.RetryScheduled(2, 1, 10, 0.5), *text(1)]),
        ("interrupting", [*OPEN, ev.TurnStarted(1, 1, "x"), call("Bash"), ask(), ev.InterruptRequested(5)]),
        ("done", [*OPEN, ev.TurnStarted(1, 1, "x"), end()]),
        ("interrupted", [*OPEN, ev.TurnStarted(1, 1, "x"), ev.InterruptRequested(2), end("interrupted")]),
        ("failed", [*OPEN, ev.TurnStarted(1, 1, "x"), end("failed", failure=NETWORK)]),
        ("ended", [*OPEN, ev.RunEnded(3)]),
        ("ended", [*OPEN, ev.TurnStarted(1, 1, "x"), call("Bash"), ev.RunEnded(3)]),
        ("ended", [*OPEN, ev.RunEnded(3), ev.Connecting(4)]),
    ],
)
def test_the_phase_says_the_one_thing_that_is_waited_for(phase: Phase, events: list[Event]) -> None:
    assert told(*events).phase == phase


def test_an_interrupt_without_a_turn_is_nothing() -> None:
    store = told(*OPEN, ev.InterruptRequested(2), ev.TurnStarted(3, 1, "x"))
    assert store.phase == "sending"


def test_an_answered_retry_is_over() -> None:
    store = asked(ev.RetryScheduled(2, 3, 10, 4.0, 529, "overloaded"))
    assert getattr(store.retry, "attempt", 0) == 3
    store.apply(ev.RequestStarted(7))
    assert store.retry is None
    store.apply(ev.RetryScheduled(8, 4, 10, 4.0))
    store.apply(end("failed", failure=NETWORK, at=9))
    store.apply(ev.TurnStarted(10, 2, "again"))
    assert store.phase == "sending"


def test_a_way_that_is_lost_after_an_answer_is_said() -> None:
    store = asked(end(), ev.ConnectFailed(20, NETWORK))
    assert (store.phase, store.failure) == ("disconnected", NETWORK)
    store.apply(ev.Connecting(21, again=True))
    assert (store.phase, store.failure) == ("connecting", None)
    banner = store.current_failure
    store.apply(ev.Connected(22))
    assert store.phase == "done"
    assert (banner is not None, store.current_failure is None) == (True, True)


def test_a_failed_turn_stays_failed_while_the_way_is_opened_again() -> None:
    store = asked(end("failed", failure=CUT), ev.Connecting(20, again=True))
    assert store.phase == "connecting"
    store.apply(ev.Connected(21))
    assert (store.phase, store.failure, store.current_failure is not None) == ("failed", CUT, True)


def test_a_turn_that_works_makes_a_lost_way_good() -> None:
    store = told(*OPEN, ev.ConnectFailed(1, NETWORK), ev.TurnStarted(2, 1, "x"), end())
    assert (store.phase, store.failure) == ("done", None)


def test_the_phase_knows_since_when_and_the_model_when_it_was_heard() -> None:
    store = asked(*text(1, "Hello", at=5.0))
    assert (store.phase, store.phase_since, store.heard_at) == ("writing", 5.0, 5.0)
    store.apply(ev.BlockGrew(6.5, 1, " you"))
    assert (store.phase_since, store.heard_at) == (5.0, 6.5)
    store.apply(ev.RateLimited(7.0, "allowed"))
    assert store.heard_at == 6.5, "the account's limits are no sign of life of the model"


# -- what is known about the run ---------------------------------------------------------------------------------------


def test_there_is_a_method_for_every_kind_of_event() -> None:
    assert [tag for tag in ev.EVENTS if not hasattr(RunStore, f"_{tag}")] == []


def test_the_run_its_model_and_mode() -> None:
    store = told(START, LOADED)
    assert (store.loaded, store.mode, store.model) == (LOADED, "acceptEdits", "sonnet")
    store.apply(ev.ModelNamed(1, "claude-sonnet-4-5-20250929", "s1", 200_000))
    store.apply(ev.ModeChanged(2, "plan"))
    assert (store.model, store.mode, store.figures.context_size) == ("claude-sonnet-4-5-20250929", "plan", 200_000)
    store.apply(ev.ModelNamed(3, "", context_size=None))
    assert (store.model, store.figures.context_size) == ("claude-sonnet-4-5-20250929", 200_000)


def test_limits_of_the_account_are_kept() -> None:
    limit = ev.RateLimited(1, "rejected", 99.0, "five_hour", 1.0)
    assert told(START, limit).limit == limit


# -- prompts -----------------------------------------------------------------------------------------------------------


def test_a_queued_prompt_waits_until_it_is_sent_or_taken_back() -> None:
    store = asked(ev.PromptQueued(2, "p2", "Then \x1b[2Jthis"), ev.PromptQueued(3, "p3", "And this"))
    assert store.queue == {"p2": "Then ␛[2Jthis", "p3": "And this"}
    store.apply(ev.PromptDropped(4, "p3"))
    store.apply(ev.PromptDropped(4, "never queued"))
    store.apply(end())
    assert list(store.queue) == ["p2"]
    store.apply(ev.TurnStarted(10, 2, "Then this", "p2"))
    assert store.queue == {}
    assert [entry.prompt_id for entry in prompts(store)] == ["p1", "p2"]


def test_what_was_really_sent_belongs_to_its_prompt() -> None:
    store = asked(ev.PromptSent(1.5, 1, "Review:\x00 Look"))
    assert [(entry.text, entry.sent) for entry in prompts(store)] == [("Look", "Review:␀ Look")]
    store.apply(ev.PromptSent(1.6, 7, "for a turn that nobody started"))
    assert len(store.entries) == 1


def test_a_turn_of_the_background_has_a_prompt_only_if_a_job_has_one() -> None:
    store = told(*OPEN, ev.TurnStarted(1, 1, origin="background"), *text(1, "It is done."))
    assert kinds(store) == ["text"]
    assert store.is_running
    store = told(*OPEN, ev.TurnStarted(1, 1, "Is it\x07 done?", origin="background"), *text(1, "It is."))
    assert [(entry.text, entry.origin) for entry in prompts(store)] == [("Is it␇ done?", "background")]


def test_what_is_scheduled_is_what_was_told_last_and_nothing_after_the_end() -> None:
    job = {"id": "a", "prompt": "Is it\x07\nbuilt?", "when": "once", "next_at": 60.0}
    store = told(*OPEN, ev.JobsScheduled(1, ({}, job)))
    assert store.jobs == (Job("", "", ""), Job("a", "Is it␇ built?", "once", 60.0))
    store.apply(ev.JobsScheduled(2, (job,)))
    assert [one.id for one in store.jobs] == ["a"]
    store.apply(ev.RunEnded(3))
    assert not store.jobs


def test_a_new_cli_has_no_task_of_the_old_one() -> None:
    launched = [call("Agent"), ev.ToolFinished(4, "c1", "launched"), ev.TaskProgressed(5, "c1", "running"), end()]
    store = asked(*launched)
    assert tool(store).is_task_alive
    store.apply(ev.Connecting(12, again=True))
    assert tool(store).task_state == "stopped"


# -- text --------------------------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("a1 \u202e\u200b\u200d👩💻❤\ufe0f\u20e3می\u200c")), st.integers(1, 5))
def test_however_text_is_cut_into_pieces_the_entry_is_the_same(said: str, size: int) -> None:
    store = asked(*text(1, *(said[at : at + size] for at in range(0, len(said), size))))
    entry = store.streaming
    assert isinstance(entry, TextEntry)
    assert inert(said).startswith(entry.text), "nothing is shown before it is decided on"
    store.apply(ev.BlockEnded(4, 1))
    assert entry.text == inert(said)


def test_text_grows_inert_and_becomes_one_string() -> None:
    store = asked(*text(1, "Hel", "lo \x1b]0;t\x07", "\u202ethere"))
    entry = store.streaming
    assert isinstance(entry, TextEntry)
    assert entry.is_open
    assert entry.text == "Hello ␛]0;t␇\ufffdthere"
    assert len(entry.parts) == 3
    store.apply(ev.BlockEnded(4, 1))
    assert (entry.state, entry.parts, entry.seconds) == ("done", [entry.text], 2.0)
    assert store.streaming is None
    assert store.phase == "sending"


def test_more_of_a_block_that_nobody_started_is_dropped() -> None:
    assert kinds(asked(ev.BlockGrew(2, 5, "?"), ev.BlockEnded(2, 5))) == ["prompt"]


def test_a_block_that_is_started_twice_is_two() -> None:
    assert texts(asked(*text(1, "one"), *text(1, "two"))) == [("one", "partial"), ("two", "open")]


@pytest.mark.parametrize(("outcome", "state"), [("done", "done"), ("interrupted", "partial"), ("failed", "partial")])
def test_an_open_text_at_the_end_of_a_turn(outcome: ev.Outcome, state: str) -> None:
    store = asked(*text(1, "Half a sen"), end(outcome, failure=CUT if outcome == "failed" else None))
    assert texts(store) == [("Half a sen", state)]
    assert store.streaming is None


def test_an_answer_that_came_whole_and_will_not_do_is_not_partial() -> None:
    will_not_do = ev.Failure("AgentError", "agent", "The answer does not fit what it must be: it contains no JSON.")
    store = asked(*text(1, "All of it."), ev.BlockEnded(3.0, 1), end("failed", failure=will_not_do))
    assert texts(store) == [("All of it.", "done")]
    broken = ev.Failure("StreamingError", "network", "The stream failed after 10 characters.")
    store = asked(*text(1, "Part of it"), ev.BlockEnded(3.0, 1), end("failed", failure=broken))
    assert texts(store) == [("Part of it", "partial")]
    store = asked(*text(1, "Part"), end("failed", failure=will_not_do))
    assert texts(store) == [("Part", "partial")], "it was still being written"


def test_a_complete_last_text_of_a_cut_turn_is_partial_too() -> None:
    store = asked(*text(1, "First."), ev.BlockEnded(2, 1), *text(2, "Last."), ev.BlockEnded(3, 2), end("failed"))
    assert texts(store) == [("First.", "done"), ("Last.", "partial")]


@pytest.mark.parametrize(
    "later",
    [
        [call("Bash")],
        [call("Bash"), ev.ToolFinished(4, "c1", "ok")],
        [ev.BlockStarted(3, 2, "tool", name="Write"), ev.BlockGrew(3, 2, "{")],
        [call("Agent"), *text(2, "inside", parent="c1")],
        text(2, "Hm", kind="thinking"),
    ],
)
def test_a_text_is_whole_if_only_what_came_after_it_was_cut(later: list[Event]) -> None:
    store = asked(*text(1, "I look."), ev.BlockEnded(2, 1), *later, end("interrupted"))
    assert texts(store)[0] == ("I look.", "done")


def test_the_text_of_the_turn_before_stays_whole() -> None:
    store = asked(*text(1, "Yes."), ev.BlockEnded(2, 1), end(), ev.TurnStarted(10, 2, "More"), end("failed", turn=2))
    assert texts(store) == [("Yes.", "done")]


def test_an_answer_that_begins_anew_leaves_its_pieces_as_partial() -> None:
    store = asked(*text(1, "One, tw"), ev.ReplyRestarted(3), *text(2, "One, two.", at=4))
    assert texts(store) == [("One, tw", "partial"), ("One, two.", "open")]
    assert store.phase == "writing"


# -- tools -------------------------------------------------------------------------------------------------------------


def test_a_call_from_its_first_byte_to_its_result() -> None:
    store = asked(ev.BlockStarted(2, 1, "tool", name="Bash"), ev.BlockGrew(2.5, 1, '{"comm'))
    entry = store.entries[-1]
    assert (getattr(entry, "state", ""), getattr(entry, "input_size", 0)) == ("writing", 6)
    store.apply(ev.ToolCalled(3, "c1", "Bash", {"command": "ls"}, block=1))
    store.apply(ev.BlockEnded(3.1, 1))
    assert tool(store) is entry
    assert (tool(store).state, store.phase) == ("waiting", "tool")
    store.apply(began(at=3))
    assert (tool(store).state, tool(store).at, store.phase) == ("running", 3, "tool")
    store.apply(ev.ToolFinished(5, "c1", "a.txt", detail={"stdout": "a.txt"}))
    assert (tool(store).state, tool(store).output, tool(store).seconds) == ("done", "a.txt", 2.0)
    assert tool(store).detail == {"stdout": "a.txt"}
    assert not store.running


def test_a_call_may_come_after_the_end_of_its_block() -> None:
    block = ev.BlockStarted(2, 1, "tool", name="Read")
    store = asked(block, ev.BlockEnded(3, 1), ev.ToolCalled(4, "c1", "Read", {}, block=1))
    assert kinds(store) == ["prompt", "tool"]
    assert tool(store).state == "waiting"


def test_a_call_that_waits_does_not_run_and_its_time_does_not_count() -> None:
    calls = [call("Bash", id=name, at=3) for name in ("c1", "c2", "c3")]
    store = asked(*calls, ask("c1", at=4))
    assert [tool(store, name).state for name in ("c1", "c2", "c3")] == ["asking", "waiting", "waiting"]
    store.apply(ev.PermissionSettled(24, "q1", "c1", "once"))
    store.apply(ev.ToolFinished(25, "c1", "ok"))
    store.apply(began("c2", at=26))
    assert [tool(store, name).state for name in ("c2", "c3")] == ["running", "waiting"]
    store.apply(ev.ToolFinished(28, "c2", "ok"))
    assert (tool(store, "c1").seconds, tool(store, "c2").seconds) == (1.0, 2.0)


def test_a_call_may_begin_before_its_message_has_come() -> None:
    store = asked(began("c1", at=3), call("Read", at=3.5))
    assert (tool(store).state, tool(store).at) == ("running", 3)


def test_a_plan_that_the_question_leaves_out_is_shown_all_the_same() -> None:
    for said, passed_on, shown in (
        ({"plan": "1. Look"}, {"planFilePath": "p"}, {"plan": "1. Look", "planFilePath": "p"}),
        ({"plan": "old"}, {"plan": "new"}, {"plan": "new"}),
    ):
        store = asked(call("ExitPlanMode", said), ev.PermissionAsked(4, "q", "c1", "ExitPlanMode", passed_on))
        assert tool(store).arguments == shown


def test_prompts_that_are_held_until_they_are_released_dropped_or_sent() -> None:
    queued = [ev.PromptQueued(2, name, name) for name in ("a", "b", "c")]
    store = asked(*queued, ev.PromptsHeld(3, ("a", "b")), ev.PromptDropped(4, "a"))
    assert (list(store.queue), store.held) == (["b", "c"], {"b"})
    store.apply(ev.PromptsReleased(5))
    assert (list(store.queue), store.held) == (["b", "c"], set())


def test_what_waited_when_the_run_ended_is_held() -> None:
    queued = [ev.PromptQueued(2, name, name) for name in ("a", "b", "c")]
    store = asked(*queued, ev.PromptDropped(3, "a"), end(), ev.PromptDropped(4, "b"), ev.PromptDropped(4, "c"))
    assert not store.queue
    store.apply(ev.RunEnded(4))
    assert (list(store.queue), store.held) == (["b", "c"], {"b", "c"})


def test_a_run_has_a_name_and_a_first_prompt() -> None:
    store = asked(end(), ev.TurnStarted(20, 2, "Something else"), ev.RunNamed(21, "Round\nthe \x1bcart"))
    assert (store.first_prompt, store.name) == ("Look", "Round the ␛cart")


def test_arguments_that_never_became_a_call_are_cut_with_the_turn() -> None:
    store = asked(ev.BlockStarted(2, 1, "tool", name="Read"), ev.BlockEnded(3, 1))
    assert store.phase == "sending"
    store.apply(end())
    assert getattr(store.entries[1], "state", "") == "cut"


def test_a_call_without_a_stream() -> None:
    store = asked(call("Read", {"file_path": "a"}), ev.ToolFinished(4, "c1", "no such file", is_error=True))
    assert (tool(store).state, tool(store).arguments) == ("failed", {"file_path": "a"})


def test_a_result_of_an_unknown_call_is_nothing() -> None:
    assert kinds(asked(ev.ToolFinished(4, "c9", "?"), ev.TaskProgressed(4, "c9", "running"))) == ["prompt"]


def test_a_call_that_is_told_twice_is_one() -> None:
    store = asked(call("Read", at=3), call("Read", {"file_path": "a"}, at=4))
    assert (tool(store).at, tool(store).arguments) == (3, {"file_path": "a"})
    store.apply(ev.ToolFinished(5, "c1", "x"))
    store.apply(call("Read", at=6))
    assert (tool(store).state, store.phase) == ("done", "sending")


def test_parallel_calls_run_until_the_last_one() -> None:
    store = asked(call("Read", id="a"), call("Read", id="b"), ev.ToolFinished(4, "b", ""))
    assert (list(store.running), store.phase) == (["a"], "tool")


@pytest.mark.parametrize("outcome", ["interrupted", "failed", "done"])
def test_what_runs_at_the_end_of_a_turn_is_cut(outcome: ev.Outcome) -> None:
    store = asked(call("Bash"), end(outcome))
    assert (tool(store).state, tool(store).ended_at, store.running) == ("cut", 9.0, {})


def test_a_late_result_of_a_cut_call_still_counts() -> None:
    store = asked(call("Bash"), end("interrupted"), ev.ToolFinished(10, "c1", "late"))
    assert (tool(store).state, tool(store).output) == ("done", "late")


def test_a_subagent_in_the_foreground_is_cut_with_its_turn() -> None:
    store = asked(call("Agent"), ev.TaskProgressed(4, "c1", "running", tokens=5), end("interrupted"))
    assert (tool(store).state, store.running) == ("cut", {})
    store.apply(ev.TurnStarted(20, 2, "And now?"))
    assert store.phase == "sending"


# -- subagents ---------------------------------------------------------------------------------------------------------


def test_what_subagents_do_stands_below_their_call() -> None:
    store = asked(
        call("Agent", id="a"),
        call("Agent", id="b"),
        call("Read", id="a1", parent="a"),
        *text(1, "b says", parent="b"),
        call("Agent", id="a2", parent="a"),
        call("Grep", id="a21", parent="a2"),
        call("Read", id="a3", parent="a"),
        ev.Noticed(8, "permission_denied", "no", "a2"),
        *text(2, "main says"),
    )
    order = [(getattr(entry, "call", "") or entry.kind, entry.depth) for entry in store.entries]
    assert order == [
        ("prompt", 0),
        ("a", 0),
        ("a1", 1),
        ("a2", 1),
        ("a21", 2),
        ("notice", 2),
        ("a3", 1),
        ("b", 0),
        ("text", 1),
        ("text", 0),
    ]
    assert store.phase == "writing", "the text of a subagent is not the one that is waited for"


def test_the_text_of_a_subagent_is_not_what_a_banner_counts() -> None:
    store = asked(call("Agent"), *text(1, "sub" * 10, parent="c1"), *text(2, "main"), end("failed", failure=CUT))
    banner = store.current_failure
    assert banner is not None
    assert banner.characters == 4


def test_a_block_of_a_subagent_whose_call_nobody_knows_is_at_the_end() -> None:
    store = asked(*text(1, "?", parent="lost"))
    assert (kinds(store), store.entries[-1].depth) == (["prompt", "text"], 0)


def test_a_written_call_of_a_subagent_does_not_adopt_what_comes_after_it() -> None:
    store = asked(
        call("Agent", id="a"),
        ev.BlockStarted(4, 1, "tool", "a", "Read"),
        *text(2, "main"),
        *text(3, "sub", parent="a"),
    )
    assert [(entry.kind, entry.parent) for entry in store.entries[2:]] == [("tool", "a"), ("text", "a"), ("text", "")]


BACKGROUND: list[Event] = [
    call("Agent", id="a"),
    ev.TaskProgressed(3.5, "a", "running", "explore"),
    ev.ToolFinished(4, "a", "Async agent launched successfully."),
]


def test_a_background_task_outlives_its_turn() -> None:
    store = asked(*BACKGROUND, call("Read", id="a1", parent="a", at=5), began("a1", at=5))
    assert store.phase == "sending", "the turn does not wait for it"
    store.apply(end())
    assert (tool(store, "a1").state, store.phase) == ("running", "done")
    store.apply(ev.TurnStarted(20, 2, "Something else"))
    assert store.phase == "sending"
    store.apply(ev.ToolFinished(21, "a1", "ok"))
    store.apply(ev.TaskProgressed(22, "a", "completed", tokens=1200, tool_uses=3))
    task = store.tasks["a"]
    assert (tool(store, "a1").state, task.tokens, task.tool_uses) == ("done", 1200, 3)
    assert not task.is_task_alive


def test_a_background_task_may_ask_between_two_turns() -> None:
    store = asked(*BACKGROUND, call("Bash", id="a1", parent="a", at=5), end(), ask("a1", at=10))
    assert (store.phase, store.needs_person) == ("asking", True)
    store.apply(ev.PermissionSettled(14, "q1", "a1", "once"))
    assert (store.phase, tool(store, "a1").state) == ("done", "running")
    assert store.figures.person_seconds == 4.0


def test_a_question_of_a_background_task_survives_the_end_of_the_turn() -> None:
    store = asked(*BACKGROUND, call("Bash", id="a1", parent="a", at=5), ask("a1"), end())
    assert (store.phase, list(store.questions), tool(store, "a1").state) == ("asking", ["q1"], "asking")


@pytest.mark.parametrize("state", ["completed", "failed", "stopped", "killed"])
def test_a_task_that_is_over_leaves_nothing_open(state: str) -> None:
    store = asked(
        *BACKGROUND,
        call("Agent", id="a1", parent="a"),
        call("Read", id="a11", parent="a1"),
        ask("a11"),
        ev.TaskProgressed(9, "a", state),
    )
    assert (tool(store, "a1").state, tool(store, "a11").state, store.questions) == ("cut", "cut", {})


def test_tokens_of_a_task_are_not_forgotten_by_a_report_without_them() -> None:
    store = asked(call("Agent"), ev.TaskProgressed(4, "c1", "running", "", 70, 2), ev.TaskProgressed(5, "c1", "paused"))
    assert (tool(store).tokens, tool(store).tool_uses, tool(store).task_state) == (70, 2, "paused")


# -- permissions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "state", "phase"),
    [
        ("once", "running", "tool"),
        ("run", "running", "tool"),
        ("deny", "denied", "sending"),
        ("withdrawn", "cut", "sending"),
    ],
)
def test_an_answer_to_a_question(decision: ev.Decision, state: str, phase: str) -> None:
    store = asked(call("Bash"), ask(at=4))
    assert (tool(store).state, tool(store).question, store.running) == ("asking", ask(at=4), {})
    store.apply(ev.PermissionSettled(6, "q1", "c1", decision, "because\x1b", "Bash(git:*)"))
    entry = tool(store)
    assert (entry.state, entry.question, entry.decision, store.phase) == (state, None, decision, phase)
    assert (entry.reason, entry.by_rule) == ("because␛", "Bash(git:*)")
    assert (entry.at, store.questions) == (6 if state == "running" else 3, {})


def test_a_refused_call_is_denied_when_its_result_says_so() -> None:
    store = asked(call("Bash"), ask(), ev.PermissionSettled(5, "q1", "c1", "deny"))
    store.apply(ev.ToolFinished(6, "c1", "The person said no.", is_error=True))
    assert (tool(store).state, tool(store).output) == ("denied", "The person said no.")


def test_two_questions_wait_for_two_answers() -> None:
    store = asked(call("Bash", id="a"), call("Bash", id="b"), ask("a", request="1"), ask("b", request="2"))
    store.apply(ev.PermissionSettled(5, "1", "a", "once"))
    assert (store.phase, list(store.questions)) == ("asking", ["2"])


def test_a_call_may_be_asked_about_before_it_is_told() -> None:
    store = asked(call("Agent", id="a"), ask("a1"), *text(1, "main"), call("Bash", id="a1", parent="a", at=6))
    assert [(getattr(entry, "call", "") or entry.kind, entry.depth) for entry in store.entries] == [
        ("prompt", 0),
        ("a", 0),
        ("a1", 1),
        ("text", 0),
    ]
    assert (tool(store, "a1").state, tool(store, "a1").name) == ("asking", "Bash")


def test_what_is_asked_about_is_shown_and_not_what_the_model_said() -> None:
    said = call("Bash", {"command": "rm y"}, at=3)
    for events in ([said, ask()], [ask(), said], [said, ask(), said]):
        store = asked(*events)
        assert tool(store).arguments == {"command": "rm x"}
        store.apply(ev.PermissionSettled(6, "q1", "c1", "once"))
        store.apply(said)
        assert tool(store).arguments == {"command": "rm x"}, "it is what runs"


def test_an_answer_without_a_question_is_kept_with_its_call() -> None:
    store = asked(call("Bash"), ev.PermissionSettled(4, "q7", "c1", "once", by_rule="Bash"))
    assert (tool(store).state, tool(store).decision, tool(store).by_rule) == ("running", "once", "Bash")
    assert kinds(asked(ev.PermissionSettled(4, "q7", "nobody", "once"))) == ["prompt"]


@pytest.mark.parametrize("last", [end("interrupted"), end("failed"), ev.RunEnded(9), ev.ToolFinished(9, "c1", "x")])
def test_a_question_does_not_outlive_its_call(last: Event) -> None:
    store = asked(call("Bash"), ask(), ask(request="q2"), last)
    assert (store.questions, tool(store).question, store.needs_person) == ({}, None, False)


def test_a_finished_call_that_is_asked_about_again_is_open_again() -> None:
    store = asked(call("Bash"), ev.ToolFinished(4, "c1", "x"), ask(at=5))
    assert (tool(store).state, tool(store).seconds) == ("asking", None)
    store.apply(end("interrupted"))
    assert tool(store).state == "cut"


# -- ends --------------------------------------------------------------------------------------------------------------


def test_the_end_of_a_turn_is_an_entry_with_its_result() -> None:
    result = end()
    store = asked(result)
    entry = store.entries[-1]
    assert isinstance(entry, EndEntry)
    assert (entry.result, entry.seconds, entry.turn) == (result, 8.0, 1)
    assert (store.is_running, store.last_outcome) == (False, "done")


def test_a_failure_is_a_banner_until_something_else_is_asked() -> None:
    store = asked(*text(1, "Twelve chars"), end("failed", failure=CUT))
    assert kinds(store) == ["prompt", "text", "failure", "end"]
    banner = store.current_failure
    assert banner is not None
    assert (banner.failure, banner.characters, store.failure) == (CUT, 12, CUT)
    store.apply(ev.TurnStarted(20, 2, "Again"))
    assert (banner.is_current, store.current_failure, store.failure) == (False, None, None)


def test_only_the_last_of_two_banners_acts() -> None:
    store = told(START, ev.ConnectFailed(1, NETWORK), ev.ConnectFailed(2, CUT))
    banners = [entry for entry in store.entries if isinstance(entry, FailureEntry)]
    assert [banner.is_current for banner in banners] == [False, True]
    assert store.current_failure is banners[1]


def test_the_characters_of_a_banner_are_those_of_its_own_turn() -> None:
    store = asked(*text(1, "long text"), end(), ev.TurnStarted(10, 2, "x"), end("failed", turn=2, failure=CUT))
    banner = store.current_failure
    assert banner is not None
    assert banner.characters == 0


def test_a_notice_is_inert_and_in_its_place() -> None:
    store = asked(ev.Noticed(2, "compact_boundary", "compacted\x9b"))
    entry = store.entries[-1]
    assert isinstance(entry, NoticeEntry)
    assert (entry.notice, entry.text, entry.turn) == ("compact_boundary", "compacted\ufffd", 1)


def test_nothing_is_open_when_the_run_has_ended() -> None:
    store = asked(
        *BACKGROUND, call("Bash", id="a1", parent="a"), ask("a1"), *text(1, "x"), call("Read"), ev.RunEnded(30)
    )
    assert not any(getattr(entry, "is_open", False) for entry in store.entries)
    assert (store.questions, store.running, store.is_ended, store.is_running) == ({}, {}, True, False)
    assert not store.tasks["a"].is_task_alive
    assert store.figures.seconds(1000.0) == 29.0


# -- for those who draw ------------------------------------------------------------------------------------------------


def test_changes_are_told_once_and_say_from_where_the_order_is_new() -> None:
    store = asked(call("Agent", id="a"))
    reader, other = store.changes(), store.changes()
    changed, moved = reader.take()
    assert ([entry.kind for entry in changed], moved) == (["prompt", "tool"], None)
    assert reader.take() == ([], None)
    store.apply(ev.BlockStarted(4, 1, "text"))
    assert ([entry.kind for entry in reader.take()[0]], moved) == (["text"], None)
    store.apply(call("Read", id="a1", parent="a"))
    changed, moved = reader.take()
    assert ([getattr(entry, "call", "") for entry in changed], moved) == (["a1"], 2)
    changed, moved = other.take()
    assert ([entry.kind for entry in changed], moved) == (["prompt", "tool", "text", "tool"], 2), (
        "it has missed nothing"
    )


def test_a_moved_call_says_from_where() -> None:
    store = asked(call("Agent", id="a"), *text(1, "x"), ask("a1"))
    reader = store.changes()
    reader.take()
    store.apply(call("Bash", id="a1", parent="a"))
    assert reader.take()[1] == 2


def test_what_looks_different_has_another_version() -> None:
    store = asked(call("Bash"))
    seen = {tool(store).version}
    for event in (
        ask(),
        ev.PermissionSettled(5, "q1", "c1", "run"),
        ev.TaskProgressed(6, "c1", "running"),
        ev.ToolFinished(7, "c1", "x"),
    ):
        store.apply(event)
        assert tool(store).version not in seen
        seen.add(tool(store).version)


# -- from the journal --------------------------------------------------------------------------------------------------

EVERYTHING: list[Event] = [
    *OPEN,
    ev.RunForked(0.5, "s0", "m0", ({"input_tokens": 7},)),
    ev.ModelNamed(0.6, "claude-sonnet-4-5", "s1", 200_000),
    ev.ModeChanged(0.7, "default"),
    ev.TurnStarted(1, 1, "Look", "p1"),
    ev.PromptSent(1.1, 1, "Really: look"),
    ev.PromptQueued(1.2, "p2", "Then"),
    ev.PromptQueued(1.2, "p3", "Never"),
    ev.PromptDropped(1.3, "p3"),
    ev.PromptsHeld(1.3, ("p2",)),
    ev.PromptsReleased(1.3),
    ev.QueueChanged(1.3, ("p2",), ("p2",), ("p2",)),
    ev.PromptSteered(1.3, 1, "p4", "Steered"),
    ev.ShellStarted(1.3, "s1", "ls"),
    ev.ShellEnded(1.3, "s1", "cart.py", 0),
    ev.RunNamed(1.3, "Cart"),
    ev.RequestStarted(1.4),
    ev.RateLimited(1.5, "allowed_warning", 50.0, "five_hour", 0.91),
    ev.RetryScheduled(1.6, 1, 10, 0.5, 529, "overloaded"),
    *text(1, "Hm", " so", kind="thinking"),
    ev.BlockEnded(2.1, 1),
    *text(2, "I will"),
    ev.ReplyRestarted(2.5),
    *text(3, "I shall"),
    ev.BlockEnded(2.9, 3),
    ev.UsageReported(2.9, "m1", 10, 5, 100, 7),
    *BACKGROUND,
    call("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]}, id="t"),
    began("t", at=4),
    ev.CallStopping(4.5, "t", "asked"),
    ev.ToolFinished(5, "t", "ok"),
    ev.CallStopping(5, "t", "failed", "It had ended."),
    call("Edit", {"file_path": "a", "old_string": "x", "new_string": "y", "n": [1, {"z": None}]}, id="e"),
    ask("e", "Edit"),
    ev.PermissionSettled(6, "q1", "e", "run", "fine", "Edit"),
    ev.ToolFinished(7, "e", "done", detail={"structuredPatch": [{"lines": ["-x", "+y"]}]}),
    ev.UsageReported(7.5, "m2", 1, 2, 3, 4, "a"),
    ev.Noticed(8, "compact_boundary", "compacted", "a"),
    ev.JobsScheduled(8.1, ({"id": "j", "prompt": "Look again", "when": "once", "next_at": 60.0},)),
    ev.ListShown(8.2, "Tasks", ({"text": "Buy milk", "is_done": True, "detail": "today"},), 3),
    ev.FusesSet(8.3, ({"scope": "run", "unit": "usd", "most": 2.0, "others": 0.0, "extended": 0.0},)),
    ev.SnapshotTaken(8.31, "a" * 40, "/project", 7, "done", 1, ("t", "e"), 2, 30, 4),
    ev.ChangesUntracked(8.32, "it takes more than 10 s to look at this folder"),
    ev.Stalled(8.35, 8.2),
    ev.StallPutOff(8.4),
    ev.InterruptRequested(8.5),
    end("failed", failure=ev.Failure("StreamingError", "network", "x", causes=("A: b", "C: d"), status=500)),
    ev.ContinuePlanned(9.6, 60.0, 2),
    ev.ContinueCalledOff(9.7, "person"),
    ev.ContinuePlanned(9.8, 9.9),
    ev.ContinueDue(9.9),
    ev.ConnectFailed(10, NETWORK),
    ev.RunEnded(10.5, "closed"),
    ev.RunReopened(10.6),
    ev.RunEnded(11, "closed"),
]


def test_there_is_a_story_with_every_event() -> None:
    assert {type(event) for event in EVERYTHING} == set(EVENTS.values())


@each("count", range(1, len(EVERYTHING) + 1))
def test_a_store_from_the_journal_is_the_same(count: int) -> None:
    events = EVERYTHING[:count]
    again = through_json(events)
    assert again == events
    assert picture(told(*again)) == picture(told(*events))
