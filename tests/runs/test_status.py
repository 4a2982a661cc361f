"""The status of a run: in every phase it says what happens, for how long, and what is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import NotStartedError
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.moments import until
from maverick_tui.runs.status import SILENT_AFTER, StatusText, clock, headline, run_status
from maverick_tui.runs.store import GONE
from tests.runs.story import IN_LINE, NETWORK, OPEN, START, ask, asked, began, call, end, text, told
from tests.support.cases import each

NOT_STARTED = failure_of(NotStartedError("Its inputs were not filled in: nothing was run."))
TURN: tuple[Event, ...] = (*OPEN, ev.TurnStarted(1.0, 1, "x"))


def at(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment).astimezone():%H:%M:%S}"


OWN = ev.ShellStarted(2.0, "s1", "make\nslow")
RETRY = ev.RetryScheduled(2.0, 3, 10, 8.0, 529, "overloaded\x1b")


@each(
    ("events", "now", "says"),
    [
        ([], 5.0, ("○", "starting", "", "quiet")),
        ([START, IN_LINE], 3.5, ("‖", "waits for its turn", "2.5 s", "quiet")),
        ([START, ev.Connecting(1.0)], 3.5, ("◌", "connecting", "2.5 s", "busy")),
        (OPEN, 5.0, ("○", "ready", "waiting for your prompt", "quiet")),
        ([*OPEN, ev.RunEnded(2.0)], 5.0, ("■", "ended", f"ended {at(2.0)}", "quiet")),
        ([*TURN, end(), ev.RunEnded(9.0, "closed")], 11.0, ("✔", "done", f"ended {at(9.0)}  8.0 s  $0.050", "good")),
        (
            [*TURN, end("failed", failure=NETWORK), ev.RunEnded(9.0)],
            11.0,
            ("✘", "failed", f"ended {at(9.0)}  8.0 s  $0.050", "bad"),
        ),
        (
            [*TURN, end("interrupted"), ev.RunEnded(9.0, GONE)],
            11.0,
            ("■", "interrupted", f"its process was gone, last heard of {at(9.0)}  8.0 s  $0.050", "attention"),
        ),
        (
            [*TURN, end(), ev.RunEnded(9.0, GONE)],
            11.0,
            ("✔", "done", f"its process was gone, last heard of {at(9.0)}  8.0 s  $0.050", "good"),
        ),
        (
            [*TURN, end(), ev.RunEnded(9.0, "ValueError: x")],
            11.0,
            ("✘", "failed", f"ended {at(9.0)}  8.0 s  $0.050", "bad"),
        ),
        ([START, ev.ConnectFailed(1.0, NOT_STARTED)], 5.0, ("✘", "not connected", "nothing was run", "bad")),
        ([START, ev.ConnectFailed(1.0, NETWORK)], 5.0, ("✘", "not connected", "StreamingError: network", "bad")),
        (TURN, 3.0, ("●", "waiting for the model", "2.0 s", "busy")),
        ([*TURN, *text(1, "x", kind="thinking")], 4.0, ("●", "thinking", "2.0 s", "busy")),
        ([*TURN, *text(1, "x")], 4.0, ("●", "writing", "2.0 s", "busy")),
        (
            [*TURN, ev.BlockStarted(2.0, 1, "tool", name="mcp__git__log"), ev.BlockGrew(2.0, 1, "x" * 999)],
            3.0,
            ("●", "preparing", "git: log  999 characters", "busy"),
        ),
        (
            [*TURN, ev.BlockStarted(2.0, 1, "tool", name="Write"), ev.BlockGrew(2.0, 1, "x" * 12_345)],
            3.0,
            ("●", "preparing", "Write  12.3k characters", "busy"),
        ),
        (
            [*TURN, call("Bash", {"command": "pytest -q /work/shop/tests"}), began()],
            15.7,
            ("●", "running", "Bash  pytest -q tests  12 s", "busy"),
        ),
        (
            [
                *TURN,
                *(call("Read", {"file_path": f"/work/shop/{name}.py"}, id=name) for name in "abc"),
                *map(began, "abc"),
            ],
            4.0,
            ("●", "running", "Read  a.py  and 2 more  1.0 s", "busy"),
        ),
        (
            [*TURN, call("Bash", id="a"), call("Bash", {"command": "ls"}, id="b"), call("Bash", id="c"), began("b")],
            4.0,
            ("●", "running", "Bash  ls  2 waiting  1.0 s", "busy"),
        ),
        ([*TURN, call("Bash", {"command": "ls"})], 4.0, ("●", "starting", "Bash  ls", "busy")),
        (
            [*TURN, call("Bash"), call("Bash", id="c2"), call("Bash", id="c3"), ask()],
            10.0,
            ("⚑", "waiting for you", "Bash  2 wait behind it  6.0 s", "attention"),
        ),
        ([*TURN, call("Bash"), ask()], 10.0, ("⚑", "waiting for you", "Bash  6.0 s", "attention")),
        (
            [*TURN, call("Bash"), ask(), ask(request="q2"), ask(request="q3")],
            10.0,
            ("⚑", "waiting for you", "Bash  and 2 more  6.0 s", "attention"),
        ),
        ([*TURN, RETRY], 4.0, ("↻", "API retry 3 of 10", "in 6.0 s  529 overloaded␛", "attention")),
        ([*TURN, RETRY], 11.0, ("↻", "API retry 3 of 10", "now  529 overloaded␛", "attention")),
        ([*TURN, ev.RetryScheduled(2.0, 1, 2, 3.0)], 4.0, ("↻", "API retry 1 of 2", "in 1.0 s", "attention")),
        ([*TURN, ev.InterruptRequested(2.0)], 2.2, ("◐", "interrupting", "0.2 s  what came is kept", "attention")),
        ([*TURN, end()], 99.0, ("✔", "done", "8.0 s  $0.050", "good")),
        ([*TURN, end(is_estimate=True)], 99.0, ("✔", "done", "8.0 s  ~$0.050", "good")),
        ([*TURN, end(usage=ev.Usage(1, 1, duration_ms=95_000))], 99.0, ("✔", "done", "1:35", "good")),
        ([*TURN, end("interrupted")], 99.0, ("■", "interrupted", "8.0 s  $0.050", "attention")),
        (
            [*TURN, end("failed", failure=NETWORK)],
            99.0,
            ("✘", "failed", "StreamingError: network  8.0 s  $0.050", "bad"),
        ),
        ([*TURN, end("failed")], 99.0, ("✘", "failed", "8.0 s  $0.050", "bad")),
        ([*OPEN, OWN], 10.0, ("○", "ready, your command runs", "make slow  8.0 s", "quiet")),
        (
            [*TURN, OWN, end("failed", at=3.0), ev.ShellStarted(4.0, "s2", "ls")],
            10.0,
            ("✘", "failed, your commands run", "make slow  and 1 more  8.0 s", "bad"),
        ),
        ([*TURN, OWN], 4.0, ("●", "waiting for the model", "3.0 s", "busy")),
    ],
)
def test_every_phase_says_what_happens(events: Sequence[Event], now: float, says: tuple[str, str, str, str]) -> None:
    assert run_status(told(*events), now) == says


def test_a_model_that_says_nothing_is_silent_and_a_tool_is_not() -> None:
    store = asked(*text(1, "x", at=2.0))
    assert run_status(store, 2.0 + SILENT_AFTER - 0.1).word == "writing"
    silent = run_status(store, 2.0 + SILENT_AFTER + 4)
    assert silent == ("◌", "silent", "nothing came for 12 s", "attention")
    named = run_status(store, 2.0 + SILENT_AFTER + 4, interrupt_key="F9")
    assert named.detail == "nothing came for 12 s  F9 interrupts"
    store.apply(ev.BlockGrew(15.0, 1, "again"))
    assert run_status(store, 15.5).word == "writing"
    assert run_status(asked(call("Bash"), began()), 4000.0).word == "running"


def test_a_retry_and_a_question_are_not_silence() -> None:
    assert run_status(asked(RETRY), 999.0).word == "API retry 3 of 10"
    assert run_status(asked(call("Bash"), ask()), 999.0).word == "waiting for you"


def test_a_rate_limit_is_said_while_it_is_waited_for_and_no_longer() -> None:
    limit = ev.RateLimited(2.0, "rejected", 500.0)
    at = f"{datetime.fromtimestamp(500.0).astimezone():%H:%M:%S}"
    assert run_status(asked(limit), 3.0) == ("‖", "rate-limited", f"until {at}", "attention")
    assert run_status(asked(limit, RETRY), 3.0).word == "rate-limited"
    assert run_status(asked(limit), 500.5).word == "silent"
    assert run_status(asked(limit, *text(1, "x")), 3.0).word == "writing", "who writes is not limited"
    assert run_status(asked(ev.RateLimited(2.0, "allowed_warning", 500.0)), 3.0).word == "waiting for the model"


def test_a_failure_says_when_it_is_worth_trying_again() -> None:
    failure = ev.Failure("NetworkError", "rate_limit", "x", retry_at=500.0)
    store = asked(end("failed", failure=failure))
    assert run_status(store, 10.0).detail.startswith(f"rate-limited  {until(500.0, 10.0)}")
    assert "until" not in run_status(store, 501.0).detail


@each(
    ("figures", "words"),
    [((6, 1_120, 14), "+1,120 -14 in 6 files"), ((1, 0, 3), "-3 in 1 file"), ((2, 0, 0), "2 files"), ((0, 0, 0), "")],
)
def test_a_turn_that_is_done_says_how_much_has_changed_and_where_that_is_shown(
    figures: tuple[int, int, int], words: str
) -> None:
    store = told(*TURN, ev.SnapshotTaken(8.0, "a" * 40, "/project", 1, "end", 1, (), *figures), end())
    expected = f"8.0 s  $0.050  {words} (Alt+C)" if words else "8.0 s  $0.050"
    assert run_status(store, 99.0, changes_key="Alt+C").detail == expected


def test_a_turn_that_is_done_says_what_goes_on_in_the_background() -> None:
    def launched(tool: str, call_id: str) -> list[ev.Event]:
        begun = call(tool, {"command": "make serve"} if tool == "Bash" else {}, id=call_id)
        return [begun, ev.TaskProgressed(4, call_id, "running"), ev.ToolFinished(5, call_id, "launched")]

    store = asked(*launched("Bash", "c1"), *launched("Bash", "c2"), *launched("Agent", "c3"), *launched("Watch", "c4"))
    assert "background" not in headline(store).word, "the turn goes on"
    store.apply(end())
    for ended, words in (
        ("", "2 commands, 1 subagent and 1 task in the background"),
        ("c4", "2 commands and 1 subagent in the background"),
        ("c3", "2 commands in the background"),
        ("c2", "1 command in the background"),
    ):
        if ended:
            store.apply(ev.TaskProgressed(11, ended, "completed"))
        assert headline(store)[:2] == ("✔", f"done, {words}")
        assert run_status(store, 12.0)[1:3] == (f"done, {words}", "8.0 s  $0.050")
    for event in (ev.Connecting(13), ev.Connected(14)):
        store.apply(event)
    assert headline(store).word == "done", "they were the engine's, which is gone"


def test_a_moment_on_another_day_has_its_day_and_one_beyond_all_days_has_none() -> None:
    noon = datetime(2026, 11, 15, 12).astimezone().timestamp()
    assert until(noon + 60, noon) == "until 12:01:00"
    assert until(noon + 86_400, noon) == "until Mon 16 Nov 12:00"
    assert until(1e300, noon) == "for ever"


def test_an_end_says_its_day_and_its_year_if_they_are_others() -> None:
    noon = datetime(2026, 11, 15, 12).astimezone().timestamp()
    store = told(*OPEN, ev.RunEnded(noon))
    assert run_status(store, noon + 86_400).detail == "ended Sun 15 Nov 12:00"
    assert run_status(store, noon + 365 * 86_400).detail == "ended 15 Nov 2026 12:00"
    assert run_status(told(*OPEN, ev.RunEnded(1e300)), noon).detail == "ended at an unknown time"


def test_a_run_that_goes_on_elsewhere_says_since_when_nothing_of_it_comes() -> None:
    noon = datetime(2026, 11, 15, 12).astimezone().timestamp()
    store = told(*TURN, call("Bash"), ask())
    store.looked_at = noon
    assert run_status(store, noon + 9)[:3] == (
        "●",
        "running elsewhere",
        "in another process; as of 12:00:00",
    )
    assert headline(store).word == "running elsewhere"


def test_the_headline_is_one_word_of_the_same_status() -> None:
    for events, glyph, word in [
        ([], "○", "starting"),
        (OPEN, "○", "ready"),
        ([*TURN], "●", "running"),
        ([*TURN, *text(1)], "●", "running"),
        ([*TURN, call("Bash"), ask()], "⚑", "needs you"),
        ([*TURN, end("failed")], "✘", "failed"),
        ([*OPEN, ev.RunEnded(2.0)], "■", "ended"),
    ]:
        assert headline(told(*events)) == StatusText(glyph, word, "", headline(told(*events)).tone)


@each(
    ("seconds", "shown"),
    [
        (-3, "0.0 s"),
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (10, "10 s"),
        (59.9, "59 s"),
        (60, "1:00"),
        (125, "2:05"),
        (3599.9, "59:59"),
        (3725, "1:02:05"),
    ],
)
def test_the_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_a_run_that_goes_on_by_itself_says_when_and_counts_down() -> None:
    at = 1_763_200_000.0
    failed = end("failed", failure=ev.Failure("NetworkError", "rate_limit", "x", retry_at=at + 90))
    store = told(*TURN, failed, ev.ContinuePlanned(at, at + 90))
    when = f"waits until {datetime.fromtimestamp(at + 90).astimezone():%H:%M}"
    assert run_status(store, at + 5, interrupt_key="Esc") == (
        "‖", when, "goes on in 1:25  Esc calls it off", "attention",
    )  # fmt: skip
    assert headline(store) == ("‖", when, "", "attention")
    assert run_status(store, at + 95).detail == "goes on in 0.0 s"
    store.apply(ev.ContinueCalledOff(at + 6, "person"))
    assert headline(store).word == "failed"
