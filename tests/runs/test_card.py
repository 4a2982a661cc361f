"""The card of a run: the same by its store and by its host, at every moment; in words, and in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.background import Behind
from maverick_tui.host.card import live_card
from maverick_tui.host.live import LiveRun
from maverick_tui.host.state import LiveState
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.card import NO_ANSWER, Place, RunCard, card_of, in_order
from maverick_tui.runs.spoken import last_spoken
from tests.support.runs import BEGAN, STREAM_BROKE, Tape

RUN = "7f3a00c0ffee"
TODOS = {"todos": [{"content": "Look", "status": "completed"}, {"content": "Mend", "status": "pending"}]}


def eventful() -> Tape:
    """Whatever a board tells of a run, one after the other."""
    tape = Tape().connect().prompt("Mend the cart").think("Hm.").say("Two **things**:\n\n- one `x`\n- two\n\n")
    tape.tool("TodoWrite", TODOS, "ok").tool("Write", {"file_path": "/work/shop/a.py", "content": "x"}, "ok")
    tape.tool("Edit", {"file_path": "/work/shop/b.py"}, "no", is_error=True).prepare("Bash", '{"command": "make').wait(
        1
    )
    tape.put(ev.SnapshotTaken(tape.at, "a" * 40, "/work/shop", 3, "done", 1, ("call-2",), 6, 120, 14))
    tape.ask("Bash", {"command": "git push\nls"}).decide("once").answer("call-4", "done")
    tape.put(ev.RetryScheduled(tape.at, 2, 10, 5.0, 529, "overloaded")).say("It works.").done()
    tape.put(ev.ChangesUntracked(tape.at, "the disk is full")).prompt("Serve it")
    server = tape.call("Bash", {"command": "make serve"})
    helper = tape.progress(server, "running").answer(server, "It runs.").call("Agent", {"description": "Look"})
    tape.progress(helper, "running").answer(helper, "It is on its way.").done().wait(1).progress(server, "completed")
    tape.wait(1).progress(helper, "stopped")
    tape.wait(3).prompt("Go on").say("On it", is_open=True).put(ev.InterruptRequested(tape.at)).done("interrupted")
    tape.prompt("And then").ask("AskUserQuestion", {"questions": [{"question": "Which\none?", "options": []}]}).decide(
        "once"
    )
    tape.done("interrupted")
    return tape.prompt("And again").done("failed", failure=STREAM_BROKE, cost_usd=None)


def cards_at_each_event(events: Sequence[ev.Event]) -> list[tuple[RunCard, RunCard]]:
    """By the store, and by what the host tells."""
    run, state, cards = RunModel(RUN, "reviewer", Board(lambda *_: None)), LiveState(), []
    for event in events:
        run.store.apply(event)
        state.take(event)
        live = LiveRun(RUN, {**state.to_json(), "told_at": event.at}, BEGAN, has_host=False)
        cards.append((card_of(run), live_card(live, event.at)))
    return cards


def test_a_host_tells_of_its_run_what_the_store_of_a_reader_knows() -> None:
    tape = eventful()
    for event, (own, told) in zip(tape.events, cards_at_each_event(tape.events), strict=True):
        # A host does not tell when a question's words or a phase of no turn began, nor what nobody waits for.
        same = replace(own, since=told.since, heard_at=told.heard_at, until=told.until, is_followed=False)
        same = replace(same, is_out_of_reach=True)  # for it was made without a host
        assert told == same, event


def test_its_time_is_that_of_its_turns_and_not_of_those_that_a_fork_has_inherited() -> None:
    def took(events: Sequence[ev.Event], *moments: float) -> list[float]:
        own, told = cards_at_each_event(events)[-1]
        assert [own.took(at) for at in moments] == [told.took(at) for at in moments]
        return [own.took(at) for at in moments]

    tape = Tape().connect().prompt("Look").done()
    ended = tape.events[-1]
    assert isinstance(ended, ev.TurnEnded)
    seconds = ended.usage.duration_ms / 1000
    assert took(tape.events, tape.at, tape.at + 60) == [seconds, seconds], "it rests"
    tape.wait(60).prompt("Go on")
    began = next(event.at for event in reversed(tape.events) if isinstance(event, ev.TurnStarted))
    assert took(tape.events, began + 5, began + 7) == pytest.approx([seconds + 5, seconds + 7])
    tape.put(ev.RunEnded(began + 9, "gone"))
    assert took(tape.events, began + 9, began + 60) == pytest.approx([seconds + 9, seconds + 9])
    start, *rest = Tape().connect().prompt("Look").done().events
    assert isinstance(start, ev.RunStarted)
    fork = [replace(start, forked_from=RUN, forked_turn=1), *rest, ev.RunForked(rest[-1].at)]
    assert took(fork, rest[-1].at + 60) == [0.0]


def test_what_a_person_runs_is_told_of_a_run_at_rest() -> None:
    tape = Tape().connect().put(ev.ShellStarted(BEGAN, "s1", "npm run\ndev")).put(ev.ShellStarted(BEGAN, "s2", "make"))
    tape.prompt("Look").done().put(ev.ShellEnded(tape.at, "s2", "", 0)).put(ev.RunReopened(tape.at))
    told = [(own.about, host.about) for own, host in cards_at_each_event(tape.events)]
    assert all(own == host for own, host in told)
    one, both = "!npm run dev", "!npm run dev, and 1 more"
    assert [own for own, _ in dict.fromkeys(told)] == ["", one, both]
    assert [own for own, _ in told[-3:]] == [both, one, ""], "what has told no end ended with its process"


def test_it_says_in_words_what_a_run_does() -> None:
    said: list[tuple[str, str]] = []
    for event, (card, _) in zip((tape := eventful()).events, cards_at_each_event(tape.events), strict=True):
        glyph, word, detail, _tone = card.state(event.at)
        said.append((f"{glyph} {word}", "" if detail[-2:] == " s" else detail.partition(" {")[0]))
    assert list(dict.fromkeys(said)) == [
        ("○ starting", ""), ("◌ connecting", ""), ("○ ready", ""), ("● waiting", "for the model"), ("● thinking", ""),
        ("● writing", ""), ("● running", "TodoWrite"), ("● running", "Write a.py"), ("● running", "Edit b.py"),
        ("● preparing", "Bash"), ("⚑ needs you", "Bash git push (2 lines)"),
        ("↻ retrying", "2 of 10 overloaded"), ("✔ done", ""), ("● running", "Bash make serve"),
        ("● running", "Agent Look"), ("✔ done", "in the background: make serve, and 1 more"),
        ("✔ done", "in the background: Agent Look"), ("◐ interrupting", ""), ("■ interrupted", ""),
        ("● running", "Which one?"), ("⚑ needs you", "Which one?"), ("✘ failed", said[-1][1]),
    ]  # fmt: skip
    told = [card.changed for card, _ in cards_at_each_event(tape.events)]
    assert list(dict.fromkeys(told)) == ["", "±1", "+120 -14 in 6 files"]
    assert told[-1] == "±1", "once they are not tracked any more, what is known for sure"
    assert said[-1][1].startswith("The stream broke: The stream broke after 24 messages")
    card = cards_at_each_event(tape.events)[-1][0]
    assert (card.done, card.steps, card.files, card.last_line) == (1, 2, 1, "On it")
    assert (card.prompt, card.began, card.cost_sign) == ("Mend the cart", BEGAN, "≥")


@pytest.mark.parametrize(
    ("card", "place", "words"),
    [
        (RunCard(RUN, phase="writing", heard_at=50.0), Place.IN_TROUBLE, "◌ silent nothing came for 50 s"),
        (RunCard(RUN, phase="tool", heard_at=50.0), Place.AT_WORK, "● running"),
        (RunCard(RUN, phase=NO_ANSWER), Place.IN_TROUBLE, "? no answer its process does not say how it is"),
        (RunCard(RUN, phase="queued"), Place.WAITS, "‖ queued"),
        (RunCard(RUN, phase="disconnected"), Place.IN_TROUBLE, "✘ lost"),
        (RunCard(RUN, phase="ended"), Place.AT_REST, "■ ended"),
        (
            RunCard(RUN, phase="done", about="!make", behind=(Behind("Bash", "npm start"),)),
            Place.AT_WORK,
            "✔ done !make, in the background: npm start",
        ),
    ],
)
def test_each_state_has_its_place_and_its_words(card: RunCard, place: Place, words: str) -> None:
    glyph, word, detail, _ = card.state(100.0)
    assert f"{glyph} {word} {detail}".rstrip() == words
    assert card.place(100.0) is place


def test_a_limit_says_until_when() -> None:
    for phase, word in (("waiting", "waits"), ("sending", "rate-limited"), ("failed", "rate-limited")):
        card = RunCard(RUN, phase=phase, until=BEGAN + 600)
        assert card.state(BEGAN)[:2] == ("‖", word)
        assert card.state(BEGAN).detail.startswith("until ")


def test_what_needs_a_person_comes_first_and_of_that_what_has_waited_longest() -> None:
    cards = [
        RunCard("rests", phase="done", began=1.0),
        RunCard("works", phase="tool", began=3.0),
        RunCard("works-longer", phase="thinking", began=2.0),
        RunCard("asks-late", phase="asking", since=9.0, began=1.0),
        RunCard("asks-early", phase="asking", since=5.0, began=8.0),
        RunCard("queued", phase="queued", began=0.5),
        RunCard("failed", phase="failed", began=7.0),
    ]
    order = "asks-early asks-late failed works-longer works queued rests".split()
    assert [card.run_id for card in in_order(cards, 10.0)] == order


def test_the_last_line_is_told_as_one_would_say_it_without_secrets_and_an_older_host_tells_less() -> None:
    assert last_spoken(["# Head\n\nWords **and** `code`", "\n\n| --- |\n```\n"]) == "Words and code"
    assert last_spoken(["a " * 5_000, "b\x1b[31m"]).startswith("a ")
    assert last_spoken([]) == ""
    secret = "sk-ant-api03-" + "a1B2" * 20
    tape = Tape().prompt("Go").say(f"The key is {secret}.").ask("Bash", {"command": f"echo {'x' * 280} {secret}"})
    state = LiveState()
    for event in tape.events:
        state.take(event)
    told = state.to_json()
    assert "sk-ant-api03-a1B2" not in f"{told['last_line']} {told['about']}"
    assert told["last_line"].startswith("The key is")
    older = LiveRun(RUN, {"phase": "working", "agent": "reviewer", "last_at": 5.0}, 1.0, has_host=False)
    card = live_card(older, 1_000.0)
    assert (card.phase, card.last_line, card.steps, card.added) == ("tool", "", 0, None)
    assert card.place(1_000.0) is Place.AT_WORK, "who does not say what it does is not called silent"
